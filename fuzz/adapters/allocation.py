"""random_allocation: the best of its bounds, or the one that the argument names (analytic, direct, RDP_DCO, decomposition, recursive)."""

import importlib
import sys

from dpcmp_adapter import Unsupported, number, serve
from random_allocation.comparisons.definitions import PrivacyParams, SchemeConfig, Verbosity

WHICH = sys.argv[1] if len(sys.argv) > 1 else "combined"
# The orders have no default; these are those of the package's own experiments.
ORDERS = {"allocation_direct_alpha_orders": list(range(2, 61)), "allocation_RDP_DCO_alpha_orders": list(range(2, 61))}
CONFIG = SchemeConfig(verbosity=Verbosity.NONE, **ORDERS)
bounds = importlib.import_module("random_allocation.random_allocation_scheme")


def answer(mechanism, query):
    if mechanism["kind"] != "random-allocation" or mechanism["of"]["kind"] != "gaussian":
        raise Unsupported("only an allocation of Gaussian noise")
    what = query["kind"]
    asked = {"delta": number(query["delta"])} if what == "epsilon" else {"epsilon": number(query["epsilon"])}
    if asked.get("epsilon", 1) <= 0:
        raise Unsupported("ε > 0 is asked for")
    chosen = [int(mechanism.get(key, 1)) for key in ("steps", "selected", "epochs")]
    of = mechanism["of"]
    known = PrivacyParams(number(of.get("sigma", of.get("noise-multiplier"))), *chosen, **asked)
    return getattr(bounds, f"allocation_{what}_{WHICH}")(known, CONFIG)


serve(f"random_allocation {WHICH}", ["random-allocation"], answer, ["random-allocation", "gaussian"], ["epsilon", "delta"])
