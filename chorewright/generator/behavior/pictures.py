"""Episodes of BEHAVIOR run again, with a picture of each moment: the rooms, the furniture, and what is where."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from chorewright.domains.bddl.names import bddl_name
from chorewright.domains.bddl.reader import parse_activity
from chorewright.domains.bddl.syntax import Activity
from chorewright.domains.pddl.syntax import Domain, GroundAtom, Problem, State
from chorewright.errors import DatasetCorrupt
from chorewright.generator.behavior.world import BehaviorWorld
from chorewright.generator.episode import Episode
from chorewright.generator.pddl.pictures import WorldPictures
from chorewright.generator.pictures import FrameRequest
from chorewright.problems.behavior.activity_problem import domain_of
from chorewright.problems.pddl.scenes import PddlScene
from chorewright.replay.pddl.simulator import PddlSimulator
from chorewright.replay.simulator import Event, Frame, Observation, SimulatorAction
from chorewright.rsa.behavior.names import Names

SIZE = 480
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


@dataclass(frozen=True, slots=True)
class BehaviorPictures:
    """Runs stored episodes in the symbolic world of their own synsets.

    Attributes:
        size: Pixels on a side of a picture where the user names none.
        layers: Colours only; there is no depth.
    """

    size: int = SIZE
    layers: tuple[str, ...] = ("rgb",)

    def replay(self, episode: Episode) -> None:
        """Run the steps again, and compare what each of them changes."""
        _of(episode).replay(episode)

    def schema(self, request: FrameRequest) -> pa.Schema:
        """Return the columns: a PNG for each layer."""
        return WorldPictures(BehaviorWorld(), self.size).schema(request)

    def rows(self, episode: Episode, request: FrameRequest) -> Iterator[dict[str, object]]:
        """Yield a row for each moment, the start first."""
        return _of(episode, request.size or self.size).rows(episode, request)

    def page(self, episode: Episode, size: int) -> Mapping[str, object]:
        """Return the frames of a page."""
        return _of(episode).page(episode, size)

    def last_view(self, episode: Episode, size: int) -> NDArray[np.uint8]:
        """Return what is where at the end."""
        return _of(episode).last_view(episode, size)

    def video(self, episode: Episode, size: int | None, form: str) -> bytes:
        """Return a film, a moment for each step."""
        return _of(episode).video(episode, size or self.size, form)

    def problem(self, episode: Episode) -> tuple[Domain, Problem] | None:
        """Return the stored problem; None if the domain has changed since."""
        return _of(episode).problem(episode)


def _of(episode: Episode, size: int = SIZE) -> WorldPictures:
    text = dict(episode.extras).get("activity")
    if text is None:
        raise DatasetCorrupt(f"episode {episode.index} has no activity")
    return WorldPictures(_EpisodeWorld(parse_activity(text, f"the activity of episode {episode.index}")), size)


class _EpisodeWorld(BehaviorWorld):
    """The world of one episode: the synsets of its activity, and a simulator that draws."""

    def __init__(self, activity: Activity) -> None:
        super().__init__(domain_of(activity))
        self._activity = activity

    def simulator(self) -> _DrawingSimulator:
        """Return a new simulator."""
        return _DrawingSimulator(self.domain(), self._activity)


class _DrawingSimulator:
    """The domain's own actions, with a picture of the state."""

    def __init__(self, domain: Domain, activity: Activity) -> None:
        self._plain = PddlSimulator(domain)
        self._activity = activity
        self._before: State = frozenset()
        self._last = ""

    def reset(self, scene: PddlScene) -> Event:
        event = self._plain.reset(scene)
        self._before, self._last = self._plain.state(), "the start"
        return event

    def step(self, action: SimulatorAction) -> Event:
        self._before = self._plain.state()
        self._last = " ".join((action.action, *(str(each) for each in action.arguments.values())))
        return self._plain.step(action)

    def state(self) -> State:
        return self._plain.state()

    def observation(self) -> Observation:
        """Return the atoms that can change as text, and the picture as a camera."""
        state, before = self._plain.state(), self._before
        return Observation(
            self._plain.observation().text,
            pictures={
                "rooms": lambda size: Frame.of_colours(draw_state(self._activity, state, before, self._last, size))
            },
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
    tops = _cards(activity, state)
    names = Names(activity)
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


def _name(thing: str, names: Names) -> str:
    try:
        return names.the(bddl_name(thing)).removeprefix("the ")
    except KeyError:
        return thing


def _cards(activity: Activity, state: State) -> list[tuple[str, str]]:
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
    thing: str, state: State, before: State, names: Names, letters: int, depth: int, above: frozenset[str]
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
