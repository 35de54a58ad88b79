"""riskcal: attack risks of DP-SGD from its accountant, with every option as it comes."""

from functools import lru_cache

from dpcmp_adapter import DPSGD, gaussians, number, serve
from riskcal.accountants import CTDAccountant
from riskcal.analysis import get_advantage_from_pld, get_bayes_risk_from_pld, get_beta_from_pld


@lru_cache(maxsize=2)
def law(phases):
    accountant = CTDAccountant()
    accountant.history = list(phases)
    return accountant.get_pld()


def answer(mechanism, query):
    found = law(tuple(gaussians(mechanism)))
    if query["kind"] == "tradeoff":
        return get_beta_from_pld(found, alpha=number(query["alpha"]))
    if query["kind"] == "bayes-error":
        return get_bayes_risk_from_pld(found, prior=number(query["prior"]))
    if query["kind"] == "epsilon":
        return found.get_epsilon_for_delta(number(query["delta"]))
    return get_advantage_from_pld(found)


serve("riskcal", ["riskcal", "dp-accounting"], answer, DPSGD, ["tradeoff", "advantage", "bayes-error", "epsilon"])
