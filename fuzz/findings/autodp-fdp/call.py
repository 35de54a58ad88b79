"""autodp 0.2.3.1. Environment: common."""

from autodp.mechanism_zoo import ExactGaussianMechanism

print("claim", float(ExactGaussianMechanism(0.15).get_fDP(4e-15)))
