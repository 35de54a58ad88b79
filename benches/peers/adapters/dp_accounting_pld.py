"""dp_accounting: ε of DP-SGD from its privacy loss distributions, connect-the-dots, as it comes.

`from_gaussian_mechanism` rounds pessimistically by default and, for a sampling rate below 1, builds one distribution per
direction (remove, add); both are composed and `get_epsilon_for_delta` is the larger ε of the two.
"""

from dp_accounting.pld import privacy_loss_distribution


def answer(quantity, at, sigma, rate, steps, grid):
    assert quantity == "epsilon"
    step = privacy_loss_distribution.from_gaussian_mechanism(
        standard_deviation=sigma, sampling_prob=rate, value_discretization_interval=grid
    )
    return step.self_compose(steps).get_epsilon_for_delta(at)
