"""The options of ``generate behavior``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chorewright.files.text import read_text
from chorewright.generator.dataset.options import Loaded, option
from chorewright.problems.behavior import MOST_DISTRACTORS
from chorewright.problems.behavior.kinds import VERSIONS, parse_own

SUFFIX = ".bddl"


def load_activities(words: Sequence[str]) -> Loaded:
    """Sort words into names of activities and files.

    Raises:
        UsageError: A file is not there.
        InputErrors: A file has errors.
    """
    names, files = [], []
    for word in words:
        if word.endswith(SUFFIX):
            text = read_text(Path(word))
            parse_own(text, word)
            files.append((Path(word).name, text))
        else:
            names.append(word)
    return Loaded(tuple(names), tuple(files))


@dataclass(frozen=True, slots=True)
class BehaviorOptions:
    """The options of ``generate behavior``.

    Attributes:
        tasks: An activity's name, or your own .bddl file; may be repeated. Without it, all of the version.
        version: BEHAVIOR-100 or BEHAVIOR-1K.
        hands: How many things the robot can hold.
        distractors: How many things lie about that no activity asks for.
        splits: Only this split; may be repeated.
    """

    tasks: tuple[str, ...] = option((), flags=("--task",), metavar="ACTIVITY", load=load_activities)
    version: str = option("1k", choices=VERSIONS)
    hands: int = option(1, low=1, high=2)
    distractors: int = option(0, low=0, high=MOST_DISTRACTORS)
    splits: tuple[str, ...] = option((), metavar="SPLIT")
