"""prv_accountant: the estimate of ε of DP-SGD; its own bounds are about eps_error to either side.

One direction only: the subsampled mixture against the plain Gaussian ("remove").
"""

from prv_accountant.dpsgd import DPSGDAccountant


def answer(quantity, at, sigma, rate, steps, eps_error):
    assert quantity == "epsilon"
    accountant = DPSGDAccountant(
        noise_multiplier=sigma, sampling_probability=rate, max_steps=steps,
        eps_error=eps_error, delta_error=at / 1000,
    )
    _, estimate, _ = accountant.compute_epsilon(delta=at, num_steps=steps)
    return estimate
