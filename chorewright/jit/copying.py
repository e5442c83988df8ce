"""Copies of arrays for kernels: loops compile in a fraction of the time of slices, whose errors format shapes."""

from __future__ import annotations

from typing import Any

from chorewright.jit.kernels import njit


@njit(cache=True, nogil=True)
def copy_items(target: Any, source: Any, count: Any) -> None:
    """Copy the first items of an array."""
    for i in range(count):
        target[i] = source[i]


@njit(cache=True, nogil=True)
def copy_rows(target: Any, source: Any, count: Any) -> None:
    """Copy the first rows of a matrix."""
    for i in range(count):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]
