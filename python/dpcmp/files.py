"""The claim files that a path stands for: the rules of ``dpcmp verify`` for folders (``src/command/folders.rs``) and for files with one a line."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from .errors import InputError, SkippedWarning
from .given import unreadable

_ENDINGS = (".toml", ".json", ".jsonl")
#: So many names are said of what is skipped for one reason.
_MOST_NAMES = 5
#: No walk looks at more entries.
_MOST_ENTRIES = 1_000_000
#: Longer files are not looked into.
_MOST_BYTES = 16 << 20

_ENDING = "not .toml, .json or .jsonl"
_CERTIFICATE = "a certificate, which `dpcmp check` reads"
_WRITTEN = "a result of dpcmp"
_HIDDEN = "hidden"
_LINK = "a link to a folder"
_SPECIAL = "neither a file nor a folder"


class Found(NamedTuple):
    """A claim file: a file, or the text of one of its lines.

    Attributes:
        path: the file.
        line: the number of the line, where it is one of several.
        text: that line.
    """

    path: str
    line: int | None
    text: str | None


def claim_files(path: str, *, level: int) -> tuple[list[Found], dict[str, str]]:
    """All claim files, and what is skipped in folders, with the reason. A warning says that, too, as of the code that is `level` calls away.

    Raises:
        InputError: if something cannot be read, or there is no claim file.
    """
    if not os.path.isdir(path):
        return list(_claim_files(path)), {}
    paths, skipped = _walk(path)
    if not paths:
        raise InputError(
            f"there is no claim file in `{path}`", code="unreadable", place=path, hint="claim files end in .toml, .json or .jsonl; `.` is this folder"
        )
    found = [one for name in paths for one in _claim_files(name)]
    for why in (_ENDING, _CERTIFICATE, _WRITTEN, _HIDDEN, _LINK, _SPECIAL):
        names = [os.path.relpath(name, path) for name, reason in skipped.items() if reason == why]
        if names:
            more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            warnings.warn(f"skipped in {path}, {why}: {', '.join(names[:_MOST_NAMES])}{more}", SkippedWarning, stacklevel=level + 1)
    return found, skipped


def _walk(top: str) -> tuple[list[str], dict[str, str]]:
    """The claim files of a folder to the bottom, and what is skipped, both in alphabetical order."""
    waiting, paths, skipped, entries = [top], [], {}, 0
    while waiting:
        folder = waiting.pop()
        try:
            names = os.listdir(folder)
        except OSError as error:
            raise unreadable(folder, error.strerror or str(error)) from None
        entries += len(names)
        if entries > _MOST_ENTRIES:
            raise InputError(f"`{top}` has more than {_MOST_ENTRIES} files and folders", code="too-large", place=top, hint="name fewer")
        for name in names:
            path = os.path.join(folder, name)
            why = _HIDDEN if name.startswith(".") else None
            if why is None and os.path.isdir(path):
                if not os.path.islink(path):
                    waiting.append(path)
                    continue
                why = _LINK
            why = why or _why_not(path)
            if why is None:
                paths.append(path)
            else:
                skipped[path] = why

    def parts(path: str) -> list[str]:
        return path.split(os.sep)

    return sorted(paths, key=parts), dict(sorted(skipped.items(), key=lambda item: parts(item[0])))


def _why_not(path: str) -> str | None:
    """Why a file of a folder is no claim file. What cannot be read is one, and then said to be wrong."""
    if not path.endswith(_ENDINGS):
        return _ENDING
    if os.path.exists(path) and not os.path.isfile(path):
        return _SPECIAL
    if path.endswith(".toml"):
        return None
    try:
        return _what_it_says(path, _read(path))
    except InputError:
        return None


def _read(path: str) -> bytes:
    if os.path.exists(path) and not os.path.isfile(path):
        raise unreadable(path, "it is no file")
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from None


def _lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Those with something in them, with their numbers."""
    for number, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            yield number, line.removesuffix(b"\r")


def _object(text: bytes) -> dict[str, object] | None:
    try:
        found = json.loads(text) if len(text) <= _MOST_BYTES else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _what_it_says(path: str, text: bytes) -> str | None:
    """A certificate or a result, if it says that it is."""
    found = _object(next(_lines(text), (0, b""))[1] if path.endswith(".jsonl") else text)
    if found is None:
        return None
    schema, kind = str(found.get("schema", "")), str(found.get("_type", ""))
    if schema.startswith("dpcmp.certificate/"):
        return _CERTIFICATE
    is_sarif = "runs" in found and found.get("version") == "2.1.0"
    return _WRITTEN if schema.startswith("dpcmp.") or kind.startswith("https://in-toto.io/") or is_sarif else None


def _claim_files(path: str) -> Iterator[Found]:
    """The claim files in a file: itself, or its lines."""
    text = _read(path)
    lines = list(_lines(text))
    is_lines = path.endswith(".jsonl") or (len(lines) > 1 and lines[0][1].lstrip().startswith(b"{") and _object(lines[0][1]) is not None)
    if not is_lines:
        if _what_it_says(path, text) == _CERTIFICATE:
            raise InputError(
                f"`{path}` is a certificate, not a claim file", code="wrong-type", place=path, hint="dpcmp.Certificate.load(…).check() asks the checker about it"
            )
        _decoded(text, path)
        yield Found(path, None, None)
        return
    if not lines:
        raise unreadable(path, "there is no claim to verify")
    for number, line in lines:
        yield Found(path, number, _decoded(line, f"{path}, line {number}"))


def _decoded(text: bytes, place: str) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"this is no UTF-8: {error.reason}", code="encoding", place=place) from None
