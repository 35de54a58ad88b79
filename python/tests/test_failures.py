"""What goes wrong is an exception of this package that says where, and what to do next; no panic and no exception of the machinery below comes out."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest

import dpcmp
from dpcmp import campaign, claims

LAPLACE = dpcmp.laplace(scale=1)
RUN = dpcmp.dp_sgd(noise_multiplier=1, sample_rate="0.01", steps=10)

HUGE = 10**5000
#: No numbers, and numbers that are too large for any place.
NO_NUMBERS = [
    True, None, "x", "", "nan", "inf", math.nan, Decimal("NaN"), Decimal("sNaN"), object(), [1], b"1", 1j, "1/0", "0x10", "½", {}, set(), print,
    HUGE, "1e999999999", "1" * 2000, Fraction(1, 10**5000), Decimal("1e999999"),
]  # fmt: skip
NO_POSITIVE_NUMBERS = [*NO_NUMBERS, -1, 0, "-0.5", -math.inf, math.inf]
NO_COUNTS = [*NO_POSITIVE_NUMBERS, 2.5, 10**19]
NO_TEXTS = [True, None, math.nan, 1, b"1", 1j, object(), {}, [1], [None]]



def less(values, *allowed):
    """Without what is no mistake there; a signalling NaN is compared with nothing."""
    return [v for v in values if not any(type(v) is type(one) and v == one for one in allowed)]


#: A call with a wrong value, where it is said to be wrong, and the values.
CALLS = {
    "noise": (lambda v: dpcmp.Mechanism({"kind": "dp-sgd", "noise-multiplier": v, "sample-rate": 1, "steps": 1}), "noise-multiplier", NO_POSITIVE_NUMBERS),
    "rate": (lambda v: dpcmp.Mechanism({"kind": "dp-sgd", "noise-multiplier": 1, "sample-rate": v, "steps": 1}), "sample-rate", [*NO_POSITIVE_NUMBERS, 2]),
    "steps": (lambda v: dpcmp.Mechanism({"kind": "dp-sgd", "noise-multiplier": 1, "sample-rate": 1, "steps": v}), "steps", NO_COUNTS),
    "times": (lambda v: dpcmp.compose(of=[(LAPLACE, v)]), "of[0].times", less(NO_COUNTS, None)),
    "of": (lambda v: dpcmp.Mechanism({"kind": "compose", "of": v}), "of", [True, "x", math.nan, 1, [], [1], {}, [{}]]),
    "p": (lambda v: dpcmp.finite(p=[v, "1/2"], q=["1/2", "1/2"]), "p", NO_NUMBERS + [-1, 2]),
    "kind": (lambda v: dpcmp.Mechanism({"kind": v}), "kind", ["x", "", *NO_TEXTS]),
    "mechanism": (dpcmp.Mechanism, None, ["", "x", "{", "kind = 1", "a" * 10**6, *NO_TEXTS]),
    "adjacency": (lambda v: dpcmp.gaussian(sigma=1, adjacency=v), "adjacency", ["x", 1, True, [1]]),
    "delta": (RUN.epsilon, "delta", [*NO_NUMBERS, -1]),
    "epsilon": (lambda v: RUN.delta(v), "epsilon", NO_NUMBERS),
    "exp-epsilon": (lambda v: RUN.delta(exp_epsilon=v), "epsilon", NO_POSITIVE_NUMBERS),
    "alpha": (RUN.tradeoff, "alpha", [*NO_NUMBERS, -1, 2]),
    "prior": (RUN.bayes_error, "prior", [*NO_NUMBERS, -1, 2]),
    "order": (RUN.renyi, "order", less(NO_POSITIVE_NUMBERS, "inf", math.inf)),
    "mu": (RUN.regret, "mu", less(NO_NUMBERS, None) + [-1]),
    "tolerance": (lambda v: RUN.mu(tolerance=v), "tolerance", less(NO_NUMBERS, None) + [-1, 1]),
    "query": (lambda v: RUN.bound(v), None, ["", "x", "epsilon", "epsilon:delta=x", "epsilon:delta=-1", "epsilon:d=1", "epsilon:delta=1,delta=1", *NO_TEXTS]),
    "precision": (lambda v: LAPLACE.delta("0.5", precision=v), "precision", less(NO_POSITIVE_NUMBERS, None)),
    "absolute": (lambda v: LAPLACE.delta("0.5", absolute_precision=v), "absolute_precision", less(NO_POSITIVE_NUMBERS, None)),
    "seconds": (lambda v: LAPLACE.delta("0.5", max_seconds=v), "max_seconds", [-1, math.nan, math.inf, "x", "1", b"1", 1j, [1], True, object(), 10**5000]),
    "threads": (lambda v: dpcmp.Mechanism({"kind": "laplace", "scale": 1}, threads=v), "threads", less(NO_COUNTS, None)),
    "sweep value": (lambda v: dpcmp.sweep(dpcmp.laplace, {"scale": [1, v]}, "advantage"), "scale[1]", NO_NUMBERS + [math.inf]),
    "sweep values": (lambda v: dpcmp.sweep(dpcmp.laplace, {"scale": v}, "advantage"), "scale", ["12", b"12", 1, None, {}, object()]),
    "sweep over": (lambda v: dpcmp.sweep(dpcmp.laplace, v, "advantage"), "over", [None, 1, "scale", [("scale", [1])], {1: [1]}]),
    "sweep ask": (lambda v: dpcmp.sweep(dpcmp.laplace, {"scale": [1]}, v), "ask", ["", "x", "epsilon:delta=x", "epsilon:delta=-1", *NO_TEXTS]),
    "sweep of": (lambda v: dpcmp.sweep(v, {"scale": [1]}, "advantage"), None, ["", "x", {}, {"kind": 1}, *less(NO_TEXTS, {})]),
    "sweep key": (lambda v: dpcmp.sweep(dpcmp.laplace, {v: [1]}, "advantage"), None, ["", "x", ".", "of.0.scale"]),
    "sweep width": (lambda v: dpcmp.sweep(dpcmp.laplace, {"scale": [1]}, "advantage", precision=v), "precision", [0, -1, "x", math.nan]),
    "target": (lambda v: dpcmp.calibrate(dpcmp.gaussian, "sigma", v), "target", ["", "x", "advantage:at-most=x", "advantage:at-most=-1", *NO_TEXTS]),
    "solve": (lambda v: dpcmp.calibrate(dpcmp.gaussian, v, claims.advantage("0.1")), None, ["", "x", "of.0", *NO_TEXTS]),
    "claim": (lambda v: RUN.verify(claims.approx_dp(v, "1e-5")), "epsilon", less(NO_NUMBERS, None)),
    "claims": (lambda v: RUN.verify(v), None, ["", "x", "approx-dp:epsilon=x,delta=0", *NO_TEXTS]),
    "verify": (dpcmp.verify, None, ["", "no-such-file.toml", "\0", "{", {}, {"mechanism": {}}, {"mechanism": LAPLACE, "claim": 1}, *NO_TEXTS]),
    "deltas": (lambda v: LAPLACE.report([v]), "deltas[0]", NO_NUMBERS + [-1, 2]),
    "several deltas": (LAPLACE.report, "deltas", ["0.1", b"1", 1, None, {}]),
    "priors": (lambda v: LAPLACE.compare(LAPLACE, priors=v), "priors", ["", "x", *NO_TEXTS]),
    "other": (LAPLACE.compare, "other", [1, "x", None, {}]),
    "emergence": (lambda v: dpcmp.compare(LAPLACE, LAPLACE, tolerance=v), "tolerance", less(NO_POSITIVE_NUMBERS, None)),
    "curve": (lambda v: LAPLACE.curve(v), "kind", ["", "x", *NO_TEXTS]),
    "place": (lambda v: LAPLACE.curve("trade-off", [v]), "places", NO_NUMBERS + [-1, 2]),
    "places": (lambda v: LAPLACE.curve("trade-off", v), "places", ["0.1", 1, {}, b"1"]),
    "file": (dpcmp.Mechanism.from_file, None, ["no-such-file.toml", "", "\0", *NO_TEXTS]),
    "certificate": (dpcmp.Certificate, "text", NO_TEXTS),
    "certificate file": (dpcmp.Certificate.load, None, ["no-such-file.json", "", *NO_TEXTS]),
    "state": (dpcmp.Mechanism.from_opacus, None, ["x", [1], [(1,)], [("x", 1, 1)], [(1, 2, 1)], *NO_TEXTS]),
    "pld": (dpcmp.Mechanism.from_pld, "pld", ["x", *NO_TEXTS]),
    "number": (lambda v: LAPLACE.advantage() < v, "number", [v for v in NO_NUMBERS if not isinstance(v, Fraction) and v is not HUGE]),
}  # fmt: skip


def values():
    for name, (call, place, wrong) in CALLS.items():
        for number, value in enumerate(wrong):
            yield pytest.param(call, place, value, id=f"{name}-{number}")


def complains(error, place):
    assert not isinstance(error, dpcmp.InternalError)
    assert error.message and error.hint and error.place, repr(error)
    assert str(error).startswith(f"{error.place}: ") and "hint: " in str(error)
    assert place is None or place in error.place, error.place


@pytest.mark.parametrize(("call", "place", "wrong"), list(values()))
def test_a_wrong_value_is_refused_with_its_place_and_a_next_step(call, place, wrong):
    with pytest.raises(dpcmp.DpcmpError) as caught:
        call(wrong)
    complains(caught.value, place)


@pytest.mark.parametrize("wrong", [pytest.param(v, id=str(place)) for place, v in enumerate(NO_POSITIVE_NUMBERS)])
def test_a_campaign_refuses_what_it_cannot_do(tmp_path, wrong):
    def refused(place, job):
        with pytest.raises(dpcmp.DpcmpError) as caught:
            job()
        complains(caught.value, place)

    if not isinstance(wrong, list):
        refused(None, lambda: campaign.sweep(tmp_path, dpcmp.laplace, {"scale": wrong}, "advantage", progress=False))
    refused("piece", lambda: campaign.sweep(tmp_path, dpcmp.laplace, {"scale": [1]}, "advantage", progress=False, piece=wrong))
    refused("cases", lambda: campaign.fuzz(tmp_path, lambda **_: 1.0, wrong, progress=False))
    if not isinstance(wrong, str) or not wrong:
        refused(None, lambda: campaign.verify(tmp_path, wrong, progress=False))
    assert not list(tmp_path.glob("pieces/*"))


def test_a_point_of_a_sweep_says_what_is_wrong_with_it():
    """Values that make no mechanism, values out of range, and questions that have no answer."""
    points = dpcmp.sweep({"kind": "dp-sgd", "sample-rate": "0.1"}, {"noise_multiplier": [1, 0, -1], "steps": [1, "3/2", 10**18]}, ["advantage", "gdp-mu"])
    wrong = [(point, answer) for point in points for answer in point.answers.values() if isinstance(answer, dpcmp.DpcmpError)]
    for point, answer in wrong:
        complains(answer, "noise-multiplier" if point.parameters["noise-multiplier"] <= 0 else "steps")
        assert answer.code == "range"
    assert len(wrong) == 2 * 8 and not isinstance(points[0].answers["advantage"], dpcmp.DpcmpError)
    # In tables a point without an answer has none, with its reason in words.
    assert points.columns()["advantage lower"][1:] == [None] * 8
    assert "whole number" in points._repr_html_()
    # Keys that the mechanism has already, and keys of a mechanism within it.
    given = dpcmp.sweep({"kind": "gaussian", "sigma": 1}, {"sigma": [0]}, "advantage")
    complains(given[0].answers["advantage"], "sigma")
    within = dpcmp.sweep({"kind": "compose", "of": [{"kind": "laplace", "scale": 1}]}, {"of.0.scale": [0]}, "advantage")
    complains(within[0].answers["advantage"], "of[0].scale")
    shuffled = {"kind": "shuffled", "adjacency": "replace-one", "of": {"kind": "pure-dp", "epsilon": 1}}
    for point in dpcmp.sweep(shuffled, {"users": [100]}, ["zcdp-rho", "max-loss"]):
        for answer in point.answers.values():
            assert not isinstance(answer, dpcmp.DpcmpError) or (answer.hint and answer.place)


def test_a_line_of_a_campaign_says_what_is_wrong_with_it(tmp_path):
    found = campaign.sweep(tmp_path, {"kind": "laplace"}, {"scale": [0, 1, -1]}, ["advantage"], progress=False)
    for line in (found[0], found[2]):
        assert line["error"]["place"] == "scale" and line["error"]["hint"] and line["error"]["code"] == "range"
    assert "answers" in found[1]


def test_errors_without_words_of_their_own_have_a_next_step():
    for kind in (dpcmp.InputError, dpcmp.UnsupportedError, dpcmp.OutOfTimeError, dpcmp.UndecidedError, dpcmp.InternalError):
        assert kind("no").hint
    with pytest.raises(dpcmp.OutOfTimeError) as caught:
        dpcmp.calibrate(dpcmp.dp_sgd, "noise_multiplier", claims.approx_dp(1, "1e-5"), sample_rate="0.01", steps=1000, max_seconds=0)
    assert "max_seconds" in caught.value.hint
