"""riskcal 1.5.1 with dp_accounting 0.6.0. Environment: common."""

from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
from riskcal.accountants import CTDAccountant


def after(sigma, rate, steps):
    made = CTDAccountant()
    made.history = [(sigma, rate, steps)]
    return made


print("epsilon", after(3.01, 0.091, 5000).get_epsilon(delta=1e-11))
print("rare", after(0.491, 0.0000909, 100000).get_epsilon(delta=7.89e-12))
print("tradeoff", after(0.607, 0.1, 730).get_beta(alpha=0.5))
