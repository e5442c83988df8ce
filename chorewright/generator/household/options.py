"""Scenes and splits as options of a benchmark in rooms. What reads scenes is imported when a scene is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chorewright.generator.options import Loaded, option

SCENES = "scenes/"
"""What the names of files of scenes begin with in a configuration."""


def scenes_option() -> Any:  # see ``option``
    """Declare the option ``--scenes`` of a benchmark that takes scenes of the user's own."""
    help = "Only these: rooms (FloorPlan10), houses (house:7, houses:0-99), or files of yours (.json, or a folder)."
    return option((), help, flags=("--scene",), metavar="ROOM|FILE", load=_load_scenes)


def splits_option() -> Any:  # see ``option``
    """Declare the option ``--splits``."""
    return option((), "Only these splits; may be repeated.", flags=("--split",), metavar="SPLIT")


def _load_scenes(words: Sequence[str]) -> Loaded:
    from chorewright.generator.household.own_scenes import load_scenes

    return load_scenes(words)
