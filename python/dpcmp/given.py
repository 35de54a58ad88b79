"""Arguments that are no numbers: what is not what is wanted is refused with its name and an example of what is."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .errors import DpcmpError, InputError

QUERY = 'for instance "advantage", "epsilon:delta=1e-5" or "gdp-mu"'
CLAIM = 'for instance dpcmp.claims.advantage("0.1") or "approx-dp:epsilon=8,delta=1e-5"'
PRIORS = 'for instance "jeffreys", "uquadratic" or "uniform"'


def text(value: Any, name: str, hint: str) -> str:
    """A text.

    Raises:
        InputError: if it is none.
    """
    if isinstance(value, str):
        return value
    raise InputError(f"`{name}` must be a text, not a {type(value).__name__}", code="wrong-type", place=name, hint=hint)


def texts(value: Any, name: str, hint: str) -> list[str]:
    """One text, or several.

    Raises:
        InputError: if they are none.
    """
    if isinstance(value, str):
        return [value]
    return [text(item, f"{name}[{place}]", hint) for place, item in enumerate(items(value, name, hint))]


def items(value: Any, name: str, hint: str = "give a list, also of one: [0.1]") -> list[Any]:
    """What is in a list, and not the characters of a text.

    Raises:
        InputError: if it is no list.
    """
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, bytearray, Mapping)):
        return list(value)
    raise InputError(f"`{name}` must be a list, not a {type(value).__name__}", code="wrong-type", place=name, hint=hint)


def whole(value: Any, name: str, least: int) -> int:
    """A whole number from `least` on.

    Raises:
        InputError: if it is none.
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        what = repr(value) if isinstance(value, (bool, float)) else f"a {type(value).__name__}"
        raise InputError(f"`{name}` must be a whole number, not {what}", code="wrong-type", place=name, hint=f"give an int from {least} on") from None
    if not least <= number < 1 << 63:
        raise InputError(f"`{name}` must be a whole number from {least} to 2^63 - 1", code="range", place=name, hint="give another one")
    return number


def threads(value: Any) -> int | None:
    """A number of threads, or as many as there are cores."""
    return None if value is None else min(whole(value, "threads", 1), 1 << 16)


def path(value: Any, name: str = "path") -> str:
    """The path of a file or a folder.

    Raises:
        InputError: if it is none.
    """
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, bytes):
        value = os.fsdecode(value)
    given = text(value, name, "give a text or a pathlib.Path")
    if not given or "\0" in given:
        raise InputError(f"`{given!r}` is no path", code="unreadable", place=name, hint="give the name of a file; of this folder, '.'")
    return given


def is_file_name(text: str) -> bool:
    """Is it no mechanism, but the name of a file that may have one?"""
    return text.endswith((".toml", ".json", ".jsonl", ".yaml", ".yml")) and not any(sign in text for sign in "{=\n")


def read(value: Any) -> tuple[str, str]:
    """The path and the text of a file.

    Raises:
        InputError: if it cannot be read.
    """
    name = path(value)
    try:
        with open(name, encoding="utf-8-sig") as file:
            return name, file.read()
    except OSError as error:
        raise unreadable(name, error.strerror or str(error)) from None
    except UnicodeDecodeError as error:
        raise unreadable(name, str(error)) from None


def unreadable(name: str, why: str) -> InputError:
    """A file that cannot be read."""
    return InputError(f"cannot read `{name}`: {why}", code="unreadable", place=name)


@contextmanager
def at(place: str, *, single: str | None = None) -> Iterator[None]:
    """What goes wrong at no other place does so at this one; of a list that was given as a `single` thing, the first is that thing."""
    try:
        yield
    except DpcmpError as error:
        if error.place is None:
            error.place = place
        elif single is not None and error.place == f"{single}[0]":
            error.place = single
        raise
