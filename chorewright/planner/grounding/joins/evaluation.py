"""Bottom-up evaluation of join rules over ground atoms: the compiled core of grounding.

A rule derives its head from a conjunction of atoms, with inequalities, types and absent static atoms as
filters. Every atom is derived once, every instantiation of every rule is found exactly once: an atom taken
from the queue triggers the rules that mention it, and the rest of the rule's body is looked up in hash
indexes on the arguments that are bound by then. All data are integers in flat arrays, so that the whole
fixpoint is one compiled call; its parts are put in where they are called.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import njit
from chorewright.planner.grounding.joins.tables import (
    BIND,
    CHECK,
    GENERATE,
    REPEAT,
    Checks,
    atoms_for,
    chains_for,
    derivations_for,
    enter,
    find,
    index_slot,
    more_atoms,
    more_chains,
    more_derivations,
    passes,
)

DONE, FULL, STOPPED = 0, 1, 2


@njit(nogil=True, inline="always")
def fill_in(terms: Any, offset: Any, length: Any, value: Any, out: Any) -> None:
    """Put the objects of terms into ``out``, given the variables' values."""
    for i in range(length):
        term = terms[offset + i]
        out[i] = value[term] if term >= 0 else -term - 1


@njit(nogil=True, inline="always")
def matching(
    terms: Any, actions: Any, offset: Any, length: Any, arguments: Any, atom: Any, value: Any, key: Any
) -> Any:
    """Whether an atom matches the terms; fresh variables get values. With ``key``, bound terms are tested."""
    matches = True
    for i in range(length):
        term = terms[offset + i]
        action = actions[offset + i]
        if action == BIND:
            value[term] = arguments[atom, i]
        elif key or action == REPEAT:
            expected = value[term] if term >= 0 else -term - 1
            if expected != arguments[atom, i]:
                matches = False
                break
    return matches


@njit(nogil=True)
def derive(rules: Any, types: Any, given: Any, rows: Any, wish: Any, sizes: Any, reasons: Any, stop: Any) -> Any:
    """Derive all atoms: (status, count, initial count, atoms, derivations).

    ``given`` and ``rows`` are the initial atoms' predicates and arguments. ``sizes``: the first ``static_count`` of
    them never trigger a rule; rules have at most ``most_variables``; there is room for ``size`` atoms at first (a power
    of two, more than the initial ones). The status is FULL if they or their derivations become more than ``most``,
    STOPPED if ``stop[0]`` was set.

    ``wish`` is a ``Wish``. With ``reasons``, the derivations of each atom that need no more layers than its first one
    are kept. A derivation of a predicate with ``increment`` 1 is one layer above what it uses. Atoms of ``late``
    predicates wait until all that follows without them is derived. ``targets`` atoms are wanted: those
    for whose arguments there is an initial atom of predicate ``asked_by[predicate]``. When all are
    derived, or none has been for long, the rest is not derived (``targets`` -1: derive everything).
    """
    # Arrays in variables of their own: taking one out of a tuple in a loop costs a count of references.
    static_count, most_variables, size, most = sizes
    increment, late, asked_by, targets, last_rounds = wish
    arity, plan_head, plan_trigger, plan_steps, plan_filters = rules[:5]
    head_predicate, head_terms, steps, filters, terms, actions = rules[5:11]
    trigger_start, trigger_plans, initial_plans = rules[11:14]
    index_start, index_positions, predicate_index_start, predicate_indexes = rules[14:]
    type_start, type_objects = types.start, types.objects
    checks = Checks(filters, terms, types.matrix, arity)
    width = rows.shape[1]
    atoms = atoms_for(size, width)
    predicates, arguments, table = atoms
    chains = chains_for(4 * size)
    chain_table, chain_index, chain_atom, following = chains
    room = size if reasons else 1
    how = derivations_for(room, room, most_variables)
    why, layers, rule_of, before, values = how
    entries = derivations = patience = rounds = round_end = stage = 0
    value = np.zeros(most_variables + 1, np.int32)
    scratch = np.zeros(width + 1, np.int32)
    cursor = np.zeros(most_variables + steps.shape[0] + 2, np.int64)
    path = np.zeros(most_variables + steps.shape[0] + 3, np.int32)
    count, static = enter(given, rows, static_count, arity, predicates, arguments, table)
    initial = count
    now = then = 0  # the next atoms in line, and of late predicates
    waiting = late.any()
    # Stages: static atoms into the indexes; rules without trigger; then the queue.
    while True:
        current = -1
        if stage == 1:
            first_plan, last_plan = np.int32(0), np.int32(initial_plans.shape[0])
            stage = 2
        else:
            if stage == 0 and now >= static:
                stage = 1
                continue
            if stop[0] != 0:
                return STOPPED, count, initial, atoms, how
            if targets > 0 and patience > 0 and count > patience:
                break
            while now < count and late[predicates[now]]:
                now += 1
            current = now
            if now >= count:
                # What is late waits until all that follows without it is derived.
                while then < count and not late[predicates[then]]:
                    then += 1
                if then >= count:
                    break
                current = then
            if targets == 0 and current >= round_end and (late[predicates[current]] or not waiting):
                rounds += 1
                round_end = count
                if rounds > last_rounds:
                    break
            if now < count:
                now += 1
            else:
                then += 1
            predicate = predicates[current]
            for k in range(predicate_index_start[predicate], predicate_index_start[predicate + 1]):
                index = predicate_indexes[k]
                if entries >= chain_atom.shape[0]:
                    chains = more_chains(chains, entries, arguments, index_start, index_positions)
                    chain_table, chain_index, chain_atom, following = chains
                begin = index_start[index]
                length = index_start[index + 1] - begin
                for i in range(length):
                    scratch[i] = arguments[current, index_positions[begin + i]]
                slot = index_slot(chains, arguments, index, index_positions, begin, length, scratch)
                chain_atom[entries] = current
                following[entries] = chain_table[slot]
                chain_index[slot] = index
                entries += 1
                chain_table[slot] = entries
            if stage == 0:
                continue
            first_plan, last_plan = trigger_start[predicate], trigger_start[predicate + 1]

        for k in range(first_plan, last_plan):
            plan = initial_plans[k] if current < 0 else trigger_plans[k]
            if current >= 0:
                offset, length = plan_trigger[plan], arity[predicates[current]]
                if not matching(terms, actions, offset, length, arguments, current, value, True):
                    continue
            begin, length = plan_filters[plan, 0], plan_filters[plan, 1]
            if length and not passes(checks, begin, length, value, atoms, scratch):
                continue
            first = plan_steps[plan, 0]
            last = first + plan_steps[plan, 1]
            step = first
            entering = True
            if reasons:
                path[0] = layers[current] if current >= 0 else 0
            while step >= first:
                if step == last:
                    if (count & 8191) == 0 and stop[0] != 0:
                        return STOPPED, count, initial, atoms, how
                    head = plan_head[plan]
                    predicate = head_predicate[head]
                    n = arity[predicate]
                    fill_in(terms, head_terms[head], n, value, scratch)
                    slot = find(table, predicates, arguments, predicate, scratch, n)
                    layer = np.int32(0)
                    if reasons:
                        layer = np.int32(path[step - first] + increment[predicate])
                    if table[slot] == 0:
                        if count >= predicates.shape[0]:
                            if count >= most:
                                return FULL, count, initial, atoms, how
                            atoms = more_atoms(atoms, count, arity)
                            predicates, arguments, table = atoms
                            if reasons:
                                how = more_derivations(how, predicates.shape[0], derivations, False)
                                why, layers, rule_of, before, values = how
                            slot = find(table, predicates, arguments, predicate, scratch, n)
                        predicates[count] = predicate
                        for i in range(width):
                            arguments[count, i] = scratch[i] if i < n else -1
                        if reasons:
                            layers[count] = layer
                        count += 1
                        table[slot] = count
                        if targets > 0 and asked_by[predicate] >= 0:
                            asking = asked_by[predicate]
                            asked = find(table, predicates, arguments, asking, scratch, n)
                            if 0 < table[asked] <= initial:
                                targets -= 1
                                patience = count + 4 * (count - initial) + 6000
                    if reasons:
                        atom = table[slot] - 1
                        if atom >= initial and layer <= layers[atom]:
                            if derivations >= rule_of.shape[0]:
                                if derivations >= 2 * most:
                                    return FULL, count, initial, atoms, how
                                how = more_derivations(how, predicates.shape[0], derivations, True)
                                why, layers, rule_of, before, values = how
                            rule_of[derivations] = head
                            before[derivations] = why[atom]
                            why[atom] = derivations
                            for i in range(most_variables):
                                values[derivations, i] = value[i]
                            derivations += 1
                    step -= 1
                    entering = False
                    continue
                kind = steps[step, 0]
                offset = steps[step, 4]
                begin, length = steps[step, 5], steps[step, 6]
                depth = step - first
                found = False
                atom = np.int64(-1)
                if kind == GENERATE:
                    members = steps[step, 2]
                    position = np.int64(type_start[members]) if entering else cursor[depth] + 1
                    while position < type_start[members + 1]:
                        value[steps[step, 1]] = type_objects[position]
                        if length == 0 or passes(checks, begin, length, value, atoms, scratch):
                            found = True
                            break
                        position += 1
                    cursor[depth] = position
                elif kind == CHECK:
                    if entering:
                        predicate = steps[step, 1]
                        fill_in(terms, offset, arity[predicate], value, scratch)
                        slot = find(table, predicates, arguments, predicate, scratch, arity[predicate])
                        atom = np.int64(table[slot] - 1)
                        done = then if late[predicate] else now
                        found = 0 <= atom < done and (steps[step, 3] == 0 or atom != current)
                        if found:
                            found = length == 0 or passes(checks, begin, length, value, atoms, scratch)
                else:
                    if entering:
                        index = steps[step, 2]
                        start = index_start[index]
                        bound = index_start[index + 1] - start
                        for i in range(bound):
                            term = terms[offset + index_positions[start + i]]
                            scratch[i] = value[term] if term >= 0 else -term - 1
                        slot = index_slot(chains, arguments, index, index_positions, start, bound, scratch)
                        entry = np.int64(chain_table[slot])
                    else:
                        entry = np.int64(following[cursor[depth] - 1])
                    while entry != 0:
                        atom = np.int64(chain_atom[entry - 1])
                        if (
                            (steps[step, 3] == 0 or atom != current)
                            and matching(terms, actions, offset, arity[predicates[atom]], arguments, atom, value, False)
                            and (length == 0 or passes(checks, begin, length, value, atoms, scratch))
                        ):
                            found = True
                            break
                        entry = np.int64(following[entry - 1])
                    cursor[depth] = entry
                if found:
                    if reasons:
                        path[depth + 1] = path[depth]
                        if kind != GENERATE and layers[atom] > path[depth]:
                            path[depth + 1] = layers[atom]
                    step += 1
                    entering = True
                else:
                    step -= 1
                    entering = False
    return DONE, count, initial, atoms, how
