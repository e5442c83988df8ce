"""The dialogue of a TEACh demonstration: utterances and the Commander's looks, each before an action."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from chorewright.domains.teach.compiler import anchor
from chorewright.domains.teach.definition import TaskComponent, TaskRelation, TeachTask, is_needed
from chorewright.domains.teach.progress import check
from chorewright.generator.teach.demonstration import TeachDemonstration
from chorewright.generator.teach.mishaps import DIRTY, NO_KNIFE, WRONG
from chorewright.problems.household.containment import Records
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.scene import Attributes, Scene
from chorewright.replay.teach.metadata import teach_world
from chorewright.rsa.household.directives import END, Leg
from chorewright.rsa.household.segments import GOTO, SLICE
from chorewright.rsa.teach import (
    COMMANDER,
    SpokenPart,
    SpokenTurn,
    Talk,
    Trouble,
    dialogue,
    sentences,
    several_wordings,
    task_wordings,
)
from chorewright.rsa.teach.sentences import Saying, unclear_wordings
from chorewright.rsa.words.lexicon import household_lexicon

TEXT, PROGRESS, SELECT, SEARCH = "Text", "OpenProgressCheck", "SelectOid", "SearchObject"


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something that is said, or looked up by the Commander.

    Attributes:
        before: The index of the action before which it happens; as many as there are actions: at the end.
        agent: 0 Commander, 1 Follower.
        action: ``Text``, ``OpenProgressCheck``, ``SelectOid`` or ``SearchObject``; of a Commander with a body, a turn.
        text: What is said; empty where something is looked up.
        level: ``goal``, ``step``, ``utterance``, ``question`` or ``answer``; empty where nothing is said.
        details: ``query``: what is looked up; ``about``: the object that is asked for; ``pose``: after a turn.
        sayings: The parts of the text, each with its dialogue act (Gella et al. 2022, the schema of TEACh-DA).
    """

    before: int
    agent: int
    action: str
    text: str = ""
    level: str = ""
    details: Mapping[str, object] = field(default_factory=dict)
    sayings: tuple[Saying, ...] = ()

    @property
    def acts(self) -> tuple[str, ...]:
        """The dialogue acts of the parts."""
        return tuple(each.act for each in self.sayings)

    @property
    def segments(self) -> tuple[str, ...]:
        """The texts of the parts; joined by blanks they are the text."""
        return tuple(each.text for each in self.sayings)


def utterances(demonstration: TeachDemonstration, rng: np.random.Generator) -> tuple[Utterance, ...]:
    """Return the dialogue of a demonstration, in order.

    The Commander checks the progress before it says what is to be done and at the end, and looks things up
    before it says where they are.
    """
    compiled = demonstration.compiled
    task = compiled.task
    cut = len(_wordings(demonstration)) > 1
    talk = Talk(
        task_wordings(task.name, task.params, task.desc),
        unclear_wordings(task.name, task.params),
        (lambda: parts_of(demonstration)) if cut else None,
        teach_legs(demonstration),
        compiled.scene,
        _States(demonstration).of,
        tuple(_troubles(demonstration)),
    )
    return tuple(_write_timed(dialogue(talk, rng), demonstration, rng))


class _States:
    """The attributes of objects before each segment, looked up when they are asked for."""

    def __init__(self, demonstration: TeachDemonstration) -> None:
        self._scenes = (demonstration.compiled.scene, *demonstration.stages)
        self._known: dict[int, dict[str, Attributes]] = {}

    def of(self, leg: int, object_id: str) -> Attributes | None:
        """Return the attributes of an object before a segment; None if it is not there."""
        scene = self._scenes[min(leg, len(self._scenes) - 1)]
        if id(scene) not in self._known:
            self._known[id(scene)] = _attributes(scene)
        return self._known[id(scene)].get(object_id)


def _attributes(scene: Scene) -> dict[str, Attributes]:
    return {thing.object_id: thing.attributes for thing in scene.objects}


def _troubles(demonstration: TeachDemonstration) -> Iterator[Trouble]:
    """Yield what went wrong, as the words need it."""
    for mishap, event in zip(demonstration.mishaps, demonstration.events, strict=True):
        leg = demonstration.actions[event].segment
        instead = mishap.kind in (WRONG, DIRTY, NO_KNIFE)
        yield Trouble(mishap.kind, leg, mishap.item, mishap.other, instead)


def teach_legs(demonstration: TeachDemonstration) -> list[Leg]:
    """Return the segments as the words need them: ids, the pose before each, and its actions' names."""
    household = demonstration.compiled.household
    names: list[list[str]] = [[] for _ in demonstration.subgoals]
    for action in demonstration.actions:
        names[action.segment].append(action.name)
    pose = demonstration.compiled.scene.agent
    found = []
    for subgoal, actions in zip(demonstration.subgoals, names, strict=True):
        item, receptacle = "", ""
        if subgoal.action == SLICE:
            cut = next(action for action in subgoal.actions if action.name == "slice")
            item, receptacle = household.ids[cut.arguments[0]], household.ids[cut.arguments[2]]
        elif subgoal.action not in (GOTO, *END):
            first, *others = subgoal.arguments
            item, receptacle = household.ids[first], household.ids[others[0]] if others else ""
        found.append(Leg(subgoal.action, item, receptacle, pose, tuple(actions)))
        if subgoal.action == GOTO:
            pose = household.poses[subgoal.pose]
    return found


def parts_of(demonstration: TeachDemonstration) -> tuple[SpokenPart, ...]:
    """Return the sub-tasks and relations of the task that were open, as they came to be done one by one."""
    task = demonstration.compiled.task
    keys = [each.key for each in demonstration.begun.subgoals]
    wordings = _wordings(demonstration)
    components = sum(is_needed(part.determiner) for part in task.components)
    last_open = dict.fromkeys(range(len(keys)), -1)
    for number, goal in enumerate(demonstration.begun.subgoals):
        if goal.success:
            last_open[number] = -2
    asked = {number for number, leg in last_open.items() if leg == -1 and number in wordings}
    kept: Records = {}
    for leg in reversed(range(len(demonstration.stages))):
        if not asked:
            break
        if demonstration.subgoals[leg].action == GOTO:
            continue
        world = teach_world(demonstration.stages[leg], kept)
        for number, goal in enumerate(check(task, world).subgoals[: len(keys)]):
            if number in asked and not goal.success:
                last_open[number] = leg
                asked.discard(number)
    done = sorted((leg, number) for number, leg in last_open.items() if leg != -2 and number in wordings)
    walks = {leg for leg, subgoal in enumerate(demonstration.subgoals) if subgoal.action == GOTO}
    found: list[SpokenPart] = []
    begin = 0
    for leg, number in done:
        found.append(SpokenPart(begin, wordings[number], number >= components))
        doing = (later for later in range(leg + 1, len(demonstration.subgoals)) if later not in walks)
        begin = _next_visit(demonstration, next(doing, leg) + 1)
    found = [part for place, part in enumerate(found) if place == 0 or part.leg > found[place - 1].leg]
    return tuple(part for place, part in enumerate(found) if not part.together or 0 < place == len(found) - 1)


def _wordings(demonstration: TeachDemonstration) -> dict[int, tuple[str, ...]]:
    """Return wordings of the sub-goals that are sub-tasks, or relations between them, by their numbers."""
    task, kinds = demonstration.compiled.task, demonstration.compiled.scene.kinds
    keys = [each.key for each in demonstration.begun.subgoals]
    parts = {part.key: part for part in task.components if is_needed(part.determiner)}
    found: dict[int, tuple[str, ...]] = {}
    relations = iter(task.relations)
    seen: set[str] = set()
    for number, key in enumerate(keys):
        part = parts.get(key)
        if key in seen or part is None:
            found[number] = _relation_wordings(task, next(relations, None), kinds)
        elif isinstance(part, TaskComponent):
            told = part.task.name, part.task.params, part.task.desc
            once = part.determiner in ("a", "1")
            found[number] = task_wordings(*told) if once else several_wordings(*told, part.determiner)
        seen.add(key)
    return found


def _relation_wordings(task: TeachTask, relation: TaskRelation | None, kinds: Kinds) -> tuple[str, ...]:
    """Return wordings of bringing things together; where they go is named if that is of one kind."""
    types = anchor(task, relation.tail, kinds.vocabulary).types if relation is not None else ()
    kind = kinds.vocabulary.kind_of_type(types[0]) if len(types) == 1 else None
    if kind is None:
        return tuple(sentences().relation)
    noun = household_lexicon().with_kinds(kinds.vocabulary).words(kind.name).nouns[0].the()
    return tuple(line.format(place=f"{kind.preposition or 'on'} {noun}") for line in sentences().relation_in)


def _next_visit(demonstration: TeachDemonstration, leg: int) -> int:
    """Return the first leg from one on that is a walk."""
    count = len(demonstration.subgoals)
    return next((number for number in range(leg, count) if demonstration.subgoals[number].action == GOTO), count)


def _write_timed(
    turns: Sequence[SpokenTurn], demonstration: TeachDemonstration, rng: np.random.Generator
) -> list[Utterance]:
    """Place turns before actions, with what the Commander looks up before it speaks."""
    segments = [action.segment for action in demonstration.actions]
    end = len(segments)
    found: list[Utterance] = []
    for number, turn in enumerate(turns):
        before = next((place for place, segment in enumerate(segments) if segment >= turn.leg), end)
        if turn.trouble >= 0:
            before = demonstration.events[turn.trouble] + 1
        before = max(before, found[-1].before if found else 0)
        last = number + 1 == len(turns) or all(later.speaker != COMMANDER for later in turns[number + 1 :])
        if turn.speaker == COMMANDER and (turn.level in ("goal", "step") or last):
            found.append(Utterance(before, COMMANDER, PROGRESS, details={"query": ""}))
        elif turn.speaker == COMMANDER and turn.level == "answer":
            by_name = rng.random() < 0.5
            query = turn.about.split("|")[0] if by_name else turn.about
            found.append(Utterance(before, COMMANDER, SEARCH if by_name else SELECT, details={"query": query}))
        details = {"about": turn.about} if turn.about else {}
        found.append(Utterance(before, turn.speaker, TEXT, turn.text, turn.level, details, turn.sayings))
    return found
