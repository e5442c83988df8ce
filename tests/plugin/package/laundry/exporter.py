"""An export format: a diary, one line for each episode."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from chorewright.generator.dataset.episode import Episode
from chorewright.generator.training.exporter import Exported, Exporter, export_folder


@dataclass(frozen=True, slots=True)
class DiaryOptions:
    """The flags of ``export --format diary``.

    Attributes:
        shout: Write in capitals.
    """

    shout: bool = False


class DiaryExporter(Exporter[DiaryOptions]):
    """What was asked for, and how many actions it took."""

    name = "diary"
    accepts = ("washday",)
    options = DiaryOptions

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write ``diary.txt``."""
        folder = export_folder(episodes, target, self.name)
        taken = folder.take(self.follow(episodes))  # it tells how far it is
        text = "".join(f"{each.index}: {each.instructions[0].text} ({len(each.plan)} actions)\n" for each in taken)
        folder.write(("diary.txt",), (text.upper() if self.asked.shout else text).encode())
        return folder.report()
