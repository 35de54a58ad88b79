"""Folders stand for the claim files in them, as for `dpcmp verify`, and what is skipped is said."""

import json
import pickle
import warnings

import pytest

import dpcmp
from dpcmp import campaign
from dpcmp.errors import SkippedWarning

CLAIM = {"mechanism": {"kind": "laplace", "scale": 2}, "claim": {"kind": "pure-dp", "epsilon": "1/2"}}
LINE = json.dumps(CLAIM)
TOML = "[mechanism]\nkind = 'laplace'\nscale = 2\n[[claim]]\nkind = 'pure-dp'\nepsilon = '0.4'\n"


@pytest.fixture
def folder(tmp_path):
    files = {
        "a.json": LINE,
        "deep/er/b.toml": TOML,
        "c.jsonl": f"{LINE}\n\n{LINE}\n",
        "notes.md": "",
        "deep/z.json": '{"claim":0,"schema":"dpcmp.certificate/2"}',
        ".git/config.toml": "",
        "out.json": '{"schema":"dpcmp.verdict/1"}',
        "out.jsonl": '{"schema":"dpcmp.verdict/1"}\n{}',
    }
    top = tmp_path / "claims"
    for name, text in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (top / "deep" / "loop").symlink_to(top)
    return top


SKIPPED = {
    "notes.md": "not .toml, .json or .jsonl",
    "deep/z.json": "a certificate, which `dpcmp check` reads",
    ".git": "hidden",
    "out.json": "a result of dpcmp",
    "out.jsonl": "a result of dpcmp",
    "deep/loop": "a link to a folder",
}


def test_what_is_skipped_in_a_folder_is_said(folder):
    with pytest.warns(SkippedWarning) as said:
        verdicts = dpcmp.verify(folder)
    assert [one.outcome for one in verdicts] == ["verified", "verified", "verified", "refuted"]
    assert verdicts.skipped == {str(folder / name): why for name, why in SKIPPED.items()}
    assert f"skipped in {folder}, a result of dpcmp: out.json, out.jsonl" in [str(one.message) for one in said]
    assert len(said) == 5 and all(one.filename == __file__ for one in said)
    assert "skipped: " in verdicts._repr_html_() and "notes.md" in verdicts._repr_html_()
    # Whoever does not want to hear it says so.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", SkippedWarning)
        assert len(dpcmp.verify(str(folder))) == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dpcmp.verify(folder / "deep" / "er").skipped == {}


def test_a_campaign_walks_folders_in_the_same_way(folder, tmp_path):
    with pytest.warns(SkippedWarning, match="a link to a folder: deep/loop") as said:
        found = campaign.verify(tmp_path / "campaign", folder, progress=False)
    assert [line["claims"][0]["verdict"] for line in found] == ["verified", "verified", "verified", "refuted"]
    assert all(one.filename == __file__ for one in said)


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"])
def test_lines_without_a_claim_are_an_error(tmp_path, text):
    path = tmp_path / "empty.jsonl"
    path.write_text(text, encoding="utf-8")
    for call in (lambda: dpcmp.verify(path), lambda: dpcmp.verify(tmp_path), lambda: campaign.verify(tmp_path / "campaign", path, progress=False)):
        with pytest.raises(dpcmp.InputError, match="there is no claim to verify") as caught:
            call()
        assert caught.value.code == "unreadable" and caught.value.place == str(path)


def test_a_wrong_file_in_a_folder_is_said_before_any_claim_is_decided(folder, monkeypatch):
    (folder / "z.toml").write_text("kind = 1")
    monkeypatch.setattr(dpcmp.Verdict, "_of", None)
    with pytest.warns(SkippedWarning), pytest.raises(dpcmp.InputError) as caught:
        dpcmp.verify(folder)
    assert str(folder / "z.toml") in caught.value.place


def test_files_that_are_no_claim_files(tmp_path, monkeypatch):
    def refused(path, code, words):
        with pytest.raises(dpcmp.InputError, match=words) as caught:
            dpcmp.verify(path)
        assert caught.value.code == code and str(path) in caught.value.place and caught.value.hint != dpcmp.DpcmpError._next
        return caught.value

    monkeypatch.chdir(tmp_path)
    # Also of the name by which the command line calls standard input.
    for name in ("nofile.toml", "nofile.json", "nofile.jsonl", "nofile", "-"):
        assert "may be read" in refused(name, "unreadable", "cannot read").hint
    made = dpcmp.verify(CLAIM)[0].certificate()
    made.save("certificate.json")
    assert "Certificate.load" in refused("certificate.json", "wrong-type", "is a certificate").hint
    (tmp_path / "latin.jsonl").write_bytes(LINE.encode() + b"\n\n{\"title\": \"\xe9\"}\n")
    assert refused("latin.jsonl", "encoding", "no UTF-8").place == "latin.jsonl, line 3"
    (tmp_path / "latin.toml").write_bytes(b"title = '\xe9'\n")
    refused("latin.toml", "encoding", "UTF-8")
    (tmp_path / "empty").mkdir()
    refused("empty", "unreadable", "no claim file in")


def test_lines_are_told_from_one_object_as_on_the_command_line(tmp_path):
    path = tmp_path / "lines.json"
    path.write_text(f"{LINE}\n{LINE}\n")
    assert len(dpcmp.verify(path)) == 2
    path.write_text(LINE + "\n")
    assert len(dpcmp.verify(path)) == 1


def test_slices_and_sums_of_verdicts_are_verdicts(tmp_path):
    (tmp_path / "notes.md").touch()
    (tmp_path / "a.toml").write_text(TOML)
    with pytest.warns(SkippedWarning):
        read = dpcmp.verify(tmp_path)
    decided = dpcmp.laplace(scale=2).verify("pure-dp:epsilon=0.5", "pure-dp:epsilon=0.4")
    for verdicts in (decided, decided[1:], decided[::-1], decided + read, read + decided, [] + decided, decided + [], decided.copy(), pickle.loads(pickle.dumps(decided[:1]))):
        assert isinstance(verdicts, dpcmp.Verdicts)
        assert verdicts.columns()["verdict"] == [one.outcome for one in verdicts]
        assert verdicts._repr_html_().startswith("<table>")
    assert isinstance(decided[0], dpcmp.Verdict) and len(decided + read) == 3
    for verdicts in (read[:1], decided + read, read + decided, [] + read, read.copy(), pickle.loads(pickle.dumps(read))):
        assert verdicts.skipped == {str(tmp_path / "notes.md"): SKIPPED["notes.md"]}
    with pytest.raises(TypeError):
        decided + (1,)
