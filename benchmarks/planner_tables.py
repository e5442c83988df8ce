"""The tables of the planner benchmark: one row for each problem, and what the sets come to."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks import results

CHEAP = 1e-6


@dataclass(frozen=True, slots=True)
class Figure:
    """Processor seconds and plan cost (None where there is no plan, and why), peak megabytes of a process."""

    seconds: float | None = None
    cost: float | None = None
    note: str = ""
    megabytes: float | None = None

    @property
    def solved(self) -> bool:
        """Whether there is a plan."""
        return self.seconds is not None

    def at_least(self, limit: float) -> float | None:
        """Its seconds; the limit if it ran into it; None if it does not take the problem."""
        return limit if self.note.startswith(">") else self.seconds


ABSENT = Figure(note="-")
REFUSED = Figure(note="ADL")


@dataclass(frozen=True, slots=True)
class Row:
    """One problem and what each planner makes of it."""

    group: str
    name: str
    objects: int
    figures: Mapping[str, Figure]

    def of(self, planner: str) -> Figure:
        """A planner's figure."""
        return self.figures.get(planner, ABSENT)

    def line(self) -> str:
        """The row of the markdown table."""
        warm, shot = self.of("warm"), self.of("one-shot")
        lama, subset, plain = self.of("lama-first"), self.of("lama-subset"), self.of("pyperplan")
        cells = [self.group, self.name, str(self.objects), _seconds(warm), _seconds(shot)]
        cells += ["" if shot.megabytes is None else f"{shot.megabytes:.0f}", _cost(warm)]
        cells += [_seconds(lama), _cost(lama), _seconds(self.of("subset")), _seconds(subset)]
        cells += [_seconds(plain), _cost(plain)]
        return f"| {' | '.join(cells)} |"


COLUMNS = (
    "set", "problem", "objects", "warm s", "one-shot s", "MB", "cost", "lama-first s", "its cost",
    "subset s", "lama-first on it s", "pyperplan s", "its cost",
)  # fmt: skip


def median(rounds: Sequence[Figure]) -> Figure:
    """The median time and the greatest memory of the rounds; the first that failed if one did."""
    failed = [one for one in rounds if one.seconds is None]
    if failed:
        return failed[0]
    memory = [one.megabytes for one in rounds if one.megabytes is not None]
    seconds = statistics.median(one.seconds or 0.0 for one in rounds)
    return Figure(seconds, rounds[0].cost, megabytes=max(memory) if memory else None)


def table(rows: Sequence[Row], limit: float) -> str:
    """All rows, and below them the sets."""
    return f"{problems(rows)}\n\n{summary(rows, limit)}"


def problems(rows: Sequence[Row]) -> str:
    """A row for each problem."""
    return "\n".join((f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", *(row.line() for row in rows)))


def report(rows: Sequence[Row], limit: float, sets: Sequence[str]) -> results.Report:
    """The figures of some sets as a result; the aims are those for HandMeThat's problems (``planner/a``)."""
    asked = [row for row in rows if row.of("warm") is not ABSENT]
    figures = []
    if asked:
        solved = sum(row.of("warm").solved for row in asked)
        figures.append(results.Figure("solved", "problems solved, warm", solved, of=len(asked)))
    for name, title, least in RATIOS:
        text = FIGURES[title](rows, limit)
        if text != "-":
            target = results.Target("at least", least) if list(sets) == ["planner/a"] else None
            number, _, of = text.partition(" ")
            figures.append(results.Figure(name, f"{title} {of}".strip(), float(number), digits=1, target=target))
    both = [row for row in rows if row.of("lama-first").solved and row.of("warm").solved]
    if both:
        good = sum((row.of("warm").cost or 0.0) <= (row.of("lama-first").cost or 0.0) + CHEAP for row in both)
        target = results.Target("at least", 90) if list(sets) == ["planner/a"] else None
        figures.append(results.Figure("cheap", "cost at most lama-first's", good, of=len(both), target=target))
    slug = "_".join("handmethat" if one == "planner/a" else one.replace("-", "_") for one in sets)
    return results.Report(
        name=f"planner_{slug}",
        group="Planner",
        title=f"The planner beside others: {', '.join(sets)}",
        explanation="*Warm* is reading and solving in a process that knows the domain, *one-shot* a whole "
        "`chorewright plan` process; beside Fast Downward's `lama-first` and pyperplan; CPU seconds, medians.",
        figures=tuple(figures),
        tables=(results.from_markdown(summary(rows, limit)), results.from_markdown(problems(rows))),
    )


def summary(rows: Sequence[Row], limit: float) -> str:
    """What the sets come to; a planner that ran into the limit counts with the limit in ratios."""
    groups = list(dict.fromkeys(row.group for row in rows))
    head = f"| figure | {' | '.join(groups)} |\n|{'---|' * (len(groups) + 1)}"
    own = {group: [row for row in rows if row.group == group] for group in groups}
    lines = [head]
    for title, value in FIGURES.items():
        lines.append(f"| {title} | {' | '.join(value(own[group], limit) for group in groups)} |")
    return "\n".join(lines)


def _ratios(theirs: str, ours: str) -> Callable[[Sequence[Row], float], str]:
    """Median ratio of two planners' times, where ours has a plan and theirs takes the problem."""

    def value(rows: Sequence[Row], limit: float) -> str:
        found = []
        for row in rows:
            other, own = row.of(theirs).at_least(limit), row.of(ours).seconds
            if other is not None and own is not None:
                found.append(other / max(own, 1e-4))
        return f"{statistics.median(found):.1f} (of {len(found)})" if found else "-"

    return value


def _solved(planner: str) -> Callable[[Sequence[Row], float], str]:
    def value(rows: Sequence[Row], limit: float) -> str:
        asked = [row.of(planner) for row in rows if row.of(planner) not in (ABSENT, REFUSED)]
        return f"{sum(one.solved for one in asked)} of {len(asked)}" if asked else "-"

    return value


def _most(values: Iterable[float | None], form: str) -> str:
    known = [value for value in values if value is not None]
    return form.format(max(known)) if known else "-"


def _missed(rows: Sequence[Row], limit: float) -> str:
    theirs = [row for row in rows if row.of("lama-first").solved and row.of("warm") is not ABSENT]
    return ", ".join(row.name for row in theirs if not row.of("warm").solved) or "none"


def _cheap(planner: str) -> Callable[[Sequence[Row], float], str]:
    def value(rows: Sequence[Row], limit: float) -> str:
        both = [row for row in rows if row.of(planner).solved and row.of("warm").solved]
        good = sum((row.of("warm").cost or 0.0) <= (row.of(planner).cost or 0.0) + CHEAP for row in both)
        return f"{good} of {len(both)}" if both else "-"

    return value


def _middle(planner: str) -> Callable[[Sequence[Row], float], str]:
    def value(rows: Sequence[Row], limit: float) -> str:
        found = [one for row in rows if (one := row.of(planner).seconds) is not None]
        return f"{statistics.median(found):.3f}, {max(found):.2f}" if found else "-"

    return value


FIGURES: Mapping[str, Callable[[Sequence[Row], float], str]] = {
    "problems": lambda rows, limit: str(len(rows)),
    "solved": _solved("warm"),
    "solved by lama-first": _solved("lama-first"),
    "solved by lama-first only": _missed,
    "warm seconds: median, most": _middle("warm"),
    "one-shot seconds: median, most": _middle("one-shot"),
    "lama-first seconds: median, most": _middle("lama-first"),
    "lama-first / warm (median)": _ratios("lama-first", "warm"),
    "lama-first / one-shot (median)": _ratios("lama-first", "one-shot"),
    "lama-first on our subset / warm (median)": _ratios("lama-subset", "warm"),
    "the same, ours on the subset too": _ratios("lama-subset", "subset"),
    "cost at most lama-first's": _cheap("lama-first"),
    "solved by pyperplan": _solved("pyperplan"),
    "pyperplan / one-shot (median)": _ratios("pyperplan", "one-shot"),
    "cost at most pyperplan's": _cheap("pyperplan"),
    "peak MB of a process (most)": lambda rows, limit: _most((row.of("one-shot").megabytes for row in rows), "{:.0f}"),
}


RATIOS = (
    ("ratio_warm", "lama-first / warm (median)", 500),
    ("ratio_one_shot", "lama-first / one-shot (median)", 60),
    ("ratio_subset", "the same, ours on the subset too", 5),
)
"""Names of the ratios in a result, their titles, and what is aimed at."""


def _seconds(figure: Figure) -> str:
    return figure.note if figure.seconds is None else f"{figure.seconds:.3f}"


def _cost(figure: Figure) -> str:
    return "" if figure.cost is None else f"{figure.cost:g}"


__all__ = ["REFUSED", "Figure", "Row", "median", "report", "summary", "table"]
