"""What goes wrong, as exceptions with a place and a hint.

Every exception of this package is a :class:`DpcmpError`, and also one of Python's own kinds, so that ``except ValueError`` works, too.
"""

from __future__ import annotations

#: What to do next where an error does not know it better, by its code.
_NEXT = {
    "conflict": "leave one of them out",
    "duplicate-key": "keep one of them",
    "encoding": "save it as UTF-8",
    "infeasible": "compare the numbers with those that were published",
    "missing-key": "add it; help(dpcmp.kinds) has every kind of mechanism with its keys",
    "number": "numbers are int, Fraction, Decimal, float, or texts: decimals such as '0.1' or '1e-5', and fractions such as '1/3'",
    "range": "give a number in that range",
    "syntax": "a text in TOML has lines such as kind = 'laplace', one in JSON begins with {; a dictionary needs no text",
    "too-large": "give less at once, or numbers with fewer digits",
    "unknown-key": "help(dpcmp.kinds) has every kind of mechanism with its keys",
    "unknown-kind": "help(dpcmp.kinds) has every kind of mechanism, help(dpcmp.claims) every claim",
    "unreachable": "give a target that can be met and is not met by everything, or solve for another key; dpcmp.sweep asks at any values",
    "unreadable": "look whether it is there and may be read; names of matrices are looked up beside the file that has them",
    "unsupported": "help(dpcmp.kinds) has what can be stated",
    "wrong-type": "numbers are int, Fraction, Decimal, float or text, words are texts, and lists are lists",
}

__all__ = [
    "DpcmpError",
    "InputError",
    "InternalError",
    "OutOfTimeError",
    "SkippedWarning",
    "UndecidedError",
    "UnsupportedError",
]


class DpcmpError(Exception):
    """What goes wrong.

    Attributes:
        message: what is wrong, in a sentence.
        hint: what to do about it.
        code: a word for programs, such as ``"unknown-key"``, or ``None``.
        place: where it is wrong: ``"mechanism.of[1].rate"`` in dictionaries and arguments, ``"line 3, column 7"`` in texts, or ``None``.
    """

    _next = "change what the message names; help(…) of the function has what it takes"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        hint: str | None = None,
        place: str | None = None,
        position: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint or _NEXT.get(code or "") or self._next
        self.position = position
        if place is None and position is not None:
            place = f"line {position[0]}, column {position[1]}"
        self.place = place

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}" if self.place else self.message
        return f"{text}\n  hint: {self.hint}"

    def __reduce__(self) -> tuple[object, ...]:
        state = {"code": self.code, "hint": self.hint, "place": self.place, "position": self.position}
        return (_restore, (type(self), self.message, state))


def _restore(kind: type[DpcmpError], message: str, state: dict[str, object]) -> DpcmpError:
    return kind(message, **state)  # type: ignore[arg-type]


class InputError(DpcmpError, ValueError):
    """A number or a text is wrong."""


class UnsupportedError(DpcmpError, NotImplementedError):
    """dpcmp has no answer to the question, however long it takes."""

    _next = "ask for another quantity: report() has all that is known of a mechanism in short statements"


class OutOfTimeError(DpcmpError, TimeoutError):
    """The time ended before there was any answer; a larger ``max_seconds`` helps."""

    _next = "give a larger max_seconds"


class UndecidedError(DpcmpError, ArithmeticError):
    """A number is compared with one that lies within its bounds; a smaller ``precision`` may decide it."""

    _next = "ask again with a smaller precision"


class InternalError(DpcmpError, RuntimeError):
    """A mistake in dpcmp itself, and no result is given. Please report it with the input."""

    _next = "please report it, with the input"


class SkippedWarning(UserWarning):
    """Files in a folder were not read as claim files; :attr:`dpcmp.Verdicts.skipped` has all of them. ``warnings.simplefilter`` turns it off, or into an error."""
