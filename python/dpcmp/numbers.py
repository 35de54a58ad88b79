"""Numbers go in exactly: integers, fractions, decimals and texts as they are, floats by their shortest decimal."""

from __future__ import annotations

import math
import numbers
import operator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, SupportsIndex, Union

from .errors import InputError

Number = Union[SupportsIndex, Fraction, Decimal, str, float]
"""What stands for an exact number.

An ``int``, ``Fraction``, ``Decimal`` or text (``"9.4"``, ``"1e-5"``, ``"16384/50000"``) is that number. A ``float`` is **the shortest decimal that reads
back as the same float**, what ``repr`` prints: ``0.1`` is 1/10, not the binary fraction next to it.
"""

Real = Union[Fraction, float]
"""An end of an enclosure: a ``Fraction``, or a float that is plus or minus infinity."""

#: No end of an enclosure is farther from 1 than 2 to this power; one that would be is rounded outwards to it, to 0 or to infinity.
_MOST_BITS = 1 << 15


def exact_text(value: Any, name: str = "the number") -> str:
    """The text of a number, without any rounding.

    >>> from fractions import Fraction
    >>> exact_text(0.1), exact_text(Fraction(16384, 50000)), exact_text("1e-5")
    ('0.1', '1024/3125', '1e-5')

    Raises:
        InputError: if it is none.
    """
    place = name.strip("`") if name.startswith("`") else None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        raise InputError(f"{name} must be a number, not {value!r}", code="wrong-type", place=place)
    if isinstance(value, (Decimal, float)) and not (value.is_finite() if isinstance(value, Decimal) else math.isfinite(value)):
        raise InputError(f"{name} must be finite, not {value}", code="number", place=place)
    try:
        if isinstance(value, numbers.Rational):
            return str(Fraction(int(value.numerator), int(value.denominator)))
        if isinstance(value, Decimal):
            return str(value)
        if isinstance(value, float):
            return float.__repr__(value)
        return str(operator.index(value))
    except ValueError:
        # Python itself writes no integers of so many digits.
        raise InputError(f"{name} has too many digits", code="too-large", place=place, hint="numbers have at most a thousand characters") from None
    except TypeError:
        pass
    kind = type(value).__name__
    hint = "give an int, Fraction, Decimal, text or float"
    if kind in ("float16", "float32", "longdouble", "float128"):
        hint = "its shortest decimal is not clear: give float(…), or the number that was meant as a text"
    raise InputError(f"{name} must be a number, not a {kind}", code="wrong-type", place=place, hint=hint)


def of_end(end: tuple[str | None, int], upwards: bool) -> Real:
    """The end of an enclosure that is `m · 2^e`, or infinite; far from 1 it is rounded outwards."""
    mantissa, exponent = end
    if mantissa is None:
        return math.inf if exponent > 0 else -math.inf
    number = int(mantissa, 16)
    if number == 0:
        # Its exponent says nothing, and may be immense.
        return Fraction(0)
    size = number.bit_length() + exponent
    if abs(size) <= _MOST_BITS:
        return Fraction(number) * Fraction(2) ** exponent
    if size > 0:
        if number > 0:
            return math.inf if upwards else Fraction(2) ** _MOST_BITS
        return -(Fraction(2) ** _MOST_BITS) if upwards else -math.inf
    if number > 0:
        return Fraction(1, 2**_MOST_BITS) if upwards else Fraction(0)
    return Fraction(0) if upwards else Fraction(-1, 2**_MOST_BITS)


def of_fraction(parts: tuple[str, str]) -> Fraction:
    """The fraction of a numerator and a denominator in hexadecimal."""
    return Fraction(int(parts[0], 16), int(parts[1], 16))


def decimal(value: Real, digits: int, upwards: bool) -> str:
    """A decimal of so many significant digits, rounded in this direction.

    >>> from fractions import Fraction
    >>> decimal(Fraction(1, 3), 5, upwards=True), decimal(Fraction(-1, 3), 5, upwards=True)
    ('0.33334', '-0.33333')
    """
    if isinstance(value, float):
        return str(value)
    context = Context(prec=digits, rounding=ROUND_CEILING if upwards else ROUND_FLOOR, Emin=-(10**6), Emax=10**6)
    rounded = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    rounded = rounded.normalize(context)
    text = str(rounded)
    plain = format(rounded, "f")
    text = plain if len(plain) <= digits + 6 else text.replace("E", "e").replace("e+", "e")
    return "0" if rounded == 0 else text


def short(text: str) -> str:
    """A decimal as people write it, of the same value: small ones with an exponent, others without.

    >>> short("0.00001"), short("5.0000000000000000e-1"), short("0.001"), short("1/3")
    ('1e-5', '0.5', '0.001', '1/3')
    """
    try:
        number = Decimal(text)
    except ArithmeticError:
        return text
    if not number.is_finite():
        return text
    sign, digits, exponent = number.as_tuple()
    written = "".join(map(str, digits)).lstrip("0").rstrip("0")
    point = len("".join(map(str, digits)).lstrip("0")) + int(exponent)
    if not written:
        return "0"
    if point > 40:
        # Nobody counts so many digits.
        return text
    if point < -2:
        rest = f".{written[1:]}" if written[1:] else ""
        return f"{'-' * sign}{written[0]}{rest}e{point - 1}"
    whole, fraction = (written.ljust(point, "0")[:point], written[point:]) if point > 0 else ("0", "0" * -point + written)
    return f"{'-' * sign}{whole}{'.' if fraction else ''}{fraction}"


def safe_float(value: Real, upwards: bool) -> float:
    """The nearest float that is not below the number (`upwards`), or not above it; nor is the shortest decimal that reads back as it, by which it goes in again.

    >>> from fractions import Fraction
    >>> safe_float(Fraction(14, 15), upwards=True), safe_float(Fraction(14, 15), upwards=False)
    (0.9333333333333335, 0.9333333333333332)
    """
    if isinstance(value, float):
        return value
    near = _nearest_float(value, upwards)
    while math.isfinite(near) and not (Fraction(repr(near)) >= value if upwards else Fraction(repr(near)) <= value):
        near = math.nextafter(near, math.inf if upwards else -math.inf)
    return near


def _nearest_float(value: Fraction, upwards: bool) -> float:
    try:
        near = value.numerator / value.denominator
    except OverflowError:
        near = math.inf if value > 0 else -math.inf
    if math.isinf(near):
        if (near > 0) == upwards:
            return near
        return math.nextafter(near, 0.0)
    if upwards and near < value:
        return math.nextafter(near, math.inf)
    if not upwards and near > value:
        return math.nextafter(near, -math.inf)
    return near


def seconds_of(value: float | None, usual: float) -> float:
    """A time in seconds."""
    if value is None:
        return usual
    try:
        seconds = math.nan if isinstance(value, (str, bytes, bool)) else float(value)
    except (TypeError, ValueError, OverflowError):
        seconds = math.nan
    if not (seconds >= 0) or math.isinf(seconds):
        kind = repr(value) if isinstance(value, (str, bool, float)) else f"this {type(value).__name__}"
        raise InputError(
            f"`max_seconds` must be a number from 0 on, not {kind}", code="range", place="max_seconds", hint="give a number of seconds, such as 60"
        )
    return min(seconds, 1e9)


def precision_text(value: Number | None, absolute: Number | None = None) -> str | None:
    """A width as the native part reads it."""
    if absolute is not None:
        if value is not None:
            raise InputError("give `precision` or `absolute_precision`, not both", code="conflict", place="absolute_precision")
        return exact_text(absolute, "`absolute_precision`") + "abs"
    return None if value is None else exact_text(value, "`precision`")
