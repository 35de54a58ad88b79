"""Classes of mechanisms of which only Rényi divergences are bounded, by their definition, in doubles.

A test turns a mechanism of the class into two outcomes, which are of the class again. So f(α) is the least β such that (α, 1 − α) against (1 − β, β) is of the class, and δ(u) the largest 1 − β − u·α. Of zCDP
there is one bound for every order above 1, of which the tightest is sought; what differs by less than ROUGH is left open. Nothing here uses dpcmp.
"""
import math
from fractions import Fraction

ROUGH = 1e-7
# log10(order − 1) where the tightest order is first looked for.
PLACES = [x / 3 for x in range(-15, 13)]


def divergence(order, p, q):
    """(order − 1)·D(q‖p) of two outcomes."""
    total = -math.inf
    for a, b in ((p, q), (1 - p, 1 - q)):
        if b == 0:
            continue
        if a == 0:
            return math.inf
        term = order * math.log(b) + (1 - order) * math.log(a)
        top, low = max(total, term), min(total, term)
        total = top + math.log1p(math.exp(low - top)) if low > -math.inf else top
    return total


def relative_entropy(p, q):
    """D(q‖p) of two outcomes, of order 1."""
    return sum(b * math.log(b / a) if a else math.inf for a, b in ((p, q), (1 - p, 1 - q)) if b)


def excess(order, most, p, q):
    """By how much the larger divergence of the two orders of the pair exceeds a bound."""
    return max(divergence(order, p, q), divergence(order, q, p)) / (order - 1) - most


class Class:
    """Bounds of D of both orders of the pair: of some orders, or of all."""

    def __init__(self, bounds=(), linear=None):
        self.bounds, self.linear = bounds, linear

    def has(self, p, q):
        if self.linear is None:
            return all(excess(order, most, p, q) <= 0 for order, most in self.bounds)
        xi, rho = self.linear

        def at(place):
            order = 1 + 10**place
            return excess(order, xi + rho * order, p, q)

        # As the order falls to 1: the Kullback–Leibler divergence.
        if max(relative_entropy(p, q), relative_entropy(q, p)) > xi + rho:
            return False
        values = [at(place) for place in PLACES]
        if max(values) > 0:
            return False
        for i, value in enumerate(values):
            # Every hill is climbed: the two orders of the pair may have one each.
            if value < max(values[max(i - 1, 0) : i + 2]):
                continue
            low, high = PLACES[i] - 1 / 3, PLACES[i] + 1 / 3
            for _ in range(22):
                a, b = low + (high - low) * 0.382, low + (high - low) * 0.618
                low, high = (low, b) if at(a) >= at(b) else (a, high)
            if at((low + high) / 2) > 0:
                return False
        return True

    def power(self, alpha):
        """The largest 1 − β."""
        low, high = alpha, 1.0
        if self.has(alpha, 1.0):
            return 1.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if self.has(alpha, middle) else (low, middle)
        return low

    def tradeoff(self, alpha):
        return 1 - self.power(alpha)

    def delta(self, u):
        """The power is concave in α."""
        gain = lambda x: self.power(x) - u * x
        # By thirds, in log odds, where tiny α matter. The top may be a kink: as many of them as make its place exact.
        alpha = lambda z: 1 / (1 + math.exp(-z))
        low, high = -30.0, 30.0
        for _ in range(56):
            a, b = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, b) if gain(alpha(a)) >= gain(alpha(b)) else (a, high)
        return max(gain(alpha((low + high) / 2)), 0.0, 1 - u)

    def misses(self, query, low, high):
        kind = query["kind"]
        if kind == "tradeoff":
            truth = self.tradeoff(float(Fraction(query["alpha"])))
        elif kind == "advantage":
            truth = self.delta(1.0)
        else:
            u = float(Fraction(query["exp-epsilon"])) if "exp-epsilon" in query else math.exp(float(Fraction(query["epsilon"])))
            truth = self.delta(u)
        beyond = (low != "-inf" and float(low) > truth + ROUGH) or (high != "inf" and float(high) < truth - ROUGH)
        return f"the truth is about {truth!r}" if beyond else None


def zcdp(draw):
    rho = Fraction(draw.randint(1, 60), draw.choice([20, 100, 1000]))
    mechanism = {"kind": "zcdp", "rho": str(rho)}
    xi = Fraction(0)
    if draw.random() < 0.25:
        xi = Fraction(draw.randint(1, 20), 100)
        mechanism["xi"] = str(xi)
    return mechanism, Class(linear=(float(xi), float(rho)))


def rdp(draw):
    orders = sorted(draw.sample(["3/2", "2", "5/2", "3", "4", "8", "16", "32"], draw.randint(1, 4)), key=Fraction)
    bounds, most = [], Fraction(0)
    for order in orders:
        most += Fraction(draw.randint(1, 40), 40)
        bounds.append((order, most))
    mechanism = {"kind": "rdp", "orders": [[order, str(most)] for order, most in bounds]}
    return mechanism, Class([(float(Fraction(order)), float(most)) for order, most in bounds])


DRAWN = {"zcdp": zcdp, "rdp": rdp}
