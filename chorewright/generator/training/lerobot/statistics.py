"""Statistics of features as LeRobot normalises by them: extremes, mean, deviation and quantiles."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}

Statistics = Mapping[str, list[object]]
"""The names of statistics with a value for each number of the feature, or of pictures (3, 1, 1); ``count`` has one."""


def of_numbers(values: NDArray[np.generic]) -> Statistics:
    """Return the statistics of a feature.

    Args:
        values: (frames, size) numbers, at least one frame.
    """
    numbers = values.astype(np.float64)
    found: dict[str, list[object]] = {
        "min": numbers.min(axis=0).tolist(),
        "max": numbers.max(axis=0).tolist(),
        "mean": numbers.mean(axis=0).tolist(),
        "std": numbers.std(axis=0).tolist(),
        "count": [len(numbers)],
    }
    for name, row in zip(QUANTILES, np.quantile(numbers, list(QUANTILES.values()), axis=0), strict=True):
        found[name] = row.tolist()
    return found


class Colours:
    """The colours of pictures, counted: what their statistics follow from, exactly and in any order."""

    def __init__(self, counts: NDArray[np.int64] | None = None, pictures: int = 0) -> None:
        self.counts = np.zeros((3, 256), np.int64) if counts is None else counts
        self.pictures = pictures

    def add(self, picture: NDArray[np.uint8]) -> None:
        """Count a picture (height, width, 3)."""
        for channel in range(3):
            self.counts[channel] += np.bincount(picture[..., channel].ravel(), minlength=256)
        self.pictures += 1

    def merge(self, other: Colours) -> None:
        """Add what another has counted."""
        self.counts += other.counts
        self.pictures += other.pictures

    def statistics(self) -> Statistics:
        """Return the statistics, colours from 0 to 1; ``count`` is that of pictures."""
        levels = np.arange(256) / 255
        total = self.counts.sum(axis=1)
        mean = (self.counts * levels).sum(axis=1) / total
        deviation = np.sqrt(np.maximum((self.counts * levels**2).sum(axis=1) / total - mean**2, 0))
        present = [np.flatnonzero(channel) for channel in self.counts]
        found: dict[str, list[object]] = {
            "min": _channels(np.array([levels[each[0]] for each in present])),
            "max": _channels(np.array([levels[each[-1]] for each in present])),
            "mean": _channels(mean),
            "std": _channels(deviation),
            "count": [self.pictures],
        }
        summed = self.counts.cumsum(axis=1)
        for name, share in QUANTILES.items():
            at = [np.searchsorted(row, share * last) for row, last in zip(summed, total, strict=True)]
            found[name] = _channels(levels[np.array(at)])
        return found


def _channels(values: NDArray[np.float64]) -> list[object]:
    return [[[value]] for value in values.tolist()]
