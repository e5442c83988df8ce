"""Episodes of BEHAVIOR run again, with a picture of each moment: the rooms, the furniture, and what is where."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from chorewright.domains.behavior.syntax import Activity, bddl_name
from chorewright.domains.pddl.syntax import GroundAtom, State
from chorewright.generator.behavior.world import BehaviorWorld, read_activity
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.pddl.moments import SIZE, DrawingSimulator
from chorewright.problems.behavior.activity_problem import domain_of
from chorewright.rsa.behavior.names import ActivityNames

INK, PALE, PAPER = (30, 32, 36), (96, 100, 108), (255, 255, 255)
ROOM, CARD, EDGE = (243, 239, 230), (255, 255, 255), (150, 144, 132)
HERE, HELD, CHANGED = (214, 232, 250), (255, 238, 194), (20, 110, 50)
STATES: tuple[str, ...] = (
    *("open", "toggled_on", "cooked", "frozen", "hot", "on_fire", "broken", "sliced", "soaked", "dusty", "stained"),
    *("folded", "unfolded"),
)
WORDS = {"toggled_on": "on", "on_fire": "lit"}
SUBSTANCES = (("covered", "covered with"), ("filled", "full of"), ("contains", "has"), ("saturated", "soaked with"))
PLACES = ("inside", "ontop", "under", "attached")
"""Relations that say where a thing is, the strongest first; a thing is drawn once."""


class ActivityWorld(BehaviorWorld):
    """The world of one episode: the synsets of its activity, and a simulator that draws."""

    def __init__(self, episode: Episode) -> None:
        self._activity = read_activity(episode)
        super().__init__(domain_of(self._activity))

    def simulator(self) -> DrawingSimulator:
        """Return a new simulator."""
        return DrawingSimulator(
            self.domain(),
            lambda action: " ".join((action.name, *action.arguments)),
            partial(draw_state, self._activity),
        )


def draw_state(activity: Activity, state: State, before: State, title: str, size: int) -> NDArray[np.uint8]:
    """Draw the rooms with their furniture, and on each card what is in and on it; what has just changed is green.

    Args:
        activity: Whose things they are.
        state: The atoms, in PDDL's names.
        before: The atoms a step earlier.
        title: What has just been done.
        size: Pixels on a side.

    Returns:
        (size, size, 3) uint8.
    """
    scale = size / SIZE
    picture = Image.new("RGB", (size, size), PAPER)
    draw = ImageDraw.Draw(picture)
    font, small = ImageFont.load_default(max(8, round(12 * scale))), ImageFont.load_default(max(7, round(10 * scale)))
    margin, line = round(8 * scale), round(12 * scale)
    draw.text((margin, margin), _clear(title), fill=INK, font=font)
    tops = _cards(state)
    names = ActivityNames(activity)
    at = next((atom[1] for atom in state if atom[0] == "at"), "")
    held = [atom[2] for atom in sorted(state) if atom[0] == "holding"]
    columns = 2 if len(tops) > 3 else 1
    widths = (size - margin * (columns + 1)) // columns
    letters = max(10, int(widths / (5.4 * scale)))
    heights = [round(30 * scale)] * columns
    if held:
        text = f"in the hand: {', '.join(_name(each, names) for each in held)}"
        draw.rectangle((margin, heights[0], size - margin, heights[0] + line + 4), fill=HELD, outline=EDGE)
        draw.text((margin + 4, heights[0] + 1), text, fill=INK, font=small)
        heights = [each + line + round(8 * scale) for each in heights]
    for top, room in tops:
        lines = list(_lines(top, state, before, names, letters, 0, frozenset()))
        column = heights.index(min(heights))
        left, upper = margin + column * (widths + margin), heights[column]
        lower = upper + line * (len(lines) + bool(room)) + round(6 * scale)
        draw.rectangle((left, upper, left + widths, lower), fill=HERE if top == at else CARD, outline=EDGE)
        if room:
            draw.text((left + 4, upper + 1), room, fill=PALE, font=small)
        for number, (text, fresh) in enumerate(lines):
            place = upper + line * (number + bool(room)) + 1
            draw.text((left + 4, place), text, fill=CHANGED if fresh else INK, font=small)
        heights[column] = lower + round(5 * scale)
    return np.asarray(picture, np.uint8)


def _clear(title: str) -> str:
    return " ".join(bddl_name(each).rsplit(".", 2)[0] if "-n-" in each else each for each in title.split())


def _name(thing: str, names: ActivityNames) -> str:
    try:
        return names.the(bddl_name(thing)).removeprefix("the ")
    except KeyError:
        return thing


def _cards(state: State) -> list[tuple[str, str]]:
    """What stands in the rooms, or nowhere, each with its room; floors last."""
    rooms = {atom[1]: atom[2].replace("_", " ") for atom in state if atom[0] == "inroom"}
    placed = {atom[1] for atom in state if atom[0] in PLACES}
    held = {atom[2] for atom in state if atom[0] == "holding"}
    grounds = {atom[1] for atom in state if atom[0] == "ground"}
    loose = [
        atom[1]
        for atom in sorted(state)
        if atom[0] == "movable" and atom[1] not in placed | held and ("real", atom[1]) in state
    ]
    return [(each, rooms.get(each, "")) for each in (*sorted(set(rooms) - grounds), *loose, *sorted(grounds))]


def _lines(
    thing: str, state: State, before: State, names: ActivityNames, letters: int, depth: int, above: frozenset[str]
) -> Iterator[tuple[str, bool]]:
    """A thing with its states, then what is in and on it; each with whether it has just changed."""
    states = [WORDS.get(each, each) for each in STATES if (each, thing) in state]
    facts: set[GroundAtom] = {atom for atom in state if atom[1:2] == (thing,) and (atom[0] in STATES or len(atom) == 3)}
    for predicate, words in SUBSTANCES:
        found = sorted(atom[2] for atom in facts if atom[0] == predicate)
        if found:
            states.append(f"{words} {', '.join(_name(each, names) for each in found)}")
    beside = sorted(atom[2] for atom in facts if atom[0] == "nextto")
    if beside:
        states.append(f"next to {', '.join(_name(each, names) for each in beside)}")
    changed = any((atom in before) != (atom in state) for atom in facts | {a for a in before if a[1:2] == (thing,)})
    text = "  " * depth + _name(thing, names) + (f" ({'; '.join(states)})" if states else "")
    for number, part in enumerate(
        textwrap.wrap(text, letters, initial_indent="", subsequent_indent="  " * (depth + 2), drop_whitespace=False)[:2]
    ):
        yield part if number else text[: len(part)], changed
    if thing in above:
        return
    for predicate, word in (("inside", "in: "), ("ontop", "on: "), ("under", "under: "), ("attached", "fixed: ")):
        for atom in sorted(state):
            if atom[0] == predicate and atom[2] == thing and _home(atom[1], state) == atom:
                inner = list(_lines(atom[1], state, before, names, letters, depth + 1, above | {thing}))
                for number, (part, fresh) in enumerate(inner):
                    indentation = "  " * (depth + 1)
                    yield (indentation + word + part.strip() if number == 0 else part), fresh


def _home(thing: str, state: State) -> GroundAtom | None:
    """The atom that says where a thing is."""
    for predicate in PLACES:
        found = sorted(atom for atom in state if atom[0] == predicate and atom[1] == thing)
        if found:
            return found[0]
    return None
