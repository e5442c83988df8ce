"""TEACh's session files and the instances cut from them, as its own loader reads them.

Layout: ``games/<split>/<game>.game.json``, ``edh_instances/<split>/<game>.edh<k>.json`` and
``tfd_instances/<split>/<game>.tfd.json``; pictures, if asked for, in ``images/<split>/<game>/``. Ids look like
TEACh's but are made of the episode's provenance.

The exporter reads from an episode:

- ``task`` and ``parameters``: the definition's task_name and its parameters in order;
- ``scene``: the state at the start; the steps are run again for the states later on;
- ``steps``: ``action`` as TEACh names it and ``arguments``, JSON with ``time`` and ``duration`` (seconds);
  of moves ``pose``, of interactions ``objectId``, ``x`` and ``y``;
- ``extras``: ``dialogue``, a JSON list of ``{before, time, duration, agent, action, text, query}``: what is
  said, or looked up by the Commander, before which step. Of what is said, it may tell ``corrected`` (the text
  without slips) and ``acts`` (pairs of a dialogue act and the part of the text that it is of).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from chorewright.domains.teach.definitions import Definitions, shipped_definitions
from chorewright.domains.teach.progress import Progress, check
from chorewright.domains.teach.world import ObjectWorld, state_changes_task
from chorewright.errors import DatasetCorrupt, InputError, Location, UnsupportedError
from chorewright.generator.dataset.episode import Episode, stored_json
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.moments import HouseholdMoments
from chorewright.generator.household.spawning import room_of
from chorewright.generator.showing.moments import jpeg_bytes
from chorewright.generator.teach.benchmark import teach_world
from chorewright.generator.teach.compiling import definitions_of
from chorewright.generator.teach.dialogue import start_scene
from chorewright.generator.teach.export import format
from chorewright.generator.teach.export.session import RECORDED, GameInteraction, TeachSession, session, utterances_of
from chorewright.generator.teach.metrics import GAME
from chorewright.generator.training.exporter import Exported, Exporter, export_folder
from chorewright.replay.teach.clicks import SIZE

# Sessions cut into instances of Execution from Dialogue History, and Trajectory from Dialogue (section 4).
#
# An EDH instance begins after an utterance and ends before the next one, or with the session; the Driver must
# do something to an object in it. What is expected are all changes of objects' states in that time. A TfD
# instance is the whole session: its dialogue, and all that the Driver did. Both name the picture before each action.


STOP, NAVIGATE = "Stop", "Navigate"

END = "end"
"""What TEACh's replay calls the time after the last interaction in the names of pictures."""

Driven: TypeAlias = dict[str, format.Json]
"""An action of the Driver as models predict it."""


def edh_instances(session: TeachSession) -> Iterator[dict[str, format.Json]]:
    """Yield the EDH instances of a session, in order.

    A stretch that changes nothing which is checked, or whose check succeeds before anything is done since other
    things of the same types are like that already, makes no instance.
    """
    said = [number for number, _, _ in utterances_of(session.interactions)]
    ends = [*said[1:], len(session.interactions)]
    count = 0
    for last_said, end in zip(said, ends, strict=True):
        start = last_said + 1
        if any(each.touches for each in session.interactions[start:end]):
            expected = format.changes(session.states[last_said], session.states[end])
            progress = check(state_changes_task(expected), ObjectWorld(tuple(session.states[last_said].values())))
            if not progress.success:
                yield _edh(session, start, end, count, expected, progress)
                count += 1


def _edh(
    session: TeachSession,
    start: int,
    end: int,
    number: int,
    expected: Mapping[str, Mapping[str, format.Json]],
    progress: Progress,
) -> dict[str, format.Json]:
    past, future = session.interactions[:start], session.interactions[start:end]
    first, before, after = session.states[-1], session.states[start - 1], session.states[end]
    history, actions = driver_actions(past), driver_actions(future)
    last, picture = stop(session.interactions, start, end)
    return {
        **_head(session, f"edh{number}"),
        **_dialogue(past),
        "driver_action_history": history,
        "driver_image_history": images(history),
        "driver_actions_future": [*actions, last],
        "driver_images_future": [*images(actions), picture],
        "interactions": [dict(each.document) for each in session.interactions[:end]],
        "pred_start_idx": start,
        "init_state_diff": format.difference(first, before),
        "final_state_diff": format.difference(first, after),
        "state_changes": {"agents": {}, "objects": expected},
        "history_subgoals": subgoals(past),
        "future_subgoals": subgoals(future),
        "expected_init_goal_conditions_total": progress.total,
        "expected_init_goal_conditions_satisfied": progress.satisfied,
    }


def tfd_instance(session: TeachSession) -> dict[str, format.Json]:
    """Return the TfD instance of a session."""
    everything = session.interactions
    actions = driver_actions(everything)
    last, picture = stop(everything, 0, len(everything))
    return {
        **_head(session, "tfd"),
        **_dialogue(everything),
        "driver_actions_future": [*actions, last],
        "driver_images_future": [*images(actions), picture],
    }


def _head(session: TeachSession, ending: str) -> dict[str, format.Json]:
    return {"game_id": session.game, "instance_id": f"{session.game}.{ending}"}


def _dialogue(interactions: tuple[GameInteraction, ...]) -> dict[str, format.Json]:
    """Return what was said, by whom: as it was said, without slips, and with dialogue acts before its parts."""
    told: dict[str, list[format.Json]] = {key: [] for key in ("", "_cleaned", "_with_das")}
    for _, speaker, document in utterances_of(interactions):
        acts = document["da_metadata"]
        assert isinstance(acts, dict)
        parts = [f"<<{act}>> {part}" for act, part in zip(acts["das"], acts["text_segments"], strict=True) if act]
        told[""].append([speaker, document["utterance"]])
        told["_cleaned"].append([speaker, document["corrected_utterance"]])
        told["_with_das"].append([speaker, " ".join(parts) or document["corrected_utterance"]])
    return {f"dialog_history{ending}": lines for ending, lines in told.items()}


def driver_actions(interactions: Sequence[GameInteraction]) -> list[Driven]:
    """Return the actions of the Driver in its surroundings, as models predict them."""
    return [_driver_action(each.name, each.time, each.touches, each.document) for each in interactions if each.drives]


def stop(interactions: Sequence[GameInteraction], start: int, end: int) -> tuple[Driven, str]:
    """Return the action that ends the stretch of interactions from ``start`` to before ``end``, and its picture.

    Its time is that of the last thing done in the stretch if that is not the Driver's, otherwise that of what
    follows: the picture of that moment is the one after the Driver's last action.
    """
    place = end if end == start or interactions[end - 1].drives else end - 1
    if place < len(interactions):
        time = interactions[place].time
        return _driver_action(STOP, time, False, {}), image_name(time)
    time = interactions[-1].time if interactions else 0.0
    return _driver_action(STOP, time, False, {}), image_name(END)


def images(actions: Sequence[Driven]) -> list[format.Json]:
    """Return the names of the Driver's pictures before each of its actions."""
    return [image_name(action["time_start"]) for action in actions]


def image_name(time: format.Json) -> str:
    """Return the name of the Driver's picture before what began at a time (seconds), as TEACh's replay names it."""
    return f"driver.frame.{time}.jpeg"


def _driver_action(name: str, time: float, touches: bool, told: Mapping[str, format.Json]) -> Driven:
    form = format.teach_format()
    return {
        "action_id": form.action(name)["action_id"],
        "action_idx": form.index(name),
        "action_name": name,
        "time_start": time,
        "obj_interaction_action": int(touches),
        "oid": told.get("oid"),
        "x": told.get("x"),
        "y": told.get("y"),
    }


def subgoals(interactions: Sequence[GameInteraction]) -> list[format.Json]:
    """Return what the Driver did, with the way to each object as one word; what failed is left out."""
    found: list[format.Json] = []
    walked = False
    for each in interactions:
        if each.moves:
            walked = True
        elif each.touches and each.document["oid"] is not None:
            if walked:
                found += [NAVIGATE, each.document["oid"]]
            found += [each.name, each.document["oid"]]
            walked = False
    return found


BENCHMARK = "teach"

GAMES, EDH, TFD = "games", "edh_instances", "tfd_instances"


IMAGES = "images"


@dataclass(frozen=True, slots=True)
class TeachExportOptions:
    """The options of ``export --format teach``.

    Attributes:
        images: Draw the Driver's picture before each of its actions, and after the last.
    """

    images: bool = False


class TeachExporter(Exporter[TeachExportOptions]):
    """Writes accepted episodes as TEACh's games with their EDH and TfD instances."""

    name = "teach"
    accepts = ("teach",)
    options = TeachExportOptions

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write games and instances; see ``Exporter.write``."""
        folder = export_folder(episodes, target, self.name)
        known = None
        if isinstance(episodes, Dataset) and episodes.manifest.config.benchmark == BENCHMARK:
            known = definitions_of(episodes.manifest.config)
        for episode in folder.take(self.follow(episodes)):
            files = documents(episode, known)
            place = (IMAGES, *files[0][0][1:-1], files[0][0][-1].removesuffix(GAME))
            drawn = folder.folder.joinpath(*place, image_name(END)).is_file()  # the last one
            there = drawn and all(folder.has_json(parts, document, indent=None) for parts, document in files)
            if self.asked.images and not there:
                for name, picture in draw_images(episode, _session(episode, known)):
                    folder.write((*place, name), picture)
            for parts, document in files:  # last: then the pictures are there
                folder.write_json(parts, document, indent=None)
        return folder.report()


def draw_images(episode: Episode, one: TeachSession) -> Iterator[tuple[str, bytes]]:
    """Yield names and JPEG files of a session's pictures: one before each interaction, one at the end.

    Raises:
        DatasetCorrupt: A step does not replay.
    """
    waiting = iter(one.interactions)
    for moment in HouseholdMoments(teach_world).moments(replace(episode, scene=start_scene(episode))):
        picture = jpeg_bytes(moment.frames([SIZE])[0].rgb)
        for interaction in waiting:
            yield image_name(interaction.time), picture
            if interaction.drives:
                break
        else:
            yield image_name(END), picture


def documents(episode: Episode, definitions: Definitions | None = None) -> list[tuple[tuple[str, ...], format.Json]]:
    """Return the files of an episode: their paths and contents.

    Args:
        episode: The episode.
        definitions: What its task is one of, if not of the shipped ones.

    Raises:
        InputError: The episode is none of TEACh's, or lacks what the format needs.
        DatasetCorrupt: It does not run as it did.
        UnsupportedError: It is in a house.
    """
    kept = dict(episode.extras).get(RECORDED)
    return session_documents(_session(episode, definitions)) if kept is None else _read_back(episode, kept)


def _read_back(episode: Episode, text: str) -> list[tuple[tuple[str, ...], format.Json]]:
    """Return the files of an imported session as they came."""
    told = stored_json(text, f"extra {RECORDED!r} of episode {episode.index}")
    try:
        game: tuple[tuple[str, ...], format.Json] = ((GAMES, episode.split, str(told["file"])), told["game"])
        return [game, *(((kind, episode.split, str(name)), each) for kind, name, each in told["instances"])]
    except (KeyError, TypeError, ValueError) as error:
        raise DatasetCorrupt(f"the extra {RECORDED!r} of episode {episode.index} is no game: {error!r}") from error


def _session(episode: Episode, definitions: Definitions | None) -> TeachSession:
    if episode.scene is None:
        location = Location(f"episode {episode.index}", json_path="scene")
        raise InputError("the episode has no room, so it is no session of TEACh's", location=location)
    if room_of(episode).building is not None:
        raise UnsupportedError(
            f"TEACh's format knows a world by the name of an iTHOR room, and {room_of(episode).name} is a house",
            location=Location(f"episode {episode.index}", json_path="scene"),
        )
    return session(episode, definitions or shipped_definitions())


def session_documents(one: TeachSession) -> list[tuple[tuple[str, ...], format.Json]]:
    """Return the files of a session: their paths and contents."""
    split = one.split or "train"
    return [
        ((GAMES, split, f"{one.game}.game.json"), game(one)),
        *(((EDH, split, f"{instance['instance_id']}.json"), instance) for instance in edh_instances(one)),
        ((TFD, split, f"{one.game}.tfd.json"), tfd_instance(one)),
    ]


def game(one: TeachSession) -> dict[str, format.Json]:
    """Return the content of a game file."""
    form = format.teach_format()
    end = one.interactions[-1].time if one.interactions else 0.0
    episode: dict[str, format.Json] = {
        "episode_id": one.game,
        "world": f"{one.initial.name}_physics",
        "world_type": form.world_types.get(one.initial.room_kind, one.initial.room_kind),
        "commander_embodied": str(bool(one.initial.bystanders)),  # a text, in the format
        "initial_state": format.state_document(one.initial, 0),
        "interactions": [dict(each.document) for each in one.interactions],
        "final_state": format.state_document(one.final, end, one.memory),
    }
    return {
        "version": form.version,
        "task_type": form.task_type,
        "comments": "",
        "definitions": format.format_definitions(),
        "tasks": [{**format.task_document(one.task), "episodes": [episode]}],
    }
