"""Episodes of any domain run again, with a picture of each state: its atoms in words, changes in colour."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, GroundAtom, Problem, State
from chorewright.domains.values import VALUE
from chorewright.errors import DatasetCorrupt
from chorewright.generator.episode import Episode
from chorewright.generator.pddl.pictures import WorldPictures
from chorewright.generator.pddl.world import PddlWorld
from chorewright.generator.pictures import FrameRequest
from chorewright.planner.plan import GroundAction
from chorewright.problems.pddl.scenes import PddlScene
from chorewright.replay.pddl.simulator import PddlSimulator
from chorewright.replay.simulator import Event, Frame, Observation, SimulatorAction
from chorewright.rsa.verbalise.files import parse_wordings
from chorewright.rsa.verbalise.verbaliser import Verbaliser

SIZE = 480
INK, PALE, PAPER, NEW, OLD = (30, 32, 36), (120, 124, 132), (255, 255, 255), (20, 110, 50), (170, 40, 30)
NEW_PAPER, OLD_PAPER = (226, 244, 230), (250, 230, 226)
LINE, MARGIN, LETTERS = 16, 12, 66


@dataclass(frozen=True, slots=True)
class StatePictures:
    """Runs stored episodes by their own domain, and draws their states.

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
        fields = [("episode", pa.int64()), ("step", pa.int32()), *((layer, pa.binary()) for layer in request.layers)]
        return pa.schema(fields)

    def rows(self, episode: Episode, request: FrameRequest) -> Iterator[dict[str, object]]:
        """Yield a row for each moment, the start first."""
        return _of(episode, request.size or self.size).rows(episode, request)

    def page(self, episode: Episode, size: int) -> Mapping[str, object]:
        """Return the frames of a page."""
        return _of(episode).page(episode, size)

    def last_view(self, episode: Episode, size: int) -> NDArray[np.uint8]:
        """Return the last state."""
        return _of(episode).last_view(episode, size)

    def video(self, episode: Episode, size: int | None, form: str) -> bytes:
        """Return a film, a moment for each step."""
        return _of(episode).video(episode, size or self.size, form)

    def problem(self, episode: Episode) -> tuple[Domain, Problem] | None:
        """Return the stored problem."""
        return _of(episode).problem(episode)


def stored_domain(episode: Episode) -> Domain:
    """Return the domain of an episode, which it holds as text.

    Raises:
        DatasetCorrupt: It has none.
    """
    text = dict(episode.extras).get("domain")
    if text is None:
        raise DatasetCorrupt(f"episode {episode.index} has no domain")
    return parse_domain(text, f"the domain of episode {episode.index}")


def _of(episode: Episode, size: int = SIZE) -> WorldPictures:
    return WorldPictures(_EpisodeWorld(episode), size)


class _EpisodeWorld(PddlWorld):
    """The world of one episode: the domain that it holds, and a simulator that draws."""

    def __init__(self, episode: Episode) -> None:
        self._own = stored_domain(episode)
        self.name = self._own.name
        texts, whose = dict(episode.extras), f"of episode {episode.index}"
        problem = parse_problem(texts["problem"], self._own, f"the problem {whose}")
        words = texts.get("wordings", "")
        wordings = parse_wordings(words, self._own, f"the wordings {whose}") if words else None
        self._says = Verbaliser.of(self._own, problem.objects, wordings)

    def domain(self) -> Domain:
        """Return the domain."""
        return self._own

    def simulator(self) -> _DrawingSimulator:
        """Return a new simulator."""
        return _DrawingSimulator(self._own, self._says)


class _DrawingSimulator:
    """The domain's own actions, with a picture of the state."""

    def __init__(self, domain: Domain, says: Verbaliser) -> None:
        self._plain = PddlSimulator(domain)
        self._says = says
        self._start: State = frozenset()
        self._before: State = frozenset()
        self._last = ""
        changed = {name for action in domain.actions for name in _changed(action.effect)}
        self._fluent = changed | {axiom.head.name for axiom in domain.axioms}

    def reset(self, scene: PddlScene) -> Event:
        event = self._plain.reset(scene)
        self._before, self._last = self._plain.state(), "At the start"
        return event

    def step(self, action: SimulatorAction) -> Event:
        self._before = self._plain.state()
        self._last = self._says.step(GroundAction(action.action, tuple(map(str, action.arguments.values()))))
        return self._plain.step(action)

    def state(self) -> State:
        return self._plain.state()

    def observation(self) -> Observation:
        """Return the atoms as text, and as a picture those that actions can change."""
        state, before = self._plain.state(), self._before
        changing = frozenset(atom for atom in state | before if atom[0] in self._fluent or atom[0] == VALUE)
        return Observation(
            self._plain.observation().text,
            pictures={
                "state": lambda size: Frame.of_colours(
                    draw_state(self._says, changing & state, changing & before, self._last, size)
                )
            },
        )


def _changed(effect: object) -> Iterator[str]:
    """Yield the predicates that an effect changes."""
    atom = getattr(effect, "atom", None)
    if atom is not None:
        yield atom.predicate
    for part in (*getattr(effect, "effects", ()), getattr(effect, "effect", None)):
        if part is not None:
            yield from _changed(part)


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
    high, top = LINE * scale, MARGIN * scale
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
