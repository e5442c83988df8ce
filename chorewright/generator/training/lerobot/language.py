"""LeRobot's columns of language, from its version 0.6 on: what is said of an episode, and from when on it counts.

``language_persistent`` has the same rows in every frame of an episode: what the agent does (style ``subtask``) with the
moment at which that begins, and other wordings of the task (``task_aug``). ``language_events`` has what happens in one
frame; we know of nothing such. Versions before 0.6 cannot load a dataset that has these columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from chorewright.generator.dataset.episode import Episode
from chorewright.generator.training.trajectory import Sentences

PERSISTENT, EVENTS = "language_persistent", "language_events"

_GOAL = "goal"

_EVENT = [
    pa.field("role", pa.string(), nullable=False),
    pa.field("content", pa.string()),
    pa.field("style", pa.string()),
    pa.field("camera", pa.string()),
    pa.field("tool_calls", pa.list_(pa.string())),  # JSON, which Arrow cannot build in lists
]

FIELDS = (
    pa.field(PERSISTENT, pa.list_(pa.struct([*_EVENT[:3], pa.field("timestamp", pa.float32(), False), *_EVENT[3:]]))),
    pa.field(EVENTS, pa.list_(pa.struct(_EVENT))),
)


def language_columns(episode: Episode, said: Sentences, fps: int) -> Mapping[str, Sequence[object]]:
    """Return both columns of an episode's frames."""
    rows = []
    if len(set(said.tasks)) == 1:  # a chain of tasks has no other wordings of them all
        told = dict.fromkeys(each.text for each in episode.instructions if each.level == _GOAL)
        rows += [_row("user", text, "task_aug", 0.0) for text in told if text != said.tasks[0]]
    before = ""
    for frame, text in enumerate(said.subtasks):
        if text and text != before:
            rows.append(_row("assistant", text, "subtask", frame / fps))
        before = text
    count = len(said.tasks)
    return {PERSISTENT: [rows] * count, EVENTS: [[]] * count}


def _row(role: str, content: str, style: str, timestamp: float) -> dict[str, object]:
    return {
        "role": role,
        "content": content,
        "style": style,
        "timestamp": timestamp,
        "camera": None,
        "tool_calls": None,
    }
