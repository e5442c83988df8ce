"""What the robot sees: scenes in sentences, either everything or only what is visible from where it stands."""

from __future__ import annotations

from collections.abc import Iterator

from chorewright.domains.handmethat.object_space import object_space
from chorewright.problems.handmethat.scene import HUMAN, ROBOT, Entity, Scene
from chorewright.replay.handmethat.words import called, listed, shown, words


def visible(scene: Scene, container: Entity, everything: bool) -> tuple[Entity, ...]:
    """Return what is seen directly in or on a container: nothing if it is closed, unless the robot sees everything."""
    if not everything and container.can_be("open") and "open" not in container.states:
        return ()
    return scene.contents.get(container.name, ())


def seen_at(scene: Scene, place: str, everything: bool = False) -> Iterator[Entity]:
    """Yield a place and what is seen there, outer things first; at the human, what she holds."""
    first = scene.by_name.get(place)
    if first is None:
        agent = scene.human if place == HUMAN else scene.robot
        first = scene.by_name.get(agent.holding)
    waiting = [] if first is None else [first]
    while waiting:
        thing = waiting.pop(0)
        yield thing
        waiting.extend(visible(scene, thing, everything))


def place_lines(scene: Scene, place: str, everything: bool) -> list[str]:
    """Return what is seen at a location: itself, what is in or on it, and in or on what is there."""
    known = words()
    here = scene.by_name[place]
    lines = [known.say("see", thing=shown(here))]
    for thing in seen_at(scene, place, everything):
        inner = visible(scene, thing, everything)
        closed = thing.can_be("open") and "open" not in thing.states and not everything
        if thing.category.relation and not closed and (inner or thing is here):
            lines.append(_contents(thing, inner))
    return lines


def _contents(container: Entity, things: tuple[Entity, ...]) -> str:
    relation = container.category.relation
    return words().say(relation, container=called(container.name), things=listed([*map(shown, things)]))


def held_lines(scene: Scene, agent: str, everything: bool) -> list[str]:
    """Return what is seen in or on what an agent holds."""
    things = list(seen_at(scene, agent, everything))
    return [
        _contents(thing, visible(scene, thing, everything)) for thing in things if visible(scene, thing, everything)
    ]


def look(scene: Scene, everything: bool) -> str:
    """Return what looking around shows: where the robot is, or in the fully observable world all places."""
    known = words()
    at = scene.robot.at
    holds = listed([shown(scene.by_name[scene.human.holding])] if scene.human.holding else [])
    if at == HUMAN:
        lines = [known.say("at_human", things=holds), *held_lines(scene, HUMAN, everything)]
    else:
        lines = [known.say("at", place=called(at)), *place_lines(scene, at, everything)]
    if everything:
        for place in object_space().locations:
            name = f"{place}_0"
            if name != at and name in scene.by_name:
                lines += place_lines(scene, name, True)
        if at != HUMAN:
            lines += [known.say("human", things=holds), *held_lines(scene, HUMAN, True)]
    return "\n".join(lines)


def inventory(scene: Scene, everything: bool) -> str:
    """Return what the robot holds."""
    holds = listed([shown(scene.by_name[scene.robot.holding])] if scene.robot.holding else [])
    return "\n".join([words().say("held", things=holds), *held_lines(scene, ROBOT, everything)])
