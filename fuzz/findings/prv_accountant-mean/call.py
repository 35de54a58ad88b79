"""prv_accountant 0.2.0. Environment: common."""

from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant

step = PoissonSubsampledGaussianMechanism(1e-7, 0.5)
accountant = PRVAccountant([step], eps_error=0.1, delta_error=1e-11, max_self_compositions=[10**7])
print("claim", accountant.compute_epsilon(1e-8, [10**7])[2])
