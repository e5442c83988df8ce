"""What derived atoms were derived from: the atoms that their kept derivations use."""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import njit
from chorewright.planner.grounding.joins.atom_tables import find


@njit(nogil=True)
def trace(
    seeds: Any,
    kept: Any,
    atoms: Any,
    arity: Any,
    body_start: Any,
    body_predicate: Any,
    body_terms: Any,
    terms: Any,
    followed: Any,
    marked: Any,
) -> None:
    """Mark the seeds and all atoms that their kept derivations use, through ``followed`` predicates only."""
    why, _, rule_of, before, values = kept
    predicates, arguments, table = atoms
    stack = np.empty(marked.shape[0] + 1, np.int32)
    scratch = np.zeros(arguments.shape[1] + 1, np.int32)
    depth = 0
    for i in range(seeds.shape[0]):
        if not marked[seeds[i]]:
            marked[seeds[i]] = True
            stack[depth] = seeds[i]
            depth += 1
    while depth > 0:
        depth -= 1
        derivation = why[stack[depth]]
        while derivation >= 0:
            rule = rule_of[derivation]
            value = values[derivation]
            for k in range(body_start[rule], body_start[rule + 1]):
                predicate = body_predicate[k]
                if not followed[predicate]:
                    continue
                length = arity[predicate]
                for i in range(length):
                    term = terms[body_terms[k] + i]
                    scratch[i] = value[term] if term >= 0 else -term - 1
                slot = find(table, predicates, arguments, predicate, scratch, length)
                other = table[slot] - 1
                if other >= 0 and not marked[other]:
                    marked[other] = True
                    stack[depth] = other
                    depth += 1
            derivation = before[derivation]
