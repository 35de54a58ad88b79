"""What a claim about sampled Gaussian steps says, read from a certificate, and plans for the proved checker. Nothing here is proved: a bad plan gives no answer, not a wrong one."""
import hashlib
import json
import math
import pathlib
import tomllib
from fractions import Fraction


class OutOfScope(Exception):
    """The proved checker has no theorem about this claim yet."""


class Rejected(Exception):
    """The file is not a certificate."""


def question(path):
    """(mechanism, claim) of a certificate: phases (rate, inverse noise, steps), and (verdict, orders, epsilon, delta)."""
    try:
        certificate = json.loads(pathlib.Path(path).read_text())
        if certificate["schema"] != "dpcmp.certificate/2":
            raise Rejected("not a certificate of dpcmp")
        text, digest = certificate["claim-file"]["text"], certificate["claim-file"]["sha256"]
        if hashlib.sha256(text.encode()).hexdigest() != digest:
            raise Rejected("the claim file has another SHA-256 than the certificate says")
        claim_file = read(text)
        claims = claim_file["claim"]
        which = certificate["claim"]
        if not isinstance(which, int) or which < 0:
            raise Rejected("the claim has no number")
        claim = (claims if isinstance(claims, list) else [claims])[which]
        verdict = certificate["verdict"]
    except (KeyError, IndexError, TypeError) as error:
        raise Rejected(f"a part is missing: {error}") from error
    if verdict not in ("verified", "refuted"):
        raise Rejected("neither verified nor refuted")
    epsilon, delta = bound(claim, verdict)
    mechanism = claim_file["mechanism"]
    orders = {"add-remove": "both", "remove": "remove", "add": "add"}.get(mechanism.get("adjacency", "add-remove"))
    if orders is None:
        raise OutOfScope(f"adjacency {mechanism['adjacency']}")
    steps = [phase for phase in phases(mechanism) if phase[2] > 0]
    if not steps:
        raise OutOfScope("no steps")
    return steps, (verdict, orders, epsilon, delta)


def bound(claim, verdict):
    """(epsilon, delta): the claim says that the profile at epsilon is at most delta (CheckedClaims.v)."""
    kind = claim.get("kind")
    if kind == "approx-dp":
        only(claim, {"kind", "epsilon", "delta"})
        return number(claim["epsilon"]), number(claim["delta"])
    if kind == "advantage":
        only(claim, {"kind", "at-most"})
        return Fraction(0), number(claim["at-most"])
    if kind == "pure-dp" and verdict == "refuted":
        only(claim, {"kind", "epsilon"})
        return number(claim["epsilon"]), Fraction(0)
    raise OutOfScope(f"{kind} claims, {verdict}")


def read(text):
    """A claim file, its decimals as they are written."""
    if text.lstrip().startswith("{"):
        return json.loads(text, parse_float=str)
    return tomllib.loads(text, parse_float=str)


def phases(mechanism, times=1, inner=False):
    """The steps of a mechanism, as phases. Every key must be known: one that is not could change what the mechanism is."""
    kind = mechanism.get("kind", "other")
    times *= whole(mechanism.get("times", 1))
    common = {"kind", "times"} if inner else {"kind", "adjacency"}
    if kind == "compose":
        only(mechanism, common | {"of"})
        return [phase for part in mechanism["of"] for phase in phases(part, times, True)]
    if kind == "gaussian":
        only(mechanism, common | {"sigma", "sensitivity", "noise-multiplier"})
        return [(Fraction(1), 1 / noise(mechanism), times)]
    if kind == "dp-sgd":
        only(mechanism, common | {"noise-multiplier", "sample-rate", "steps"})
        return [(number(mechanism["sample-rate"]), 1 / number(mechanism["noise-multiplier"]), times * whole(mechanism["steps"]))]
    if kind == "subsampled" and mechanism["of"].get("kind") == "gaussian":
        only(mechanism, common | {"rate", "of"})
        only(mechanism["of"], {"kind", "sigma", "sensitivity", "noise-multiplier"})
        return [(number(mechanism["rate"]), 1 / noise(mechanism["of"]), times)]
    raise OutOfScope(f"{kind} mechanisms")


def only(table, known):
    unknown = set(table) - known
    if unknown:
        raise OutOfScope(f"the key {min(unknown)}")


def noise(gaussian):
    if "noise-multiplier" in gaussian:
        return number(gaussian["noise-multiplier"])
    return number(gaussian["sigma"]) / number(gaussian.get("sensitivity", 1))


def number(value):
    return Fraction(str(value))


def whole(value):
    result = number(value)
    if result.denominator != 1 or result < 0:
        raise OutOfScope("a count that is not whole")
    return int(result)


# ---- Plans, in floating point

def log_ratio(q, mu, x):
    power = mu * x - mu * mu / 2
    return power if q == 1 else math.log1p(q * math.expm1(power)) if power < 700 else power + math.log(q)


def loss_variance(q, mu):
    """Of the privacy loss of one step with the record, by the trapezium rule."""
    total = first = second = 0.0
    for i in range(-240, 241):
        for centre, weight in ((0.0, 1 - q), (mu, q)):
            x = centre + i / 30
            mass = weight * math.exp(-(i / 30) ** 2 / 2)
            loss = log_ratio(q, mu, x)
            total, first, second = total + mass, first + mass * loss, second + mass * loss * loss
    return max(second / total - (first / total) ** 2, 1e-30)


class Plan:
    """The numbers of a plan; finer is how many times the first lattice was halved."""

    def __init__(self, mechanism, claim, finer):
        self.phases = [(float(q), float(mu), n) for q, mu, n in mechanism]
        verdict, _, epsilon, delta = claim
        steps = sum(n for _, _, n in self.phases)
        scale = max(float(delta), 1e-15)
        variance = sum(n * loss_variance(q, mu) for q, mu, n in self.phases)
        share = 0.04 if verdict == "verified" else 0.02
        step = math.sqrt(6 * share * variance / steps) / 2 ** finer
        self.halvings = max(0, math.ceil(-math.log2(step)))
        self.step = 2.0 ** -self.halvings
        self.reach = math.sqrt(2 * math.log(1e3 * steps / scale)) + 0.5
        self.bits = max(40, math.ceil(math.log2(1e5 * steps / scale) + 1.45 * min(float(abs(epsilon)), 500)) + 4)
        self.small = int(scale * 2e-5 / steps / 40 * 2 ** self.bits)
        self.levels = self.halvings + 1
        self.sizes = [math.ceil((self.high(q, mu) - self.low(q, mu)) / self.step) for q, mu, _ in self.phases]
        self.most = max(300 if verdict == "verified" else 400, *(3 * size // 2 for size in self.sizes))

    def low(self, q, mu):
        return max(log_ratio(q, mu, -self.reach), math.log1p(-q) - self.step) if q < 1 else log_ratio(q, mu, -self.reach)

    def high(self, q, mu):
        return log_ratio(q, mu, self.reach + mu)

    def knots(self, order):
        """(first, how many) for each phase."""
        result = []
        for q, mu, _ in self.phases:
            first, last = math.floor(self.low(q, mu) / self.step) - 1, math.ceil(self.high(q, mu) / self.step)
            result.append((first, last - first + 1) if order == "remove" else (-last, last - first + 1))
        return result

    def thresholds(self):
        """Where the loss is between two knots, for each phase, in units of 2^-24."""
        result = []
        for q, mu, _ in self.phases:
            points = [-self.reach]
            for k in range(math.floor(self.low(q, mu) / self.step), math.ceil(self.high(q, mu) / self.step) + 1):
                rest = math.expm1(self.step * (k + 0.5)) / q
                if rest > -1:
                    x = math.log1p(rest) / mu + mu / 2
                    if points[-1] < x < self.reach + mu:
                        points.append(x)
            result.append(sorted({round(x * 2 ** 24) for x in [*points, self.reach + mu]}))
        return result


def upper_plan(plan, order):
    """The words of main.ml."""
    ranges = plan.knots(order)
    return [plan.bits, f"1/{2 ** plan.halvings}", plan.levels, plan.small, plan.most, len(ranges), *(x for pair in ranges for x in pair)]


def lower_plan(plan):
    lists = plan.thresholds()
    return [plan.bits, plan.levels, plan.small, plan.most, len(lists), *(x for points in lists for x in (len(points), *(f"{p}/{2 ** 24}" for p in points)))]


def words(mechanism, claim, plan, order="remove"):
    """One line for main.ml; order is that of a refutation of a claim about both."""
    verdict, orders, epsilon, delta = claim
    head = [verdict, orders, fraction(epsilon), fraction(delta), len(mechanism), *(x for q, mu, n in mechanism for x in (fraction(q), fraction(mu), n))]
    if verdict == "verified":
        return " ".join(map(str, [*head, "above", *upper_plan(plan, "remove"), *upper_plan(plan, "add")]))
    return " ".join(map(str, [*head, "below", order if orders == "both" else orders, *lower_plan(plan)]))


def attempts(mechanism, claim, most=6):
    """Plans to try, the cheap ones first: (plan, order of a refutation)."""
    orders = ("remove", "add") if claim[0] == "refuted" and claim[1] == "both" else ("remove",)
    for finer in range(most):
        plan = Plan(mechanism, claim, finer)
        for order in orders:
            yield plan, order


def plan_for(mechanism, claim, finer):
    """One plan; a refutation of a claim about both orders looks at the order remove."""
    return Plan(mechanism, claim, finer), "remove"


def fraction(value):
    return f"{value.numerator}/{value.denominator}"
