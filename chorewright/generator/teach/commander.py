"""A Commander that plans: it looks up what the task may need, makes a plan, and says it visit by visit.

It knows what its progress check and object search have shown it, and where the Follower stands. When an order
fails it remembers what was tried from where, looks again, and plans anew without that, or with it if there is
no other way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from chorewright.domains.library import household_vocabulary
from chorewright.domains.pddl.syntax import Formula, GroundAtom
from chorewright.domains.teach.compiler import compile_goal, describe
from chorewright.domains.teach.definition import AtomicComponent, TeachTask
from chorewright.domains.teach.world import type_of_id
from chorewright.files.records import reader_of
from chorewright.generator.teach.compiling import TeachProblem, compile_in, plan_task
from chorewright.generator.teach.tatc import CommanderView, Look
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.scene import Pose, Scene, SceneObject
from chorewright.replay.teach.lowering import interaction_of
from chorewright.rsa.words.guesses import household_lexicon

# Orders in words: what the planning Commander says and the Follower understands.


WALK = "walk"


@dataclass(frozen=True, slots=True)
class OrderWords:
    """The data of orders; see the data file for what each entry is."""

    orders: Mapping[str, str]
    headings: Sequence[str]
    hello: str
    done: str
    lost: str
    failed: str
    puzzled: str
    end: str
    stuck: str
    look: Sequence[str]


words = reader_of(OrderWords, "chorewright.generator.teach", "data/tatc.json")
"""Returns the shipped words."""


@dataclass(frozen=True, slots=True)
class Order:
    """One thing to do: to walk to a pose, or an action on an object."""

    action: str
    object_id: str = ""
    pose: Pose | None = None


def say(orders: Sequence[Order]) -> str:
    """Return orders in words."""
    known = words()
    found = []
    for order in orders:
        pose = order.pose
        noun = household_lexicon().words(type_of_id(order.object_id)).nouns[0]
        slots = {"object": order.object_id, "thing": noun.word}
        if pose is not None:
            heading = known.headings[pose.rotation]
            slots |= {"x": str(pose.x), "z": str(pose.z), "heading": heading, "horizon": str(pose.horizon)}
        found.append(known.orders[order.action].format_map(slots))
    return " ".join(found)


_SLOTS = {
    "x": r"(?P<x>-?\d+)",
    "z": r"(?P<z>-?\d+)",
    "horizon": r"(?P<horizon>-?\d+)",
    "heading": r"(?P<heading>[a-z]+)",
    "thing": r"(?P<thing>[A-Za-z ]+?)",
    "object": r"(?P<object>[^ ]+?)",
}


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    found = []
    for action, line in words().orders.items():
        parts = re.split(r"\{(\w+)\}", line)
        text = "".join(_SLOTS[part] if place % 2 else re.escape(part) for place, part in enumerate(parts))
        found.append((action, re.compile(text + r"(?: |$)")))
    return tuple(found)


def understand(text: str) -> tuple[Order, ...] | None:
    """Return the orders that a text says; None if it says anything else."""
    found: list[Order] = []
    place = 0
    while place < len(text):
        for action, pattern in _patterns():
            match = pattern.match(text, place)
            if match is not None:
                found.append(_order(action, match.groupdict()))
                place = match.end()
                break
        else:
            return None
    return tuple(found) if found else None


def _order(action: str, slots: Mapping[str, str]) -> Order:
    if action != WALK:
        return Order(action, slots["object"])
    headings = list(words().headings)
    rotation = headings.index(slots["heading"]) if slots["heading"] in headings else 0
    return Order(WALK, pose=Pose(int(slots["x"]), int(slots["z"]), rotation, int(slots["horizon"])))


EVALUATIONS = 60_000
"""What may go into one plan."""

MOST_PLANS = 12
"""Plans made in a session before it is given up."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Orders for one place, with the plan's actions that they come from (None for the walk)."""

    orders: tuple[Order, ...]
    actions: tuple[GroundAction | None, ...]
    pose: Pose


@dataclass
class PlanningCommander:
    """Plans for one task, which it knows as the progress check's definition and parameters.

    ``known`` are the objects that it has looked up; ``denied`` what failed: the object and the pose from
    which it was tried.
    """

    task: TeachTask
    known: dict[str, SceneObject] = field(default_factory=dict)
    denied: list[tuple[str, Pose]] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    last: Visit | None = None
    plans: int = 0
    everything: bool = False

    def reply(self, view: CommanderView, heard: str) -> str | None:
        """Return the orders of the next visit; None if the task is done, or cannot be."""
        told = words()
        if self.last is not None and heard != told.done:
            self._learn(heard)
            self.visits = []
        if view.check_progress().success:
            return None
        if not self.visits:
            self._look_around(view)
            self.visits = self._plan(view)
        if not self.visits and self.denied:  # what failed once may succeed now
            self.denied = []
            self.visits = self._plan(view)
        if not self.visits and not self.everything:
            self.everything = True
            self._look_around(view)
            self.visits = self._plan(view)
        if not self.visits:
            return None
        self.last = self.visits.pop(0)
        return say(self.last.orders)

    def _learn(self, heard: str) -> None:
        """Remember what an order failed with: its object, as the Follower says, and where it stood."""
        assert self.last is not None
        for order, action in zip(self.last.orders, self.last.actions, strict=True):
            named = order.object_id and re.search(rf"{re.escape(order.object_id)}(?![\w|])", heard)
            if named and action is not None:
                self.denied.append((order.object_id, self.last.pose))
                return

    def _look_around(self, view: CommanderView) -> None:
        """Look up the objects that the task may need, what they lie in, and what lies in them."""
        self.known = {}
        names = list(shipped_kinds()) if self.everything else relevant_kinds(self.task)
        looks: list[Look] = []
        for name in names:
            looks += view.search(name)
        _, holding = view.follower()
        asked: set[str] = set()
        while looks or holding:
            wanted: list[str] = [holding] if holding else []
            holding = None
            for look in looks:
                self.known[look.body.object_id] = look.body
                wanted += look.body.parents
                if is_crowded(look.body.kind):
                    wanted += look.contents
            looks = []
            for object_id in dict.fromkeys(wanted):
                if object_id not in self.known and object_id not in asked:
                    asked.add(object_id)
                    found = view.select(object_id)
                    looks += [found] if found is not None else []

    def _plan(self, view: CommanderView) -> list[Visit]:
        """Return a plan from what is known, visit by visit; nothing if there is none."""
        if self.plans >= MOST_PLANS:
            return []
        self.plans += 1
        compiled = self._compile(view)
        answer = plan_task(compiled, Limits(evaluations=EVALUATIONS))
        if not isinstance(answer, Plan):
            return []
        pose, _ = view.follower()
        return list(visits_of(answer.actions, compiled, pose))

    def _compile(self, view: CommanderView) -> TeachProblem:
        """Return the planning problem of the task in the scene as far as it is known."""
        grid, height = view.map
        name, kind = view.room
        pose, holding = view.follower()
        bodies = [replace(body, parents=self._parents(body)) for body in self.known.values()]
        scene = Scene(name, kind, tuple(bodies), grid.points, height, pose, holding=holding, kinds=shipped_kinds())
        goal: Formula = compile_goal(self.task, household_vocabulary())
        compiled = compile_in(self.task, goal, scene, f"{self.task.name}-{name}")
        household = compiled.household
        names = {object_id: known for known, object_id in household.ids.items()}
        poses = {pose: known for known, pose in household.poses.items()}
        gone: set[GroundAtom] = {
            ("near", names[thing], poses[place]) for thing, place in self.denied if thing in names and place in poses
        }
        problem = household.problem
        problem = replace(problem, init=tuple(atom for atom in problem.init if atom not in gone))
        return replace(compiled, household=replace(household, problem=problem))

    def _parents(self, body: SceneObject) -> tuple[str, ...]:
        return tuple(parent for parent in body.parents if parent in self.known)


def relevant_kinds(task: TeachTask) -> list[str]:
    """Return the kinds of objects that a task may need: its own, tools and appliances, surfaces."""
    vocabulary = household_vocabulary()
    found: dict[str, None] = {}
    for each in task.walk():
        for part in each.parts_needed:
            if not isinstance(part, AtomicComponent):
                continue
            for name in describe(part, vocabulary).types:
                kind = vocabulary.kind_of_type(name)
                if kind is not None:
                    whole = vocabulary.whole_of(kind.name)
                    found |= dict.fromkeys([kind.name, whole] if whole else [kind.name])
    roles = set(words().look)
    for name, facts in shipped_kinds().items():
        surface = bool(facts.receptacle) and not facts.item and not facts.closable
        vessel = "fillable" in facts.affordances or any(shipped_kinds()[place].roles & roles for place in facts.fits)
        if facts.roles & roles or surface or (vessel and facts.receptacle):
            found[name] = None
    return list(found)


def is_crowded(kind: str) -> bool:
    """Whether what lies in such a receptacle may be in the way: it takes one thing, or works on all."""
    facts = shipped_kinds()[kind]
    return bool(facts.roles & {"single", *words().look}) or facts.item


def visits_of(plan: Sequence[GroundAction], compiled: TeachProblem, start: Pose) -> Iterator[Visit]:
    """Yield the orders of a plan, place by place."""
    household = compiled.household
    pose = start
    orders: list[Order] = []
    actions: list[GroundAction | None] = []
    for action in plan:
        if action.name == "go-to":
            if any(each is not None for each in actions):
                yield Visit(tuple(orders), tuple(actions), pose)
            pose = household.poses[action.arguments[1]]
            orders, actions = [Order(WALK, pose=pose)], [None]
            continue
        name, target = interaction_of(action, household.ids)
        orders.append(Order(name, target))
        actions.append(action)
    if any(each is not None for each in actions):
        yield Visit(tuple(orders), tuple(actions), pose)
