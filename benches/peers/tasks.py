"""What is compared: mechanisms, questions, peers and the task list, as data.

Numbers that reach a program are strings, so that each program reads the same digits.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

ERROR_FLOOR = "1e-10"

# What least noise is asked for, as a target of `dpcmp calibrate`.
TARGETS = {
    "noise-for-advantage": "advantage:at-most={}",
    "noise-for-fnr-at-0.01": "trade-off:alpha=0.01,beta={}",
    "noise-for-epsilon-at-1e-5": "approx-dp:epsilon={},delta=1e-5",
}


@dataclass(frozen=True)
class Steps:
    """DP-SGD: `steps` Poisson-sampled Gaussian steps. A `sigma` of None is what is asked for."""

    sigma: str | None
    rate: str
    steps: str

    def mechanism(self) -> str:
        fields = {"kind": "dp-sgd", "sample-rate": self.rate, "steps": int(float(self.steps))}
        if self.sigma is not None:
            fields["noise-multiplier"] = self.sigma
        return json.dumps(fields)


@dataclass(frozen=True)
class Question:
    """`quantity` of `of` at `at`: ε at a δ, μ above an error floor, β at an α, the least noise for one of `TARGETS`."""

    of: Steps
    quantity: str
    at: str

    def query(self) -> str:
        key = {"epsilon": "delta", "gdp-mu": "error-floor", "tradeoff": "alpha"}.get(self.quantity)
        return f"{self.quantity}:{key}={self.at}" if key else self.quantity

    def target(self) -> str | None:
        """What the noise is to be calibrated to."""
        return TARGETS[self.quantity].format(self.at) if self.quantity in TARGETS else None

    def safe_side(self) -> int:
        """+1 where too large a number is a safe answer, -1 where too small a one is."""
        return -1 if self.quantity == "tradeoff" else 1


@dataclass(frozen=True)
class Peer:
    """A peer at one setting; `options` are the keyword arguments of the adapter beside the question."""

    name: str
    adapter: str
    options: tuple[tuple[str, str], ...]

    def question(self, question: Question) -> str:
        fields = {"quantity": question.quantity, "at": question.at, "rate": question.of.rate}
        fields |= {"sigma": question.of.sigma or "0", "steps": question.of.steps, **dict(self.options)}
        return json.dumps(fields)


@dataclass(frozen=True)
class Ours:
    """dpcmp at one setting; `precision` is relative."""

    precision: str = "1e-4"
    max_seconds: int = 60
    engine: str = "certified"


@dataclass(frozen=True)
class Earlier:
    """Our own answer to another question, as the thing to compare with."""

    name: str
    question: Question
    ours: Ours = Ours()


@dataclass(frozen=True)
class Row:
    label: str
    question: Question
    against: tuple[Peer | Earlier, ...]
    ours: Ours = Ours()


@dataclass(frozen=True)
class FirstVerdict:
    """Process start to first verdict of `dpcmp verify`; `claims` is how many of the file's claims are kept."""

    label: str
    file: str
    claims: int | None = None


@dataclass(frozen=True)
class Job:
    """A whole command of ours that no peer has, and the CPU seconds that are wanted for it. Files are below the root."""

    label: str
    command: tuple[str, ...]
    wanted: float


@dataclass(frozen=True)
class Task:
    name: str
    title: str
    rows: tuple[Row | FirstVerdict | Job, ...]


def dp_accounting(grid: str) -> Peer:
    return Peer(f"dp_accounting {grid}", "dp_accounting_pld", (("grid", grid),))


def prv_accountant(eps_error: str) -> Peer:
    return Peer(f"prv_accountant {eps_error}", "prv", (("eps_error", eps_error),))


GDPNUM = Peer("gdpnum 1e-4", "gdpnum_mu", (("grid", "1e-4"),))
RISKCAL = Peer("riskcal 1e-4", "riskcal_risk", (("grid", "1e-4"),))
PEERS = (dp_accounting("1e-4"), prv_accountant("0.1"), GDPNUM, RISKCAL)

DE_ET_AL_RATE = "16384/50000"
DE_ET_AL = tuple(
    Steps(sigma, DE_ET_AL_RATE, steps)
    for sigma, steps in (
        ("40", "906"), ("24", "1156"), ("20", "1656"), ("16", "1765"), ("12", "2007"),
        ("9.4", "2000"), ("21.1", "250"), ("15.8", "500"), ("12", "1000"),
    )
)  # fmt: skip
WIDE_RESNET = Steps("9.4", DE_ET_AL_RATE, "2000")
EMERGENT = (Steps("2", "9e-4", "1.4e6"), Steps("3", "9e-4", "3.4e6"))
MODERATE = (Steps("0.5", "0.002", "1e4"), Steps("0.6", "0.01", "500"), Steps("0.614", "1e-4", "1e5"))
SKEWED = (Steps("0.4", "0.01", "1000"), Steps("0.8", "1e-6", "1e5"), Steps("0.6", "1e-7", "1e6"))
MOST_SKEWED = (Steps("0.614", "4e-8", "1e5"),)
RARE = Steps(None, "0.001", "1e4")
CALIBRATIONS = (
    ("advantage 0.1", "noise-for-advantage", "0.1"),
    ("β = 0.5", "noise-for-fnr-at-0.01", "0.5"),
    ("ε = 1", "noise-for-epsilon-at-1e-5", "1"),
)
CLAIMS = "examples/claims/de-et-al.toml"


# σ of the discrete Gaussians of TopDown, ten at each level of geography (Gomez et al. 2025, Section 5).
TOP_DOWN = json.dumps({
    "kind": "compose",
    "of": [
        {"kind": "discrete-gaussian", "sigma": sigma, "times": 10}
        for sigma in (
            "8.276058886023", "2.235956182485", "4.014478229518", "3.233723793124",
            "3.233723793124", "2.399109615735", "3.407199523166", "21.36869215853",
        )
    ],
})  # fmt: skip


def phases(count: int) -> str:
    """A run with so many phases, each with a noise and a rate of its own."""
    each = [
        {"noise-multiplier": f"{1 + 0.002 * i:.3f}", "sample-rate": f"{0.01 + 0.00001 * i:.5f}", "steps": 10}
        for i in range(count)
    ]
    return json.dumps({"kind": "dp-sgd", "phases": each})


def sweep(noise: str, rates: str, steps: str) -> tuple[str, ...]:
    """ε and μ of all combinations of σ, q and T."""
    return (
        "bound", Steps("1", "0.01", "1000").mechanism(), "epsilon:delta=1e-5", "gdp-mu:error-floor=1e-10",
        "--sweep", f"noise-multiplier={noise}", "--sweep", f"sample-rate={rates}", "--sweep", f"steps={steps}",
    )  # fmt: skip


# 4 · 3 · 2 values, and ten of each between the same ends.
SWEEP = sweep("0.8,1,1.5,2", "0.001,0.01,0.05", "500,5000")
LONG_SWEEP = sweep(
    "0.8,0.89,0.98,1.09,1.2,1.33,1.47,1.63,1.81,2",
    "0.001,0.0015,0.0024,0.0037,0.0057,0.0088,0.0136,0.021,0.0324,0.05",
    "500,646,834,1077,1391,1797,2321,2997,3871,5000",
)  # fmt: skip


def bound(mechanism: str, query: str, precision: str) -> tuple[str, ...]:
    return ("bound", mechanism, query, "--precision", precision)


def label(steps: Steps) -> str:
    """σ and T for De et al., whose rate is always the same; σ, q and T otherwise."""
    rate = () if steps.rate == DE_ET_AL_RATE else (steps.rate,)
    return " ".join((steps.sigma or "?", *rate, steps.steps))


def epsilon_rows(mechanisms, delta: str, against, ours: Ours = Ours()) -> tuple[Row, ...]:
    return tuple(Row(label(steps), Question(steps, "epsilon", delta), tuple(against), ours) for steps in mechanisms)


def long_rows(cases) -> tuple[Row, ...]:
    """Each mechanism with a thousand times the steps, against itself."""
    rows = []
    for steps, delta, precision in cases:
        longer = Steps(steps.sigma, steps.rate, f"{float(steps.steps) * 1000:g}".replace("e+0", "e"))
        here = Earlier(f"ours, T = {steps.steps}", Question(steps, "epsilon", delta), Ours(precision))
        rows.append(Row(label(longer), Question(longer, "epsilon", delta), (here,), here.ours))
    return tuple(rows)


def small_delta_rows(cases) -> tuple[Row, ...]:
    """Each against dp_accounting, and against ours at the usual δ."""
    rows = []
    for steps, delta in cases:
        usual = Earlier("ours, δ = 1e-5", Question(steps, "epsilon", "1e-5"), Ours("1e-3"))
        against = (dp_accounting("1e-4"), usual)
        rows.append(Row(f"{label(steps)} {delta}", Question(steps, "epsilon", delta), against, usual.ours))
    return tuple(rows)


TASKS = (
    Task(
        "deep", "De et al. 2022: σ T at q = 16384/50000, ε at δ = 1e-5",
        epsilon_rows(DE_ET_AL, "1e-5", (dp_accounting("1e-4"), prv_accountant("0.1"))),
    ),
    Task(
        "precise", "σ T at q = 16384/50000, ε at δ = 1e-5, with narrower bounds from prv_accountant",
        epsilon_rows((WIDE_RESNET,), "1e-5", (prv_accountant("0.01"), prv_accountant("0.001"))),
    ),
    Task(
        "gdp", "σ T at q = 16384/50000, GDP's μ above an error floor of 1e-10",
        tuple(Row(label(steps), Question(steps, "gdp-mu", ERROR_FLOOR), (GDPNUM,)) for steps in DE_ET_AL),
    ),
    Task(
        "risk", "attack risk of 9.4 2000 at q = 16384/50000, and the σ for advantage 0.1 at q = 0.002, T = 10000",
        (
            Row("advantage", Question(WIDE_RESNET, "advantage", "0"), (RISKCAL,)),
            Row("β at α = 0.01", Question(WIDE_RESNET, "tradeoff", "0.01"), (RISKCAL,)),
            Row("calibrated σ", Question(Steps(None, "0.002", "1e4"), "noise-for-advantage", "0.1"), (RISKCAL,),
                Ours("1e-3")),
        ),
    ),
    Task(
        "calibration", "least σ at q = 0.001, T = 10000 for an advantage, for β at α = 0.01, and for ε at δ = 1e-5",
        tuple(Row(name, Question(RARE, quantity, at), (RISKCAL,)) for name, quantity, at in CALIBRATIONS),
    ),
    Task(
        "emergent", "σ q T, ε at δ = 5e-7",
        epsilon_rows(EMERGENT, "5e-7", (dp_accounting("1e-4"), dp_accounting("1e-5"))),
    ),
    Task(
        "moderate", "σ q T, ε at δ = 1e-5",
        epsilon_rows(MODERATE, "1e-5", (dp_accounting("1e-4"), prv_accountant("0.1")), Ours("1e-3")),
    ),
    Task(
        "skewed", "σ q T, ε at δ = 1e-8, one second for ours",
        epsilon_rows(SKEWED, "1e-8", (dp_accounting("1e-4"), prv_accountant("0.1")), Ours("1e-3", 1)),
    ),
    Task(
        "most-skewed", "σ q T, ε at δ = 1e-10, one second for ours",
        epsilon_rows(MOST_SKEWED, "1e-10", (dp_accounting("1e-4"), prv_accountant("0.1")), Ours("1e-3", 1)),
    ),
    Task(
        "long", "a thousand times the steps, against ours at T: σ [q] T × 1000, ε at the δ of the rows above",
        long_rows((
            *((steps, "1e-5", "1e-4") for steps in DE_ET_AL), (EMERGENT[1], "5e-7", "1e-4"),
            (MODERATE[2], "1e-5", "1e-3"), (SKEWED[1], "1e-8", "1e-3"),
        )),
    ),
    Task(
        "small-delta", "σ T δ at q = 16384/50000, ε at that δ",
        small_delta_rows(((DE_ET_AL[0], "1e-14"), (WIDE_RESNET, "1e-15"), (WIDE_RESNET, "1e-30"), (WIDE_RESNET, "1e-100"))),
    ),
    Task(
        "float", "our float engine (an estimate, no bounds): σ T at q = 16384/50000, ε at δ = 1e-5",
        epsilon_rows(DE_ET_AL, "1e-5", (dp_accounting("1e-4"),), Ours(engine="float")),
    ),
    Task(
        "whole", "whole commands of ours, and the CPU time that is wanted for them",
        (
            Job("report, 9.4 2000", ("report", WIDE_RESNET.mechanism()), 0.3),
            Job("compare, two runs of DP-SGD", ("compare", "examples/compare/large-batches.toml",
                "examples/compare/small-batches.toml", "--precision", "1e-3"), 0.3),
            Job("compare, emergent pair", ("compare", "examples/emergent/sigma2.toml", "examples/emergent/sigma3.toml",
                "--precision", "1e-3"), 1.0),
            Job("TopDown, μ up to 1e-10", bound(TOP_DOWN, "gdp-mu:tolerance=1e-10", "1e-4"), 0.5),
            Job("TopDown, strict μ", bound(TOP_DOWN, "gdp-mu", "1e-4"), 0.5),
            Job("TopDown, regret at μ = 2.7019", bound(TOP_DOWN, "regret:mu=2.7019", "2e-7abs"), 0.5),
            Job("TopDown, report", ("report", TOP_DOWN), 3.0),
            Job("300 phases, ε at 1e-5", bound(phases(300), "epsilon:delta=1e-5", "1e-3"), 0.5),
            Job("1000 phases, ε at 1e-5", bound(phases(1000), "epsilon:delta=1e-5", "1e-3"), 2.0),
            Job("9.4 2000, ε at 1e-100", bound(WIDE_RESNET.mechanism(), "epsilon:delta=1e-100", "1e-4"), 0.03),
            Job("0.8 1e-6 1e5, ε at 1e-8", bound(SKEWED[1].mechanism(), "epsilon:delta=1e-8", "1e-4"), 0.1),
            Job("0.6 1e-7 1e6, ε at 1e-8", bound(SKEWED[2].mechanism(), "epsilon:delta=1e-8", "1e-4"), 0.1),
            Job("0.614 4e-8 1e5, ε at 1e-10", bound(MOST_SKEWED[0].mechanism(), "epsilon:delta=1e-10", "1e-4"), 0.1),
            Job("sweep of 24 points, ε and μ above 1e-10", SWEEP, 0.12),
            Job("sweep of 1000 points, ε and μ above 1e-10", LONG_SWEEP, 5.0),
            Job("9.4 1e-6 1e12, ε at 1e-5", bound(Steps("9.4", "1e-6", "1e12").mechanism(), "epsilon:delta=1e-5", "1e-3"), 1.0),
        ),
    ),
    Task(
        "start", "process start to first verdict, wall clock, start-up included",
        (FirstVerdict("all 6 claims", CLAIMS), FirstVerdict("first claim", CLAIMS, claims=1)),
    ),
)  # fmt: skip
