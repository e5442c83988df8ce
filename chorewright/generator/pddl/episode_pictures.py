"""Episodes that hold their own world, run again with a drawing of each state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import Domain, Problem, State
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.pddl.pictures import WorldPictures, picture_schema
from chorewright.generator.production.pictures import FrameRequest
from chorewright.generator.production.worlds import World
from chorewright.generator.showing.images import jpeg
from chorewright.planner.plan import GroundAction
from chorewright.problems.pddl.scenes import PddlScene
from chorewright.replay.games.simulator import PddlSimulator
from chorewright.replay.simulator import Event, Frame, Observation, SimulatorAction

SIZE = 480
"""Pixels on a side of a picture where the user names none."""

ON_PAGE = 720
"""Pixels on a side of a picture on a page, at least."""

START = "At the start"

DrawState: TypeAlias = Callable[[State, State, str, int], NDArray[np.uint8]]
"""Draws a state: its atoms, those a step earlier, what has just been done, and pixels on a side."""


@dataclass(frozen=True, slots=True)
class EpisodePictures:
    """Runs stored episodes, each in the world that it holds, and draws their states.

    Attributes:
        world_of: Returns the world of an episode.
        size: Pixels on a side of a picture where the user names none.
        layers: Colours only; there is no depth.
    """

    world_of: Callable[[Episode], World]
    size: int = SIZE
    layers: tuple[str, ...] = ("rgb",)

    def replay(self, episode: Episode) -> None:
        """Run the steps again, and compare what each of them changes."""
        self._of(episode).replay(episode)

    def schema(self, request: FrameRequest) -> pa.Schema:
        """Return the columns: a PNG for each layer."""
        return picture_schema(request)

    def rows(self, episode: Episode, request: FrameRequest) -> Iterator[dict[str, object]]:
        """Yield a row for each moment, the start first."""
        return self._of(episode).rows(episode, request)

    def page(self, episode: Episode, size: int) -> Mapping[str, object]:
        """Return the frames of a page, large enough to be read, without the empty rows at their bottoms."""
        views = list(self._of(episode).views(episode, max(size, ON_PAGE)))
        used = [np.flatnonzero((each != each[-1, -1]).any(axis=(1, 2))) for each in views]
        height = max((int(rows[-1]) + 1 for rows in used if len(rows)), default=0) + ON_PAGE // 24
        return {"frames": [jpeg(each[:height]) for each in views]}

    def last_view(self, episode: Episode, size: int) -> NDArray[np.uint8]:
        """Return the last state."""
        return self._of(episode).last_view(episode, size)

    def video(self, episode: Episode, size: int | None, form: str) -> bytes:
        """Return a film, a moment for each step."""
        return self._of(episode).video(episode, size, form)

    def problem(self, episode: Episode) -> tuple[Domain, Problem] | None:
        """Return the stored problem; None if the domain has changed since."""
        return self._of(episode).problem(episode)

    def _of(self, episode: Episode) -> WorldPictures:
        return WorldPictures(self.world_of(episode), self.size)


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
        text = self._plain.observation().text
        return Observation(text, pictures={"state": lambda s: Frame.of_colours(self._draw(state, before, last, s))})
