"""laplace.jsonl: Laplace mechanisms, alone, composed, with randomised response, with a Gaussian, and Poisson-subsampled.

Formula for products: tilt Q's loss law by e^(−y/2). One Laplace step (ε₀ = sensitivity/scale) becomes e^(−ε₀/2) times
½(δ_{−ε₀} + δ_{ε₀}) + ¼ on (−ε₀, ε₀), randomised response becomes symmetric point masses; products are sums of truncated powers
c·(y − a)₊^(n−1)/(n−1)! with exact rational a, c, and δ(ε) = e^(ε/2) ∫_{y>ε} 2 sinh((y − ε)/2) of them is elementary.
Subsampled, one step: base profile at a shifted u, for both directions from sup_E. Two steps: rigorous arb integral over the first output.
Independent of dpcmp's engine: no lattice; the law is exact and closed.
"""
from fractions import Fraction

from flint import acb, arb

from enclosure import ball, normal_cdf, probit, top, write_rows
from finite_pairs import query
from smooth import Direction, answer


class Tilted:
    """factor · Σ coefficient · (y − a)₊^(n−1)/(n−1)!, where n = 0 stands for a point mass at a. Symmetric in y."""

    def __init__(self, terms, factor):
        self.terms, self.factor = terms, factor

    def __mul__(self, other):
        terms = {}
        for (n1, a1), c1 in self.terms.items():
            for (n2, a2), c2 in other.terms.items():
                key = (n1 + n2, a1 + a2)
                terms[key] = terms.get(key, 0) + c1 * c2
        return Tilted({key: c for key, c in terms.items() if c}, self.factor * other.factor)

    def delta(self, epsilon):
        """Reflected: Σ over a < −ε of the n-fold integral of 2 sinh(z/2), at z = −ε − a."""
        total = arb(0)
        for (n, a), c in self.terms.items():
            z = position(epsilon, a)
            if z > 0:
                total += ball(c) * integrated_sinh(n, z)
            elif not z <= 0:
                total += ball(c) * integrated_sinh(n, z).union(arb(0))
        return self.factor * (ball(epsilon) / 2).exp() * total

    def tail(self, epsilon):
        """P(loss > ε) = ∫_{y < −ε} e^(y/2), reflected (for an exact ε)."""
        total = arb(0)
        for (n, a), c in self.terms.items():
            z = position(epsilon, a)
            if z > 0:
                total += ball(c) * (ball(a) / 2).exp() * integrated_exp(n, z)
        return self.factor * total


def position(epsilon, a):
    """−ε − a, decided exactly before it becomes a ball."""
    if isinstance(epsilon, Fraction):
        return ball(-epsilon - a)
    return -epsilon - ball(a)


def integrated_sinh(n, z):
    """F₀ = 2 sinh(z/2), F₁ = 4 cosh(z/2) − 4, F_{n+2} = 4 F_n − 4 z^{n+1}/(n+1)!."""
    half = z / 2
    if n % 2:
        value, m = 4 * half.cosh() - 4, 1
    else:
        value, m = 2 * half.sinh(), 0
    while m < n:
        value = 4 * value - 4 * z ** (m + 1) / factorial(m + 1)
        m += 2
    return value


def integrated_exp(n, z):
    """∫₀^z e^(t/2) t^(n−1)/(n−1)! dt by parts; 1 for a point mass."""
    if n == 0:
        return arb(1)
    growth = (z / 2).exp()
    value = 2 * (growth - 1)
    for m in range(2, n + 1):
        value = 2 * (growth * z ** (m - 1) / factorial(m - 1) - value)
    return value


def factorial(n):
    return arb(n).fac() if hasattr(arb, "fac") else arb(n + 1).gamma()


def laplace_step(scale, sensitivity="1"):
    e = Fraction(sensitivity) / Fraction(scale)
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    return Tilted({(0, -e): half, (0, e): half, (1, -e): quarter, (1, e): -quarter}, (-ball(e) / 2).exp())


def response_step(epsilon):
    e = Fraction(epsilon)
    return Tilted({(0, -e): Fraction(1), (0, e): Fraction(1)}, 1 / (2 * (ball(e) / 2).cosh()))


def laplace_delta(e, u):
    """The profile of one Laplace step at a ball u > 0 (also below e^(−ε₀), where δ = 1 − u)."""
    edge = ball(e).exp()
    if u >= edge:
        return arb(0)
    if u <= 1 / edge:
        return 1 - u
    if u < edge and u > 1 / edge:
        return 1 - (u / edge).sqrt()
    return (1 - (u / edge).sqrt()).union(arb(0) if u > 1 else 1 - u)


# Poisson-subsampled, one and two steps ---------------------------------------------------------------

def subsampled(scale, rate, adjacency):
    """Profile in u of one subsampled step: sup_E of the mixture against P, or of P against the mixture."""
    e, q = 1 / Fraction(scale), ball(rate)

    def remove(u):
        inner = (u - (1 - q)) / q
        return q * laplace_delta(e, inner) if inner > 0 else 1 - u

    def add(u):
        left = 1 - u * (1 - q)
        return left * laplace_delta(e, u * q / left) if left > 0 else arb(0)

    return remove if adjacency == "remove" else add


def in_epsilon(profile):
    return lambda epsilon: profile(ball(epsilon).exp())


def two_subsampled(scale, rate, adjacency):
    """δ of two equal steps: E over the first output of the one-step profile at u·p/q′ (remove) or u·q′/p (add).

    With loss ratio r = 1 − q + q·e^y of the base loss y: P gives y = −ε₀ with mass ½, y = ε₀ with ½e^(−ε₀), and density
    ¼e^(−(y + ε₀)/2) between. The inner profile has three branches; the integral is cut where r crosses them.
    """
    e, q = 1 / Fraction(scale), ball(rate)
    inner = subsampled(scale, rate, adjacency)
    edge = ball(e)

    def ratio(y):
        return 1 - q + q * y.exp()

    def weighted(u, y):
        return ratio(y) * inner(u / ratio(y)) if adjacency == "remove" else inner(u * ratio(y))

    def profile(u):
        total = weighted(u, -edge) / 2 + weighted(u, edge) * (-edge).exp() / 2
        cuts = [-edge] + sorted((c for c in crossings(u) if c > -edge and c < edge), key=lambda c: float(c.mid().str(17, radius=False))) + [edge]
        for left, right in zip(cuts, cuts[1:]):
            branch = which(u, (left + right) / 2)
            total += acb.integral(lambda y, analytic: branch(u, y, analytic) * (-(y + edge) / 2).exp() / 4, left, right, rel_tol=arb(2) ** -200, abs_tol=arb(2) ** -260).real
        return total

    def crossings(u):
        for bound in (1 - q + q * edge.exp(), 1 - q + q * (-edge).exp()):
            r = u / bound if adjacency == "remove" else 1 / (u * bound)
            if r > 1 - q:
                yield ((r - (1 - q)) / q).log()

    def which(u, y):
        """Analytic branch of r·δ₁(u/r) or δ₁(u·r) around the real point y."""
        r = ratio(y)
        v = u / r if adjacency == "remove" else 1 / (u * r)  # the one-step ratio where the section is cut
        if v > 1 - q + q * edge.exp():
            return (lambda u, y, _: acb(0)) if adjacency == "remove" else (lambda u, y, _: 1 - u * ratio(y))
        if v < 1 - q + q * (-edge).exp():
            return (lambda u, y, _: ratio(y) - u) if adjacency == "remove" else (lambda u, y, _: acb(0))
        return middle_remove if adjacency == "remove" else middle_add

    def middle_remove(u, y, analytic):
        r = ratio(y)
        root = ((u / r - (1 - q)) / q / edge.exp()).sqrt(analytic=analytic)
        return q * r * (1 - root)

    def middle_add(u, y, analytic):
        u = u * ratio(y)
        left = 1 - u * (1 - q)
        return left * (1 - (u * q / left / edge.exp()).sqrt(analytic=analytic))

    return profile


# With one Gaussian -----------------------------------------------------------------------------------

def with_gaussian(scale, mu):
    """E over the Laplace loss y of δ_Gauss(ε − y): two point masses and one entire integrand."""
    e, mu = ball(1 / Fraction(scale)), ball(mu)

    def delta(epsilon):
        epsilon = ball(epsilon)
        value = gaussian_delta(mu, epsilon - e) / 2 + (-e).exp() * gaussian_delta(mu, epsilon + e) / 2
        inside = acb.integral(lambda y, _: ((y - e) / 2).exp() / 4 * complex_gaussian_delta(mu, epsilon - y), -e, e, rel_tol=arb(2) ** -200, abs_tol=arb(2) ** -300)
        return value + inside.real

    return delta


def gaussian_delta(mu, epsilon):
    return normal_cdf(mu / 2 - epsilon / mu) - epsilon.exp() * normal_cdf(-mu / 2 - epsilon / mu)


def complex_gaussian_delta(mu, epsilon):
    def cdf(x):
        return (-x / arb(2).sqrt()).erfc() / 2

    return cdf(mu / 2 - epsilon / mu) - epsilon.exp() * cdf(-mu / 2 - epsilon / mu)


# Rows ------------------------------------------------------------------------------------------------

def d(epsilon):
    return query("delta", epsilon=epsilon)


def lap(scale, **more):
    return {"kind": "laplace", "scale": scale, **more}


PRODUCTS = [  # (parts, steps, adjacency, queries)
    ([lap("0.5")], [laplace_step("0.5")], "add-remove", [d("1.2"), d("-3"), query("epsilon", delta="1e-3"), query("tradeoff", alpha="0.3"), query("tradeoff", alpha="1e-3"), query("advantage"), query("bayes-error", prior="0.7"), query("minimax-risk")]),
    ([lap("3", sensitivity="2")], [laplace_step("3", "2")], "add", [d("0.5"), query("epsilon", delta="0"), query("tradeoff", alpha="0.9"), query("minimax-risk")]),
    ([lap("1", times=2)], [laplace_step("1")] * 2, "remove", [d("1"), d("1.999"), d("-1.5"), query("epsilon", delta="1e-2"), query("tradeoff", alpha="0.1"), query("tradeoff", alpha="1e-3"), query("advantage"), query("bayes-error", prior="0.2"), query("minimax-risk")]),
    ([lap("2", times=3)], [laplace_step("2")] * 3, "add-remove", [d("0.3"), d("1.4999"), query("epsilon", delta="1e-6"), query("tradeoff", alpha="0.05"), query("minimax-risk")]),
    ([lap("1"), lap("2"), lap("1", sensitivity="1/3")], [laplace_step("1"), laplace_step("2"), laplace_step("1", "1/3")], "add-remove", [d("0.9"), query("epsilon", delta="1e-4"), query("tradeoff", alpha="0.4"), query("advantage")]),
    ([lap("1", times=2), {"kind": "randomized-response", "epsilon": "0.7"}], [laplace_step("1")] * 2 + [response_step("0.7")], "add-remove", [d("1.5"), d("2.69"), query("tradeoff", alpha="0.02"), query("minimax-risk"), query("bayes-error", prior="0.6")]),
    ([lap("5", times=12)], [laplace_step("5")] * 12, "remove", [d("1"), d("2.3"), query("tradeoff", alpha="0.1"), query("epsilon", delta="1e-8")]),
]
SUBSAMPLED = [("1", "1/10"), ("1/3", "0.02")]
TWICE = [("1", "0.2", ["0.1", "-0.05", "0.4"]), ("1/4", "0.01", ["0.3", "0.005"])]


def main():
    write_rows("laplace.jsonl", [*products(), *gaussian_mu(), *one_subsampled(), *twice_subsampled(), *gaussian_too()])


def described(parts, adjacency):
    whole = dict(parts[0]) if len(parts) == 1 and "times" not in parts[0] else {"kind": "compose", "of": parts}
    return {**whole, "adjacency": adjacency}


def products():
    for parts, steps, adjacency, queries in PRODUCTS:
        law = steps[0]
        for step in steps[1:]:
            law = law * step
        for each in queries:
            yield described(parts, adjacency), each, answer([Direction(law.delta, law.tail)], each), "exact truncated powers; the pair is symmetric"


def gaussian_mu():
    """k(t) = Φ⁻¹(c·e^t + τ) is convex (Mills' ratio), so the binding point of f(α) = c²/α is its fixed point c = e^(−ε₀/2)/2."""
    for scale, adjacency, keys in [("1", "remove", {}), ("2", "add-remove", {"tolerance": "1e-6"}), ("1/10", "add", {"tolerance": "1e-3"}), ("1/4", "add-remove", {"error_floor": "1e-3"}), ("1/40", "remove", {"error_floor": "1e-3"}), ("10", "add-remove", {})]:
        c = (-1 / (2 * ball(scale))).exp() / 2
        value = -2 * probit(top([c, ball(keys["error_floor"])]) if "error_floor" in keys else c + ball(keys.get("tolerance", "0")))
        yield lap(scale, adjacency=adjacency), query("gdp-mu", **keys), value, "binding at the fixed point of f"


def one_subsampled():
    for scale, rate in SUBSAMPLED:
        base = {"kind": "subsampled", "rate": rate, "of": lap(scale)}
        remove, add = (subsampled(scale, rate, a) for a in ("remove", "add"))
        e, q = ball(1 / Fraction(scale)), ball(rate)
        for index, (adjacency, profiles) in enumerate((("remove", [remove]), ("add", [add]), ("add-remove", [remove, add]))):
            directions = [Direction(in_epsilon(profile)) for profile in profiles]
            for position, each in enumerate((d("0.01"), d("-0.01"), query("epsilon", delta="1e-3"), query("advantage"), query("bayes-error", prior="0.49"))):
                if (index + position) % 2 == 0:
                    yield {**base, "adjacency": adjacency}, each, answer(directions, each), "sup over sections, closed form"
        for alpha in ("0.05", "0.45"):
            a = ball(alpha)
            f = top([1 - e.exp() * a, (-e).exp() / (4 * a) if a > (-e).exp() / 2 and a < 0.5 else arb(0), (-e).exp() * (1 - a)])
            yield {**base, "adjacency": "remove"}, query("tradeoff", alpha=alpha), (1 - q) * (1 - a) + q * f, "(1−q)(1−α) + q·f_Laplace(α)"


def twice_subsampled():
    for scale, rate, epsilons in TWICE:
        parts = [{"kind": "subsampled", "rate": rate, "of": lap(scale), "times": 2}]
        remove, add = (two_subsampled(scale, rate, a) for a in ("remove", "add"))
        for epsilon in epsilons:
            for adjacency, profiles in (("remove", [remove]), ("add", [add]), ("add-remove", [remove, add])):
                if adjacency != "add-remove" or epsilon == epsilons[0]:
                    value = answer([Direction(in_epsilon(profile)) for profile in profiles], d(epsilon))
                    yield described(parts, adjacency), d(epsilon), value, "rigorous arb integral over the first step"


def gaussian_too():
    for scale, sigma, epsilons in [("1", "2", ["0.5", "-1", "6"]), ("1/5", "1/2", ["4", "12"])]:
        parts = [lap(scale), {"kind": "gaussian", "sigma": sigma}]
        law = with_gaussian(scale, 1 / Fraction(sigma))
        for epsilon in epsilons:
            yield described(parts, "add-remove"), d(epsilon), law(Fraction(epsilon)), "Laplace loss integrated against the Gaussian profile (arb)"


if __name__ == "__main__":
    main()
