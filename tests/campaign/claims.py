"""Random claims near the truth, of all kinds and on both sides, about random mechanisms of all kinds: decided rightly, certified, and the certificates forged (README.md beside this).

The truth is what the program encloses, once for each number that is bounded, and where there is an independent one (campaign.py) that as well. A block follows from the seed, its number and how many mechanisms it has (the journal says so);
a finished one is a line of the journal. A claim that the run has stated before is not stated again.
"""
import argparse
import decimal
import fcntl
import hashlib
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import campaign  # noqa: E402
import lies  # noqa: E402
import tame  # noqa: E402
from campaign import ADJACENCIES, digest, finished  # noqa: E402
from referee import Untold, end, outside  # noqa: E402

# About how far from the truth a claim is, relatively, from half of it to twice as much; 0: it says what the program encloses.
DISTANCES = {Fraction(1, 10): 3, Fraction(1, 100): 3, Fraction(1, 1000): 3, Fraction(1, 10**5): 2, Fraction(0): 1}
# Numbers of each mechanism that are bounded, and distances from each; on both sides.
QUESTIONS, PLACES = 5, 3
# How often each claim is drawn: what costs little is drawn often.
CLAIMS = {"delta": 6, "epsilon": 6, "pure-dp": 2, "zcdp": 1, "rdp": 4, "advantage": 2, "regret": 1, "dominated-by": 2, "gdp": 2, "trade-off": 4}
# Claims that bound a number from above, but for trade-offs.
KEYS = {"pure-dp": "epsilon", "zcdp": "rho", "rdp": "epsilon", "advantage": "at-most", "regret": "at-most", "dominated-by": "at-most", "gdp": "mu", "trade-off": "beta"}
UNIT = ("delta", "at-most", "beta")
# What each route of campaign.py knows.
CURVES = ("delta", "epsilon", "tradeoff", "advantage")
TOLD = {"exact enumeration": (*CURVES, "gdp-mu", "renyi", "delta-divergence"), "profiles in balls": CURVES, "datasets by enumeration": CURVES}
TOLD["the definition, in doubles"] = ("delta", "tradeoff", "advantage")
PROGRAM = "the program alone"
NOT_READ = "the checker does not read"


class Drawn:
    """A mechanism, what is true of it, and claims about it."""

    def __init__(self, draw, kind, route):
        self.kind, self.route, self.told, self.polygon = kind, route, TOLD.get(route, ()), None
        if route == PROGRAM:
            self.mechanism = tame.mechanism(draw, kind)
        elif route == "exact enumeration":
            self.mechanism, self.polygon = campaign.drawn_polygon(draw, kind)
        else:
            case = campaign.drawn_case(draw, kind)
            self.mechanism, self.truth = case.mechanism, case.truth
        self.questions = [Question(draw, self) for _ in range(QUESTIONS)]

    def misses(self, question, low, high):
        """Is the number certainly not between these? None where nobody knows."""
        query = question.query
        if query["kind"] not in self.told or (query["kind"] == "delta-divergence" and question.other is None):
            return None
        if self.route == "profiles in balls" and not campaign.is_inside(query):
            return None
        try:
            if self.polygon is None:
                return self.truth(query, low, high)
            if question.truth is None:
                question.truth = question.other.deficiency(self.polygon) if question.other else self.polygon.truth(query)
            return outside(low, high, question.truth)
        except (Untold, ArithmeticError, ValueError):
            return None


class Question:
    """A number, and the claims that bound it."""

    def __init__(self, draw, of):
        self.of, self.other, self.truth = of, None, None
        kind = draw.choices(list(CLAIMS), list(CLAIMS.values()))[0]
        self.claim = {"kind": "approx-dp" if kind in ("delta", "epsilon") else kind}
        self.key = KEYS.get(kind, kind)
        if kind == "delta":
            self.query = {"kind": "delta", "epsilon": near(draw, ["0", "0.1", "0.3", "1", "2", "4", "-0.5"])}
            self.claim["epsilon"] = self.query["epsilon"]
        elif kind in ("epsilon", "pure-dp"):
            self.query = {"kind": "epsilon", "delta": "0" if kind == "pure-dp" else near(draw, ["1e-9", "1e-5", "0.01", "0.2"])}
            if kind == "epsilon":
                self.claim["delta"] = self.query["delta"]
        elif kind == "trade-off":
            self.query = {"kind": "tradeoff", "alpha": near(draw, ["1e-6", "0.01", "0.1", "0.4"])}
            self.claim["alpha"] = self.query["alpha"]
        elif kind == "gdp":
            form = draw.choice([{}, {"tolerance": near(draw, ["1e-3", "1e-6"])}, {"tolerance": near(draw, ["1e-3", "1e-6"])}, {"error-floor": near(draw, ["1e-3"])}])
            self.query = {"kind": "gdp-mu", **form}
            self.claim |= form
        elif kind == "regret":
            self.query = {"kind": "regret", "mu": near(draw, ["0.3", "1", "2"])}
            self.claim["mu"] = self.query["mu"]
        elif kind == "rdp":
            self.query = {"kind": "renyi", "order": draw.choice(["3/2", "2", "3", "8", "32", near(draw, ["2.3", "7"])])}
            self.claim["order"] = self.query["order"]
        elif kind == "dominated-by":
            self.draw_other(draw)
        else:
            self.query = {"kind": {"zcdp": "zcdp-rho"}.get(kind, kind)}
        self.more_is_weaker = kind != "trade-off"
        self.is_short = draw.random() < 0.8
        self.distances = sorted({distance * Fraction(draw.randint(500, 2000), 1000) for distance in draw.choices(list(DISTANCES), list(DISTANCES.values()), k=PLACES)})

    def draw_other(self, draw):
        """Δ(other ‖ mechanism) is asked of the other one."""
        if draw.random() < 0.5:
            other, adjacency = {"kind": "gaussian", "sigma": near(draw, ["0.7", "1.5", "4"])}, "add-remove"
        else:
            other, outcomes = campaign.exact.finite(draw)
            adjacency = draw.choice(ADJACENCIES)
            self.other = campaign.Polygon.of_outcomes(outcomes, adjacency) if self.of.polygon else None
        self.claim["mechanism"] = {**other, "adjacency": adjacency}
        self.query = {"kind": "delta-divergence", "other": self.of.mechanism}

    def asked(self):
        return {"mechanism": self.claim.get("mechanism", self.of.mechanism), "query": self.query}

    def numbers(self, lower, upper, distance):
        """Texts of the number of a true claim and of a false one; None where there is none."""
        low, high = end(lower), end(upper)
        if isinstance(low, str) or isinstance(high, str):
            return None, None
        if not distance:
            # What is exactly so is true; nothing is false for certain.
            weak = upper if self.more_is_weaker else lower
            return weak if self.fits(Fraction(weak)) else None, None
        below, above = (beyond(low, -distance), decimal.ROUND_FLOOR), (beyond(high, distance), decimal.ROUND_CEILING)
        weak, strong = (above, below) if self.more_is_weaker else (below, above)
        return tuple(self.written(x, distance, away) if self.fits(x) else None for x, away in (weak, strong))

    def written(self, x, distance, away):
        """Mostly with few digits, as people do: the nearest true claim has as many."""
        few = decimal.Context(prec=3 + len(str(int(1 / distance))), rounding=away).divide(decimal.Decimal(int(x.numerator)), decimal.Decimal(int(x.denominator)))
        return str(few) if self.is_short and self.fits(Fraction(few)) else text(x)

    def fits(self, x):
        if self.key in UNIT:
            return 0 <= x <= 1
        return x > 0 if self.key == "mu" else x >= 0 or self.claim["kind"] == "approx-dp"


def near(draw, levels):
    """One of them, and half of the time a number next to it."""
    level, factor = draw.choice(levels), decimal.Decimal(draw.randint(600, 1500)) / 1000
    return level if draw.random() < 0.5 else str((decimal.Decimal(level) * factor).normalize())


def beyond(x, distance):
    """Next to 0 by a millionth of it."""
    return x + distance * (abs(x) or Fraction(1, 10**6))


def text(x):
    """Exactly, or where that is long with more digits than the distance needs, however small it is."""
    x = Fraction(x)
    if x.denominator.bit_length() < 400:
        return f"{x.numerator}/{x.denominator}"
    return f"{decimal.Decimal(int(x.numerator)) / decimal.Decimal(int(x.denominator)):.15e}"


def drawn_block(seed, block, per_block, only=None):
    draw = random.Random(f"claims/{seed}/{block}")
    every = [(kind, campaign.route(kind)) for kind in campaign.LOTS] + [(kind, PROGRAM) for kind in tame.KINDS]
    every = [(kind, route) for kind, route in every if not only or kind in only]
    return [Drawn(draw, *draw.choice(every)) for _ in range(per_block)], draw


def kinds(only=None):
    return [kind for kind in [*campaign.LOTS, *tame.KINDS] if not only or kind in only]


def children():
    """Seconds of the processor that programs have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(program, *arguments, codes):
    done = subprocess.run([program, *map(str, arguments), "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        raise RuntimeError(f"{arguments[0]}: exit code {done.returncode}: {done.stderr[-800:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


class Stated:
    """A claim in a file, and whether it is true."""

    def __init__(self, question, distance, number, false_number, is_true):
        self.question, self.distance, self.number, self.false_number, self.is_true = question, distance, number, false_number, is_true
        self.claim = {**question.claim, question.key: number}

    def digest(self):
        """Short, and another for each claim about each mechanism."""
        return hashlib.blake2b(json.dumps([self.question.of.mechanism, self.claim]).encode(), digest_size=8).digest()

    def name(self):
        form = next((f", {form}" for form in ("tolerance", "error-floor") if form in self.claim), "")
        if self.claim["kind"] == "approx-dp":
            form = f", {self.question.key}"
        return self.claim["kind"] + form


def stated(program, drawn, counts, before):
    """Claims near what the program encloses, by mechanism; none of those `before`."""
    asked = [question for one in drawn for question in one.questions]
    lines = [{"id": place, **question.asked()} for place, question in enumerate(asked)]
    claims = {one: [] for one in drawn}
    for question, answer in zip(asked, campaign.ask(program, lines, "1e-7", seconds=2)):
        if "error" in answer:
            counts["refused", question.of.kind, question.claim["kind"], answer["error"]["code"]] += 1
            continue
        sides = []
        for distance in question.distances:
            weak, strong = question.numbers(answer["lower"], answer["upper"], distance)
            sides += [Stated(question, distance, number, strong if is_true else weak, is_true) for number, is_true in ((weak, True), (strong, False)) if number]
        new = {claim.digest(): claim for claim in sides}
        counts["stated before", question.of.kind, question.claim["kind"], ""] += len(sides) - sum(digest not in before for digest in new)
        claims[question.of] += [claim for digest, claim in new.items() if digest not in before]
        before |= new.keys()
        if not sides:
            counts["nothing to claim", question.of.kind, question.claim["kind"], ""] += 1
    return {one: some for one, some in claims.items() if some}


def contradictions(decided):
    """How verdicts are wrong, by claim. A number has to be held against the truth only where nothing nearer to it was said on that side."""
    wrong = {claim: f"{verdict}, against the program's own enclosure" for claim, verdict in decided if (verdict == "verified") != claim.is_true}
    sides = defaultdict(list)
    for claim, verdict in decided:
        sides[claim.question, (verdict == "verified") == claim.question.more_is_weaker].append((Fraction(claim.number), verdict, claim))
    for (question, is_upper), some in sides.items():
        # Nearest first: if that one holds, all do.
        for number, verdict, claim in sorted(some, key=lambda one: one[0] if is_upper else -one[0]):
            missed = question.of.misses(question, *(("-inf", number) if is_upper else (number, "inf")))
            if not missed:
                break
            wrong.setdefault(claim, f"{verdict}: {missed}")
    return wrong


def evidence(certificate):
    if certificate.get("accepted"):
        return "certified"
    return "not read" if certificate.get("message", "").startswith(NOT_READ) else "not proved"


def run_block(given, block, before=None):
    started, spent = time.process_time(), [children()]
    drawn, draw = drawn_block(given.seed, block, given.per_block, given.only)
    counts, seconds, misses, without, certificates = Counter(), defaultdict(float), [], [], []
    claims = stated(given.program, drawn, counts, set() if before is None else before)
    spent.append(children())
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "claims.jsonl", Path(folder) / "out"
        texts = [json.dumps({"mechanism": one.mechanism, "claim": [claim.claim for claim in some]}) for one, some in claims.items()]
        file.write_text("\n".join(texts))
        verify = ["verify", file, "--certificate", out, "--format", "json", "--max-seconds", given.seconds, "--jobs", 1]
        # Every mechanism of the block may have been refused.
        reports = run(given.program, *verify, codes=(0, 1, 2, 3)) if claims else []
        for report in reports:
            (one, some), line = list(claims.items())[report["line"] - 1], texts[report["line"] - 1]
            if "error" in report:
                counts["refused", one.kind, "claim file", report["error"]["code"]] += 1
                without.append({"line": line, "why": report["error"]["message"]})
                continue
            seconds[one.kind] += report["seconds"]
            wrong = contradictions([(claim, answer["verdict"]) for claim, answer in zip(some, report["claims"]) if answer["verdict"] != "undecided"])
            for place, (claim, answer) in enumerate(zip(some, report["claims"])):
                verdict, certificate = answer["verdict"], answer.get("certificate", {})
                word = verdict
                if verdict != "undecided":
                    word += f", {evidence(certificate)}"
                    if how := wrong.get(claim):
                        word = "miss"
                        misses.append({"line": line, "claim": place, "how": how})
                counts[word, one.kind, claim.name(), one.route] += 1
                if certificate.get("accepted"):
                    certificates.append((claim, json.loads(Path(certificate["file"]).read_text()) if given.lies else None))
                elif verdict != "undecided":
                    kept = {"mechanism": one.mechanism, "claim": claim.claim}
                    without.append({"kind": one.kind, "verdict": verdict, "distance": str(claim.distance), "line": json.dumps(kept), "why": certificate.get("message", "nothing said")})
        spent.append(children())
        again = run(given.program, "check", out, "--format", "json", codes=(0, 1)) if certificates else []
        if len(again) != len(certificates):
            raise RuntimeError(f"{len(again)} answers about {len(certificates)} certificates")
        for answer in again:
            counts["read again, accepted" if answer["accepted"] else "read again, rejected", "", "", ""] += 1
            if not answer["accepted"]:
                misses.append({"how": f"rejected when read again: {answer['text']}", "certificate": Path(answer["certificate"]).read_text()})
    spent.append(children())
    forged = lies.forged(draw, certificates, given.lies)
    misses += lies.checked(lambda folder: run(given.program, "check", folder, "--format", "json", codes=(0, 1, 2)), forged, counts)
    spent.append(children())
    used = {name: round(end - start, 2) for name, start, end in zip(("bound", "verify", "check", "forge"), spent, spent[1:])}
    written = [[*key, count] for key, count in sorted(counts.items())]
    return {"block": block, "seed": given.seed, "mechanisms": given.per_block, "counts": written, "seconds": dict(seconds), "without": without, "misses": misses, "used": {**used, "own": round(time.process_time() - started, 2)}}


class Shares:
    """Blocks of one kind each, always of that which has had the least of its share of the time so far; the time of earlier runs counts, of other programs as well.

    Shares go by claims a second to the power `favour`: 0 gives each kind the same time, 1 gives time in proportion to speed. First blocks, which tell the speed,
    take no more than a third of all time while there are others.
    """

    def __init__(self, given, done):
        self.given = given
        self.used = dict.fromkeys(kinds(given.only), 0.0)
        self.claims = dict.fromkeys(self.used, 0)
        self.mechanisms = dict.fromkeys(self.used, 0)
        self.blocks = dict.fromkeys(self.used, given.first)
        self.at_first = 0.0
        for block in done:
            kind = block["seed"].removeprefix(f"{given.seed}: ")
            if kind in self.used and block["seed"] != kind:
                self.note(kind, block)

    def note(self, kind, block):
        spent = sum(block["used"].values())
        self.at_first += 0 if self.used[kind] else spent
        self.used[kind] += spent
        self.claims[kind] += sum(count for word, *_, count in block["counts"] if word.startswith(("verified", "refuted")))
        self.mechanisms[kind] += block["mechanisms"]
        self.blocks[kind] = max(self.blocks[kind], block["block"] + 1)

    def next(self):
        unknown, total = [kind for kind, used in self.used.items() if not used], sum(self.used.values())
        if unknown and (len(unknown) == len(self.used) or 3 * self.at_first <= total or not self.given.favour):
            return unknown[0]
        return min((kind for kind in self.used if self.used[kind]), key=self.had)

    def had(self, kind):
        """Its time over its share; what was refused at once is not fast."""
        return self.used[kind] / ((self.claims[kind] + 1) / (self.used[kind] + 1)) ** self.given.favour

    def size(self, kind):
        """As many mechanisms as take some ten seconds; few of what is not known well yet."""
        used, known = self.used[kind], self.mechanisms[kind]
        return max(1, min(self.given.per_block, 4 * known, int(10 * known / used)) if used else 2)

    def results(self):
        before = set()
        while sum(self.used.values()) < self.given.even:
            kind = self.next()
            given = argparse.Namespace(**vars(self.given) | {"seed": f"{self.given.seed}: {kind}", "only": [kind], "per_block": self.size(kind)})
            result = run_block(given, self.blocks[kind], before)
            self.note(kind, result)
            yield result


def numbered(given, program, done):
    """The blocks that were asked for and are not in the journal."""
    numbers = {block["block"] for block in done if (block["seed"], block["program"]) == (given.seed, program)}
    before = set()
    return (run_block(given, block, before) for block in range(given.first, given.first + given.blocks) if block not in numbers)


# What the journal says ----------------------------------------------------------------------------------------------------------------------------------

DECIDED = {word: [f"{verdict}, {word}" for verdict in ("verified", "refuted")] for word in ("certified", "not read", "not proved")}


def table(title, counts, seconds=None):
    """Claims by one of their properties."""
    rows = [f"| {title} | decided | certified | not read by the checker | not proved | undecided | refused |" + (" s a claim |" if seconds else ""), "|---" * (8 if seconds else 7) + "|"]
    for name, c in sorted(counts.items()):
        parts = [sum(c[word] for word in words) for words in DECIDED.values()]
        cost = f" {seconds[name] / max(sum(parts) + c['undecided'], 1):.3f} |" if seconds else ""
        rows.append(f"| {name} | {sum(parts)} | {' | '.join(map(str, parts))} | {c['undecided']} | {c['refused']} |{cost}")
    return [*rows, ""]


def reason(why):
    """Without its numbers."""
    return re.sub(r"\S*\d\S*( \(\S+\))?", "…", why)[:160]


def summary(blocks):
    """As Markdown: by kind of mechanism, by kind of claim, by reason, and what became of forgeries."""
    by_kind, by_claim, by_lie, totals, seconds, misses, why = defaultdict(Counter), defaultdict(Counter), defaultdict(Counter), Counter(), Counter(), [], defaultdict(Counter)
    for block in blocks:
        misses += block["misses"]
        for kind, spent in block["seconds"].items():
            seconds[kind] += spent
        for word, kind, claim, more, count in block["counts"]:
            totals[word] += count
            if word == "forged":
                by_lie[kind, claim][more] += count
            elif kind:
                by_kind[kind][word] += count
                by_claim[claim][word] += count
        for one in block["without"]:
            if "verdict" in one:
                claim = json.loads(one["line"])["claim"]["kind"]
                exactly = "" if Fraction(one["distance"]) else " with equality"
                why[reason(one["why"])][f"{claim} {one['verdict']}{exactly}"] += 1
    certified, unread, bare = (sum(totals[word] for word in words) for words in DECIDED.values())
    lines = [f"{certified + unread + bare} claims decided, {certified} certified; {totals['read again, accepted']} certificates read again and accepted; {totals['forged']} forgeries; {len(misses)} misses.", ""]
    lines += table("kind", by_kind, seconds) + table("claim", by_claim)
    lines += ["| why there is no certificate | claims | times |", "|---|---|---|"]
    for text, some in sorted(why.items(), key=lambda one: -one[1].total()):
        claims = ", ".join(f"{of} {n}" for of, n in some.most_common(5))
        lines.append(f"| {text.replace('|', '/')} | {claims} | {some.total()} |")
    lines += ["", "| false is the | and of the proof | rejected | accepted | reasons |", "|---|---|---|---|---|"]
    for (way, what), c in sorted(by_lie.items()):
        reasons = ", ".join(f"{word} {count}" for word, count in c.most_common(4) if word != "accepted")
        lines.append(f"| {way} | {what} | {sum(c.values()) - c['accepted']} | {c['accepted']} | {reasons} |")
    return "\n".join([*lines, "", *(f"- miss: `{json.dumps(miss, ensure_ascii=False)[:2000]}`" for miss in misses[:50])])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    options.add_argument("--program", default="target/release/dpcmp")
    options.add_argument("--journal", type=Path, default=Path("target/campaign/claims"))
    options.add_argument("--seed", default="1")
    options.add_argument("--first", type=int, default=0, help="number of the first block")
    options.add_argument("--blocks", type=int, default=20)
    options.add_argument("--per-block", type=int, default=5, help=f"mechanisms, of up to {2 * QUESTIONS * PLACES} claims each")
    options.add_argument("--seconds", type=float, default=3, help="--max-seconds of each claim, its certificate included")
    options.add_argument("--lies", type=int, default=5, help="forgeries of each certificate")
    options.add_argument("--only", help="kinds, with a slash between them; a seed of their own is needed")
    options.add_argument("--even", type=float, help="seconds of the processor, of which each kind gets a share: blocks of one kind each, as many as it has time for, of at most --per-block mechanisms")
    options.add_argument("--favour", type=float, default=0, help="with --even: a kind's share goes by its claims a second to this power; 0: all shares are alike")
    options.add_argument("--summary", action="store_true", help="print what the journal says, and end")
    given = options.parse_args()
    given.only = given.only and given.only.split("/")
    given.journal.mkdir(parents=True, exist_ok=True)
    missed = 0
    if not given.summary:
        program = digest(given.program)
        done = finished(given.journal)
        with open(given.journal / f"{given.seed}.jsonl", "a", encoding="utf-8") as notes:
            fcntl.flock(notes, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for result in Shares(given, done).results() if given.even else numbered(given, program, done):
                notes.write(json.dumps({"program": program, **result}) + "\n")
                notes.flush()
                missed += len(result["misses"])
                for miss in result["misses"]:
                    print(f"miss: {json.dumps(miss, ensure_ascii=False)}", file=sys.stderr)
    print(summary(finished(given.journal)))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
