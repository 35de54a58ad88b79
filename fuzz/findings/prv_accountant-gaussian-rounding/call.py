"""prv_accountant 0.2.0. Environment: common."""

from prv_accountant import GaussianMechanism, PRVAccountant


def ends(sigma, steps, delta, error):
    accountant = PRVAccountant([GaussianMechanism(sigma)], eps_error=error, delta_error=delta / 1000, max_self_compositions=[steps])
    return accountant.compute_epsilon(delta, [steps])[2]


print("gaussian-10000", ends(10, 10_000, 1e-11, 0.01))
print("gaussian-90000", ends(640, 90_000, 6.1e-13, 0.01))
print("gaussian-100000", ends(100, 100_000, 1e-11, 0.1))
