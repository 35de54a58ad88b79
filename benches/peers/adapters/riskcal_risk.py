"""riskcal: attack advantage, least type-II error, and the noise that meets an advantage, of DP-SGD."""

from riskcal.calibration import dpsgd


def answer(quantity, at, sigma, rate, steps, grid):
    if quantity == "advantage":
        return dpsgd.get_advantage_for_dpsgd(sigma, rate, steps, grid_step=grid)
    if quantity == "tradeoff":
        return dpsgd.get_beta_for_dpsgd(sigma, rate, steps, alpha=at, grid_step=grid)
    assert quantity == "noise-for-advantage"
    return dpsgd.find_noise_multiplier_for_advantage(at, rate, steps, grid_step=grid)
