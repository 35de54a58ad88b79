"""Queries about smooth pairs, answered from δ(ε) and the null's tail P(loss > ε), both given as balls.

f(α) = sup_u 1 − δ(u) − uα and R* = sup_u (1 − δ)/(1 + u) are suprema of concave functions whose slopes are the tail, so
bisection on ε with the sign of the slope brackets the maximiser and tangents at both ends of the bracket bound the value.
Under add-remove δ is the larger one and R the smaller one of the two directions (theory: conventions).
"""
from fractions import Fraction

from enclosure import ball, bottom, span, top

STEPS = 240


class Direction:
    """One order of the pair: `delta(eps)` and `tail(eps)` = P(loss > eps), for an exact or ball eps."""

    def __init__(self, delta, tail=None):
        self.delta, self.tail = delta, tail


def answer(directions, query, low=-64, high=64):
    """The truth of `query`; `directions` has one entry, or two for add-remove. [low, high] holds the ε that matter."""
    kind = query["kind"]
    if kind == "delta":
        epsilon = ball(query["exp-epsilon"]).log() if "exp-epsilon" in query else Fraction(query["epsilon"])
        return delta(directions, epsilon)
    if kind == "advantage":
        return delta(directions, Fraction(0))
    if kind == "bayes-error":
        prior = Fraction(query["prior"])
        odds = prior / (1 - prior)
        return (1 - ball(prior)) * (1 - delta(directions, Fraction(0) if odds == 1 else ball(odds).log()))
    if kind == "epsilon":
        return least_epsilon(directions, Fraction(query["delta"]), Fraction(low), Fraction(high))
    if kind == "tradeoff":
        return tradeoff(directions, ball(query["alpha"]), Fraction(low), Fraction(high))
    if kind == "minimax-risk" and len(directions) == 2:
        return (1 - delta(directions, Fraction(0))) / 2  # min(R(π), R(1 − π)) is concave and symmetric: its maximum is at 1/2
    if kind == "minimax-risk":
        return minimax_risk(directions[0], Fraction(low), Fraction(high))
    raise KeyError(kind)


def delta(directions, epsilon):
    return top(one.delta(epsilon) for one in directions)


def least_epsilon(directions, target, low, high):
    """Bisection on the decreasing δ; stops when the ball of δ meets the target."""
    goal = ball(target)
    if not (delta(directions, low) > goal >= delta(directions, high)):
        raise ArithmeticError("epsilon is not bracketed")
    for _ in range(STEPS):
        middle = (low + high) / 2
        value = delta(directions, middle)
        if value > goal:
            low = middle
        elif value <= goal:
            high = middle
        else:
            break
    return span(low, high)


def tradeoff(directions, alpha, low, high):
    """sup over u of the least 1 − δ_i(u) − uα; each is concave in u with slope tail_i − α."""

    def value(one, epsilon):
        return 1 - one.delta(epsilon) - ball(epsilon).exp() * alpha

    def slope(one, epsilon):
        return one.tail(epsilon) - alpha

    return concave_maximum(directions, value, slope, low, high)


def minimax_risk(one, low, high):
    """sup over u of (1 − δ)/(1 + u): a quasi-concave function, so bound it by the sign of its slope and monotone parts."""

    def rising(epsilon):
        return one.tail(epsilon) * (1 + ball(epsilon).exp()) - (1 - one.delta(epsilon))

    low, high = bracket([one], lambda o, e: rising(e), lambda o, e: one.delta(e), low, high)
    at_low, at_high = one.delta(low), one.delta(high)
    best = top([(1 - at_low) / (1 + ball(low).exp()), (1 - at_high) / (1 + ball(high).exp())])
    return span(best, (1 - at_high) / (1 + ball(low).exp()))


def concave_maximum(directions, value, slope, low, high):
    low, high = bracket(directions, slope, value, low, high)
    u_low, u_high = ball(low).exp(), ball(high).exp()
    best = top(bottom(value(one, epsilon) for one in directions) for epsilon in (low, high))
    bounds = [value(one, low) + top([slope(one, low), ball(0)]) * (u_high - u_low) for one in directions]
    return span(best, bottom(bounds))


def bracket(directions, slope, value, low, high):
    """Bisect on the slope of the direction whose value is the least; ends when balls leave every sign open."""
    for _ in range(STEPS):
        for share in (Fraction(1, 2), Fraction(1, 3), Fraction(5, 8)):  # a symmetric pair has its maximum exactly in the middle
            middle = low + share * (high - low)
            rising = sign(slope(one, middle) for one in active(directions, value, middle))
            if rising is not None:
                break
        else:
            return low, high
        low, high = (middle, high) if rising else (low, middle)
    return low, high


def active(directions, value, epsilon):
    """The direction of least value at ε; both where the balls overlap."""
    if len(directions) == 1:
        return directions
    first, second = (value(one, epsilon) for one in directions)
    return directions[:1] if first < second else directions[1:] if second < first else directions


def sign(slopes):
    """True when all are positive, False when all are negative, else None."""
    slopes = list(slopes)
    return True if all(s > 0 for s in slopes) else False if all(s < 0 for s in slopes) else None
