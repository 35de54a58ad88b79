"""gdpnum: μ of DP-SGD above its error floor, the first half of its `get_mu_and_regret_for_dpsgd`."""

from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
from gdpnum import PLDConverter


def answer(quantity, at, sigma, rate, steps, grid):
    assert quantity == "gdp-mu"
    step = from_gaussian_mechanism(
        standard_deviation=sigma, sampling_prob=rate, use_connect_dots=True, value_discretization_interval=grid
    )
    return PLDConverter(step.self_compose(steps)).get_mu(err=at)
