"""A user's files: the folders of the search path, the kinds beside a template, and what a household must have."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from chorewright.domains.pddl.syntax import Domain
from chorewright.errors import InputError, Location, UsageError
from chorewright.files.text import user_folder

SUFFIX = ".task"
SEARCH_PATH = "CHOREWRIGHT_PATH"
"""The environment variable with a user's folders."""

BESIDE = ".kinds.json"
"""What the name of a file of kinds ends in that belongs to the template beside it: ``NAME.kinds.json``."""


def check_household(domain: Domain, path: str, shipped: Domain) -> None:
    """Check that a user's household has all that the rooms are told with.

    Args:
        domain: The user's domain.
        path: Its file.
        shipped: The household that the package ships.

    Raises:
        InputError: A type, predicate or function is missing, or has another number of arguments.
    """
    types = {typed.name for typed in domain.types}
    missing = [f"type {typed.name!r}" for typed in shipped.types if typed.name not in types]
    for word, ours, theirs in (
        ("predicate", shipped.predicates, domain.predicates),
        ("function", shipped.functions, domain.functions),
    ):
        declared = {each.name: len(each.parameters) for each in theirs}
        missing += [
            f"{word} {each.name!r} of {len(each.parameters)} arguments"
            for each in ours
            if declared.get(each.name) != len(each.parameters)
        ]
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise InputError(
            f"the household lacks the {missing[0]}{more}",
            location=Location(path),
            hint="start from a copy of chorewright/domains/household/domain.pddl, or give yours another name",
        )


def search_folders(environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Return a user's folders: those of ``CHOREWRIGHT_PATH``, then the one for settings if it is there.

    Raises:
        UsageError: A folder of ``CHOREWRIGHT_PATH`` is not there.
    """
    named = [Path(each) for each in environment.get(SEARCH_PATH, "").split(os.pathsep) if each]
    for folder in named:
        if not folder.is_dir():
            raise UsageError(f"{SEARCH_PATH} names {str(folder)!r}, which is no folder")
    usual = user_folder("config", environment)
    found = [*named, *([usual] if usual is not None and usual.is_dir() else [])]
    return tuple(dict.fromkeys(folder.resolve() for folder in found))


def kinds_beside(task: str) -> tuple[str, ...]:
    """Return the file of kinds that lies beside a template's file: ``NAME.kinds.json``; nothing if there is none."""
    if not task.endswith(SUFFIX) or task == SUFFIX:
        return ()
    beside = Path(task).with_suffix(BESIDE)
    return (str(beside),) if beside.is_file() else ()
