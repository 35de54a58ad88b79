"""The listing of Kaissis et al. 2024, appendix B.3, and δ of a Gaussian as accountants write it in one line of scipy.

f of Gaussian and Laplace noise, and the Bayes error as the minimum that `minimize_scalar` finds.
"""

import math

import numpy as np
from dpcmp_adapter import Unsupported, number, parts, serve
from scipy.optimize import minimize_scalar
from scipy.stats import laplace, norm


def f_gauss(alpha, mu):
    return norm.cdf(norm.isf(alpha) - mu)


def f_lap(alpha, mu):
    return laplace.cdf(laplace.isf(alpha) - mu)


def bayes_error(pi, f):
    return minimize_scalar(lambda alpha: pi * alpha + (1 - pi) * f(alpha), bounds=(0, 1)).fun


def curve(mechanism):
    found = parts(mechanism)
    kinds = {step["kind"] for step, _, _ in found}
    if any(rate < 1 for _, rate, _ in found):
        raise Unsupported("sampling")
    if kinds == {"gaussian"}:
        mu = math.sqrt(sum(times / number(step["sigma"]) ** 2 for step, _, times in found))
        return (lambda alpha: f_gauss(alpha, mu)), mu
    if kinds == {"laplace"} and [times for _, _, times in found] == [1]:
        mu = 1 / number(found[0][0]["scale"])
        return (lambda alpha: f_lap(alpha, mu)), None
    raise Unsupported("neither Gaussian noise nor one Laplace mechanism")


def answer(mechanism, query):
    f, mu = curve(mechanism)
    if query["kind"] == "tradeoff":
        return f(number(query["alpha"]))
    if query["kind"] == "bayes-error":
        return bayes_error(number(query["prior"]), f)
    if mu is None:
        raise Unsupported("δ of Laplace noise")
    epsilon = number(query["epsilon"])
    return norm.cdf(mu / 2 - epsilon / mu) - np.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)


MECHANISMS = ["dp-sgd", "phases", "compose", "gaussian", "laplace"]
serve("scipy listing", ["scipy"], answer, MECHANISMS, ["tradeoff", "bayes-error", "delta"])
