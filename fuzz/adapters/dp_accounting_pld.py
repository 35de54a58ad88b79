"""dp_accounting: privacy loss distributions, with every option as it comes."""

import math
from functools import lru_cache

from common import Unsupported, is_replaced, number, parts, serve
from dp_accounting.privacy_accountant import NeighboringRelation
from dp_accounting.pld import common as pld_common
from dp_accounting.pld import privacy_loss_distribution as pld


def one(step, rate, replaced):
    kind = step["kind"]
    if kind == "gaussian":
        relation = NeighboringRelation.REPLACE_ONE if replaced else NeighboringRelation.ADD_OR_REMOVE_ONE
        return pld.from_gaussian_mechanism(number(step["sigma"]), sampling_prob=rate, neighboring_relation=relation)
    if replaced:
        return one_replaced(step, rate)
    if kind == "laplace":
        return pld.from_laplace_mechanism(number(step["scale"]), sampling_prob=rate)
    if kind == "discrete-laplace":
        return pld.from_discrete_laplace_mechanism(1 / number(step["scale"]), sampling_prob=rate)
    if kind == "discrete-gaussian":
        return pld.from_discrete_gaussian_mechanism(number(step["sigma"]), sampling_prob=rate)
    if rate < 1:
        raise Unsupported(f"sampled {kind}")
    if kind == "randomized-response":
        k = int(step["k"])
        # The true answer has probability 1 - p + p/k, each other one p/k.
        return pld.from_randomized_response(k / (math.exp(number(step["epsilon"])) + k - 1), k)
    if kind == "approx-dp":
        epsilon, delta = number(step["epsilon"]), number(step["delta"])
        return pld.from_privacy_parameters(pld_common.DifferentialPrivacyParameters(epsilon, delta))
    if kind == "finite":
        log = lambda masses: {i: math.log(number(p)) for i, p in enumerate(masses) if number(p) > 0}
        upper, lower = log(step["p"]), log(step["q"])
        return pld.from_two_probability_mass_functions(lower, upper, symmetric=False)
    raise Unsupported(kind)


def one_replaced(step, rate):
    """Noise for which the library has no neighbouring relation: a replaced record moves the sum by 2."""
    kind = step["kind"]
    if rate < 1:
        raise Unsupported(f"sampled {kind} with a replaced record")
    if kind == "laplace":
        return pld.from_laplace_mechanism(number(step["scale"]), sensitivity=2)
    if kind == "discrete-laplace":
        return pld.from_discrete_laplace_mechanism(1 / number(step["scale"]), sensitivity=2)
    if kind == "discrete-gaussian":
        return pld.from_discrete_gaussian_mechanism(number(step["sigma"]), sensitivity=2)
    return one(step, rate, False)


@lru_cache(maxsize=2)
def composed(found, replaced):
    total = None
    for (step, rate, times) in found:
        law = one(dict(step), rate, replaced).self_compose(times)
        total = law if total is None else total.compose(law)
    return total


def answer(mechanism, query):
    key = lambda step: tuple((k, tuple(v) if isinstance(v, list) else v) for k, v in step.items())
    found = tuple((key(step), rate, times) for step, rate, times in parts(mechanism))
    law = composed(found, is_replaced(mechanism))
    if query["kind"] == "epsilon":
        return law.get_epsilon_for_delta(number(query["delta"]))
    return law.get_delta_for_epsilon(number(query.get("epsilon", 0)))


MECHANISMS = ["dp-sgd", "phases", "compose", "mixed", "subsampled", "gaussian", "laplace", "discrete-laplace"]
MECHANISMS += ["discrete-gaussian", "randomized-response", "approx-dp", "finite"]
RELATIONS = ["add-remove", "replace-one"]
serve("dp_accounting PLD", ["dp-accounting"], answer, MECHANISMS, ["epsilon", "delta", "advantage"], relations=RELATIONS)
