"""fourier-accountant 0.12.11. Environment: fourier_accountant."""

import numpy as np
from fourier_accountant import get_delta_S, get_epsilon_R

print("small-noise", get_epsilon_R(1e-7, 1.0, 0.1, 1))
print("large-noise", get_epsilon_R(1e-4, 50.0, 0.1, 1))
phases = np.array([1.25, 1.9, 3, 2]), np.array([0.4427, 0.007, 0.021, 0.33]), np.array([1, 300, 8, 10])
print("phases", get_delta_S(10.53, *phases))
