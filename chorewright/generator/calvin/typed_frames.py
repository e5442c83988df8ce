"""A tabletop episode's frames as typed values, without JSON: for tables that others read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from chorewright.generator.calvin.records import ABSOLUTE, RELATIVE, episode_frames, episode_scene
from chorewright.generator.dataset.episode import Episode


def _vector(length: int) -> pa.DataType:
    return pa.list_(pa.float64(), length)


FRAME_TYPE = pa.struct(
    [
        ("robot_obs", _vector(15)),
        ("scene_obs", _vector(24)),
        (
            "blocks",
            pa.list_(
                pa.struct(
                    [
                        ("name", pa.string()),
                        ("orientation", _vector(4)),
                        ("linear_velocity", _vector(3)),
                        ("angular_velocity", _vector(3)),
                    ]
                )
            ),
        ),
        ("contacts", pa.list_(pa.struct([("of", pa.string()), ("body", pa.string()), ("link", pa.string())]))),
        (ABSOLUTE, _vector(7)),
        (RELATIVE, _vector(7)),
    ]
)
"""A frame: CALVIN's numbers, what the detector knows of each block, contacts, and the command (absolute, relative)."""


def typed_frames(episode: Episode) -> Sequence[Mapping[str, object]]:
    """Return what each step of an episode stores, as values of ``FRAME_TYPE``.

    Raises:
        DatasetCorrupt: The episode has no such frames.
    """
    episode_frames(episode)  # they are frames
    order = [block.name for block in episode_scene(episode).blocks]
    return [_typed(step.call(), order) for step in episode.steps]


def _typed(record: Mapping[str, Any], order: Sequence[str]) -> Mapping[str, object]:
    turns, speeds = record["turns"], record["speeds"]
    return {
        "robot_obs": record["robot_obs"],
        "scene_obs": record["scene_obs"],
        "blocks": [
            {"name": name, "orientation": turn, "linear_velocity": speed[:3], "angular_velocity": speed[3:]}
            for name, turn, speed in zip(order, turns, speeds, strict=True)
        ],
        "contacts": [
            {"of": name, "body": body, "link": link}
            for name, pairs in record["contacts"].items()
            for body, link in pairs
        ],
        ABSOLUTE: record[ABSOLUTE],
        RELATIVE: record[RELATIVE],
    }
