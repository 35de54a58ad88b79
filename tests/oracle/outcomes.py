"""Pairs with finitely many outcomes and irrational masses: randomised response and its relatives.

A law is a list of outcomes (loss, p, q): p and q are arb balls, the loss log(q/p) is an exact rational (or ±infinity), so
outcomes merge and sort exactly and only the masses carry rounding. Subsampling makes the losses irrational: there the
outcomes are keyed by how often each base outcome occurred, and sorted by ball likelihood ratios that must separate.
"""
from fractions import Fraction

from flint import arb

from curve import vertices
from enclosure import ball

TOP, BOTTOM = "only q", "only p"


def randomized_response(epsilon, k=2):
    epsilon = Fraction(epsilon)
    e = ball(epsilon).exp()
    total = e + (k - 1)
    law = [(epsilon, 1 / total, e / total), (-epsilon, e / total, 1 / total)]
    return law if k == 2 else law + [(Fraction(0), (k - 2) / total, (k - 2) / total)]


def approx_dp(epsilon, delta):
    """The canonical pair: mass delta on either side is revealing, the rest is randomised response."""
    delta = ball(delta)
    law = [(loss, (1 - delta) * p, (1 - delta) * q) for loss, p, q in randomized_response(epsilon)]
    return law + [(TOP, arb(0), delta), (BOTTOM, delta, arb(0))]


def discrete_laplace(scale, sensitivity=1):
    """P(x) ∝ e^(−|x|/scale), Q shifted by `sensitivity`; outcomes x ≤ 0 and x ≥ sensitivity have constant loss."""
    scale, s = Fraction(scale), int(sensitivity)
    decay = (-1 / ball(scale)).exp()
    unit = (1 - decay) / (1 + decay)

    def mass(x):
        return unit * decay ** abs(x)

    tail = decay / (1 + decay) + unit  # P(x ≤ 0) = P(x ≥ 0)
    far = decay**s / (1 + decay)  # P(x ≥ s)
    law = [(-s / scale, tail, far), (s / scale, far, tail)]
    return law + [(Fraction(2 * x - s) / scale, mass(x), mass(x - s)) for x in range(1, s)]


def compose(parts):
    """Product of laws with exact losses, given as (law, times)."""
    result = {Fraction(0): (arb(1), arb(1))}
    for law, times in parts:
        for _ in range(times):
            bigger = {}
            for loss1, (p1, q1) in result.items():
                for loss2, p2, q2 in law:
                    loss = add(loss1, loss2)
                    if loss is None:
                        continue
                    p, q = bigger.get(loss, (arb(0), arb(0)))
                    bigger[loss] = (p + p1 * p2, q + q1 * q2)
            result = bigger
    return [(loss, p, q) for loss, (p, q) in result.items()]


def add(loss1, loss2):
    """Loss of a joint outcome; None where both p and q vanish."""
    kinds = {loss for loss in (loss1, loss2) if loss in (TOP, BOTTOM)}
    if not kinds:
        return loss1 + loss2
    return kinds.pop() if len(kinds) == 1 else None


def curve_of(law):
    """Vertices of f: exact sort by loss, then partial sums."""
    rank = {TOP: (1, 0), BOTTOM: (-1, 0)}
    law = sorted(law, key=lambda outcome: rank.get(outcome[0]) or (0, outcome[0]), reverse=True)
    return vertices([p for _, p, _ in law], [q for _, _, q in law])


def subsample(law, rate):
    """Q becomes the mixture (1 − rate)·P + rate·Q; keys are positions, because the new losses are irrational."""
    rate = ball(rate)
    return [(p, (1 - rate) * p + rate * q) for _, p, q in law]


def curve_of_subsampled(parts):
    """Vertices of f for products of subsampled laws given as (subsampled law, times)."""
    result = {(): (arb(1), arb(1))}
    for law, times in parts:
        counts = {(0,) * len(law): (arb(1), arb(1))}
        for _ in range(times):
            bigger = {}
            for count, (p1, q1) in counts.items():
                for position, (p2, q2) in enumerate(law):
                    key = tuple(n + (i == position) for i, n in enumerate(count))
                    p, q = bigger.get(key, (arb(0), arb(0)))
                    bigger[key] = (p + p1 * p2, q + q1 * q2)
            counts = bigger
        result = {k1 + k2: (p1 * p2, q1 * q2) for k1, (p1, q1) in result.items() for k2, (p2, q2) in counts.items()}
    outcomes = sorted(result.values(), key=lambda o: float((o[1] / o[0]).mid().str(17, radius=False)), reverse=True)
    for (p1, q1), (p2, q2) in zip(outcomes, outcomes[1:]):
        if not q1 * p2 > q2 * p1:
            raise ArithmeticError("likelihood ratios do not separate")
    return vertices([p for p, _ in outcomes], [q for _, q in outcomes])
