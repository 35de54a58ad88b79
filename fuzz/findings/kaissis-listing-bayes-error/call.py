"""scipy 1.17.1, called as in the listing. Environment: common."""

from scipy.optimize import minimize_scalar
from scipy.stats import laplace, norm


def bayes_error(prior, f):
    return minimize_scalar(lambda alpha: prior * alpha + (1 - prior) * f(alpha), bounds=(0, 1)).fun


print("laplace", bayes_error(0.0001, lambda alpha: laplace.cdf(laplace.isf(alpha) - 1)))
print("gaussian", bayes_error(0.1, lambda alpha: norm.cdf(norm.isf(alpha) - 0.2)))
