"""The four kinds of questions about a task, the answers that are right, and their export as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chorewright.domains.pddl.syntax import Domain, GroundAtom, Typed
from chorewright.domains.pddl.writer import write_domain, write_formula, write_problem, write_types
from chorewright.errors import InputError
from chorewright.files.english import require_known
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option
from chorewright.generator.measuring.eai import tasks
from chorewright.generator.measuring.eai.marks import mark_subgoals
from chorewright.generator.training.exporter import Exported, Exporter, ExportFolder, export_folder

GOALS, SUBGOALS, ACTIONS, TRANSITIONS = (
    *("goal_interpretation", "subgoal_decomposition", "action_sequencing", "transition_modeling"),
)
KINDS = (GOALS, SUBGOALS, ACTIONS, TRANSITIONS)
"""The kinds of questions, by the interface's names."""


def check_kinds(kinds: Iterable[str]) -> None:
    """Raise if there is no such kind of questions.

    Raises:
        UsageError: There is none.
    """
    for each in kinds:
        require_known(each, KINDS, f"there are no questions of the kind {each!r}", f"kinds: {', '.join(KINDS)}")


@dataclass(frozen=True, slots=True)
class EaiQuestion:
    """A question.

    Attributes:
        identifier: The task's name.
        kind: One of ``KINDS``.
        prompt: What a model is asked.
        answer: An answer that is right, as a model would write it.
    """

    identifier: str
    kind: str
    prompt: str
    answer: str


def question(task: tasks.EaiTask, kind: str) -> EaiQuestion:
    """Return a question about a task."""
    prompt, answer = _MAKERS[kind](task)
    return EaiQuestion(task.name, kind, prompt, answer)


def goal_answer(literals: Iterable[tasks.GoalLiteral]) -> dict[str, list[object]]:
    """Return literals as the interface writes goals: states of things, then relations between them."""
    nodes: list[object] = []
    edges: list[object] = []
    for each in literals:
        predicate, *terms = each.atom
        relation = predicate if each.positive else f"not {predicate}"
        if len(terms) == 1:
            nodes.append({"name": terms[0], "state": relation})
        elif len(terms) == 2:
            edges.append({"from_name": terms[0], "relation": relation, "to_name": terms[1]})
        else:
            edges.append([relation, *terms])
    return {"node goals": nodes, "edge goals": edges}


def used_actions(task: tasks.EaiTask) -> tuple[str, ...]:
    """Return the actions of a task's plan, by the domain's order."""
    names = {each.name for each in task.plan}
    return tuple(each.name for each in task.domain.actions if each.name in names)


def action_texts(domain: Domain, names: Iterable[str]) -> str:
    """Return actions of a domain as PDDL."""
    wanted = set(names)
    text = write_domain(replace(domain, actions=tuple(each for each in domain.actions if each.name in wanted)))
    return "(:action" + text.split("(:action", 1)[1].rstrip().removesuffix(")").rstrip()


def _goals(task: tasks.EaiTask) -> tuple[str, str]:
    prompt = f"""Say in symbols what a sentence asks of a robot.

Objects: {_objects(task)}

Predicates:
{_predicates(task.domain)}

State at the start:
{_state(tasks.states(task)[0])}

Sentence: {task.sentence}

Answer with one JSON object: {{"node goals": [{{"name": OBJECT, "state": PREDICATE}}, ...],
"edge goals": [{{"from_name": OBJECT, "relation": PREDICATE, "to_name": OBJECT}}, ...]}}. Predicates of one object are
states, those of two are relations; write "not PREDICATE" for what must not hold. A goal over three objects or more is a
list: [PREDICATE, OBJECT, OBJECT, OBJECT].
"""
    return prompt, json.dumps(goal_answer(tasks.goal_literals(task)))


def _actions(task: tasks.EaiTask) -> tuple[str, str]:
    prompt = f"""Tell a robot what to do, step by step.

Objects: {_objects(task)}

Actions:
{action_texts(task.domain, (each.name for each in task.domain.actions))}

State at the start:
{_state(tasks.states(task)[0])}

Goal:
{write_formula(task.problem.goal)}

Answer with one JSON list of actions in their order: [{{"action": ACTION, "object": "OBJECT, OBJECT"}}, ...]. The
objects are those of the action's parameters, in their order.
"""
    answer = [{"action": each.name, "object": ", ".join(each.arguments)} for each in task.plan]
    return prompt, json.dumps(answer)


def _subgoals(task: tasks.EaiTask) -> tuple[str, str]:
    prompt = f"""Divide a robot's task into subgoals.

Objects: {_objects(task)}

Predicates:
{_predicates(task.domain)}

Actions: {", ".join(f"{each.name}({', '.join(p.name for p in each.parameters)})" for each in task.domain.actions)}

State at the start:
{_state(tasks.states(task)[0])}

Goal:
{write_formula(task.problem.goal)}

Answer with one JSON object: {{"output": [SUBGOAL, ...]}}. Subgoals are reached one after the other. Each is a text:
conditions PREDICATE(OBJECT, ...) joined by "and" and "or", with "not" before what must not hold and parentheses where
needed; or one action ACTION(OBJECT, ...). All of the goal holds after the last one.
"""
    answer = json.dumps({"output": subgoal_lines(task)})
    if not mark_subgoals(task, answer).correct:
        # On the planner's way to one of them something is lost for good: then the plan itself is the answer.
        answer = json.dumps({"output": [f"{each.name}({', '.join(each.arguments)})" for each in task.plan]})
    return prompt, answer


def subgoal_lines(task: tasks.EaiTask) -> list[str]:
    """Return the literals of a task's goal in the order in which its plan settles them, each line with those before."""
    wanted, run = tasks.goal_literals(task), tasks.states(task)
    settled: dict[int, list[tasks.GoalLiteral]] = {}
    for each in wanted:
        place = len(run) - 1
        while place and (each.atom in run[place - 1]) == each.positive:
            place -= 1
        settled.setdefault(place, []).append(each)
    lines, so_far = [], list[tasks.GoalLiteral]()
    for place in sorted(settled):
        so_far += settled[place]
        lines.append(" and ".join(map(str, so_far)))
    return lines


def _transitions(task: tasks.EaiTask) -> tuple[str, str]:
    names = used_actions(task)
    heads = [
        f"{each.name}: ({' '.join(f'{p.name} - {write_types(p.types)}' for p in each.parameters)})"
        for each in task.domain.actions
        if each.name in names
    ]
    prompt = f"""Say in PDDL what actions need and change.

Predicates:
{_predicates(task.domain)}

Derived predicates, which no action changes: {", ".join(each.head.name for each in task.domain.axioms) or "none"}

A problem that these actions solve:
{write_problem(task.problem)}

Actions with their parameters:
{chr(10).join(heads)}

Answer with the definition of each of these actions: (:action NAME :parameters (...) :precondition ... :effect ...).
"""
    return prompt, action_texts(task.domain, names)


_MAKERS: Mapping[str, Callable[[tasks.EaiTask], tuple[str, str]]] = {
    GOALS: _goals,
    SUBGOALS: _subgoals,
    ACTIONS: _actions,
    TRANSITIONS: _transitions,
}


def _objects(task: tasks.EaiTask) -> str:
    every = (*task.domain.constants, *task.problem.objects)
    return ", ".join(f"{each.name} ({write_types(each.types)})" for each in every)


def _predicates(domain: Domain) -> str:
    return "\n".join(
        f"({' '.join((each.name, *(f'{p.name} - {write_types(p.types)}' for p in each.parameters)))})"
        for each in domain.predicates
    )


def _state(atoms: Iterable[GroundAtom]) -> str:
    return "\n".join(f"({' '.join(each)})" for each in sorted(atoms))


# Episodes as the Embodied Agent Interface has them: PDDL files, plans, and questions with right answers.
#
# A folder holds ``DOMAIN.pddl``, ``problem_pddl/NAME.pddl``, ``gold_pddl_plan.json``, ``sentences.json``, and for each
# kind of questions ``KIND_prompts.json`` (``identifier``, ``llm_prompt``) and ``KIND_gold.json`` (``identifier``,
# ``llm_output``).


@dataclass(frozen=True, slots=True)
class EaiOptions:
    """The options of ``export --format eai``."""

    kinds: tuple[str, ...] = option(
        (), f"Only these questions: {', '.join(KINDS)}; may be repeated.", flags=("--kind",), metavar="KIND"
    )


class EaiExporter(Exporter[EaiOptions]):
    """Writes accepted episodes of any benchmark whose episodes are plans of planning problems."""

    name = "eai"
    options = EaiOptions

    def check(self) -> None:
        """Check the options; see ``Exporter.check``."""
        check_kinds(self.asked.kinds)

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the episodes; see ``Exporter.write``.

        Raises:
            InputError: The episodes hold no planning problems, or problems of different domains.
        """
        folder = export_folder(episodes, target, self.name)
        domain: Domain | None = None
        plans: dict[str, list[str]] = {}
        sentences: dict[str, str] = {}
        rows: dict[str, list[EaiQuestion]] = {kind: [] for kind in self.asked.kinds or KINDS}
        changed = left_out = 0
        for episode in self.follow(episodes):
            task = tasks.task_of(episode) if episode.outcome.accepted else None
            if task is None:
                left_out += 1
                continue
            domain = task.domain if domain is None else merge(domain, task.domain)
            plans[task.name] = [" ".join((each.name, *each.arguments)) for each in task.plan]
            sentences[task.name] = task.sentence
            changed += folder.write((tasks.PROBLEMS, f"{task.name}.pddl"), write_problem(task.problem).encode())
            for kind, found in rows.items():
                found.append(question(task, kind))
        if domain is not None:
            changed += folder.write((f"{domain.name}.pddl",), write_domain(domain).encode())
        changed += folder.write_json((tasks.PLANS,), plans) + folder.write_json((tasks.SENTENCES,), sentences)
        changed += sum(write_questions(folder, kind, found) for kind, found in rows.items())
        return Exported(len(plans), left_out, changed)


def write_questions(folder: ExportFolder, kind: str, every: Sequence[EaiQuestion]) -> int:
    """Write the questions of a kind and their right answers; return how many files have changed."""
    prompts = [{"identifier": each.identifier, "llm_prompt": each.prompt} for each in every]
    answers = [{"identifier": each.identifier, "llm_output": each.answer} for each in every]
    files = {f"{kind}_prompts.json": prompts, f"{kind}_gold.json": answers}
    return sum(folder.write_json((name,), rows) for name, rows in files.items())


def merge(domain: Domain, other: Domain) -> Domain:
    """Return a domain with the types of another one, which may be of other scenes.

    Raises:
        InputError: They differ in more than types.
    """
    if replace(domain, types=()) != replace(other, types=()):
        raise InputError(f"episodes of different domains: {domain.name} and {other.name}")
    types: dict[str, Typed] = {each.name: each for each in (*domain.types, *other.types)}
    return replace(domain, types=tuple(types.values()))
