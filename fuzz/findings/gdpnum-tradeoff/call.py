"""gdpnum 0.1.2 with dp_accounting 0.6.0. Environment: common."""

from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
from gdpnum import PLDConverter

print("gaussian", PLDConverter(from_gaussian_mechanism(1)).get_beta(0.1))
print("gaussian-5", PLDConverter(from_gaussian_mechanism(1).self_compose(5)).get_beta(0.1))
