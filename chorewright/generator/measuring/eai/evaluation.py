"""Answers to the questions of the Embodied Agent Interface marked, and added up by kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from chorewright.domains.evaluation import holds
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.parser import parse_domain
from chorewright.domains.pddl.subformulas import atoms_with_signs, subeffects, subformulas
from chorewright.domains.pddl.writer import write_domain
from chorewright.errors import ChorewrightError, InputError, InputErrors, Location, UsageError
from chorewright.files.english import require_asked, say_count
from chorewright.files.json_source import load_json
from chorewright.files.text import readable
from chorewright.generator.measuring.eai import marks, questions
from chorewright.generator.measuring.eai.answers import Unreadable, read_definitions, read_goals, read_outputs
from chorewright.generator.measuring.eai.tasks import EaiTask, goal_literals, read_folder
from chorewright.generator.measuring.evaluation import Episodes, Evaluation, Summary, checksum, mean
from chorewright.generator.measuring.trial import EaiTrial
from chorewright.generator.training.exporter import ExportFolder
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import PlanWorld, validate

# Marks of transition modelling: definitions compared literal by literal, and tried by planning with them.


EVALUATIONS = 20_000

Part: TypeAlias = tuple[str, ...]
"""A literal of an action: the action, precondition or effect, its sign, predicate and arguments by position."""


def mark_transitions(task: EaiTask, text: str) -> marks.Mark:
    """Mark definitions of actions.

    They are correct if a plan made with them is valid by the task's own domain. The counts compare literals of
    preconditions and effects with the domain's.
    """
    names = questions.used_actions(task)
    wanted = [part for each in task.domain.actions if each.name in names for part in parts_of(each)]
    try:
        answered = _answer(task, text)
    except Unreadable as error:
        return marks.mark_failure(marks.PARSING, error.message, marks.LiteralCounts(0, 0, len(set(wanted))))
    except InputErrors as error:
        message = str(error).splitlines()[0]
        unknown = re.search(r"unknown|no (predicate|action|type)|not declared", message) is not None
        return marks.mark_failure(
            marks.HALLUCINATION if unknown else marks.PARSING, message, marks.LiteralCounts(0, 0, len(set(wanted)))
        )
    own = {each.name: each for each in answered.actions}
    counts = marks.LiteralCounts.of([part for name in names if name in own for part in parts_of(own[name])], wanted)
    missing = [name for name in names if name not in own]
    if missing:
        return marks.mark_failure(marks.PARSING, f"{', '.join(missing)} not defined", counts)
    mixed = tuple(own.get(each.name, each) if each.name in names else each for each in task.domain.actions)
    try:
        found = solve(replace(task.domain, actions=mixed), task.problem, Limits(evaluations=EVALUATIONS))
    except ChorewrightError as error:
        return marks.mark_failure(marks.GOAL, error.message, counts)
    if not isinstance(found, Plan):
        return marks.mark_failure(marks.GOAL, "with these definitions the planner finds no plan", counts)
    verdict = validate(task.domain, task.problem, found.actions)
    if verdict.valid:
        return marks.Mark(True, True, counts=counts)
    return marks.mark_failure(marks.GOAL, f"the plan made with these definitions fails: {verdict.message}", counts)


def _answer(task: EaiTask, text: str) -> syntax.Domain:
    """The domain with nothing but the answered actions."""
    definitions = read_definitions(text)
    frame = write_domain(replace(task.domain, actions=())).rstrip().removesuffix(")")
    found = parse_domain(f"{frame}\n{definitions}\n)", "the answer")
    heads = {each.name: len(each.parameters) for each in task.domain.actions}
    for each in found.actions:
        if each.name not in heads:
            raise Unreadable(f"nobody asked for an action {each.name!r}")
        if len(each.parameters) != heads[each.name]:
            raise Unreadable(f"{each.name} has {heads[each.name]} parameters, not {len(each.parameters)}")
    return found


def parts_of(action: syntax.Action) -> tuple[Part, ...]:
    """Return the literals of an action's precondition and effect; variables are numbered in their order."""
    numbers = {each.name: f"?{place}" for place, each in enumerate(action.parameters)}
    for part in subformulas(action.precondition):
        _count(part, numbers)
    needs = atoms_with_signs(action.precondition)
    found = [_part(action.name, "precondition", atom, sign, numbers) for atom, sign in needs]
    found += [_part(action.name, kind, atom, sign, numbers) for kind, atom, sign in _effects(action.effect, numbers)]
    return tuple(dict.fromkeys(found))


def _part(name: str, kind: str, atom: syntax.Atom, sign: bool, numbers: dict[str, str]) -> Part:
    terms = (numbers.get(each, each) for each in atom.terms)
    return (name, kind, "+" if sign else "-", atom.predicate, *terms)


def _count(formula: syntax.Formula, numbers: dict[str, str]) -> None:
    """Number the variables that a quantifier binds."""
    if isinstance(formula, syntax.Exists | syntax.Forall | syntax.AtLeast):
        for each in formula.variables:
            numbers.setdefault(each.name, f"?{len(numbers)}")


def _effects(effect: syntax.Effect, numbers: dict[str, str]) -> Iterator[tuple[str, syntax.Atom, bool]]:
    for part in subeffects(effect):
        match part:
            case syntax.ForallEffect(variables):
                for variable in variables:
                    numbers.setdefault(variable.name, f"?{len(numbers)}")
            case syntax.WhenEffect(condition):
                for inner in subformulas(condition):
                    _count(inner, numbers)
                yield from (("condition", atom, sign) for atom, sign in atoms_with_signs(condition))
            case syntax.AddEffect(atom):
                yield "effect", atom, True
            case syntax.DeleteEffect(atom):
                yield "effect", atom, False
            case _:
                pass


MOST_BYTES = 500_000_000

COUNTED = (questions.GOALS, questions.TRANSITIONS)
"""Kinds whose literals are compared."""

UNANSWERED = marks.Mark(False, False)


@dataclass(frozen=True, slots=True)
class EaiScore:
    """The mark of one question; a question without an answer has none."""

    kind: str
    task: str
    answered: bool
    mark: marks.Mark


@dataclass(frozen=True, slots=True)
class QuestionsWritten:
    """How many questions of a kind were written, and how many files changed."""

    kind: str
    questions: int
    files_changed: int


class EaiEvaluation(Evaluation[EaiTrial, "EaiScore | QuestionsWritten"]):
    """Mark answers of a language model: what share is right, F1 of goals and transitions, and the kinds of errors."""

    options = EaiTrial

    def open(self, trial: EaiTrial) -> Episodes[EaiScore | QuestionsWritten]:
        """Return the questions about the tasks of a folder, to be marked or to be written."""
        questions.check_kinds(trial.kind)
        if bool(trial.questions) == bool(trial.answers):
            raise UsageError("give either --answers or --questions")
        files = [readable(Path(each)) for each in trial.answers]
        kinds = trial.kind or tuple(map(_kind_of, files)) or questions.KINDS
        if files and len(kinds) != len(files):
            raise UsageError(f"{say_count(len(files), 'file')} of answers, but {say_count(len(kinds), 'kind')}")
        folder = read_folder(Path(trial.dataset))
        notes = tuple(f"left out: {name}: {reason}" for name, reason in folder.left_out)
        if trial.questions:
            return _writing(Path(trial.questions), kinds, folder.tasks, notes)
        read = list(map(_read, files))
        known = dict.fromkeys([*(each.name for each in folder.tasks), *(name for name, _ in folder.left_out)])
        require_asked(dict.fromkeys(name for answers in read for name in answers), known, "task")
        jobs = [(kind, task, given) for kind, given in zip(kinds, read, strict=True) for task in folder.tasks]
        content = partial(checksum, [(kind, task, given.get(task.name)) for kind, task, given in jobs])
        return Episodes(EaiScore, len(jobs), content, lambda index: mark(*jobs[index]), chunk=100, notes=notes)

    def summary(self, trial: EaiTrial, every: Sequence[EaiScore | QuestionsWritten], columns: int) -> Summary:
        """Return the figures of each kind."""
        written = [each for each in every if isinstance(each, QuestionsWritten)]
        if written:
            count, changed = written[0].questions, sum(each.files_changed for each in written)
            told = {"folder": trial.questions, "questions": count, "files_changed": changed}
            return Summary(told, (f"{say_count(count, 'question')} of each kind in {trial.questions}",))
        scores = [each for each in every if isinstance(each, EaiScore)]
        values: dict[str, dict[str, object]] = {}
        lines: list[str] = []
        for kind in dict.fromkeys(each.kind for each in scores):
            own = [each for each in scores if each.kind == kind]
            values[kind] = figures(own)
            lines += _lines(kind, values[kind])
            if trial.details:
                values[kind]["marks"] = {each.task: _details(each.mark) for each in own if each.answered}
        return Summary(values, lines)


def mark(kind: str, task: EaiTask, answers: Mapping[str, str]) -> EaiScore:
    """Mark the answer of one kind to a task, of answers by the tasks' names."""
    if task.name not in answers:
        return EaiScore(kind, task.name, False, UNANSWERED)
    return EaiScore(kind, task.name, True, MARKERS[kind](task, answers[task.name]))


def figures(scores: Sequence[EaiScore]) -> dict[str, object]:
    """Return what scores of one kind are worth: shares of all questions, F1 over all literals, errors by kind."""
    judged = [each.mark for each in scores]
    errors = Counter(each.error for each in judged if each.error)
    counts = sum((each.counts for each in judged), marks.NOTHING)
    values: dict[str, object] = {
        "questions": len(scores),
        "answered": sum(each.answered for each in scores),
        "correct": mean(each.correct for each in judged),
        "executable": mean(each.executable for each in judged),
        "errors": {error: errors[error] for error in marks.ERRORS if errors[error]},
        "additional_steps": sum(each.additional for each in judged),
    }
    if scores and scores[0].kind in COUNTED:
        values["precision"] = counts.right / counts.answered if counts.answered else 0.0
        values["recall"] = counts.right / counts.wanted if counts.wanted else 0.0
        values["f1"] = counts.f1
    return values


def mark_goals(task: EaiTask, text: str) -> marks.Mark:
    """Mark a goal that a model read in a sentence.

    It is correct if the goal holds in the start state after the answered literals are made true there; so any way to
    fill the goal does. The counts compare it with the literals that the task's plan brings about.
    """
    wanted = goal_literals(task)
    try:
        answered = read_goals(text)
    except Unreadable as error:
        return marks.mark_failure(marks.PARSING, error.message, marks.LiteralCounts(0, 0, len(wanted)))
    counts = marks.LiteralCounts.of(answered, wanted)
    world = PlanWorld.of(task.domain, task.problem)
    for each in answered:
        found = marks.find_misnamed(task.domain, world.universe, each.atom[0], each.atom[1:], False)
        if found is not None:
            return marks.mark_failure(*found, counts)
    made = frozenset(each.atom for each in answered if each.positive)
    unmade = frozenset(each.atom for each in answered if not each.positive)
    state = (world.closed((world.initial() - unmade) | made) | made) - unmade
    if holds(task.problem.goal, state, world.universe):
        return marks.Mark(True, True, counts=counts)
    return marks.mark_failure(marks.GOAL, "the goal does not follow from the answer", counts)


MARKERS: Mapping[str, Callable[[EaiTask, str], marks.Mark]] = {
    questions.GOALS: mark_goals,
    questions.SUBGOALS: marks.mark_subgoals,
    questions.ACTIONS: marks.mark_actions,
    questions.TRANSITIONS: mark_transitions,
}


def _writing(
    target: Path, kinds: Sequence[str], tasks: Sequence[EaiTask], notes: tuple[str, ...]
) -> Episodes[QuestionsWritten]:
    """Return what writes the questions of each kind, and their answers, into a folder."""
    folder = ExportFolder(target, "eai-questions")

    def write(index: int) -> QuestionsWritten:
        changed = questions.write_questions(
            folder, kinds[index], [questions.question(each, kinds[index]) for each in tasks]
        )
        folder.seal()
        return QuestionsWritten(kinds[index], len(tasks), changed)

    return Episodes(QuestionsWritten, len(kinds), str, write, notes=notes)


def _kind_of(path: Path) -> str:
    """Return the kind that a file's name begins with."""
    kind = next((kind for kind in questions.KINDS if path.name.startswith(kind)), None)
    if kind is None:
        raise UsageError(f"what does {path.name} answer?", hint=f"name it with --kind: {', '.join(questions.KINDS)}")
    return kind


def _read(path: Path) -> Mapping[str, str]:
    try:
        return read_outputs(load_json(path, MOST_BYTES).value)
    except Unreadable as error:
        hint = 'a list of {"identifier": ..., "llm_output": ...} is expected'
        raise InputError(error.message, location=Location(str(path)), hint=hint) from error


def _details(mark: marks.Mark) -> dict[str, object]:
    every = asdict(mark)
    return {name: every[name] for name in ("correct", "executable", "error", "message")}


def _lines(kind: str, values: Mapping[str, object]) -> list[str]:
    def percent(name: str) -> str:
        return f"{100 * float(str(values[name])):.1f}"

    lines = [
        f"{kind}: {say_count(int(str(values['questions'])), 'question')}, {values['answered']} answered",
        f"  correct {percent('correct')} %",
    ]
    if values["executable"] != values["correct"]:
        lines.append(f"  carried out to the end {percent('executable')} %")
    if "f1" in values:
        lines.append("  " + ", ".join(f"{name} {percent(name)}" for name in ("f1", "precision", "recall")))
    errors = values["errors"]
    if isinstance(errors, dict) and errors:
        lines.append("  errors: " + ", ".join(f"{error} {count}" for error, count in errors.items()))
    return lines
