"""An honest accountant that shares no code with dpcmp: closed forms in fractions and sixty digits, rounded to the safe side. Nothing should be found in it.

Gaussians, Laplace noise, randomised response, (ε, δ)-DP and pairs of vectors; `closed_forms.py all` is asked about samples and compositions as well, and declines those without a closed form, which are most. It needs mpmath.
"""

import math
import sys
from fractions import Fraction

from mpmath import erfc, exp, inf, log, mp, mpf, sqrt

from dpcmp_adapter import Unsupported, parts, relation_of, serve

mp.dps = 60
TINY = mpf(10) ** -15
# What rounding of sixty digits can come to in differences of probabilities.
LOST = mpf(10) ** -50


def exact(value):
    """A number of a question: a double, a whole number, or a text such as "1/3"."""
    fraction = Fraction(value) if isinstance(value, (str, int)) else Fraction(repr(value))
    return mpf(fraction.numerator) / fraction.denominator


def phi(x):
    return erfc(-x / sqrt(mpf(2))) / 2


class Pair:
    """Two distributions P and Q, by δ(x) = sup over events of P − x·Q, for x > 0; `backward` is that of Q and P."""

    def forward(self, x):
        raise NotImplementedError

    def backward(self, x):
        return self.forward(x)

    def both(self, x):
        return max(self.forward(x), self.backward(x))


class Gaussian(Pair):
    def __init__(self, mu):
        self.mu = mu

    def forward(self, x):
        epsilon = log(x)
        return phi(self.mu / 2 - epsilon / self.mu) - x * phi(-self.mu / 2 - epsilon / self.mu)


class Laplace(Pair):
    """Losses are between −1/b and 1/b."""

    def __init__(self, scale):
        self.largest = 1 / scale

    def forward(self, x):
        epsilon = log(x)
        if abs(epsilon) >= self.largest:
            return max(mpf(0), 1 - x)
        return 1 - exp((epsilon - self.largest) / 2)


class Outcomes(Pair):
    def __init__(self, p, q):
        self.p, self.q = p, q

    def forward(self, x):
        return sum(max(mpf(0), p - x * q) for p, q in zip(self.p, self.q))

    def backward(self, x):
        return sum(max(mpf(0), q - x * p) for p, q in zip(self.p, self.q))


class Sampled(Pair):
    """P = (1 − r)·Q + r·P₁: a record that is there with probability r."""

    def __init__(self, rate, of):
        self.rate, self.of = rate, of

    def forward(self, x):
        rest = x - (1 - self.rate)
        return 1 - x if rest <= 0 else self.rate * self.of.forward(rest / self.rate)

    def backward(self, x):
        rest = 1 - x * (1 - self.rate)
        return mpf(0) if rest <= 0 else rest * self.of.backward(x * self.rate / rest)


def single(step, factor, relation):
    """One step; a change moves what noise is added to by `factor`."""
    kind = step["kind"]
    if kind == "gaussian":
        return Gaussian(factor / exact(step["sigma"]))
    if kind == "laplace":
        return Laplace(exact(step["scale"]) / factor)
    if kind == "finite":
        return Outcomes([exact(x) for x in step["p"]], [exact(x) for x in step["q"]])
    if kind == "randomized-response":
        odds, k = exp(exact(step["epsilon"])), int(step["k"])
        own, other = odds / (odds + k - 1), 1 / (odds + k - 1)
        if relation == "replace-special":
            # A record that is not there has a uniform answer.
            return Outcomes([own, (k - 1) * other], [mpf(1) / k, 1 - mpf(1) / k])
        rest = (k - 2) * other
        return Outcomes([own, other, rest], [other, own, rest])
    if kind == "approx-dp":
        odds, delta = exp(exact(step["epsilon"])), exact(step["delta"])
        more, less = (1 - delta) * odds / (1 + odds), (1 - delta) / (1 + odds)
        return Outcomes([delta, more, less, mpf(0)], [mpf(0), less, more, delta])
    raise Unsupported(kind)


def pair_of(mechanism):
    relation = relation_of(mechanism)
    factor = mpf(2 if relation == "replace-one" else 1)
    steps = parts(mechanism)
    if all(step["kind"] == "gaussian" and rate == 1 for step, rate, _ in steps):
        return Gaussian(factor * sqrt(sum(times / exact(step["sigma"]) ** 2 for step, _, times in steps)))
    if len(steps) != 1 or steps[0][2] != 1:
        raise Unsupported("a composition")
    [(step, rate, _)] = steps
    if rate == 1:
        return single(step, factor, relation)
    if relation != "add-remove":
        raise Unsupported("a replaced record in a sample")
    return Sampled(exact(rate), single(step, factor, relation))


def up(value):
    """A double that is no smaller."""
    return math.nextafter(float(value + abs(value) * TINY), math.inf)


def down(value):
    """A double that is no larger; no probability is below 0."""
    return max(0.0, math.nextafter(float(value - abs(value) * TINY - LOST), -math.inf))


def epsilon_at(pair, delta):
    """The least ε with δ(ε) at most `delta`, from above."""
    if pair.both(exp(mpf(10) ** 9)) > delta:
        return inf
    low, high = mpf(-1), mpf(1)
    while pair.both(exp(high)) > delta:
        low, high = high, 2 * high
    while pair.both(exp(low)) <= delta:
        low, high = 2 * low, low
        if low < -5000:
            return low
    for _ in range(120):
        middle = (low + high) / 2
        if pair.both(exp(middle)) <= delta:
            high = middle
        else:
            low = middle
    return high


def type_two(pair, alpha):
    """f(α) = sup over x of 1 − δ(x) − x·α, which is concave: any x gives a lower bound. The best one is a slope of f, below 1/α; where it is tiny, so is f."""
    low, high = log(mpf(10) ** -18), -log(alpha)

    def value(t):
        return 1 - pair.both(exp(t)) - exp(t) * alpha

    # One peak over log x, too.
    for _ in range(140):
        left, right = low + (high - low) * mpf("0.4"), low + (high - low) * mpf("0.6")
        if value(left) < value(right):
            low = left
        else:
            high = right
    return max(mpf(0), value((low + high) / 2))


def quantile(tail):
    """At least the z with Φ(−z) = tail, for a tail up to a half."""
    low, high = mpf(0), mpf(60)
    for _ in range(140):
        middle = (low + high) / 2
        low, high = (middle, high) if phi(-middle) > tail else (low, middle)
    return high


def answer(mechanism, query):
    pair = pair_of(mechanism)
    kind = query["kind"]
    if kind == "delta":
        return min(1.0, up(max(mpf(0), pair.both(exp(exact(query["epsilon"]))))))
    if kind == "epsilon":
        epsilon = epsilon_at(pair, exact(query["delta"]))
        return float("inf") if epsilon == inf else up(epsilon)
    if kind == "advantage":
        return min(1.0, up(pair.both(mpf(1))))
    if kind == "bayes-error":
        prior = exact(query["prior"])
        # The event that accuses is the one of δ at the odds of the prior.
        return down((1 - prior) * (1 - pair.both(prior / (1 - prior))))
    if kind == "tradeoff":
        return down(type_two(pair, exact(query["alpha"])))
    if kind == "gdp-mu" and isinstance(pair, Gaussian):
        # Where G_μ(floor) is below the floor nothing is claimed.
        return up(min(pair.mu, 2 * quantile(exact(query["error-floor"]))))
    raise Unsupported(kind)


if __name__ == "__main__":
    kinds = ["gaussian", "laplace", "randomized-response", "approx-dp", "finite"]
    if "all" in sys.argv[1:]:
        kinds += ["subsampled", "compose"]
    serve("closed forms", ["mpmath"], answer, kinds, None, relations=("add-remove", "replace-one", "replace-special"))
