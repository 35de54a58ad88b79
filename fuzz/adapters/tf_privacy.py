"""TensorFlow Privacy: the argument names its central limit (`gdp`), its function for DP-SGD (`dp-sgd`) or its trees (`tree`).

Only the analyses are used, which need no TensorFlow.
"""

import sys

sys.skip_tf_privacy_import = True

from dp_accounting import rdp as conversion  # noqa: E402
from dpcmp_adapter import Unsupported, gaussians, number, serve  # noqa: E402
from tensorflow_privacy.privacy.analysis import compute_dp_sgd_privacy_lib as dp_sgd  # noqa: E402
from tensorflow_privacy.privacy.analysis import gdp_accountant, tree_aggregation_accountant  # noqa: E402

WHICH = sys.argv[1]


def run(mechanism, query):
    """A run is counted in epochs of n records: one record, batches of the rate."""
    found = gaussians(mechanism)
    if len(found) > 1:
        raise Unsupported("phases")
    [(sigma, rate, steps)] = found
    delta = number(query["delta"])
    if WHICH == "gdp":
        return gdp_accountant.compute_eps_poisson(steps * rate, sigma, 1, rate, delta)
    return dp_sgd.compute_dp_sgd_privacy(1, rate, sigma, steps * rate, delta)[0]


ORDERS = [1 + x / 10 for x in range(1, 100)] + list(range(12, 64))


def tree(mechanism, query):
    """The example of the module's own documentation."""
    noise = number(mechanism["noise-multiplier"])
    steps, restarts, most, apart = (int(mechanism[key]) for key in ("steps", "restarts", "participations", "min-separation"))
    if most == 1:
        divergences = tree_aggregation_accountant.compute_rdp_tree_restart(noise, [steps] * restarts, ORDERS)
    elif restarts == 1:
        # What lies between two participations, not how far apart they are.
        divergences = tree_aggregation_accountant.compute_rdp_single_tree(noise, steps, most, apart - 1, ORDERS)
    else:
        raise Unsupported("several participations and restarts")
    return conversion.compute_epsilon(ORDERS, divergences, number(query["delta"]))[0]


serve(
    f"TensorFlow Privacy {WHICH}",
    ["tensorflow-privacy"],
    tree if WHICH == "tree" else run,
    ["tree-aggregation"] if WHICH == "tree" else ["dp-sgd"],
    ["epsilon"],
)
