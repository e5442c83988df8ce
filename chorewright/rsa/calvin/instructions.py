"""Instructions for CALVIN's tasks: our own wordings, one held out for validation, or a user's annotations.

Our wordings are patterns of task families in ``data/tabletop_instructions.json``. Colours, directions and places
vary with the task; alternatives are written ``(a|b)``. A user's annotations are YAML files in CALVIN's format, in
which each task has a list of sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chorewright.errors import InputError, LimitError, Location
from chorewright.files.english import did_you_mean
from chorewright.files.records import reader_of
from chorewright.files.text import read_text
from chorewright.problems.calvin.tasks import task as find_task
from chorewright.problems.calvin.tasks import tasks
from chorewright.rsa.words.grammar import expansions

if TYPE_CHECKING:
    from yaml import Node

MOST_BYTES = 4_000_000

_LIST, _TEXT = "tag:yaml.org,2002:seq", "tag:yaml.org,2002:str"
_KEY = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Instructions:
    """The sentences for each task.

    Attributes:
        training: The sentences by task; one of them is drawn for a demonstration.
        validation: Sentences by task that never occur in training; an evaluation says the first.
    """

    training: Mapping[str, tuple[str, ...]]
    validation: Mapping[str, tuple[str, ...]]

    def draw(self, task: str, rng: np.random.Generator) -> str:
        """Return one of the sentences for training.

        Raises:
            UsageError: There is no such task.
        """
        known = _of(self.training, task)
        return known[int(rng.integers(len(known)))]


def sentences(task: str) -> tuple[str, ...]:
    """Return our sentences of a task for training, at least ten, all different.

    Raises:
        UsageError: There is no such task.
    """
    return _of(own_instructions().training, task)


def validation_sentence(task: str) -> str:
    """Return our sentence of a task that is held out for validation.

    Raises:
        UsageError: There is no such task.
    """
    return _of(own_instructions().validation, task)[0]


_file = reader_of(dict[str, Any], "chorewright.rsa", "data/tabletop_instructions.json")


@lru_cache(maxsize=1)
def own_instructions() -> Instructions:
    """Return our own wordings of all 34 tasks."""
    record = _file()
    training: dict[str, tuple[str, ...]] = dict.fromkeys(tasks(), ())
    validation: dict[str, tuple[str, ...]] = {}
    for family in record["families"]:
        for task, words in _fillings(family["task"], record["words"]):
            if task not in training:
                continue
            said = (one for pattern in family["train"] for one in expansions(_fill(pattern, words)))
            training[task] = tuple(dict.fromkeys((*training[task], *said)))
            if "validation" in family:
                validation[task] = tuple(expansions(_fill(family["validation"], words)))
    return Instructions(training, {task: validation[task] for task in training})


def load_instructions(training: str | Path, validation: str | Path | None = None) -> Instructions:
    """Read a user's annotations: a YAML file in CALVIN's format, and one of sentences for validation.

    Without the second, our own sentences are used for validation.

    Raises:
        InputError: A file cannot be read, or as for ``parse_instructions``.
        LimitError: A file is too large or nested too deep.
    """
    if validation is None:
        return parse_instructions(read_text(training, MOST_BYTES), str(training))
    return parse_instructions(
        read_text(training, MOST_BYTES), str(training), read_text(validation, MOST_BYTES), str(validation)
    )


def load_sentences(path: str | Path) -> Mapping[str, tuple[str, ...]]:
    """Read one YAML file in CALVIN's format: each of the 34 tasks with its sentences; errors as above."""
    return _parse(read_text(path, MOST_BYTES), str(path))


def parse_instructions(
    training: str, path: str | None = None, validation: str | None = None, validation_path: str | None = None
) -> Instructions:
    """Read annotations from texts; the paths are for errors.

    Raises:
        InputError: A text is not YAML, has an unknown task or lacks one, or has something else than
            sentences, with line and column; or a sentence is for training and validation.
        LimitError: A text is nested too deep.
    """
    said = _parse(training, path)
    held_out = own_instructions().validation if validation is None else _parse(validation, validation_path)
    trained = {sentence for known in said.values() for sentence in known}
    for task, known in held_out.items():
        for sentence in known:
            if sentence in trained:
                raise InputError(
                    f"{sentence!r} is for training and also for validation (of {task})",
                    location=Location(path),
                    hint=None if validation else "give a file of sentences for validation too",
                )
    return Instructions(said, held_out)


def _of(known: Mapping[str, tuple[str, ...]], task: str) -> tuple[str, ...]:
    return known[find_task(task).name]


def _fillings(
    pattern: str, words: Mapping[str, Mapping[str, Mapping[str, str]]]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the tasks that a family's name stands for, with the words of each."""
    keys = _KEY.findall(pattern)
    for values in product(*(words[key] for key in keys)):
        found = dict(zip(keys, values, strict=True))
        for key, value in zip(keys, values, strict=True):
            found.update(words[key][value])
        yield _fill(pattern, found), found


def _fill(pattern: str, words: Mapping[str, str]) -> str:
    return _KEY.sub(lambda match: words[match.group(1)], pattern)


def _parse(text: str, path: str | None) -> dict[str, tuple[str, ...]]:
    """Read one text of annotations."""
    root = _compose(text, path)
    found: dict[str, tuple[str, ...]] = {}
    if root is None or root.id != "mapping":
        raise _error(path, root, "expected tasks with lists of sentences", "write 'open_drawer: [\"...\"]'")
    for key, value in root.value:
        name = str(key.value) if key.id == "scalar" else "?"
        if name not in tasks():
            hint = did_you_mean(name, tasks()) or "'chorewright tasks' lists them"
            raise _error(path, key, f"there is no tabletop task {name!r}", hint)
        if name in found:
            raise _error(path, key, f"the task {name!r} occurs twice")
        if value.tag != _LIST or not value.value:
            raise _error(path, value, f"{name} must have a list of sentences")
        found[name] = tuple(dict.fromkeys(_sentence(path, each) for each in value.value))
    missing = [name for name in tasks() if name not in found]
    if missing:
        some = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        raise _error(path, root, f"{len(missing)} of the {len(tasks())} tasks have no sentences: {some}")
    return {name: found[name] for name in tasks()}


def _sentence(path: str | None, node: Node) -> str:
    if node.id != "scalar" or node.tag != _TEXT or not node.value.strip():
        raise _error(path, node, "expected a sentence", "put it into quotes")
    return " ".join(str(node.value).split())


def _compose(text: str, path: str | None) -> Node | None:
    """Return the tree of a YAML text; nothing in it is turned into Python objects."""
    import yaml

    where = Location(path)
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if mark is not None:
            where = Location(path, mark.line + 1, mark.column + 1)
        raise InputError(f"not YAML: {error.problem or error.context}", location=where) from None
    except yaml.YAMLError as error:
        raise InputError(f"not YAML: {str(error).splitlines()[0]}", location=where) from None
    except RecursionError:
        raise LimitError("the text is nested too deeply", location=where) from None


def _error(path: str | None, node: Node | None, message: str, hint: str | None = None) -> InputError:
    where = Location(path)
    if node is not None:
        where = Location(path, node.start_mark.line + 1, node.start_mark.column + 1)
    return InputError(message, location=where, hint=hint)
