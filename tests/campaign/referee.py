"""Is the truth between the two ends that dpcmp printed? Every function gives None if it is, or how it is not."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "oracle"))

import curve  # noqa: E402
import smooth  # noqa: E402
from enclosure import arb, ball  # noqa: E402
from exact import Fraction  # noqa: E402


BEYOND = arb(2) ** -90


class Untold(Exception):
    """The truth cannot be told by this route."""


def end(text):
    return text if text in ("inf", "-inf") else Fraction(text)


def outside(low, high, truth):
    """`truth` is a Fraction, a ball that contains it, "inf" or "-inf"."""
    if truth in ("inf", "-inf"):
        is_in = (high == "inf") if truth == "inf" else (low == "-inf")
        return None if is_in else f"the truth is {truth}"
    if isinstance(truth, arb):
        if not truth.is_finite():
            raise Untold("no finite ball")
        beyond = (low != "-inf" and (low == "inf" or bool(ball(low) > truth))) or (
            high != "inf" and (high == "-inf" or bool(ball(high) < truth))
        )
        return f"the truth is {truth}" if beyond else None
    beyond = (low != "-inf" and (low == "inf" or low > truth)) or (high != "inf" and (high == "-inf" or high < truth))
    return f"the truth is {truth}, about {float(truth)!r}" if beyond else None


def is_wide(low, high):
    """Wider than a thousandth: true, but worth little as a test."""
    if isinstance(low, str) or isinstance(high, str):
        return low != high
    return high - low > Fraction(1, 1000) * max(abs(low), abs(high), Fraction(1, 10**12))


# Curves with rational vertices -------------------------------------------------------------------------------------------------------------------------

def vertices(outcomes):
    """Of f: the outcomes that tell most of the record are rejected first."""
    order = sorted((o for o in outcomes if o[0] or o[1]), key=lambda o: (o[0] == 0, o[1] / o[0] if o[0] else 0), reverse=True)
    points = [(Fraction(0), Fraction(1))]
    for without, with_it in order:
        points.append((points[-1][0] + without, points[-1][1] - with_it))
    return points


class Polygon:
    """A mechanism whose curve is known by its vertices, and perhaps by its outcomes."""

    def __init__(self, points, pairs=None):
        self.points, self.pairs = curve.lower_hull(points), pairs

    @classmethod
    def of_outcomes(cls, outcomes, adjacency):
        back = [(y, x) for x, y in outcomes]
        pairs = {"remove": [outcomes], "add": [back]}.get(adjacency) or [outcomes, back]
        return cls(curve.under(vertices(outcomes), adjacency), pairs)

    @classmethod
    def worst_of(cls, families):
        """The worst of several pairs, either way round."""
        points = []
        for outcomes in families:
            points += curve.under(vertices(outcomes), "add-remove")
        return cls(points)

    def truth(self, query, other=None):
        kind = query["kind"]
        if kind == "delta" and "exp-epsilon" in query and self.pairs:
            # By the definition, not by the vertices.
            u = Fraction(query["exp-epsilon"])
            return max(sum((q - u * p for p, q in pair if q > u * p), Fraction(0)) for pair in self.pairs)
        if kind == "renyi":
            return self.renyi(query["order"])
        if kind == "delta-divergence":
            return self.deficiency(other)
        if kind == "delta-symmetric":
            return max(self.deficiency(other), other.deficiency(self))
        return curve.answer(self.points, query)

    def renyi(self, order):
        if not self.pairs:
            raise Untold("a curve alone")
        values = [renyi_of(pair, order) for pair in self.pairs]
        if "inf" in values:
            return "inf"
        return curve.top(values)

    def bayes(self, prior):
        return min(prior * x + (1 - prior) * y for x, y in self.points)

    def deficiency(self, other):
        """max over priors of R_self − R_other: both are piecewise linear, so a kink of one of them is a maximiser."""
        priors = {Fraction(0), Fraction(1)}
        for points in (self.points, other.points):
            for (a, b), (c, d) in zip(points, points[1:]):
                u = (b - d) / (c - a)
                priors.add(u / (1 + u))
        return max(self.bayes(prior) - other.bayes(prior) for prior in priors)


def renyi_of(pair, order):
    """D_t(Q‖P); exact sums of powers in balls."""
    if order == "inf":
        if any(p == 0 < q for p, q in pair):
            return "inf"
        return ball(max(q / p for p, q in pair if q)).log()
    t = Fraction(order)
    if t >= 1 and any(p == 0 < q for p, q in pair):
        return "inf"
    both = [(ball(p), ball(q)) for p, q in pair if p and q]
    if t == 1:
        return sum((q * (q / p).log() for p, q in both), arb(0))
    if not both:
        return "inf"
    return sum((p * (ball(t) * (q / p).log()).exp() for p, q in both), arb(0)).log() / (ball(t) - 1)


# Profiles in balls -------------------------------------------------------------------------------------------------------------------------------------

class Profile:
    """A mechanism whose pairs are known by δ(ε) and the tail of the loss: for each pair the directions asked about, the worst pair of them being what is asked."""

    def __init__(self, pairs):
        self.pairs = pairs

    def delta(self, epsilon):
        return curve.top(smooth.delta(directions, epsilon) for directions in self.pairs)

    def misses(self, query, low, high):
        kind = query["kind"]
        try:
            if kind == "epsilon":
                return self.misses_epsilon(Fraction(query["delta"]), low, high)
            worst = curve.top if kind in ("delta", "advantage") else curve.bottom
            truth = worst(smooth.answer(directions, query) for directions in self.pairs)
            if kind == "tradeoff" and len(self.pairs) > 1:
                truth = truth.union(self.hull(Fraction(query["alpha"])))
            if kind == "minimax-risk" and len(self.pairs) > 1:
                raise Untold("it is that of the hull of several curves")
            # f is a supremum over all ε, sought above −64: what is missed is at most e^−64.
            return outside(low, high, truth.union(truth + BEYOND) if kind == "tradeoff" else truth)
        except (ArithmeticError, ValueError) as error:
            raise Untold(str(error)) from error

    def hull(self, alpha):
        """What the largest convex function below several curves is no less than: the highest of some of the lines below it."""
        places = (Fraction(k, 16) for k in range(-128, 129))
        lines = (1 - self.delta(e) - ball(e).exp() * ball(alpha) for e in places)
        return curve.top(lines)

    def misses_epsilon(self, delta, low, high):
        """δ falls: it is at most delta at the upper end, and at least delta at the lower one."""
        delta = ball(delta)
        if not isinstance(high, str) and bool(self.delta(high) > delta):
            return f"δ({float(high)!r}) is {self.delta(high)}"
        if not isinstance(low, str) and bool(self.delta(low) < delta):
            return f"δ({float(low)!r}) is {self.delta(low)}"
        return None
