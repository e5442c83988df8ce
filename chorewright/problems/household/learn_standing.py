"""Learns from rooms whose standing points are known how kinds of things shape the room to stand.

A logistic regression over the piecewise constant profiles of ``standing``: the weights are those of greatest
likelihood, drawn towards nought, so that a kind that is seen rarely says little. The optimum is unique.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from chorewright.problems.household.free_space import Features, Profiles, Raster, features
from chorewright.problems.household.scene import Point, SceneObject

Numbers: TypeAlias = npt.NDArray[np.float64]

RIDGE = 2.0
"""How strongly weights are drawn towards nought."""
FEWEST = 10
"""Points that a stretch of a profile must tell of to be learned."""
ROUNDS = 40
CONVERGED = 1e-3
"""The greatest slope that counts as none."""
CHUNK = 4096
"""Points whose one-hot rows are in memory at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A room to learn from: its features, and where one is known to stand (a flag for each point, in one row)."""

    raster: Raster
    features: Features
    known: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, objects: Sequence[SceneObject], level: float, known: set[Point]) -> Example:
        """Return a room as an example."""
        raster, found = features(objects, level)
        return cls(raster, found, raster.mask(known).ravel())


class Regression:
    """The regression over some rooms, and over all but one of them."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self._names = _stretches(examples)
        self._lengths = {name: len(edges) for one in examples for name, (_, edges) in one.features.items()}
        place = {stretch: number for number, stretch in enumerate(self._names)}
        rows = [_columns(example, place) for example in examples]
        width = max(row.shape[1] for row in rows)
        pad = len(self._names)
        self._columns = np.concatenate(
            [np.pad(row, ((0, 0), (0, width - row.shape[1])), constant_values=pad) for row in rows]
        )
        self._known = np.concatenate([example.known for example in examples]).astype(np.float64)
        ends = np.cumsum([0, *(len(row) for row in rows)])
        self._rooms = [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]
        self._all = np.ones(len(self._known), np.bool_)
        self._weights = np.zeros(pad + 2)  # the last but one is the padding's, the last the bias
        self._curvature = np.zeros((0, 0))

    def fit(self) -> Profiles:
        """Return the profiles of all rooms."""
        self._weights = self._newton(self._weights, self._all)
        self._curvature = self._hessian(self._weights, self._all)
        return self._profiles(self._weights)

    def without(self, number: int) -> Profiles:
        """Return the profiles of all rooms but one; ``fit`` comes first.

        From the weights of all, steps by the curvature there lead to the optimum of the others.
        """
        some = self._all.copy()
        some[self._rooms[number]] = False
        weights = self._weights
        curvature = self._curvature - self._hessian(weights, ~some, ridge=0.0)
        for _ in range(ROUNDS):
            slope = self._slope(weights, some)
            if float(np.abs(slope).max()) < CONVERGED:
                break
            weights = weights - _step(curvature, slope)
        else:
            weights = self._newton(self._weights, some)
        return self._profiles(weights)

    def _newton(self, weights: Numbers, some: npt.NDArray[np.bool_]) -> Numbers:
        for _ in range(ROUNDS):
            slope = self._slope(weights, some)
            if float(np.abs(slope).max()) < CONVERGED:
                break
            weights = weights - _step(self._hessian(weights, some), slope)
        return weights

    def _chances(self, weights: Numbers, rows: slice | npt.NDArray[np.intp]) -> Numbers:
        odds: Numbers = weights[:-1][self._columns[rows]].sum(axis=1) + weights[-1]
        return 1.0 / (1.0 + np.exp(-odds))

    def _slope(self, weights: Numbers, some: npt.NDArray[np.bool_]) -> Numbers:
        residual = np.where(some, self._chances(weights, slice(None)) - self._known, 0.0)
        spread = np.repeat(residual, self._columns.shape[1])
        slope: Numbers = np.bincount(self._columns.ravel(), spread, minlength=len(weights)).astype(np.float64)
        slope[-2] = 0.0
        slope[:-2] += RIDGE * weights[:-2]
        slope[-1] = residual.sum()
        return slope

    def _hessian(self, weights: Numbers, some: npt.NDArray[np.bool_], ridge: float = RIDGE) -> Numbers:
        curvature = np.zeros((len(weights), len(weights)))
        rows = np.flatnonzero(some)
        for start in range(0, len(rows), CHUNK):
            chunk = rows[start : start + CHUNK]
            chances = self._chances(weights, chunk)
            dense = np.zeros((len(chunk), len(weights)))
            np.put_along_axis(dense, self._columns[chunk], 1.0, axis=1)
            dense[:, -2], dense[:, -1] = 0.0, 1.0
            curvature += (dense * (chances * (1.0 - chances))[:, None]).T @ dense
        curvature[np.arange(len(weights) - 2), np.arange(len(weights) - 2)] += ridge
        if ridge:
            curvature[-2, -2] = 1.0
        return curvature

    def _profiles(self, weights: Numbers) -> Profiles:
        found = {name: [0.0] * self._lengths[name] for name, _ in self._names}
        for (name, part), weight in zip(self._names, weights[:-2].tolist(), strict=True):
            found[name][part] = round(weight, 2) + 0.0
        return Profiles(round(float(weights[-1]), 2), {name: tuple(found[name]) for name in sorted(found)})


def _stretches(examples: Sequence[Example]) -> list[tuple[str, int]]:
    """Return the stretches of profiles that enough points tell of: names and parts."""
    counts: Counter[tuple[str, int]] = Counter()
    for example in examples:
        for name, (metres, edges) in example.features.items():
            for part, count in enumerate(np.bincount(np.searchsorted(edges, metres).ravel())[: len(edges)].tolist()):
                counts[name, part] += count
    return sorted(stretch for stretch, count in counts.items() if count >= FEWEST)


def _columns(example: Example, place: dict[tuple[str, int], int]) -> npt.NDArray[np.int64]:
    """Return for each point of a room the numbers of the stretches that it is in, one column a feature."""
    columns = []
    for name, (metres, edges) in sorted(example.features.items()):
        numbers = np.array([place.get((name, part), len(place)) for part in range(len(edges) + 1)], np.int64)
        columns.append(numbers[np.searchsorted(edges, metres).ravel()])
    return np.stack(columns, axis=1)


def _step(curvature: Numbers, slope: Numbers) -> Numbers:
    return np.linalg.solve(curvature, slope).astype(np.float64)
