"""What the source of a class says of it; the class is not imported."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Outline:
    """A class as its source has it.

    Attributes:
        summary: The first line of its docstring.
        imported: ``module:attribute`` of each attribute of the class that is a name from another module.
    """

    summary: str
    imported: Mapping[str, str]


@cache  # the files of the installation, which do not change while a process runs
def outline(target: str) -> Outline | None:
    """Return the outline of a class; the packages that its module is in are imported, the module is not.

    Args:
        target: ``module:attribute`` of the class.

    Returns:
        None if there is no such module, or its source has no such class with a docstring.
    """
    module, _, name = target.partition(":")
    spec = find_spec(module)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    body = ast.parse(Path(spec.origin).read_bytes()).body
    found = next((each for each in body if isinstance(each, ast.ClassDef) and each.name == name), None)
    docstring = None if found is None else ast.get_docstring(found)
    if found is None or not docstring:
        return None
    homes = {
        alias.asname or alias.name: f"{each.module}:{alias.name}"
        for each in body
        if isinstance(each, ast.ImportFrom) and not each.level
        for alias in each.names
    }
    return Outline(docstring.splitlines()[0], dict(_imported(found, homes)))


def _imported(found: ast.ClassDef, homes: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the attributes of a class that are names from other modules, each with its home."""
    pairs = []
    for each in found.body:
        targets = (
            each.targets if isinstance(each, ast.Assign) else [each.target] if isinstance(each, ast.AnnAssign) else []
        )
        value = each.value if isinstance(each, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.Name) and value.id in homes:
            pairs += [(target.id, homes[value.id]) for target in targets if isinstance(target, ast.Name)]
    return pairs


__all__ = ["Outline", "outline"]
