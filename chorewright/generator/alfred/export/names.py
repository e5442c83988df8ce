"""What an episode says of ALFRED's slots, and the error of one that cannot be exported."""

from __future__ import annotations

from typing import TypeAlias

from chorewright.errors import InputError, Location
from chorewright.generator.alfred.names import slots
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.problems import room_of

Json: TypeAlias = object


def fail(episode: Episode, where: str, message: str) -> InputError:
    """Return the error that something of an episode cannot be exported."""
    return InputError(message, location=Location(f"episode {episode.index}", json_path=where))


def slot(episode: Episode, name: str) -> str:
    """Return the kind in ALFRED's slot object, movable, receptacle or lamp; empty if there is none."""
    return slots(episode.parameters, room_of(episode).kinds).get(name, "")
