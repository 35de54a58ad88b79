"""fourier_accountant: privacy loss distributions by a Fourier transform, with every option as it comes."""

import numpy as np
from dpcmp_adapter import DPSGD, Unsupported, gaussians, number, relation_of, serve
from fourier_accountant import get_delta_R, get_delta_S, get_epsilon_R, get_epsilon_S


def answer(mechanism, query):
    sigmas, rates, steps = (np.array(of) for of in zip(*gaussians(mechanism)))
    is_replaced = relation_of(mechanism) == "replace-one"
    if query["kind"] == "epsilon":
        find = get_epsilon_S if is_replaced else get_epsilon_R
        try:
            # An ε below 0 is no more than (0, δ)-DP to its authors.
            return max(0.0, find(number(query["delta"]), sigmas, rates, steps))
        except ValueError as reason:  # It says so where its range of losses is too short.
            raise Unsupported(str(reason)) from reason
    if number(query["epsilon"]) <= 0:
        raise Unsupported("ε > 0 is asked for")
    find = get_delta_S if is_replaced else get_delta_R
    return find(number(query["epsilon"]), sigmas, rates, steps)


RELATIONS = ("add-remove", "replace-one")
serve("fourier_accountant", ["fourier-accountant"], answer, DPSGD, ["epsilon", "delta"], relations=RELATIONS)
