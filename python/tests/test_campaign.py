"""Work in pieces: resumed after a kill, the same whoever does it."""

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from fractions import Fraction
from pathlib import Path

import pytest

import dpcmp
from dpcmp import campaign

ROOT = Path(__file__).resolve().parent.parent.parent
GRID = {"noise_multiplier": ["0.8", "1", "2", "4"], "sample_rate": ["0.01", "0.02", "0.05"], "steps": [10, 100, 1000]}
ASK = ["epsilon:delta=1e-5", "advantage"]


def lines(folder):
    return b"".join(path.read_bytes() for path in sorted((Path(folder) / "pieces").glob("[0-9]*.jsonl")))


def small(folder, **options):
    return campaign.sweep(folder, dpcmp.dp_sgd, GRID, ASK, piece=2, progress=False, **options)


def test_sweep_here(tmp_path):
    found = small(tmp_path / "a")
    assert len(found) == 36 == len(list(found))
    # The order is that of dpcmp.sweep, and so are the answers.
    points = dpcmp.sweep(dpcmp.dp_sgd, GRID, ASK)
    for line, point in zip(found, points):
        assert {name: Fraction(value) for name, value in line["parameters"].items()} == point.parameters
        for answer, enclosure in zip(line["answers"], point.answers.values()):
            assert (answer["lower"], answer["upper"]) == enclosure.decimals()
    assert found[35] == list(found)[-1] and found[-1]["job"] == 35
    found.save(tmp_path / "all.jsonl")
    assert (tmp_path / "all.jsonl").read_bytes() == lines(tmp_path / "a")
    # Pieces of another size have the same lines.
    campaign.sweep(tmp_path / "b", dpcmp.dp_sgd, GRID, ASK, piece=7, progress=False)
    assert lines(tmp_path / "b") == lines(tmp_path / "a")
    # A point that is no mechanism is an error there, and stops nothing.
    broken = campaign.sweep(tmp_path / "c", {"kind": "laplace"}, {"scale": [0, 1]}, "advantage", progress=False)
    assert broken[0]["error"]["code"] == "range" and "answers" in broken[1]


def test_only_what_is_missing_is_done_again(tmp_path):
    small(tmp_path)
    before = lines(tmp_path)
    piece = tmp_path / "pieces" / "0000003.jsonl"
    stamps = {path: path.stat().st_mtime_ns for path in (tmp_path / "pieces").iterdir()}
    piece.unlink()
    with pytest.raises(dpcmp.InputError, match="missing"):
        campaign.Results(tmp_path)
    small(tmp_path)
    assert lines(tmp_path) == before
    changed = [path for path, stamp in stamps.items() if path.stat().st_mtime_ns != stamp]
    assert changed == [piece]
    # Another campaign is refused before anything is written.
    with pytest.raises(dpcmp.InputError, match="another campaign"):
        campaign.sweep(tmp_path, dpcmp.dp_sgd, GRID, ["advantage"], piece=2, progress=False)
    with pytest.raises(dpcmp.InputError, match="another campaign"):
        campaign.sweep(tmp_path, dpcmp.dp_sgd, GRID, ASK, piece=3, progress=False)
    assert lines(tmp_path) == before


def test_a_killed_campaign_goes_on(tmp_path):
    small(tmp_path / "whole")
    script = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
import test_campaign, time, dpcmp.campaign as c
work = c._work
def slow(*a):
    time.sleep(0.05)
    return work(*a)
c._work = slow
test_campaign.small({str(tmp_path / "killed")!r})
"""
    process = subprocess.Popen([sys.executable, "-c", script], env=os.environ)
    pieces = tmp_path / "killed" / "pieces"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (pieces.is_dir() and len(list(pieces.glob("[0-9]*"))) >= 4):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    assert 4 <= len(list(pieces.glob("[0-9]*"))) < 18
    small(tmp_path / "killed")
    assert lines(tmp_path / "killed") == lines(tmp_path / "whole")


def test_workers_of_a_cluster_are_killed(tmp_path):
    distributed = pytest.importorskip("distributed")
    small(tmp_path / "here")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        killed = []

        def kill():
            """Kills each worker once, while there is work."""
            pieces = tmp_path / "cluster" / "pieces"
            for least in (2, 6):
                while not (pieces.is_dir() and len(list(pieces.glob("[0-9]*"))) >= least):
                    time.sleep(0.01)
                workers = client.run(os.getpid)
                victim = next(iter(workers.values()))
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        campaign.sweep(tmp_path / "cluster", dpcmp.dp_sgd, GRID, ASK, piece=2, client=client, progress=False)
        killer.join(30)
    assert len(killed) == 2
    assert lines(tmp_path / "cluster") == lines(tmp_path / "here")


def test_verify_a_corpus(tmp_path):
    corpus = ROOT / "examples/claims/published"
    few = sorted(corpus.glob("*.toml"))[:4]
    found = campaign.verify(tmp_path / "a", few, progress=False, piece=3)
    assert len(found) == 4
    for path, line in zip(few, found):
        expected = dpcmp.verify(path)
        assert [claim["verdict"] for claim in line["claims"]] == [verdict.outcome for verdict in expected]
    text = tmp_path / "lines.jsonl"
    claim = {"mechanism": {"kind": "laplace", "scale": 1}, "claim": {"kind": "pure-dp", "epsilon": 1}}
    text.write_text(json.dumps(claim) + "\n\nnonsense\n")
    found = campaign.verify(tmp_path / "b", [text, claim], progress=False)
    assert [line.get("line") for line in found] == [1, 3, None]
    assert found[0]["claims"][0]["verdict"] == "verified" and found[1]["error"]["code"] == "syntax"


def honest(noise_multiplier, sample_rate, steps, delta):
    run = dpcmp.dp_sgd(noise_multiplier=noise_multiplier, sample_rate=sample_rate, steps=steps)
    return float(run.epsilon(delta, max_seconds=10))


def forgetful(noise_multiplier, sample_rate, steps, delta):
    if steps == 1:
        raise RuntimeError("one step is too few")
    return honest(noise_multiplier, sample_rate, max(1, steps // 2), delta)


def test_fuzz(tmp_path):
    found = campaign.fuzz(tmp_path / "honest", honest, 25, seed=3, progress=False)
    assert [line["fault"] for line in found] == [None] * 25
    assert len({json.dumps(line["case"]) for line in found}) == 25
    found = campaign.fuzz(tmp_path / "forgetful", forgetful, 25, seed=3, progress=False)
    faults = [line["fault"] for line in found]
    assert "unsound" in faults and "crash" in faults
    for line in found:
        if line["fault"] == "unsound":
            assert Fraction(line["answer"]) < Fraction(line["lower"])
    nonsense = campaign.fuzz(tmp_path / "nan", lambda **_: math.nan, 3, progress=False)
    assert {line["fault"] for line in nonsense} == {"nonsense"}
    assert {line["fault"] for line in campaign.fuzz(tmp_path / "huge", lambda **_: 1e9, 3, progress=False)} == {"loose"}
