"""The 34 tasks of CALVIN over symbolic states: when each can be done, and what it changes.

A task is one or more ground actions of a PDDL domain: ``tabletop``, the table as it is, or ``calvin-compatible``,
the published symbolic model with its faults. ``data/tabletop_tasks.json`` has the actions and categories of the
tasks. Predicates that no action needs (what has been done) are left out here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from chorewright.domains.evaluation import StateQuestion
from chorewright.domains.facts import Facts, Universe
from chorewright.domains.library import load_shipped_library
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import conjuncts
from chorewright.domains.pddl.writer import write_formula_line
from chorewright.domains.rewriting import predicates_mentioned_in, substitute
from chorewright.errors import UsageError
from chorewright.files.english import did_you_mean
from chorewright.problems.calvin.scenes import TabletopState

CORRECT = "tabletop"
COMPATIBLE = "calvin-compatible"
VARIANTS = (CORRECT, COMPATIBLE)
"""The domains: the table as it is, and the published symbolic model."""

NO_WAY = -1
SEVERAL_WAYS = -2

_SIDES = {"right": "slider_left", "left": "slider_right"}
"""The compartment that the door leaves open, by where it stands."""


@dataclass(frozen=True, slots=True)
class TabletopTask:
    """One of the 34 tasks.

    Attributes:
        name: CALVIN's name for it.
        category: A chain of the evaluation has at most one task of each category, 1 to 11.
        action: The action of the domain that does it.
        arguments: The action's first arguments; the others are open.
    """

    name: str
    category: int
    action: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TaskWay:
    """One way to do a task: a ground action with its preconditions and effects."""

    task: str
    action: str
    arguments: tuple[str, ...]
    precondition: syntax.Formula
    added: frozenset[syntax.GroundAtom]
    deleted: frozenset[syntax.GroundAtom]
    binding: Mapping[str, str] = field(compare=False, repr=False)
    question: StateQuestion = field(compare=False, repr=False)

    def __str__(self) -> str:
        return f"({' '.join((self.action, *self.arguments))})"


@lru_cache(maxsize=1)
def tasks() -> Mapping[str, TabletopTask]:
    """Return the 34 tasks by name, in CALVIN's order."""
    path = resources.files("chorewright.problems") / "data" / "tabletop_tasks.json"
    return {
        name: TabletopTask(name, entry["category"], entry["action"], tuple(entry["arguments"]))
        for name, entry in json.loads(path.read_text(encoding="utf-8")).items()
    }


def task(name: str) -> TabletopTask:
    """Return a task by name.

    Raises:
        UsageError: There is none of this name.
    """
    found = tasks().get(name)
    if found is None:
        hint = did_you_mean(name, tasks()) or "'chorewright tasks' lists them"
        raise UsageError(f"there is no tabletop task {name!r}", hint=hint)
    return found


def task_of(action: str, arguments: tuple[str, ...]) -> str:
    """Return the name of the task that a ground action of either domain does.

    Raises:
        UsageError: It does none.
    """
    for each in tasks().values():
        if each.action == action and arguments[: len(each.arguments)] == each.arguments:
            return each.name
    raise UsageError(f"({' '.join((action, *arguments))}) belongs to none of the tabletop tasks")


def atoms_of(state: TabletopState) -> syntax.State:
    """Return a symbolic state as the true atoms of either domain."""
    found: list[syntax.GroundAtom] = [("open", _SIDES[state.slider])]
    if not state.grasped:
        found.append(("hand-free",))
    if state.drawer == "open":
        found.append(("open", "drawer"))
    found.extend(("lit", light) for light in ("lightbulb", "led") if state.record()[light])
    below = [name for name, place in state.blocks.items() if place == "stacked_bottom"]
    for name, place in state.blocks.items():
        if place == "grasped":
            found.append(("grasped", name))
        elif place == "stacked_top":
            found.append(("on", name, below[0]))
        elif place != "stacked_bottom":
            found.append(("in", name, place))
    return frozenset(found)


def state_of_atoms(atoms: syntax.State) -> TabletopState:
    """Return the symbolic state of true atoms, without what has been done."""
    places: dict[str, str] = {}
    for atom in atoms:
        if atom[0] == "in":
            places[atom[1]] = atom[2]
        elif atom[0] == "grasped":
            places[atom[1]] = "grasped"
        elif atom[0] == "on":
            places[atom[1]], places[atom[2]] = "stacked_top", "stacked_bottom"
    [slider] = [side for side, opened in _SIDES.items() if ("open", opened) in atoms]
    return TabletopState(
        led=int(("lit", "led") in atoms),
        lightbulb=int(("lit", "lightbulb") in atoms),
        slider=slider,
        drawer="open" if ("open", "drawer") in atoms else "closed",
        red_block=places["red_block"],
        blue_block=places["blue_block"],
        pink_block=places["pink_block"],
        grasped=int(("hand-free",) not in atoms),
    )


def problem(
    state: TabletopState, goal: syntax.Formula, variant: str = CORRECT, name: str = "tabletop"
) -> syntax.Problem:
    """Return the planning problem of a goal from a state."""
    init = tuple(sorted(atoms_of(state)))
    return syntax.Problem(name=name, domain=variant, objects=(), init=init, values=(), goal=goal)


@cache
def task_model(variant: str = CORRECT) -> TaskModel:
    """Return the model of a variant.

    Raises:
        UsageError: There is no such variant.
    """
    if variant not in VARIANTS:
        raise UsageError(f"there is no variant {variant!r}", hint=f"variants are {', '.join(VARIANTS)}")
    return TaskModel(load_shipped_library().domain(variant))


class TaskModel:
    """The tasks over the states of one domain; successors are computed once and kept."""

    def __init__(self, domain: syntax.Domain, kept: Iterable[str] = ()) -> None:
        """Ground a domain; predicates that no action asks for are left out, but for those to be kept."""
        self.domain = domain
        self.universe = Universe.of(domain)
        asked = {*kept}
        asked |= {name for action in domain.actions for name in predicates_mentioned_in(action.precondition)}
        self.ways: dict[str, tuple[TaskWay, ...]] = dict.fromkeys(tasks(), ())
        for action in domain.actions:
            for way in _ground(action, self.universe, asked):
                self.ways[way.task] += (way,)
        self._successors: dict[syntax.State, tuple[syntax.State | int, ...]] = {}

    def applicable(self, name: str, state: syntax.State) -> tuple[TaskWay, ...]:
        """Return the ways in which a task can be done in a state."""
        facts = Facts(state)
        return tuple(way for way in self.ways[name] if way.question.holds(facts, self.universe, way.binding))

    def successors(self, state: syntax.State) -> tuple[syntax.State | int, ...]:
        """Return the state after each task, or ``NO_WAY`` or ``SEVERAL_WAYS`` to do it."""
        found = self._successors.get(state)
        if found is None:
            found = self._successors[state] = tuple(self._after(name, state) for name in self.ways)
        return found

    def _after(self, name: str, state: syntax.State) -> syntax.State | int:
        ways = self.applicable(name, state)
        if len(ways) != 1:
            return SEVERAL_WAYS if ways else NO_WAY
        return (state - ways[0].deleted) | ways[0].added

    def successor(self, name: str, state: syntax.State) -> syntax.State | None:
        """Return the state after a task, if there is exactly one way to do it.

        Raises:
            UsageError: There is no such task.
        """
        found = self.successors(state)[list(self.ways).index(task(name).name)]
        return None if isinstance(found, int) else found

    def unmet(self, name: str, state: syntax.State) -> str:
        """Return the unmet preconditions of a task in a state, in words; empty if there are none.

        It is said of the way that lacks least, and of those of the one whose conditions hold longest in
        their order: where a block is comes before what is in its way.
        """
        facts = Facts(state)
        found: list[tuple[int, int, str]] = []
        for way in self.ways[name]:
            parts = conjuncts(substitute(way.precondition, way.binding))
            lacking = [
                number for number, part in enumerate(parts) if not StateQuestion(part).holds(facts, self.universe, {})
            ]
            if not lacking:
                return ""
            text = " and ".join(write_formula_line(parts[number]) for number in lacking)
            found.append((len(lacking), -lacking[0], f"{way} needs {text}"))
        return min(found, key=lambda each: each[:2])[2]


@dataclass(frozen=True, slots=True)
class TaskTransitions:
    """The reachable states, numbered, and the successor of each task.

    ``after[state, task]`` is the number of the state after a task, or ``NO_WAY`` or ``SEVERAL_WAYS``; the
    starts have the first numbers, in their order.
    """

    states: tuple[syntax.State, ...]
    after: npt.NDArray[np.int16]


def transitions(model: TaskModel, starts: Iterable[TabletopState]) -> TaskTransitions:
    """Return all states reachable from some states, in the order of discovery."""
    numbers = {state: number for number, state in enumerate(dict.fromkeys(map(atoms_of, starts)))}
    waiting = list(numbers)
    rows: list[list[int]] = []
    for state in waiting:  # grows while it is gone through
        row = []
        for found in model.successors(state):
            if isinstance(found, int):
                row.append(found)
                continue
            if found not in numbers:
                numbers[found] = len(numbers)
                waiting.append(found)
            row.append(numbers[found])
        rows.append(row)
    return TaskTransitions(tuple(waiting), np.array(rows, np.int16))


def _ground(action: syntax.Action, universe: Universe, asked: set[str]) -> Iterator[TaskWay]:
    """Yield the ground actions of an action; what no action asks for is left out of their effects."""
    question = StateQuestion(action.precondition)
    effects = [each for each in _literals(action.effect) if each.atom.predicate in asked]
    for binding in universe.bindings(action.parameters):
        arguments = tuple(binding.values())
        atoms = [(isinstance(each, syntax.AddEffect), _ground_atom(each, binding)) for each in effects]
        yield TaskWay(
            task=task_of(action.name, arguments),
            action=action.name,
            arguments=arguments,
            precondition=action.precondition,
            added=frozenset(atom for adds, atom in atoms if adds),
            deleted=frozenset(atom for adds, atom in atoms if not adds),
            binding=binding,
            question=question,
        )


def _literals(effect: syntax.Effect) -> Iterator[syntax.AddEffect | syntax.DeleteEffect]:
    match effect:
        case syntax.AndEffect(effects):
            for each in effects:
                yield from _literals(each)
        case syntax.AddEffect() | syntax.DeleteEffect():
            yield effect
        case _:
            raise AssertionError("the tabletop domains have plain effects only")


def _ground_atom(effect: syntax.AddEffect | syntax.DeleteEffect, binding: Mapping[str, str]) -> syntax.GroundAtom:
    atom = effect.atom
    return (atom.predicate, *(binding.get(term, term) for term in atom.terms))
