"""dp_accounting: privacy loss distributions, with every option as it comes."""

import math
from functools import lru_cache

from dpcmp_adapter import Unsupported, number, parts, relation_of, serve
from dp_accounting.privacy_accountant import NeighboringRelation
from dp_accounting.pld import common as pld_common
from dp_accounting.pld import privacy_loss_distribution as pld


RELATIONS = {
    "add-remove": NeighboringRelation.ADD_OR_REMOVE_ONE,
    "replace-one": NeighboringRelation.REPLACE_ONE,
    "replace-special": NeighboringRelation.REPLACE_SPECIAL,
}


def one(step, rate, relation):
    kind = step["kind"]
    known = RELATIONS[relation]
    if kind == "gaussian":
        sigma = number(step.get("sigma", step.get("noise-multiplier")))
        return pld.from_gaussian_mechanism(sigma, sampling_prob=rate, neighboring_relation=known)
    if kind == "subsampled" and step["sampling"] == "truncated-poisson" and rate == 1:
        sizes = int(step["dataset-size"]), number(step["rate"]), int(step["max-batch"])
        noise = number(dict(step["of"])["noise-multiplier"])
        return pld.from_truncated_subsampled_gaussian_mechanism(*sizes, noise, neighboring_relation=known)
    if relation == "replace-one":
        return one_replaced(step, rate)
    if kind == "gaussian-mixture" and rate == 1:
        shifts, weights = [[number(x) for x in step[key]] for key in ("shifts", "weights")]
        return pld.from_mixture_gaussian_mechanism(number(step["sigma"]), shifts, weights)
    if kind == "laplace":
        return pld.from_laplace_mechanism(number(step["scale"]), sampling_prob=rate)
    if kind == "discrete-laplace":
        return pld.from_discrete_laplace_mechanism(1 / number(step["scale"]), sampling_prob=rate)
    if kind == "discrete-gaussian":
        return pld.from_discrete_gaussian_mechanism(number(step["sigma"]), sampling_prob=rate)
    if rate < 1:
        raise Unsupported(f"sampled {kind}")
    if relation == "replace-special":
        raise Unsupported(f"{kind} with a record zeroed")
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
    return one(step, rate, "add-remove")


@lru_cache(maxsize=2)
def composed(found, relation):
    total = None
    for (step, rate, times) in found:
        law = one(dict(step), rate, relation).self_compose(times)
        total = law if total is None else total.compose(law)
    return total


def frozen(value):
    if isinstance(value, dict):
        return tuple((key, frozen(inner)) for key, inner in value.items())
    return tuple(value) if isinstance(value, list) else value


def answer(mechanism, query):
    found = tuple((frozen(step), rate, times) for step, rate, times in parts(mechanism))
    law = composed(found, relation_of(mechanism))
    if query["kind"] == "epsilon":
        return law.get_epsilon_for_delta(number(query["delta"]))
    return law.get_delta_for_epsilon(number(query.get("epsilon", 0)))


MECHANISMS = ["dp-sgd", "phases", "compose", "mixed", "subsampled", "gaussian", "laplace", "discrete-laplace"]
MECHANISMS += ["discrete-gaussian", "randomized-response", "approx-dp", "finite", "gaussian-mixture", "truncated-poisson"]
serve("dp_accounting PLD", ["dp-accounting"], answer, MECHANISMS, ["epsilon", "delta", "advantage"], relations=tuple(RELATIONS))
