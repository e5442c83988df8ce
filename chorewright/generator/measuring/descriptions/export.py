"""Pairs of text and PDDL: each problem described at several levels of abstraction, as JSON lines by split."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from chorewright.errors import UsageError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option
from chorewright.generator.measuring.descriptions import LEVELS, describe
from chorewright.generator.measuring.questions.rules import rules_text
from chorewright.generator.pddl.sources import DOMAIN, PROBLEM, read_problem
from chorewright.generator.training.exporter import Exported, Exporter, export_folder, json_line


@dataclass(frozen=True, slots=True)
class DescriptionOptions:
    """The options of ``export --format descriptions``."""

    levels: tuple[str, ...] = option(
        (), "Only this level: atoms, grouped or abstract; may be repeated.", flags=("--level",), metavar="LEVEL"
    )


class DescriptionsExporter(Exporter[DescriptionOptions]):
    """Writes descriptions of the problems of accepted episodes of the benchmark ``pddl``."""

    name = "descriptions"
    accepts = ("pddl",)
    options = DescriptionOptions

    def check(self) -> None:
        """Check the options; see ``Exporter.check``."""
        for level in self.asked.levels:
            if level not in LEVELS:
                raise UsageError(f"there is no level {level!r}", hint=f"levels: {', '.join(LEVELS)}")

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the pairs; see ``Exporter.write``."""
        folder = export_folder(episodes, target, self.name)
        levels = tuple(dict.fromkeys(self.asked.levels)) or LEVELS
        lines: dict[str, list[bytes]] = {}
        rules: dict[str, str] = {}
        for episode in folder.take(episodes):
            stored, extras = read_problem(episode), dict(episode.extras)
            domain, words = stored.domain, stored.wordings
            told = rules.setdefault(extras[DOMAIN], rules_text(domain, words))
            for level in levels:
                row = {
                    "id": f"{domain.name}-{episode.index}-{level}",
                    "level": level,
                    "text": describe(domain, stored.problem, level, words),
                    "rules": told,
                    "domain": extras[DOMAIN],
                    "problem": extras[PROBLEM],
                }
                lines.setdefault(episode.split, []).append(json_line(row))
        for split, each in lines.items():
            folder.write(("data", f"{split}.jsonl"), b"".join(each))
        return folder.report()
