"""Rigorous numbers for the truth tables: arb balls, the normal law, and outward-rounded text.

Every number is either an exact `Fraction` or an arb ball (python-flint) that contains the true value,
so the two decimal strings written for it always enclose the truth.
"""
from contextlib import contextmanager
from fractions import Fraction
import json

from flint import arb, ctx, fmpq

ctx.prec = 420
DIGITS = 42


def ball(value):
    """An arb that contains `value` (Fraction, int, decimal text or arb)."""
    if isinstance(value, arb):
        return value
    value = Fraction(value)
    return arb(fmpq(int(value.numerator), int(value.denominator)))


@contextmanager
def precision(bits):
    """Work with more bits for a while (deep tails cancel)."""
    before, ctx.prec = ctx.prec, bits
    try:
        yield
    finally:
        ctx.prec = before


def ends(value):
    """The two ends of a ball as exact rationals."""
    if not isinstance(value, arb):
        return Fraction(value), Fraction(value)
    if not value.is_finite():
        raise ValueError(f"no finite enclosure: {value}")
    middle, radius = dyadic(value.mid()), dyadic(value.rad())
    return middle - radius, middle + radius


def dyadic(exact):
    mantissa, exponent = exact.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def span(low, high):
    """The ball that covers both arguments."""
    return ball(low).union(ball(high))


def top(values):
    """Maximum of Fractions or balls; a ball whenever one of them is."""
    return fold(values, max, arb.max)


def bottom(values):
    """Minimum of Fractions or balls; a ball whenever one of them is."""
    return fold(values, min, arb.min)


def fold(values, exact_choice, ball_choice):
    result = None
    for value in values:
        if result is None:
            result = value
        elif isinstance(result, arb) or isinstance(value, arb):
            result = ball_choice(ball(result), ball(value))
        else:
            result = exact_choice(result, value)
    return result


# The normal law ------------------------------------------------------------------------------------

def normal_cdf(x):
    """Φ(x)."""
    return (-x / arb(2).sqrt()).erfc() / 2


def normal_density(x):
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def probit(p):
    """Φ⁻¹(p) for 0 < p < 1. The Newton iterate is only a guess; the sign of Φ(x ± r) − p certifies it."""
    low, high = ends(p)
    if low == high:
        return probit_exact(low)
    return probit_exact(low).union(probit_exact(high))


def probit_exact(p):
    if p > Fraction(1, 2):
        return -probit_exact(1 - p)
    target = ball(p)
    x = guess_probit(target)
    for _ in range(14):
        x = (x - (normal_cdf(x) - target) / normal_density(x)).mid()
    radius = arb(2) ** (-ctx.prec * 3 // 4)
    while True:
        if normal_cdf(x - radius) <= target and normal_cdf(x + radius) >= target:
            return span(x - radius, x + radius)
        radius *= 16
        if radius > 1:
            raise ArithmeticError("probit not certified")


def guess_probit(p):
    """Bisection on [−4096, 0] down to a tenth: a start from which Newton converges."""
    low, high = arb(-4096), arb(0)
    while high - low > 0.1:
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if normal_cdf(middle) < p else (low, middle)
    return low


# Text ----------------------------------------------------------------------------------------------

def texts(value):
    """[low, high] as text: 'a/b' twice for an exact value, else decimals rounded outwards."""
    if value in ("inf", "-inf"):
        return [value, value]
    if not isinstance(value, arb):
        text = str(Fraction(value))
        if len(text) <= 160:
            return [text, text]
    low, high = ends(value)
    if isinstance(value, arb) and high - low > abs(low) * Fraction(1, 10**20):
        raise ArithmeticError(f"fewer than 20 digits: {value}")
    return [decimal(low, down=True), decimal(high, down=False)]


def decimal(value, down):
    """Scientific notation with DIGITS significant digits, rounded down or up."""
    if value == 0:
        return "0"
    size = abs(value)
    exponent = len(str(size.numerator)) - len(str(size.denominator))
    while size >= Fraction(10) ** (exponent + 1):
        exponent += 1
    while size < Fraction(10) ** exponent:
        exponent -= 1
    scaled = value * Fraction(10) ** (DIGITS - 1 - exponent)
    units = scaled.numerator // scaled.denominator if down else -((-scaled.numerator) // scaled.denominator)
    sign, digits = ("-" if units < 0 else ""), str(abs(units))
    exponent += len(digits) - DIGITS
    digits = digits[0] + "." + digits[1:].rstrip("0")
    return f"{sign}{digits.rstrip('.')}e{exponent}"


def write_rows(path, rows):
    """Number the rows and write them as JSON lines."""
    stem = path.rsplit(".", 1)[0].replace("_", "-")
    lines = []
    for number, (mechanism, query, value, how) in enumerate(rows, 1):
        row = {"id": f"{stem}-{number:03}", "mechanism": mechanism, "query": query, "truth": texts(value), "how": how}
        lines.append(json.dumps(row) + "\n")
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(lines)
    print(path, len(rows), "rows")
