"""Random mechanisms with real noise, and their privacy profiles in balls of python-flint.

Each function draws one and gives the mechanism as a file would have it, its adjacency, and its pairs (one, or several of which the worst counts) by δ(ε) and P(loss > ε), from
the cut of a monotone likelihood ratio. No lattice of losses, no convolution; nothing here uses dpcmp.
"""
import sys
from fractions import Fraction
from math import comb
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "oracle"))

import curve  # noqa: E402
import outcomes  # noqa: E402
import smooth  # noqa: E402
from discrete_gaussian import equal_steps, tails  # noqa: E402
from enclosure import arb, ball, ctx, normal_cdf, span  # noqa: E402
from smooth import Direction  # noqa: E402

ctx.prec = 200
smooth.STEPS = 64

DIRECTIONS = ["remove", "add", "add-remove"]


def tail(x):
    return normal_cdf(-x)


def exp(epsilon):
    return ball(epsilon).exp()


def swapped(one):
    """The same pair the other way round; its loss has no atoms that matter: at an atom any value between the two tails is a slope."""

    def delta(epsilon):
        return 1 - exp(epsilon) + exp(epsilon) * one.delta(-epsilon)

    def null_tail(epsilon):
        # P(−L > ε) under what was the alternative.
        return 1 - (one.delta(-epsilon) + exp(-epsilon) * one.tail(-epsilon))

    return Direction(delta, null_tail)


def asked(one, adjacency):
    return {"remove": [one], "add": [swapped(one)]}.get(adjacency) or [one, swapped(one)]


def certainly(value):
    """A comparison of balls that overlap is neither true nor false."""
    return bool(value)


def shift(mu):
    """N(0, 1) against N(μ, 1)."""
    mu = ball(mu) if not isinstance(mu, arb) else mu

    def null_tail(epsilon):
        return tail(mu / 2 + ball(epsilon) / mu)

    return Direction(lambda e: tail(ball(e) / mu - mu / 2) - exp(e) * null_tail(e), null_tail)


def laplace_pair(length):
    """Laplace noise moved by this many scales."""
    length = ball(length)

    def parts(epsilon):
        e = ball(epsilon)
        if certainly(e >= length):
            return None
        if certainly(e <= -length):
            return arb(1), arb(1)
        if not (certainly(e < length) and certainly(e > -length)):
            raise ArithmeticError("at the edge")
        t = (e + length) / 2
        return 1 - (t - length).exp() / 2, (-t).exp() / 2

    def delta(epsilon):
        found = parts(epsilon)
        return arb(0) if found is None else found[0] - exp(epsilon) * found[1]

    def null_tail(epsilon):
        found = parts(epsilon)
        return arb(0) if found is None else found[1]

    return Direction(delta, null_tail)


def logistic_pair(length):
    """Odds of every answer change by at most e^length: δ(u) = (e^{length/2} − √u)²/(e^length − 1)."""
    length = ball(length)

    def inside(e):
        if certainly(e >= length):
            return 1
        if certainly(e <= -length):
            return -1
        if not (certainly(e < length) and certainly(e > -length)):
            raise ArithmeticError("at the edge")
        return 0

    def delta(epsilon):
        e = ball(epsilon)
        side = inside(e)
        if side:
            return arb(0) if side > 0 else 1 - e.exp()
        gap = (length / 2).exp() - (e / 2).exp()
        return gap * gap / (length.exp() - 1)

    def null_tail(epsilon):
        e = ball(epsilon)
        side = inside(e)
        if side:
            return arb(0) if side > 0 else arb(1)
        return ((length / 2).exp() - (e / 2).exp()) / ((e / 2).exp() * (length.exp() - 1))

    return Direction(delta, null_tail)


def sampled_shift(mu, rate):
    """N(0, 1) against (1 − rate)·N(0, 1) + rate·N(μ, 1)."""
    mu, rate = ball(mu), ball(rate)

    def cut(u):
        inner = (u - 1 + rate) / rate
        if certainly(inner <= 0):
            return None
        if not certainly(inner > 0):
            raise ArithmeticError("at the least loss")
        return (inner.log() + mu * mu / 2) / mu

    def null_tail(epsilon):
        t = cut(exp(epsilon))
        return arb(1) if t is None else tail(t)

    def delta(epsilon):
        u = exp(epsilon)
        t = cut(u)
        return 1 - u if t is None else (1 - rate - u) * tail(t) + rate * tail(t - mu)

    return Direction(delta, null_tail)


def replaced_shift(mu, rate):
    """(1 − rate)·N(0) + rate·N(−μ) against (1 − rate)·N(0) + rate·N(μ): a symmetric pair; the cut solves a quadratic equation in e^{μx}."""
    mu, rate = ball(mu), ball(rate)
    rest, c = 1 - rate, (-(mu * mu) / 2).exp()

    def cut(u):
        b = rest * (u - 1)
        root = (b * b + 4 * u * rate * rate * c * c).sqrt()
        z = (b + root) / (2 * rate * c) if certainly(b >= 0) else 2 * u * rate * c / (root - b)
        return z.log() / mu

    def masses(epsilon):
        t = cut(exp(epsilon))
        return rest * tail(t) + rate * tail(t - mu), rest * tail(t) + rate * tail(t + mu)

    def delta(epsilon):
        with_it, without = masses(epsilon)
        return with_it - exp(epsilon) * without

    return Direction(delta, lambda e: masses(e)[1])


def shifts_pair(shifts, weights, sigma):
    """N(0, σ²) against Σ w·N(s, σ²), all s ≥ 0; the cut by bisection and the sign of the likelihood ratio."""
    moved = [ball(s / sigma) for s in shifts]
    weights = [ball(w) for w in weights]

    def ratio(x):
        return sum((w * (s * x - s * s / 2).exp() for s, w in zip(moved, weights)), arb(0))

    def cut(u):
        low, high = arb(-60), arb(60)
        if certainly(ratio(low) >= u):
            return None
        for _ in range(150):
            middle = ((low + high) / 2).mid()
            value = ratio(middle)
            if certainly(value < u):
                low = middle
            elif certainly(value > u):
                high = middle
            else:
                break
        return span(low, high)

    def masses(epsilon):
        t = cut(exp(epsilon))
        if t is None:
            return None
        return sum((w * tail(t - s) for s, w in zip(moved, weights)), arb(0)), tail(t)

    def delta(epsilon):
        found = masses(epsilon)
        return 1 - exp(epsilon) if found is None else found[0] - exp(epsilon) * found[1]

    def null_tail(epsilon):
        found = masses(epsilon)
        return arb(1) if found is None else found[1]

    return Direction(delta, null_tail)


def averaged(parts):
    """A public label says which pair it is."""
    total = lambda values: sum(values, arb(0))
    return Direction(
        lambda e: total(ball(w) * one.delta(e) for w, one in parts), lambda e: total(ball(w) * one.tail(e) for w, one in parts)
    )


# Mechanisms --------------------------------------------------------------------------------------------------------------------------------------------

def number(draw, low=Fraction(1, 4), high=4):
    return low + (high - low) * Fraction(draw.randint(0, 60), 60)


def text(x):
    return str(x)


def gaussian(draw):
    adjacency = draw.choice(DIRECTIONS)
    sigma = number(draw)
    lot = draw.randrange(3)
    if lot == 0:
        sensitivity = number(draw)
        mechanism = {"kind": "gaussian", "sigma": text(sigma), "sensitivity": text(sensitivity)}
        mu = ball(sensitivity / sigma)
    elif lot == 1:
        mechanism, mu = {"kind": "gaussian", "noise-multiplier": text(sigma)}, ball(1 / sigma)
    else:
        mechanism, mu = {"kind": "gdp", "mu": text(sigma)}, ball(sigma)
    return mechanism, adjacency, [shift(mu)]


def gaussians(draw):
    """Several, with different noise, each a few times: one with the sum of squares."""
    parts, square = [], Fraction(0)
    for _ in range(draw.randint(1, 3)):
        sigma, times = number(draw, Fraction(1, 2), 6), draw.randint(1, 9)
        parts.append({"kind": "gaussian", "sigma": text(sigma), "times": times})
        square += times / sigma**2
    return {"kind": "compose", "of": parts}, draw.choice(DIRECTIONS), [shift(ball(square).sqrt())]


def tree(draw):
    """A record in one leaf is in as many nodes as the number of steps has binary digits, at most."""
    steps, sigma = draw.randint(1, 70), number(draw, Fraction(1), 6)
    square = steps.bit_length() / sigma**2
    mechanism = {"kind": "tree-aggregation", "noise-multiplier": text(sigma), "steps": steps}
    return mechanism, draw.choice(DIRECTIONS), [shift(ball(square).sqrt())]


def toeplitz(draw):
    """Each record takes part once: the largest norm of a column, which is the first."""
    steps, sigma = draw.randint(1, 12), number(draw, Fraction(1), 6)
    column = [Fraction(1)] + [Fraction(draw.randint(0, 9), 10) for _ in range(draw.randint(0, steps - 1))]
    square = sum(c * c for c in column) / sigma**2
    mechanism = {"kind": "matrix-factorization", "noise-multiplier": text(sigma), "steps": steps, "participations": 1, "toeplitz": [text(c) for c in column]}
    return mechanism, draw.choice(DIRECTIONS), [shift(ball(square).sqrt())]


def laplace(draw):
    scale, sensitivity = number(draw), number(draw)
    mechanism = {"kind": "laplace", "scale": text(scale), "sensitivity": text(sensitivity)}
    return mechanism, draw.choice(DIRECTIONS), [laplace_pair(sensitivity / scale)]


def exponential(draw):
    epsilon = number(draw)
    return {"kind": "exponential", "epsilon": text(epsilon)}, draw.choice(DIRECTIONS), [logistic_pair(epsilon)]


def permute_and_flip(draw):
    epsilon = number(draw)
    return {"kind": "permute-and-flip", "epsilon": text(epsilon)}, draw.choice(DIRECTIONS), [laplace_pair(epsilon)]


def sampled_gaussian(draw):
    sigma, rate = number(draw, Fraction(1, 2), 4), Fraction(draw.randint(1, 19), 20)
    if draw.random() < 0.3:
        mechanism = {"kind": "dp-sgd", "noise-multiplier": text(sigma), "sample-rate": text(rate), "steps": 1}
    else:
        mechanism = {"kind": "subsampled", "rate": text(rate), "of": {"kind": "gaussian", "sigma": text(sigma)}}
    return mechanism, draw.choice(DIRECTIONS), [sampled_shift(1 / sigma, rate)]


def replaced_gaussian(draw):
    sigma, rate = number(draw, Fraction(1, 2), 4), Fraction(draw.randint(1, 19), 20)
    of = {"kind": "gaussian", "sigma": text(sigma), "record-bound": "1"}
    return {"kind": "subsampled", "rate": text(rate), "of": of}, "replace-one", [replaced_shift(1 / sigma, rate)]


def replaced_noise(draw):
    """A record bound: twice as far where the record is another one, as far as it where it is an empty one."""
    relation, (size, bound) = draw.choice(["replace-one", "replace-special"]), (number(draw), number(draw))
    moved = (2 if relation == "replace-one" else 1) * bound / size
    if draw.random() < 0.5:
        return {"kind": "laplace", "scale": text(size), "record-bound": text(bound)}, relation, [laplace_pair(moved)]
    return {"kind": "gaussian", "sigma": text(size), "record-bound": text(bound)}, relation, [shift(moved)]


def group_of_sampled(draw):
    """Each of the records is drawn for itself: their number is binomial."""
    sigma, rate, records = number(draw, Fraction(1, 2), 4), Fraction(draw.randint(1, 19), 20), draw.randint(2, 4)
    weights = [comb(records, k) * rate**k * (1 - rate) ** (records - k) for k in range(records + 1)]
    of = {"kind": "subsampled", "rate": text(rate), "of": {"kind": "gaussian", "sigma": text(sigma)}}
    shifts = [Fraction(k) for k in range(records + 1)]
    return {"kind": "group", "records": records, "of": of}, draw.choice(DIRECTIONS), [shifts_pair(shifts, weights, sigma)]


def fixed_batch(draw):
    """One batch without replacement, a record replaced by its opposite: all others are as far as can be, so that it is a sample that moves by twice the bound, either way round."""
    size, sigma = draw.randint(2, 60), number(draw, Fraction(1, 2), 4)
    batch = draw.randint(1, size - 1)
    of = {"kind": "gaussian", "noise-multiplier": text(sigma)}
    mechanism = {"kind": "subsampled", "sampling": "without-replacement", "dataset-size": size, "batch-size": batch, "of": of}
    one = sampled_shift(2 / sigma, Fraction(batch, size))
    return mechanism, "replace-one", [one, swapped(one)]


def patterns(steps, most, apart):
    """All sets of at most so many steps, any two so far apart."""
    found = [()]
    for step in range(steps):
        found += [chosen + (step,) for chosen in found if len(chosen) < most and (not chosen or step - chosen[-1] >= apart)]
    return found


def tree_square(steps, chosen):
    """Σ (leaves of the record below a node)², over all complete blocks."""
    square, size = 0, 1
    while size <= steps:
        square += sum(sum(1 for leaf in chosen if leaf // size == block) ** 2 for block in range(steps // size))
        size *= 2
    return square


def participations(draw):
    """Trees and Toeplitz matrices where a record takes part several times: every pattern is tried."""
    steps, most, apart = draw.randint(1, 14), draw.randint(1, 4), draw.randint(1, 5)
    sigma, relation = number(draw, Fraction(2), 8), draw.choice(["add-remove", "replace-one", "replace-special"])
    mechanism = {"noise-multiplier": text(sigma), "steps": steps, "participations": most, "min-separation": apart}
    if draw.random() < 0.5:
        trees = draw.randint(1, 3)
        square = trees * max(tree_square(steps, chosen) for chosen in patterns(steps, most, apart))
        mechanism = {"kind": "tree-aggregation", **mechanism, "restarts": trees}
    else:
        column = [Fraction(1)] + [Fraction(draw.randint(0, 9), 10) for _ in range(draw.randint(0, steps - 1))]
        entry = lambda row, place: column[row - place] if 0 <= row - place < len(column) else 0
        sums = lambda chosen: sum(sum(entry(row, place) for place in chosen) ** 2 for row in range(steps))
        square = max(sums(chosen) for chosen in patterns(steps, most, apart))
        mechanism = {"kind": "matrix-factorization", **mechanism, "toeplitz": [text(c) for c in column]}
    mu = 2 if relation == "replace-one" else 1
    one = shift(mu * ball(square).sqrt() / ball(sigma))
    return mechanism, relation, [one]


def gaussian_mixture(draw):
    sigma, count = number(draw, Fraction(1, 2), 3), draw.randint(2, 4)
    shifts = [number(draw, Fraction(0), 3) for _ in range(count)]
    lots = [draw.randint(1, 9) for _ in range(count)]
    weights = [Fraction(lot, sum(lots)) for lot in lots]
    mechanism = {"kind": "gaussian-mixture", "sigma": text(sigma), "shifts": [text(s) for s in shifts], "weights": [text(w) for w in weights]}
    return mechanism, draw.choice(DIRECTIONS), [shifts_pair(shifts, weights, sigma)]


def labelled(draw):
    weight = Fraction(draw.randint(1, 9), 10)
    (a, _, [one]), (b, _, [other]) = (draw.choice([gaussian, laplace, sampled_gaussian])(draw) for _ in range(2))
    of = [{**a, "weight": text(weight)}, {**b, "weight": text(1 - weight)}]
    return {"kind": "mixture", "of": of}, draw.choice(DIRECTIONS), [averaged([(weight, one), (1 - weight, other)])]


def noise_threshold(draw):
    """A key that is new, so that its release tells all, or one that was there before."""
    scale, threshold = number(draw, Fraction(1, 2), 3), number(draw, Fraction(1), 9)
    away = ball((1 - threshold) / scale)
    if draw.random() < 0.5:
        mechanism = {"kind": "noise-threshold", "noise": "laplace", "scale": text(scale), "threshold": text(threshold)}
        released, old = away.exp() / 2 if threshold >= 1 else 1 - (-away).exp() / 2, laplace_pair(1 / scale)
    else:
        mechanism = {"kind": "noise-threshold", "noise": "gaussian", "sigma": text(scale), "threshold": text(threshold)}
        released, old = tail(-away), shift(1 / scale)
    edge = (1 - released).log()

    def null_tail(epsilon):
        if not (certainly(edge < ball(epsilon)) or certainly(edge > ball(epsilon))):
            raise ArithmeticError("at the edge")
        return arb(1) if certainly(edge > ball(epsilon)) else arb(0)

    new = Direction(lambda e: released.max(1 - exp(e)), null_tail)
    return mechanism, draw.choice(DIRECTIONS), [old, new]


def discrete_laplace(draw):
    scale, sensitivity = number(draw), draw.randint(1, 3)
    mechanism = {"kind": "discrete-laplace", "scale": text(scale), "sensitivity": sensitivity}
    return mechanism, draw.choice(DIRECTIONS), outcomes.curve_of(outcomes.discrete_laplace(scale, sensitivity))


def discrete_gaussian(draw):
    sigma, sensitivity, times = number(draw, Fraction(1, 2), 2), draw.randint(1, 2), draw.randint(1, 2)
    step = {"kind": "discrete-gaussian", "sigma": text(sigma), "sensitivity": sensitivity, "times": times}
    return {"kind": "compose", "of": [step]}, draw.choice(DIRECTIONS), equal_steps(sigma, sensitivity, times)


def skellam(draw):
    """The difference of two Poissons: e^{−2m}·I_k(2m)."""
    mean, sensitivity = number(draw, Fraction(1, 2), 6), draw.randint(1, 2)
    mechanism = {"kind": "skellam", "mean": text(mean), "sensitivity": sensitivity}
    return mechanism, draw.choice(DIRECTIONS), skellam_points(mean, sensitivity)


def skellam_points(mean, sensitivity):
    double = ball(2 * mean)
    return moved_points([(-double).exp() * double.bessel_i(abs(k)) for k in range(-70, 71)], sensitivity)


def gaussian_sum(draw):
    """Discrete Gaussians of several parties, one convolution after another."""
    sigma, parties, sensitivity = number(draw, Fraction(1, 5), 2), draw.randint(2, 4), draw.randint(1, 2)
    mechanism = {"kind": "discrete-gaussian", "sigma": text(sigma), "parties": parties, "sensitivity": sensitivity}
    weights = [(-ball(Fraction(k * k) / (2 * sigma * sigma))).exp() for k in range(-40, 41)]
    # Beyond 40 each weight is less than half of the one before.
    rest = arb(0).union(4 * (-ball(Fraction(41 * 41) / (2 * sigma * sigma))).exp())
    one = [weight / (sum(weights, arb(0)) + rest) for weight in weights]
    law = one
    for _ in range(parties - 1):
        law = [sum((law[i] * one[n - i] for i in range(max(0, n - len(one) + 1), min(n + 1, len(law)))), arb(0)) for n in range(len(law) + len(one) - 1)]
    return mechanism, draw.choice(DIRECTIONS), moved_points(law, sensitivity)


def moved_points(law, sensitivity):
    """Vertices of a law on consecutive whole numbers against the same, moved; what is missing from 1 may be anywhere beyond."""
    left_out = (1 - sum(law, arb(0))).max(arb(0))
    cuts = tails(law, left_out.upper())
    points = [(cuts[n + sensitivity][0], cuts[n][1]) for n in range(len(cuts) - sensitivity)]
    return [(arb(0), arb(1)), *points[::-1], (arb(1), arb(0))]


def replaced_on_integers(draw):
    """The same counts with a record bound: twice as far where the record is another one."""
    relation, bound = draw.choice(["replace-one", "replace-special"]), draw.randint(1, 2)
    moved = (2 if relation == "replace-one" else 1) * bound
    if draw.random() < 0.5:
        scale = number(draw)
        mechanism = {"kind": "discrete-laplace", "scale": text(scale), "record-bound": bound}
        return mechanism, relation, outcomes.curve_of(outcomes.discrete_laplace(scale, moved))
    mean = number(draw, Fraction(1, 2), 6)
    return {"kind": "skellam", "mean": text(mean), "record-bound": bound}, relation, skellam_points(mean, moved)


class Points:
    """A curve by vertices in balls."""

    def __init__(self, points, adjacency):
        self.points = curve.under(points, adjacency)

    def truth(self, query):
        if query["kind"] in ("tradeoff", "minimax-risk") and len(self.points) > 40:
            raise ArithmeticError("too many chords")
        if query["kind"] == "delta":
            u = ball(query["exp-epsilon"]) if "exp-epsilon" in query else exp(query["epsilon"])
            return curve.top(1 - fnr - u * fpr for fpr, fnr in self.points)
        return curve.answer(self.points, query)


ON_INTEGERS = {"discrete-laplace": discrete_laplace, "discrete-gaussian": discrete_gaussian, "skellam": skellam, "sum of discrete-gaussian": gaussian_sum, "replaced noise on integers": replaced_on_integers}

DRAWN = {
    "noise-threshold": noise_threshold,
    "gaussian, gdp": gaussian,
    "compose of gaussian": gaussians,
    "tree-aggregation": tree,
    "matrix-factorization": toeplitz,
    "laplace": laplace,
    "exponential": exponential,
    "permute-and-flip": permute_and_flip,
    "subsampled gaussian": sampled_gaussian,
    "subsampled gaussian, replaced": replaced_gaussian,
    "gaussian-mixture": gaussian_mixture,
    "mixture of noise": labelled,
    "replaced noise": replaced_noise,
    "group of sampled gaussian": group_of_sampled,
    "fixed batch": fixed_batch,
    "participations": participations,
}
