"""The tables that ``joins.derive`` works on: rules, atoms, index chains and derivations, and how they grow.

The rules never change. The others double when they are full, so that memory follows what is derived.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import copy_items, copy_rows, njit

# Hash tables of ground atoms in compiled code: atoms by their arguments, chains of atoms by index key.


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
def index_slot(chains: Any, arguments: Any, index: Any, positions: Any, start: Any, count: Any, key: Any) -> Any:
    """Slot of a key in the index table: its chain's if there is one, else the free one where it belongs."""
    table, owner, entry_atom, _ = chains
    mask = np.uint64(table.shape[0] - 1)
    slot = hash_row(index, key, count) & mask
    while True:
        entry = table[slot]
        if entry == 0:
            return np.int64(slot)
        if owner[slot] == index:
            atom = entry_atom[entry - 1]
            same = True
            for i in range(count):
                if arguments[atom, positions[start + i]] != key[i]:
                    same = False
                    break
            if same:
                return np.int64(slot)
        slot = (slot + np.uint64(1)) & mask


@njit(cache=True, nogil=True, inline="never")
def passes(checks: Any, first: Any, count: Any, value: Any, atoms: Any, scratch: Any) -> Any:
    filters, terms, is_type, arity = checks
    predicates, arguments, table = atoms
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
            if table[find(table, predicates, arguments, predicate, scratch, arity[predicate])] != 0:
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


Int32 = NDArray[np.int32]


class RuleTables(NamedTuple):
    """Compiled rules: one plan for each rule and trigger, one index for some positions of one predicate.

    A term is a variable from 0, or object n as -n - 1. Steps and filters are as ``atom_tables`` says.

    Attributes:
        arity: The arity of each predicate.
        plan_head: The rule that each plan is of.
        plan_trigger: The first term of each plan's trigger; -1 without a trigger.
        plan_steps: The first step of each plan, and how many there are (plans x 2).
        plan_filters: The first filter of each plan's trigger, and how many there are (plans x 2).
        head_predicate: The predicate that each rule derives.
        head_terms: The first term of each rule's head.
        steps: The steps (steps x ``STEP_WIDTH``).
        filters: The filters (filters x ``FILTER_WIDTH``).
        terms: The terms of heads and patterns, one pattern after the other.
        actions: What is done with each term: ``KEY`` compares it, ``BIND`` binds it, ``REPEAT`` meets it again.
        trigger_start: The first of each predicate's ``trigger_plans`` (predicates + 1).
        trigger_plans: The plans that atoms of each predicate trigger.
        initial_plans: The plans without a trigger.
        index_start: The first of each index's ``index_positions`` (indexes + 1).
        index_positions: The argument positions that each index is on.
        predicate_index_start: The first of each predicate's ``predicate_indexes`` (predicates + 1).
        predicate_indexes: The indexes on each predicate.
    """

    arity: Int32
    plan_head: Int32
    plan_trigger: Int32
    plan_steps: Int32
    plan_filters: Int32
    head_predicate: Int32
    head_terms: Int32
    steps: Int32
    filters: Int32
    terms: Int32
    actions: Int32
    trigger_start: Int32
    trigger_plans: Int32
    initial_plans: Int32
    index_start: Int32
    index_positions: Int32
    predicate_index_start: Int32
    predicate_indexes: Int32


class Types(NamedTuple):
    """Which objects belong to which type sets.

    Attributes:
        matrix: Marks of the objects (rows) that belong to each type set (columns).
        start: The first of each type set's ``objects`` (type sets + 1).
        objects: The objects of each type set, ascending.
    """

    matrix: NDArray[np.bool_]
    start: Int32
    objects: Int32


class Atoms(NamedTuple):
    """Atoms in the order in which they were derived, and the hash table that finds them.

    Attributes:
        predicate: The predicate of each atom; there may be room for more.
        arguments: The objects of each atom (room x width; the rest is -1).
        table: Each slot's atom + 1; 0 where it is free. There are two slots for each atom that there is room for.
    """

    predicate: Int32
    arguments: Int32
    table: Int32


class Checks(NamedTuple):
    """What filters are judged by.

    Attributes:
        filters, terms, arity: Those of ``RuleTables``.
        is_type: The matrix of ``Types`` (objects x type sets).
    """

    filters: Int32
    terms: Int32
    is_type: NDArray[np.bool_]
    arity: Int32


class Chains(NamedTuple):
    """Atoms by index and key: a hash table of chains of entries.

    Attributes:
        table: The first entry + 1 of each slot's chain; 0 where it is free.
        owner: The index that each slot belongs to.
        atom: The atom of each entry.
        following: The next entry + 1 of the chain; 0 at its end.
    """

    table: Int32
    owner: Int32
    atom: Int32
    following: Int32


class Derivations(NamedTuple):
    """How atoms were derived.

    Attributes:
        why: The last derivation of each atom; -1 if there is none.
        layer: How many layers each atom's first derivation needs.
        rule: The rule of each derivation.
        before: The derivation of the same atom that came before each; -1 if there is none.
        values: The objects of each derivation's variables (room x most variables).
    """

    why: Int32
    layer: Int32
    rule: Int32
    before: Int32
    values: Int32


@njit(nogil=True)
def atoms_for(size: Any, width: Any) -> Any:
    """Room for so many atoms (a power of two)."""
    return Atoms(np.empty(size, np.int32), np.empty((size, width), np.int32), np.zeros(2 * size, np.int32))


@njit(nogil=True)
def enter(given: Any, rows: Any, static_count: Any, arity: Any, predicates: Any, arguments: Any, table: Any) -> Any:
    """Enter given atoms, each once; returns how many they are, and how many of the first ``static_count``."""
    count = 0
    static = 0
    for a in range(given.shape[0]):
        predicate = given[a]
        slot = find(table, predicates, arguments, predicate, rows[a], arity[predicate])
        if table[slot] == 0:
            predicates[count] = predicate
            for i in range(rows.shape[1]):
                arguments[count, i] = rows[a, i]
            count += 1
            table[slot] = count
        if a < static_count:
            static = count
    return count, static


@njit(nogil=True)
def more_atoms(atoms: Any, count: Any, arity: Any) -> Any:
    """The same atoms with twice the room."""
    size = 2 * atoms.predicate.shape[0]
    grown = atoms_for(size, atoms.arguments.shape[1])
    copy_items(grown.predicate, atoms.predicate, count)
    copy_rows(grown.arguments, atoms.arguments, count)
    for a in range(count):
        predicate = grown.predicate[a]
        slot = find(grown.table, grown.predicate, grown.arguments, predicate, grown.arguments[a], arity[predicate])
        grown.table[slot] = a + 1
    return grown


@njit(nogil=True)
def chains_for(size: Any) -> Any:
    """Room for so many entries (a power of two)."""
    return Chains(
        np.zeros(2 * size, np.int32), np.empty(2 * size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
    )


@njit(nogil=True)
def more_chains(chains: Any, count: Any, arguments: Any, index_start: Any, index_positions: Any) -> Any:
    """The same chains with twice the room."""
    grown = chains_for(2 * chains.atom.shape[0])
    copy_items(grown.atom, chains.atom, count)
    copy_items(grown.following, chains.following, count)
    key = np.empty(arguments.shape[1], np.int32)
    for old in range(chains.table.shape[0]):
        entry = chains.table[old]
        if entry == 0:
            continue
        index = chains.owner[old]
        first, last = index_start[index], index_start[index + 1]
        for i in range(last - first):
            key[i] = arguments[grown.atom[entry - 1], index_positions[first + i]]
        slot = index_slot(grown, arguments, index, index_positions, first, last - first, key)
        grown.table[slot] = entry
        grown.owner[slot] = index
    return grown


@njit(nogil=True)
def derivations_for(atoms: Any, size: Any, variables: Any) -> Any:
    """Room for the derivations of so many atoms."""
    return Derivations(
        np.full(atoms, -1, np.int32),
        np.zeros(atoms, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty((size, variables), np.int32),
    )


@njit(nogil=True)
def more_derivations(old: Any, atoms: Any, count: Any, double: Any) -> Any:
    """The same derivations with room for more atoms, and for twice as many derivations."""
    size = old.rule.shape[0] * (2 if double else 1)
    grown = derivations_for(atoms, size, old.values.shape[1])
    copy_items(grown.why, old.why, old.why.shape[0])
    copy_items(grown.layer, old.layer, old.layer.shape[0])
    copy_items(grown.rule, old.rule, count)
    copy_items(grown.before, old.before, count)
    copy_rows(grown.values, old.values, count)
    return grown
