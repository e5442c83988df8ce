"""What the robot is told: the story at first (Table 19), then scenes: everything, or only what is seen from there."""

from __future__ import annotations

from collections.abc import Iterator

from chorewright.domains.handmethat.object_space import object_space
from chorewright.files.english import article
from chorewright.problems.handmethat.scene import HUMAN, ROBOT, HandMeThatScene, SceneEntity
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.words import describe, list_things, plain_name, words
from chorewright.rsa.handmethat.requests import action_sentence, preposition


def visible(scene: HandMeThatScene, container: SceneEntity, everything: bool) -> tuple[SceneEntity, ...]:
    """Return what is seen directly in or on a container: nothing if it is closed, unless the robot sees everything."""
    if not everything and container.can_be("open") and "open" not in container.states:
        return ()
    return scene.contents.get(container.name, ())


def visible_at(scene: HandMeThatScene, place: str, everything: bool = False) -> Iterator[SceneEntity]:
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


def place_lines(scene: HandMeThatScene, place: str, everything: bool) -> list[str]:
    """Return what is seen at a location: itself, what is in or on it, and in or on what is there."""
    known = words()
    here = scene.by_name[place]
    lines = [known.say("see", thing=describe(here))]
    for thing in visible_at(scene, place, everything):
        inner = visible(scene, thing, everything)
        closed = thing.can_be("open") and "open" not in thing.states and not everything
        if thing.category.relation and not closed and (inner or thing is here):
            lines.append(_contents(thing, inner))
    return lines


def _contents(container: SceneEntity, things: tuple[SceneEntity, ...]) -> str:
    relation = container.category.relation
    return words().say(relation, container=plain_name(container.name), things=list_things([*map(describe, things)]))


def hand_lines(scene: HandMeThatScene, agent: str, everything: bool) -> list[str]:
    """Return what is seen in or on what an agent holds."""
    things = list(visible_at(scene, agent, everything))
    return [
        _contents(thing, visible(scene, thing, everything)) for thing in things if visible(scene, thing, everything)
    ]


def look(scene: HandMeThatScene, everything: bool) -> str:
    """Return what looking around shows: where the robot is, or in the fully observable world all places."""
    known = words()
    at = scene.robot.at
    holds = list_things([describe(scene.by_name[scene.human.holding])] if scene.human.holding else [])
    if at == HUMAN:
        lines = [known.say("at_human", things=holds), *hand_lines(scene, HUMAN, everything)]
    else:
        lines = [known.say("at", place=plain_name(at)), *place_lines(scene, at, everything)]
    if everything:
        for place in object_space().locations:
            name = f"{place}_0"
            if name != at and name in scene.by_name:
                lines += place_lines(scene, name, True)
        if at != HUMAN:
            lines += [known.say("human", things=holds), *hand_lines(scene, HUMAN, True)]
    return "\n".join(lines)


def inventory(scene: HandMeThatScene, everything: bool) -> str:
    """Return what the robot holds."""
    holds = list_things([describe(scene.by_name[scene.robot.holding])] if scene.robot.holding else [])
    return "\n".join([words().say("held", things=holds), *hand_lines(scene, ROBOT, everything)])


def story(task: HandMeThatTask) -> str:
    """Return the welcome, with the places where the robot is not, and the objective."""
    known, at = words(), task.scene.robot.at
    others = [each for each in task.scene.entities if not each.category.movable and each.name != at]
    places = (f"{article(noun)} {noun}" for noun in (plain_name(each.name) for each in others))
    lines = [known.say("welcome", places=", ".join(places))]
    if at != HUMAN:
        here = task.scene.by_name[at]
        lines.append(known.say("standing", relation=preposition(here.category.relation), place=plain_name(at)))
    return "\n".join([*lines, objective(task)])


def objective(task: HandMeThatTask) -> str:
    """Return what the human did, and what she asked for."""
    known = words()
    watched = [action_sentence(action) for action in task.prefix]
    first = known.say("watched" if watched else "nothing_watched")
    return "\n".join([first, *watched, known.say("request", sentence=task.sentence)])
