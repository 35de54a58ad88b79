"""opacus: its accountant `rdp`, `prv` or `gdp`, named by the argument.

The accountants compute with numpy and scipy; only the packages around them import torch. Placeholders stand in for these, so that
torch need not be installed.
"""

import importlib.util
import sys
import types
from pathlib import Path

from dpcmp_adapter import Unsupported, gaussians, number, serve


def without_torch():
    where = Path(importlib.util.find_spec("opacus").origin).parent
    package, optimizers = types.ModuleType("opacus"), types.ModuleType("opacus.optimizers")
    package.__path__ = [str(where)]
    optimizers.DPOptimizer = object
    sys.modules.update({"opacus": package, "opacus.optimizers": optimizers})


without_torch()
from opacus.accountants import create_accountant  # noqa: E402

WHICH = sys.argv[1]


def answer(mechanism, query):
    phases = gaussians(mechanism)
    if WHICH == "gdp" and len(phases) > 1:
        raise Unsupported("phases")
    accountant = create_accountant(WHICH)
    # What `step` writes, without a call for each step.
    accountant.history = phases
    return accountant.get_epsilon(number(query["delta"]))


MECHANISMS = ["dp-sgd"] if WHICH == "gdp" else ["dp-sgd", "phases"]
serve(f"opacus {WHICH}", ["opacus"], answer, MECHANISMS, ["epsilon"])
