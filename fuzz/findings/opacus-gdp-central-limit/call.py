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
    accountant = create_accountant("gdp")
    accountant.history = [(sigma, rate, steps)]
    return accountant.get_epsilon(delta)


print("one-step", epsilon(1, 0.1, 1, 0.01))
print("tiny-delta", epsilon(1, 7.2e-7, 2, 2.623e-14))
