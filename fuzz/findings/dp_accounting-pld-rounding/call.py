"""dp_accounting 0.6.0. Environment: common."""

from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism as gaussian

print("gaussian-50", gaussian(1).self_compose(50).get_epsilon_for_delta(1e-12))
print("gaussian-3000", gaussian(12).self_compose(3000).get_epsilon_for_delta(1e-12))
print("gaussian-20000", gaussian(30).self_compose(20000).get_epsilon_for_delta(1e-9))
print("sampled", gaussian(0.5745, sampling_prob=0.03).self_compose(30).get_epsilon_for_delta(2.44e-13))
print("delta", gaussian(0.748, sampling_prob=0.0114).self_compose(1000).get_delta_for_epsilon(9.51))
