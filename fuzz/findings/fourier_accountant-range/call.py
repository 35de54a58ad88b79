"""fourier-accountant 0.12.11. Environment: fourier_accountant."""

from fourier_accountant import get_delta_S, get_epsilon_R

print("sampled", get_epsilon_R(0.1, 1.0, 0.1, 5000))
print("replaced", get_delta_S(1.0, 0.3, 1.0, 1))
