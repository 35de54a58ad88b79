"""diffprivlib: what its budget accountant says of guarantees that are composed, with the slack that δ leaves."""

import math

from diffprivlib import BudgetAccountant
from dpcmp_adapter import Unsupported, number, parts, serve


def guarantee(step):
    """(ε, δ) of one step, as its mechanism is called."""
    kind = step["kind"]
    if kind == "laplace":
        return 1 / number(step["scale"]), 0.0
    if kind == "approx-dp":
        return number(step["epsilon"]), number(step["delta"])
    if kind in ("pure-dp", "randomized-response"):
        return number(step["epsilon"]), 0.0
    raise Unsupported(kind)


def answer(mechanism, query):
    spent = []
    for step, rate, times in parts(mechanism):
        if rate < 1 or times > 100_000:
            raise Unsupported("sampling, or more than it spends in a second")
        spent += [guarantee(step)] * times
    delta = number(query["delta"])
    # δ in all is 1 − (1 − slack)·Π(1 − δᵢ).
    kept = math.fsum(math.log1p(-one) for _, one in spent)
    slack = -math.expm1(math.log1p(-delta) - kept)
    if slack < 0:
        raise Unsupported("δ is spent")
    return BudgetAccountant().total(spent, slack)[0]


MECHANISMS = ["compose", "mixed", "pure-dp", "approx-dp", "laplace", "randomized-response"]
serve("diffprivlib", ["diffprivlib"], answer, MECHANISMS, ["epsilon"])
