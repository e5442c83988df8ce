"""Tasks of all kinds by name, and what their answers earn."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from numbers import Integral
from typing import Any

from chorewright.errors import UsageError
from chorewright.files.english import require_known
from chorewright.files.plugins import Registry
from chorewright.files.records import reader_of
from chorewright.generator.rewards.drawing import SPLITS
from chorewright.generator.rewards.task import RewardTask, Score, TaskKind

KINDS: Registry[TaskKind] = Registry("chorewright.rewards", "kind of tasks", ("task", "score"))
"""The kinds of tasks, shipped or of other packages."""

LONGEST_REASON = 300
"""Letters of a reason."""

_USED: dict[str, TaskKind] = {}


def kinds() -> tuple[str, ...]:
    """Return the names of all kinds of tasks."""
    return KINDS.names()


def kind_named(name: str) -> TaskKind:
    """Return a kind with its default source.

    Raises:
        UsageError: There is none of this name.
    """
    if name not in _USED:
        require_known(name, kinds(), f"there is no kind of tasks {name!r}", f"kinds: {', '.join(kinds())}")
        _USED[name] = KINDS.find(name)
    return _USED[name]


def make_kind(name: str, source: Mapping[str, Any]) -> TaskKind:
    """Return a kind with its source.

    Raises:
        UsageError: There is no such kind, or it has no such option, or no such value.
    """
    found = kind_named(name)
    known = [each.name for each in fields(found) if each.init]
    for word in source:
        message = f"tasks of the kind {name} have no option {word!r}"
        require_known(word, known, message, f"options: {', '.join(known)}")
    given = dict(source)
    for each in fields(found):
        several = isinstance(each.default, tuple)
        if several and isinstance(value := given.get(each.name), str):
            given[each.name] = (value,) if value else ()
        if each.name in given and not _suits(each.default, given[each.name]):
            wanted = "texts" if several else type(each.default).__name__
            raise UsageError(f"the option {each.name} is {source[each.name]!r}", hint=f"give {wanted}")
    return replace(found, **given)


published_seeds = reader_of(dict[str, int], "chorewright.generator.rewards", "data/published.json")
"""The seeds of evaluation sets that are published, by their names."""


def check_seed(kind: TaskKind, seed: int) -> None:
    """Check that a seed may be used for a kind with its source.

    Raises:
        UsageError: It is no integer, or tasks for training are asked for by the seed of an evaluation set.
    """
    if not isinstance(seed, Integral):
        raise UsageError(f"the seed is {seed!r}", hint="give an integer")
    names = [name for name, used in published_seeds().items() if used == seed]
    if names and getattr(kind, "split", SPLITS[0]) == SPLITS[0]:
        raise UsageError(f"the seed {seed} is that of the evaluation set {names[0]}", hint="train with another seed")


def tasks(kind: str, count: int, seed: int = 0, **source: Any) -> Iterator[RewardTask]:
    """Yield tasks; the same arguments give the same ones, on each machine.

    Args:
        kind: The kind, one of ``kinds()``.
        count: How many.
        seed: Other tasks for each.
        source: The kind's options: ``domain``, ``template``, ``band``, ``split``, ``style``, ...

    Raises:
        UsageError: There is no such kind, option or value, or no such task; or the seed is one of an evaluation set.
        InputErrors: A file has errors.
    """
    made = make_kind(kind, source)
    check_seed(made, seed)
    if not isinstance(count, Integral) or count < 0:
        raise UsageError(f"the number of tasks is {count!r}", hint="give 0 or more")
    return (made.task(seed, index) for index in range(count))


def score(task: RewardTask | Mapping[str, Any], completion: object) -> Score:
    """Return what an answer earns.

    Args:
        task: The task, or a mapping with its ``kind`` and ``facts``, as a row of a file has them.
        completion: A text, a message, or a conversation of which the assistant's messages count; anything else, too,
            earns nothing.

    Raises:
        UsageError: A row has no kind or facts, or those of another kind.
    """
    try:
        kind, facts = (task.kind, task.facts) if isinstance(task, RewardTask) else (task["kind"], task["facts"])
        found = kind_named(kind).score(json.loads(facts) if isinstance(facts, str) else facts, completion)
    except KeyError as error:
        raise UsageError(f"a row lacks {error}", hint="give the kind and the facts of one task") from error
    return replace(found, why=_shorten(found.why))


def _shorten(why: str) -> str:
    """Return a reason that can be encoded and is no longer than what a model should read."""
    plain = why.encode("utf-8", "replace").decode("utf-8")
    return plain if len(plain) <= LONGEST_REASON else f"{plain[:LONGEST_REASON]}..."


def _suits(default: object, value: Any) -> bool:
    """Whether an option's value is of the type of its default; a list of none is no choice."""
    if isinstance(default, tuple):
        named = value == default or (isinstance(value, Sequence) and len(value) > 0)
        return named and all(isinstance(each, str) for each in value)
    return type(value) is type(default)
