"""autodp: mechanisms of its zoo, composed by its Rényi accountant, with every option as it comes."""

import math

from autodp.mechanism_zoo import ExactGaussianMechanism, LaplaceMechanism, RandresponseMechanism
from autodp.transformer_zoo import AmplificationBySampling, Composition
from common import Unsupported, number, parts, serve


def one(step, rate):
    kind = step["kind"]
    if kind == "gaussian":
        found = ExactGaussianMechanism(number(step["sigma"]))
    elif kind == "laplace":
        found = LaplaceMechanism(number(step["scale"]))
    elif kind == "randomized-response" and int(step["k"]) == 2:
        if number(step["epsilon"]) > 15:
            raise Unsupported("an epsilon that a probability near 1 does not carry")
        found = RandresponseMechanism(math.nextafter(1 / (1 + math.exp(-number(step["epsilon"]))), 1))
    else:
        raise Unsupported(kind)
    if rate == 1:
        return found
    # The improved bound is for Gaussian noise; the general one holds for all.
    return AmplificationBySampling()(found, rate, improved_bound_flag=kind == "gaussian")


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


MECHANISMS = ["dp-sgd", "phases", "compose", "mixed", "subsampled", "gaussian", "laplace", "randomized-response"]
serve("autodp", ["autodp"], answer, MECHANISMS, ["epsilon", "tradeoff"])
