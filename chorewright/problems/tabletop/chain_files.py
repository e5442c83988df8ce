"""Files of chains: JSON lists of ``{"initial_state": {...}, "sequence": [...]}``, in CALVIN's form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeGuard

from chorewright.domains.pddl.source import did_you_mean
from chorewright.domains.tdl.json_source import JsonSource, JsonValue, Steps, load_json
from chorewright.problems.tabletop.chains import Chain
from chorewright.problems.tabletop.states import TabletopState, state_of_record
from chorewright.problems.tabletop.tasks import tasks

MOST_BYTES = 40_000_000
"""About 100,000 chains."""

_SHAPE = 'a chain is {"initial_state": {...}, "sequence": [...]}'


def load_chains(path: str | Path) -> tuple[Chain, ...]:
    """Read a file of chains.

    Raises:
        InputError: The file cannot be read, is not JSON, or holds something else than states and tasks; the
            error has the line, column and JSON path.
        LimitError: It is too large or nested too deep.
    """
    source = load_json(path, MOST_BYTES)
    if not _is_list(source.value):
        raise source.error((), "expected a list of chains", hint=_SHAPE)
    return tuple(_chain(source, (number,), entry) for number, entry in enumerate(source.value))


def _chain(source: JsonSource, steps: Steps, entry: JsonValue) -> Chain:
    if not isinstance(entry, Mapping) or not {"initial_state", "sequence"} <= entry.keys():
        raise source.error(steps, "this is not a chain", hint=_SHAPE)
    names = entry["sequence"]
    if not _is_list(names) or not names:
        raise source.error((*steps, "sequence"), "the sequence must be a list of tasks")
    for number, name in enumerate(names):
        if not isinstance(name, str) or name not in tasks():
            hint = did_you_mean(str(name), tasks()) or "'chorewright tasks' lists them"
            raise source.error((*steps, "sequence", number), f"there is no tabletop task {name!r}", hint=hint)
    return Chain(_state(source, (*steps, "initial_state"), entry["initial_state"]), tuple(map(str, names)))


def _state(source: JsonSource, steps: Steps, record: JsonValue) -> TabletopState:
    if not isinstance(record, Mapping):
        raise source.error(steps, "the initial state must be an object of variables")
    return state_of_record(record, lambda name: source.location((*steps, name) if name else steps))


def _is_list(value: JsonValue) -> TypeGuard[Sequence[JsonValue]]:
    return isinstance(value, list)
