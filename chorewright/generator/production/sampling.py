"""Active sampling: which task, parameters and room each episode shall have, decided before planning.

ALFRED's strategy (Shridhar et al. 2020, Appendix A.1): build one tuple after the other; each time fix the
slot value that is most under-represented given what is fixed already, until the tuple is complete. A value's
count takes in all slots that it appears in. Here the pass runs over all tuples that are possible at all, so
that it never backtracks. Splits and tasks come first, in fixed shares (Sainte-Lague): left to the greedy
rule, the few kinds of movable receptacles would make most of the first tuples ones of stacking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chorewright.files.english import require_known

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

JITTER = 10
"""Random part of a count, below this: what the first tuples are drawn by, soon outweighed by real counts."""

AT_ONCE = 16
"""Rooms of which tuples are sampled together, where there are too many to look at all."""

BARREN = 16
"""Groups of so many rooms, in a row, in which nothing is possible; then no more are looked at."""


def splits_in_shares(shares: Mapping[str, float], asked: Sequence[str]) -> Iterator[str]:
    """Yield a split for each episode, without end.

    Args:
        shares: The splits with their shares.
        asked: Only these; all if there are none.

    Raises:
        UsageError: There is no such split.
    """
    check_splits(shares, asked)
    return _in_shares({name: share for name, share in shares.items() if not asked or name in asked})


def check_splits(shares: Collection[str], asked: Sequence[str]) -> None:
    """Raise if there is no such split.

    Raises:
        UsageError: There is none.
    """
    for name in asked:
        require_known(name, shares, f"there is no split {name!r}", f"splits: {', '.join(shares)}")


def _in_shares(shares: Mapping[str, float]) -> Iterator[str]:
    given: Counter[str] = Counter()
    while True:
        name = find_behind(shares, given)
        given[name] += 1
        yield name


def find_behind(shares: Mapping[str, float], given: Counter[str]) -> str:
    """Return what lags most behind its share (Sainte-Lague), so that every beginning has the shares, too."""
    return max(shares, key=lambda name: shares[name] / (given[name] + 0.5))


@dataclass(frozen=True, slots=True)
class Choice:
    """A task with its slots filled, and the rooms in which this may succeed."""

    task: str
    parameters: tuple[tuple[str, str], ...]
    scenes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """A split with its share of the tuples and the rooms that it may use."""

    split: str
    share: float
    scenes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Sampled:
    """One tuple: a row of ``Choice`` in one room, for one split."""

    choice: Choice
    scene: str
    split: str


@dataclass(slots=True)
class _Table:
    """All possible tuples as rows of integers: columns are the task, the slots by name, and the room."""

    columns: Ints  # (columns, rows); values count from 0 through all columns' vocabularies, -1: no such slot
    choice_of: Ints
    scene_of: Ints
    offsets: list[int]  # first value of each column, and the end
    entity: Ints  # value -> number of the name, the same for one kind in two slots
    names: tuple[tuple[str, str], ...]  # entity -> what it names, and how
    rows_with: list[Ints]  # value -> its rows

    @staticmethod
    def of(choices: Sequence[Choice], scenes: Sequence[str]) -> _Table:
        slots = list(dict.fromkeys(name for choice in choices for name, _ in choice.parameters))
        place = {scene: index for index, scene in enumerate(scenes)}
        vocabularies: list[dict[str, int]] = [{} for _ in range(len(slots) + 2)]
        rows: list[list[int]] = []
        pairs: list[tuple[int, int]] = []
        for number, choice in enumerate(choices):
            filled = dict(choice.parameters)
            head = [vocabularies[0].setdefault(choice.task, len(vocabularies[0]))]
            for column, slot in enumerate(slots, 1):
                value = filled.get(slot)
                words = vocabularies[column]
                head.append(-1 if value is None else words.setdefault(value, len(words)))
            for scene in choice.scenes:
                if scene in place:
                    words = vocabularies[-1]
                    rows.append([*head, words.setdefault(scene, len(words))])
                    pairs.append((number, place[scene]))
        offsets = [0]
        for words in vocabularies:
            offsets.append(offsets[-1] + len(words))
        columns = np.array(rows, np.int32).reshape(len(rows), len(vocabularies)).T.copy()
        for column, offset in enumerate(offsets[:-1]):
            columns[column] += np.where(columns[column] >= 0, offset, 0).astype(np.int32)
        names: dict[tuple[str, str], int] = {}
        entity = []
        for column, words in enumerate(vocabularies):
            kind = "task" if column == 0 else "scene" if column == len(vocabularies) - 1 else "slot"
            entity += [names.setdefault((kind, word), len(names)) for word in words]
        rows_with: list[Ints] = []
        for column in range(len(vocabularies)):
            order = np.argsort(columns[column], kind="stable").astype(np.int32)
            values = np.arange(offsets[column], offsets[column + 1] + 1)
            bounds = np.searchsorted(columns[column][order], values)
            rows_with += [order[a:b] for a, b in pairwise(bounds)]
        choice_of, scene_of = np.array(pairs, np.int32).reshape(-1, 2).T
        return _Table(columns, choice_of, scene_of, offsets, np.array(entity, np.int32), tuple(names), rows_with)


@dataclass(slots=True)
class _Pass:
    """The greedy pass over the tuples of one group of rooms: what has been taken so far, and what is left."""

    table: _Table
    weight: Floats  # value -> how much more often than its neighbours it shall come
    rng: np.random.Generator
    rows: Ints  # the group's rows
    before: Counter[tuple[str, str]]  # how often each name was taken before, from other tables; counted on
    alive: NDArray[np.bool_] = field(init=False)
    left: Ints = field(init=False)  # value -> how many of its rows are alive
    counts: Floats = field(init=False)  # entity -> how often taken, in whatever slot
    tasks: Floats = field(init=False)  # task -> how often taken before
    taken: Ints = field(init=False)  # (columns, room to grow)
    number: int = 0  # how many are taken

    def __post_init__(self) -> None:
        self.taken = np.empty((len(self.table.columns), 64), np.int32)
        self.counts = np.array([self.before[name] for name in self.table.names], float)
        self.tasks = self.counts[self.table.entity[: self.table.offsets[1]]]
        self.refill()

    def refill(self) -> None:
        """Make all of the group's rows available (again)."""
        cells = self.table.columns[:, self.rows]
        self.alive = np.zeros(self.table.columns.shape[1], bool)
        self.alive[self.rows] = True
        self.left = np.bincount(cells[cells >= 0], minlength=self.table.offsets[-1]).astype(np.int32)

    def next(self) -> int:
        """Return the row of the next tuple."""
        table = self.table
        if not self.left.any():
            self.refill()
        task = self.task()
        rows = table.rows_with[task]
        rows = rows[self.alive[rows]]
        past = self.taken[:, : self.number]
        past = past[:, past[0] == task]
        columns = list(range(1, len(table.columns)))
        while columns and len(rows) > 1:
            best, best_column, best_score = -1, -1, -np.inf
            for column in list(columns):
                value, score = self.rarest(column, rows, past[column])
                if value < 0:
                    columns.remove(column)
                elif score > best_score:
                    best, best_column, best_score = value, column, score
            if best < 0:
                break
            columns.remove(best_column)
            rows = rows[table.columns[best_column][rows] == best]
            past = past[:, past[best_column] == best]
        row = int(rows[0])
        self.take(row)
        return row

    def task(self) -> int:
        """Return the task that lags most behind its share, so that every beginning has the shares, too."""
        last = self.table.offsets[1]
        given = np.bincount(self.taken[0, : self.number], minlength=last)[:last] + self.tasks
        return int(np.argmax(np.where(self.left[:last] > 0, self.weight[:last] / (given + 0.5), -1.0)))

    def rarest(self, column: int, rows: Ints, past: Ints) -> tuple[int, float]:
        """Return the column's most under-represented value and by how much it is so; -1 if it has none.

        Args:
            column: the slot.
            rows: the rows that agree with what is fixed already.
            past: the column's cells in the tuples taken before that agree with it.
        """
        first, last = self.table.offsets[column], self.table.offsets[column + 1]
        cells = self.table.columns[column][rows]
        values = np.flatnonzero(np.bincount(cells[cells >= 0] - first, minlength=last - first))
        if not len(values):
            return -1, 0.0
        share = self.weight[first:last][values]
        given = np.bincount(past[past >= 0] - first, minlength=last - first)[values] / share
        total = self.counts[self.table.entity[first:last][values]] / share
        score = 1 / (1 + self.rng.integers(0, JITTER, len(values)) + given) / (1 + total)
        score /= score.sum()
        top = int(np.argmax(score))
        return first + int(values[top]), float(score[top] - score.min())

    def take(self, row: int) -> None:
        """Count a row's values and put the row aside."""
        cells = self.table.columns[:, row]
        self.alive[row] = False
        if self.number == self.taken.shape[1]:
            self.taken = np.concatenate((self.taken, np.empty_like(self.taken)), axis=1)
        self.taken[:, self.number] = cells
        self.number += 1
        present = cells[cells >= 0]
        self.left[present] -= 1
        np.add.at(self.counts, self.table.entity[present], 1)
        self.before.update(self.table.names[entity] for entity in self.table.entity[present].tolist())


def sample_tuples(
    choices: Sequence[Choice],
    folds: Sequence[Fold],
    count: int,
    seed: Sequence[int],
    shares: Mapping[str, float] | None = None,
    before: Counter[tuple[str, str]] | None = None,
) -> tuple[Sampled, ...]:
    """Return ``count`` tuples, all different as long as there are different ones.

    Args:
        choices: what is possible; their order and that of the folds is part of the input.
        folds: splits with shares and rooms; folds have either the same rooms or none in common, and a tuple
            goes to one of them only. A fold without a possible tuple is left out.
        count: how many; when all tuples of a fold's rooms are taken, it starts over.
        seed: entropy of the only random generator.
        shares: how often each task shall come relative to the others (1 by default).
        before: how often each name was taken when tuples of other rooms were sampled, as (``task``, ``slot`` or
            ``scene``, name); what is taken now is added.

    Returns:
        The tuples in the order of their indices, none if nothing is possible. A shorter run is a longer run's
        beginning.
    """
    scenes = list(dict.fromkeys(scene for choice in choices for scene in choice.scenes))
    if not scenes:
        return ()
    table = _Table.of(choices, scenes)
    weight = np.ones(table.offsets[-1])
    tasks = list(dict.fromkeys(choice.task for choice in choices))
    weight[: len(tasks)] = [(shares or {}).get(task, 1.0) for task in tasks]
    weight[: len(tasks)] /= weight[: len(tasks)].mean()
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(list(seed))))
    groups: dict[frozenset[str], _Pass] = {}
    for fold in folds:
        inside = np.array([scene in fold.scenes for scene in scenes])
        rows = np.flatnonzero(inside[table.scene_of]).astype(np.int32)
        if len(rows) and fold.scenes not in groups:
            groups[fold.scenes] = _Pass(table, weight, rng, rows, Counter() if before is None else before)
    return _take_in_shares(folds, {inside: _sampled(each, choices, scenes) for inside, each in groups.items()}, count)


def _sampled(rows: _Pass, choices: Sequence[Choice], scenes: Sequence[str]) -> Iterator[Sampled]:
    while True:
        row = rows.next()
        yield Sampled(choices[int(rows.table.choice_of[row])], scenes[int(rows.table.scene_of[row])], "")


def sample_in_turn(
    choices_of: Callable[[Sequence[str]], Sequence[Choice]],
    folds: Sequence[Fold],
    scenes: Sequence[str],
    count: int,
    seed: Sequence[int],
    shares: Mapping[str, float] | None = None,
) -> tuple[Sampled, ...]:
    """Return tuples as ``sample_tuples`` does, of so many rooms that they are not all looked at.

    Rooms are taken in their order, a few at a time, until there are ``count`` tuples; after the last the first come
    again. Kinds and tasks are counted through all of them.

    Args:
        choices_of: What is possible in some rooms.
        folds: As in ``sample_tuples``.
        scenes: The rooms, in the order in which they are taken.
        count: How many tuples.
        seed: Entropy of the random generators.
        shares: As in ``sample_tuples``.

    Returns:
        The tuples; none if nothing is possible in the first rooms (``BARREN``). A shorter run is a longer run's
        beginning.
    """
    streams: dict[frozenset[str], Iterator[Sampled]] = {}
    for fold in folds:
        inside = [scene for scene in scenes if scene in fold.scenes]
        if inside and fold.scenes not in streams:
            streams[fold.scenes] = _in_turn(choices_of, inside, (*seed, len(streams)), shares)
    return _take_in_shares(folds, streams, count)


def _take_in_shares(
    folds: Sequence[Fold], streams: Mapping[frozenset[str], Iterator[Sampled]], count: int
) -> tuple[Sampled, ...]:
    """Return tuples of streams by their scenes, of each time the fold that lags most behind its share."""
    share = np.array([fold.share if fold.scenes in streams else 0.0 for fold in folds])
    given = np.zeros(len(folds))
    found: list[Sampled] = []
    while len(found) < count and share.any():
        turn = int(np.argmax(share / (given + 0.5)))
        one = next(streams[folds[turn].scenes], None)
        if one is None:
            share[turn] = 0.0
            continue
        given[turn] += 1
        found.append(replace(one, split=folds[turn].split))
    return tuple(found)


def _in_turn(
    choices_of: Callable[[Sequence[str]], Sequence[Choice]],
    scenes: Sequence[str],
    seed: Sequence[int],
    shares: Mapping[str, float] | None,
) -> Iterator[Sampled]:
    """Yield tuples of a few rooms after the other, one for each room; end where nothing is possible in many."""
    before: Counter[tuple[str, str]] = Counter()
    blocks = [scenes[start : start + AT_ONCE] for start in range(0, len(scenes), AT_ONCE)]
    number, barren = 0, 0
    while barren < min(BARREN, len(blocks)):
        block = blocks[number % len(blocks)]
        fold = Fold("", 1.0, frozenset(block))
        found = sample_tuples(choices_of(block), (fold,), len(block), (*seed, number), shares, before)
        yield from found
        number, barren = number + 1, 0 if found else barren + 1


def folds(
    asked: Sequence[str], shares: Mapping[str, float], named: Mapping[str, Sequence[str]], rooms: Sequence[str]
) -> tuple[Fold, ...]:
    """Return the splits asked for, or all: those named after unseen rooms have these, the others the rest.

    Args:
        asked: The splits' names; none for all.
        shares: Each split's share.
        named: The rooms of the splits with rooms of their own.
        rooms: All rooms.

    Raises:
        UsageError: There is no such split.
    """
    check_splits(shares, asked)
    unseen = {scene for scenes in named.values() for scene in scenes}
    seen = frozenset(name for name in rooms if name not in unseen)
    return tuple(
        Fold(split, share, frozenset(named[split]) if split in named else seen)
        for split, share in shares.items()
        if not asked or split in asked
    )
