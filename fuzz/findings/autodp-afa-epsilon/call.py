"""autodp 0.2.3.1. Environment: common."""

from autodp.mechanism_zoo import GaussianMechanism
from autodp.transformer_zoo import ComposeAFA

step = GaussianMechanism(1, RDP_off=True, approxDP_off=True, phi_off=False)
print("claim", ComposeAFA()([step], [1]).get_approxDP(0.1))
