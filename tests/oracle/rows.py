"""Rows of a table: a value with a mechanism and a query, rounded outward far beyond what two routes to it differ by."""
import json
from fractions import Fraction

import mpmath as mp

DIGITS = 22


def number(text):
    fraction = Fraction(text)
    return mp.mpf(fraction.numerator) / fraction.denominator


def rounded(value, up):
    if value == 0:
        return "0"
    exponent = int(mp.floor(mp.log10(abs(value)))) - DIGITS + 1
    mantissa = value / mp.mpf(10) ** exponent
    return f"{int(mp.ceil(mantissa) + 1 if up else mp.floor(mantissa) - 1)}e{exponent}"


class Table:
    def __init__(self, name):
        self.name, self.rows = name, []

    def add(self, mechanism, adjacency, query, value, how):
        """`value` is a fraction, a number good to more than DIGITS digits, or a pair of them: a bracket of which both ends are proved."""
        low, high = value if isinstance(value, tuple) else (value, value)
        text = lambda x, up: str(x) if isinstance(x, Fraction) else rounded(x, up)
        row = {"id": f"{self.name}-{len(self.rows) + 1:03}", "mechanism": {**mechanism, "adjacency": adjacency}, "query": query}
        row["truth"] = [text(low, False), text(high, True)]
        if isinstance(value, tuple):
            row["truth-is"] = "bracket"
        self.rows.append({**row, "how": how})

    def write(self):
        with open(f"{self.name}.jsonl", "w") as file:
            file.writelines(json.dumps(each, ensure_ascii=False) + "\n" for each in self.rows)


def same(a, b, digits=24):
    assert abs(a - b) <= mp.mpf(10) ** -digits * max(abs(a), abs(b), mp.mpf(10) ** -300), (a, b)
    return a


def at(epsilon):
    return {"kind": "delta", "epsilon": epsilon}, mp.exp(number(epsilon))
