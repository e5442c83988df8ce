"""The words of the text world (Table 19): names, commands and back, and what the robot is told. All words are data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from chorewright.domains.formulas import Universe
from chorewright.domains.handmethat.object_space import Category, category_of, object_space
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import Action, Typed
from chorewright.files.english import article
from chorewright.files.records import reader_of
from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.scene import HUMAN, ROBOT, HandMeThatScene, SceneEntity
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.rsa.handmethat.requests import action_sentence, name_of, preposition


@dataclass(frozen=True, slots=True)
class ActionWords:
    """The commands for an action, the first of them as it is written, and the observation of its effect."""

    commands: tuple[str, ...]
    observation: str


@dataclass(frozen=True)
class TextWords:
    """The data of the text world; the data file explains each entry."""

    articles: tuple[str, ...]
    agents: Mapping[str, str]
    states: Mapping[str, tuple[str, str]]
    actions: Mapping[str, ActionWords]
    free: Mapping[str, str]
    question: str
    sentences: Mapping[str, str]
    help: tuple[str, ...]

    @cached_property
    def categories(self) -> Mapping[str, Category]:
        """The categories by all their names, in lower case."""
        found: dict[str, Category] = {}
        for category in object_space().categories.values():
            for name in (category.noun, category.name, category.reference):
                found[fold(name)] = category
        return found

    def say(self, sentence: str, /, **parts: str) -> str:
        """Return one of the sentences with its parts filled in."""
        return self.sentences[sentence].format(**parts)


words = reader_of(TextWords, "chorewright.replay", "data/handmethat_text.json")
"""Returns the shipped words."""


def fold(text: str) -> str:
    """Return a text in lower case, with single blanks and no hyphens, underscores or number signs."""
    return " ".join(re.sub(r"[-_#]", " ", text.lower()).split())


def plain_name(name: str) -> str:
    """Return the name of an object, location or agent: ``box 0``, ``table``, ``human``."""
    return words().agents.get(name) or name_of(name)


def describe(entity: SceneEntity) -> str:
    """Return the name of an object with its looks: ``large red closed box 0``."""
    found = [each for each in (entity.size, entity.color) if each]
    for state in object_space().states_of(category_of(entity.name)):
        yes, no = words().states.get(state, (state, ""))
        found.append(yes if state in entity.states else no)
    return " ".join((*filter(None, found), plain_name(entity.name)))


def list_things(things: Sequence[str]) -> str:
    """Return things as a list: ``box 0, sock 1``; ``nothing``."""
    return ", ".join(things) if things else words().sentences["nothing"]


class TextLexicon:
    """The objects of one scene by their names in text.

    The number can be left out where there is one object of a category only. Names of objects that the scene
    does not have are understood, too.
    """

    def __init__(self, scene: HandMeThatScene) -> None:
        self._alone = {
            category: members[0].name for category, members in scene.by_category.items() if len(members) == 1
        }

    def name_of(self, phrase: str) -> str | None:
        """Return the id of what a phrase in lower case names; None if it names nothing."""
        known = words()
        parts = fold(phrase).split()
        if parts and parts[0] in known.articles:
            parts = parts[1:]
        for name, noun in known.agents.items():
            if parts == [noun]:
                return name
        number = parts[-1] if parts and re.fullmatch(r"[0-9]{1,3}", parts[-1]) else ""
        category = known.categories.get(" ".join(parts[:-1] if number else parts))
        if category is None:
            return None
        if number:
            return f"{category.name}_{int(number)}"
        return self._alone.get(category.name)


# Commands.

AGENT = "?a"
FROM = "?from"
PLACE = "?l"
"""Parameters that a command may leave out: who acts, and where the agent is."""


@dataclass(frozen=True, slots=True)
class _Form:
    """A way to say an action: its pattern and the parameters that are its groups."""

    action: Action
    pattern: re.Pattern[str]


@lru_cache(maxsize=1)
def _forms() -> tuple[_Form, ...]:
    known = words()
    found: list[_Form] = []
    for action in handmethat_domain().actions:
        for command in known.actions[action.name].commands:
            parts = re.split(r"\{(\w+)\}", command)
            literal, slots = parts[::2], parts[1::2]
            pattern = re.escape(literal[0])
            for slot, text in zip(slots, literal[1:], strict=True):
                pattern += f"(?P<_{slot}>.+){re.escape(text)}"
            found.append(_Form(action, re.compile(pattern)))
    return tuple(found)


def command_of(action: GroundAction) -> str:
    """Return the command for an action of the robot."""
    return words().actions[action.name].commands[0].format(**_names_of(action))


def observation_of(action: GroundAction) -> str:
    """Return the sentence that tells the robot of its action."""
    return words().actions[action.name].observation.format(**_names_of(action))


def _names_of(action: GroundAction) -> dict[str, str]:
    parameters = handmethat_domain().action(action.name).parameters
    return {
        parameter.name[1:]: plain_name(name)
        for parameter, name in zip(parameters, action.arguments, strict=True)
        if parameter.name != AGENT
    }


def actions_of(
    command: str, agent: str, place: str, lexicon: TextLexicon, universe: Universe
) -> tuple[GroundAction, ...] | None:
    """Return the actions that a command may mean, the likeliest first; None if it is not understood.

    There is none if it is understood, but speaks of things that are not there or not of the right kind.

    Args:
        command: In lower case, with single blanks.
        agent: Who acts.
        place: Where the agent is.
        lexicon: What things are called.
        universe: The objects that there are.
    """
    understood = False
    found: dict[GroundAction, None] = {}
    for form in _forms():
        match = form.pattern.fullmatch(command)
        if match is None:
            continue
        binding = {AGENT: agent, FROM: place, PLACE: place}
        names = {f"?{group[1:]}": lexicon.name_of(text) for group, text in match.groupdict().items()}
        if None in names.values():
            continue
        understood = True
        binding.update({slot: name for slot, name in names.items() if name is not None})
        parameters = form.action.parameters
        for each in _complete(binding, parameters, universe):
            found[GroundAction(form.action.name, each)] = None
    return tuple(found) if understood else None


def _complete(binding: Mapping[str, str], parameters: tuple[Typed, ...], universe: Universe) -> list[tuple[str, ...]]:
    """Return the arguments of an action; a parameter that was not said may be any object of its type."""
    found: list[tuple[str, ...]] = [()]
    for parameter in parameters:
        said = binding.get(parameter.name)
        values = universe.members(parameter.types) if said is None else (said,)
        allowed = [value for value in values if universe.includes(parameter.types, value)]
        found = [(*before, value) for before in found for value in allowed]
    return found


# What the robot is told: the story at first (Table 19), then scenes: everything, or only what is seen from there.


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
