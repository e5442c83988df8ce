"""Problems in English at several levels, their export, and problems that were written of them marked.

Three levels: ``atoms`` says each fact in a sentence of its own, ``grouped`` joins what is alike, ``abstract`` says of
all things of a type at once what holds of all of them, and counts things that nothing else is said of. A problem that
somebody wrote of a text is right if it is equivalent to the one described.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from chorewright.domains.clauses import say_expression, say_value
from chorewright.domains.facts import exact, number_text
from chorewright.domains.formulas import Universe, conjuncts
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.domains.pddl.subformulas import subformulas
from chorewright.domains.phrases import Wordings, words_of
from chorewright.errors import ChorewrightError, UsageError
from chorewright.files.english import sentence
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option
from chorewright.generator.measuring.evaluation import Episodes, Evaluation, Summary, checksum, read_answers, read_asked
from chorewright.generator.measuring.questions.rules import rules_text, things_of
from chorewright.generator.measuring.trial import DescriptionsTrial
from chorewright.generator.pddl.sources import DOMAIN, PROBLEM, read_problem
from chorewright.generator.training.exporter import Exported, Exporter, export_folder, json_line
from chorewright.planner.equivalence import compare_problems
from chorewright.planner.plan import Limits
from chorewright.rsa.words.verbaliser import Verbaliser

LEVELS = ("atoms", "grouped", "abstract")

VARIABLE = "?thing"
FEWEST = 2
"""Things of which one is said at once."""


def describe(domain: syntax.Domain, problem: syntax.Problem, level: str, wordings: Wordings | None = None) -> str:
    """Return a problem in English.

    Args:
        domain: Its domain.
        problem: The problem.
        level: One of ``LEVELS``.
        wordings: How the domain's author words it; None for guesses.

    Raises:
        ValueError: There is no such level.
    """
    if level not in LEVELS:
        raise ValueError(f"{level!r} is no level of abstraction: {', '.join(LEVELS)}")
    says = Verbaliser.of(domain, problem.objects, wordings)
    universe = Universe.of(domain, problem)
    goal = abstract_goal(domain, universe, problem.goal) if level == "abstract" else problem.goal
    facts: list[str] = []
    mentioned: set[str] | None = None
    if level == "atoms":
        facts = [sentence(says.atom(atom)) for atom in problem.init]
    elif level == "grouped":
        facts = [says.state(problem.init)]
    else:
        start = abstract_atoms(domain, universe, problem.init)
        singles = [part for part in start if isinstance(part, syntax.Atom)]
        facts = [sentence(says.formula(part)) for part in start if not isinstance(part, syntax.Atom)]
        facts.append(says.state((part.predicate, *part.terms) for part in singles))
        mentioned = _names([*start, goal]) | {name for value in problem.values for name in value.objects}
    things = things_of(says, problem.objects, mentioned)
    closed = (*_values(says, problem), "Nothing else holds.")
    return " ".join(filter(None, [*things, *facts, *closed, *_aims(says, goal, level), *_measure(says, problem)]))


def _names(formulas: Iterable[syntax.Formula]) -> set[str]:
    """The objects that formulas mention."""
    found: set[str] = set()
    for formula in formulas:
        for part in subformulas(formula):
            if isinstance(part, syntax.Atom):
                found.update(part.terms)
    return found


def _values(says: Verbaliser, problem: syntax.Problem) -> list[str]:
    return [
        sentence(
            say_value(value.function, [says.name(name) for name in value.objects], number_text(exact(value.value)))
        )
        for value in problem.values
        if value.function != syntax.TOTAL_COST
    ]


def _aims(says: Verbaliser, goal: syntax.Formula, level: str) -> Sequence[str]:
    if level != "atoms":
        return [says.goal(goal)]
    return ["At the end, all of this must hold.", *(sentence(says.formula(part)) for part in conjuncts(goal))]


def _measure(says: Verbaliser, problem: syntax.Problem) -> list[str]:
    metric = problem.metric
    if isinstance(metric, syntax.Metric):
        return [sentence(f"{metric.direction} {say_expression(metric.expression, says.name)}")]
    return [sentence(f"keep the {words_of(problem.cost_function)} as low as possible")] if problem.minimize_cost else []


def abstract_atoms(
    domain: syntax.Domain, universe: Universe, atoms: Iterable[syntax.GroundAtom]
) -> tuple[syntax.Formula, ...]:
    """Return formulas that hold exactly if all of the atoms do: ``forall`` wherever a place takes a whole type."""
    left = list(dict.fromkeys(atoms))
    found: list[syntax.Formula] = []
    while left:
        best = max(_generalise(domain, universe, left), key=lambda each: len(each[1]), default=None)
        if best is None:
            return (*found, *(syntax.Atom(atom[0], atom[1:]) for atom in left))
        formula, covered = best
        found.append(formula)
        left = [atom for atom in left if atom not in covered]
    return tuple(found)


def abstract_goal(domain: syntax.Domain, universe: Universe, goal: syntax.Formula) -> syntax.Formula:
    """Return a goal whose atoms are said of all things at once where possible."""
    parts = conjuncts(goal)
    atoms = [(part.predicate, *part.terms) for part in parts if isinstance(part, syntax.Atom)]
    others = tuple(part for part in parts if not isinstance(part, syntax.Atom))
    found = (*abstract_atoms(domain, universe, atoms), *others)
    return found[0] if len(found) == 1 else syntax.And(found)


def _generalise(
    domain: syntax.Domain, universe: Universe, atoms: Sequence[syntax.GroundAtom]
) -> list[tuple[syntax.Formula, frozenset[syntax.GroundAtom]]]:
    """Return what can be said of all things of a type, each with the atoms that it covers."""
    groups: dict[tuple[str, int, tuple[str, ...]], list[syntax.GroundAtom]] = {}
    for atom in atoms:
        for place in range(1, len(atom)):
            groups.setdefault((atom[0], place, atom[1:place] + atom[place + 1 :]), []).append(atom)
    found: list[tuple[syntax.Formula, frozenset[syntax.GroundAtom]]] = []
    kinds = ["object", *(each.name for each in domain.types)]
    for (predicate, place, rest), group in groups.items():
        things = frozenset(atom[place] for atom in group)
        kind = next((each for each in reversed(kinds) if frozenset(universe.members((each,))) == things), None)
        if kind is None or len(things) < FEWEST:
            continue
        terms = (*rest[: place - 1], VARIABLE, *rest[place - 1 :])
        found.append(
            (syntax.Forall((syntax.Typed(VARIABLE, (kind,)),), syntax.Atom(predicate, terms)), frozenset(group))
        )
    return found


# Pairs of text and PDDL: each problem described at several levels of abstraction, as JSON lines by split.


@dataclass(frozen=True, slots=True)
class DescriptionOptions:
    """The options of ``export --format descriptions``.

    Attributes:
        levels: Only this level: atoms, grouped or abstract; may be repeated.
    """

    levels: tuple[str, ...] = option((), flags=("--level",), metavar="LEVEL")


class DescriptionsExporter(Exporter[DescriptionOptions]):
    """Writes descriptions of the problems of accepted episodes of the benchmark ``pddl``."""

    name = "descriptions"
    accepts = ("pddl",)
    options = DescriptionOptions

    def check(self) -> None:
        """Check the options; see ``Exporter.check``."""
        for level in self.asked.levels:
            if level not in LEVELS:
                raise UsageError(f"there is no level {level!r}", hint=f"levels: {', '.join(LEVELS)}")

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the pairs; see ``Exporter.write``."""
        folder = export_folder(episodes, target, self.name)
        levels = tuple(dict.fromkeys(self.asked.levels)) or LEVELS
        lines: dict[str, list[bytes]] = {}
        rules: dict[str, str] = {}
        for episode in folder.take(self.follow(episodes)):
            stored, extras = read_problem(episode), dict(episode.extras)
            domain, words = stored.domain, stored.wordings
            told = rules.setdefault(extras[DOMAIN], rules_text(domain, words))
            for level in levels:
                row = {
                    "id": f"{domain.name}-{episode.index}-{level}",
                    "level": level,
                    "text": describe(domain, stored.problem, level, words),
                    "rules": told,
                    "domain": extras[DOMAIN],
                    "problem": extras[PROBLEM],
                }
                lines.setdefault(episode.split, []).append(json_line(row))
        for split, each in lines.items():
            folder.write(("data", f"{split}.jsonl"), b"".join(each))
        return folder.report()


# Problems that were written of descriptions marked.


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
        keys = ("id", "level", "domain", "problem")
        rows = [row for _, row in read_asked(Path(trial.dataset), "descriptions", dict.fromkeys(keys, str))]
        answers = read_answers(Path(trial.answers), "problem", str, "description", (row["id"] for row in rows))
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
