"""autodp: mechanisms of its zoo, composed by its Rényi accountant, with every option as it comes.

With the argument `afa`, by its analytical Fourier accountant instead: characteristic functions, and a quadrature in doubles to invert them.
"""

import math
import sys

from autodp.mechanism_zoo import ExactGaussianMechanism, GaussianMechanism, LaplaceMechanism, RandresponseMechanism
from autodp.transformer_zoo import AmplificationBySampling, ComposeAFA, Composition
from dpcmp_adapter import Unsupported, number, parts, serve


def one(step, rate):
    kind = step["kind"]
    if kind == "gaussian":
        found = ExactGaussianMechanism(number(step["sigma"]))
    elif kind == "laplace":
        found = LaplaceMechanism(number(step["scale"]))
    elif kind == "randomized-response" and int(step["k"]) == 2:
        found = RandresponseMechanism(truth_probability(step))
    else:
        raise Unsupported(kind)
    if rate == 1:
        return found
    # The improved bound is for Gaussian noise; the general one holds for all.
    return AmplificationBySampling()(found, rate, improved_bound_flag=kind == "gaussian")


def truth_probability(step):
    """At least that of ε: what is rounded here is not the accountant's fault."""
    if number(step["epsilon"]) > 15:
        raise Unsupported("an epsilon that a probability near 1 does not carry")
    return math.nextafter(1 / (1 + math.exp(-number(step["epsilon"]))), 1)


def composed(mechanism):
    found = parts(mechanism)
    steps = [one(step, rate) for step, rate, _ in found]
    if len(found) == 1 and found[0][2] == 1:
        return steps[0]
    return Composition()(steps, [times for _, _, times in found])


def answer(mechanism, query):
    found = composed(mechanism)
    if query["kind"] == "tradeoff":
        return found.get_fDP(number(query["alpha"]))
    return found.get_approxDP(number(query["delta"]))


def fourier_one(step, rate):
    kind = step["kind"]
    if rate < 1:
        raise Unsupported("sampling: it needs scipy.integrate.quadrature, which is no longer there")
    if kind == "gaussian":
        return GaussianMechanism(number(step["sigma"]), RDP_off=True, approxDP_off=True, phi_off=False)
    if kind == "laplace":
        return LaplaceMechanism(number(step["scale"]), RDP_off=True, phi_off=False)
    if kind == "randomized-response" and int(step["k"]) == 2:
        return RandresponseMechanism(truth_probability(step), RDP_off=True, phi_off=False)
    raise Unsupported(kind)


def fourier_answer(mechanism, query):
    found = parts(mechanism)
    steps = [fourier_one(step, rate) for step, rate, _ in found]
    both = ComposeAFA()(steps, [times for _, _, times in found])
    if query["kind"] == "epsilon":
        return both.get_approxDP(number(query["delta"]))
    return both.get_approx_delta(number(query.get("epsilon", 0)))


MECHANISMS = ["compose", "mixed", "gaussian", "laplace", "randomized-response"]
if sys.argv[1:] == ["afa"]:
    name, queries = "autodp, analytical Fourier accountant", ["epsilon", "delta", "advantage"]
    serve(name, ["autodp"], fourier_answer, MECHANISMS, queries)
else:
    serve("autodp", ["autodp"], answer, ["dp-sgd", "phases", "subsampled", *MECHANISMS], ["epsilon", "tradeoff"])
