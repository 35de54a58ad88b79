"""The package's own interface, against closed forms and against what must fail."""

import json
import math
import os
import pickle
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

import dpcmp
from dpcmp import claims
from dpcmp.numbers import decimal, exact_text, of_end, safe_float

ROOT = Path(__file__).resolve().parent.parent.parent


def normal_tail(x: float) -> float:
    return math.erfc(x / math.sqrt(2)) / 2


def gaussian_delta(mu: float, epsilon: float) -> float:
    """Balle and Wang 2018, Theorem 8."""
    return normal_tail(epsilon / mu - mu / 2) - math.exp(epsilon) * normal_tail(epsilon / mu + mu / 2)


def test_gaussian_against_its_closed_form():
    for sigma, epsilon in [("1", "1"), ("2", "0.5"), ("0.5", "3")]:
        delta = dpcmp.gaussian(sigma=sigma).delta(epsilon)
        expected = gaussian_delta(1 / float(sigma), float(epsilon))
        assert delta.lower <= delta.upper
        assert float(delta.lower) == pytest.approx(expected, rel=1e-9)
        assert float(delta.upper) == pytest.approx(expected, rel=1e-9)


def test_exact_values_are_fractions():
    response = dpcmp.randomized_response(exp_epsilon=3)
    assert response.delta("0").exact == Fraction(1, 2)
    assert response.delta(exp_epsilon=2).exact == Fraction(1, 4)
    assert dpcmp.laplace(scale=2).max_loss().exact == Fraction(1, 2)
    assert dpcmp.gaussian(sigma=2).mu().exact == Fraction(1, 2)


def test_every_form_of_a_number_is_the_same_number():
    forms = [0.1, "0.1", "1/10", "1e-1", Decimal("0.1"), Fraction(1, 10)]
    found = [dpcmp.gaussian(sigma=2).epsilon(form) for form in forms]
    assert all(one == found[0] for one in found)
    # Not the binary fraction next to it.
    assert Fraction(0.1) != Fraction(1, 10)
    exactly = dpcmp.randomized_response(noise=Fraction(0.1)).delta(0).exact
    assert exactly == 1 - Fraction(0.1) != dpcmp.randomized_response(noise=0.1).delta(0).exact
    assert dpcmp.randomized_response(noise=0.1).delta(0).exact == Fraction(9, 10)


def test_numpy_scalars():
    numpy = pytest.importorskip("numpy")
    assert exact_text(numpy.float64(0.1)) == "0.1"
    assert exact_text(numpy.int64(7)) == "7"
    with pytest.raises(dpcmp.InputError, match="float32") as caught:
        exact_text(numpy.float32(0.1))
    assert caught.value.hint
    assert dpcmp.finite(p=numpy.array([0.5, 0.5]), q=[0.25, 0.75]).advantage().exact == Fraction(1, 4)


@pytest.mark.parametrize("wrong", [True, None, "x", "", math.nan, math.inf, Decimal("NaN"), object(), [1], b"1"])
def test_no_numbers(wrong):
    with pytest.raises(dpcmp.InputError):
        dpcmp.gaussian(sigma=wrong if wrong is not None else [])
    with pytest.raises(dpcmp.DpcmpError):
        dpcmp.gaussian(sigma=1).epsilon(wrong if wrong is not None else [])


def test_errors_have_place_and_hint():
    with pytest.raises(dpcmp.InputError) as caught:
        dpcmp.Mechanism({"kind": "compose", "of": [{"kind": "gaussian", "sigma": 1}, {"kind": "laplace", "scal": 2}]})
    assert caught.value.place == "of[1].scal"
    assert caught.value.code == "unknown-key"
    assert caught.value.hint == "did you mean `scale`?"
    assert isinstance(caught.value, ValueError)

    with pytest.raises(dpcmp.InputError) as caught:
        dpcmp.verify("[mechanism]\nkind = 'laplace'\nscale = 0\n[[claim]]\nkind = 'pure-dp'\nepsilon = 1")
    assert caught.value.place == "line 3, column 9"
    assert caught.value.position == (3, 9)

    with pytest.raises(dpcmp.InputError) as caught:
        dpcmp.verify({"mechanism": {"kind": "laplace", "scale": 1}, "claim": [{"kind": "pure-dp", "epsilon": -1}]})
    assert caught.value.place == "claim[0].epsilon"

    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.place, copy.code) == (str(caught.value), caught.value.place, caught.value.code)

    recursive: dict = {"kind": "compose"}
    recursive["of"] = [recursive]
    with pytest.raises(dpcmp.InputError, match="deep"):
        dpcmp.Mechanism(recursive)


def test_unsupported_and_out_of_time():
    selection = {"kind": "private-selection", "runs": {"kind": "geometric", "mean": 3}, "of": {"kind": "zcdp", "rho": "0.1"}}
    with pytest.raises(dpcmp.UnsupportedError):
        dpcmp.verify({"mechanism": selection, "claim": {"kind": "approx-dp", "epsilon": 1, "delta": "0.2"}})[0].certificate()
    with pytest.raises(dpcmp.OutOfTimeError):
        dpcmp.calibrate(dpcmp.dp_sgd, "noise_multiplier", claims.approx_dp(1, "1e-5"), sample_rate="0.01", steps=1000, max_seconds=0)
    # No time for a question is a wide answer, not an error, and never a wrong one.
    wide = dpcmp.dp_sgd(noise_multiplier=1, sample_rate="0.01", steps=1000).epsilon("1e-5", max_seconds=0)
    assert not wide.is_narrow


def test_the_safe_end():
    gaussian = dpcmp.gaussian(sigma=1)
    epsilon, beta = gaussian.epsilon("1e-5"), gaussian.tradeoff("0.1")
    assert Fraction(float(epsilon)) >= epsilon.upper
    assert Fraction(float(beta)) <= beta.lower
    assert Fraction(float(gaussian.bayes_error("0.3"))) <= gaussian.bayes_error("0.3").lower
    assert Fraction(float(gaussian.minimax_risk())) <= gaussian.minimax_risk().lower
    for query in ("trade-off:alpha=0.1", " tradeoff:alpha=0.1"):
        assert not gaussian.bound(query).safe_end_is_upper
    extremes = dpcmp.compare(gaussian, dpcmp.laplace(scale=1)).extremes[0]
    assert Fraction(float(extremes.to_blatant_non_privacy)) <= extremes.to_blatant_non_privacy.lower


def test_directed_floats_and_decimals():
    third = Fraction(1, 3)
    assert Fraction(safe_float(third, True)) >= third >= Fraction(safe_float(third, False))
    assert Fraction(safe_float(third, True)) != Fraction(safe_float(third, False))
    assert safe_float(Fraction(1, 2), True) == safe_float(Fraction(1, 2), False) == 0.5
    share = Fraction(14, 15)
    assert Fraction(repr(safe_float(share, True))) >= share >= Fraction(repr(safe_float(share, False)))
    assert safe_float(Fraction(10) ** 400, False) == sys.float_info.max and safe_float(Fraction(10) ** 400, True) == math.inf
    assert safe_float(Fraction(1, 10**400), True) > 0 == safe_float(Fraction(1, 10**400), False)
    assert decimal(Fraction(2, 3), 3, True) == "0.667" and decimal(Fraction(2, 3), 3, False) == "0.666"
    for number in (third, -third, Fraction(1, 7**50), Fraction(-(10**30), 7)):
        assert Fraction(decimal(number, 5, False)) <= number <= Fraction(decimal(number, 5, True))
    # An end that is too far from 1 for a fraction is rounded outwards.
    for sign in ("", "-"):
        for exponent in (10**9, -(10**9)):
            low, high = of_end((sign + "1", exponent), False), of_end((sign + "1", exponent), True)
            truth_is_positive = not sign
            assert low <= high and (low >= 0 if truth_is_positive else high <= 0)
            if exponent > 0:
                assert math.isinf(high) if truth_is_positive else math.isinf(low)
    # Nothing is raised to the power of the exponent of 0, which is the least there is.
    assert of_end(("0", -(2**62)), True) == of_end(("0", -(2**62)), False) == 0


def test_tiny_numbers_are_enclosed():
    delta = dpcmp.gaussian(sigma=1).delta(1000)
    assert 0 <= delta.lower <= delta.upper and delta.upper > 0
    assert Fraction(float(delta)) > 0


def test_arithmetic_is_refused_and_comparisons_are_proved():
    epsilon = dpcmp.dp_sgd(noise_multiplier="9.4", sample_rate="16384/50000", steps=2000).epsilon("1e-5")
    for job in (lambda e: e + 1, lambda e: 2 * e, lambda e: e - e, lambda e: -e, lambda e: e / 2, abs, round, bool, int):
        with pytest.raises(TypeError):
            job(epsilon)
    assert epsilon <= 8 and epsilon > 7 and not epsilon > 8 and 8 >= epsilon
    inside = (epsilon.lower + epsilon.upper) / 2
    assert inside in epsilon and 8 not in epsilon
    for job in (lambda: epsilon < inside, lambda: epsilon >= inside, lambda: epsilon <= inside, lambda: epsilon > inside):
        with pytest.raises(dpcmp.UndecidedError):
            job()
    # At an end, the end itself decides.
    assert epsilon <= epsilon.upper and not epsilon > epsilon.upper and epsilon >= epsilon.lower and not epsilon < epsilon.lower
    for job in (lambda: epsilon < epsilon.upper, lambda: epsilon > epsilon.lower, lambda: epsilon >= epsilon.upper, lambda: epsilon <= epsilon.lower):
        with pytest.raises(dpcmp.UndecidedError):
            job()
    with pytest.raises(AttributeError):
        epsilon.lower = 0
    assert pickle.loads(pickle.dumps(epsilon)) == epsilon and hash(epsilon) == hash(pickle.loads(pickle.dumps(epsilon)))


def test_all_kinds_are_functions_of_the_package():
    """The examples of docs/claims.md, each given as keywords, are the mechanisms that the files are."""
    assert subprocess.run([sys.executable, ROOT / "python/tools/kinds.py", "--check"]).returncode == 0
    tomllib = pytest.importorskip("tomllib")
    text = (ROOT / "docs/claims.md").read_text(encoding="utf-8").split("\n## Claims\n")[0]
    seen = set()
    for example in re.findall(r"```toml\n(\[mechanism\].*?)```", text, re.S):
        spec = tomllib.loads(example, parse_float=str)["mechanism"]
        keywords = {name.replace("-", "_"): value for name, value in spec.items() if name != "kind"}
        made = getattr(dpcmp, spec["kind"].replace("-", "_"))(**keywords)
        assert str(made) == str(dpcmp.Mechanism(example.split("\n", 1)[1])), example
        assert pickle.loads(pickle.dumps(made)) == made
        seen.add(spec["kind"].replace("-", "_"))
    assert seen == set(dpcmp.kinds.__all__)


def test_compositions():
    step = dpcmp.gaussian(sigma=10)
    assert (100 * step).mu().exact == 1
    assert (step + step).mu(tolerance="1e-10").upper < Fraction(15, 100)
    several = dpcmp.compose(of=[(step, 100), dpcmp.laplace(scale=2)])
    assert several.max_loss().upper == math.inf
    with pytest.raises(dpcmp.InputError):
        dpcmp.gaussian(sigma=1, adjacency="remove") + step
    rate = dpcmp.subsampled(rate="0.01", of=dpcmp.gaussian(sigma=1))
    assert (1000 * rate).epsilon("1e-5").upper < 3


def test_other_formats():
    state = {"history": [(1.1, 0.01, 1000)], "mechanism": "rdp"}
    ours = dpcmp.dp_sgd(noise_multiplier=1.1, sample_rate=0.01, steps=1000).epsilon("1e-5")
    assert dpcmp.Mechanism.from_opacus(state).epsilon("1e-5") == ours
    assert dpcmp.Mechanism(state).epsilon("1e-5") == ours
    assert dpcmp.Mechanism("kind = 'laplace'\nscale = 2").max_loss().exact == Fraction(1, 2)


def test_queries():
    laplace = dpcmp.laplace(scale=1)
    assert laplace.renyi("inf").exact == laplace.renyi(math.inf).exact == 1
    assert laplace.regret(1).upper > 0 and laplace.zcdp_rho().upper <= Fraction(1, 2)
    narrow = laplace.delta("0.5", precision="1e-30")
    assert narrow.width < Fraction(1, 10**29)
    assert laplace.delta("0.5", absolute_precision="1e-3").width <= Fraction(1, 1000)
    estimate = laplace.delta("0.5", estimate=True)
    assert isinstance(estimate, float) and estimate == pytest.approx(1 - math.exp(-0.25))
    with pytest.raises(dpcmp.InputError):
        laplace.delta()
    with pytest.raises(dpcmp.InputError):
        laplace.bound("epsilom:delta=1")


def test_a_comparison_has_weights_and_crossings():
    gaussian, laplace = dpcmp.gaussian(sigma=1), dpcmp.laplace(scale=1)
    both = dpcmp.compare(gaussian, laplace, priors=["uniform", "jeffreys"])
    assert [weighted.prior for weighted in both.weighted] == ["uniform", "jeffreys"]
    plain = both.weighted[0]
    assert plain.delta_a_b.lower <= both.delta_a_b.upper and plain.delta_a_b.upper >= both.delta_a_b.lower

    # The profiles of both from their closed forms, which cross where their difference changes its sign.
    def normal(x):
        return math.erfc(-x / math.sqrt(2)) / 2

    def difference(epsilon):
        of_gaussian = normal(0.5 - epsilon) - math.exp(epsilon) * normal(-0.5 - epsilon)
        return of_gaussian - (1 - math.exp((epsilon - 1) / 2))

    low, high = both.crossings.epsilons
    assert -float(high.lower) <= float(low.upper) and -float(high.upper) <= float(low.lower) + 1e-8
    assert (difference(float(high.lower) - 1e-6) < 0) != (difference(float(high.upper) + 1e-6) < 0)
    assert len(both.crossings.alphas) == 2 and all(low < high for low, high in both.crossings.alphas)
    # max over the prior of the density times the difference of the Bayes errors, at many places: never above the upper end.
    weighted = both.weighted[1].delta_b_a

    def error(profile, prior):
        return min((1 - prior) * (1 - profile(math.log(prior / (1 - prior)))), prior, 1 - prior)

    def of_laplace(epsilon):
        return 1 - math.exp(epsilon) if epsilon <= -1 else max(0.0, 1 - math.exp((epsilon - 1) / 2))

    def of_gaussian(epsilon):
        return difference(epsilon) + 1 - math.exp((epsilon - 1) / 2)

    def jeffreys(prior):
        return 1 / (math.pi * math.sqrt(prior * (1 - prior)))

    seen = max(jeffreys(n / 4000) * (error(of_laplace, n / 4000) - error(of_gaussian, n / 4000)) for n in range(1, 4000))
    assert seen <= weighted.upper and seen == pytest.approx(float(weighted), rel=1e-3)
    assert "jeffreys" in both._repr_html_() and "cross" in both._repr_html_()
    assert dpcmp.compare(gaussian, gaussian).crossings == ([], True, [], True)
    with pytest.raises(dpcmp.InputError):
        dpcmp.compare(gaussian, laplace, priors="jeffrey")


def test_a_comparison_has_extremes_and_emergence():
    # Gaussian noise of σ: advantage 2Φ(1/(2σ)) − 1, minimax risk Φ(−1/(2σ)).
    normal = statistics.NormalDist()
    gaussian, other = dpcmp.gaussian(sigma=1), dpcmp.gaussian(sigma=2)
    both = dpcmp.compare(gaussian, other)
    for sigma, of in zip((1, 2), both.extremes):
        risk = normal.cdf(-1 / (2 * sigma))
        assert of.from_perfect_privacy.lower - 1e-9 <= 0.5 - risk <= of.from_perfect_privacy.upper + 1e-9
        assert of.to_blatant_non_privacy.lower - 1e-9 <= risk <= of.to_blatant_non_privacy.upper + 1e-9
    assert both.emergence is None and "from perfect privacy" in both._repr_html_()

    # Responses: the loss of one is ±ε, with probability e^ε/(1 + e^ε) for −ε where the record is absent.
    epsilons, times = (0.1, 0.2), (400, 200)
    runs = [n * dpcmp.randomized_response(epsilon=str(e)) for e, n in zip(epsilons, times)]
    both = dpcmp.compare(*runs, tolerance="1/10")
    emergence = both.emergence
    assert emergence.theorem_applies in (True, False) and bool(emergence.unmet) != emergence.theorem_applies
    assert emergence.bound.lower == 0 and both.delta_a_b.lower <= emergence.bound.upper <= Fraction(1, 2)
    gammas = 0.0
    for of, e, n in zip(emergence.moments, epsilons, times):
        low, high = 1 / (1 + math.exp(e)), 1 / (1 + math.exp(-e))
        mean = e * (high - low)
        third = high * abs(mean - e) ** 3 + low * (mean + e) ** 3
        expected = (mean, e * e, third, e**3, mean / math.sqrt(e * e - mean * mean))
        assert of.steps == n
        for value, truth in zip(of[1:], expected):
            assert value.lower - 1e-12 <= truth <= value.upper + 1e-12
        gammas += 0.56 * third / (math.sqrt(n) * (e * e - mean * mean) ** 1.5)
    assert emergence.gamma_sum.lower - 1e-9 <= gammas <= emergence.gamma_sum.upper + 1e-9
    a, b = emergence.proven_from
    assert a == 2 * b
    # What is proved from there on is true there.
    small = [n * dpcmp.randomized_response(epsilon=str(e)) for e, n in zip(epsilons, (a, b))]
    assert small[0].divergence(small[1], max_seconds=20).lower <= Fraction(1, 10)

    nothing = dpcmp.compare(dpcmp.gaussian(sigma=1) + dpcmp.laplace(scale=1), runs[0], tolerance="0.1").emergence
    assert nothing.moments is None and nothing.unmet and nothing.bound.upper == Fraction(1, 2)
    with pytest.raises(dpcmp.InputError, match="greater than 0"):
        dpcmp.compare(*runs, tolerance=0)


def test_a_report_says_what_attacks_reach():
    report = dpcmp.gaussian(sigma=1).report()
    assert [risk.alpha for risk in report.risks] == [Fraction(1, 10**n) for n in (5, 4, 3, 2, 1)]
    for risk in report.risks:
        # f(α) = Φ(Φ⁻¹(1 − α) − 1).
        normal = statistics.NormalDist()
        truth = normal.cdf(normal.inv_cdf(1 - float(risk.alpha)) - 1)
        assert risk.beta.lower - 1e-9 <= truth <= risk.beta.upper + 1e-9
        assert risk.true_positive_rate >= 1 - truth - 1e-12
    assert "true-positive rate" in report._repr_html_()


def test_a_check_ends_in_time():
    verdict = dpcmp.verify({"mechanism": {"kind": "laplace", "scale": 2}, "claim": {"kind": "pure-dp", "epsilon": 1}})[0]
    certificate = verdict.certificate()
    assert certificate.check().is_accepted
    run = dpcmp.dp_sgd(noise_multiplier="9.4", sample_rate="0.32768", steps=2000)
    long = dpcmp.verify({"mechanism": run, "claim": {"kind": "approx-dp", "epsilon": 8, "delta": "1e-5"}})[0].certificate()
    with pytest.raises(dpcmp.OutOfTimeError):
        long.check(max_seconds=0)


def test_comparison_report_calibration_sweep():
    gaussian, laplace = dpcmp.gaussian(sigma=1), dpcmp.laplace(scale=1)
    comparison = dpcmp.compare(gaussian, laplace)
    assert comparison.blackwell == "incomparable"
    assert comparison.delta_a_b.upper < comparison.delta_b_a.lower
    assert gaussian.divergence(laplace).lower > Fraction(5, 1000) > gaussian.divergence(gaussian).upper
    assert dpcmp.compare(gaussian, dpcmp.gaussian(sigma=2)).blackwell == "a-dominates"

    report = gaussian.report(["1e-5"])
    assert report.statements[0].claim == claims.gdp(1) and report.recommended is report.statements[0]
    assert len(report.columns()["claim"]) == 6
    # What is true of every mechanism is no recommendation, however small its regret.
    nothing_private = dpcmp.finite(p=[1, 0], q=[0, 1]).report()
    assert nothing_private.recommended is None and "the privacy profile recommended" in repr(nothing_private)

    noise = dpcmp.calibrate(dpcmp.gaussian, "sigma", claims.advantage("0.1"))
    assert noise.mechanism.verify(claims.advantage("0.1"))[0].is_verified
    missing = dpcmp.gaussian(sigma=noise.misses)
    assert missing.verify(claims.advantage("0.1"))[0].is_refuted
    assert Fraction(float(noise)) >= noise.value
    steps = dpcmp.calibrate({"kind": "dp-sgd", "noise-multiplier": "9.4", "sample-rate": "16384/50000"}, "steps", "approx-dp:epsilon=8,delta=1e-5")
    assert int(steps) == 2264 and steps.misses == 2265
    within = {"kind": "compose", "of": [{"kind": "gaussian", "times": 4}]}
    four = dpcmp.calibrate(within, "of.0.sigma", claims.advantage("0.1"))
    assert four.key == "of.0.sigma" and four.mechanism == dpcmp.Mechanism({"kind": "compose", "of": [{"kind": "gaussian", "times": 4, "sigma": four.value}]})
    assert four.mechanism.verify(claims.advantage("0.1"))[0].is_verified and four.value > noise.misses * 2
    assert gaussian.calibrate("sigma", claims.advantage("0.1")).value == noise.value
    risk = dpcmp.calibrate(dpcmp.gaussian, "sigma", dpcmp.target("tpr", fpr=0.1, at_most=0.3))
    assert risk.mechanism.tradeoff("0.1").lower >= Fraction(7, 10)

    points = dpcmp.sweep(dpcmp.laplace, {"scale": [1, "1/2"]}, ["max-loss", "advantage"])
    assert points[1].answers["max-loss"].exact == 2
    assert points.columns()["scale"] == [1.0, 0.5]
    broken = dpcmp.sweep(dpcmp.laplace, {"scale": [0, 1]}, "max-loss")
    assert broken[0].answers["max-loss"].code == "range" and broken[1].answers["max-loss"].exact == 1


def test_verdicts_and_certificates(tmp_path):
    verdicts = dpcmp.verify(ROOT / "examples/claims/de-et-al.toml")
    assert [verdict.outcome for verdict in verdicts] == ["verified", "refuted", "verified", "refuted", "refuted", "verified"]
    assert verdicts[1].nearest_true == claims.approx_dp("7.4247", "1e-5") or float(Fraction(verdicts[1].nearest_true["epsilon"])) == 7.4247
    assert verdicts[1].is_within_rounding and verdicts[3].witness["theorem"]
    with pytest.raises(TypeError):
        bool(verdicts[0])
    columns = verdicts.columns()
    assert columns["verdict"][0] == "verified" and len(columns["lower"]) == 6

    certificate = verdicts[1].certificate()
    certificate.save(tmp_path / "c.json")
    again = dpcmp.Certificate.load(tmp_path / "c.json")
    checked = again.check((ROOT / "examples/claims/de-et-al.toml").read_text(encoding="utf-8"))
    assert checked.is_accepted and checked.verdict == "refuted"
    assert not again.check("another claim file").is_accepted
    forged = dpcmp.Certificate(certificate.text.replace('"refuted"', '"verified"', 1))
    assert forged.text != certificate.text and not forged.check().is_accepted

    lines = tmp_path / "claims.jsonl"
    line = {"mechanism": {"kind": "laplace", "scale": 2}, "claim": {"kind": "pure-dp", "epsilon": "1/2"}, "note": 1}
    lines.write_text(json.dumps(line) + "\n\n" + json.dumps(line) + "\n")
    assert [v.outcome for v in dpcmp.verify(lines)] == ["verified"] * 2 == [v.outcome for v in dpcmp.verify(tmp_path / "claims.jsonl")]
    (tmp_path / "c.json").unlink()
    assert len(dpcmp.verify(tmp_path)) == 2
    for missing in ("no-such-file.toml", tmp_path / "none.jsonl"):
        with pytest.raises(dpcmp.InputError, match="cannot read"):
            dpcmp.verify(missing)


def test_matrices_beside_a_claim_file(tmp_path):
    (tmp_path / "in").mkdir()
    text = "[mechanism]\nkind='matrix-factorization'\nnoise-multiplier=4\nsteps=2\nepochs=2\nmatrix='{}'\n[[claim]]\nkind='gdp'\nmu=2\n"
    (tmp_path / "in/claim.toml").write_text(text.format("c.csv"))
    (tmp_path / "in/c.csv").write_text("1\n0.5,1\n")
    assert dpcmp.verify(tmp_path / "in/claim.toml")[0].is_verified
    # Nothing outside of the folder is read.
    (tmp_path / "secret.csv").write_text("1\n0.5,1\n")
    (tmp_path / "in/claim.toml").write_text(text.format("../secret.csv"))
    with pytest.raises(dpcmp.InputError, match="below"):
        dpcmp.verify(tmp_path / "in/claim.toml")


def test_representations():
    run = dpcmp.dp_sgd(noise_multiplier=1, sample_rate="0.01", steps=100)
    shown = [run, run.epsilon("1e-5"), *run.verify("approx-dp:epsilon=1,delta=1e-5"), run.report(), dpcmp.compare(run, dpcmp.laplace(scale=1))]
    shown += [dpcmp.verify(ROOT / "examples/claims/de-et-al.toml"), dpcmp.sweep(dpcmp.laplace, {"scale": [1]}, "max-loss")]
    for one in shown:
        assert repr(one) and "<" in one._repr_html_()
    wicked = {"title": "<script>", "mechanism": {"kind": "laplace", "scale": 1}, "claim": {"kind": "pure-dp", "epsilon": 1}}
    assert "<script>" not in dpcmp.verify(wicked)._repr_html_()


@pytest.mark.parametrize(
    ("kind", "truth"),
    [
        ("privacy-profile", lambda e: 1 - math.exp((e - 1) / 2) if abs(e) <= 1 else 0.0),
        ("bayes-error", None),
        ("trade-off", None),
    ],
)
def test_bands_contain_the_curve_between_the_points(kind, truth):
    """At places that were not asked for, the band contains what is enclosed there."""
    laplace = dpcmp.laplace(scale=1)
    curve = laplace.curve(kind)
    x, low, high = curve.band()
    assert all(a <= b for a, b in zip(low, high)) and x == sorted(x)
    for place in [Fraction(n, 97) for n in range(1, 97)]:
        value = {
            "privacy-profile": lambda p: laplace.delta(p),
            "bayes-error": lambda p: laplace.bayes_error(p),
            "trade-off": lambda p: laplace.tradeoff(p),
        }[kind](place)
        at = next(i for i in range(len(x) - 1) if x[i] <= place < x[i + 1])
        share = (float(place) - x[at]) / (x[at + 1] - x[at])
        below = low[at] + share * (low[at + 1] - low[at])
        above = high[at] + share * (high[at + 1] - high[at])
        assert below <= float(value.upper) + 1e-12 and above >= float(value.lower) - 1e-12, place
        assert float(value.lower) >= below - 1e-12 and float(value.upper) <= above + 1e-12, place
        if truth:
            assert below - 1e-12 <= truth(float(place)) <= above + 1e-12
    assert curve._repr_svg_().startswith("<svg") and len(curve.columns()) == 3


def test_plots():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    laplace = dpcmp.laplace(scale=1)
    assert dpcmp.plot_trade_off(laplace, ax=ax) is ax
    dpcmp.plot_privacy_profile(laplace, [0, "0.5", 1], ax=ax)
    dpcmp.plot_bayes_error(laplace, ax=ax)
    assert len(ax.collections) == 3
    dpcmp.plot_sweep(dpcmp.sweep(dpcmp.laplace, {"scale": [1, 2]}, "max-loss"), "scale", "max-loss", ax=Figure().subplots())


def test_no_panic_crosses():
    from dpcmp import _native

    with pytest.raises(dpcmp.InternalError, match="on purpose"):
        _native._test_border("panic")


@pytest.mark.parametrize("job", ["loop", "deaf", "engine"])
def test_interrupts_within_a_second(job):
    """Ctrl-C while the engine works, while it waits for nothing, and while it does not look."""
    code = (
        # A process that was started in the background of a shell begins with the signal ignored.
        "import dpcmp, signal, time\nfrom dpcmp import _native\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\nprint('ready', flush=True)\ntry:\n"
        + (
            "    dpcmp.dp_sgd(noise_multiplier='0.7', sample_rate='0.9', steps=10**7).epsilon('1e-300', precision='1e-12')\n"
            if job == "engine"
            else f"    _native._test_border({job!r})\n"
        )
        + "except KeyboardInterrupt:\n    print('stopped', time.time(), flush=True)\n    import os; os._exit(0)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT, env=os.environ)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    start = time.time()
    process.send_signal(signal.SIGINT)
    words = process.stdout.readline().split()
    process.wait(10)
    assert words and words[0] == "stopped", words
    assert float(words[1]) - start < 1.0


def test_the_lock_is_released():
    """Another thread runs while the engine works."""
    from dpcmp import _native

    ticks = []

    def tick():
        for _ in range(20):
            ticks.append(time.monotonic())
            time.sleep(0.01)

    other = threading.Thread(target=tick)
    mechanism = dpcmp.dp_sgd(noise_multiplier="0.8", sample_rate="0.5", steps=3000)
    start = time.monotonic()
    other.start()
    mechanism.epsilon("1e-9", precision="1e-7", max_seconds=2)
    took = time.monotonic() - start
    other.join()
    assert sum(tick < start + took for tick in ticks) >= min(10, took / 0.05)
    assert _native.__version__ == dpcmp.__version__


def test_threads_share_a_mechanism():
    mechanism = dpcmp.dp_sgd(noise_multiplier=1, sample_rate="0.01", steps=1000)
    found: list = []
    threads = [threading.Thread(target=lambda: found.append(mechanism.epsilon("1e-5"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and len(set(found)) == 1


def test_a_complaint_says_which_argument_or_file():
    run = dpcmp.dp_sgd(noise_multiplier=1, sample_rate="0.01", steps=10)
    for ask, place in [
        (lambda: run.epsilon(-1), "delta"),
        (lambda: run.delta("x"), "epsilon"),
        (lambda: run.tradeoff(2), "alpha"),
        (lambda: run.renyi(0), "order"),
        (lambda: run.mu(tolerance="1"), "tolerance"),
        (lambda: run.verify(claims.approx_dp("1/3", -2)), "delta"),
        (lambda: run.verify("approx-dp:epsilon=1,delta=-2"), "line 1, column 27"),
        (lambda: run.verify(claims.Claim("approx")), None),
    ]:
        with pytest.raises(dpcmp.InputError) as found:
            ask()
        assert found.value.place == place
    for ask in (lambda: run.compare(3), lambda: dpcmp.compare(3, run), lambda: run.divergence("x"), lambda: dpcmp.verify([]), lambda: run.verify()):
        with pytest.raises(dpcmp.InputError) as found:
            ask()
        assert found.value.hint


def test_a_broken_file_of_a_folder_is_named(tmp_path):
    good = {"mechanism": {"kind": "gaussian", "sigma": 1}, "claim": [{"kind": "advantage", "at-most": "0.4"}]}
    bad = json.dumps({**good, "mechanism": {"kind": "gaussian", "sigm": 1}})
    (tmp_path / "a.json").write_text(json.dumps(good))
    (tmp_path / "b.jsonl").write_text(json.dumps(good) + "\n" + bad + "\n")
    with pytest.raises(dpcmp.InputError) as found:
        dpcmp.verify(tmp_path)
    assert found.value.place == f"{tmp_path / 'b.jsonl'}, line 2, column 36" and "sigma" in found.value.hint
    (tmp_path / "c.json").write_text(bad)
    for read in (dpcmp.verify, dpcmp.Mechanism.from_file):
        with pytest.raises(dpcmp.InputError) as found:
            read(tmp_path / "c.json")
        assert found.value.place.startswith(f"{tmp_path / 'c.json'}, line 1")


def test_a_formatted_number_is_on_the_safe_side():
    third = dpcmp.Enclosure(Fraction(1, 3), Fraction(1, 3))
    tenth = dpcmp.Enclosure(Fraction(1, 10), Fraction(1, 10))
    error = dpcmp.Enclosure(Fraction(2, 3), Fraction(3, 4), quantity="bayes-error")
    assert [f"{third:.3f}", f"{third:.1%}", f"{third:.2g}", f"{tenth:.3f}", f"{error:.3f}", f"{error:>6.2f}"] == [
        "0.334", "33.4%", "0.34", "0.100", "0.666", "  0.66",
    ]  # fmt: skip
    # No digits asked for: those of a float, not below.
    assert Fraction(f"{third:>20}".strip()) >= Fraction(1, 3) and f"{tenth:g}" == "0.1" and f"{tenth}" == "[0.1, 0.1]"
    assert f"{dpcmp.gaussian(sigma=1).epsilon(0):.2f}" == "inf"


def test_equal_to_a_number_is_proved_or_not_said():
    third = dpcmp.finite(p=["1/3", "2/3"], q=["2/3", "1/3"]).advantage()
    assert third == Fraction(1, 3) and Fraction(1, 3) == third and not third != Fraction(1, 3)
    assert hash(third) == hash(Fraction(1, 3)) and Fraction(1, 3) in {third: 0}
    assert third != 0.3333 and third != 1 and third != Decimal("0.3") and third != math.inf and third != math.nan
    assert third == "1/3" and third != "0.3333" and third != "a third" and third != None and third != True  # noqa: E711, E712
    assert dpcmp.gaussian(sigma=1).epsilon(0) == math.inf and dpcmp.pure_dp(epsilon=0).advantage() == 0
    wide = dpcmp.laplace(scale=1).advantage()
    assert wide == wide and wide != 0.4 and 0.3 != wide
    inside = (wide.lower + wide.upper) / 2
    for compare in (lambda: wide == inside, lambda: inside == wide, lambda: wide != inside):
        with pytest.raises(dpcmp.UndecidedError):
            compare()


def test_what_is_shown_of_a_calibration_is_true():
    # 3.978948280545…: the nearest nine digits lie below it.
    found = dpcmp.calibrate(dpcmp.gaussian, "sigma", claims.advantage("0.1"), precision="1e-15")
    meets, misses = (Fraction(number) for number in re.findall(r"[0-9.]+", repr(found)))
    assert misses <= found.misses < found.value <= meets and meets - misses < Fraction(3, 10**8)
    wide = dpcmp.calibrate(dpcmp.gaussian(sigma=1), "sensitivity", claims.advantage("0.1"), precision="1e-15")
    meets, misses = (Fraction(number) for number in re.findall(r"[0-9.]+", repr(wide)))
    assert meets <= wide.value < wide.misses <= misses
    step = dpcmp.dp_sgd(noise_multiplier=10, sample_rate=1, steps=1)
    all_meet = dpcmp.calibrate(step, "sample_rate", claims.advantage("0.9"))
    assert all_meet.misses is None and repr(all_meet) == "<Calibration sample-rate = 1 meets the target, none known misses it>"


def test_very_narrow_bounds_are_shown():
    narrow = dpcmp.gaussian(sigma=1).delta(1, precision="1e-5000")
    assert str(narrow).startswith("[0.126936737, ") and "0.126936737" in repr(narrow)


def test_what_a_calibration_does_not_say_is_said():
    found = dpcmp.calibrate(dpcmp.discrete_gaussian, "sigma", claims.advantage("0.1"))
    assert found.notes == ["smaller values than both may meet it, and larger ones miss it: less discrete Gaussian noise can be the more private"]
    assert found.notes[0] in found._repr_html_()
    assert dpcmp.calibrate(dpcmp.gaussian, "sigma", claims.advantage("0.1")).notes == []


def test_the_relation_of_a_part_is_not_dropped():
    part = dpcmp.gaussian(sigma=4, record_bound=1, adjacency="replace-one")
    for whole in (
        lambda: dpcmp.compose(of=[part, part]),
        lambda: dpcmp.compose(of=[(part, 2)], adjacency="remove"),
        lambda: dpcmp.group(records=1, of=part),
        lambda: dpcmp.calibrate(dpcmp.subsampled, "rate", claims.advantage("0.1"), of=part),
    ):
        with pytest.raises(dpcmp.InputError, match="stated under replace-one"):
            whole()
    both = dpcmp.compose(of=[part, part], adjacency="replace-one")
    assert both == part + part and both.mu() == (part + part).mu()
    assert both.mu().lower > dpcmp.gaussian(sigma=4, record_bound=1).mu().upper
    # The other mechanism of a claim has its own.
    apart = dpcmp.gaussian(sigma=2, record_bound=1, adjacency="replace-one")
    assert part.verify(claims.dominated_by(apart, 0))[0].is_verified
    assert claims.dominated_by(apart, 0).to_dict()["mechanism"]["adjacency"] == "replace-one"


def test_of_classes_the_least_private_are_compared():
    words = dpcmp.gdp(mu=2).compare(dpcmp.gaussian(sigma=1)).words
    assert words == "B is at least as private everywhere as the least private mechanism that A allows"
    assert dpcmp.gaussian(sigma=1).compare(dpcmp.gdp(mu=2)).words == "A is at least as private everywhere as the least private mechanism that B allows"
    assert dpcmp.gaussian(sigma=1).compare(dpcmp.gaussian(sigma=2)).words == "B is at least as private everywhere"


def test_states_and_checkpoints_of_opacus():
    state = {"history": [(1.0, 0.01, 100)], "mechanism": "rdp"}
    expected = dpcmp.dp_sgd(noise_multiplier=1, sample_rate="0.01", steps=100).advantage()
    for given in (state, state["history"], {"module_state_dict": {}, "privacy_accountant_state_dict": state}):
        assert dpcmp.Mechanism.from_opacus(given).advantage() == expected
    for wrong in ({"module_state_dict": {}}, {}, 3, [1, 2]):
        with pytest.raises(dpcmp.InputError, match="no state of an Opacus accountant"):
            dpcmp.Mechanism.from_opacus(wrong)


def test_names_of_files_are_told_from_mechanisms(tmp_path):
    path = tmp_path / "claim.toml"
    path.write_text("[mechanism]\nkind = 'laplace'\nscale = 1\n")
    for name in (path, str(path), "claim.json"):
        with pytest.raises(dpcmp.InputError, match="is the name of a file") as caught:
            dpcmp.Mechanism(name)
        assert "from_file" in caught.value.hint and caught.value.place == "what"
    assert dpcmp.Mechanism.from_file(path).max_loss() == 1
    assert dpcmp.Mechanism("kind = 'laplace'\nscale = 1\n# claim.toml").max_loss() == 1


def test_curves_and_sweeps_say_what_they_take_for_granted():
    laplace = dpcmp.laplace(scale=1)
    assert laplace.curve("trade-off", ["0.1"]).conditions == laplace.conditions and laplace.conditions
    points = dpcmp.sweep(dpcmp.laplace, {"scale": [1, -1]}, "max-loss")
    assert points[0].conditions == laplace.conditions
    assert points[1].conditions == []
    for condition in laplace.conditions:
        assert condition in points._repr_html_()
    stated = dpcmp.sweep(dpcmp.zcdp, {"rho": [1]}, "regret:mu=2")
    assert any("least private" in condition for condition in stated[0].conditions)
