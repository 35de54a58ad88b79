"""gdpnum: μ above an error floor, the trade-off curve and the advantage of DP-SGD, with every option as it comes."""

from functools import lru_cache

from dpcmp_adapter import DPSGD, gaussians, number, serve
from gdpnum import CTDAccountant, PLDConverter


@lru_cache(maxsize=2)
def converter(phases):
    accountant = CTDAccountant()
    accountant.history = list(phases)
    return PLDConverter(accountant.get_pld())


def answer(mechanism, query):
    found = converter(tuple(gaussians(mechanism)))
    if query["kind"] == "gdp-mu":
        return found.get_mu(err=number(query["error-floor"]))
    if query["kind"] == "tradeoff":
        return found.get_beta(number(query["alpha"]))
    if query["kind"] == "epsilon":
        return found.pld.get_epsilon_for_delta(number(query["delta"]))
    return found.get_advantage()


serve("gdpnum", ["gdpnum", "dp-accounting"], answer, DPSGD, ["gdp-mu", "tradeoff", "advantage", "epsilon"])
