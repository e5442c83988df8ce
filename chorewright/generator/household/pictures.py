"""Pictures of episodes in the rooms: the agent's view at each step, a film with the map, and a page's frames."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import radians

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import UsageError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.problems import room_of
from chorewright.generator.household.replaying import MakeWorld, Moment, moments
from chorewright.generator.production.pictures import LAYERS, FrameRequest
from chorewright.generator.showing.films import film
from chorewright.generator.showing.images import jpeg, png
from chorewright.problems.household.scene import GRID, Vector
from chorewright.replay.household.pixels.map_view import map_camera, map_view
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import Settings
from chorewright.replay.simulator import SimulatorAction

MAP = 300
"""Pixels on a side of a page's map."""

MILLISECONDS = 240
"""How long a moment of a film is shown; the last one four times as long."""

BAR, LINE, MARGIN = 14, 15, 6
PAPER, TEXT, DONE, NOW, LATER = (255, 255, 255), (30, 32, 36), (96, 150, 110), (214, 120, 52), (214, 216, 220)

BuildCalls = Callable[[SimulatorAction], Sequence[SimulatorAction]]
"""Makes a real build's calls of one that was recorded."""


def as_recorded(call: SimulatorAction) -> Sequence[SimulatorAction]:
    """Return a recorded call that a build knows as it is."""
    return (call,)


@dataclass(frozen=True, slots=True)
class HouseholdPictures:
    """Runs and draws episodes whose steps are calls of a THOR world.

    Attributes:
        world: Makes the world that the steps were recorded in.
        settings: How its agent sees and turns, for a real build.
        stored_problem: Makes an episode's planning problem again.
        size: Pixels on a side of a picture where the user names none.
        layers: All.
        build_calls: Makes AI2-THOR's calls of a recorded one.
    """

    world: MakeWorld
    settings: Settings
    stored_problem: Callable[[Episode], Problem | None]
    size: int = 300
    layers: tuple[str, ...] = LAYERS
    build_calls: BuildCalls = as_recorded

    def replay(self, episode: Episode) -> None:
        """Run the steps again."""
        for _ in moments(episode, 16, self.world):
            pass

    def schema(self, request: FrameRequest) -> pa.Schema:
        """Return the columns ``episode``, ``step``, each layer and, with instances, ``names``."""
        fields = [("episode", pa.int64()), ("step", pa.int32()), *((layer, pa.binary()) for layer in request.layers)]
        if "instances" in request.layers:
            fields.append(("names", pa.list_(pa.string())))
        return pa.schema(fields)

    def rows(self, episode: Episode, request: FrameRequest) -> Iterator[dict[str, object]]:
        """Yield the agent's view before the first step and after each."""
        renderer = Renderer()
        for moment in moments(episode, request.size or self.size, self.world):
            frame = renderer.frame(moment.scene, moment.camera)
            row: dict[str, object] = {"episode": episode.index, "step": moment.step}
            for layer in request.layers:
                row[layer] = png(frame, layer)
            if "instances" in request.layers:
                row["names"] = list(frame.names)
            yield row

    def page(self, episode: Episode, size: int) -> Mapping[str, object]:
        """Return the agent's views, its places on the map, and the map at the start."""
        renderer = Renderer()
        frames, places = [], []
        seen: list[Moment] = []
        for moment in moments(episode, size, self.world):
            seen.append(moment)
            frames.append(jpeg(renderer.frame(moment.scene, moment.camera).rgb))
            places.append(_place(moment))
        start = seen[0].scene
        return {
            "frames": frames,
            "places": places,
            "map": jpeg(renderer.frame(start, map_camera(start, MAP)).rgb),
        }

    def last_view(self, episode: Episode, size: int) -> NDArray[np.uint8]:
        """Return the agent's view at the end."""
        *_, last = moments(episode, 2 * size, self.world)
        picture = Image.fromarray(Renderer().frame(last.scene, last.camera).rgb)
        return np.asarray(picture.resize((size, size), Image.Resampling.BOX))

    def video(self, episode: Episode, size: int | None, form: str) -> bytes:
        """Return a film of what the agent sees, the map, the sentence, and a bar of segments."""
        size = size or self.size
        if size < 64:
            raise UsageError(f"a video must be 64 pixels high at least, not {size}")
        renderer, pictures = Renderer(), []
        seen: list[Moment] = []
        marks = _marks(episode)
        for moment in moments(episode, size, self.world):
            seen.append(moment)
            view = renderer.frame(moment.scene, moment.camera).rgb
            plan = map_view(renderer, moment.scene, size, [each.scene.agent for each in seen], marks)[:size]
            pictures.append(_picture(episode, moment.step, np.concatenate((view, plan), axis=1)))
        return film(pictures, MILLISECONDS, 4, form)

    def problem(self, episode: Episode) -> tuple[Domain, Problem] | None:
        """Return the household domain and the problem that the plan solves."""
        problem = self.stored_problem(episode)
        return None if problem is None else (room_of(episode).kinds.domain, problem)


def _place(moment: Moment) -> Sequence[float]:
    """Where the agent is on the map, as fractions of its sides, and which way it looks."""
    pose = moment.scene.agent
    at = map_camera(moment.scene, MAP).project((pose.x * GRID, moment.scene.agent_y - 0.9, pose.z * GRID))
    assert at is not None
    return round(at[0] / MAP, 4), round(at[1] / MAP, 4), round(radians(90 * pose.rotation), 4)


def _marks(episode: Episode) -> dict[str, Vector]:
    """The places that the segments are about, by kind."""
    bodies = {body.object_id: body for body in room_of(episode).objects}
    told = " ".join(step.arguments for step in episode.steps)
    return {name.split("|")[0]: body.centre for name, body in bodies.items() if f'"{name}"' in told}


def _picture(episode: Episode, step: int, view: NDArray[np.uint8]) -> Image.Image:
    """Put the sentence and the bar below a view."""
    width, font = view.shape[1], ImageFont.load_default(11)
    segment = episode.steps[max(0, step - 1)].segment if episode.steps else 0
    lines = textwrap.wrap(_sentence(episode, segment), max(20, width // 6))[:3]
    whole = Image.new("RGB", (width, view.shape[0] + BAR + 2 * MARGIN + 3 * LINE), PAPER)
    whole.paste(Image.fromarray(view))
    draw = ImageDraw.Draw(whole)
    top = view.shape[0] + MARGIN
    for left, right, ink in _bar(episode, step, segment, width):
        draw.rectangle((left, top, right - 1, top + BAR - 4), fill=ink)
    for number, line in enumerate(lines):
        draw.text((MARGIN, top + BAR + LINE * number), line, fill=TEXT, font=font)
    return whole


def _bar(episode: Episode, step: int, segment: int, width: int) -> Sequence[tuple[float, float, tuple[int, int, int]]]:
    """The segments as stretches of the bar, each as long as it has steps."""
    total = max(1, len(episode.steps))
    found, start = [], 0
    for number in range(len(episode.segments)):
        count = sum(each.segment == number for each in episode.steps)
        ink = DONE if step >= start + count else NOW if number == segment else LATER
        if count:
            found.append((width * start / total, width * (start + count) / total - 1, ink))
        start += count
    return found


def _sentence(episode: Episode, segment: int) -> str:
    """The sentence that belongs to a segment, else that of the whole."""
    said = [each for each in episode.instructions if each.annotation == 0]
    own = [each.text for each in said if each.segment == segment]
    whole = [each.text for each in said if each.segment is None]
    return (own or whole or [episode.task])[0]
