"""What a certificate says: the steps of its mechanism, its claim, and the verdict. Exact fractions; what is not covered is refused by name. Not proved."""
import hashlib
import json
import math
import pathlib
import tomllib
from dataclasses import dataclass
from fractions import Fraction

MOST_RECORDS = 64


class OutOfScope(Exception):
    """The proved checker has no theorem about this claim yet."""


class Rejected(Exception):
    """The file is not a certificate."""


@dataclass
class Question:
    steps: list          # (step, how often); a step is a tuple of the words of main.ml: kind, rate, numbers
    rho: Fraction | None  # all that is known is zCDP with this rho; steps are then the Gaussian noise that has it
    adjacency: str       # remove, add or add-remove
    claim: tuple         # kind, numbers; an epsilon is ("log", e) or ("ratio", e^epsilon)
    verdict: str


def question(path):
    try:
        certificate = json.loads(pathlib.Path(path).read_text(), object_pairs_hook=once)
        if certificate["schema"] != "dpcmp.certificate/2":
            raise Rejected("not a certificate of dpcmp")
        stated = certificate["claim-file"]
        if hashlib.sha256(stated["text"].encode()).hexdigest() != stated["sha256"]:
            raise Rejected("the claim file has another SHA-256 than the certificate says")
        return asked(stated["text"], certificate["claim"], certificate["verdict"])
    except (KeyError, IndexError, TypeError, AttributeError, json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise Rejected(f"a part is missing or not as it should be: {error}") from error


def asked(text, which, verdict):
    """The question of a claim file, about its claim of this number."""
    claim_file = read(text)
    if isinstance(which, bool) or not isinstance(which, int) or which < 0:
        raise Rejected("the claim has no number")
    if verdict not in ("verified", "refuted"):
        raise Rejected("neither verified nor refuted")
    claims, mechanism = claim_file["claim"], claim_file["mechanism"]
    if "kind" not in mechanism:
        if "history" not in mechanism:
            raise OutOfScope("mechanisms in the words of another program")
        # The state of an Opacus accountant.
        only(mechanism, {"history", "mechanism"})
        phases = [{"noise-multiplier": noise, "sample-rate": rate, "steps": steps} for noise, rate, steps in mechanism["history"]]
        mechanism = {"kind": "dp-sgd", "phases": phases}
    stated = mechanism.get("adjacency", "add-remove")
    adjacency = {"replace-one": "add-remove", "replace-special": "add-remove"}.get(stated, stated)
    if adjacency not in ("add-remove", "add", "remove"):
        raise Rejected("an unknown adjacency")
    rho = None
    if mechanism["kind"] == "zcdp":
        only(mechanism, {"kind", "adjacency", "rho"})
        rho = positive(mechanism["rho"])
        steps = [(("gaussian", Fraction(1), 2 * rho), 1)]
    else:
        steps = merged(parts(mechanism, "adjacency", stated, verdict))
    claim = claim_of((claims if isinstance(claims, list) else [claims])[which], verdict)
    if rho is not None and verdict == "verified" and claim[0] not in ("zcdp", "approx-dp"):
        raise OutOfScope(f"{claim[0]} claims of all that is zCDP, verified")
    if claim[0] == "zcdp" and by_orders(steps, claim[1], verdict):
        raise OutOfScope("zCDP by Renyi orders")
    return Question(steps, rho, adjacency, claim, verdict)


def by_orders(steps, rho, verdict):
    """Whether only Renyi divergences could tell. Gaussian noise has the rho of its mu, a sample of it at most that."""
    if all(step[:2] == ("gaussian", 1) for step, _ in steps):
        return False
    return verdict == "refuted" or any(step[0] != "gaussian" for step, _ in steps) or sum(step[2] * count for step, count in steps) > 2 * rho


def once(pairs):
    table = dict(pairs)
    if len(table) < len(pairs):
        raise Rejected("a key occurs twice")
    return table


def read(text):
    """A claim file, its decimals as they are written."""
    text = text.removeprefix("\ufeff")
    if text.lstrip().startswith("{"):
        return json.loads(text, parse_float=str, parse_int=str, object_pairs_hook=once)
    return tomllib.loads(text, parse_float=str)


def claim_of(claim, verdict):
    """(kind, numbers)"""
    kind = claim["kind"]
    if kind == "approx-dp":
        only(claim, {"kind", "epsilon", "exp-epsilon", "delta"})
        return kind, level(claim), at_least_0(claim["delta"])
    if kind == "pure-dp":
        only(claim, {"kind", "epsilon", "exp-epsilon"})
        return kind, level(claim)
    if kind == "advantage":
        only(claim, {"kind", "at-most"})
        return kind, at_least_0(claim["at-most"])
    if kind == "trade-off":
        only(claim, {"kind", "alpha", "beta"})
        return kind, probability(claim["alpha"]), probability(claim["beta"])
    if kind == "gdp":
        only(claim, {"kind", "mu", "tolerance", "error-floor"})
        if "error-floor" in claim:
            if "tolerance" in claim:
                raise Rejected("a tolerance beside an error floor")
            return "gdp-floor", at_least_0(claim["mu"]), positive(claim["error-floor"])
        return kind, at_least_0(claim["mu"]), at_least_0(claim.get("tolerance", 0))
    if kind == "zcdp":
        only(claim, {"kind", "rho"})
        return kind, at_least_0(claim["rho"])
    raise OutOfScope(f"{kind} claims")


def parts(mechanism, extra, adjacency, verdict):
    """The steps of a mechanism. Every key must be known: one that is not could change what the mechanism is. The verdict says on which side of the mechanism they may be."""
    kind = mechanism["kind"]
    known = lambda *keys: only(mechanism, {"kind", extra, *keys})
    replaced = adjacency == "replace-one"
    if kind == "compose":
        known("of")
        return [(step, count * whole(part.get("times", 1))) for part in mechanism["of"] for step, count in parts(part, "times", adjacency, verdict)]
    if kind == "dp-sgd":
        return dp_sgd(mechanism, extra, replaced)
    if kind == "subsampled":
        known("rate", "of")
        if replaced and mechanism["of"]["kind"] == "gaussian":
            only(mechanism["of"], {"kind", "sigma", "record-bound", "noise-multiplier"})
            # The record moves the sum one way, its replacement the other.
            return [(("replaced", positive(mechanism["rate"]), gaussian_square(mechanism["of"], True) / 4), 1)]
        inner = gaussians_at_once(parts(mechanism["of"], "kind", adjacency, verdict))
        if replaced or len(inner) != 1 or inner[0][1] != 1:
            raise OutOfScope("samples of several steps, or of records that are replaced")
        step, rate = inner[0][0], probability(mechanism["rate"])
        if step[0] == "mixture":
            return [mixture([(1 - rate, Fraction(0)), *((rate * weight, shift) for weight, shift in step[2])])]
        return [((step[0], step[1] * rate, *step[2:]), 1)] if rate > 0 else []
    if kind == "gaussian-mixture":
        known("sigma", "shifts", "weights")
        if adjacency not in ("add-remove", "add", "remove"):
            raise OutOfScope("mixtures where a record is replaced")
        sigma, shifts, weights = positive(mechanism["sigma"]), [at_least_0(x) for x in mechanism["shifts"]], [probability(x) for x in mechanism["weights"]]
        if len(shifts) != len(weights) or sum(weights) != 1:
            raise Rejected("weights that do not fit")
        return [mixture([(weight, shift / sigma) for weight, shift in zip(weights, shifts)])]
    if kind == "group":
        known("records", "of")
        if adjacency not in ("add-remove", "add", "remove"):
            raise OutOfScope("groups of records that are replaced")
        records = whole(mechanism["records"])
        return [(group(step, records), count) for step, count in parts(mechanism["of"], "kind", adjacency, verdict)]
    if kind == "gaussian":
        known("sigma", "sensitivity", "record-bound", "noise-multiplier", "mu-squared")
        return [(("gaussian", Fraction(1), gaussian_square(mechanism, replaced)), 1)]
    if kind == "gdp":
        known("mu")
        mu = at_least_0(mechanism["mu"])
        return [(("gaussian", Fraction(1), mu * mu), 1)] if mu > 0 else []
    if kind == "laplace":
        known("scale", "sensitivity", "record-bound")
        return [(("laplace", Fraction(1), distance(mechanism, replaced) / positive(mechanism["scale"])), 1)]
    if kind in ("randomized-response", "pure-dp"):
        known("epsilon", "exp-epsilon", *(("noise", "k") if kind == "randomized-response" else ()))
        k = whole(mechanism.get("k", 2))
        if adjacency == "replace-special" and kind == "randomized-response":
            raise OutOfScope("responses against a uniform one")
        if "noise" in mechanism:
            noise = probability(mechanism["noise"])
            odds = ("ratio", 1 + (1 - noise) * k / noise)
        else:
            odds = level(mechanism)
        if k < 2 or k > 10 ** 6:
            raise OutOfScope("more than a million answers")
        return [(("response", Fraction(1), odds, k - 2), 1)]
    if kind == "tree-aggregation":
        known("noise-multiplier", "steps", "participations", "min-separation")
        steps = whole(mechanism["steps"])
        most, apart = whole(mechanism.get("participations", 1)), whole(mechanism.get("min-separation", 1))
        least, all_ = tree_squares(steps, most, apart)
        square = (all_ if verdict == "verified" else least) * (4 if replaced else 1)
        return [(("gaussian", Fraction(1), square / positive(mechanism["noise-multiplier"]) ** 2), 1)]
    if kind == "finite":
        known("p", "q")
        p, q = ([probability(x) for x in mechanism[key]] for key in ("p", "q"))
        if len(p) != len(q) or sum(p) != 1 or sum(q) != 1:
            raise Rejected("vectors that do not fit")
        return [(("outcomes", Fraction(1), tuple(zip(q, p))), 1)]
    raise OutOfScope(f"{kind} mechanisms")


def mixture(parts):
    """A step against noise that is not moved, equal shifts once."""
    weights = {}
    for weight, shift in parts:
        weights[shift] = weights.get(shift, 0) + weight
    return ("mixture", Fraction(1), tuple((weight, shift) for shift, weight in sorted(weights.items()) if weight)), 1


def group(step, records):
    """All of these records move the sum together; on a sample as many as are drawn. The distance must be a fraction."""
    if records > MOST_RECORDS or step[0] != "gaussian":
        raise OutOfScope("groups of more than 64 records, or of other noise than Gaussian")
    if step[1] == 1:
        return "gaussian", Fraction(1), step[2] * records ** 2
    rate, root = step[1], Fraction(math.isqrt(step[2].numerator), math.isqrt(step[2].denominator))
    if root ** 2 != step[2]:
        raise OutOfScope("groups on a sample, at distances that are no fractions")
    return mixture([(math.comb(records, k) * rate ** k * (1 - rate) ** (records - k), k * root) for k in range(records + 1)])[0]


def gaussians_at_once(steps):
    """Gaussian steps that are not sampled are one (M1): of a sample of them, too, as that depends on their profile only."""
    if all(step[0] == "gaussian" and step[1] == 1 for step, _ in steps) and steps:
        return [(("gaussian", Fraction(1), sum(step[2] * count for step, count in steps)), 1)]
    return steps


def tree_squares(steps, most, apart):
    """The squared sensitivity of prefix sums in a tree is between these (M7): what the pattern 0, b, 2b, ... has, and the most of each level."""
    if steps > 10 ** 6:
        raise OutOfScope("trees of more than a million steps")
    most = min(most, -(-steps // apart))
    least = all_ = 0
    for level in range(steps.bit_length()):
        size, blocks = 1 << level, steps >> level
        cap, there = -(-size // apart), min(most, -(-(blocks * size) // apart))
        full = min(blocks, there // cap)
        all_ += cap ** 2 * full + ((there % cap) ** 2 if full < blocks else 0)
        before = lambda block: min(most, -(-(block * size) // apart))
        least += sum((before(block + 1) - before(block)) ** 2 for block in range(min(blocks, (most - 1) * apart // size + 1)))
    return Fraction(least), Fraction(all_)


def dp_sgd(mechanism, extra, replaced):
    kind = "replaced" if replaced else "gaussian"
    phase = lambda of: [((kind, positive(of["sample-rate"]), 1 / positive(of["noise-multiplier"]) ** 2), whole(of["steps"]))]
    if "phases" in mechanism:
        only(mechanism, {"kind", extra, "phases"})
        for of in mechanism["phases"]:
            only(of, {"noise-multiplier", "sample-rate", "steps"})
        return [step for of in mechanism["phases"] for step in phase(of)]
    if "sample-rate" in mechanism:
        only(mechanism, {"kind", extra, "noise-multiplier", "sample-rate", "steps"})
        return phase(mechanism)
    only(mechanism, {"kind", extra, "noise-multiplier", "epochs", "steps", "batch-size", "gradient-accumulation", "dataset-size"})
    size = whole(mechanism["dataset-size"])
    batch = whole(mechanism["batch-size"]) * whole(mechanism.get("gradient-accumulation", 1))
    if ("steps" in mechanism) == ("epochs" in mechanism) or not 0 < batch <= size:
        raise Rejected("either steps or epochs, and a batch no larger than the dataset")
    steps = whole(mechanism["steps"]) if "steps" in mechanism else -(-positive(mechanism["epochs"]) * -(-size // batch) // 1)
    return [((kind, Fraction(batch, size), 1 / positive(mechanism["noise-multiplier"]) ** 2), int(steps))]


def merged(steps):
    """Equal steps once, Gaussian ones first, of these the ones without a sample (StepLaws.gather). What has the same law with the record as without it is left out."""
    counts = {}
    for step, count in steps:
        if step[0] == "response" and step[2] in (("log", 0), ("ratio", 1)) or step[0] == "outcomes" and all(q == p for q, p in step[2]) or step[0] == "mixture" and all(shift == 0 for _, shift in step[2]):
            continue
        counts[step] = counts.get(step, 0) + count
    result = sorted(((step, count) for step, count in counts.items() if count), key=lambda part: (part[0][0] != "gaussian", part[0][1] != 1))
    if any(step[1] > 1 for step, _ in result):
        raise Rejected("a rate above 1")
    return result


def only(table, known):
    unknown = set(table) - known
    if unknown:
        raise OutOfScope(f"the key {min(unknown)}")


def gaussian_square(table, replaced):
    stated = [key for key in ("sigma", "noise-multiplier", "mu-squared") if key in table]
    if len(stated) != 1 or (stated[0] != "sigma" and ("sensitivity" in table or "record-bound" in table)):
        raise Rejected("one of sigma, noise-multiplier and mu-squared")
    value = positive(table[stated[0]])
    if stated[0] == "sigma":
        return (distance(table, replaced) / value) ** 2
    if stated[0] == "noise-multiplier":
        return ((2 if replaced else 1) / value) ** 2
    if replaced:
        raise Rejected("mu-squared does not say what a replaced record does")
    return value


def distance(table, replaced):
    if "record-bound" in table:
        if "sensitivity" in table:
            raise Rejected("sensitivity beside record-bound")
        return positive(table["record-bound"]) * (2 if replaced else 1)
    if replaced:
        raise Rejected("sensitivity does not say what a replaced record does")
    return positive(table.get("sensitivity", 1))


def level(table):
    if ("epsilon" in table) == ("exp-epsilon" in table):
        raise Rejected("one of epsilon and exp-epsilon")
    return ("log", number(table["epsilon"])) if "epsilon" in table else ("ratio", positive(table["exp-epsilon"]))


def number(value):
    """A decimal, or a quotient of two."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise Rejected("not a number")
    try:
        above, _, below = str(value).partition("/")
        if len(above) > 1000 or len(below) > 1000:
            raise Rejected("a long number")
        for part in (above, below):
            if abs(int(part.lower().partition("e")[2] or 0)) > 20000:
                raise Rejected("an exponent is too large")
        return Fraction(above) / (Fraction(below) if below else 1)
    except (ValueError, ZeroDivisionError) as error:
        raise Rejected(str(error)) from error


def positive(value):
    return in_range(number(value), lambda x: x > 0)


def at_least_0(value):
    return in_range(number(value), lambda x: x >= 0)


def probability(value):
    return in_range(number(value), lambda x: 0 <= x <= 1)


def in_range(x, fits):
    if not fits(x):
        raise Rejected("a number is out of its range")
    return x


def whole(value):
    result = number(value)
    if result.denominator != 1 or result < 1:
        raise Rejected("a count that is not whole")
    return int(result)
