"""Goals that are quick to plan for, because the objects are chosen beforehand.

A goal of ``compile_goal`` leaves open which loaf, plate or mug is taken. Here objects are chosen for each
component, those that lack least first, and the goal says what must hold of exactly these. Dishes share nothing as
long as there are enough objects. Every such goal implies the task's own goal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Facts, Universe
from chorewright.domains.pddl.subformulas import conjuncts
from chorewright.domains.pddl.syntax import And, Atom, Formula, Not, Or, Problem
from chorewright.domains.rewriting import conjunction, substitute
from chorewright.domains.teach import definition
from chorewright.domains.teach.compiler import anchor, compile_goal, describe, properties
from chorewright.domains.vocabulary import Vocabulary

MOST_CHOICES = 3
"""Choices of objects that are offered before the task's own goal."""

BURIED, SHUT, FULL, UNREACHED, HOPELESS = 1, 2, 3, 50, 1000
"""What speaks against an object: it lies in an item, behind a door, holds things, is unreached, is spoilt."""


def yield_goals(
    task: definition.TeachTask,
    vocabulary: Vocabulary,
    universe: Universe,
    problem: Problem,
    instances: int = 1,
    *,
    strict: bool = False,
) -> Iterator[Formula]:
    """Yield goals that imply a task's own, the quickest to plan for first; the task's own goal comes last.

    With ``strict``, no object serves two dishes or parts of one; the task's own goal is not among them then.

    Args:
        task: The task, its parameters filled in.
        vocabulary: Which kinds are of a class.
        universe: The problem's objects.
        problem: The problem; what holds at its start decides which objects are chosen.
        instances: How many of the task are wanted.
    """
    offered: list[Formula] = []
    for shift in range(MOST_CHOICES):
        for sharing in (False,) if strict else (False, True):
            goal = _Choice(vocabulary, universe, problem, shift, sharing).goal(task, instances)
            if goal is not None:
                if goal not in offered:
                    offered.append(goal)
                    yield goal
                break
    if not strict:
        yield compile_goal(task, vocabulary, instances)


def stages(goal: Formula, problem: Problem) -> tuple[tuple[Formula, bool], ...]:
    """Cut a goal of ``yield_goals`` into stages, one for each object.

    Receptacles come before what is to lie in them; otherwise the order is the goal's, and what is about no object
    (how the room is left) comes last. Before the first slice
    of what lies in a fridge or pan comes a stage that brings it where a tidy cook slices; its condition need
    not hold for good (the second of each pair tells).
    """
    wanted: dict[str, list[Formula]] = {}
    places: dict[str, str] = {}
    for part in conjuncts(goal):
        name, place = _subject(part)
        wanted.setdefault(name, []).append(part)
        if place:
            places[name] = place
    names = sorted(wanted, key=lambda name: (not name, _depth(name, places)))
    found: list[tuple[Formula, bool]] = []
    for name in names:
        found += [(part, False) for part in _laid_open(name, problem) if (part, False) not in found]
        found.append((conjunction(wanted[name]), True))
    return tuple(found)


def _laid_open(name: str, problem: Problem) -> Iterator[Formula]:
    """Yield the formula that the whole of a piece lies openly on furniture, unless it does at the start."""
    init = frozenset(problem.init)
    wholes = [atom[2] for atom in problem.init if atom[:2] == ("piece-of", name)]
    for whole in wholes if ("tidy",) in init and ("present", name) not in init else ():
        fitting = [atom[2] for atom in problem.init if atom[:2] == ("fits", whole)]
        fitting = [each for each in fitting if ("furniture", each) in init and ("openable", each) not in init]
        here = [atom[2] for atom in problem.init if atom[:2] == ("in", whole)]
        if fitting and here and here[0] not in fitting:
            yield Or(tuple(Atom("in", (whole, place)) for place in fitting))


def _subject(part: Formula) -> tuple[str, str]:
    """Return the object that a condition is about, and the one it is to lie in, if that is wanted."""
    if isinstance(part, Not):
        return _subject(part.operand)
    if isinstance(part, Or) and part.operands:
        return _subject(part.operands[0])[0], ""
    if isinstance(part, Atom):
        return part.terms[0] if part.terms else "", part.terms[1] if part.predicate == "in" else ""
    return "", ""


def _depth(name: str, places: Mapping[str, str]) -> int:
    """Return how many objects lie around an object when all is in place."""
    depth = 0
    while name in places and depth < len(places):
        name, depth = places[name], depth + 1
    return depth


class _NotEnough(Exception):
    """There are too few objects for the components of a task."""


@dataclass
class _Choice:
    """One choice of objects for a task's components.

    Attributes:
        shift: Which of the receptacles that would do is taken (0: the best).
        sharing: Objects may serve several dishes.
    """

    vocabulary: Vocabulary
    universe: Universe
    problem: Problem
    shift: int
    sharing: bool
    facts: Facts = field(init=False)
    inside: dict[str, str] = field(init=False)
    wholes: dict[str, str] = field(init=False)
    near: frozenset[str] = field(init=False)
    used: set[str] = field(default_factory=set)
    cut: set[str] = field(default_factory=set)
    parts: list[Formula] = field(default_factory=list)

    def __post_init__(self) -> None:
        init = self.problem.init
        self.facts = Facts(frozenset(init))
        self.inside = {atom[1]: atom[2] for atom in init if atom[0] == "in"}
        self.wholes = {atom[1]: atom[2] for atom in init if atom[0] == "piece-of"}
        self.near = frozenset(atom[1] for atom in init if atom[0] == "near")

    def goal(self, task: definition.TeachTask, instances: int) -> Formula | None:
        """Return the goal; None if there are not enough objects."""
        try:
            self._task(task, instances)
        except _NotEnough:
            return None
        return And(tuple(dict.fromkeys(part for each in self.parts for part in conjuncts(each))))

    def _task(self, task: definition.TeachTask, instances: int) -> list[str]:
        """Choose objects for a task; return those of its anchor."""
        chosen: dict[str, list[str]] = {}
        tails = frozenset(relation.tail for relation in task.relations)
        for part in sorted(task.parts_needed, key=lambda part: part.key in tails):
            number = part.number(instances)
            if isinstance(part, definition.TaskComponent):
                chosen[part.key] = self._task(part.task, number)
            elif part.determiner == "all":
                chosen[part.key] = self._all(part)
            else:
                to = [relation for relation in task.relations if relation.tail == part.key]
                carried = [name for relation in to for key, _ in relation.heads for name in chosen.get(key, [])]
                together = any(relation.tail_determiner == "the" for relation in to) and len(carried) > number
                chosen[part.key] = self._some(part, number, carried, together)
        for relation in task.relations:
            self._relation(task, relation, chosen, instances)
        return chosen.get(task.anchor, []) if task.anchor is not None else []

    def _all(self, part: definition.AtomicComponent) -> list[str]:
        """Ask of every object there is what the component wants; a piece to be is none yet."""
        concerned = describe(part, self.vocabulary, primary_only=True)
        wanted = describe(part, self.vocabulary)
        allowed = frozenset(self.universe.members(wanted.types))
        found = []
        for name in self.universe.members(concerned.types):
            if not self._holds(concerned.formula, name):
                continue
            if name not in allowed:
                raise _NotEnough
            found.append(name)
            self._want(wanted.formula, name)
        return found

    def _some(self, part: definition.AtomicComponent, number: int, carried: Sequence[str], together: bool) -> list[str]:
        """Choose objects; ``together``: one of them is to hold more than one of what is carried to them."""
        things = describe(part, self.vocabulary)
        spoilt = tuple(
            predicate
            for prop, value in part.conditions
            if value and prop in properties()
            for predicate in properties()[prop].before
        )
        names = [name for name in self.universe.members(things.types) if self._can_be(things.formula, name)]
        if not part.shareable and not self.sharing:
            names = [name for name in names if name not in self.used and not self._spent(name)]
        scored = [(self._score(name, things.formula, spoilt, carried), k, name) for k, name in enumerate(names)]
        ranked = [name for score, _, name in sorted(scored) if score < HOPELESS]
        ranked = [name for name in ranked if not (together and self._true("single", name))]
        if part.shareable and carried and self.shift:
            ranked = ranked[self.shift :] + ranked[: self.shift]
        if len(ranked) < number:
            raise _NotEnough
        for name in ranked[:number]:
            self.used.add(name)
            if not self._true("present", name) and name in self.wholes:
                self.cut.add(self.wholes[name])
            self._want(things.formula, name)
        return ranked[:number]

    def _spent(self, name: str) -> bool:
        """Whether an object is to be cut, or is a piece of one that stays whole."""
        return name in self.cut or (not self._true("present", name) and self.wholes.get(name) in self.used)

    def _score(self, name: str, formula: Formula, spoilt: Sequence[str], carried: Sequence[str]) -> int:
        """Return how much speaks against taking an object."""
        whole = self.wholes.get(name, name) if not self._true("present", name) else name
        score = sum(3 for part in conjuncts(formula) if not self._holds(part, name))
        if any(self._true(word, whole) for word in spoilt) and not self._holds(formula, name):
            return HOPELESS
        if whole != name:
            # Pieces of a loaf that is cut anyway come before another loaf.
            score += 0 if whole in self.cut else 2
        place = self.inside.get(whole)
        if place is not None:
            score += BURIED if not self._true("furniture", place) else 0
        score += SHUT if not self._true("exposed", whole) else 0
        score += UNREACHED if whole not in self.near and not self._true("holding", whole) else 0
        score += FULL if not self._true("furniture", whole) and whole in self.inside.values() else 0
        score += sum(4 for item in carried if not self._true("fits", item, name))
        score -= sum(1 for item in carried if self.inside.get(item) == name)
        return score + (2 if carried and self._true("occupied", name) else 0)

    def _relation(
        self,
        task: definition.TeachTask,
        relation: definition.TaskRelation,
        chosen: Mapping[str, list[str]],
        instances: int,
    ) -> None:
        tails = chosen[relation.tail]
        if not tails:
            raise _NotEnough
        for key, determiner in relation.heads_needed:
            heads = chosen[key]
            if determiner == "all":
                for head in heads:
                    self._place(task, relation, head, tails[0])
                continue
            size = definition.count(determiner)
            if len(heads) < instances * size or (relation.tail_determiner == "the" and len(tails) < instances):
                raise _NotEnough
            for place, head in enumerate(heads[: instances * size]):
                self._place(task, relation, head, tails[min(place // size, len(tails) - 1)])

    def _place(self, task: definition.TeachTask, relation: definition.TaskRelation, head: str, tail: str) -> None:
        """Want an object in a receptacle: a certain one for ``the``, else any of the component's."""
        if relation.tail_determiner == "the":
            self.parts.append(self._lies(head, tail))
            return
        tails = anchor(task, relation.tail, self.vocabulary)
        if not all(map(self._static, conjuncts(tails.formula))):
            self.parts.append(self._lies(head, tail))
            return
        places = [
            name
            for name in self.universe.members(tails.types)
            if name != head and self._holds(tails.formula, name) and self._true("fits", head, name)
        ]
        lying = [place for place in places if self._encloses(place, head)]
        if lying:
            self.parts.append(self._lies(head, lying[0]))
        else:
            self.parts.append(Or(tuple(Atom("in", (head, place)) for place in places or [tail])))

    def _lies(self, head: str, tail: str) -> Formula:
        """Return the formula that an object lies in a receptacle, through the things that already hold it."""
        chain = [head]
        while self.inside.get(chain[-1]) is not None and chain[-1] != tail and len(chain) < 4:
            chain.append(self.inside[chain[-1]])
        if chain[-1] != tail or len(chain) < 3:
            return Atom("in", (head, tail))
        return conjunction(Atom("in", pair) for pair in pairwise(chain))

    def _encloses(self, place: str, name: str) -> bool:
        for _ in range(4):
            found = self.inside.get(name)
            if found is None:
                return False
            if found == place:
                return True
            name = found
        return False

    def _can_be(self, formula: Formula, name: str) -> bool:
        """Whether an object might come to satisfy conditions: what never changes must hold."""
        return all(self._holds(part, name) or not self._static(part) for part in conjuncts(formula)) and (
            self._true("present", name) or name in self.wholes or not self._true("sliceable", name)
        )

    def _static(self, formula: Formula) -> bool:
        return isinstance(formula, Atom) and formula.predicate == "receptacle"

    def _want(self, formula: Formula, name: str) -> None:
        """Add what must hold of an object, but for what never changes."""
        for part in conjuncts(formula):
            if self._static(part) and self._holds(part, name):
                continue
            self.parts.append(substitute(part, {"?x": name}))

    def _holds(self, formula: Formula, name: str) -> bool:
        return holds(formula, self.facts, self.universe, {"?x": name})

    def _true(self, *atom: str) -> bool:
        return atom in self.facts.atoms
