"""A binary heap of integers in an array: the queue of the heuristics and of the searches."""

from __future__ import annotations

from typing import Any

from chorewright.jit.kernels import njit


@njit(cache=True, nogil=True)
def push(heap: Any, size: Any, key: Any) -> Any:
    """Insert a key into a binary heap; returns the new size."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if heap[parent] <= key:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i] = key
    return size + 1


@njit(cache=True, nogil=True)
def pop(heap: Any, size: Any) -> Any:
    """Remove the smallest key; returns the new size, the key is left at ``heap[size]``."""
    smallest = heap[0]
    size -= 1
    key = heap[size]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= key:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = key
    heap[size] = smallest
    return size


__all__ = ["pop", "push"]
