"""Hostile mechanisms of every kind, questions about them and claims, as `dpcmp` reads them; nothing here knows what is true."""
import json

NOISE = ["gaussian", "laplace", "discrete-laplace", "discrete-gaussian", "skellam"]
PRIVATE = ["randomized-response", "pure-dp"]
CHOICES = ["exponential", "permute-and-flip", "top-k"]
KNOWN = ["approx-dp", "gdp", "zcdp", "rdp", "finite", "profile", "gaussian-mixture", "noise-threshold"]
TRAINING = ["dp-sgd", "phases", "truncated", "without-replacement", "shuffled-batches", "tree-aggregation", "toeplitz", "matrix", "blt", "banded"]
AROUND = ["subsampled", "fixed batch", "compose", "mixture", "group", "histogram", "random-allocation", "private-selection", "shuffled"]
KINDS = NOISE + PRIVATE + CHOICES + KNOWN + TRAINING + AROUND
QUERIES = [
    "delta", "epsilon", "tradeoff", "advantage", "bayes-error", "minimax-risk", "gdp-mu", "gdp-mu tolerance", "gdp-mu floor", "regret", "renyi", "zcdp-rho",
    "delta-divergence", "delta-symmetric", "weighted-delta",
]
CLAIMS = ["pure-dp", "approx-dp", "gdp", "gdp tolerance", "gdp floor", "regret", "zcdp", "rdp", "advantage", "trade-off", "dominated-by"]
ADJACENCIES = ["add-remove", "remove", "add", "replace-one", "replace-special"]


class Draw:
    """Numbers as text, that they reach the program as they are."""

    def __init__(self, random):
        self.random = random

    def one(self, items):
        return self.random.choice(items)

    def positive(self):
        """Of noise: mostly what people have, otherwise anything."""
        lot = self.random.random()
        if lot < 0.5:
            return self.one(["0.3", "0.5", "1", "1.1", "2", "9.4", "20", "1/3"])
        if lot < 0.6:
            return "0." + "".join(self.one("0123456789") for _ in range(60)) + "1"
        return self.one(["1e-300", "1e-30", "1e-9", "1e-4", "0.01", "0.05", "100", "1e4", "1e9", "1e30", "1e300"])

    def count(self, most=12):
        """Of steps, records, keys: up to 10^most."""
        lot = self.random.random()
        if lot < 0.4:
            return self.random.randint(1, 12)
        number = 10 ** self.random.randint(1, most)
        return number + self.one([-1, 0, 1])

    def rate(self):
        return self.one(["1e-300", "1e-30", "1e-12", "1e-6", "1e-4", "0.01", "0.3", "1/3", "0.5", "0.999999999", "1"])

    def epsilon(self):
        return self.one(["0", "1e-30", "1e-9", "0.01", "0.5", "1", "3", "10", "100", "1000", "1e6"])

    def error(self):
        """A δ, α, π or tolerance."""
        return self.one(["0", "1e-300", "1e-100", "1e-30", "1e-10", "1e-5", "0.01", "0.3", "1/2", "0.999", "1"])

    def order(self):
        return self.one(["1.0000001", "1.5", "2", "20", "1e4", "1e9", "1e30"])

    def weights(self, length):
        parts = [self.random.randint(1, 10 ** self.one([1, 6, 30])) for _ in range(length)]
        return [f"{part}/{sum(parts)}" for part in parts]

    def length(self):
        return self.one([1, 2, 2, 3, 3, 5, 8, 30, 300])

    def scores(self):
        lot = self.random.random()
        if lot < 0.7:
            return {"epsilon": self.epsilon()}
        return {"eta": self.positive(), "sensitivity": self.positive(), "monotone": self.one([True, False])}

    def mechanism(self, kind=None, depth=3):
        """Of a kind, or of any; what it wraps is drawn too, so many levels deep."""
        kind = kind or self.one(KINDS if depth else NOISE + PRIVATE + CHOICES + KNOWN)
        inner = lambda kinds=None: self.mechanism(self.one(kinds) if kinds else None, depth - 1)  # noqa: E731
        if kind in ("gaussian", "discrete-gaussian"):
            whole = kind != "gaussian"
            parties = self.one([{}, {"parties": self.one([1, 2, 3, 100, 10**5, 10**12])}]) if whole else {}
            return {"kind": kind, "sigma": self.positive(), **parties, **self.sensitivity(whole)}
        if kind in ("laplace", "discrete-laplace"):
            return {"kind": kind, "scale": self.positive(), **self.sensitivity(kind != "laplace")}
        if kind == "skellam":
            moved = self.one([self.sensitivity(True), {"l2-sensitivity": self.positive()}, {"l2-record-bound": self.positive()}])
            return {"kind": kind, "mean": self.positive(), **moved}
        if kind == "randomized-response":
            return {"kind": kind, **self.one([{"epsilon": self.epsilon()}, {"noise": self.rate()}]), "k": self.count(9) + 1}
        if kind == "pure-dp":
            return {"kind": kind, "epsilon": self.epsilon()}
        if kind in ("exponential", "permute-and-flip"):
            return {"kind": kind, **self.scores()}
        if kind == "top-k":
            return {"kind": kind, "k": self.count(6), **self.scores()}
        if kind == "approx-dp":
            return {"kind": kind, "epsilon": self.epsilon(), "delta": self.error()}
        if kind == "gdp":
            return {"kind": kind, "mu": self.positive()}
        if kind == "zcdp":
            return {"kind": kind, "rho": self.positive(), **self.one([{}, {"xi": self.positive()}])}
        if kind == "rdp":
            return {"kind": kind, "orders": [[self.order(), self.positive()] for _ in range(self.length())]}
        if kind == "finite":
            length = self.length()
            return {"kind": kind, "p": self.weights(length), "q": self.weights(length)}
        if kind == "profile":
            return {"kind": kind, "points": [[self.epsilon(), self.error()] for _ in range(self.length())]}
        if kind == "gaussian-mixture":
            length = self.length()
            return {"kind": kind, "sigma": self.positive(), "shifts": [self.positive() for _ in range(length)], "weights": self.weights(length)}
        if kind == "noise-threshold":
            noise = self.one(["laplace", "gaussian", "discrete-laplace", "discrete-gaussian"])
            made = {"kind": kind, "noise": noise, "scale" if "laplace" in noise else "sigma": self.positive(), "threshold": self.positive(), "keys": self.count(6)}
            return {**made, "release-if": ">"}
        if kind in TRAINING:
            return self.training(kind)
        if kind == "subsampled":
            return {"kind": kind, "rate": self.rate(), "of": inner()}
        if kind == "fixed batch":
            records = self.count(9) + 1
            return {"kind": "subsampled", "sampling": "without-replacement", "dataset-size": records, "batch-size": self.random.randint(1, records), "of": inner()}
        if kind == "compose":
            return {"kind": kind, "of": [{"times": self.count(), **inner()} for _ in range(self.random.randint(1, 4))]}
        if kind == "mixture":
            length = self.random.randint(1, 4)
            return {"kind": kind, "of": [{"weight": weight, **inner()} for weight in self.weights(length)]}
        if kind == "group":
            return {"kind": kind, "records": self.count(9), "of": inner()}
        if kind == "histogram":
            return {"kind": kind, "of": inner(NOISE)}
        if kind == "random-allocation":
            steps = self.count(9)
            return {"kind": kind, "steps": steps, "selected": self.random.randint(1, min(steps, 9)), "epochs": self.count(6), "of": inner()}
        if kind == "private-selection":
            law = self.one(["geometric", "logarithmic", "poisson", "negative-binomial"])
            runs = {"kind": law, "mean": self.one(["1.5", "2", "10", "1e6", "1e30"]), **({"shape": self.positive()} if law == "negative-binomial" else {})}
            return {"kind": kind, "runs": runs, "of": inner()}
        return {"kind": "shuffled", "users": self.count(9) + 1, "of": inner(PRIVATE)}

    def sensitivity(self, whole):
        number = (lambda: self.count(9)) if whole else self.positive
        return self.one([{}, {}, {"sensitivity": number()}, {"record-bound": number()}])

    def training(self, kind):
        noise, steps = {"noise-multiplier": self.positive()}, {"steps": self.count()}
        if kind == "dp-sgd":
            return {"kind": kind, **noise, "sample-rate": self.rate(), **steps}
        if kind == "phases":
            phase = lambda: {"noise-multiplier": self.positive(), "sample-rate": self.rate(), "steps": self.count()}  # noqa: E731
            return {"kind": "dp-sgd", "phases": [phase() for _ in range(self.length())]}
        records = self.count(9) + 1
        if kind == "truncated":
            return {"kind": "dp-sgd", "sampling": "truncated-poisson", **noise, "sample-rate": self.rate(), **steps, "dataset-size": records, "max-batch": self.random.randint(1, records)}
        if kind == "without-replacement":
            return {"kind": "dp-sgd", "sampling": kind, **noise, **steps, "dataset-size": records, "batch-size": self.random.randint(1, records)}
        if kind == "shuffled-batches":
            return {"kind": "dp-sgd", "sampling": "shuffled", **noise, "steps": self.count(9), "epochs": self.count(6)}
        if kind == "tree-aggregation":
            return {"kind": kind, **noise, **steps, "restarts": self.count(6), "participations": self.count(6), "min-separation": self.count(6)}
        made = {"kind": "matrix-factorization", **noise}
        if kind == "matrix":
            size = self.one([1, 2, 5, 30, 100])
            rows = [[self.positive() if j == i else self.one(["0", "0.5", "-1", "1e-9", "1/3"]) for j in range(i + 1)] + ["0"] * (size - i - 1) for i in range(size)]
            return {**made, "steps": size, "matrix": rows, **self.participations()}
        made["steps"] = self.count(7)
        if kind == "blt":
            buffers = self.one([1, 2, 4, 20])
            return {**made, "blt": {"weights": [self.rate() for _ in range(buffers)], "decays": [self.rate() for _ in range(buffers)]}, **self.participations()}
        column = ["1"] + [self.rate() for _ in range(self.one([0, 1, 3, 30, 1000]))]
        return {**made, "toeplitz": column, **({"rate": self.rate(), "min-separation": len(column)} if kind == "banded" else self.participations())}

    def participations(self):
        return self.one([{"participations": self.count(5)}, {"participations": self.count(4), "min-separation": self.count(5)}, {"epochs": self.count(4)}])

    def query(self, kind, other):
        values = {
            "delta": [f"delta:epsilon={self.epsilon()}", f"delta:epsilon=-{self.epsilon()}", f"delta:exp-epsilon={self.positive()}"],
            "epsilon": [f"epsilon:delta={self.error()}"],
            "tradeoff": [f"tradeoff:alpha={self.error()}"],
            "bayes-error": [f"bayes-error:prior={self.error()}"],
            "gdp-mu tolerance": ["gdp-mu:tolerance=" + self.one(["1e-300", "1e-30", "1e-10", "0.01"])],
            "gdp-mu floor": ["gdp-mu:error-floor=" + self.one(["1e-300", "1e-30", "1e-10", "0.01"])],
            "regret": ["regret:mu=mu_star", f"regret:mu={self.positive()}"],
            "renyi": [f"renyi:order={self.order()}", "renyi:order=1/2", "renyi:order=1", "renyi:order=inf"],
            "delta-divergence": [f"delta-divergence:other={other}"],
            "delta-symmetric": [f"delta-symmetric:other={other}"],
            "weighted-delta": [f"weighted-delta:other={other},prior=" + self.one(["uniform", "jeffreys", "uquadratic"])],
        }
        return self.one(values.get(kind, [kind]))

    def claim(self, kind, other):
        of = {
            "pure-dp": {"epsilon": self.epsilon()},
            "approx-dp": {"epsilon": self.epsilon(), "delta": self.error()},
            "gdp": {"mu": self.positive()},
            "gdp tolerance": {"mu": self.positive(), "tolerance": self.one(["1e-300", "1e-10", "0.01"])},
            "gdp floor": {"mu": self.positive(), "error-floor": self.one(["1e-300", "1e-10", "0.01"])},
            "regret": {"mu": self.positive(), "at-most": self.error()},
            "zcdp": {"rho": self.positive()},
            "rdp": {"order": self.order(), "epsilon": self.positive()},
            "advantage": {"at-most": self.error()},
            "trade-off": {"alpha": self.error(), "beta": self.error()},
            "dominated-by": {"mechanism": other, "at-most": self.error()},
        }
        return {"kind": kind.split()[0], **of[kind]}

    def nested(self):
        """Very deep, of one kind or of several."""
        made = self.mechanism(self.one(NOISE + PRIVATE), 0)
        kinds = self.one([["compose"], ["mixture"], ["subsampled"], ["group"], ["compose", "mixture", "group"]])
        for _ in range(self.one([5, 20, 60, 120, 500])):
            kind = self.one(kinds)
            if kind == "compose":
                made = {"kind": kind, "of": [{"times": self.random.randint(1, 3), **made}]}
            elif kind == "mixture":
                made = {"kind": kind, "of": [{"weight": "1/3", **made}, {"weight": "2/3", "kind": "laplace", "scale": "2"}]}
            elif kind == "subsampled":
                made = {"kind": kind, "rate": "0.9", "of": made}
            else:
                made = {"kind": kind, "records": 2, "of": made}
        return made

    def question(self, kind):
        """A command line after the name of the program; what is too long for an argument is read from `-`."""
        adjacency = self.one(["add-remove"] * 4 + ADJACENCIES)
        if "shuffled" == kind:
            adjacency = "replace-one"
        made = self.nested() if self.random.random() < 0.03 else self.mechanism(kind)
        made = {**made, **({} if adjacency == "add-remove" else {"adjacency": adjacency})}
        text = json.dumps(made)
        other = self.mechanism(depth=1)
        command = self.random.choices(["bound", "float", "verify", "certificate", "compare", "report", "curve", "calibrate"], [10, 4, 5, 5, 4, 3, 3, 3])[0]
        if command in ("bound", "float"):
            query = self.query(self.one(QUERIES), json.dumps(other))
            engine = ["--engine", "float"] if command == "float" else []
            return ["bound", "-", query, *engine], text
        if command in ("verify", "certificate"):
            claims = [self.claim(self.one(CLAIMS), other)]
            file = json.dumps({"mechanism": made, "claim": claims})
            return ["verify", "-", *(["--certificate", "certificate.json"] if command == "certificate" else ["--no-check"])], file
        if command == "compare":
            return ["compare", "-", json.dumps(other)], text
        if command == "curve":
            return ["curve", "-", "--kind", self.one(["privacy-profile", "trade-off", "bayes-error"]), "--points", "5"], text
        if command == "calibrate":
            keys = [key for key in made if key in ("sigma", "scale", "noise-multiplier", "sample-rate", "steps", "rate", "epsilon", "mean", "records", "k", "users")]
            target = self.one(["approx-dp:epsilon=1,delta=1e-5", "advantage:at-most=0.1", "gdp:mu=1,tolerance=1e-10", "trade-off:alpha=0.01,beta=0.5", "zcdp:rho=0.5"])
            return ["calibrate", "-", "--solve", self.one(keys or ["sigma"]), "--target", target], text
        return ["report", "-"], text
