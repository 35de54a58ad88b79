"""Claims about sampled Gaussian steps as theory/SampledCheck.v states them, and plans for its check: for claims/from-certificate. Nothing here is proved: a bad plan gives no answer, not a wrong one."""
import math
from fractions import Fraction

from question import OutOfScope, question as asked


def question(path):
    """(mechanism, claim) of a certificate: phases (rate, inverse noise, steps), and (verdict, orders, epsilon, delta)."""
    found = asked(path)
    kind, *numbers = found.claim
    if kind != "approx-dp" or numbers[0][0] != "log":
        raise OutOfScope(f"{kind} claims")
    if any(step[0] != "gaussian" for step, _ in found.steps):
        raise OutOfScope("other steps than Gaussian ones")
    phases = [(step[1], root(step[2]), count) for step, count in found.steps]
    return phases, (found.verdict, "both" if found.adjacency == "add-remove" else found.adjacency, numbers[0][1], numbers[1])


def root(square):
    result = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
    if result * result != square:
        raise OutOfScope("a mu that is no fraction")
    return result


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


def plan_for(mechanism, claim, finer):
    """One plan; a refutation of a claim about both orders looks at the order remove."""
    return Plan(mechanism, claim, finer), "remove"
