"""Episodes of any world run again: what its simulator shows at each moment, as a picture or as text on paper.

Episodes of any domain hold their own: their states are drawn as atoms in words, changes in colour.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from chorewright.domains.facts import VALUE
from chorewright.domains.pddl.parser import parse_problem
from chorewright.domains.pddl.syntax import Domain, GroundAtom, Problem, State
from chorewright.domains.pddl.writer import write_domain
from chorewright.errors import DatasetCorrupt
from chorewright.generator.dataset.config import text_sha256
from chorewright.generator.dataset.episode import Episode, Step
from chorewright.generator.pddl.sources import read_problem
from chorewright.generator.pddl.world import PddlWorld
from chorewright.generator.production.solving import step_of
from chorewright.generator.production.worlds import World
from chorewright.generator.showing.moments import LAYERS, EpisodeCamera, FilmStyle, Moments
from chorewright.planner.plan import GroundAction
from chorewright.problems.pddl.scenes import PddlScene
from chorewright.replay.games.running import changing_predicates
from chorewright.replay.simulator import Event, Frame, Observation, PddlSimulator, Simulator, SimulatorAction
from chorewright.rsa.words.verbaliser import Verbaliser

SIZE = 480
"""Pixels on a side of a state's picture where the user names none."""

ON_PAGE = 720
"""Pixels on a side of a state's picture on a page, at least."""

START = "At the start"

LINE, LETTER, MARGIN = 14, 7, 8
PAPER = (255, 255, 255)

INK, PALE, NEW, OLD = (30, 32, 36), (120, 124, 132), (20, 110, 50), (170, 40, 30)
NEW_PAPER, OLD_PAPER = (226, 244, 230), (250, 230, 226)
ROW, EDGE, LETTERS = 16, 12, 66
LEAST = 360
"""Pixels on a side of the smallest state's picture that is drawn as it is; smaller ones are made from one so large."""

DrawState: TypeAlias = Callable[[State, State, str, int], NDArray[np.uint8]]
"""Draws a state: its atoms, those a step earlier, what has just been done, and pixels on a side."""


@dataclass(slots=True)
class WorldRun:
    """A simulator at work, and the atoms that are true in it."""

    simulator: Simulator[PddlScene]
    state: State


@dataclass(frozen=True, slots=True)
class WorldMoments(Moments[WorldRun]):
    """Runs stored episodes in the simulator of their world, and draws what the first of its cameras sees.

    Attributes:
        world_of: Returns the world of an episode.
        cameras: One; what the user names no size for has its.
        layers: All; what a simulator does not know is empty.
        page_size: See ``Moments``.
    """

    world_of: Callable[[Episode], World]
    cameras: tuple[EpisodeCamera, ...] = (EpisodeCamera("agent", 300),)
    layers: tuple[str, ...] = LAYERS
    page_size: int = 0

    style = FilmStyle(600, 3)

    def set_up(self, episode: Episode) -> WorldRun:
        """Return the world's simulator in the episode's scene."""
        world = self.world_of(episode)
        known = _problem_of(world, episode)
        if known is None:
            raise DatasetCorrupt(
                f"episode {episode.index} was made with another domain than the one of the world {world.name}",
                hint="install the version of the world that made it",
            )
        simulator = world.simulator()
        event = simulator.reset(PddlScene.of(known[1], dict(episode.extras).get("scene", "")))
        if not event.success:
            raise DatasetCorrupt(
                f"episode {episode.index} does not replay: its start is refused: {event.error_message}"
            )
        return WorldRun(simulator, frozenset(simulator.state()))

    def step(self, world: WorldRun, step: Step) -> str:
        """Run a step, and compare what it changes."""
        call = SimulatorAction(step.action, step.call())
        event = world.simulator.step(call)
        if not event.success:
            return f"is refused: {event.error_message}"
        before, world.state = world.state, frozenset(world.simulator.state())
        return "" if step_of(call, step.segment, before, world.state) == step else "changes something else"

    def draw(self, world: WorldRun, sizes: Sequence[int]) -> Sequence[Frame]:
        """Return what the first camera sees; the observation's text on paper if there is no camera."""
        seen = world.simulator.observation()
        for draw in seen.pictures.values():
            return [draw(size) for size in sizes]
        return [Frame.of_colours(paper(seen.text, size)) for size in sizes]

    def problem(self, episode: Episode) -> tuple[Domain, Problem] | None:
        """Return the stored problem; None if there is none, or the world's domain has changed since."""
        return _problem_of(self.world_of(episode), episode)


def _problem_of(world: World, episode: Episode) -> tuple[Domain, Problem] | None:
    domain, text = world.domain(), dict(episode.extras).get("problem")
    if text is None or text_sha256(write_domain(domain)) != episode.domain_sha256:
        return None
    return domain, parse_problem(text, domain, f"the problem of episode {episode.index}")


def state_moments(world_of: Callable[[Episode], World]) -> WorldMoments:
    """Return what runs episodes, each in the world that it holds, and draws their states large enough to be read."""
    return WorldMoments(world_of, (EpisodeCamera("state", SIZE),), ("rgb",), ON_PAGE)


def paper(text: str, size: int) -> NDArray[np.uint8]:
    """Return a text as a picture; what does not fit is left out at the end.

    Returns:
        (size, size, 3) uint8.
    """
    picture = Image.new("RGB", (size, size), PAPER)
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(11)
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, max(8, (size - 2 * MARGIN) // LETTER))]
    for number, line in enumerate(lines[: max(1, (size - 2 * MARGIN) // LINE)]):
        draw.text((MARGIN, MARGIN + LINE * number), line, fill=INK, font=font)
    return np.asarray(picture, np.uint8)


class DrawingSimulator:
    """A domain's own actions, with a picture of the state."""

    def __init__(self, domain: Domain, title: Callable[[GroundAction], str], draw: DrawState) -> None:
        """Make a simulator; ``reset`` gives it a scene.

        Args:
            domain: The domain.
            title: Says what an action does.
            draw: Draws a state.
        """
        self._plain, self._title, self._draw = PddlSimulator(domain), title, draw
        self._before: State = frozenset()
        self._last = START

    def reset(self, scene: PddlScene) -> Event:
        """Begin in a scene; see ``PddlSimulator.reset``."""
        event = self._plain.reset(scene)
        self._before, self._last = self._plain.state(), START
        return event

    def step(self, action: SimulatorAction) -> Event:
        """Run an action of the domain; see ``PddlSimulator.step``."""
        self._before = self._plain.state()
        self._last = self._title(GroundAction(action.action, tuple(map(str, action.arguments.values()))))
        return self._plain.step(action)

    def state(self) -> State:
        """Return the true atoms, derived ones included."""
        return self._plain.state()

    def observation(self) -> Observation:
        """Return the atoms as text, and the picture as a camera."""
        state, before, last = self._plain.state(), self._before, self._last

        def draw(size: int) -> Frame:
            large = self._draw(state, before, last, max(size, LEAST))
            if size >= LEAST:
                return Frame.of_colours(large)
            small = Image.fromarray(large).resize((size, size), Image.Resampling.LANCZOS)
            return Frame.of_colours(np.asarray(small, np.uint8))

        return Observation(self._plain.observation().text, pictures={"state": draw})


class EpisodeWorld(PddlWorld):
    """The world of one episode: the domain that it holds, and a simulator that draws."""

    def __init__(self, episode: Episode) -> None:
        stored = read_problem(episode)
        self._own, self.name = stored.domain, stored.domain.name
        self._says = Verbaliser.of(stored.domain, stored.problem.objects, stored.wordings)
        self._fluent = changing_predicates(stored.domain) | {VALUE}

    def domain(self) -> Domain:
        """Return the domain."""
        return self._own

    def simulator(self) -> DrawingSimulator:
        """Return a new simulator."""
        return DrawingSimulator(self._own, self._says.step, self._draw)

    def _draw(self, state: State, before: State, title: str, size: int) -> NDArray[np.uint8]:
        """Draw the atoms that actions can change."""
        now, then = (frozenset(atom for atom in atoms if atom[0] in self._fluent) for atoms in (state, before))
        return draw_state(self._says, now, then, title, size)


def draw_state(says: Verbaliser, state: State, before: State, title: str, size: int) -> NDArray[np.uint8]:
    """Draw a state as a page: what has just come about first and green, what has ended red, then the rest.

    Args:
        says: Words the atoms.
        state: The atoms.
        before: The atoms a step earlier.
        title: What has just been done.
        size: Pixels on a side.

    Returns:
        (size, size, 3) uint8.
    """
    scale = size / SIZE
    picture = Image.new("RGB", (size, size), PAPER)
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(max(6, round(12 * scale)))
    big = ImageFont.load_default(max(8, round(15 * scale)))
    lines = [(part, INK, PAPER, "") for part in textwrap.wrap(title, LETTERS - 12)]
    heads = len(lines)
    lines += _lines(says, state - before, NEW, NEW_PAPER, "+ ")
    lines += _lines(says, before - state, OLD, OLD_PAPER, "- ")
    rest = says.state(state & before)
    for text in rest.split(". "):
        lines += [(part, INK, PAPER, "") for part in textwrap.wrap(text.rstrip(".") + ".", LETTERS)] if text else []
    high, top = ROW * scale, EDGE * scale
    room = int((size - 2 * top) // high)
    for number, (text, ink, paper, sign) in enumerate(lines[:room]):
        y = top + number * high + (6 * scale if number >= heads else 0)
        if paper != PAPER:
            pen.rectangle((top / 2, y - 1, size - top / 2, y + high - 2), fill=paper)
        pen.text((top, y), sign + text, fill=ink, font=big if number < heads else font)
    if len(lines) > room:
        pen.text((top, size - high), f"and {len(lines) - room} more lines", fill=PALE, font=font)
    return np.asarray(picture, np.uint8)


def _lines(
    says: Verbaliser, atoms: frozenset[GroundAtom], ink: tuple[int, int, int], paper: tuple[int, int, int], sign: str
) -> list[tuple[str, tuple[int, int, int], tuple[int, int, int], str]]:
    return [(part, ink, paper, sign) for atom in sorted(atoms) for part in textwrap.wrap(says.atom(atom), LETTERS)]
