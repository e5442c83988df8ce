"""Which tests cover a module: its mirror first, then those that lie near it and whose imports lead to it soon."""

from __future__ import annotations

import ast
import configparser
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from benchmarks.mutations import PACKAGE

TESTS = "tests"
TOPS = (PACKAGE, "benchmarks", TESTS)
DOTTED = re.compile(rf"\b(?:{'|'.join(TOPS)})(?:\.[A-Za-z_]\w*)+")


class Covering:
    """The imports of a tree, the other way round.

    Strings that name modules count as imports, the package's name as one of its command line, and entry points as
    imports of the command line.
    """

    def __init__(self, root: Path) -> None:
        """Read all modules of the package, the benchmarks and the tests."""
        files = {path.relative_to(root).as_posix(): path for top in TOPS for path in _modules(root / top)}
        names = {_dotted(path): path for path in files}
        self._importers: dict[str, set[str]] = {path: set() for path in files}
        for path, file in files.items():
            for name in _names(file, path):
                self._add(names, name, path)
        setup = configparser.ConfigParser()
        setup.read(root / "setup.cfg", encoding="utf-8")
        for text in setup["options.entry_points"].values():
            for name in DOTTED.findall(text):
                self._add(names, name, f"{PACKAGE}/cli.py")

    def _add(self, names: dict[str, str], name: str, importer: str) -> None:
        """Note that a file imports a module, or a name of one."""
        module = names.get(name) or names.get(name.rpartition(".")[0])
        if module is not None and module != importer:
            self._importers[module].add(importer)

    def tests(self, module: str) -> list[str]:
        """Return the files of tests whose imports lead to a module, the closest first: two steps are worth a folder.

        Args:
            module: Its path, as ``chorewright/room/name.py``.
        """
        steps, waiting = {module: 0}, deque([module])
        while waiting:
            one = waiting.popleft()
            for importer in sorted(self._importers[one]):
                if importer not in steps:
                    steps[importer] = steps[one] + 1
                    waiting.append(importer)
        found = [path for path in steps if path.startswith(TESTS) and Path(path).name.startswith("test_")]
        return sorted(
            found, key=lambda path: (not _mirrors(path, module), steps[path] - 2 * _common(path, module), path)
        )


def _modules(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*.py")) if "corpus" not in path.parts)


def _dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _names(file: Path, path: str) -> Iterator[str]:
    """Yield the dotted names that a module imports or names in a string."""
    package = _dotted(path) if path.endswith("__init__.py") else _dotted(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            base = ".".join(filter(None, (above, node.module)))
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (f"{PACKAGE}.cli",) if node.value == PACKAGE else DOTTED.findall(node.value)


def _mirrors(test: str, module: str) -> bool:
    """Whether tests belong to a module by their name and lie in its folder or in one above it."""
    path, own = Path(module), Path(test)
    return own.name == f"test_{path.name}" and path.parent.parts[1:][: len(own.parts) - 2] == own.parent.parts[1:]


def _common(test: str, module: str) -> int:
    """Return how many folders of a test are those of a module."""
    pairs = zip(Path(test).parent.parts[1:], Path(module).parent.parts[1:], strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), len(Path(test).parts) - 2)


__all__ = ["Covering"]
