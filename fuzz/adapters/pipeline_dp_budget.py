"""PipelineDP: the least budget for which its accountants ask for no more noise than there is.

`pld` is its accountant by privacy loss distributions, `naive` that which splits ε and δ by weights. Both take a budget and say how much noise, or
which (ε, δ), each mechanism gets; they promise that all of them together have the budget.
"""

import math
import sys

from dpcmp_adapter import Unsupported, number, parts, serve
from pipeline_dp import NaiveBudgetAccountant, PLDBudgetAccountant
from pipeline_dp.aggregate_params import MechanismType

ROOM = 1e-3


def deviation(step):
    """The type of a mechanism, and the standard deviation of its noise where a record moves a sum by 1."""
    if step["kind"] == "gaussian":
        return MechanismType.GAUSSIAN, number(step["sigma"])
    if step["kind"] == "laplace":
        return MechanismType.LAPLACE, number(step["scale"]) * math.sqrt(2)
    raise Unsupported(step["kind"])


def by_distributions(steps, delta):
    """ε of noise that is as large as there is, raised until the noise asked for is no larger."""
    noise = [(*deviation(step), times) for step, times in steps]

    def asked(epsilon):
        accountant = PLDBudgetAccountant(epsilon, delta)
        for kind, deviation_, times in noise:
            accountant.request_budget(kind, weight=1 / deviation_, count=times)
        return accountant

    epsilon = asked(1.0)._compose_distributions(1.0).get_epsilon_for_delta(delta)
    if not 0 < epsilon < math.inf:
        raise Unsupported("a budget of 0, or none")
    for _ in range(4):
        accountant = asked(epsilon)
        accountant.compute_budgets()
        if accountant.base_noise_std <= 1:
            return epsilon
        epsilon *= 1 + ROOM
    raise Unsupported("the noise asked for is not found")


def guarantee(step):
    """(ε, δ) of one step."""
    kind = step["kind"]
    if kind == "laplace":
        return MechanismType.LAPLACE, 1 / number(step["scale"]), 0.0
    if kind in ("approx-dp", "pure-dp", "randomized-response"):
        return MechanismType.GENERIC, number(step["epsilon"]), number(step.get("delta", 0))
    raise Unsupported(kind)


def by_weights(steps, delta):
    """The share of each mechanism is in proportion to the budget, and to its weight."""
    accountant = NaiveBudgetAccountant(1.0, delta)
    all_guarantees = [(*guarantee(step), times) for step, times in steps]
    specs = [accountant.request_budget(kind, weight=epsilon, count=times) for kind, epsilon, _, times in all_guarantees]
    accountant.compute_budgets()
    if any(delta > (spec.delta or 0) for (_, _, delta, _), spec in zip(all_guarantees, specs)):
        raise Unsupported("δ is spent")
    return max(epsilon / spec.eps for (_, epsilon, _, _), spec in zip(all_guarantees, specs))


def answer(mechanism, query):
    found = parts(mechanism)
    if any(rate < 1 for _, rate, _ in found):
        raise Unsupported("sampling")
    return {"pld": by_distributions, "naive": by_weights}[MODE]([(step, times) for step, _, times in found], number(query["delta"]))


MODE = sys.argv[1] if len(sys.argv) > 1 else "pld"
MECHANISMS = {"pld": ["gaussian", "laplace", "compose", "mixed"], "naive": ["compose", "mixed", "pure-dp", "approx-dp", "laplace", "randomized-response"]}
serve(f"PipelineDP {MODE}", ["pipeline-dp", "dp-accounting"], answer, MECHANISMS[MODE], ["epsilon"])
