"""What the documentation says of comparisons with texts, of templates, of plots, and of how numbers and errors are said."""

import functools
from fractions import Fraction

import pytest

import dpcmp
from dpcmp import claims

LAPLACE = dpcmp.laplace(scale=1)


def test_a_text_is_the_number_that_it_says_in_every_comparison():
    half = dpcmp.gaussian(sigma=2).mu()
    for text in ("1/2", "0.5", "5e-1", " 0.50 "):
        assert half == text and text == half and not half != text
        assert half <= text and half >= text and text in half
    for text in ("0.51", "-1/2", "1e-5"):
        assert half != text and not half == text and text not in half
    # What is proved is said, and what is not is not.
    advantage = LAPLACE.advantage()
    assert advantage != "0.39" and not advantage == "0.4"
    for between in (str(advantage.lower), str(advantage.upper)):
        for compared in (lambda: advantage == between, lambda: advantage != between):
            with pytest.raises(dpcmp.UndecidedError):
                compared()


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "1/0", "0x10", "a" * 2000])
def test_a_text_that_is_no_number_is_equal_to_none(text):
    half = dpcmp.gaussian(sigma=2).mu()
    assert not half == text and half != text and not text == half and half not in [text]
    with pytest.raises(dpcmp.InputError):
        half < text


def test_functions_with_some_of_their_keywords_are_templates():
    run = functools.partial(functools.partial(dpcmp.dp_sgd, sample_rate="1/100", steps=1000), steps=100)
    claim = claims.approx_dp(1, "1e-5")
    found = dpcmp.calibrate(run, "noise_multiplier", claim)
    same = dpcmp.calibrate(dpcmp.dp_sgd, "noise_multiplier", claim, sample_rate="1/100", steps=100)
    assert (found.value, found.misses) == (same.value, same.misses)
    points = dpcmp.sweep(run, {"noise_multiplier": [1, 2]}, "advantage", steps=1)
    assert points[0].answers == dpcmp.sweep(dpcmp.dp_sgd, {"noise_multiplier": [1]}, "advantage", sample_rate="1/100", steps=1)[0].answers


def own(**numbers):
    return dpcmp.gaussian(**numbers)


@pytest.mark.parametrize("wrong", [own, lambda **numbers: dpcmp.gaussian(**numbers), dpcmp.Mechanism, functools.partial(print), functools.partial(dpcmp.gaussian, 1)])
def test_other_functions_are_refused(wrong):
    for call in (lambda: dpcmp.calibrate(wrong, "sigma", claims.advantage("0.1")), lambda: dpcmp.sweep(wrong, {"sigma": [1]}, "advantage")):
        with pytest.raises(dpcmp.InputError, match="a function of dpcmp.kinds") as caught:
            call()
        assert caught.value.place == "mechanism" and caught.value.code == "wrong-type" and "functools.partial" in caught.value.hint


def test_parts_of_the_wrong_shape_are_refused():
    for wrong in (("1/3", LAPLACE), (None, LAPLACE), ([LAPLACE], 2), ("1/3", [LAPLACE])):
        for kind in (dpcmp.mixture, dpcmp.compose):
            with pytest.raises(dpcmp.InputError, match=r"a pair is \(mechanism, times\)") as caught:
                kind(of=[LAPLACE, wrong])
            assert caught.value.place == "of[1]" and caught.value.code == "wrong-type"
    # What the hint says is read.
    both = dpcmp.mixture(of=[{"weight": "1/3", **LAPLACE.to_dict()}, {"weight": "2/3", "kind": "gdp", "mu": 1}])
    assert "1/3" in caught.value.hint and both.words


def test_plots_of_sweeps_take_the_keys_as_they_were_given():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    points = dpcmp.sweep(dpcmp.gaussian, {"noise_multiplier": [1, 2]}, ["advantage"])
    for name in ("noise_multiplier", "noise-multiplier"):
        for drawn in (points, points[:1], points + points):
            axes = dpcmp.plot_sweep(drawn, name, "advantage", ax=Figure().subplots())
            assert axes.get_xlabel() == name
    for parameter, query, place, known in [("sigma", "advantage", "parameter", "'noise-multiplier'"), ("noise_multiplier", "mu", "query", "'advantage'"), (1, "advantage", "parameter", "'noise-multiplier'")]:
        with pytest.raises(dpcmp.InputError, match=f"no {place}") as caught:
            dpcmp.plot_sweep(points, parameter, query, ax=Figure().subplots())
        assert caught.value.place == place and known in caught.value.hint
    for nothing in (points[:0], list(points), None):
        with pytest.raises(dpcmp.InputError) as caught:
            dpcmp.plot_sweep(nothing, "sigma", "advantage", ax=Figure().subplots())
        assert caught.value.place == "points"


@pytest.mark.parametrize(("solve", "target"), [("sigma", "advantage:at-most=1"), ("sigma", "pure-dp:epsilon=1"), ("colour", "advantage:at-most=0.1")])
def test_what_cannot_be_reached_has_the_code_of_the_command_line(solve, target):
    with pytest.raises(dpcmp.InputError) as caught:
        dpcmp.calibrate(dpcmp.gaussian, solve, target, **({"sigma": 1} if solve != "sigma" else {}))
    assert caught.value.code == "unreachable" and "another key" in caught.value.hint and caught.value.place
    # What is wrong with the input has its own.
    with pytest.raises(dpcmp.InputError) as caught:
        dpcmp.calibrate(dpcmp.gaussian, "sigma", "advantage:at-most=-1")
    assert caught.value.code == "range"


def test_numbers_are_printed_as_people_write_them():
    verdict = LAPLACE.verify(claims.approx_dp("0.5", "1e-5"))[0]
    assert repr(verdict.claim) == "Claim(approx-dp: epsilon=0.5, delta=1e-5)"
    assert verdict.claim == claims.approx_dp("0.5", "1e-5")
    assert verdict.nearest_true == claims.approx_dp(1, "1e-5")
    assert verdict.to_dict()["delta"] == "1e-5"
    weighted = LAPLACE.verify("dominated-by:mechanism={\"kind\":\"gdp\",\"mu\":1},at-most=0.0001")[0]
    regret = LAPLACE.verify("regret:mu=1,at-most=1e-12")[0]
    for one in (weighted, regret):
        assert one.is_refuted
        for text in one.witness.values():
            # A decimal, whose exponent is only for small numbers.
            assert "e" not in text or Fraction(text) < Fraction(1, 1000), one.witness
            assert not text.endswith("0") or "." not in text, one.witness
