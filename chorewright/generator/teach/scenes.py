"""Rooms for TEACh's tasks: scattered at random, in random states, with enough of what a task needs.

As TEACh makes its start states: one to three things of each kind anywhere they fit, more where the task needs
more; switches, dirt and liquids by the toss of a coin; the task can be done, and is not done yet (Padmakumar
et al. 2022, section 3).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

import numpy as np

from chorewright.domains.teach.compiler import anchor, describe
from chorewright.domains.teach.definition import AtomicComponent, TaskComponent, TeachTask
from chorewright.domains.teach.progress import check, missing, obstacles
from chorewright.domains.vocabulary import Vocabulary
from chorewright.files.processes import Timed
from chorewright.problems.household.containment import ancestors, contents, matters
from chorewright.problems.household.kinds import Kinds, Traits
from chorewright.problems.household.navigation import TEACH_LOOK, Grid
from chorewright.problems.household.scene import GRID, Pose, Scene, SceneObject
from chorewright.problems.household.sight import Touching, stand_pose
from chorewright.problems.household.spawn import DEFAULT, NoRoom, SpawnRequest, place_elsewhere, spawn
from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import TEACH_SETTINGS, Room
from chorewright.replay.household.setup import as_restored
from chorewright.replay.household.states import burn, settle
from chorewright.replay.teach.clicks import COARSE, within_reach
from chorewright.replay.teach.world import teach_world

# Start states in which the Follower can click on what the task is about: what it would not see lies elsewhere.


MOST_MOVES = 8
"""Places that are tried for a thing that is not seen."""


def with_clickable(
    room: Scene,
    scene: Scene,
    kinds: Collection[str],
    request: SpawnRequest,
    renderer: Renderer,
    rng: np.random.Generator,
) -> Scene:
    """Return a scattered scene in which items of some kinds are seen, and in reach, from where they are handled.

    One that is seen from there in none of a few places stays in the last.

    Args:
        room: The room as it was before it was scattered.
        scene: As it is now.
        kinds: What is looked for.
        request: What the scene was scattered for.
        renderer: What draws.
        rng: Decides where things go that are not seen.
    """
    grid = Grid.of(scene, TEACH_LOOK)
    pose_of = poses_of_items(scene, grid)
    for name in [each.object_id for each in scene.objects if each.traits.item and each.kind in kinds]:
        item = next(each for each in scene.objects if each.object_id == name)
        for _ in range(MOST_MOVES):
            if is_clickable(scene, grid, pose_of(item.object_id), item, renderer):
                break
            moved = place_elsewhere(room, scene, item, rng, request)
            if moved is None:
                break
            scene, item = moved
            pose_of = poses_of_items(scene, grid)
    return scene


def poses_of_items(scene: Scene, grid: Grid) -> Callable[[str], Pose | None]:
    """Return what tells of an item, by id, from where it is handled; None if it cannot be reached."""
    return Touching(scene, grid, [each for each in scene.objects if matters(each)]).pose


def is_clickable(scene: Scene, grid: Grid, pose: Pose | None, item: SceneObject, renderer: Renderer) -> bool:
    """Return whether an item is seen, and in reach, from where it is handled, with the doors before it open."""
    if pose is None:
        return False
    around = ancestors(item.object_id, {each.object_id: each.parents for each in scene.objects})
    opened = tuple(_open_thing(each) if each.object_id in around else each for each in scene.objects)
    camera = camera_at(scene, grid.tilted(pose))
    mask, depths = renderer.masks.with_depths(replace(scene, objects=opened), camera, item.object_id)
    place = pose.x * GRID, scene.agent_y, pose.z * GRID
    return bool(within_reach(mask, depths, camera, place).any())


def camera_at(scene: Scene, pose: Pose) -> Camera:
    """Return the Follower's camera at a pose, for the picture in which clicks are chosen."""
    eye = (pose.x * GRID, scene.agent_y + TEACH_SETTINGS.camera_height, pose.z * GRID)
    return Camera(eye, 90.0 * pose.rotation, float(pose.horizon), TEACH_SETTINGS.field_of_view, COARSE, COARSE)


def _open_thing(thing: SceneObject) -> SceneObject:
    shut = thing.traits.closable and not thing.attributes.is_open
    return replace(thing, attributes=replace(thing.attributes, is_open=True)) if shut else thing


MOST = 3
"""Copies of a kind, where a task needs no more."""
CHANCE = 0.5
"""How likely a switch is on, a dish dirty, a vessel full."""
SPAWNS = 8
"""How often the room is scattered."""
FREELY = 2
"""How often of these things may lie where the task wants them, but not in sinks and tubs; afterwards none does."""
STRICTLY = 6
"""How often none may lie in a drawer of a desk that the task wants them on; afterwards they may."""
TOSSES = 8
"""How often the states are drawn for one scattering."""
BIN = "GarbageCan"
"""What nobody takes things from that are used."""
POURED = frozenset(("isFilledWithLiquid", "simbotIsBoiled"))
"""Properties that it takes a vessel to bring about."""
COOKED = "simbotIsCooked"
"""The property of what has been cooked."""


@Timed("spawn")
def teach_scene(
    room: Scene, task: TeachTask, vocabulary: Vocabulary, rng: np.random.Generator, renderer: Renderer | None = None
) -> Scene:
    """Return a room in a random state in which a task can be done and is not done yet.

    What the task is about lies where it is seen. A house, which has things of far more kinds than a room, has one of
    each kind that the task does not need.

    Args:
        room: The room before anything is scattered.
        task: The task.
        vocabulary: All kinds of things.
        rng: The only source of chance.
        renderer: What draws; it may serve many scenes.

    Raises:
        NoRoom: What the task needs is not there or cannot be placed; or no state was found that leaves
            anything to do.
    """
    counts = _counts(room, task, vocabulary)
    wanted = _places_wanted(room, task, vocabulary)
    hulls = {name: tuple(tail for tail in tails if tail in room.kinds.hulls) for name, tails in wanted.items()}
    handled = {*counts, *_tools(room, task, vocabulary)}
    others = DEFAULT.others if room.building is None else (1, 1)
    renderer = renderer or Renderer()
    reason = ""
    for turn in range(SPAWNS):
        banned = wanted if turn >= FREELY else hulls
        banned = {name: (*banned.get(name, ()), *_refuse_bins(room, name)) for name in (*counts, *banned)}
        request = SpawnRequest(counts, others, banned, amid=wanted, doors=turn >= STRICTLY)
        try:
            scattered = spawn(room, rng, request)
        except NoRoom as error:
            reason = error.message
            continue
        scattered = with_clickable(room, scattered, handled, request, renderer, rng)
        kept = as_restored(room, scattered)
        if kept is None:
            reason = "positions alone do not tell what lies in what"
            continue
        for _ in range(TOSSES):
            scene = settled(in_random_states(kept, rng))
            world = teach_world(scene)
            lacks = missing(task, world)
            if lacks:
                reason = "; ".join(lacks)
                break
            stuck = obstacles(task, world)
            if not stuck and not check(task, world).success:
                return scene
            reason = "; ".join(stuck) or "the task is done already"
    raise NoRoom(f"{room.name} in no state suits {task.name}: {reason}")


def in_random_states(scene: Scene, rng: np.random.Generator) -> Scene:
    """Return a scene with its switches, dirt and liquids drawn anew, each by a coin.

    A heat source with food in it stays off, so that no food starts out cooked; a microwave that stands open
    stays off too. A switch that nobody can reach stays as it is.
    """
    grid = Grid.of(scene)
    held = contents(scene.objects)
    traits = {thing.object_id: thing.traits for thing in scene.objects}

    def heats_food(thing: SceneObject) -> bool:
        border = [thing.object_id, *thing.controls]
        sources = [name for name in border if name in traits and traits[name].cooks]
        while sources:
            for inner in held.get(sources.pop(), ()):
                if "cookable" in traits[inner].affordances:
                    return True
                sources.append(inner)
        return False

    def drawn(thing: SceneObject) -> SceneObject:
        kind, state = thing.traits, thing.attributes
        on, dirty, full = (bool(toss) for toss in rng.random(3) < CHANCE)
        if "toggleable" in kind.affordances and (kind.item or stand_pose(scene, grid, thing) is not None):
            shut = "shut-to-run" not in kind.roles or not state.is_open
            state = replace(state, is_toggled=on and shut and not heats_food(thing))
        if "dirtyable" in kind.affordances:
            state = replace(state, is_dirty=dirty)
        if "fillable" in kind.affordances:
            state = replace(state, liquid=(state.liquid or "water") if full else None, brewed=False)
        return thing if state is thing.attributes else replace(thing, attributes=state)

    return replace(scene, objects=tuple(drawn(thing) for thing in scene.objects))


def settled(scene: Scene) -> Scene:
    """Return a scene in which all that runs has done its work: what lies under a running tap is clean, burners are hot.

    TEACh's wrapper does not know what was in a vessel before it saw it: in a running coffee machine it is hot coffee.
    """
    room = Room(scene, TEACH_SETTINGS)
    for switch in scene.objects:
        if switch.attributes.is_toggled:
            burn(room, switch, "Hot")
    settle(room)
    for machine in scene.objects:
        if "brews" in machine.traits.roles and room.objects[machine.object_id].attributes.is_toggled:
            for inner in list(room.within(machine.object_id)):
                if room.objects[inner].attributes.liquid is not None:
                    room.change(inner, liquid="coffee", brewed=True, temperature="Hot")
    return room.scene()


def _counts(room: Scene, task: TeachTask, vocabulary: Vocabulary) -> dict[str, tuple[int, int]]:
    """Return how many copies there shall be of the kinds that a task needs.

    Where all of a kind shall go into one thing that holds one only, there is one. Where they can lie nowhere
    but in things of which one shall hold them all, there are at least two.
    """
    present = {thing.kind for thing in room.objects}
    counts: dict[str, int] = {}
    for names, number in items_needed(task, vocabulary, 1):
        here = [name for name in names if name in present]
        if here:
            counts[here[0]] = counts.get(here[0], 0) + number
    found = {name: (number, max(number, MOST)) for name, number in counts.items()}
    for heads, tails, one in gather(task, vocabulary):
        here = [name for name in heads if name in present]
        places = [thing for thing in room.objects if thing.kind in tails]
        if places and all("single" in thing.traits.roles for thing in places):
            found |= dict.fromkeys(here, (1, min(1 if one else len(places), MOST)))
        elif one and not any(room.kinds[name].fits & present - {*tails} for name in here):
            found |= dict.fromkeys(here, (2, MOST))
    return found


def _tools(room: Scene, task: TeachTask, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the kinds of items in a room that a task is about besides those that it needs.

    These are those of which it wants something of all, and those that it is done with: what cuts, what holds liquids,
    what stands on a burner.
    """
    cut, poured, cooked = False, False, False
    about: set[str] = set()
    for each in task.walk():
        for part in each.parts_needed:
            if isinstance(part, AtomicComponent):
                poured |= not POURED.isdisjoint(prop for prop, _ in part.conditions)
                cooked |= any(prop == COOKED for prop, _ in part.conditions)
                names = [kind.name for kind in map(vocabulary.kind_of_type, describe(part, vocabulary).types) if kind]
                cut |= any(vocabulary.whole_of(name) is not None for name in names)
                about.update(names if part.determiner == "all" else ())
    for thing in room.objects:
        kind = thing.traits
        tool = (cut and "sharp" in kind.roles) or (poured and "fillable" in kind.affordances)
        if kind.item and (tool or (cooked and _stands_on_burners(kind, room.kinds)) or thing.kind in about):
            yield thing.kind


def _stands_on_burners(kind: Traits, kinds: Kinds) -> bool:
    """Whether food is cooked in it, on a burner: what has room for one thing and cooks."""
    outer = (kinds[name] for name in kind.fits if name in kinds)
    return bool(kind.receptacle) and any("single" in each.roles and bool(each.cooks) for each in outer)


def gather(task: TeachTask, vocabulary: Vocabulary) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], bool]]:
    """Yield the kinds that a task wants all of in or on which kinds, and whether in one and the same."""
    for each in task.walk():
        for relation in each.relations:
            for head, determiner in relation.heads:
                if determiner == "all":
                    heads = _kinds(each, head, vocabulary)
                    yield heads, _kinds(each, relation.tail, vocabulary), relation.tail_determiner == "the"


def _kinds(task: TeachTask, key: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    found = (vocabulary.kind_of_type(name) for name in anchor(task, key, vocabulary).types)
    return tuple(kind.name for kind in found if kind is not None)


def _places_wanted(room: Scene, task: TeachTask, vocabulary: Vocabulary) -> dict[str, tuple[str, ...]]:
    """Return where a task wants all of a kind: there none of them starts, if they fit anywhere else."""
    present = {thing.kind for thing in room.objects}
    banned: dict[str, tuple[str, ...]] = {}
    for heads, tails, _ in gather(task, vocabulary):
        for name in heads:
            if room.kinds[name].fits & present - {*tails}:
                banned[name] = (*banned.get(name, ()), *tails)
    return banned


def _refuse_bins(room: Scene, kind: str) -> tuple[str, ...]:
    """Return where things of a kind do not start as nobody would take them from there, if they fit anywhere else."""
    return (BIN,) if room.kinds[kind].fits & {thing.kind for thing in room.objects} - {BIN} else ()


def items_needed(task: TeachTask, vocabulary: Vocabulary, instances: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield kinds of items, of which a task needs so many; a whole stands for its pieces."""
    for part in task.parts_needed:
        number = part.number(instances)
        if isinstance(part, TaskComponent):
            yield from items_needed(part.task, vocabulary, number)
            continue
        names: dict[str, None] = {}
        pieces = 1
        for name in describe(part, vocabulary).types:
            kind = vocabulary.kind_of_type(name)
            if kind is None or "pickupable" not in kind.affordances:
                continue
            whole = vocabulary.whole_of(kind.name)
            if whole is not None:
                sliced = vocabulary.kind(whole).pieces
                pieces = sliced.count if sliced else 0
            names[whole or kind.name] = None
        if names:
            yield tuple(names), -(-number // pieces)
