"""opacus 1.6.0. Environment: common (without torch: only numpy and scipy compute)."""

import importlib.util
import sys
import types
from pathlib import Path

where = Path(importlib.util.find_spec("opacus").origin).parent
package, optimizers = types.ModuleType("opacus"), types.ModuleType("opacus.optimizers")
package.__path__ = [str(where)]
optimizers.DPOptimizer = object
sys.modules.update({"opacus": package, "opacus.optimizers": optimizers})

from opacus.accountants import create_accountant  # noqa: E402


def epsilon(sigma, rate, steps, delta):
    accountant = create_accountant("prv")
    accountant.history = [(sigma, rate, steps)]
    return accountant.get_epsilon(delta)


print("small-noise", epsilon(0.5, 0.013, 1000, 2.591e-12))
print("sampled", epsilon(36.4, 0.1, 6000, 4.9e-14))
print("gaussian", epsilon(236, 1, 30000, 1e-12))
