"""Mechanisms of every kind that can be stated, by the generator of tests/hostile with numbers that people use."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "hostile"))

from draw import ADJACENCIES, KINDS, Draw  # noqa: E402


class Tame(Draw):
    def positive(self):
        return self.one(["0.5", "0.7", "1", "1.1", "1.3", "2", "5/2", "3", "4", "9.4", "20"])

    def count(self, most=12):
        return self.random.randint(1, 6) if self.random.random() < 0.6 else self.one([8, 10, 16, 30, 100])

    def rate(self):
        return self.one(["1e-3", "0.01", "0.1", "1/3", "0.5", "0.9"])

    def epsilon(self):
        return self.one(["0.01", "0.1", "0.5", "1", "2", "3"])

    def error(self):
        return self.one(["0", "1e-10", "1e-5", "0.01", "0.3"])

    def order(self):
        return self.one(["1.5", "2", "3", "20"])

    def weights(self, length):
        parts = [self.random.randint(1, 9) for _ in range(length)]
        return [f"{part}/{sum(parts)}" for part in parts]

    def length(self):
        return self.one([1, 2, 2, 3, 3, 5])


    def sensitivity(self, whole):
        number = self.random.randint(1, 3) if whole else self.positive()
        if self.adjacency.startswith("replace"):
            return {"record-bound": number}
        return self.one([{}, {"sensitivity": number}, {"record-bound": number}])


def mechanism(random, kind):
    """One that the program may refuse: not every adjacency is known of every kind."""
    draw = Tame(random)
    draw.adjacency = "replace-one" if kind == "shuffled" else draw.one(["add-remove", *ADJACENCIES])
    return {**draw.mechanism(kind, depth=draw.one([1, 1, 2])), "adjacency": draw.adjacency}
