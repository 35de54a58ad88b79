"""autodp 0.2.3.1. Environment: common."""

import math

from autodp.mechanism_zoo import LaplaceMechanism, RandresponseMechanism
from autodp.transformer_zoo import ComposeAFA

laplace = LaplaceMechanism(10, RDP_off=True, phi_off=False)
print("laplace", ComposeAFA()([laplace], [10]).get_approx_delta(0))
# The probability of the truth at ε = 5, rounded up.
response = RandresponseMechanism(math.nextafter(1 / (1 + math.exp(-5)), 1), RDP_off=True, phi_off=False)
print("response", ComposeAFA()([response], [1]).get_approx_delta(1))
