"""Python values as the JSON that the native part reads, and places in it as paths of keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Callable, TypeVar

from .errors import DpcmpError, InputError
from .numbers import exact_text

T = TypeVar("T")

#: Deeper than any input that is read.
_MOST_DEPTH = 200


class Written:
    """A value as JSON with one scalar a line, so that a line stands for a path of keys."""

    def __init__(self, value: Any, name: str = "") -> None:
        self._lines: list[str] = []
        self._paths: list[str] = []
        self._write(value, name, "", 0)
        self.text = "\n".join(self._lines)

    def _put(self, line: str, path: str) -> None:
        self._lines.append(line)
        self._paths.append(path)

    def _write(self, value: Any, path: str, before: str, depth: int) -> None:
        if depth > _MOST_DEPTH:
            raise InputError("the value is nested too deeply, or contains itself", code="too-large", place=path, hint="give it with fewer levels")
        spec = getattr(value, "_spec", None)
        if spec is not None:
            value = spec
        if isinstance(value, Mapping):
            self._put(before + "{", path)
            for place, (key, item) in enumerate(value.items()):
                if not isinstance(key, str):
                    raise InputError(f"a key must be a text, not {key!r}", code="wrong-type", place=path or "mechanism")
                comma = "," if place else ""
                inner = f"{path}.{key}" if path else key
                self._write(item, inner, f"{comma}{json.dumps(key)}:", depth + 1)
            self._put("}", path)
        elif value is None or isinstance(value, (bool, str)):
            self._put(before + json.dumps(value), path)
        elif isinstance(value, Sequence) or (hasattr(value, "tolist") and getattr(value, "ndim", 0) > 0):
            if not isinstance(value, Sequence):
                value = value.tolist()
            self._put(before + "[", path)
            for place, item in enumerate(value):
                self._write(item, f"{path}[{place}]", "," if place else "", depth + 1)
            self._put("]", path)
        else:
            try:
                text = exact_text(value, f"`{path}`" if path else "the value")
            except InputError as error:
                error.place = path or None
                raise
            self._put(before + json.dumps(text), path)

    def call(self, job: Callable[[str], T]) -> T:
        """Calls the native part; where it complains about a line, the error says which key that is."""
        try:
            return job(self.text)
        except InputError as error:
            self.locate(error)
            raise

    def locate(self, error: DpcmpError) -> None:
        """Says of a line that is complained about which key that is."""
        if error.position is not None:
            line = error.position[0]
            if 0 < line <= len(self._paths):
                error.place = self._paths[line - 1] or "mechanism"
            error.position = None


def argument(kind: str, numbers: Mapping[str, Any]) -> str:
    """A query, claim or target as `kind:key=value,…`, every value as JSON."""
    parts = _parts(numbers)
    return f"{kind}:{','.join(part for _, part in parts)}" if parts else kind


def ask(kind: str, numbers: Mapping[str, Any], job: Callable[[str], T]) -> T:
    """Calls the native part with an argument; where it complains about a column, the error says which key that is."""
    try:
        return job(argument(kind, numbers))
    except InputError as error:
        if error.position is not None:
            error.place = _key_at(error.position[1], kind, numbers)
            error.position = None
        raise


def _parts(numbers: Mapping[str, Any]) -> list[tuple[str, str]]:
    parts = []
    for key, value in numbers.items():
        if isinstance(value, (bool, int, float, str)) or not isinstance(value, (Mapping, Sequence)):
            spec = getattr(value, "_spec", None)
            text = Written(spec).text if spec is not None else json.dumps(exact_text(value, f"`{key}`"))
        else:
            text = Written(value).text
        parts.append((key, f"{key}={text.replace(chr(10), ' ')}"))
    return parts


def _key_at(column: int, kind: str, numbers: Mapping[str, Any]) -> str | None:
    """The key whose text has this column, counted from 1."""
    end = len(kind) + 1
    if column <= end:
        return None
    for key, part in _parts(numbers):
        end += len(part) + 1
        if column <= end:
            return key
    return None


@contextmanager
def within_file(path: str | None) -> Iterator[None]:
    """What goes wrong is said with the file in which it does."""
    try:
        yield
    except DpcmpError as error:
        if path is not None and path not in error.message:
            error.place = f"{path}, {error.place}" if error.place else path
        error.place = error.place or path
        raise


def key(name: str) -> str:
    """A keyword as the key of a file."""
    return name.replace("_", "-")


def as_dict(text: str) -> Mapping[str, Any] | None:
    """The text as a dictionary with numbers as texts, as far as this Python reads it; the native part has the last word."""
    try:
        if text.lstrip().startswith("{"):
            found = json.loads(text, parse_float=str, parse_int=str)
        else:
            import tomllib

            found = tomllib.loads(text, parse_float=str)
    except (ImportError, ValueError, RecursionError):
        return None
    if isinstance(found, dict) and "kind" not in found and isinstance(found.get("mechanism"), dict):
        found = found["mechanism"]
    return found if isinstance(found, dict) else None


def plain(value: Any) -> Any:
    """Named tuples of dp_accounting as objects, with the names of modules and classes that they have; numbers in tensors as numbers."""
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    # TF-Privacy's events have tensors for numbers: what they hold, exactly, is what was run.
    if hasattr(value, "numpy") and getattr(value, "shape", None) == ():
        return value.numpy().item()
    return value
