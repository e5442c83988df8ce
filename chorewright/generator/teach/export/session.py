"""A TEACh episode as a session: what both agents did in one order, run again for the states between."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from chorewright.domains.teach.definition import TeachTask
from chorewright.domains.teach.definitions import Definitions
from chorewright.domains.teach.progress import check
from chorewright.errors import ChorewrightError, DatasetCorrupt, InputError, Location
from chorewright.generator.dataset.episode import Episode, Step
from chorewright.generator.household.moments import HouseholdMoments
from chorewright.generator.household.noise import noise_of
from chorewright.generator.household.spawning import room_of
from chorewright.generator.teach.compiling import task_name
from chorewright.generator.teach.dialogue import start_scene
from chorewright.generator.teach.export import format
from chorewright.problems.household.scene import Bystander, Scene
from chorewright.replay.teach.world import INTERACTIONS, MOVES, NO_MEMORY, Memory, TeachWorld, teach_world

COMMANDER, DRIVER = 0, 1

TEXT, PROGRESS = "Text", "OpenProgressCheck"

RECORDED = "game"
"""The extra of an imported session: the name and the document of its game file, and those of its instances."""

DURATION = 1
"""TEACh's recorder writes 1 for every action, however long it takes."""


@dataclass(frozen=True, slots=True)
class GameInteraction:
    """One action of an agent: its name, when it began, and its document in the format's words."""

    agent: int
    name: str
    time: float
    document: Mapping[str, format.Json]

    @property
    def moves(self) -> bool:
        """Whether the Driver walks, turns or looks."""
        return self.agent == DRIVER and self.name in MOVES

    @property
    def turns(self) -> bool:
        """Whether a Commander with a body turns."""
        return self.agent == COMMANDER and self.name in MOVES

    @property
    def touches(self) -> bool:
        """Whether the Driver does something to an object."""
        return self.agent == DRIVER and self.name in INTERACTIONS

    @property
    def drives(self) -> bool:
        """Whether the Driver does something in its surroundings."""
        return self.moves or self.touches

    @property
    def spoken(self) -> str | None:
        """What is said, if something is."""
        return str(self.document["utterance"]) if self.name == TEXT else None


@dataclass(frozen=True, slots=True)
class TeachSession:
    """A session.

    Attributes:
        game: The game's id.
        task: The task, its parameters filled in.
        initial: The scene at the start.
        final: The scene at the end.
        memory: What TEACh's wrapper remembers at the end.
        interactions: What both agents did, in order.
        states: After each utterance the metadata of all objects, by the number of the interaction; that of
            the end by the number of interactions, and that of the start by -1.
    """

    game: str
    split: str
    task: TeachTask
    initial: Scene
    final: Scene
    memory: Memory
    interactions: tuple[GameInteraction, ...]
    states: Mapping[int, format.Properties]


def game_id(episode: Episode) -> str:
    """Return an id like TEACh's (16 and 4 hexadecimal digits): a hash of what made the episode."""
    made_of = [episode.benchmark, episode.index, episode.seed, episode.task, episode.parameters]
    digest = hashlib.sha256(json.dumps([*made_of, room_of(episode).name]).encode()).hexdigest()
    return f"{digest[:16]}_{digest[16:20]}"


def session(episode: Episode, definitions: Definitions) -> TeachSession:
    """Run an episode again and return it as a session.

    Raises:
        InputError: The episode is none of TEACh's, or lacks what a session needs.
        DatasetCorrupt: It does not run as it did.
    """
    reader = _Reader(episode)
    params = [value for _, value in episode.parameters]
    try:
        task = definitions.task(task_name(episode.task), params)
    except ChorewrightError as error:
        raise reader.error("task", error.message) from error
    world = TeachWorld()
    start = start_scene(episode)
    found: list[GameInteraction] = []
    states = {-1: format.properties_of(start, NO_MEMORY)}
    said, steps = reader.dialogue(), [reader.step(number, step) for number, step in enumerate(episode.steps)]
    for moment in HouseholdMoments(lambda: (world.world, world)).moments(replace(episode, scene=start)):
        for entry in said.get(moment.number, ()):
            interaction = reader.utterance(entry, task, world)
            if interaction.spoken is not None:
                states[len(found)] = format.properties_of(world.scene(), world.memory)
            found.append(interaction)
        found += steps[moment.number : moment.number + 1]
    final = replace(world.scene(), bystanders=_turn(start.bystanders, found))
    states[len(found)] = format.properties_of(final, world.memory)
    identity = game_id(episode), episode.split, task, start
    return TeachSession(*identity, final, world.memory, tuple(found), states)


def _turn(bystanders: tuple[Bystander, ...], done: Sequence[GameInteraction]) -> tuple[Bystander, ...]:
    """Return the Commander with its body, if it has one, as it stands after its last turn."""
    poses = [cast("Sequence[float]", each.document["pose"]) for each in done if each.turns]
    if not poses or not bystanders:
        return bystanders
    commander = bystanders[0]
    return (replace(commander, pose=replace(commander.pose, rotation=round(-poses[-1][5] / 90) % 4)),)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the records of an episode."""

    episode: Episode

    def error(self, where: str, message: str) -> InputError:
        return InputError(message, location=Location(f"episode {self.episode.index}", json_path=where))

    def dialogue(self) -> dict[int, list[tuple[int, dict[str, format.Json]]]]:
        """Return the entries of the dialogue by the step before which they are, numbered."""
        text = dict(self.episode.extras).get("dialogue", "[]")
        try:
            entries = json.loads(text)
        except ValueError as error:
            raise self.error("extras.dialogue", f"not JSON: {error}") from error
        found: dict[int, list[tuple[int, dict[str, format.Json]]]] = {}
        if not isinstance(entries, list):
            raise self.error("extras.dialogue", "expected a list")
        for number, entry in enumerate(entries):
            before = entry.get("before") if isinstance(entry, dict) else None
            if not isinstance(before, int) or not 0 <= before <= len(self.episode.steps):
                raise self.error(f"extras.dialogue[{number}].before", "expected the number of a step")
            found.setdefault(before, []).append((number, entry))
        return found

    def utterance(
        self, numbered: tuple[int, dict[str, format.Json]], task: TeachTask, world: TeachWorld
    ) -> GameInteraction:
        """Return an entry of the dialogue as an interaction."""
        number, entry = numbered
        where = f"extras.dialogue[{number}]"
        name, agent = str(entry.get("action", TEXT)), entry.get("agent")
        if agent not in (COMMANDER, DRIVER):
            raise self.error(f"{where}.agent", "expected 0 or 1")
        success = 1
        more: dict[str, format.Json]
        if name == TEXT:
            more = self._utter(entry, where)
        elif name in MOVES:
            more = self._move(name, entry, where)
        else:
            more = {"query": str(entry.get("query", ""))}
            if name == PROGRESS:
                success = int(check(task, teach_world(world.scene())).success)
        time = _number(entry, "time")
        if time is None:
            raise self.error(f"{where}.time", "expected a number")
        return GameInteraction(
            int(agent == DRIVER), name, time, self._document(agent == DRIVER, name, entry, success, more, where)
        )

    def _utter(self, entry: Mapping[str, format.Json], where: str) -> dict[str, format.Json]:
        """Return what is said: the text, the same without slips, and its dialogue acts with the parts they are of.

        An entry may tell ``corrected``, the text without slips, and ``acts``, pairs of an act and a part. The format
        has room for three; what is said after the third part joins it.
        """
        text = str(entry.get("text", ""))
        corrected = str(entry.get("corrected", text))
        acts = entry.get("acts", [])
        if not isinstance(acts, list) or not all(_is_pair(each) for each in acts):
            raise self.error(f"{where}.acts", "expected pairs of an act and a part of the text")
        das, parts = [act for act, _ in acts], [part for _, part in acts]
        last = format.MOST_ACTS - 1
        das, parts = das[: format.MOST_ACTS], [*parts[:last], *([" ".join(parts[last:])] if parts[last:] else [])]
        unused = [""] * (format.MOST_ACTS - len(das))
        das, parts = das + unused, parts + unused
        return {
            "utterance": text,
            "corrected_utterance": corrected,
            "da_metadata": {"das": das, "text_segments": parts},
        }

    def step(self, number: int, step: Step) -> GameInteraction:
        """Return a step as an interaction."""
        where = f"steps[{number}].arguments"
        try:
            told = step.call()
        except DatasetCorrupt as error:
            raise self.error(where, error.message) from error
        time = _number(told, "time")
        if time is None:
            raise self.error(f"{where}.time", "expected a number")
        if step.action in MOVES:
            more = self._move(step.action, told, where)
        else:
            x, y, name = _number(told, "x"), _number(told, "y"), told.get("objectId")
            if x is None or y is None or not isinstance(name, str):
                raise self.error(where, "an interaction lacks 'objectId', 'x' or 'y'")
            more = {"oid": name if step.success else None, "x": x, "y": y}  # the recorder notes what was done
        more |= noise_of(step)  # TEACh's code reads the fields that it knows
        document = self._document(True, step.action, told, int(step.success), more, where)
        return GameInteraction(DRIVER, step.action, time, document)

    def _move(self, name: str, told: Mapping[str, format.Json], where: str) -> dict[str, format.Json]:
        pose = told.get("pose")
        if not isinstance(pose, list) or len(pose) != 6:
            raise self.error(f"{where}.pose", "expected six numbers")
        return {"pose": format.pose_document(pose[:5]), "pose_delta": self._action(name, where)["pose_delta"]}

    def _document(
        self,
        driver: bool,
        name: str,
        told: Mapping[str, format.Json],
        success: int,
        more: dict[str, format.Json],
        where: str,
    ) -> dict[str, format.Json]:
        return {
            "agent_id": DRIVER if driver else COMMANDER,
            "action_id": self._action(name, where)["action_id"],
            "time_start": told["time"],
            "duration": DURATION,
            "success": success,
            **more,
        }

    def _action(self, name: str, where: str) -> Mapping[str, format.Json]:
        try:
            return format.teach_format().action(name)
        except KeyError:
            raise self.error(where, f"TEACh has no action {name!r}") from None


def _number(entry: Mapping[str, format.Json], key: str) -> float | None:
    value = entry.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _is_pair(value: format.Json) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) for part in value)


def utterances_of(interactions: tuple[GameInteraction, ...]) -> Iterator[tuple[int, str, Mapping[str, format.Json]]]:
    """Yield of each utterance its number, the speaker's name and its document."""
    for number, each in enumerate(interactions):
        if each.spoken is not None:
            yield number, format.teach_format().speaker(each.agent), each.document
