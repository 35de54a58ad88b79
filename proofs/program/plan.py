"""Numbers, laws of losses and plans for the proved checker, in floating point. Nothing here is proved."""
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from statistics import NormalDist

NORMAL = NormalDist()
MOST_KNOTS = 1 << 17
MOST_BENDS = 12
BESIDE = Fraction(1, 2 ** 45)


def tail(x):
    return math.erfc(x / math.sqrt(2)) / 2


def quantile(p):
    """x with tail(x) = p"""
    if p <= 0 or p >= 1:
        return math.inf if p <= 0 else -math.inf
    x = -NORMAL.inv_cdf(p) if p > 1e-300 else 37.0
    for _ in range(3):
        slope = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        if slope > 0:
            x += (tail(x) - p) / slope
    return x


def exp_fraction(e, digits=60):
    """e^e, to so many digits"""
    with localcontext() as context:
        context.prec = digits
        return Fraction((Decimal(e.numerator) / Decimal(e.denominator)).exp())


def dyadic(x, bits=60, up=False):
    scaled = Fraction(x) * 2 ** bits
    return Fraction(-(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator, 2 ** bits)


def log_of(level):
    kind, value = level
    return float(value) if kind == "log" else math.log(value)


def logarithm_of_sum(logarithms):
    most = max(logarithms)
    return most + math.log(sum(math.exp(x - most) for x in logarithms))


# ---- Losses of one step

def noise_atoms(step, reach):
    """(q, p, loss) of the noise without its sample."""
    kind = step[0]
    if kind == "gaussian":
        mu = math.sqrt(step[2])
        points = [-reach + i * (2 * reach + mu) / 800 for i in range(801)]
        width = (2 * reach + mu) / 800 / math.sqrt(2 * math.pi)
        return [(width * math.exp(-(x - mu) ** 2 / 2), width * math.exp(-x * x / 2), mu * x - mu * mu / 2) for x in points]
    if kind == "replaced":
        rate, mu = float(step[1]), math.sqrt(step[2])
        width = 2 * (reach + mu) / 800
        density = lambda x, shift: width / math.sqrt(2 * math.pi) * ((1 - rate) * math.exp(-x * x / 2) + rate * math.exp(-(x - shift) ** 2 / 2))
        up = lambda x: rate * math.exp(min(mu * x - mu * mu / 2, 700))
        points = [-(reach + mu) + i * width for i in range(801)]
        return [(density(x, mu), density(x, -mu), math.log(1 - rate + up(x)) - math.log(1 - rate + up(-x))) for x in points]
    if kind == "mixture":
        members = [(float(weight), float(shift)) for weight, shift in step[2]]
        farthest = max(shift for _, shift in members)
        width = (2 * reach + farthest) / 800
        points = [-reach + i * width for i in range(801)]
        density = lambda x: width / math.sqrt(2 * math.pi) * math.exp(-x * x / 2)
        loss = lambda x: logarithm_of_sum([math.log(weight) + shift * x - shift * shift / 2 for weight, shift in members])
        return [(sum(weight * density(x - shift) for weight, shift in members), density(x), loss(x)) for x in points]
    if kind == "laplace":
        d = float(step[2])
        cell = lambda a, b: ((math.exp(b - d) - math.exp(a - d)) / 2, (math.exp(-a) - math.exp(-b)) / 2, a + b - d)
        middle = [cell(d * i / 200, d * (i + 1) / 200) for i in range(200)]
        return [(math.exp(-d) / 2, 0.5, -d), *middle, (0.5, math.exp(-d) / 2, d)]
    if kind == "response":
        e, others = log_of(step[2]), step[3]
        q = 1 / (1 + (1 + others) * math.exp(-e))
        other = q * math.exp(-e)
        return [(q, other, e), (other, q, -e)] + ([(others * other, others * other, 0.0)] if others else [])
    return [(float(q), float(p), math.log(q / p) if q and p else math.inf if q else -math.inf) for q, p in step[2] if q or p]


class Losses:
    """Of one step, in the order remove: (mass with, loss), and their range, mean and variance."""

    def __init__(self, step, reach):
        # Where a record is replaced the rate is in the atoms.
        rate = 1.0 if step[0] == "replaced" else float(step[1])
        atoms = []
        for q, p, loss in noise_atoms(step, reach):
            if rate < 1:
                if math.isinf(loss):
                    loss = math.log1p(-rate) if loss < 0 else math.inf
                else:
                    loss = math.log1p(rate * math.expm1(loss)) if loss < 700 else loss + math.log(rate)
                q = (1 - rate) * p + rate * q
            atoms.append((q, p, loss))
        finite = [(q, p, loss) for q, p, loss in atoms if not math.isinf(loss)] or [(0.0, 0.0, 0.0)]
        self.low, self.high = min(a[2] for a in finite), max(a[2] for a in finite)
        # Where the profile bends, if that is at a few places only.
        few = {"response": {a[2] for a in finite}, "outcomes": {a[2] for a in finite}, "laplace": {self.low, self.high}}.get(step[0], ())
        self.bends = sorted(few) if len(few) <= MOST_BENDS else []
        total = sum(q for q, _, _ in finite) or 1.0
        self.mean = sum(q * loss for q, _, loss in finite) / total
        self.variance = max(sum(q * (loss - self.mean) ** 2 for q, _, loss in finite) / total, 1e-30)

    def range(self, order):
        return (self.low, self.high) if order == "remove" else (-self.high, -self.low)


# ---- Plans

def gathered(steps):
    """As StepLaws.gather: Gaussian steps that are not sampled are one; question.py puts them together."""
    full = lambda step: step[0] == "gaussian" and step[1] == 1
    square = sum(step[2] * count for step, count in steps if full(step))
    return [*([(("gaussian", Fraction(1), square), 1)] if square else []), *((step, count) for step, count in steps if not full(step))]


class Plan:
    """Lattice, knots and bits; finer is how many times the first lattice was halved, coarser how many times it was doubled."""

    def __init__(self, question, finer, scale, epsilon, above, coarser=0):
        self.steps = gathered(question.steps)
        count = sum(count for _, count in self.steps)
        self.reach = math.sqrt(2 * math.log(1e3 * count / scale)) + 0.5
        self.losses = [Losses(step, self.reach) for step, _ in self.steps]
        variance = sum(losses.variance * count for losses, (_, count) in zip(self.losses, self.steps))
        spread = math.sqrt(6 * (0.04 if above else 0.02) * variance / count) / 2 ** finer * 2 ** coarser
        self.alone = count == 1
        self.base = self.unit(epsilon)
        self.halvings = max(0, math.ceil(math.log2(self.base / spread)))
        self.step = float(self.base) / 2 ** self.halvings
        self.lattice = self.base / 2 ** self.halvings
        self.epsilon = epsilon
        self.sizes = [(losses.high - losses.low) / self.step for losses in self.losses]
        top = max(max(abs(losses.high), abs(losses.low)) for losses in self.losses)
        self.bits = max(72, math.ceil(math.log2(1e5 * count / scale) + 1.45 * min(max(abs(float(epsilon)), top), 2000)) + 4)
        self.small = 0 if self.alone else int(Fraction(scale * 2e-5 / count / 40 / 4 ** finer) * 2 ** self.bits)
        self.levels = self.halvings + 2
        self.most = max((300 if above else 400) * 2 ** min(finer, 5), *(int(1.5 * size) for size in self.sizes))

    def unit(self, epsilon):
        """What the lattice is a part of: a largest loss that is a fraction, the epsilon of a single step, or 1."""
        if self.alone and epsilon != 0:
            return abs(epsilon)
        for step, _ in self.steps:
            if step[1] == 1 and step[0] == "laplace":
                return step[2]
            if step[1] == 1 and step[0] == "response" and step[2][0] == "log" and step[2][1] > 0:
                return step[2][1]
        return Fraction(1)

    def too_large(self):
        return max(self.sizes) > MOST_KNOTS or self.step == 0

    def kinks(self):
        """Beside the bends of a single step's profile, in both orders."""
        return sorted({sign * dyadic(loss, 60) + way for loss in self.losses[0].bends for sign in (1, -1) for way in (-BESIDE, BESIDE)} if self.alone else ())

    def upper(self, order, only=None):
        """only: where the bound is needed, if nowhere else; of a single step that is its profile there."""
        if self.alone and only is not None:
            sign = (only > 0) - (only < 0)
            return f"{self.bits} {fraction(abs(only) or Fraction(1))} 0 0 {self.most} 1 {sign} 2"
        ranges = []
        for losses in self.losses:
            low, high = losses.range(order)
            first, last = math.floor(low / self.step) - 1, math.ceil(high / self.step) + 1
            ranges.append((first, last - first + 1))
        words = [self.bits, fraction(self.lattice), self.levels, self.small, self.most, len(ranges), *(x for pair in ranges for x in pair)]
        return " ".join(map(str, words))

    def lower(self, order, only=None):
        if self.alone and only is not None:
            return f"{self.bits} 0 0 {self.most} 1 1 {fraction(only)}"
        words = [self.bits, self.levels, self.small, self.most, len(self.losses)]
        for losses in self.losses:
            low, high = losses.range(order)
            half = self.lattice / 2
            points = [half * (2 * k + 1) for k in range(math.floor(low / self.step) - 1, math.ceil(high / self.step) + 1)]
            if self.alone:
                # Not at a bend, where a tangent may be too steep.
                kinks = self.kinks()
                points = sorted({*kinks, *(x for x in (*points, Fraction(self.epsilon)) if all(abs(x - kink) > BESIDE for kink in kinks))})
            words += [len(points), *map(fraction, points)]
        return " ".join(map(str, words))


def fraction(value):
    return f"{value.numerator}/{value.denominator}"


def tail_fits(mu, a, b):
    """Is (a, b) above the curve of mu?"""
    return b >= 1 and a >= 0 or a > 0 and b > 0 and quantile(float(a)) + quantile(float(b)) <= float(mu) - 1e-9
