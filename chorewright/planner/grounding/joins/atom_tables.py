"""Hash tables of ground atoms in compiled code: atoms by their arguments, chains of atoms by index key."""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import njit

JOIN, CHECK, GENERATE = 0, 1, 2
DIFFERENT, SAME, ABSENT, TYPED = 0, 1, 2, 3
KEY, BIND, REPEAT = 0, 1, 2

STEP_WIDTH = 7
"""Kind, predicate or variable, index or type, order (1: not the trigger), terms, first filter, filters."""

FILTER_WIDTH = 4
"""kind, then: two terms | two terms | predicate and terms offset | variable and type."""


@njit(cache=True, nogil=True, inline="never")
def hash_row(seed: Any, values: Any, count: Any) -> Any:
    h = np.uint64(seed + 1) * np.uint64(0x9E3779B97F4A7C15)
    for i in range(count):
        h = (h ^ np.uint64(values[i] + 1)) * np.uint64(0xBF58476D1CE4E5B9)
        h = h ^ (h >> np.uint64(29))
    return h


@njit(cache=True, nogil=True, inline="never")
def find(table: Any, atom_predicate: Any, atom_arguments: Any, predicate: Any, values: Any, arity: Any) -> Any:
    """Slot of an atom: the atom's if it is there (table[slot] > 0), else the free one where it belongs."""
    mask = np.uint64(table.shape[0] - 1)
    slot = hash_row(predicate, values, arity) & mask
    while True:
        entry = table[slot]
        if entry == 0:
            return np.int64(slot)
        atom = entry - 1
        if atom_predicate[atom] == predicate:
            same = True
            for i in range(arity):
                if atom_arguments[atom, i] != values[i]:
                    same = False
                    break
            if same:
                return np.int64(slot)
        slot = (slot + np.uint64(1)) & mask


@njit(cache=True, nogil=True, inline="never")
def index_slot(
    table: Any,
    entry_atom: Any,
    slot_index: Any,
    atom_arguments: Any,
    index: Any,
    positions: Any,
    start: Any,
    count: Any,
    key: Any,
) -> Any:
    """Slot of a key in the index table: its chain's if there is one, else the free one where it belongs."""
    mask = np.uint64(table.shape[0] - 1)
    slot = hash_row(index, key, count) & mask
    while True:
        entry = table[slot]
        if entry == 0:
            return np.int64(slot)
        if slot_index[slot] == index:
            atom = entry_atom[entry - 1]
            same = True
            for i in range(count):
                if atom_arguments[atom, positions[start + i]] != key[i]:
                    same = False
                    break
            if same:
                return np.int64(slot)
        slot = (slot + np.uint64(1)) & mask


@njit(cache=True, nogil=True, inline="never")
def passes(
    filters: Any,
    first: Any,
    count: Any,
    terms: Any,
    value: Any,
    is_type: Any,
    arity: Any,
    table: Any,
    atom_predicate: Any,
    atom_arguments: Any,
    scratch: Any,
) -> Any:
    for f in range(first, first + count):
        kind = filters[f, 0]
        if kind == TYPED:
            if not is_type[value[filters[f, 1]], filters[f, 2]]:
                return False
        elif kind == ABSENT:
            predicate = filters[f, 1]
            offset = filters[f, 2]
            for i in range(arity[predicate]):
                term = terms[offset + i]
                scratch[i] = value[term] if term >= 0 else -term - 1
            if table[find(table, atom_predicate, atom_arguments, predicate, scratch, arity[predicate])] != 0:
                return False
        else:
            left = filters[f, 1]
            right = filters[f, 2]
            a = value[left] if left >= 0 else -left - 1
            b = value[right] if right >= 0 else -right - 1
            if (a == b) != (kind == SAME):
                return False
    return True


@njit(cache=True, nogil=True)
def look_up(table: Any, atom_predicate: Any, atom_arguments: Any, predicate: Any, rows: Any, out: Any) -> Any:
    """Atom of each row of arguments, or -1."""
    for r in range(rows.shape[0]):
        slot = find(table, atom_predicate, atom_arguments, predicate, rows[r], rows.shape[1])
        out[r] = table[slot] - 1
