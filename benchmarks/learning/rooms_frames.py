"""What a policy for the rooms learns from and plays: frames of episodes as arrays, and episodes as games.

Nothing here needs torch.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.evaluation import holds
from chorewright.domains.formulas import Universe, derive
from chorewright.domains.pddl.parser import parse_formula
from chorewright.generator import Dataset
from chorewright.generator.dataset.episode import Episode, Step
from chorewright.generator.household.moments import HouseholdMoments, call_of
from chorewright.generator.household.noise import noise_of
from chorewright.generator.household.spawning import room_of
from chorewright.generator.showing.moments import moments_of
from chorewright.generator.showing.views import parse_view
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.state import state_of
from chorewright.replay.household.executor import MOVES
from chorewright.replay.household.executor import call_of as move_call
from chorewright.replay.household.pixels.camera import agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import ALFRED_SETTINGS
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Frame, SimulatorAction

Made = TypeVar("Made")

LearnedRow: TypeAlias = tuple[NDArray[np.uint8], str, list[str], str, str]
"""A frame: picture, sentence, last actions, the expert's action and its target's kind."""

SIDE = 64
"""Pixels on a side of the pictures."""

WORDS, LONGEST = 2048, 32
"""Numbers that words are hashed to (0 is no word), and words of a sentence."""

LAST = 4
"""Actions that are remembered."""

STOP, FAILED = "Stop", "Failed"


@dataclass(frozen=True, slots=True)
class Names:
    """What the network's outputs are called: actions (``Stop`` among them), and kinds of things."""

    actions: tuple[str, ...]
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frames:
    """Moments to learn from.

    Attributes:
        pictures: (n, SIDE, SIDE, 3).
        words: (n, LONGEST) the sentence's.
        last: (n, LAST) actions before, the latest first: 1 + their numbers, 0 for none.
        actions: (n,) what the expert does.
        kinds: (n,) of what it acts on, -1 for moves.
    """

    pictures: NDArray[np.uint8]
    words: NDArray[np.int64]
    last: NDArray[np.int64]
    actions: NDArray[np.int64]
    kinds: NDArray[np.int64]


def hashed(sentence: str) -> NDArray[np.int64]:
    """Return a sentence as the network reads it."""
    words = re.findall(r"[a-z]+", sentence.lower())[:LONGEST]
    numbers = [1 + crc32(word.encode()) % (WORDS - 1) for word in words]
    return np.array([*numbers, *[0] * (LONGEST - len(numbers))], np.int64)


def sentence_of(episode: Episode, segment: int) -> str:
    """Return what the first annotator says of a subgoal, or of the whole where it says nothing."""
    said = {each.segment: each.text for each in episode.instructions if each.annotation == 0}
    return said.get(segment) or said.get(None, "")


def thing_of(step: Mapping[str, object]) -> str:
    """Return what an action is about; nothing of a move."""
    return str(step.get("receptacleObjectId") or step.get("objectId") or "")


def target_of(step: Mapping[str, object]) -> str:
    """Return the kind of what an action is about; nothing of a move."""
    return kind_of(thing_of(step))


def kind_of(object_id: str) -> str:
    """Return the kind of an object by its id; of pieces that of the piece."""
    parts = object_id.split("|")
    return parts[-1].split("_")[0] if len(parts) > 4 else parts[0]


def moments_to_learn(folder: Path, looks: int, index: int) -> list[LearnedRow]:
    """Return of each frame: picture, sentence, last actions, the expert's action and its target's kind."""
    episode = Dataset(folder)[index]
    words = ("agent,look=1",) if looks and index % 2 else ()
    family = moments_of("alfred", parse_view(words)[1])
    assert isinstance(family, HouseholdMoments)
    found, last = [], deque([""] * LAST, maxlen=LAST)
    for moment in family.moments(episode):
        step = episode.steps[moment.number] if moment.number < len(episode.steps) else None
        picture = moment.frames([SIDE])[0].rgb
        segment = len(episode.segments) - 1 if step is None else step.segment
        action, kind = (STOP, "") if step is None else _meant(episode, step, moment.number)
        found.append((picture, sentence_of(episode, segment), list(last), action, kind))
        if step is not None:
            last.appendleft(step.action if step.success else FAILED)
    return found


def _meant(episode: Episode, step: Step, number: int) -> tuple[str, str]:
    """Return the expert's action in a frame, and the kind of its target."""
    told = noise_of(step).get("commanded")
    if not isinstance(told, Mapping):
        return step.action, target_of(step.call())
    name = str(told["action"])
    later = (each for each in episode.steps[number + 1 :] if each.action == name and not noise_of(each))
    return name, target_of(next(later).call()) if "objectId" in told else ""


def frames_of(dataset: Dataset, looks: int, share: float, workers: int) -> tuple[Frames, Names]:
    """Return all frames of a dataset as arrays, and what the network's outputs are called."""
    places = range(max(1, round(share * len(dataset))))
    rows = [
        row
        for some in spread(partial(moments_to_learn, Path(str(dataset.folder)), looks), places, workers)
        for row in some
    ]
    actions = sorted({row[3] for row in rows} | {name for row in rows for name in row[2] if name})
    kinds = sorted({row[4] for row in rows if row[4]})
    names = Names(tuple(actions), tuple(kinds))
    known = {sentence: hashed(sentence) for sentence in {row[1] for row in rows}}
    frames = Frames(
        np.stack([row[0] for row in rows]),
        np.stack([known[row[1]] for row in rows]),
        np.array([[1 + actions.index(name) if name else 0 for name in row[2]] for row in rows], np.int64),
        np.array([actions.index(row[3]) for row in rows], np.int64),
        np.array([kinds.index(row[4]) if row[4] else -1 for row in rows], np.int64),
    )
    return frames, names


def spread(work: Callable[[int], Made], items: Sequence[int], workers: int) -> Iterator[Made]:
    """Yield what comes of each item, in order, by several processes."""
    if workers < 2:
        yield from map(work, items)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(work, items, chunksize=max(1, min(16, len(items) // (4 * workers))))


class Game:
    """An episode played by a policy in the THOR world.

    Attributes:
        last: The last actions, the latest first; ``Failed`` for what failed.
    """

    def __init__(self, episode: Episode) -> None:
        """Set it up as the episode begins."""
        self.episode, self.world, self._probe = episode, ThorWorld(ALFRED_SETTINGS), ThorWorld(ALFRED_SETTINGS)
        self.world.reset(room_of(episode))
        self._renderer = Renderer()
        self.last = deque([""] * LAST, maxlen=LAST)
        self.segment, self._deeds = 0, deque[Step]()
        self._enter()

    def lead(self, segment: int) -> None:
        """Do what the expert does before a subgoal."""
        for step in self.episode.steps:
            if step.segment < segment:
                self.act(step.action, thing_of(step.call()))

    def frame(self, side: int) -> Frame:
        """Return what the agent sees."""
        return self._renderer.frame(self.world.scene(), agent_camera(self.world.room, side))

    def act(self, name: str, object_id: str) -> bool:
        """Do an action; return whether it succeeds, which an interaction with nothing does not."""
        move = next((call for call, known in MOVES.items() if known == name), None)
        success = False
        if move is not None:
            success = self.world.step(move_call(move)).success
        elif object_id:
            told: dict[str, str | bool] = {"objectId": object_id}
            if name == "PutObject":
                held = self.world.room.holding or ""
                told = {"objectId": held, "receptacleObjectId": object_id, "forceAction": True, "placeStationary": True}
            success = self.world.step(SimulatorAction(name, dict(told))).success
            meant = self._deeds[0] if success and self._deeds else None
            if meant is not None and (meant.action, target_of(meant.call())) == (name, kind_of(object_id)):
                self._deeds.popleft()
        self.last.appendleft(name if success else FAILED)
        self._go_on()
        return success

    def won(self) -> bool:
        """Return whether the goal holds."""
        start = room_of(self.episode)
        domain = start.kinds.domain
        goal = parse_formula(self.episode.goal, domain)
        household = household_problem(start, goal)
        universe = Universe.of(domain, household.problem)
        now = state_of(self.world.scene(), household.ids, household.begun)
        return holds(goal, derive(domain, now, universe), universe)

    def _enter(self) -> None:
        self._deeds = deque(self._deeds_of(self.segment))

    def _deeds_of(self, segment: int) -> list[Step]:
        """Return what the expert does to things in a segment, without what goes astray."""
        steps = [each for each in self.episode.steps if each.segment == segment and not noise_of(each)]
        return [each for each in steps if "objectId" in each.call()]

    def _go_on(self) -> None:
        while self.segment < len(self.episode.segments) - 1 and not self._deeds:
            if self.episode.segments[self.segment].action == "GotoLocation" and not self._arrived():
                return
            self.segment += 1
            self._enter()

    def _arrived(self) -> bool:
        """Return whether what comes after the walk can be done from here."""
        after = self._deeds_of(self.segment + 1)
        if not after:
            return True
        self._probe.reset(self.world.scene())
        return self._probe.step(call_of(after[0].action, after[0].arguments)).success
