"""riskcal: attack advantage, least type-II error, and the noise that meets a target, of DP-SGD."""

from riskcal.accountants import CTDAccountant
from riskcal.calibration import blackbox, dpsgd


def answer(quantity, at, sigma, rate, steps, grid):
    if quantity == "advantage":
        return dpsgd.get_advantage_for_dpsgd(sigma, rate, steps, grid_step=grid)
    if quantity == "tradeoff":
        return dpsgd.get_beta_for_dpsgd(sigma, rate, steps, alpha=at, grid_step=grid)
    if quantity == "noise-for-advantage":
        return dpsgd.find_noise_multiplier_for_advantage(at, rate, steps, grid_step=grid)
    if quantity == "noise-for-fnr-at-0.01":
        return dpsgd.find_noise_multiplier_for_err_rates(0.01, at, rate, steps, grid_step=grid)
    assert quantity == "noise-for-epsilon-at-1e-5"
    return blackbox.find_noise_multiplier_for_epsilon_delta(CTDAccountant, rate, steps, at, 1e-5, grid_step=grid)
