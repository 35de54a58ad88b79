"""gdpnum 0.1.2 with dp_accounting 0.6.0. Environment: common."""

from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
from gdpnum import PLDConverter

print("claim", PLDConverter(from_gaussian_mechanism(1, sampling_prob=0.1)).get_mu(err=1e-9))
