"""The table: one line per row and peer, for the terminal as it comes and as Markdown at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from programs import Answer
from tasks import PEERS, TASKS, Earlier, FirstVerdict, Job, Row

# Relative widths are against max(|value|, this), as in dpcmp itself.
LEAST_VALUE = Decimal("1e-12")
NONE = "·"


@dataclass
class Line:
    """The cells of one line, and what is to be said below the table."""

    label: str
    peer: str
    answer: str
    against: str
    peer_cpu: str
    peer_memory: str
    lower: str
    upper: str
    width: str
    cpu: str
    memory: str
    ratio: str
    remarks: list[str] = field(default_factory=list)


def row_line(row: Row, peer: str, theirs: Answer, ours: Answer, memory_floor: float) -> Line:
    lower, upper = _ends(ours)
    width, too_wide = _width(ours, row.ours.precision)
    line = Line(
        row.label, peer, theirs.failure or _their_value(theirs), _against(theirs, ours, row.question.safe_side()),
        _cpu(theirs), _memory(theirs, memory_floor), lower, upper, width + ("*" if too_wide else ""),
        _cpu(ours), _memory(ours, memory_floor), _ratio(ours, theirs),
    )  # fmt: skip
    line.remarks = [
        f"{row.label}, {name}: {answer.message}"
        for name, answer in ((peer, theirs), ("ours", ours))
        if answer.message is not None
    ]
    return line


def verdict_line(row: FirstVerdict, ours: Answer, memory_floor: float) -> Line:
    said = ours.failure or f"{1000 * ours.first_verdict:.0f} ms"
    remarks = [f"{row.label}: {ours.message}"] if ours.message else []
    return Line(row.label, NONE, NONE, NONE, NONE, NONE, said, "", NONE, _cpu(ours), _memory(ours, memory_floor), NONE,
                remarks)  # fmt: skip


def job_line(job: Job, ours: Answer, memory_floor: float) -> Line:
    remarks = [f"{job.label}: {ours.message}"] if ours.message else []
    ratio = NONE if ours.failure else f"{ours.cpu / job.wanted:.2g}×"
    return Line(job.label, "wanted", NONE, NONE, f"{job.wanted:g}", NONE, ours.failure or "done", "", NONE, _cpu(ours),
                _memory(ours, memory_floor), ratio, remarks)  # fmt: skip


def _ends(ours: Answer) -> tuple[str, str]:
    if ours.failure:
        return ours.failure, ""
    if ours.value is not None:
        return f"≈ {_number(ours.value)}", ""
    if not (ours.lower.is_finite() and ours.upper.is_finite()) or ours.lower == ours.upper:
        return _number(ours.lower), _number(ours.upper)
    # Two digits of the width, and enough of the value.
    width, value = ours.upper - ours.lower, max(abs(ours.lower), abs(ours.upper))
    unit = Decimal(1).scaleb(min(width.adjusted() - 1, value.adjusted() - 4))
    return f"{ours.lower.quantize(unit, ROUND_FLOOR):f}", f"{ours.upper.quantize(unit, ROUND_CEILING):f}"


def _width(ours: Answer, asked: str) -> tuple[str, bool]:
    if ours.lower is None:
        return NONE, False
    if not (ours.lower.is_finite() and ours.upper.is_finite()):
        return "∞", True
    width = (ours.upper - ours.lower) / max(abs(ours.upper), abs(ours.lower), LEAST_VALUE)
    return (_power(width) if width else "0"), width > Decimal(asked)


def _against(theirs: Answer, ours: Answer, safe_side: int) -> str:
    """Where a peer's answer lies: inside ours, or how far outside, relative to the nearer end; "!" on the unsafe side."""
    if theirs.value is None or ours.lower is None:
        return NONE
    if ours.lower <= theirs.value <= ours.upper:
        return "inside" if ours.lower.is_finite() and ours.upper.is_finite() else NONE
    above = theirs.value > ours.upper
    end = ours.upper if above else ours.lower
    mark = "" if above == (safe_side > 0) else " !"
    if not (theirs.value.is_finite() and end.is_finite()):
        return ("+∞" if above else "-∞") + mark
    distance = abs(theirs.value - end) / max(abs(end), LEAST_VALUE)
    return ("+" if above else "-") + _power(distance) + mark


def _power(number: Decimal) -> str:
    return f"{float(number):.0e}".replace("e-0", "e-").replace("e+00", "").replace("e+0", "e")


def _their_value(theirs: Answer) -> str:
    if theirs.value is not None:
        return _number(theirs.value)
    if theirs.upper is None:
        return NONE
    upper = theirs.upper
    if upper.is_finite() and upper:
        upper = upper.quantize(Decimal(1).scaleb(upper.adjusted() - 4), ROUND_CEILING)
    return f"≤{_number(upper)}"


def _number(value: Decimal) -> str:
    if not value.is_finite():
        return str(float(value)).replace("inf", "∞")
    return f"{float(value):.6g}"


def _cpu(answer: Answer) -> str:
    return f"{answer.cpu:.3f}" if answer.cpu < 9.9995 else f"{answer.cpu:.1f}"


def _memory(answer: Answer, floor: float) -> str:
    return f"< {floor:.0f}" if answer.megabytes < 1.05 * floor else f"{answer.megabytes:.0f}"


def _ratio(ours: Answer, theirs: Answer) -> str:
    if ours.failure or theirs.failure:
        return NONE
    ratio = ours.cpu / theirs.cpu
    return f"{ratio:.2g}×" if ratio < 100 else f"{ratio:.0f}×"


HEADINGS = ("peer", "answer", "vs ours", "CPU s", "MB", "ours", "width", "CPU s", "MB", "ratio")
_NAMES = [peer.name for peer in PEERS] + [
    against.name
    for task in TASKS
    for row in task.rows
    if isinstance(row, Row)
    for against in row.against
]  # fmt: skip
_LABEL_WIDTH = max(len(row.label) for task in TASKS for row in task.rows)
_PEER_WIDTH = max(map(len, _NAMES))


def terminal(line: Line | None, label: str = "", ours_shown: bool = True) -> str:
    """One line of the terminal's table; None gives the heading."""
    if line is None:
        cells = ("", *HEADINGS)
    else:
        ours = (f"{line.lower}‥{line.upper}" if line.upper else line.lower, line.width, line.cpu, line.memory)
        their = (line.peer, line.answer, line.against, line.peer_cpu, line.peer_memory)
        cells = (label, *their, *(ours if ours_shown else ("", "", "", "")), line.ratio)
    name, peer, answer, against, peer_cpu, peer_memory, ours, width, cpu, memory, ratio = cells
    return (
        f"{name:<{_LABEL_WIDTH}} │ {peer:<{_PEER_WIDTH}} {answer:>11} {against:<8} {peer_cpu:>6} {peer_memory:>5}"
        f" │ {ours:^21} {width:<6} {cpu:>6} {memory:>5} │ {ratio:>6}"
    ).rstrip()


def markdown(sections: list[tuple[str, list[Line]]]) -> str:
    rows = [
        "| row | peer | its answer | against ours | CPU s | MB | ours, lower | ours, upper | width | CPU s | MB | ours/peer |",
        "|---|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for title, lines in sections:
        rows.append(f"| **{title}** " + "| " * 11 + "|")
        for line in lines:
            cells = (line.label, line.peer, line.answer, line.against, line.peer_cpu, line.peer_memory, line.lower,
                     line.upper, line.width.replace("*", "\\*"), line.cpu, line.memory, line.ratio)  # fmt: skip
            rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)
