"""Commands and ground actions: which action a sentence means, and how an action is worded (Table 19)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from chorewright.domains.formulas import Universe
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import Action, Typed
from chorewright.planner.plan import GroundAction
from chorewright.replay.handmethat.words import Lexicon, called, words

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
        for command in known.commands[action.name]:
            parts = re.split(r"\{(\w+)\}", command)
            literal, slots = parts[::2], parts[1::2]
            pattern = re.escape(literal[0])
            for slot, text in zip(slots, literal[1:], strict=True):
                pattern += f"(?P<_{slot}>.+){re.escape(text)}"
            found.append(_Form(action, re.compile(pattern)))
    return tuple(found)


@lru_cache(maxsize=1)
def _actions() -> Mapping[str, Action]:
    return {action.name: action for action in handmethat_domain().actions}


def command_of(action: GroundAction) -> str:
    """Return the command for an action of the robot."""
    return words().commands[action.name][0].format(**_called(action))


def observation_of(action: GroundAction) -> str:
    """Return the sentence that tells the robot of its action."""
    return words().observations[action.name].format(**_called(action))


def _called(action: GroundAction) -> dict[str, str]:
    parameters = _actions()[action.name].parameters
    return {
        parameter.name[1:]: called(name)
        for parameter, name in zip(parameters, action.arguments, strict=True)
        if parameter.name != AGENT
    }


def actions_of(
    command: str, agent: str, place: str, lexicon: Lexicon, universe: Universe
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
        for each in _completed(binding, parameters, universe):
            found[GroundAction(form.action.name, each)] = None
    return tuple(found) if understood else None


def _completed(binding: Mapping[str, str], parameters: tuple[Typed, ...], universe: Universe) -> list[tuple[str, ...]]:
    """Return the arguments of an action; a parameter that was not said may be any object of its type."""
    found: list[tuple[str, ...]] = [()]
    for parameter in parameters:
        said = binding.get(parameter.name)
        values = universe.members(parameter.types) if said is None else (said,)
        allowed = [value for value in values if universe.includes(parameter.types, value)]
        found = [(*before, value) for before in found for value in allowed]
    return found
