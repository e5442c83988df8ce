"""Problems that were written of descriptions marked: one is right if it is equivalent to the one described."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.errors import ChorewrightError, UsageError
from chorewright.files.text import readable
from chorewright.generator.measuring.evaluation import Episodes, Evaluation, Summary, checksum, read_rows
from chorewright.generator.measuring.trial import DescriptionsTrial
from chorewright.planner.equivalence import compare_problems
from chorewright.planner.plan import Limits

VERDICTS = ("equivalent", "different", "undecided", "unreadable", "missing")


@dataclass(frozen=True, slots=True)
class DescriptionScore:
    """What is said of one answer: one of ``VERDICTS``, and why."""

    id: str
    level: str
    verdict: str
    reason: str


class DescriptionsEvaluation(Evaluation[DescriptionsTrial, DescriptionScore]):
    """Mark problems that were written of descriptions: which are equivalent to the ones described."""

    options = DescriptionsTrial

    def open(self, trial: DescriptionsTrial) -> Episodes[DescriptionScore]:
        """Return the descriptions of an export, each with the problem that was written of it."""
        folder = Path(trial.dataset)
        files = sorted((folder / "data").glob("*.jsonl")) if folder.is_dir() else [folder]
        if not files:
            hint = "give a folder of export --format descriptions"
            raise UsageError(f"there are no descriptions in {folder}", hint=hint)
        rows = [row for path in files for row in read_rows(readable(path), ("id", "level", "domain", "problem"))]
        answers = {row["id"]: row["problem"] for row in read_rows(readable(Path(trial.answers)), ("id", "problem"))}
        unknown = sorted(answers.keys() - {row["id"] for row in rows})
        if unknown:
            raise UsageError(f"there is no description {unknown[0]!r}, which is answered")
        limits = Limits(evaluations=trial.evaluations)
        content = partial(checksum, (rows, answers))
        return Episodes(DescriptionScore, len(rows), content, lambda index: judge(rows[index], answers, limits))

    def summary(self, trial: DescriptionsTrial, scores: Sequence[DescriptionScore], columns: int) -> Summary:
        """Return the number of each verdict by level."""
        levels: dict[str, Counter[str]] = {}
        for each in scores:
            levels.setdefault(each.level, Counter())[each.verdict] += 1
        lines = []
        for level, count in levels.items():
            total = sum(count.values())
            shown = ", ".join(f"{count[verdict]} {verdict}" for verdict in VERDICTS if count[verdict])
            lines.append(f"{level:10} {100 * count['equivalent'] / total:.1f} % right of {total}: {shown}")
        values = {level: dict(count) for level, count in levels.items()}
        return Summary({"levels": values, "answers": [asdict(each) for each in scores]}, lines)


def judge(row: Mapping[str, str], answers: Mapping[str, str], limits: Limits) -> DescriptionScore:
    """Return the verdict on a problem.

    Args:
        row: A row of an export of descriptions.
        answers: Problems as PDDL, by the descriptions' ids.
        limits: Of each search for a difference.
    """
    name, level = row["id"], row["level"]
    if name not in answers:
        return DescriptionScore(name, level, "missing", "there is no answer")
    domain = parse_domain(row["domain"])
    wanted = parse_problem(row["problem"], domain)
    try:
        given = parse_problem(answers[name], domain, name)
    except ChorewrightError as error:
        return DescriptionScore(name, level, "unreadable", str(error).splitlines()[0])
    said = compare_problems(domain, wanted, given, limits)
    return DescriptionScore(name, level, said.likeness.value, said.reason)
