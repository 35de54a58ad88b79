"""subsampled_gaussian.jsonl: Poisson-subsampled Gaussians, one step in closed form, two (and one plus Gaussians) by integrals.

Formulas: with x the output in units of σ, m = sensitivity/σ, r(x) = 1 − q + q·e^(mx − m²/2) is increasing, so the best event is a
half-line. One step: δ from normal tails at its end t, in both directions. Two steps: E over the first output of the second
step's one-step profile, a rigorous arb integral cut where that profile stops being analytic (the end runs to −∞ there; the
remainder is bounded by Φ(−18) or less). One step and Gaussians: the second profile is entire in the first output.
Two steps and a Gaussian: trapezoidal sum on a grid, error bounded by the integrand on a strip of the complex plane.
Independent of dpcmp's engine: no lattice of losses, no convolution.
"""
from fractions import Fraction

from flint import acb, arb

from enclosure import ball, bottom, ends, normal_density, precision, probit, span, top, write_rows
from finite_pairs import query
from gaussian import gaussian_delta
from maximum import maximise
from smooth import Direction, answer

FAR = 18  # Φ(−18) < 1e-71 bounds what the cut next to the non-analytic point leaves out
LIMIT = 26  # Φ(−26) < 1e-148 bounds the outputs left out of the integrals


class Step:
    """One Poisson-subsampled Gaussian step; everything is a function of a ball u > 0."""

    def __init__(self, sigma, rate, sensitivity="1"):
        self.m = ball(Fraction(sensitivity) / Fraction(sigma))
        self.q = ball(rate)

    def ratio(self, x):
        return 1 - self.q + self.q * (self.m * x - self.m**2 / 2).exp()

    def end(self, r, analytic=None):
        """The x with ratio r > 1 − q."""
        inner = (r - (1 - self.q)) / self.q
        log = inner.log(analytic=analytic) if analytic is not None else inner.log()
        return log / self.m + self.m / 2

    def end_or_far(self, r):
        return self.end(r) if r > 1 - self.q else arb(-2 * LIMIT)

    def mixture_above(self, t):
        return (1 - self.q) * cdf(-t) + self.q * cdf(self.m - t)

    def mixture_below(self, t):
        return (1 - self.q) * cdf(t) + self.q * cdf(t - self.m)

    def remove(self, u):
        if u <= 1 - self.q:
            return 1 - u
        t = self.end(u)
        return self.mixture_above(t) - u * cdf(-t)

    def add(self, u):
        if u * (1 - self.q) >= 1:
            return arb(0)
        t = self.end(1 / u)
        return cdf(t) - u * self.mixture_below(t)

    def directions(self, adjacency):
        """δ with the null's tail: P above the end for remove, the mixture below it for add."""
        remove = Direction(lambda e: self.remove(ball(e).exp()), lambda e: self.tail_remove(ball(e).exp()))
        add = Direction(lambda e: self.add(ball(e).exp()), lambda e: self.tail_add(ball(e).exp()))
        return {"remove": [remove], "add": [add], "add-remove": [remove, add]}[adjacency]

    def tail_remove(self, u):
        return arb(1) if u <= 1 - self.q else cdf(-self.end(u))

    def tail_add(self, u):
        return arb(0) if u * (1 - self.q) >= 1 else self.mixture_below(self.end(1 / u))

    def threshold(self, tau):
        """h(t) = −Φ⁻¹(Φ(−t) + τ) − Φ⁻¹(F(t) + τ) along the curve α = Φ(−t), f = F(t) = mixture below t, and its derivative."""
        tau = ball(tau)

        def sides(t):
            return monotone(lambda s: -probit(cdf(-s) + tau), t), monotone(lambda s: probit(self.mixture_below(s) + tau), t)

        def height(t):
            a, b = sides(t)
            return a - b

        def slope(t):
            a, b = sides(t)
            rising = (1 - self.q) * normal_density(t) + self.q * normal_density(t - self.m)
            return normal_density(t) / normal_density(a) - rising / normal_density(b)

        return height, slope

    def mu_with_tolerance(self, tau):
        """Maximum of h where both arguments stay below 1; next to those ends h is shown to be smaller."""
        height, slope = self.threshold(tau)
        tau, low, high = ball(tau), Fraction(-12), Fraction(20)
        while not cdf(-ball(low)) + tau < 1:
            low += Fraction(1, 16)
        while not self.mixture_below(ball(high)) + tau < 1:
            high -= Fraction(1, 16)
        best = maximise(height, slope, low, high)
        most = -probit(tau)
        if not (-probit(cdf(-ball(low)) + tau) + most < best and most - probit(self.mixture_below(ball(high)) + tau) < best):
            raise ArithmeticError("the ends of the range matter")
        return best

    def mu_at_floor(self, floor):
        """Maximum of h (τ = 0) over Φ(−t) ≥ floor and F(t) ≥ floor, both ends included."""
        height, slope = self.threshold(0)
        last = -probit(ball(floor))
        if not self.mixture_below(last) > ball(floor):
            raise ArithmeticError("f(floor) < floor")
        low, high = Fraction(-40), Fraction(40)
        for _ in range(130):
            middle = (low + high) / 2
            low, high = (middle, high) if self.mixture_below(ball(middle)) < ball(floor) else (low, middle)
        before = ends(last)[0] - Fraction(1, 10**60)
        return top([maximise(height, slope, high, before), height(last), height(span(low, high)), height(span(before, last))])


def monotone(function, piece):
    """Value of a monotone function on a ball, from its two ends."""
    low, high = piece.lower(), piece.upper()
    return function(low) if low == high else function(low).union(function(high))


def cdf(x):
    return (-x / arb(2).sqrt()).erfc() / 2


def density(x):
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def integral(function, low, high):
    if not low < high:
        return arb(0)
    return acb.integral(function, low, high, rel_tol=arb(2) ** -230, abs_tol=arb(2) ** -400, eval_limit=400000).real


def small(bound):
    """The ball [0, bound]."""
    return arb(0).union(bound)


def two_steps(first, second, adjacency, u):
    """δ of a product of two subsampled steps."""
    return two_remove(first, second, u) if adjacency == "remove" else two_add(first, second, u)


def two_remove(first, second, u):
    """∫ r₁φ·δ₂(u/r₁). Where u/r₁ ≤ 1 − q₂ the inner profile is 1 − u/r₁; just below it, it exceeds that by at most (u/r₁)·Φ(end)."""
    if u <= (1 - first.q) * (1 - second.q):
        return 1 - u
    cut = first.end_or_far(u / second.ratio(arb(-FAR)))
    beyond = first.mixture_above(cut) - u * cdf(-cut)  # the branch 1 − u/r₁, used from the cut on

    def inside(x, analytic):
        r = first.ratio(x)
        t = second.end(u / r, analytic)
        return density(x) * (r * second.mixture_above(t) - u * cdf(-t))

    left_out = first.mixture_below(arb(-LIMIT)) + first.mixture_above(first.m + LIMIT) + u * cdf(arb(-FAR))
    return integral(inside, arb(-LIMIT), clamp(cut, first)) + beyond + small(left_out)


def two_add(first, second, u):
    """∫ φ·δ₂(u·r₁) with roles swapped; zero where u·r₁(1 − q₂) ≥ 1, and at most Φ(end) just before."""
    if u * (1 - first.q) * (1 - second.q) >= 1:
        return arb(0)
    cut = first.end_or_far(1 / (u * second.ratio(arb(-FAR))))

    def inside(x, analytic):
        v = u * first.ratio(x)
        t = second.end(1 / v, analytic)
        return density(x) * (cdf(t) - v * second.mixture_below(t))

    left_out = cdf(arb(-LIMIT)) * 2 + cdf(arb(-FAR))
    return integral(inside, arb(-LIMIT), clamp(cut, first)) + small(left_out)


def clamp(cut, step):
    """The integrals run over [−LIMIT, LIMIT + m] at most (the rest is in `left_out`)."""
    return top([bottom([cut, step.m + LIMIT]), arb(-LIMIT)])


def step_and_gaussian(step, mu, adjacency, u):
    """∫ r φ·δ_μ(log u − log r) for remove, ∫ φ·δ_μ(log u + log r) for add; r has no zero near the real line."""
    def inside(x, analytic):
        r = step.ratio(x)
        log = r.log(analytic=analytic)
        if adjacency == "remove":
            return density(x) * r * gaussian_delta(mu, u.log() - log)
        return density(x) * gaussian_delta(mu, u.log() + log)

    left_out = step.mixture_below(arb(-LIMIT)) + step.mixture_above(arb(LIMIT) + step.m)
    return integral(inside, arb(-LIMIT), arb(LIMIT) + step.m) + small(left_out)


def two_steps_and_gaussian(first, second, mu, adjacency, u):
    """Trapezoidal rule in both outputs. On |Im x| ≤ d with md < π: |arg r| ≤ md, |r(x + id)| ≤ r(x), |φ(x + id)| = φ(x)e^(d²/2)
    and |Φ(a + ib)| ≤ e^(b²/2), so each one-dimensional error is at most 2M/(e^(2πd/h) − 1), M = e^((d² + (md/μ)²)/2)(1 + u), the second
    one summed over a grid of total weight below 2 (Trefethen and Weideman 2014, Theorem 5.1)."""
    h, reach = arb(1) / 8, 14
    points = range(-reach * 8, (reach + 2) * 8)
    rows = [[(step.ratio(h * k), density(h * k) * h) for k in points] for step in (first, second)]
    total, log_u = arb(0), u.log()
    logs = [(r, r.log(), weight) for r, weight in rows[1]]
    for r1, weight1 in rows[0]:
        log1 = r1.log()
        for r2, log2, weight2 in logs:
            if adjacency == "remove":
                total += weight1 * weight2 * r1 * r2 * gaussian_delta(mu, log_u - log1 - log2)
            else:
                total += weight1 * weight2 * gaussian_delta(mu, log_u + log1 + log2)
    m = top([first.m, second.m])
    assert m <= 2  # so that the grid's right end, reach + 2, is beyond m + reach - 1 and more
    d = bottom([arb(5) / 2 / m, arb(3)])
    strip = ((d**2 + (m * d / mu) ** 2) / 2).exp() * (1 + u)
    aliasing = 3 * 2 * strip / ((2 * arb.pi() * d / h).exp() - 1)
    outside = 4 * sum((step.mixture_below(arb(1 - reach)) + cdf(arb(1 - reach)) + step.mixture_above(step.m + reach - 1) for step in (first, second)), arb(0))
    error = aliasing + outside
    return total + (-error).union(error)


# Rows ------------------------------------------------------------------------------------------------

def d(epsilon):
    return query("delta", epsilon=epsilon)


def sampled(sigma, rate, **more):
    return {"kind": "subsampled", "rate": rate, "of": {"kind": "gaussian", "sigma": sigma}, **more}


ALL = ("remove", "add", "add-remove")
ONE = [  # (sigma, rate, queries)
    ("1", "1/10", [d("0.3"), d("-0.1"), query("epsilon", delta="1e-5"), query("tradeoff", alpha="0.1"), query("minimax-risk"), query("bayes-error", prior="0.52")]),
    ("0.7", "0.001", [d("2"), d("0.0005"), query("epsilon", delta="1e-8"), query("tradeoff", alpha="1e-4"), query("advantage")]),
    ("5", "0.9", [d("0.2"), d("-0.5"), query("tradeoff", alpha="0.5"), query("minimax-risk")]),
    ("1/3", "1/2", [d("4"), d("-0.6"), query("tradeoff", alpha="0.001"), query("bayes-error", prior="0.4")]),
]
MU = [("1", "0.1", {"tolerance": "1e-4"}), ("0.7", "0.001", {"tolerance": "1e-6"}), ("5", "0.9", {"tolerance": "1e-10"}), ("1", "0.1", {"error-floor": "1e-6"}), ("2", "0.5", {"error-floor": "0.01"})]
TWO = [  # (first, second, epsilons)
    (("1", "0.01"), ("1", "0.01"), ["0.02", "-0.01", "1"]),
    (("0.5", "0.001"), ("0.5", "0.001"), ["0.1", "5"]),
    (("2", "0.3"), ("2", "0.3"), ["0.4", "-0.3", "3"]),
    (("10", "0.5"), ("10", "0.5"), ["0.05", "-0.05", "0.6"]),
    (("0.8", "0.05"), ("3", "0.4"), ["0.3", "-0.2"]),
    (("1", "1/1000000"), ("4", "0.9"), ["0.2", "1.5"]),
]
WITH_GAUSSIAN = [  # (subsampled, other sigma, epsilons)
    (("1", "0.1"), "4", ["0.5", "-0.2", "5"]),
    (("0.6", "0.01"), "1", ["1", "6"]),
    (("20", "0.5"), "2", ["0.7", "3"]),
]
TWO_WITH_GAUSSIAN = [(("1", "0.1"), ("1", "0.1"), "1", "1.2"), (("2", "0.3"), ("1.25", "0.01"), "3", "0.4")]


def main():
    write_rows("subsampled_gaussian.jsonl", [*one_step(), *strict_mu(), *bounded_mu(), *two(), *one_and_gaussian(), *two_and_gaussian()])


def one_step():
    for number, (sigma, rate, queries) in enumerate(ONE):
        step = Step(sigma, rate)
        for index, adjacency in enumerate(ALL):
            for position, each in enumerate(queries):
                if (number + index + position) % 3 < 2:
                    yield {**sampled(sigma, rate), "adjacency": adjacency}, each, answer(step.directions(adjacency), each), "half-line events, closed form"


def strict_mu():
    for parts, value, adjacency in [([sampled("4", "1e-6", times=100)], Fraction(5, 2), "add-remove"), ([sampled("3/4", "0.2", times=9), sampled("1/2", "0.9", times=5)], Fraction(6), "remove"), ([sampled("0.8", "0.01")], Fraction(5, 4), "add")]:
        yield compose(parts, adjacency), query("gdp-mu"), value, "theorem: strict mu* = sqrt(sum 1/sigma^2), whatever the rates"


def bounded_mu():
    for index, (sigma, rate, keys) in enumerate(MU):
        step = Step(sigma, rate)
        with precision(250):
            value = step.mu_with_tolerance(keys["tolerance"]) if "tolerance" in keys else step.mu_at_floor(keys["error-floor"])
        adjacency = ALL[index % 3] if "tolerance" in keys else ALL[index % 2]
        yield {**sampled(sigma, rate), "adjacency": adjacency}, {"kind": "gdp-mu", **keys}, value, "certified maximum along the curve; the same in both directions"


def two():
    for first, second, epsilons in TWO:
        steps = Step(*first), Step(*second)
        parts = [sampled(*first, times=2)] if first == second else [sampled(*first), sampled(*second)]
        yield from rows_of(parts, epsilons, lambda adjacency, u: two_steps(*steps, adjacency, u), "rigorous arb integral over the first step")


def one_and_gaussian():
    for step, sigma, epsilons in WITH_GAUSSIAN:
        parts = [sampled(*step), {"kind": "gaussian", "sigma": sigma}]
        mu = 1 / ball(sigma)
        yield from rows_of(parts, epsilons, lambda adjacency, u: step_and_gaussian(Step(*step), mu, adjacency, u), "rigorous arb integral over the subsampled step")


def two_and_gaussian():
    for first, second, sigma, epsilon in TWO_WITH_GAUSSIAN:
        parts = [sampled(*first), sampled(*second), {"kind": "gaussian", "sigma": sigma}]
        mu = 1 / ball(sigma)
        with precision(220):
            yield from rows_of(parts, [epsilon], lambda adjacency, u: two_steps_and_gaussian(Step(*first), Step(*second), mu, adjacency, u), "trapezoidal rule with a strip bound")


def rows_of(parts, epsilons, delta, how):
    """Each ε in both directions; the first ε also under add-remove."""
    for epsilon in epsilons:
        u = ball(epsilon).exp()
        values = {adjacency: delta(adjacency, u) for adjacency in ("remove", "add")}
        for adjacency, value in values.items():
            yield compose(parts, adjacency), d(epsilon), value, how
        if epsilon == epsilons[0]:
            yield compose(parts, "add-remove"), d(epsilon), top(values.values()), how + ", the larger direction"


def compose(parts, adjacency):
    whole = dict(parts[0]) if len(parts) == 1 and "times" not in parts[0] else {"kind": "compose", "of": parts}
    return {**whole, "adjacency": adjacency}


if __name__ == "__main__":
    main()
