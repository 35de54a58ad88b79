"""gaussian.jsonl: products of unequal Gaussians and gdp guarantees, and Gaussians composed with randomised response.

Formula: Gaussians add their μ² = (sensitivity/σ)²; with a discrete factor, δ(ε) = Σ_j q_j δ_Gauss(ε − y_j) over its exact losses
y_j, and the null's tail likewise with p_j. Trade-offs, ε and R* by smooth.py, strict μ from the Gaussian's own definition.
Independent of dpcmp's engine: a finite sum of closed forms; no lattice for the mixtures.
"""
from fractions import Fraction
from math import isqrt

from enclosure import ball, normal_cdf, probit, write_rows
from finite_pairs import query
from outcomes import TOP, BOTTOM, compose
from smooth import Direction, answer
from randomized_response import approx, law as discrete_law, laplace as discrete_laplace, rr


def gaussian_delta(mu, epsilon):
    if epsilon == BOTTOM:
        return ball(0)
    return normal_cdf(mu / 2 - epsilon / mu) - epsilon.exp() * normal_cdf(-mu / 2 - epsilon / mu)


def gaussian_tail(mu, epsilon):
    return normal_cdf(-mu / 2 - epsilon / mu)


def mixture(mu, law):
    """Direction of a Gaussian times a discrete law [(loss, p, q)]."""
    revealing = sum((q for loss, _, q in law if loss == TOP), ball(0))
    rest = [(loss, p, q) for loss, p, q in law if loss not in (TOP, BOTTOM)]

    def delta(epsilon):
        return revealing + sum((q * gaussian_delta(mu, ball(epsilon) - ball(loss)) for loss, _, q in rest), ball(0))

    def tail(epsilon):
        return sum((p * gaussian_tail(mu, ball(epsilon) - ball(loss)) for loss, p, _ in rest), ball(0))

    return Direction(delta, tail)


def gauss(sigma, **more):
    return {"kind": "gaussian", "sigma": sigma, **more}


def gdp(mu, **more):
    return {"kind": "gdp", "mu": mu, **more}


def d(epsilon):
    return query("delta", epsilon=epsilon)


PURE = [  # (parts, μ², adjacency, queries)
    ([gauss("1"), gauss("2", times=3), gauss("5", sensitivity="3")], Fraction(211, 100), "add-remove", [d("2.5"), d("-1"), query("tradeoff", alpha="1e-4"), query("gdp-mu"), query("minimax-risk"), query("epsilon", delta="1e-12")]),
    ([gdp("0.6"), gdp("0.8")], Fraction(1), "add-remove", [d("0.75"), query("gdp-mu"), query("gdp-mu", tolerance="1e-6"), query("advantage"), query("bayes-error", prior="0.35")]),
    ([gdp("0.5", times=4), gauss("4/3", times=9)], Fraction(97, 16), "remove", [d("10"), query("tradeoff", alpha="0.5"), query("gdp-mu", error_floor="1e-10"), query("epsilon", delta="1e-5")]),
    ([{"kind": "gaussian", "noise-multiplier": "0.8", "times": 2}], Fraction(25, 8), "add", [d("3"), query("gdp-mu", tolerance="1e-10"), query("gdp-mu", error_floor="0.2")]),
]
MIXED = [  # (Gaussian parts, μ², discrete parts, adjacency, queries)
    ([gauss("1")], Fraction(1), [rr("1")], "add-remove", [d("1.5"), d("-0.7"), d("8"), query("tradeoff", alpha="0.05"), query("minimax-risk"), query("epsilon", delta="1e-6"), query("bayes-error", prior="0.9")]),
    ([gauss("3", times=4)], Fraction(4, 9), [rr("0.5", 3, times=5)], "remove", [d("1"), d("4"), query("tradeoff", alpha="1e-3"), query("advantage"), query("epsilon", delta="1e-4")]),
    ([gauss("1/2")], Fraction(4), [rr("0.1", times=20), rr("2")], "add", [d("3"), d("25"), query("tradeoff", alpha="0.3"), query("minimax-risk")]),
    ([gdp("1/5")], Fraction(1, 25), [approx("0.5", "1e-4", times=3)], "add-remove", [d("1"), d("3"), query("tradeoff", alpha="0.1"), query("epsilon", delta="1e-3")]),
    ([gauss("10")], Fraction(1, 100), [discrete_laplace("2", 3)], "remove", [d("0.8"), d("1.6"), query("tradeoff", alpha="0.2"), query("minimax-risk")]),
]


def main():
    write_rows("gaussian.jsonl", [*pure(), *mixed()])


def described(parts, adjacency):
    return {"kind": "compose", "of": parts, "adjacency": adjacency}


def pure():
    for parts, square, adjacency, queries in PURE:
        mu = ball(square).sqrt()
        for each in queries:
            if each["kind"] == "gdp-mu":
                value = mu_of_gaussian(square, each)
            else:
                value = answer([mixture(mu, [(Fraction(0), ball(1), ball(1))])], each)
            yield described(parts, adjacency), each, value, "μ² adds up"


def mu_of_gaussian(square, asked):
    """Strict: μ itself. Tolerance: the binding point of the symmetric pair is α = Φ(−μ/2). Floor: the same unless it is below."""
    mu = ball(square).sqrt()
    fixed = normal_cdf(-mu / 2)
    if "tolerance" in asked:
        return -2 * probit(fixed + ball(asked["tolerance"]))
    if "error-floor" in asked and ball(asked["error-floor"]) > fixed:
        return -2 * probit(ball(asked["error-floor"]))
    exact = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    return exact if exact * exact == square else mu


def mixed():
    for gaussians, square, discrete, adjacency, queries in MIXED:
        law = compose([(discrete_law(part), part.get("times", 1)) for part in discrete])
        one = mixture(ball(square).sqrt(), law)
        for each in queries:
            yield described(gaussians + discrete, adjacency), each, answer([one], each), "sum of Gaussian profiles over the discrete losses; symmetric pair"


if __name__ == "__main__":
    main()
