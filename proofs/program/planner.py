"""Proofs to propose to the proved checker, made in floating point. Nothing here is proved: a bad proof gives no answer, not a wrong one."""
import math
from fractions import Fraction

from plan import Losses, Plan, dyadic, exp_fraction, fraction, log_of, quantile, tail, tail_fits

ORDERS = {"add-remove": ("remove", "add"), "remove": ("remove",), "add": ("add",)}


def level_words(level):
    return f"{level[0]} {fraction(level[1])}"


def subject_words(question):
    return mechanism_words(question) if question.rho is None else f"all-with-zcdp {fraction(question.rho)}"


def mechanism_words(question):
    words = [str(len(question.steps))]
    for step, count in question.steps:
        kind, rate, *numbers = step
        words += [kind] if kind == "mixture" else [kind, fraction(rate)]
        if kind == "response":
            words += [level_words(numbers[0]), str(numbers[1])]
        elif kind in ("outcomes", "mixture"):
            words += [str(len(numbers[0])), *(fraction(x) for cell in numbers[0] for x in cell)]
        else:
            words.append(fraction(numbers[0]))
        words.append(str(count))
    return " ".join(words)


def claim_words(claim):
    kind, *numbers = claim
    return " ".join([kind, *(level_words(x) if isinstance(x, tuple) else fraction(x) for x in numbers)])


# ---- Proofs to try

class Planner:
    """Proofs of a question, the cheap ones first. ask gives a line to the checker."""

    def __init__(self, question, ask):
        self.question, self.ask = question, ask
        self.mechanism = mechanism_words(question)
        self.kind, *self.numbers = question.claim
        self.orders = ORDERS[question.adjacency]

    def proofs(self, most):
        if self.kind == "zcdp" or self.question.rho is not None and self.is_true():
            yield from self.zcdp()
            return
        if not self.question.steps:
            yield from ("trivial", "largest-loss 200", "gaussian-mu", "line 0/1 0/1 72 1/1 1 0 300 0 72 1/1 1 0 300 0")
            if self.kind == "trade-off":
                yield from (f"one-test {order} 72 0 0 400 0 0 {fraction(self.numbers[0])}" for order in self.orders)
            return
        if self.question.rho is not None and self.kind == "approx-dp":
            yield from self.outcomes()
        yield from self.closed()
        make = {"approx-dp": self.at_epsilon, "pure-dp": self.at_epsilon, "advantage": self.at_epsilon, "trade-off": self.trade_off, "gdp": self.gdp, "gdp-floor": self.gdp}[self.kind]
        for finer in most:
            yield from make(finer)

    def is_true(self):
        return self.question.verdict == "verified"

    def closed(self):
        """Proofs without a law."""
        if self.is_true():
            yield "trivial"
            if self.kind in ("pure-dp", "approx-dp", "advantage"):
                yield "largest-loss 200"
            if self.kind == "approx-dp":
                yield from self.at_less()
            if self.kind in ("gdp", "gdp-floor"):
                yield "gaussian-mu"
                largest = self.largest_loss()
                if largest is not None:
                    yield f"largest-loss-mu 200 log {fraction(largest)}"
        elif self.kind == "gdp":
            yield "gaussian-mu"
        elif self.kind == "pure-dp":
            for order in self.orders:
                yield from self.loss_above(order)
        [(step, count), *rest] = self.question.steps
        if step[0] == "laplace" and step[1] == 1 and count == 1 and not rest and self.kind in ("gdp", "gdp-floor"):
            yield "fixed-point 200"
        if step[0] == "outcomes" and step[1] == 1 and count == 1 and not rest and self.kind in ("advantage", "trade-off"):
            yield from self.exact(step[2])

    def zcdp(self):
        """Of claims of zCDP, and of what follows from it."""
        if self.is_true():
            if self.kind == "zcdp":
                yield "by-rho"
            elif self.kind == "approx-dp" and self.numbers[0][0] == "log":
                epsilon, delta = float(self.numbers[0][1]), float(self.numbers[1])
                yield f"at-order {order_bits(delta)} {fraction(best_order(float(self.question.rho), epsilon))}"
            return
        # Of Gaussian noise, the more certain the higher the order.
        [(step, count), *rest] = self.question.steps
        if rest or step[:2] != ("gaussian", 1):
            return
        mu, rho = math.sqrt(step[2] * count), float(self.numbers[0])
        for k in range(1, 12):
            order = Fraction(2) ** k
            epsilon = dyadic((2 * float(order) - 1) * max(rho, mu * mu / 4), 20)
            above, below = order_bound(float(order), rho, float(epsilon)), log_profile(mu, float(epsilon))
            bits = int(-below / math.log(2) + 1.5 * float(epsilon)) + 96
            if bits > 4096:
                return
            if above < below - 1e-3:
                delta = exp_fraction(dyadic((above + below) / 2))
                delta = Fraction(int(delta * 2 ** bits), 2 ** bits)
                for side in self.orders:
                    yield f"beaten {bits} {fraction(order)} {fraction(epsilon)} {fraction(delta)} below {side} {bits} 0 0 400 1 1 {fraction(epsilon)}"

    def outcomes(self):
        """A member of the class with two outcomes, by the order that bounds the profile best."""
        epsilon, delta, rho = log_of(self.numbers[0]), float(self.numbers[1]), float(self.question.rho)
        order = float(best_order(rho, epsilon))
        best = math.exp(order_bound(order, rho, epsilon))
        if not 0 < delta < best:
            return
        loss = epsilon + math.log(order / (order - 1))
        q = order * math.sqrt(delta * best)
        room = math.log(rho / (q * loss)) / loss * 0.99
        if q >= 0.5 or room <= 0:
            return
        proof = f"{order_bits(delta)} 0 0 400 1 1 {fraction(dyadic(epsilon, 40))}"
        yield f"as-outcomes {order_bits(delta)} {fraction(Fraction(q * math.exp(-loss)))} {fraction(Fraction(q))} {fraction(dyadic(room, 20))} below {self.orders[0]} {proof}"

    def largest_loss(self):
        """A fraction, from exact ones if all are."""
        total = Fraction(0)
        for step, count in self.question.steps:
            if step[0] in ("gaussian", "replaced", "mixture"):
                return None
            if step[1] == 1 and step[0] == "laplace":
                total += step[2] * count
            elif step[1] == 1 and step[0] == "response" and step[2][0] == "log":
                total += step[2][1] * count
            else:
                losses = Losses(step, 1)
                if any(q and not p or p and not q for q, p in (step[2] if step[0] == "outcomes" else ())):
                    return None
                total += dyadic(max(abs(losses.low), abs(losses.high)) * count + 1e-9, 40, True)
        return total

    def loss_above(self, order):
        """A loss of each step, below its largest one."""
        epsilon = log_of(self.numbers[0])
        ranges, bounded, rest = [], 0.0, []
        for i, (step, count) in enumerate(self.question.steps):
            losses = Losses(step, 1)
            free = self.unbounded(step, order)
            ranges.append(losses.range(order)[1] if free or step[0] != "gaussian" else -math.log1p(-step[1]))
            if free:
                rest.append(i)
            else:
                bounded += count * ranges[-1]
        total = sum(count for _, count in self.question.steps)
        if not rest and bounded <= epsilon:
            return
        slack = (bounded - epsilon) / 2 / total if not rest else 1e-3
        es = [dyadic(high - slack, 80) for high in ranges]
        bits = 200 if all(step[0] != "gaussian" for step, _ in self.question.steps) else 600
        if rest:
            i = rest[0]
            step, count = self.question.steps[i]
            others = sum(float(e) * n for k, (e, (_, n)) in enumerate(zip(es, self.question.steps)) if k != i)
            es[i] = dyadic(max((epsilon - others) / count, 0) + 1e-6, 40, True)
            if step[0] in ("gaussian", "replaced"):
                mu = math.sqrt(step[2])
                far = (float(es[i]) - math.log(step[1])) / mu + mu / 2
                bits = int(200 + 0.75 * far * far)
        kind, exact = self.numbers[0]
        is_short = kind == "log" and not rest and sum(e * n for e, (_, n) in zip(es, self.question.steps)) < exact
        if bits <= 4096 and not is_short:
            yield f"loss-above {bits} {order} {len(es)} " + " ".join(map(fraction, es))

    @staticmethod
    def unbounded(step, order):
        """Are losses as large as one likes?"""
        if step[0] == "replaced":
            return True
        if step[0] == "gaussian":
            return order == "remove" or step[1] == 1
        if step[0] == "mixture":
            return order == "remove" or all(shift for _, shift in step[2])
        return step[0] == "outcomes" and any(q and not p for q, p in step[2]) and order == "remove" or step[0] == "outcomes" and step[1] == 1 and order == "add" and any(p and not q for q, p in step[2])

    def exact(self, cells):
        flipped = [(p, q) for q, p in cells]
        if self.is_true():
            ratios = {Fraction(1), *(q / p for q, p in cells if p), *(p / q for q, p in cells if q)}
            for u in sorted(ratios) if self.kind == "trade-off" else [Fraction(1)]:
                yield f"exact {fraction(u)}"
            return
        if self.kind == "advantage":
            yield f"exact-test remove {len(cells)} " + " ".join("1/1" if q > p else "0/1" for q, p in cells)
            return
        alpha, beta = self.numbers
        for order in self.orders:
            yield f"exact-test {order} {parts_words(best_parts(cells if order == 'remove' else flipped, alpha))}"
        if len(self.orders) == 2:
            # A line between corners of both curves.
            corners = [[(*errors(ours, parts), parts) for parts in corner_parts(ours)] for ours in (cells, flipped)]
            for a, b, parts in corners[0]:
                for a2, b2, parts2 in corners[1]:
                    if b == b2 or not min(b, b2) <= alpha <= max(b, b2):
                        continue
                    z = (alpha - b2) / (b - b2)
                    if 1 - z * a - (1 - z) * a2 < beta:
                        yield f"exact-mix {fraction(z)} {parts_words(parts)} {parts_words(parts2)}"
                        return

    # -- laws
    def plan(self, finer, scale, epsilon, above, coarser=0):
        plan = Plan(self.question, finer, scale, epsilon, above, coarser)
        return None if plan.too_large() else plan

    def bounds(self, plan, order, epsilons, only=None):
        """Upper bounds of the divergence, fractions."""
        said = self.ask(f"above {order} {self.mechanism} {plan.upper(order, only)} {len(epsilons)} " + " ".join(map(fraction, epsilons)))
        return None if said == "none" else [Fraction(int(n), 4 ** plan.bits) for n in said.split()]

    def cells(self, plan, order):
        said = self.ask(f"cells {order} {self.mechanism} {plan.lower(order)}")
        if said == "none":
            return None
        qs, ps = (list(map(int, part.split())) for part in said.split("/"))
        return qs, ps

    def at_less(self):
        """An epsilon far above all losses: at a smaller one, on a coarse lattice."""
        far = self.plan(0, 1e-6, Fraction(0), True, 5)
        if far is None or far.alone or self.numbers[0][0] != "log":
            return
        end = 4 * max(self.total(far, order)[1] for order in self.orders)
        epsilon = dyadic(end, 0, True)
        if epsilon < self.numbers[0][1] / 4:
            plan = self.plan(0, max(float(self.numbers[1]), 1e-30), epsilon, True, 5)
            if plan is not None:
                yield f"line {fraction(epsilon)} {fraction(self.numbers[1])} {plan.upper('remove')} {plan.upper('add')}"

    def at_epsilon(self, finer):
        if self.kind == "advantage":
            epsilon, scale = Fraction(0), min(max(float(self.numbers[0]), 1e-6), 1)
        else:
            level = self.numbers[0]
            epsilon = level[1] if level[0] == "log" else dyadic(math.log(level[1]))
            smallest = 1e-250 if len(self.question.steps) == self.question.steps[0][1] == 1 else 1e-15
            scale = min(max(float(self.numbers[1]), smallest), 1) if self.kind == "approx-dp" else 1e-12 / 1e3 ** finer
        above = self.is_true()
        plan = Plan(self.question, finer, max(scale, 1e-250), epsilon, above)
        # Of a single step one profile point is enough, however far its losses reach.
        if not plan.alone and plan.too_large() or above and self.kind == "pure-dp" or plan.alone and finer > 2:
            return
        if plan.alone:
            plan.bits += 128 * finer
        if above:
            yield f"above {plan.upper('remove', epsilon)} {plan.upper('add', epsilon)}"
        else:
            # A tangent at a kink may be too steep, beside it it is not.
            beside = [Fraction(sign, 2 ** (20 + 20 * finer)) for sign in (1, -1)] if plan.alone else []
            for order in self.orders if self.kind != "advantage" else ("remove",):
                for way in (0, *beside):
                    yield f"below {order} {plan.lower(order, epsilon + way)}"

    def grid(self, plan, low, high, most):
        """Multiples of the lattice."""
        first, last = math.floor(low / plan.step), math.ceil(high / plan.step)
        stride = max(1, -(-(last - first) // most))
        return [plan.lattice * k for k in range(first, last + 1, stride)]

    def total(self, plan, order):
        """Range in which the loss of all steps is."""
        ends = [losses.range(order) for losses in plan.losses]
        mean = sum((losses.mean if order == "remove" else -losses.mean) * count for losses, (_, count) in zip(plan.losses, plan.steps))
        far = plan.reach * math.sqrt(sum(losses.variance * count for losses, (_, count) in zip(plan.losses, plan.steps)))
        low = max(sum(low * count for (low, _), (_, count) in zip(ends, plan.steps)), -abs(mean) - far)
        high = min(sum(high * count for (_, high), (_, count) in zip(ends, plan.steps)), abs(mean) + far)
        return low, high

    def trade_off(self, finer):
        alpha, beta = self.numbers
        scale = min(max(min(float(alpha), float(beta)), 1e-9), 1) / 10 / 2 ** finer
        plan = self.plan(finer, scale, Fraction(0), self.is_true())
        if plan is None:
            return
        if not self.is_true():
            for order in self.orders:
                found = self.cells(plan, order)
                if found:
                    n, t, _, _ = test_at(*found, plan.bits, alpha)
                    yield f"one-test {order} {plan.lower(order)} {n} {fraction(t)}"
            return
        ranges = [self.total(plan, order) for order in self.orders]
        low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
        value = lambda e, d: 1 - float(d) - math.exp(min(float(e), 700)) * float(alpha)
        for _ in range(4):
            epsilons = self.grid(plan, low, high, 100)
            all_bounds = [self.bounds(plan, order, epsilons) for order in self.orders]
            if None in all_bounds:
                return
            worst = [max(ds) for ds in zip(*all_bounds)]
            best = max(range(len(epsilons)), key=lambda i: value(epsilons[i], worst[i]))
            if len(epsilons) < 2 or epsilons[1] - epsilons[0] <= plan.lattice:
                break
            low, high = float(epsilons[max(best - 1, 0)]), float(epsilons[min(best + 1, len(epsilons) - 1)])
        candidates = [(epsilons[best], worst[best])]
        for only in plan.kinks():
            bounds = [self.bounds(plan, order, [only], only) for order in self.orders]
            if None not in bounds:
                candidates.append((only, max(bounds)[0]))
        only, bound = max(candidates, key=lambda at: value(*at))
        yield f"line {fraction(only)} {fraction(bound)} {plan.upper('remove', only)} {plan.upper('add', only)}"

    # -- Gaussian DP
    def gdp(self, finer):
        mu, extra = self.numbers
        if mu == 0:
            return
        scale = min(max(float(extra), 1e-6), 1) / 10 / 2 ** finer
        plan = self.plan(finer, scale, Fraction(0), self.is_true())
        if plan is None:
            return
        if self.is_true():
            count = 60 * 2 ** min(finer, 4)
            high = max(self.total(plan, order)[1] for order in ("remove", "add"))
            lists = [self.points(plan, order, mu, extra, count, high) for order in ("remove", "add")]
            if None in lists:
                return
            if self.kind == "gdp-floor":
                lists = self.cut(lists, mu, extra)
                if lists is None:
                    return
            yield f"points {plan.bits + 20} {plan.upper('remove')} {plan.upper('add')} " + " ".join(points_words(*found) for found in lists)
            return
        for order in self.orders:
            found = self.cells(plan, order)
            if not found:
                continue
            proof = self.floor_test(plan, order, found, mu, extra) if self.kind == "gdp-floor" else self.one_bound(plan, order, found, mu, extra)
            if proof:
                yield proof

    def points(self, plan, order, mu, extra, count, high):
        tau = extra if self.kind == "gdp" else Fraction(0)
        largest = self.largest_loss()
        epsilons = [e for e in self.grid(plan, 0, high, count) if largest is None or e < largest]
        bounds = self.bounds(plan, order, epsilons)
        if bounds is None:
            return None
        if largest is not None and largest > 0:
            epsilons, bounds = [*epsilons, largest], [*bounds, Fraction(0)]
        us = [exp_fraction(e) for e in epsilons]
        segments = []
        for i in range(1, len(epsilons)):
            if epsilons[i] == epsilons[i - 1]:
                continue
            alpha = dyadic(max((bounds[i - 1] - bounds[i]) / (us[i] - us[i - 1]), 0 if self.kind == "gdp" else extra), 120)
            beta = dyadic(min(1 - bounds[i - 1] - us[i - 1] * alpha, 1 - bounds[i] - us[i] * alpha) - Fraction(1, 2 ** (plan.bits - 8)), 120)
            segments.append((epsilons[i], bounds[i], alpha, beta, self.between(mu, alpha + tau, beta + tau)))
            if self.kind == "gdp" and tail_fits(mu, tau, 1 - bounds[i] + tau):
                break
        last = segments[-1][1] if segments else bounds[0]
        return (epsilons[0], bounds[0]), segments, self.between(mu, tau, 1 - last + tau), Fraction(0)

    def cut(self, lists, mu, floor):
        """Both as far as is needed, and their lines at the error floor."""
        for i in range(min(len(segments) for _, segments, *_ in lists) + 1):
            found = []
            for first, segments, *_ in lists:
                e, bound = segments[i - 1][:2] if i else first
                beta = dyadic(1 - bound - exp_fraction(e) * floor - Fraction(1, 2 ** 60), 120)
                if tail_fits(mu, floor, beta):
                    found.append((first, segments[:i], self.between(mu, floor, beta), beta))
            if len(found) == len(lists):
                return found
        return None

    def between(self, mu, a, b):
        low, high = quantile(float(a)), float(mu) - quantile(float(b))
        if math.isinf(low) or math.isinf(high):
            return Fraction(0)
        return dyadic((low + high) / 2)

    def one_bound(self, plan, order, found, mu, tau):
        """Where the profile below the cells is above that of the Gaussian by the most."""
        m, t, best = float(mu), float(tau), None
        unit = 2.0 ** -plan.bits if plan.bits < 1000 else 0.0
        cells = [(q * unit, p * unit) for q, p in zip(*found)]
        low, high = self.total(plan, order)
        for e in [*self.grid(plan, max(low, -30), min(high, 30), 200), *plan.kinks()]:
            u = math.exp(e)
            x = float(e) / m + m / 2
            gaussian = tail(x - m) - u * tail(x) + t * (1 + u)
            margin = sum(max(0.0, q - u * p) for q, p in cells) - gaussian
            if best is None or margin > best[0]:
                best = (margin, e, gaussian)
        if best is None or best[0] <= 0:
            return None
        return f"one-bound {order} {plan.lower(order)} {fraction(best[1])} {fraction(dyadic(best[2] + best[0] / 2, 80))}"

    def floor_test(self, plan, order, found, mu, floor):
        m, best = float(mu), None
        unit, a, b = Fraction(1, 2 ** plan.bits), 0, 0
        qs, ps = found
        for i in range(len(qs) - 1, -1, -1):
            a, b = a + qs[i], b + ps[i]
            size, power = float(b * unit), float(a * unit)
            if not float(floor) <= size < 1:
                continue
            x = quantile(size)
            margin = tail(m - x) - (1 - power)
            if tail(m - x) > float(floor) and (best is None or margin > best[0]):
                best = (margin, i, x)
        for size in (float(floor),):
            n, t, a, b = test_at(qs, ps, plan.bits, dyadic(size, 60))
            x = quantile(size)
            margin = tail(m - x) - (1 - float(a))
            if tail(m - x) > float(floor) and (best is None or margin > best[0]):
                best = (margin, None, x)
        if best is None or best[0] <= 0:
            return None
        x = dyadic(best[2] - min(best[0], 1) * 1e-3)
        alpha, beta = dyadic(tail(float(x)) * (1 - 1e-12), 80), dyadic(tail(m - float(x)) * (1 - 1e-12), 80)
        if alpha < floor or beta < floor:
            return None
        n, t, _, _ = test_at(qs, ps, plan.bits, alpha)
        return f"floor-test {order} {plan.lower(order)} {n} {fraction(t)} {fraction(x)} {fraction(alpha)} {fraction(beta)}"


def order_bound(a, rho, epsilon):
    """The logarithm of the delta that zCDP gives at one order."""
    return (a - 1) * (a * rho - epsilon - math.log(a / (a - 1))) - math.log(a)


def best_order(rho, epsilon):
    low, high = math.log(1e-6), math.log(max((rho + epsilon) / rho, 2.0) * 4)
    for _ in range(200):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if order_bound(1 + math.exp(a), rho, epsilon) < order_bound(1 + math.exp(b), rho, epsilon) else (a, high)
    return 1 + dyadic(math.exp(low), 30)


def order_bits(delta):
    return min(4096, 128 + int(2 * -math.log2(max(delta, 1e-300))))


def log_profile(mu, epsilon):
    """The logarithm of the profile of Gaussian noise, roughly where it is small."""
    t = epsilon / mu + mu / 2
    if t - mu < 5:
        value = tail(t - mu) - math.exp(min(epsilon, 700)) * tail(t)
        return math.log(value) if value > 0 else -math.inf
    x = t - mu
    return -x * x / 2 - math.log(math.sqrt(2 * math.pi)) + math.log(1 / (x + 1 / x) - 1 / (t + 1 / t)) - 0.1


def by_ratio(cells):
    return sorted(range(len(cells)), key=lambda i: (cells[i][1] > 0, -cells[i][0] / (cells[i][1] or 1)))


def best_parts(cells, alpha):
    """The parts of the outcomes in the best test of this size."""
    parts, used = [Fraction(0)] * len(cells), Fraction(0)
    for i in by_ratio(cells):
        p = cells[i][1]
        parts[i] = Fraction(1) if used + p <= alpha else (alpha - used) / p
        used += parts[i] * p
    return parts


def corner_parts(cells):
    """Of the best tests that take outcomes whole."""
    parts = [Fraction(0)] * len(cells)
    yield list(parts)
    for i in by_ratio(cells):
        parts[i] = Fraction(1)
        yield list(parts)


def parts_words(parts):
    return f"{len(parts)} " + " ".join(map(fraction, parts))


def errors(cells, parts):
    """(power, size)"""
    return sum(t * q for t, (q, _) in zip(parts, cells)), sum(t * p for t, (_, p) in zip(parts, cells))


def points_words(first, segments, x, beta):
    words = [fraction(first[0]), fraction(first[1]), str(len(segments)), *(fraction(n) for segment in segments for n in segment), fraction(x), fraction(beta)]
    return " ".join(words)


def test_at(qs, ps, bits, alpha):
    """From the right: (first cell, part of it, power, size of at most alpha)."""
    room, a, b = Fraction(alpha) * 2 ** bits, 0, 0
    for i in range(len(qs) - 1, -1, -1):
        if b + ps[i] > room:
            t = dyadic((room - b) / ps[i], 60)
            return i, t, (a + t * qs[i]) / Fraction(2 ** bits), (b + t * ps[i]) / Fraction(2 ** bits)
        a, b = a + qs[i], b + ps[i]
    return 0, Fraction(1), Fraction(a, 2 ** bits), Fraction(b, 2 ** bits)
