"""The tally of a shard: how many attempts its indices took, and why attempts were rejected, by stage and reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

SHOWN = 40
"""So many reasons of a stage are kept; the rarer ones are counted together."""

OTHERS = "other reasons"


@dataclass(frozen=True, slots=True)
class Tally:
    """Attempts, and the rejected ones among them.

    Attributes:
        attempts: How many attempts were made; 0 where nothing is recorded.
        rejections: Stage, reason and how often, stages in the order of the alphabet, frequent reasons first.
    """

    attempts: int = 0
    rejections: tuple[tuple[str, str, int], ...] = ()

    @property
    def stages(self) -> Mapping[str, int]:
        """The number of rejected attempts of each stage."""
        found: Counter[str] = Counter()
        for stage, _, count in self.rejections:
            found[stage] += count
        return dict(found)

    def stage_of(self, text: str) -> str:
        """Return which of the tally's stages a rejection's text names; empty if none."""
        named = (stage for stage in self.stages if stage and f": {stage}: " in f": {text}")
        return max(named, key=len, default="")

    def to_json(self) -> dict[str, object]:
        """Return the tally as JSON values."""
        reasons: dict[str, dict[str, int]] = {}
        for stage, reason, count in self.rejections:
            reasons.setdefault(stage, {})[reason] = count
        return {"attempts": self.attempts, "rejections": reasons}

    @staticmethod
    def from_json(value: Mapping[str, object]) -> Tally:
        """Return the tally of such values; an empty one where they have none.

        Raises:
            TypeError, ValueError, AttributeError: They are something else.
        """
        stages = cast("Mapping[str, Mapping[str, object]]", value.get("rejections", {}))
        rejections = ((stage, reason, _count(n)) for stage, reasons in stages.items() for reason, n in reasons.items())
        return Tally(_count(value.get("attempts", 0)), tuple(rejections))


def tally(attempts: int, rejections: Iterable[tuple[str, str]]) -> Tally:
    """Return the tally of attempts of which some were rejected, each with its stage and its text.

    The reason is what the text says after the stage: ``STAGE: REASON``, or ``CANDIDATE: STAGE: REASON``.
    """
    return _tally(attempts, Counter((stage, _after(stage, text)) for stage, text in rejections))


def _after(stage: str, text: str) -> str:
    return text.partition(f"{stage}: ")[2] if stage and f"{stage}: " in text else text


def sum_up(tallies: Iterable[Tally]) -> Tally:
    """Return the tally of several together."""
    attempts, counts = 0, Counter[tuple[str, str]]()
    for each in tallies:
        attempts += each.attempts
        counts.update({(stage, reason): count for stage, reason, count in each.rejections})
    return _tally(attempts, counts)


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"no count: {value!r}")
    return value


def _tally(attempts: int, counts: Mapping[tuple[str, str], int]) -> Tally:
    rejections: list[tuple[str, str, int]] = []
    for stage in sorted({stage for stage, _ in counts}):
        found = [(reason, count) for (of, reason), count in counts.items() if of == stage and reason != OTHERS]
        found.sort(key=lambda each: (-each[1], each[0]))
        rest = sum(count for _, count in found[SHOWN:]) + counts.get((stage, OTHERS), 0)
        rejections += ((stage, reason, count) for reason, count in found[:SHOWN])
        rejections += [(stage, OTHERS, rest)] if rest else []
    return Tally(attempts, tuple(rejections))
