"""What an imported episode of CALVIN's was recorded with, and an export gives back: numbers of frames, annotations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from chorewright.errors import DatasetCorrupt
from chorewright.generator.dataset.episode import Episode

RECORDED = "recorded"
"""The extra that tells it, as JSON."""


Label: TypeAlias = "tuple[int, int, int, str, str]"
"""An annotation: its number in the file, the first frame, the frame behind the last, task, sentence."""


@dataclass(frozen=True, slots=True)
class TableRecording:
    """What an imported episode was recorded with.

    Attributes:
        first: The number of its first frame; -1 if frames have none.
        commanded: Whether its frames say what was commanded, not only what was reached.
        lang_annotations: Those of windows.
        lang_segments: Those of whole tasks.
        environment: The scene of the environment that the split's settings make.
    """

    first: int
    commanded: bool
    lang_annotations: tuple[Label, ...]
    lang_segments: tuple[Label, ...]
    environment: str

    def text(self) -> str:
        """Return it as the extra has it."""
        return msgspec.json.encode(self).decode()


def find_recorded(episode: Episode) -> TableRecording | None:
    """Return what an imported episode was recorded with; None for another.

    Raises:
        DatasetCorrupt: The extra is damaged.
    """
    text = dict(episode.extras).get(RECORDED)
    if text is None:
        return None
    try:
        return msgspec.json.decode(text, type=TableRecording)
    except msgspec.DecodeError as error:
        raise DatasetCorrupt(f"the extra {RECORDED!r} of episode {episode.index}: {error}") from error
