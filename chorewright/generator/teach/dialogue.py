"""The dialogue of a TEACh demonstration: utterances, looks and turns of the Commander, each before an action."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from chorewright.domains.teach.compiler import anchor
from chorewright.domains.teach.definition import TaskComponent, TaskRelation, TeachTask
from chorewright.domains.teach.progress import check
from chorewright.errors import InputError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.demonstration import legs_of
from chorewright.generator.household.spawning import room_of
from chorewright.generator.teach.demonstration import TeachDemonstration
from chorewright.generator.teach.mishaps import DIRTY, NO_KNIFE, WRONG
from chorewright.problems.household.containment import Records
from chorewright.problems.household.free_space import PIVOT, largest_component
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.navigation import TEACH_LOOK, Grid
from chorewright.problems.household.scene import GRID, Attributes, Bystander, Point, Pose, Scene, facing, points_around
from chorewright.problems.household.sight import floor_distance
from chorewright.problems.household.spawn import NoRoom
from chorewright.replay.teach.world import teach_world
from chorewright.rsa.household.segments import GOTO
from chorewright.rsa.teach import sentences
from chorewright.rsa.teach.deeds import SpokenPart, SpokenTurn, Talk, Trouble
from chorewright.rsa.teach.sentences import COMMANDER, Saying, several_wordings, task_wordings, unclear_wordings
from chorewright.rsa.teach.speakers import dialogue
from chorewright.rsa.words.guesses import household_lexicon

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
    said_of = demonstration.unperturbed or demonstration.actions
    talk = Talk(
        task_wordings(task.name, task.params, task.desc),
        unclear_wordings(task.name, task.params),
        (lambda: parts_of(demonstration)) if cut else None,
        legs_of(demonstration.subgoals, said_of, compiled.household, compiled.scene.agent),
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
            self._known[id(scene)] = {thing.object_id: thing.attributes for thing in scene.objects}
        return self._known[id(scene)].get(object_id)


def _troubles(demonstration: TeachDemonstration) -> Iterator[Trouble]:
    """Yield what went wrong, as the words need it."""
    for mishap, event in zip(demonstration.mishaps, demonstration.events, strict=True):
        leg = demonstration.actions[event].segment
        instead = mishap.kind in (WRONG, DIRTY, NO_KNIFE)
        yield Trouble(mishap.kind, leg, mishap.item, mishap.other, instead, mishap.way)


def parts_of(demonstration: TeachDemonstration) -> tuple[SpokenPart, ...]:
    """Return the sub-tasks and relations of the task that were open, as they came to be done one by one."""
    task = demonstration.compiled.task
    keys = [each.key for each in demonstration.begun.subgoals]
    wordings = _wordings(demonstration)
    components = len(task.parts_needed)
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
    parts = {part.key: part for part in task.parts_needed}
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
        return tuple(sentences.sentences().relation)
    noun = household_lexicon().with_kinds(kinds.vocabulary).words(kind.name).nouns[0].the()
    return tuple(line.format(place=f"{kind.preposition or 'on'} {noun}") for line in sentences.sentences().relation_in)


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


# A Commander with a body: where it stands, and how it turns to what it speaks of.
#
# TEACh's simulator can give both agents a body (``commander_embodied``, two agents in AI2-THOR); its published
# sessions do without. The body stands in the room: the Follower walks around it, and it may hide things. Where the
# Commander looks something up, it turns to it first.


NAME = f"agent_{COMMANDER}"

EXTRA = "commander"
"""The extra of an episode that tells the Commander's pose at the start."""

TILT = 30
"""Degrees by which TEACh's wrapper tilts both agents' cameras down at the start."""

NEAREST = 0.75
"""Metres between both agents at the start, at least."""

LOW = 0.3
"""Metres above the floor up to which a thing is no furniture that one stands beside."""

ROOMY = 3
"""One of so many standing points may be the Commander's: those farthest from furniture."""


def with_commander(scene: Scene, rng: np.random.Generator) -> Scene:
    """Return a scene with the Commander's body in it, out of the way as far as can be.

    It stands far from furniture, where the other standing points stay connected, and looks at the Follower.

    Raises:
        NoRoom: There is no such place.
    """
    points = Grid.of(scene, TEACH_LOOK).reachable(scene.agent)
    agent = scene.agent
    far = [(x, z) for x, z in sorted(points) if np.hypot(x - agent.x, z - agent.z) * GRID >= NEAREST]
    far.sort(key=lambda point: (-_clearance(scene, point), point))
    choices = far[: max(1, len(far) // ROOMY)]
    for place in rng.permutation(len(choices)):
        x, z = choices[place]
        left = frozenset(points) - points_around(x, z)
        if (scene.agent.x, scene.agent.z) in left and len(largest_component(left)) == len(left):
            pose = Pose(x, z, facing(scene.agent.x - x, scene.agent.z - z), TILT)
            return replace(scene, bystanders=(Bystander(NAME, pose),))
    raise NoRoom(f"{scene.name} has no place where a second agent is not in the way")


def _clearance(scene: Scene, point: Point) -> float:
    """Return the metres from a standing point to the nearest furniture."""
    floor = scene.agent_y - PIVOT
    gaps = (
        floor_distance(point[0] * GRID, point[1] * GRID, body.centre, body.size)
        for body in scene.objects
        if not body.traits.item and body.top > floor + LOW
    )
    return round(min(gaps, default=0.0), 3)


def commander_pose(scene: Scene) -> Pose | None:
    """Return the pose of the Commander's body; None if it has none."""
    return next((each.pose for each in scene.bystanders if each.name == NAME), None)


def pose_text(scene: Scene) -> str:
    """Return the pose of the Commander's body as an episode's extra."""
    pose = commander_pose(scene)
    assert pose is not None
    return json.dumps([pose.x, pose.z, pose.rotation, pose.horizon])


def start_scene(episode: Episode) -> Scene:
    """Return the scene at the start of a session, with the Commander's body if it has one.

    Raises:
        InputError: Its record of the Commander's pose is none.
    """
    text = dict(episode.extras).get(EXTRA)
    if text is None:
        return room_of(episode)
    try:
        x, z, rotation, horizon = (int(value) for value in json.loads(text))
    except (TypeError, ValueError) as error:
        raise InputError(f"episode {episode.index} has no pose of the Commander: {error}") from error
    return replace(room_of(episode), bystanders=(Bystander(NAME, Pose(x, z, rotation, horizon)),))


def with_turns(said: Sequence[Utterance], demonstration: TeachDemonstration) -> tuple[Utterance, ...]:
    """Return a dialogue in which the Commander turns to what it looks up, if it has a body."""
    scene = demonstration.compiled.scene
    pose = commander_pose(scene)
    if pose is None:
        return tuple(said)
    centres = {body.object_id: body.centre for state in (*demonstration.stages, scene) for body in state.objects}
    found: list[Utterance] = []
    for number, each in enumerate(said):
        if each.action in (SEARCH, SELECT):
            about = said[number + 1].details.get("about", "")
            if about in centres:
                x, _, z = centres[about]
                wanted = facing(x - pose.x * GRID, z - pose.z * GRID)
                for name, rotation in _turns(pose.rotation, wanted):
                    pose = replace(pose, rotation=rotation)
                    found.append(Utterance(each.before, COMMANDER, name, details={"pose": _tell(scene, pose)}))
        found.append(each)
    return tuple(found)


def _turns(rotation: int, wanted: int) -> Iterator[tuple[str, int]]:
    """Yield the turns from one heading to another, each with the heading after it."""
    quarters = (wanted - rotation) % 4
    step, name = (-1, "Turn Left") if quarters == 3 else (1, "Turn Right")
    while rotation != wanted:
        rotation = (rotation + step) % 4
        yield name, rotation


def _tell(scene: Scene, pose: Pose) -> list[float]:
    """Return a pose as steps tell it: metres, then tilt and heading in degrees."""
    return [pose.x * GRID, round(scene.agent_y, 4), pose.z * GRID, float(pose.horizon), 90.0 * pose.rotation, 0.0]
