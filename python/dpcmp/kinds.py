"""Every kind of mechanism as a function; python/tools/kinds.py writes this file from docs/claims.md.

Numbers are exact: see :data:`dpcmp.numbers.Number`. Keywords that are left out, or ``None``, are not stated.
"""

# fmt: off

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .mechanism import Mechanism, of_keywords
from .numbers import Number

__all__ = [
    "approx_dp",
    "compose",
    "discrete_gaussian",
    "discrete_laplace",
    "dp_sgd",
    "exponential",
    "finite",
    "gaussian",
    "gaussian_mixture",
    "gdp",
    "group",
    "histogram",
    "laplace",
    "matrix_factorization",
    "mixture",
    "noise_threshold",
    "permute_and_flip",
    "private_selection",
    "profile",
    "pure_dp",
    "random_allocation",
    "randomized_response",
    "rdp",
    "shuffled",
    "shuffled_batches",
    "skellam",
    "subsampled",
    "top_k",
    "tree_aggregation",
    "zcdp",
]


def gaussian(
    *,
    sigma: Number | None = None,
    sensitivity: Number | None = None,
    record_bound: Number | None = None,
    noise_multiplier: Number | None = None,
    mu_squared: Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """Gaussian noise on a query.

    Args:
        sigma: standard deviation σ of the noise.
        sensitivity: by how much one record changes the query, 1 if it is left out.
        record_bound: the most that one record contributes (clip norm), instead of the sensitivity.
        noise_multiplier: σ over the record bound (clip norm).
        mu_squared: μ² = (sensitivity/σ)² of the pair as an exact number.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Either ``sigma``, and ``sensitivity`` where wanted; or ``sigma`` and ``record_bound``; or ``noise_multiplier``; or ``mu_squared``.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("gaussian", {"sigma": sigma, "sensitivity": sensitivity, "record_bound": record_bound, "noise_multiplier": noise_multiplier, "mu_squared": mu_squared, "adjacency": adjacency})


def laplace(
    *,
    scale: Number | None = None,
    sensitivity: Number | None = None,
    record_bound: Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """Laplace noise on a query.

    Args:
        scale: scale b of the noise.
        sensitivity: by how much one record changes the query, 1 if it is left out.
        record_bound: the most that one record contributes (clip norm), instead of the sensitivity.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Always ``scale``. At most one of ``sensitivity`` and ``record_bound``.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("laplace", {"scale": scale, "sensitivity": sensitivity, "record_bound": record_bound, "adjacency": adjacency})


def discrete_laplace(
    *,
    scale: Number | None = None,
    sensitivity: int | Number | None = None,
    record_bound: int | Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """Two-sided geometric noise on a count.

    Args:
        scale: scale b of the noise.
        sensitivity: by how much one record changes the query, 1 if it is left out.
        record_bound: the most that one record contributes (clip norm), instead of the sensitivity.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Always ``scale``. At most one of ``sensitivity`` and ``record_bound``.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("discrete-laplace", {"scale": scale, "sensitivity": sensitivity, "record_bound": record_bound, "adjacency": adjacency})


def discrete_gaussian(
    *,
    sigma: Number | None = None,
    parties: int | Number | None = None,
    sensitivity: int | Number | None = None,
    record_bound: int | Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """Discrete Gaussian noise on a count; with `parties` each of them adds it, and what is released is the sum.

    Args:
        sigma: standard deviation σ of the noise.
        parties: how many add noise of this sigma each, 1 if it is left out.
        sensitivity: by how much one record changes the query, 1 if it is left out.
        record_bound: the most that one record contributes (clip norm), instead of the sensitivity.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Always ``sigma``. At most one of ``sensitivity`` and ``record_bound``.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("discrete-gaussian", {"sigma": sigma, "parties": parties, "sensitivity": sensitivity, "record_bound": record_bound, "adjacency": adjacency})


def skellam(
    *,
    mean: Number | None = None,
    sensitivity: int | Number | None = None,
    record_bound: int | Number | None = None,
    l2_sensitivity: Number | None = None,
    l2_record_bound: Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """The difference of two Poisson variables, added to a count, or to every coordinate of a vector of whole numbers.

    Args:
        mean: mean of each of the two.
        sensitivity: by how much one record changes the query, 1 if it is left out.
        record_bound: the most that one record contributes (clip norm), instead of the sensitivity.
        l2_sensitivity: noise on a vector: the Euclidean length by which one record changes it.
        l2_record_bound: the length of the longest vector of a record, instead of the l2-sensitivity.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Always ``mean``. At most one of ``sensitivity``, ``record_bound``, `l2-sensitivity` and `l2-record-bound`.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("skellam", {"mean": mean, "sensitivity": sensitivity, "record_bound": record_bound, "l2_sensitivity": l2_sensitivity, "l2_record_bound": l2_record_bound, "adjacency": adjacency})


def noise_threshold(
    *,
    noise: Literal["laplace", "gaussian", "discrete-laplace", "truncated-geometric", "discrete-gaussian"] | None = None,
    scale: Number | None = None,
    sigma: Number | None = None,
    threshold: Number | None = None,
    release_if: Literal[">", ">="] | None = None,
    keys: int | Number | None = None,
    record_bound: Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """Keys, such as partitions, whose noisy count passes a threshold are released with it.

    Args:
        noise: the noise on each count; truncated geometric noise ends at the threshold, a whole number.
        scale: scale b of the noise.
        sigma: standard deviation σ of the noise.
        threshold: what a noisy count must pass.
        release_if: is a count at the threshold released? Where noise is real-valued both mean the same.
        keys: in how many keys a record may count, 1 if it is left out.
        record_bound: the most that a record adds to a count, 1 if it is left out.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Always ``noise`` and ``threshold``. Either ``scale`` and `noise = "laplace"`, and ``release_if`` where wanted; or ``sigma`` and `noise = "gaussian"`, and ``release_if`` where wanted; or ``scale``, ``release_if`` and `noise = "discrete-laplace"`; or ``scale``, ``release_if`` and `noise = "truncated-geometric"`; or ``sigma``, ``release_if`` and `noise = "discrete-gaussian"`.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("noise-threshold", {"noise": noise, "scale": scale, "sigma": sigma, "threshold": threshold, "release_if": release_if, "keys": keys, "record_bound": record_bound, "adjacency": adjacency})


def randomized_response(
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    noise: Number | None = None,
    k: int | Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """The truth or another of k answers, each as likely; where a record is replaced by a special one, that is answered for by any of the k, each as likely.

    Args:
        epsilon: ε.
        exp_epsilon: e^ε as an exact number, instead of ε.
        noise: probability that the answer is uniform over all k, instead of ε.
        k: number of answers, 2 if it is left out.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Either ``epsilon``; or ``exp_epsilon``; or ``noise``.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("randomized-response", {"epsilon": epsilon, "exp_epsilon": exp_epsilon, "noise": noise, "k": k, "adjacency": adjacency})


def pure_dp(
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """All that is known is ε-DP.

    Args:
        epsilon: ε.
        exp_epsilon: e^ε as an exact number, instead of ε.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Either ``epsilon``; or ``exp_epsilon``.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("pure-dp", {"epsilon": epsilon, "exp_epsilon": exp_epsilon, "adjacency": adjacency})


def approx_dp(
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    delta: Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """All that is known is (ε, δ)-DP.

    Args:
        epsilon: ε.
        exp_epsilon: e^ε as an exact number, instead of ε.
        delta: δ.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Always ``delta``. Either ``epsilon``; or ``exp_epsilon``.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("approx-dp", {"epsilon": epsilon, "exp_epsilon": exp_epsilon, "delta": delta, "adjacency": adjacency})


def gdp(
    *,
    mu: Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """All that is known is μ-GDP.

    Args:
        mu: μ.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("gdp", {"mu": mu, "adjacency": adjacency})


def zcdp(
    *,
    rho: Number | None = None,
    xi: Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """All that is known is (ξ, ρ)-zCDP: Rényi divergences of order α at most ξ + ρα.

    Args:
        rho: ρ.
        xi: ξ, 0 if it is left out.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("zcdp", {"rho": rho, "xi": xi, "adjacency": adjacency})


def rdp(
    *,
    orders: Sequence[Any] | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """All that is known are bounds of Rényi divergences.

    Args:
        orders: orders, each with the bound there.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("rdp", {"orders": orders, "adjacency": adjacency})


def finite(
    *,
    p: Sequence[Number] | None = None,
    q: Sequence[Number] | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """Two distributions on a finite set, known exactly.

    Args:
        p: probabilities that sum to exactly 1.
        q: the same for the neighbour.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("finite", {"p": p, "q": q, "adjacency": adjacency})


def profile(
    *,
    points: Sequence[Any] | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """All that is known are points of a privacy profile, from another accountant.

    Args:
        points: pairs of ε and the δ there.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("profile", {"points": points, "adjacency": adjacency})


def gaussian_mixture(
    *,
    sigma: Number | None = None,
    shifts: Sequence[Number] | None = None,
    weights: Sequence[Number] | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """N(0, σ²) against a mixture of N(shift, σ²).

    Args:
        sigma: standard deviation σ of the noise.
        shifts: mean of each part.
        weights: probability of each part.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("gaussian-mixture", {"sigma": sigma, "shifts": shifts, "weights": weights, "adjacency": adjacency})


def histogram(
    *,
    of: Mechanism | Mapping[str, Any] | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """One count per cell, each with its own noise, all released: one cell changes with a record, two when it is replaced.

    Args:
        of: the noise of a cell.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("histogram", {"of": of, "adjacency": adjacency})


def subsampled(
    *,
    rate: Number | None = None,
    of: Mechanism | Mapping[str, Any] | None = None,
    sampling: Literal["poisson", "truncated-poisson", "without-replacement"] | None = None,
    dataset_size: int | Number | None = None,
    max_batch: int | Number | None = None,
    batch_size: int | Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """A mechanism on a random sample of the records.

    Args:
        rate: probability that a record is in the sample.
        of: the mechanism.
        sampling: how the sample is drawn; poisson if it is left out.
        dataset_size: number of records; where samples are truncated, of the larger data set.
        max_batch: so many records of a sample are kept, where samples are truncated.
        batch_size: records in a batch, where it is drawn without replacement.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Always ``of``. Either ``rate`` and `sampling = "poisson"` or without it; or ``rate``, ``dataset_size``, ``max_batch`` and `sampling = "truncated-poisson"`; or ``dataset_size``, ``batch_size`` and `sampling = "without-replacement"`.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("subsampled", {"rate": rate, "of": of, "sampling": sampling, "dataset_size": dataset_size, "max_batch": max_batch, "batch_size": batch_size, "adjacency": adjacency})


def compose(
    *,
    of: Sequence[Any] | None = None,
    sampling: Literal["poisson"] | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """Several mechanisms on the same records, each of which may be chosen by what was released before, in whichever order reveals most.

    Args:
        of: the mechanisms, each with `times` or without.
        sampling: how batches are drawn; poisson if it is left out.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("compose", {"of": of, "sampling": sampling, "adjacency": adjacency})


def mixture(
    *,
    of: Sequence[Any] | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """One of several mechanisms, drawn at random; which one is public.

    Args:
        of: the mechanisms, each with `weight`.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("mixture", {"of": of, "adjacency": adjacency})


def group(
    *,
    records: int | Number | None = None,
    of: Mechanism | Mapping[str, Any] | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """A mechanism where several records change together: all of them are added, or all are removed; under `replace-one` each is exchanged for another one.

    Args:
        records: how many.
        of: the mechanism: noise on a sum, pure-dp, approx-dp, finite (these on Poisson samples too), gdp, zcdp, or compositions and mixtures of these.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("group", {"records": records, "of": of, "adjacency": adjacency})


def exponential(
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    eta: Number | None = None,
    sensitivity: Number | None = None,
    monotone: bool | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """The exponential mechanism: a choice by score.

    Args:
        epsilon: ε.
        exp_epsilon: e^ε as an exact number, instead of ε.
        eta: factor of the score in the exponent, instead of ε: ε is 2·eta·sensitivity, or half of that where scores are monotone.
        sensitivity: by how much one record changes a score, 1 if it is left out.
        monotone: does a record change all scores in one direction? false if it is left out.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Either ``epsilon``; or ``exp_epsilon``; or ``eta``, and ``sensitivity`` and ``monotone`` where wanted.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("exponential", {"epsilon": epsilon, "exp_epsilon": exp_epsilon, "eta": eta, "sensitivity": sensitivity, "monotone": monotone, "adjacency": adjacency})


def permute_and_flip(
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    eta: Number | None = None,
    sensitivity: Number | None = None,
    monotone: bool | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """Permute and flip: a choice by score that is at least as good as the exponential mechanism.

    Args:
        epsilon: ε.
        exp_epsilon: e^ε as an exact number, instead of ε.
        eta: factor of the score in the exponent, instead of ε: ε is 2·eta·sensitivity, or half of that where scores are monotone.
        sensitivity: by how much one record changes a score, 1 if it is left out.
        monotone: does a record change all scores in one direction? false if it is left out.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Either ``epsilon``; or ``exp_epsilon``; or ``eta``, and ``sensitivity`` and ``monotone`` where wanted.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("permute-and-flip", {"epsilon": epsilon, "exp_epsilon": exp_epsilon, "eta": eta, "sensitivity": sensitivity, "monotone": monotone, "adjacency": adjacency})


def top_k(
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    eta: Number | None = None,
    sensitivity: Number | None = None,
    monotone: bool | None = None,
    k: int | Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """The k best by score, all at once by Gumbel noise.

    Args:
        epsilon: ε.
        exp_epsilon: e^ε as an exact number, instead of ε.
        eta: factor of the score in the exponent, instead of ε: ε is 2·eta·sensitivity, or half of that where scores are monotone.
        sensitivity: by how much one record changes a score, 1 if it is left out.
        monotone: does a record change all scores in one direction? false if it is left out.
        k: how many are chosen.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Always ``k``. Either ``epsilon``; or ``exp_epsilon``; or ``eta``, and ``sensitivity`` and ``monotone`` where wanted.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("top-k", {"epsilon": epsilon, "exp_epsilon": exp_epsilon, "eta": eta, "sensitivity": sensitivity, "monotone": monotone, "k": k, "adjacency": adjacency})


def private_selection(
    *,
    runs: Mapping[str, Any] | None = None,
    of: Mechanism | Mapping[str, Any] | None = None,
    best_first: Sequence[int] | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """A mechanism runs a random number of times and the best outcome is released.

    Args:
        runs: how often it runs.
        of: the mechanism.
        best_first: the outcomes of a finite mechanism, counted from 0, best first; if it is left out, any strict order may be meant (no two of them tie).
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("private-selection", {"runs": runs, "of": of, "best_first": best_first, "adjacency": adjacency})


def shuffled(
    *,
    users: int | Number | None = None,
    of: Mechanism | Mapping[str, Any] | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """A shuffler stands between the users, each of whom runs the mechanism, and the analyst. It needs adjacency replace-one at the top; of pure-dp, replace-special will do as well.

    Args:
        users: how many users there are.
        of: what each user runs: pure-dp or randomized-response.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("shuffled", {"users": users, "of": of, "adjacency": adjacency})


def random_allocation(
    *,
    steps: int | Number | None = None,
    selected: int | Number | None = None,
    epochs: int | Number | None = None,
    of: Mechanism | Mapping[str, Any] | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """Each record takes part in so many of the steps, drawn at random.

    Args:
        steps: number of steps of an epoch.
        selected: in how many of them a record takes part, 1 if it is left out.
        epochs: how often that is repeated, 1 if it is left out.
        of: the mechanism of a step.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("random-allocation", {"steps": steps, "selected": selected, "epochs": epochs, "of": of, "adjacency": adjacency})


def tree_aggregation(
    *,
    noise_multiplier: Number | None = None,
    steps: int | Number | None = None,
    restarts: int | Number | None = None,
    participations: int | Number | None = None,
    min_separation: int | Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """Prefix sums by binary trees (DP-FTRL).

    Args:
        noise_multiplier: σ over the record bound (clip norm).
        steps: leaves of a tree.
        restarts: number of trees, in each of which a record takes part as often as is stated, 1 if it is left out.
        participations: in how many steps a record may take part, 1 if it is left out.
        min_separation: how many steps lie at least between two of them, counted from the one to the other, 1 if it is left out.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("tree-aggregation", {"noise_multiplier": noise_multiplier, "steps": steps, "restarts": restarts, "participations": participations, "min_separation": min_separation, "adjacency": adjacency})


def matrix_factorization(
    *,
    noise_multiplier: Number | None = None,
    steps: int | Number | None = None,
    participations: int | Number | None = None,
    min_separation: int | Number | None = None,
    epochs: int | Number | None = None,
    rate: Number | None = None,
    toeplitz: Sequence[Number] | None = None,
    matrix: Sequence[Sequence[Number]] | str | None = None,
    blt: Mapping[str, Any] | None = None,
    normalised: bool | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """The release of Cx + Z with a lower-triangular matrix C: noise that is correlated over the steps.

    Args:
        noise_multiplier: σ over the record bound (clip norm).
        steps: number of steps.
        participations: in how many steps a record may take part.
        min_separation: steps from one participation to the next at least; with `rate`, the number of bands.
        epochs: instead of both: every record takes part once in each epoch, always at the same place.
        rate: instead of `participations`: cyclic Poisson sampling at this rate.
        toeplitz: the first column of C.
        matrix: the rows of C; a file beside the claim file by its name, comma-separated values.
        blt: C as a buffered linear Toeplitz matrix.
        normalised: the columns are claimed to have norm at most 1, which is proved and not believed.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Always ``noise_multiplier`` and ``steps``. Either ``toeplitz``; or ``matrix``; or ``blt``. Either ``participations``, and ``min_separation`` where wanted; or ``epochs``; or ``rate`` and ``min_separation``.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("matrix-factorization", {"noise_multiplier": noise_multiplier, "steps": steps, "participations": participations, "min_separation": min_separation, "epochs": epochs, "rate": rate, "toeplitz": toeplitz, "matrix": matrix, "blt": blt, "normalised": normalised, "adjacency": adjacency})


def dp_sgd(
    *,
    noise_multiplier: Number | None = None,
    sample_rate: Number | None = None,
    steps: int | Number | None = None,
    phases: Sequence[Any] | None = None,
    epochs: Number | None = None,
    batch_size: int | Number | None = None,
    dataset_size: int | Number | None = None,
    gradient_accumulation: int | Number | None = None,
    max_batch: int | Number | None = None,
    sampling: Literal["poisson", "truncated-poisson", "without-replacement", "shuffled"] | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """Steps of Gaussian noise on random batches. From epochs, a batch size b and a data set of n records, there are epochs·⌈n/b⌉ steps at rate b/n.

    Args:
        noise_multiplier: σ over the record bound (clip norm).
        sample_rate: probability that a record is in a batch.
        steps: number of steps; with shuffled batches, of one epoch.
        phases: phases with noise multiplier, sample rate and steps of their own.
        epochs: how often all records are gone through; with shuffled batches 1 if it is left out.
        batch_size: expected number of records in a batch.
        dataset_size: number of records.
        gradient_accumulation: how many batches make a step, 1 if it is left out.
        max_batch: so many records of a batch are kept, where batches are truncated.
        sampling: how batches are drawn; poisson if it is left out.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Either ``noise_multiplier``, ``sample_rate``, ``steps`` and `sampling = "poisson"` or without it; or ``noise_multiplier``, ``epochs``, ``batch_size``, ``dataset_size`` and `sampling = "poisson"` or without it, and ``gradient_accumulation`` where wanted; or ``noise_multiplier``, ``steps``, ``batch_size``, ``dataset_size`` and `sampling = "poisson"` or without it, and ``gradient_accumulation`` where wanted; or ``phases`` and `sampling = "poisson"` or without it; or ``noise_multiplier``, ``sample_rate``, ``steps``, ``dataset_size``, ``max_batch`` and `sampling = "truncated-poisson"`; or ``noise_multiplier``, ``epochs``, ``batch_size``, ``dataset_size``, ``max_batch`` and `sampling = "truncated-poisson"`, and ``gradient_accumulation`` where wanted; or ``noise_multiplier``, ``steps``, ``batch_size``, ``dataset_size``, ``max_batch`` and `sampling = "truncated-poisson"`, and ``gradient_accumulation`` where wanted; or ``noise_multiplier``, ``epochs``, ``batch_size``, ``dataset_size`` and `sampling = "without-replacement"`, and ``gradient_accumulation`` where wanted; or ``noise_multiplier``, ``steps``, ``batch_size``, ``dataset_size`` and `sampling = "without-replacement"`, and ``gradient_accumulation`` where wanted; or ``noise_multiplier``, ``steps`` and `sampling = "shuffled"`, and ``epochs`` where wanted; or ``noise_multiplier``, ``batch_size``, ``dataset_size`` and `sampling = "shuffled"`, and ``epochs`` and ``gradient_accumulation`` where wanted.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("dp-sgd", {"noise_multiplier": noise_multiplier, "sample_rate": sample_rate, "steps": steps, "phases": phases, "epochs": epochs, "batch_size": batch_size, "dataset_size": dataset_size, "gradient_accumulation": gradient_accumulation, "max_batch": max_batch, "sampling": sampling, "adjacency": adjacency})


def shuffled_batches(
    *,
    noise_multiplier: Number | None = None,
    steps: int | Number | None = None,
    epochs: Number | None = None,
    adjacency: Literal["add-remove", "remove", "add", "replace-one", "replace-special"] | None = None,
) -> Mechanism:
    """The same as dp-sgd with shuffled batches: a fresh permutation in every epoch, and every intermediate model is released.

    Args:
        noise_multiplier: σ over the record bound (clip norm).
        steps: number of steps of an epoch.
        epochs: how often all records are gone through, 1 if it is left out.
        adjacency: what differs between neighbouring data sets; add-remove if it is left out.

    Raises:
        InputError: if that is no mechanism, with the keyword and a hint.
    """
    return of_keywords("shuffled-batches", {"noise_multiplier": noise_multiplier, "steps": steps, "epochs": epochs, "adjacency": adjacency})
