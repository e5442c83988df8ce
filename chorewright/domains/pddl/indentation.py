"""Indentation as evidence: how well the lines of a section agree with its parentheses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chorewright.domains.pddl.source import Source

MAX_COMPARISONS = 400_000


def disagreements(steps: Iterable[tuple[int, bool | None]], source: Source) -> int:
    """Count the lines that do not start where their parentheses say.

    A line starts deeper than the line that opened the list around it, and level with the earlier lines that
    start in the same list.

    Args:
        steps: offsets in their order, each with whether a list opens (True) or closes (False) there; None for
            words and lists without lists.
        source: the source of the offsets.
    """
    count = 0
    line = column = 0
    stack: list[tuple[int, int]] = []  # the column where the opener's line starts, and that of the lines inside
    for offset, opens in steps:
        position = source.position(offset)
        if position.line != line:
            line, column = position.line, position.column
            if stack and opens is not False:
                around, inside = stack[-1]
                count += column <= around or inside not in (0, column)
                stack[-1] = (around, inside or column)
        if opens is True:
            stack.append((column, 0))
        elif opens is False and stack:
            stack.pop()
    return count


def least_disagreeing(
    steps: Sequence[tuple[int, bool | None]], candidates: Sequence[int], source: Source
) -> int | None:
    """The step whose removal makes the lines agree best; of several equally good ones, the last.

    None where there is too much to compare.
    """
    if len(steps) * len(candidates) > MAX_COMPARISONS:
        return None
    best: tuple[int, int] | None = None
    for candidate in candidates:
        count = disagreements((step for index, step in enumerate(steps) if index != candidate), source)
        if best is None or count <= best[0]:
            best = (count, candidate)
    return best[1] if best else None
