"""A user's own agents and policies, named ``module:attribute``: classes, or functions that make one."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from chorewright.errors import UsageError


def make_own(name: str, what: str, methods: Sequence[str], hint: str) -> object:
    """Make what ``module:attribute`` makes.

    Args:
        name: The name.
        what: What it is to be, for errors: ``agent``.
        methods: What it must have.
        hint: Which names there are.

    Raises:
        UsageError: There is none, it raises, or it lacks a method.
    """
    module, _, attribute = name.partition(":")
    if not attribute or not all(part.isidentifier() for part in (*module.split("."), attribute)):
        raise UsageError(f"there is no {what} {name!r}", hint=hint)
    try:
        made: object = getattr(importlib.import_module(module), attribute)()
    except Exception as error:  # the module is the user's: whatever it raises
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        found = "a module in this folder is found with PYTHONPATH=."
        raise UsageError(f"the {what} {name!r} cannot be made: {said}", hint=found) from error
    for method in methods:
        if not callable(getattr(made, method, None)):
            raise UsageError(f"what {name!r} makes is no {what}: it has no method {method!r}")
    return made
