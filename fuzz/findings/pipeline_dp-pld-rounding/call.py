"""pipeline-dp 0.3.1 with dp_accounting 0.6.0. Environment: pipeline_dp."""

import math

from pipeline_dp import PLDBudgetAccountant
from pipeline_dp.aggregate_params import MechanismType


def noise_for(budget, kind, deviation, times):
    """How much noise the accountant asks for, of mechanisms whose weight says that it is so much."""
    accountant = PLDBudgetAccountant(*budget)
    spec = accountant.request_budget(kind, weight=1 / deviation, count=times)
    accountant.compute_budgets()
    return spec.noise_standard_deviation


def is_enough(budget, kind, deviation, times):
    asked = noise_for(budget, kind, deviation, times)
    print(f"(it asks for a standard deviation of {asked}, there is {deviation})")
    return budget[0] if asked <= deviation else math.nan


print("epsilon", is_enough((2.6631184933173473, 1e-11), MechanismType.GAUSSIAN, 77, 1000))
print("rare", is_enough((4.3916903909814815, 2.1e-15), MechanismType.GAUSSIAN, 110, 4000))
print("laplace", is_enough((0.5949448393870455, 1e-13), MechanismType.LAPLACE, 347.7 * math.sqrt(2), 940))
