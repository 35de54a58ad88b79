"""Limits and dualities that the formulas of this folder must satisfy among themselves; exits 1 if one fails.

A rate of 1 must give back the plain mechanism, swapping the pair must obey δ_(Q,P)(u) = 1 − u + u·δ_(P,Q)(1/u), equal steps must
agree by both routes, and the slope of δ in u must be minus the null's tail.
"""
from fractions import Fraction
import random
import sys

from flint import arb

import curve
from discrete_gaussian import equal_steps, unequal_steps
from enclosure import ball, top
from finite_compositions import A, B, D, product
from finite_pairs import query
from gaussian import gaussian_delta
from laplace import laplace_step, response_step, two_subsampled, with_gaussian
from subsampled_gaussian import Step, step_and_gaussian, two_steps, two_steps_and_gaussian

FAILED = []


def equal(name, left, right, margin=Fraction(1, 10**25)):
    close = abs(ball(left) - ball(right)) < ball(margin)
    print("ok  " if close else "FAIL", name)
    if not close:
        FAILED.append(name)


def main():
    rate_one()
    swaps()
    routes()
    hulls()
    sys.exit(1 if FAILED else 0)


def rate_one():
    u = ball("0.7").exp()
    log = u.log()
    one = Step("1.5", "1"), Step("3", "1")
    both = (ball("2/3") ** 2 + ball("1/3") ** 2).sqrt()
    for adjacency in ("remove", "add"):
        equal(f"two steps of rate 1, {adjacency}", two_steps(*one, adjacency, u), gaussian_delta(both, log))
        equal(f"one step of rate 1 and a Gaussian, {adjacency}", step_and_gaussian(one[0], ball("1/3"), adjacency, u), gaussian_delta(both, log))
        three = (both**2 + 1).sqrt()
        equal(f"two steps of rate 1 and a Gaussian, {adjacency}", two_steps_and_gaussian(*one, arb(1), adjacency, u), gaussian_delta(three, log))
        twice = laplace_step("1") * laplace_step("1")
        equal(f"two Laplace steps of rate 1, {adjacency}", two_subsampled("1", "1", adjacency)(u), twice.delta(Fraction(7, 10)))


def swaps():
    for epsilon in ("0.3", "-0.1", "0.05"):
        u = ball(epsilon).exp()
        for name, delta in [
            ("two subsampled Gaussians", lambda a, u: two_steps(Step("0.8", "0.05"), Step("3", "0.4"), a, u)),
            ("subsampled and plain Gaussian", lambda a, u: step_and_gaussian(Step("1", "0.1"), ball("1/4"), a, u)),
            ("two subsampled Laplace", lambda a, u: two_subsampled("1", "0.2", a)(u)),
            ("one subsampled Gaussian", lambda a, u: getattr(Step("2", "0.3"), a)(u)),
        ]:
            equal(f"swap, {name}, {epsilon}", delta("add", u), 1 - u + u * delta("remove", 1 / u))


def routes():
    equal("discrete Gaussians by both routes", curve.answer(equal_steps("3/2", 2, 2), query("delta", epsilon="1")), curve.answer(unequal_steps([("3/2", 2), ("3/2", 2)]), query("delta", epsilon="1")))
    law, step = laplace_step("1") * laplace_step("2") * response_step("0.7"), Fraction(1, 10**30)
    e = Fraction(3, 10)
    slope = (law.delta(e) - law.delta(e + step)) / (ball(e + step).exp() - ball(e).exp())
    equal("slope of δ is the null's tail", slope, law.tail(e))
    equal("Laplace with a faint Gaussian", with_gaussian("1", "1e-5")(Fraction(1, 2)), laplace_step("1").delta(Fraction(1, 2)), Fraction(1, 10**9))


def hulls():
    """The hull's height against the other description of the same curve: sup over u of 1 − max(δ, δ swapped) − uα."""
    random.seed(7)
    for parts in ([(A, None, 2)], [(B, None, 2)], [(A, None, 1), (D, None, 2)]):
        points = curve.under(curve.vertices(*product(parts)), "add-remove")
        hull = curve.lower_hull(points)
        slopes = [(b1 - b2) / (a2 - a1) for (a1, b1), (a2, b2) in zip(hull, hull[1:])]
        for _ in range(3):
            alpha = Fraction(random.randint(1, 99), 100)
            dual = top([1 - top(1 - y - u * x for x, y in points) - u * alpha for u in slopes])
            equal(f"hull against its dual at {alpha}", curve.height(points, alpha), dual, Fraction(1, 10**100))
        equal("fixed point of the hull", curve.fixed_point(points), (1 - curve.answer(points, query("advantage"))) / 2, Fraction(1, 10**100))
        equal("fixed point on the hull", curve.height(points, curve.fixed_point(points)), curve.fixed_point(points), Fraction(1, 10**100))


if __name__ == "__main__":
    main()
