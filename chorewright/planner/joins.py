"""Bottom-up evaluation of join rules over ground atoms: the compiled core of grounding.

A rule derives its head from a conjunction of atoms, with inequalities, types and absent static atoms as
filters. Every atom is derived once, every instantiation of every rule is found exactly once: an atom taken
from the queue triggers the rules that mention it, and the rest of the rule's body is looked up in hash
indexes on the arguments that are bound by then. All data are integers in flat arrays, so that the whole
fixpoint is one compiled call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.planner.atom_tables import BIND, CHECK, GENERATE, REPEAT, find, index_slot, passes
from chorewright.planner.compiled import njit

LAST_ROUNDS = 4
"""How many rounds of the queue are still worked off when all targets are derived."""


@njit(cache=True, nogil=True)
def derive(
    arity: Any,
    initial_predicate: Any,
    initial_arguments: Any,
    static_count: Any,
    plan_head: Any,
    plan_trigger: Any,
    plan_steps: Any,
    plan_filters: Any,
    head_predicate: Any,
    head_terms: Any,
    steps: Any,
    filters: Any,
    terms: Any,
    actions: Any,
    trigger_start: Any,
    trigger_plans: Any,
    initial_plans: Any,
    index_start: Any,
    index_positions: Any,
    predicate_index_start: Any,
    predicate_indexes: Any,
    is_type: Any,
    type_start: Any,
    type_objects: Any,
    most_variables: Any,
    capacity: Any,
    entry_capacity: Any,
    reasons: Any,
    increment: Any,
    asked_by: Any,
    targets: Any,
    stop: Any,
) -> Any:
    """Derive all atoms. Returns (status, count, initial count, predicates, arguments, hash table,
    derivations); status 1: capacity too small, 2: stopped. With ``reasons``, the derivations of each atom
    that need no more layers than its first one are kept: the last of ``why[atom]``, the one ``before``
    each, the rule and its variables' values. A derivation of a predicate with ``increment`` 1 is one layer
    above what it uses. ``targets`` atoms are wanted: those for whose arguments there is an initial atom of
    predicate ``asked_by[predicate]``. When all are derived, or none has been for long, the rest is not
    derived (``targets`` -1: derive everything).

    The first ``static_count`` initial atoms never trigger a rule. ``plan_*`` have one row per (rule,
    trigger): the head, the trigger's terms offset (or -1), first step and number, first filter and number.
    """
    width = initial_arguments.shape[1]
    atom_predicate = np.empty(capacity, np.int32)
    atom_arguments = np.empty((capacity, width), np.int32)
    table_size = 16
    while table_size < 2 * capacity:
        table_size *= 2
    table = np.zeros(table_size, np.int32)
    index_size = 16
    while index_size < 2 * entry_capacity:
        index_size *= 2
    index_table = np.zeros(index_size, np.int32)
    slot_index = np.empty(index_size, np.int32)
    entry_atom = np.empty(entry_capacity, np.int32)
    entry_next = np.empty(entry_capacity, np.int32)
    entries = 0
    count = 0
    room = 2 * capacity if reasons else 1
    why = np.full(capacity, -1, np.int32) if reasons else np.full(1, -1, np.int32)
    layer = np.zeros(capacity, np.int32) if reasons else np.zeros(1, np.int32)
    path = np.zeros(most_variables + steps.shape[0] + 3, np.int32)
    rule_of = np.empty(room, np.int32)
    before = np.empty(room, np.int32)
    values = np.empty((room, most_variables), np.int32)
    derivations = 0
    value = np.zeros(most_variables + 1, np.int32)
    scratch = np.zeros(width + 1, np.int32)
    cursor = np.zeros(most_variables + steps.shape[0] + 2, np.int64)

    different = 0
    for a in range(initial_predicate.shape[0]):
        if count >= capacity:
            return 1, count, count, atom_predicate, atom_arguments, table, (why, rule_of, before, values)
        predicate = initial_predicate[a]
        slot = find(table, atom_predicate, atom_arguments, predicate, initial_arguments[a], arity[predicate])
        if table[slot] == 0:
            atom_predicate[count] = predicate
            for i in range(width):
                atom_arguments[count, i] = initial_arguments[a, i]
            count += 1
            table[slot] = count
        if a < static_count:
            different = count

    initial = count
    static_count = different
    patience = 0
    rounds = 0
    round_end = 0
    popped = 0
    stage = 0  # static atoms into the indexes; rules without trigger; then the queue
    while True:
        current = -1
        if stage == 1:
            first_plan = 0
            last_plan = initial_plans.shape[0]
            stage = 2
        else:
            if stage == 0 and popped >= static_count:
                stage = 1
                continue
            if stop[0] != 0:
                return (
                    2,
                    count,
                    initial,
                    atom_predicate,
                    atom_arguments,
                    table,
                    (why, rule_of, before, values),
                )
            if popped >= count or (targets > 0 and patience > 0 and count > patience):
                break
            if targets == 0 and popped >= round_end:
                # What is queued may still derive the targets in other ways, a few rules from here.
                rounds += 1
                round_end = count
                if rounds > LAST_ROUNDS:
                    break
            current = popped
            popped += 1
            predicate = atom_predicate[current]
            for k in range(predicate_index_start[predicate], predicate_index_start[predicate + 1]):
                index = predicate_indexes[k]
                if entries >= entry_capacity:
                    return (
                        1,
                        count,
                        initial,
                        atom_predicate,
                        atom_arguments,
                        table,
                        (why, rule_of, before, values),
                    )
                begin = index_start[index]
                length = index_start[index + 1] - begin
                for i in range(length):
                    scratch[i] = atom_arguments[current, index_positions[begin + i]]
                slot = index_slot(
                    index_table,
                    entry_atom,
                    slot_index,
                    atom_arguments,
                    index,
                    index_positions,
                    begin,
                    length,
                    scratch,
                )
                entry_atom[entries] = current
                entry_next[entries] = index_table[slot]
                slot_index[slot] = index
                entries += 1
                index_table[slot] = entries
            if stage == 0:
                continue
            first_plan = trigger_start[predicate]
            last_plan = trigger_start[predicate + 1]

        for k in range(first_plan, last_plan):
            plan = initial_plans[k] if current < 0 else trigger_plans[k]
            if current >= 0:
                offset = plan_trigger[plan]
                matches = True
                for i in range(arity[atom_predicate[current]]):
                    term = terms[offset + i]
                    actual = atom_arguments[current, i]
                    if actions[offset + i] == BIND:
                        value[term] = actual
                    else:
                        expected = value[term] if term >= 0 else -term - 1
                        if expected != actual:
                            matches = False
                            break
                if not matches:
                    continue
            if not passes(
                filters,
                plan_filters[plan, 0],
                plan_filters[plan, 1],
                terms,
                value,
                is_type,
                arity,
                table,
                atom_predicate,
                atom_arguments,
                scratch,
            ):
                continue
            first = plan_steps[plan, 0]
            last = first + plan_steps[plan, 1]
            step = first
            entering = True
            if reasons:
                path[0] = layer[current] if current >= 0 else 0
            while step >= first:
                if step == last:
                    if (count & 8191) == 0 and stop[0] != 0:
                        return (
                            2,
                            count,
                            initial,
                            atom_predicate,
                            atom_arguments,
                            table,
                            (why, rule_of, before, values),
                        )
                    head = plan_head[plan]
                    predicate = head_predicate[head]
                    n = arity[predicate]
                    for i in range(n):
                        term = terms[head_terms[head] + i]
                        scratch[i] = value[term] if term >= 0 else -term - 1
                    slot = find(table, atom_predicate, atom_arguments, predicate, scratch, n)
                    if table[slot] == 0:
                        if count >= capacity:
                            return (
                                1,
                                count,
                                initial,
                                atom_predicate,
                                atom_arguments,
                                table,
                                (why, rule_of, before, values),
                            )
                        atom_predicate[count] = predicate
                        for i in range(width):
                            atom_arguments[count, i] = scratch[i] if i < n else -1
                        if reasons:
                            layer[count] = path[step - first] + increment[predicate]
                        count += 1
                        table[slot] = count
                        if targets > 0 and asked_by[predicate] >= 0:
                            slot = find(
                                table, atom_predicate, atom_arguments, asked_by[predicate], scratch, n
                            )
                            if 0 < table[slot] <= initial:
                                targets -= 1
                                patience = count + 4 * (count - initial) + 6000
                    if reasons:
                        atom = table[find(table, atom_predicate, atom_arguments, predicate, scratch, n)] - 1
                        if atom >= initial and path[step - first] + increment[predicate] <= layer[atom]:
                            if derivations >= room:
                                return (
                                    1,
                                    count,
                                    initial,
                                    atom_predicate,
                                    atom_arguments,
                                    table,
                                    (why, rule_of, before, values),
                                )
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
                depth = step - first
                found = False
                atom = np.int64(-1)
                if kind == GENERATE:
                    kind_of_object = steps[step, 2]
                    position = type_start[kind_of_object] if entering else cursor[depth] + 1
                    while position < type_start[kind_of_object + 1]:
                        value[steps[step, 1]] = type_objects[position]
                        if passes(
                            filters,
                            steps[step, 5],
                            steps[step, 6],
                            terms,
                            value,
                            is_type,
                            arity,
                            table,
                            atom_predicate,
                            atom_arguments,
                            scratch,
                        ):
                            found = True
                            break
                        position += 1
                    cursor[depth] = position
                elif kind == CHECK:
                    if entering:
                        predicate = steps[step, 1]
                        offset = steps[step, 4]
                        for i in range(arity[predicate]):
                            term = terms[offset + i]
                            scratch[i] = value[term] if term >= 0 else -term - 1
                        atom = (
                            table[
                                find(
                                    table,
                                    atom_predicate,
                                    atom_arguments,
                                    predicate,
                                    scratch,
                                    arity[predicate],
                                )
                            ]
                            - 1
                        )
                        found = atom >= 0 and atom < popped and (steps[step, 3] == 0 or atom != current)
                        if found:
                            found = passes(
                                filters,
                                steps[step, 5],
                                steps[step, 6],
                                terms,
                                value,
                                is_type,
                                arity,
                                table,
                                atom_predicate,
                                atom_arguments,
                                scratch,
                            )
                else:
                    predicate = steps[step, 1]
                    offset = steps[step, 4]
                    if entering:
                        index = steps[step, 2]
                        begin = index_start[index]
                        length = index_start[index + 1] - begin
                        for i in range(length):
                            term = terms[offset + index_positions[begin + i]]
                            scratch[i] = value[term] if term >= 0 else -term - 1
                        slot = index_slot(
                            index_table,
                            entry_atom,
                            slot_index,
                            atom_arguments,
                            index,
                            index_positions,
                            begin,
                            length,
                            scratch,
                        )
                        entry = index_table[slot]
                    else:
                        entry = entry_next[cursor[depth] - 1]
                    while entry != 0:
                        atom = entry_atom[entry - 1]
                        if steps[step, 3] == 0 or atom != current:
                            matches = True
                            for i in range(arity[predicate]):
                                action = actions[offset + i]
                                if action == BIND:
                                    value[terms[offset + i]] = atom_arguments[atom, i]
                                elif action == REPEAT and value[terms[offset + i]] != atom_arguments[atom, i]:
                                    matches = False
                                    break
                            if matches and passes(
                                filters,
                                steps[step, 5],
                                steps[step, 6],
                                terms,
                                value,
                                is_type,
                                arity,
                                table,
                                atom_predicate,
                                atom_arguments,
                                scratch,
                            ):
                                found = True
                                break
                        entry = entry_next[entry - 1]
                    cursor[depth] = entry
                if found:
                    if reasons:
                        path[depth + 1] = path[depth]
                        if kind != GENERATE and layer[atom] > path[depth]:
                            path[depth + 1] = layer[atom]
                    step += 1
                    entering = True
                else:
                    step -= 1
                    entering = False
    return 0, count, initial, atom_predicate, atom_arguments, table, (why, rule_of, before, values)


@njit(cache=True, nogil=True)
def trace(
    seeds: Any,
    reasons: Any,
    table: Any,
    atom_predicate: Any,
    atom_arguments: Any,
    arity: Any,
    body_start: Any,
    body_predicate: Any,
    body_terms: Any,
    terms: Any,
    followed: Any,
    marked: Any,
) -> None:
    """Mark the seeds and all atoms that their kept derivations use, through ``followed`` predicates only."""
    why, rule_of, before, values = reasons
    stack = np.empty(atom_predicate.shape[0] + 1, np.int32)
    scratch = np.zeros(atom_arguments.shape[1] + 1, np.int32)
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
            for k in range(body_start[rule], body_start[rule + 1]):
                predicate = body_predicate[k]
                if not followed[predicate]:
                    continue
                for i in range(arity[predicate]):
                    term = terms[body_terms[k] + i]
                    scratch[i] = values[derivation, term] if term >= 0 else -term - 1
                slot = find(table, atom_predicate, atom_arguments, predicate, scratch, arity[predicate])
                other = table[slot] - 1
                if other >= 0 and not marked[other]:
                    marked[other] = True
                    stack[depth] = other
                    depth += 1
            derivation = before[derivation]
