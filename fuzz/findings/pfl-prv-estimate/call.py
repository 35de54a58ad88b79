"""pfl 0.6.0. Environment: pfl."""

from pfl.privacy.privacy_accountant import PRVPrivacyAccountant

print("epsilon", PRVPrivacyAccountant(1, 0.1, "gaussian", noise_parameter=10, delta=1e-4).epsilon)
print("delta", PRVPrivacyAccountant(1, 0.01, "gaussian", noise_parameter=1, epsilon=1).delta)
