"""An item of what is frozen, and what most items are: commands, and what they say and write."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.command import ROOT
from tests.freeze.workspace import Make, Outputs, Workspace

CORPUS = ROOT / "tests" / "corpus"


@dataclass(frozen=True, slots=True)
class Item:
    """Something that is frozen.

    Attributes:
        name: ``GROUP/NAME``.
        make: Makes it in its group's workspace.
        needs: Packages without which it is left out.
        quick: Whether ``--quick`` makes it.
    """

    name: str
    make: Make
    needs: tuple[str, ...] = ()
    quick: bool = False

    @property
    def group(self) -> str:
        """The name of its group."""
        return self.name.partition("/")[0]


def commands(*lines: str, files: Sequence[str] = (), typed: str = "") -> Make:
    """Return what runs commands one after the other and gives what they say, and the files in some folders.

    ``{NAME}`` in a line is the folder of the dataset of this name.
    """

    def make(work: Workspace) -> Outputs:
        filled = [re.sub(r"\{([\w-]+)\}", lambda named: work.dataset(named[1]), line) for line in lines]
        said = "\n".join(work.run(line, typed) for line in filled)
        found: dict[str, bytes] = {"commands.txt": said.encode()}
        for name in files:
            found |= work.files(name)
        return found

    return make


def copied(*names: str) -> Callable[[Make], Make]:
    """Return what has folders of the corpus copied before an item is made."""

    def wrap(make: Make) -> Make:
        def first(work: Workspace) -> Outputs:
            for name in names:
                shutil.copytree(CORPUS / name, work.folder / Path(name).name, dirs_exist_ok=True)
            return make(work)

        return first

    return wrap


def written(**texts: str) -> Callable[[Make], Make]:
    """Return what writes files of the workspace before an item is made; ``_`` in a name is a dot."""

    def wrap(make: Make) -> Make:
        def first(work: Workspace) -> Outputs:
            for name, text in texts.items():
                (work.folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
            return make(work)

        return first

    return wrap


__all__ = ["CORPUS", "Item", "commands", "copied", "written"]
