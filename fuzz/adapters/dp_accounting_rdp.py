"""dp_accounting: Rényi differential privacy, with every option as it comes."""

import dp_accounting
from common import Unsupported, number, parts, serve
from dp_accounting.rdp import RdpAccountant


def event(step, rate, times):
    kind = step["kind"]
    if kind == "gaussian":
        one = dp_accounting.GaussianDpEvent(number(step["sigma"]))
    elif kind == "laplace" and rate == 1:
        one = dp_accounting.LaplaceDpEvent(number(step["scale"]))
    else:
        raise Unsupported(f"{kind} at rate {rate}")
    sampled = one if rate == 1 else dp_accounting.PoissonSampledDpEvent(rate, one)
    return dp_accounting.SelfComposedDpEvent(sampled, times)


def answer(mechanism, query):
    accountant = RdpAccountant()
    for part in parts(mechanism):
        accountant.compose(event(*part))
    if query["kind"] == "epsilon":
        return accountant.get_epsilon(number(query["delta"]))
    return accountant.get_delta(number(query.get("epsilon", 0)))


MECHANISMS = ["dp-sgd", "phases", "compose", "mixed", "gaussian", "laplace"]
serve("dp_accounting RDP", ["dp-accounting"], answer, MECHANISMS, ["epsilon", "delta", "advantage"])
