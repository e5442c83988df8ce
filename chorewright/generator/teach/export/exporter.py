"""TEACh's session files, as its own loader reads them.

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

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from chorewright.domains.teach.definitions import Definitions, shipped_definitions
from chorewright.errors import InputError, Location, UnsupportedError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.moments import HouseholdMoments
from chorewright.generator.household.spawning import room_of
from chorewright.generator.showing.images import jpeg_bytes
from chorewright.generator.teach.benchmark import teach_world
from chorewright.generator.teach.definitions import definitions_of
from chorewright.generator.teach.embodiment import start_scene
from chorewright.generator.teach.export.format import (
    Json,
    format_definitions,
    state_document,
    task_document,
    teach_format,
)
from chorewright.generator.teach.export.instances import END, edh_instances, image_name, tfd_instance
from chorewright.generator.teach.export.session import TeachSession, session
from chorewright.generator.training.exporter import Exported, Exporter, export_folder
from chorewright.replay.teach.clicks import SIZE

BENCHMARK = "teach"

GAMES, EDH, TFD = "games", "edh_instances", "tfd_instances"


IMAGES = "images"


@dataclass(frozen=True, slots=True)
class TeachExportOptions:
    """The options of ``export --format teach``."""

    images: bool = option(False, "Draw the Driver's picture before each of its actions, and after the last.")


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
        for episode in folder.take(episodes):
            one = _session(episode, known)
            files = session_documents(one)
            place = (IMAGES, _split(one), one.game)
            drawn = folder.folder.joinpath(*place, image_name(END)).is_file()  # the last one
            there = drawn and all(folder.has_json(parts, document, indent=None) for parts, document in files)
            if self.asked.images and not there:
                for name, picture in draw_images(episode, one):
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


def documents(episode: Episode, definitions: Definitions | None = None) -> list[tuple[tuple[str, ...], Json]]:
    """Return the files of an episode: their paths and contents.

    Args:
        episode: The episode.
        definitions: What its task is one of, if not of the shipped ones.

    Raises:
        InputError: The episode is none of TEACh's, lacks what the format needs, or does not run as it did.
        UnsupportedError: It is in a house.
    """
    return session_documents(_session(episode, definitions))


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


def _split(one: TeachSession) -> str:
    return one.split or "train"


def session_documents(one: TeachSession) -> list[tuple[tuple[str, ...], Json]]:
    """Return the files of a session: their paths and contents."""
    split = _split(one)
    found: list[tuple[tuple[str, ...], Json]] = [((GAMES, split, f"{one.game}.game.json"), game(one))]
    for instance in edh_instances(one):
        found.append(((EDH, split, f"{instance['instance_id']}.json"), instance))
    found.append(((TFD, split, f"{one.game}.tfd.json"), tfd_instance(one)))
    return found


def game(one: TeachSession) -> dict[str, Json]:
    """Return the content of a game file."""
    form = teach_format()
    end = one.interactions[-1].time if one.interactions else 0.0
    episode: dict[str, Json] = {
        "episode_id": one.game,
        "world": f"{one.initial.name}_physics",
        "world_type": form.world_types.get(one.initial.room_kind, one.initial.room_kind),
        "commander_embodied": str(bool(one.initial.bystanders)),  # a text, in the format
        "initial_state": state_document(one.initial, 0),
        "interactions": [dict(each.document) for each in one.interactions],
        "final_state": state_document(one.final, end, one.memory),
    }
    return {
        "version": form.version,
        "task_type": form.task_type,
        "comments": "",
        "definitions": format_definitions(),
        "tasks": [{**task_document(one.task), "episodes": [episode]}],
    }
