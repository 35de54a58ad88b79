"""What goes wrong, as exceptions with a place and a hint.

Every exception of this package is a :class:`DpcmpError`, and also one of Python's own kinds, so that ``except ValueError`` works, too.
"""

from __future__ import annotations

__all__ = [
    "DpcmpError",
    "InputError",
    "InternalError",
    "OutOfTimeError",
    "UndecidedError",
    "UnsupportedError",
]


class DpcmpError(Exception):
    """What goes wrong.

    Attributes:
        message: what is wrong, in a sentence.
        hint: what to do about it, or ``None``.
        code: a word for programs, such as ``"unknown-key"``, or ``None``.
        place: where it is wrong: ``"mechanism.of[1].rate"`` in dictionaries and arguments, ``"line 3, column 7"`` in texts, or ``None``.
    """

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
        self.hint = hint
        self.position = position
        if place is None and position is not None:
            place = f"line {position[0]}, column {position[1]}"
        self.place = place

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}" if self.place else self.message
        return f"{text}\n  hint: {self.hint}" if self.hint else text

    def __reduce__(self) -> tuple[object, ...]:
        state = {"code": self.code, "hint": self.hint, "place": self.place, "position": self.position}
        return (_restore, (type(self), self.message, state))


def _restore(kind: type[DpcmpError], message: str, state: dict[str, object]) -> DpcmpError:
    return kind(message, **state)  # type: ignore[arg-type]


class InputError(DpcmpError, ValueError):
    """A number or a text is wrong."""


class UnsupportedError(DpcmpError, NotImplementedError):
    """dpcmp has no answer to the question, however long it takes."""


class OutOfTimeError(DpcmpError, TimeoutError):
    """The time ended before there was any answer; a larger ``max_seconds`` helps."""


class UndecidedError(DpcmpError, ArithmeticError):
    """A number is compared with one that lies within its bounds; a smaller ``precision`` may decide it."""


class InternalError(DpcmpError, RuntimeError):
    """A mistake in dpcmp itself, and no result is given. Please report it with the input."""
