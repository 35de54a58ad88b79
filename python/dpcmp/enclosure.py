"""A number between two bounds that provably contain it."""

from __future__ import annotations

import html
import math
import numbers
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from typing import Any, Callable, Mapping, NoReturn

from . import _native
from .errors import InputError, UndecidedError
from .numbers import Number, Real, decimal, exact_text, of_end, of_fraction, safe_float

__all__ = ["Enclosure"]

#: Quantities of which the small side is the dangerous one.
_LOWER_IS_SAFE = frozenset({"tradeoff", "bayes-error", "minimax-risk", "to blatant non-privacy"})

#: Queries that have two names.
_SAME = {"trade-off": "tradeoff"}

#: Digits of a bound where nothing else is asked for.
_DIGITS = 9


def _refuse(name: str) -> Callable[..., NoReturn]:
    def refuse(self: Enclosure, *_: object) -> NoReturn:
        raise TypeError(
            "an Enclosure is a proved pair of bounds, and arithmetic on it would lose one of them: "
            "use .lower and .upper, which are exact fractions, or float(…), which is the safe end"
        )

    refuse.__name__ = name
    return refuse


class Enclosure:
    """Bounds that provably contain a number.

    ``float(e)`` is the safe end: the upper one, except of false-negative rates and Bayes errors, where small numbers are the bad ones; it is rounded to
    the safe side. Comparisons with a number, ``==`` too, are decided by both bounds, and raise :class:`UndecidedError` where these do not decide; a text is
    the number that it says, and a text that says none is equal to nothing, and refused by ``<``. Arithmetic is refused. Two enclosures are ``==`` where they are the
    same bounds of the same quantity.

    Attributes:
        lower: the number is at least this: an exact ``Fraction``, or ``-inf``.
        upper: the number is at most this: an exact ``Fraction``, or ``inf``.
        exact: the number itself as a ``Fraction``, where it is known.
        quantity: what the number is, such as ``"epsilon"``.
        certified_by: what proves the bounds, in words.
        is_narrow: are they as narrow as asked for? If not, the time ended, or nothing narrows them.
        is_determined: does what is known of the mechanism determine the number? Where not, more time narrows nothing.

    >>> import dpcmp
    >>> advantage = dpcmp.laplace(scale=1).advantage()
    >>> advantage
    Enclosure(advantage in [0.39346934, 0.393469341])
    >>> advantage < "0.4", advantage == "0.4", dpcmp.gaussian(sigma=2).mu() == "1/2"
    (True, False, True)
    """

    __slots__ = ("lower", "upper", "exact", "quantity", "certified_by", "is_narrow", "is_determined")

    lower: Real
    upper: Real
    exact: Fraction | None
    quantity: str
    certified_by: str
    is_narrow: bool
    is_determined: bool

    def __init__(
        self,
        lower: Real,
        upper: Real,
        *,
        quantity: str = "number",
        exact: Fraction | None = None,
        certified_by: str = "",
        is_narrow: bool = True,
        is_determined: bool = True,
    ) -> None:
        if not lower <= upper:
            raise ValueError(f"bounds cross: {lower} and {upper}")
        put = object.__setattr__
        put(self, "lower", lower)
        put(self, "upper", upper)
        put(self, "exact", exact)
        put(self, "quantity", quantity)
        put(self, "certified_by", certified_by)
        put(self, "is_narrow", is_narrow)
        put(self, "is_determined", is_determined)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("an Enclosure does not change")

    @classmethod
    def _of(cls, found: Mapping[str, Any], quantity: str) -> Enclosure:
        exact = None if found["exact"] is None else of_fraction(found["exact"])
        return cls(
            of_end(found["lower"], upwards=False) if exact is None else exact,
            of_end(found["upper"], upwards=True) if exact is None else exact,
            quantity=quantity,
            exact=exact,
            certified_by=found["certified_by"],
            is_narrow=found["narrow"],
            is_determined=found["determined"],
        )

    @classmethod
    def _of_query(cls, found: Mapping[str, Any], query: str) -> Enclosure:
        name = query.split(":")[0].strip()
        return cls._of(found, _SAME.get(name, name))

    @property
    def safe_end_is_upper(self) -> bool:
        """Is the upper bound the end that nobody is deceived by?"""
        return self.quantity not in _LOWER_IS_SAFE

    @property
    def width(self) -> Real:
        """How far the bounds are apart."""
        if isinstance(self.lower, float) or isinstance(self.upper, float):
            return Fraction(0) if self.lower == self.upper else math.inf
        return self.upper - self.lower

    def decimals(self, digits: int = 17) -> tuple[str, str]:
        """Both bounds as decimals of so many digits, rounded outwards."""
        return decimal(self.lower, digits, upwards=False), decimal(self.upper, digits, upwards=True)

    def floats(self) -> tuple[float, float]:
        """Both bounds as floats, rounded outwards."""
        return safe_float(self.lower, upwards=False), safe_float(self.upper, upwards=True)

    def __contains__(self, number: Number) -> bool:
        return self.lower <= _number(number) <= self.upper

    def __float__(self) -> float:
        if self.safe_end_is_upper:
            return safe_float(self.upper, upwards=True)
        return safe_float(self.lower, upwards=False)

    def __eq__(self, other: object) -> bool:
        """Two enclosures are equal if they are the same bounds of the same quantity; a number, also as a text, is, if the enclosure proves it."""
        if isinstance(other, Enclosure):
            return self._key() == other._key()
        if not isinstance(other, (numbers.Real, Decimal, str)) or isinstance(other, bool):
            return NotImplemented
        if other != other:
            # Nothing is equal to what is no number.
            return False
        try:
            number = _number(other)
        except InputError:
            if isinstance(other, str):
                # Nor to a text that is none: these stand in the same lists and dictionaries.
                return NotImplemented
            raise
        if not self.lower <= number <= self.upper:
            return False
        if self.lower == self.upper:
            return True
        raise UndecidedError(
            f"{self._words()} does not decide == {other}",
            hint="ask again with a smaller precision=…, or compare .lower or .upper",
        )

    def __hash__(self) -> int:
        # A number that is known has the hash of the equal fraction.
        return hash(self.lower) if self.lower == self.upper else hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return (self.quantity, self.lower, self.upper)

    def _decide(self, other: object, sign: str) -> bool:
        if isinstance(other, Enclosure):
            low, high = other.lower, other.upper
        else:
            low = high = _number(other)
        yes, no = {
            "<": (self.upper < low, self.lower >= high),
            "<=": (self.upper <= low, self.lower > high),
            ">": (self.lower > high, self.upper <= low),
            ">=": (self.lower >= high, self.upper < low),
        }[sign]
        if yes or no:
            return bool(yes)
        raise UndecidedError(
            f"{self._words()} does not decide {sign} {other if not isinstance(other, Enclosure) else other._words()}",
            hint="ask again with a smaller precision=…, or compare .lower or .upper",
        )

    def __lt__(self, other: object) -> bool:
        return self._decide(other, "<")

    def __le__(self, other: object) -> bool:
        return self._decide(other, "<=")

    def __gt__(self, other: object) -> bool:
        return self._decide(other, ">")

    def __ge__(self, other: object) -> bool:
        return self._decide(other, ">=")

    def __bool__(self) -> NoReturn:
        raise TypeError("an Enclosure is neither true nor false: compare it, or use .lower and .upper")

    for _name in (
        "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow neg pos abs int round trunc floor ceil".split()
    ):
        locals()[f"__{_name}__"] = _refuse(f"__{_name}__")
    del _name

    def __reduce__(self) -> tuple[object, ...]:
        state = {name: getattr(self, name) for name in self.__slots__}
        return (_restore, (state,))

    def _words(self, digits: int = _DIGITS) -> str:
        if self.exact is not None:
            text = str(self.exact)
            if len(text) <= 24:
                return f"{self.quantity} = {text}"
        digits = self._digits(digits)
        low, high = self.decimals(digits)
        return f"{self.quantity} in [{low}, {high}]"

    def _digits(self, digits: int) -> int:
        """So many that the bounds differ by a few units of the last digit, if that is more than asked for."""
        if isinstance(self.lower, float) or isinstance(self.upper, float) or not self.upper:
            return digits
        size, width = max(abs(self.lower), abs(self.upper)), self.upper - self.lower
        if not width:
            return 17
        shared = (size / width).numerator // (size / width).denominator
        return max(4, min(digits, len(str(min(shared, 10**digits))) + 2))

    def __repr__(self) -> str:
        return f"Enclosure({self._words()})"

    def __str__(self) -> str:
        low, high = self.decimals(self._digits(_DIGITS))
        return f"[{low}, {high}]"

    def __format__(self, spec: str) -> str:
        """The safe end, rounded to the safe side, as ``spec`` says (``f"{epsilon:.2f}"``); without any, both ends."""
        if not spec:
            return str(self)
        upwards = self.safe_end_is_upper
        end = self.upper if upwards else self.lower
        if isinstance(end, float):
            return format(end, spec)
        # A float's own formatting rounds to the nearest, which may be on the wrong side.
        digits = decimal(end, 60 if "." in spec else 17, upwards)
        with localcontext() as context:
            context.rounding = ROUND_CEILING if upwards else ROUND_FLOOR
            return format(Decimal(digits), spec)

    def _repr_html_(self) -> str:
        note = "" if self.is_narrow else " <em>(wider than asked for)</em>"
        return f'<span title="proved by {html.escape(self.certified_by)}">{html.escape(self._words())}</span>{note}'


def _restore(state: dict[str, Any]) -> Enclosure:
    return Enclosure(state.pop("lower"), state.pop("upper"), **state)


def _number(value: Any) -> Real:
    if isinstance(value, float) and math.isinf(value):
        return value
    if isinstance(value, numbers.Rational) and not isinstance(value, bool):
        return Fraction(int(value.numerator), int(value.denominator))
    return of_fraction(_native.exact_number(exact_text(value, "`number`"), "number"))
