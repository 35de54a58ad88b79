"""prv_accountant: its lower and upper bounds, at the error of ε that the argument gives [default: 0.1, as in its documentation].

Opacus asks for 0.01; `delta_error` is a thousandth of δ; where ε is given, it is the 1e-9 of the class's default. The bounds are those of one
direction, the mixture against the plain Gaussian, so ε below 0 is not asked for.
"""

import sys

from dpcmp_adapter import Unsupported, number, parts, serve
from prv_accountant import LaplaceMechanism, PoissonSubsampledGaussianMechanism, PRVAccountant
from prv_accountant.privacy_random_variables import GaussianMechanism

EPS_ERROR = float(sys.argv[1]) if len(sys.argv) > 1 else 0.1


def variable(step, rate):
    if step["kind"] == "gaussian" and rate < 1:
        return PoissonSubsampledGaussianMechanism(rate, number(step["sigma"]))
    if step["kind"] == "gaussian":
        return GaussianMechanism(number(step["sigma"]))
    if step["kind"] == "laplace" and rate == 1:
        return LaplaceMechanism(1 / number(step["scale"]))
    raise Unsupported(f"{step['kind']} at rate {rate}")


def answer(mechanism, query):
    found = parts(mechanism)
    variables, counts = [variable(step, rate) for step, rate, _ in found], [times for _, _, times in found]
    delta = number(query.get("delta", 1e-6))
    accountant = PRVAccountant(variables, eps_error=EPS_ERROR, delta_error=delta / 1000, max_self_compositions=counts)
    if query["kind"] == "epsilon":
        lower, _, upper = accountant.compute_epsilon(delta, counts)
        return lower, upper
    epsilon = number(query.get("epsilon", 0))
    if epsilon < 0:
        raise Unsupported("epsilon below 0")
    lower, _, upper = accountant.compute_delta(epsilon, counts)
    # A lower bound below 0 and an upper one above 1 say nothing.
    return max(lower, 0.0), min(upper, 1.0)


MECHANISMS = ["dp-sgd", "phases", "compose", "mixed", "gaussian", "laplace"]
serve("prv_accountant", ["prv-accountant"], answer, MECHANISMS, ["epsilon", "delta", "advantage"])
