"""The planner's seams, read from its sources: signatures without ``Any``, docstrings, array fields described."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import chorewright.planner

ROOT = Path(chorewright.planner.__file__).parent
MODULES = {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))}

ALLOWED: frozenset[str] = frozenset()
"""Functions that may have ``Any`` in their signatures, as ``module.py:Class.function``."""

ENTRY = re.compile(r"^\s*(\w+(?:, \w+)*): \S")
"""A line of an ``Attributes:`` section that begins a field's description."""


def names(tree: ast.AST) -> set[str]:
    """Every name in an expression; of one that is written as a string, too."""
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    found |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= set(re.findall(r"\w+", node.value))
    return found


def is_kernel(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether numba compiles a function: then it has no types of its own."""
    return any("njit" in names(decorator) for decorator in function.decorator_list)


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The public functions and methods that are not compiled; those within functions are nobody's seam."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if not node.name.startswith("_") and not is_kernel(node):
                yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            if not node.name.startswith("_"):
                yield from functions(node, f"{prefix}{node.name}.")
        elif not isinstance(node, ast.expr):
            yield from functions(node, prefix)


def signature(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names in the annotations of a function's parameters and of what it returns."""
    arguments = function.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    annotations = [argument.annotation for argument in every if argument is not None]
    return set().union(*(names(each) for each in (*annotations, function.returns) if each is not None))


def array_names() -> frozenset[str]:
    """``NDArray``, the tuple of arrays of lists, and every alias in the planner that speaks of one."""
    found = {"NDArray", "CsrLists"}
    while True:
        aliases = {
            node.targets[0].id
            for tree in MODULES.values()
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Subscript)
            and names(node.value) & found
        }
        if aliases <= found:
            return frozenset(found)
        found |= aliases


ARRAYS = array_names()


def array_fields(tree: ast.Module) -> Iterator[tuple[ast.ClassDef, int, str]]:
    """The fields of named tuples and dataclasses that are arrays or hold some: class, place in it, name."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        bundle = any("NamedTuple" in names(base) for base in node.bases)
        bundle |= any("dataclass" in names(decorator) for decorator in node.decorator_list)
        for place, item in enumerate(node.body):
            if bundle and isinstance(item, ast.AnnAssign) and names(item.annotation) & ARRAYS:
                assert isinstance(item.target, ast.Name)
                yield node, place, item.target.id


def described(owner: ast.ClassDef) -> set[str]:
    """The fields that the ``Attributes:`` section of a class's docstring has entries for."""
    _, _, section = (ast.get_docstring(owner) or "").partition("Attributes:\n")
    found = (ENTRY.match(line) for line in section.splitlines())
    return {name for match in found if match for name in match.group(1).split(", ")}


@pytest.mark.parametrize("module", MODULES)
def test_no_public_signature_says_any(module: str) -> None:
    loose = {f"{module}:{name}" for name, each in functions(MODULES[module]) if "Any" in signature(each)}
    assert not loose - ALLOWED, f"Any in the signatures of {sorted(loose - ALLOWED)}: name the real types"


@pytest.mark.parametrize("module", MODULES)
def test_public_functions_say_what_they_do(module: str) -> None:
    silent = [name for name, each in functions(MODULES[module]) if not ast.get_docstring(each)]
    assert not silent, f"no docstring: {silent}"


@pytest.mark.parametrize("module", MODULES)
def test_array_fields_say_what_they_hold(module: str) -> None:
    silent = []
    for owner, place, name in array_fields(MODULES[module]):
        below = owner.body[place + 1] if place + 1 < len(owner.body) else None
        noted = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        if not noted and name not in described(owner):
            silent.append(f"{owner.name}.{name}")
    assert not silent, f"no entry under Attributes: for {silent}: say their shape and what they mean"


def test_the_reading_finds_what_it_is_after() -> None:
    seams = {f"{module}:{name}" for module, tree in MODULES.items() for name, _ in functions(tree)}
    assert {"planning.py:solve", "search/search.py:Prepared.search", "grounding/task.py:CsrLists.of"} <= seams
    assert seams >= ALLOWED
    assert not any(name.startswith("search/heaps.py:") for name in seams)  # all compiled
    assert {"Int32", "Int64", "Rows", "Block"} <= ARRAYS
    fields = {name for owner, _, name in array_fields(MODULES["grounding/task.py"]) if owner.name == "Task"}
    assert {"goal", "precondition", "cost"} <= fields
    assert "fact_count" not in fields


def test_any_and_silence_are_found() -> None:
    tree = ast.parse(
        "def loose(a: 'dict[str, Any]', *more: int) -> None: ...\n"
        "def tight(a: int) -> NDArray[np.bool_]: ...\n"
        "@njit(cache=True)\n"
        "def kernel(a: Any) -> Any: ...\n"
        "class Lists(NamedTuple):\n"
        "    '''Lists.\n\n    Attributes:\n        start: Where each list starts.\n    '''\n"
        "    start: Int64\n"
        "    items: Int32\n"
    )
    found = dict(functions(tree))
    assert set(found) == {"loose", "tight"}
    assert [name for name, each in found.items() if "Any" in signature(each)] == ["loose"]
    assert [name for owner, _, name in array_fields(tree) if name not in described(owner)] == ["items"]
