"""Conversations: episodes as language models are trained on them, message by message, and their files.

A benchmark tells its episodes by ``Conversations``. The files are JSON lines with ``messages``, by split, and a
card that names them. ``datasets.load_dataset(folder)`` reads the folder, ``datasets.load_dataset("json",
data_files=...)`` each file; a row is what TRL and others take as a conversation. Beside ``messages`` a row has
``task``, ``source_index``, ``split``, ``original_split``, ``scene`` (empty where a benchmark has none), and in
``astray`` the places of wrong turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from chorewright.errors import UsageError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.training import card
from chorewright.generator.training.exporter import Exported, Exporter, SplitLines, check_split, export_folder
from chorewright.generator.training.trajectory import common_split

SYSTEM, USER, ASSISTANT = "system", "user", "assistant"
"""The roles of messages: who sets the task, what the world tells, and what the agent says."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message.

    Attributes:
        role: ``system``, ``user`` or ``assistant``.
        content: Its text.
        astray: Whether it is a wrong turn, which should not be learned from.
    """

    role: str
    content: str
    astray: bool = False


@dataclass(frozen=True, slots=True)
class ChatStyle:
    """How episodes are told: the options of ``export --format chat``.

    Attributes:
        noise: This share of the agent's steps goes astray; the expert goes on from there.
        thoughts: The agent says what it is about before it acts.
        admissible: The world lists what can be done.
        annotated: The task is told by an annotator's sentence.
        exploring: The agent does not know where things are: it goes and looks.
        seed: Another seed, other wrong turns.
    """

    noise: float = option(0.0, low=0)
    thoughts: bool = False
    admissible: bool = False
    annotated: bool = False
    exploring: bool = False
    seed: int = option(0, metavar="N", low=0)

    def random_for(self, episode: Episode) -> np.random.Generator:
        """Return the random numbers of an episode: they follow from the seed, the episode's and its index."""
        words = np.random.SeedSequence((self.seed, episode.seed, episode.index))
        return np.random.Generator(np.random.PCG64(words))


@runtime_checkable
class Conversations(Protocol):
    """Tells a benchmark's stored episodes as conversations."""

    def conversation(self, episode: Episode, style: ChatStyle) -> tuple[Message, ...]:
        """Return an episode's messages: the system's, then the world and the agent in turn, the agent last.

        There are none if the agent does not reach the goal.

        Raises:
            InputError: The benchmark's episodes are not told in this style.
        """


def conversations_of(benchmark: str) -> Conversations:
    """Return what tells a benchmark's episodes as conversations.

    Raises:
        MissingPlugin: The benchmark is not installed.
        UsageError: Nothing does.
    """
    found = BENCHMARKS.find(benchmark).conversations()
    if not isinstance(found, Conversations):
        able = [name for name, each in BENCHMARKS.usable().items() if each.conversations() is not None]
        hint = f"those of these can: {', '.join(able)}"
        raise UsageError(f"episodes of the benchmark {benchmark} cannot be told as conversations", hint=hint)
    return found


LARGEST = 2000
"""Episodes of a file."""

_CARD = """---
configs:
- config_name: default
  data_files:
{files}---

Conversations of the benchmark `{benchmark}`, made by `chorewright export --format chat{options}`: a row for each
episode.

```python
import datasets

dataset = datasets.load_dataset("this folder")
```
"""


_COLUMNS = (
    ("messages", "list of role and content"),
    *(("task", "string"), ("source_index", "int64"), ("split", "string"), ("original_split", "string")),
    *(("scene", "string"), ("astray", "list of int64")),
)
"""Name and type of what a row has."""


class ChatExporter(Exporter[ChatStyle]):
    """Writes accepted episodes of any benchmark that tells them as conversations."""

    name = "chat"
    options = ChatStyle
    _failed = 0

    def check(self) -> None:
        """Check the options; see ``Exporter.check``."""
        if not 0 <= self.asked.noise < 1:
            raise UsageError(f"--noise is a share from 0 to below 1, not {self.asked.noise:g}")
        if self.asked.exploring and self.asked.noise:
            raise UsageError("--noise and --exploring exclude each other", hint="wrong turns are the expert's")

    def note(self) -> str:
        """Return in how many episodes the agent does not reach the goal, if in some."""
        are = "is" if self._failed == 1 else "are"
        return f"{self._failed} of the episodes {are} left out: the agent does not reach the goal" * bool(self._failed)

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the episodes; see ``Exporter.write``."""
        rows: SplitLines | None = None
        benchmark, tell = "", None
        self._failed = 0
        for episode in self.follow(episodes):
            if tell is None or episode.benchmark != benchmark:
                benchmark, tell = _only(benchmark, episode.benchmark), conversations_of(episode.benchmark)
            messages = tell.conversation(episode, self.asked) if episode.outcome.accepted else ()
            rows = rows or SplitLines(export_folder(episodes, target, self.name), LARGEST)
            if messages:
                check_split(episode.split)
                rows.add(common_split(episode.split), _row(episode, messages))
                rows.folder.episodes += 1
            else:
                rows.folder.left_out += 1
                self._failed += episode.outcome.accepted
        rows = rows or SplitLines(export_folder(episodes, target, self.name), LARGEST)
        listed = "".join(f"  - split: {split}\n    path: data/{split}-*\n" for split in rows.close())
        head = _CARD.format(files=listed, benchmark=benchmark, options=_flags(self.asked))
        sizes = {"episodes": rows.folder.episodes, "episodes left out": rows.folder.left_out}
        columns = [card.column(name, kind) for name, kind in _COLUMNS]
        rows.folder.write(
            ("README.md",),
            (
                head + card.details(episodes if isinstance(episodes, Dataset) else (), benchmark, sizes, columns)
            ).encode(),
        )
        return rows.folder.report()


def _flags(options: ChatStyle) -> str:
    """Return the options that differ from their defaults as they are given on the command line."""
    given = {each.name: getattr(options, each.name) for each in fields(options)}
    changed = [(name, value) for name, value in given.items() if value != getattr(ChatStyle(), name)]
    return "".join(f" --{name}" + ("" if value is True else f" {value}") for name, value in changed)


def _only(first: str, other: str) -> str:
    if first:
        raise UsageError(f"episodes of several benchmarks: {first} and {other}")
    return other


def _row(episode: Episode, messages: Sequence[Message]) -> dict[str, object]:
    return {
        "messages": [{"role": each.role, "content": each.content} for each in messages],
        "task": episode.task,
        "source_index": episode.index,
        "split": common_split(episode.split),
        "original_split": episode.split,
        "scene": "" if episode.scene is None else episode.scene.name,
        "astray": [place for place, each in enumerate(messages) if each.astray],
    }
