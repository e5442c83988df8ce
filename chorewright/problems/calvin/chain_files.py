"""Files of chains: JSON lists of ``{"initial_state": {...}, "sequence": [...]}``, in CALVIN's form."""

from __future__ import annotations

from pathlib import Path

from chorewright.files.json_node import Node, root
from chorewright.files.json_source import load_json
from chorewright.files.spelling import did_you_mean
from chorewright.problems.calvin.chains import Chain
from chorewright.problems.calvin.states import TabletopState, state_of_record
from chorewright.problems.calvin.tasks import tasks

MOST_BYTES = 40_000_000
"""About 100,000 chains."""

_SHAPE = 'a chain is {"initial_state": {...}, "sequence": [...]}'


def load_chains(path: str | Path) -> tuple[Chain, ...]:
    """Read a file of chains.

    Raises:
        UsageError: The file cannot be read.
        InputError: It is not JSON, or holds something else than states and tasks; the
            error has the line, column and JSON path.
        LimitError: It is too large or nested too deep.
    """
    document = root(load_json(path, MOST_BYTES))
    if not isinstance(document.value, list):
        raise document.error("expected a list of chains", hint=_SHAPE)
    return tuple(map(_chain, document.items()))


def _chain(entry: Node) -> Chain:
    if not isinstance(entry.value, dict) or not {"initial_state", "sequence"} <= entry.value.keys():
        raise entry.error("this is not a chain", hint=_SHAPE)
    names = list(entry["sequence"].items("a list of tasks"))
    if not names:
        raise entry["sequence"].expected("a list of tasks")
    for name in names:
        if not isinstance(name.value, str) or name.value not in tasks():
            hint = did_you_mean(str(name.value), tasks()) or "'chorewright tasks' lists them"
            raise name.error(f"there is no tabletop task {name.value!r}", hint=hint)
    return Chain(_state(entry["initial_state"]), tuple(name.text() for name in names))


def _state(node: Node) -> TabletopState:
    record = {name: member.value for name, member in node.members("an object of variables")}
    place = node.source.location
    return state_of_record(record, lambda name: place((*node.steps, name) if name else node.steps))
