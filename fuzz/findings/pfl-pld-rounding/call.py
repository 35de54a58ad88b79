"""pfl 0.6.0. Environment: pfl."""

from pfl.privacy.privacy_accountant import PLDPrivacyAccountant

print("epsilon", PLDPrivacyAccountant(1000, 1, "gaussian", noise_parameter=40, delta=1e-10).epsilon)
print("delta", PLDPrivacyAccountant(100, 0.0114, "gaussian", noise_parameter=0.75, epsilon=7.32).delta)
