"""jax_privacy: its accountant of DP-SGD, by `pld` or `rdp`, named by the argument, with every option as it comes."""

import sys

from dpcmp_adapter import Unsupported, gaussians, number, relation_of, serve
from jax_privacy.accounting import accountants, analysis

WHICH = sys.argv[1]
CONFIG = {"pld": accountants.PldAccountantConfig, "rdp": accountants.RdpAccountantConfig}[WHICH]
SAMPLING = analysis.SamplingMethod


def parameters(mechanism):
    """(steps, what else the run is)."""
    times, step = 1, mechanism
    while step["kind"] == "compose" and len(step["of"]) == 1:
        [step] = step["of"]
        times *= int(step.get("times", 1))
    sampling = step.get("sampling")
    if sampling in ("without-replacement", "truncated-poisson"):
        of = step["of"]
        noise = number(of.get("noise-multiplier", of.get("sigma")))
        size = int(step["dataset-size"])
        if sampling == "without-replacement":
            batches = {"batch_size": int(step["batch-size"]), "sampling_method": SAMPLING.FIXED_BATCH_SIZE}
        else:
            batch = number(step["rate"]) * size
            if not batch.is_integer():
                raise Unsupported("a mean of the batches that is no whole number")
            batches = {"batch_size": int(batch), "truncated_batch_size": int(step["max-batch"])}
        return times, {"noise_multipliers": noise, "num_samples": size, **batches}
    found = gaussians(mechanism)
    if len(found) > 1:
        raise Unsupported("phases")
    [(noise, rate, steps)] = found
    # What counts is the ratio of two whole numbers.
    batch, size = rate.as_integer_ratio()
    return steps, {"noise_multipliers": noise, "num_samples": size, "batch_size": batch}


def answer(mechanism, query):
    steps, run = parameters(mechanism)
    is_fixed = run.get("sampling_method") is SAMPLING.FIXED_BATCH_SIZE
    if is_fixed != (relation_of(mechanism) == "replace-one"):
        raise Unsupported("Poisson sampling with add-remove, fixed batches with replace-one")
    if "truncated_batch_size" in run and WHICH == "rdp":
        raise Unsupported("truncated batches")
    accountant = analysis.DpsgdTrainingAccountant(CONFIG())
    return accountant.compute_epsilon(steps, analysis.DpParams(delta=number(query["delta"]), **run))


MECHANISMS = ["dp-sgd", "compose", "gaussian", "without-replacement", "truncated-poisson"]
serve(f"jax_privacy {WHICH}", ["jax-privacy", "dp-accounting"], answer, MECHANISMS, ["epsilon"], 16, ("add-remove", "replace-one"))
