"""What README.md and docs/ point at exists: linked pages, files of the package, modules and their names."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "chorewright"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

ROOMS = sorted(path.name for path in PACKAGE.iterdir() if path.is_dir() and (path / "__init__.py").is_file())
TOP = ("chorewright", "docs", "tests", "benchmarks")
FOREIGN = ("data", "env", "gen", "models")
"""Folders of ALFRED's repository, whose files docs/ names, too."""

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+/?|[\w-]+/")
DOTTED = re.compile(r"\b(?:chorewright|benchmarks)(?!\.toml\b)(?:\.[A-Za-z_]\w*)+")
ENTRY_POINTS = re.compile(
    r"chorewright\.(?:worlds|benchmarks|exporters|engines|verbs|layouts|evaluations|experts|importers|simulators)"
)
ANCHOR = re.compile(r"\]\(([^)\s#]*)#([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def prose(text: str) -> str:
    """Return a page without its fenced blocks."""
    return FENCE.sub("", text)


def anchors(text: str) -> set[str]:
    """Return the names that a page's headings have in links, as GitHub makes them."""
    found = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(prose(text))]
    return set(found)


def paths(text: str) -> list[str]:
    """Return the paths in backticks that lie in the repository or in a room of the package."""
    found = [word for word in CODE.findall(prose(text)) if PATH.fullmatch(word)]
    ours = [word for word in found if word.split("/")[0] in (*TOP, *ROOMS) or word.endswith(".py")]
    return [word for word in ours if word.split("/")[0] not in FOREIGN]


def imports(text: str) -> list[str]:
    """Return the dotted names that the page's Python blocks import."""
    found: list[str] = []
    for language, code in FENCE.findall(text):
        if language not in ("python", "py"):
            continue
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Import):
                found += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                found += [f"{node.module}.{alias.name}" for alias in node.names]
    return [name for name in found if name.split(".")[0] in TOP]


def exists(name: str) -> bool:
    """Tell whether a dotted name is a module of ours, or an attribute of one."""
    parts = name.split(".")
    for stop in range(len(parts), 0, -1):
        module = ".".join(parts[:stop])
        try:
            if importlib.util.find_spec(module) is None:
                continue
        except ModuleNotFoundError:
            continue
        if stop == len(parts):
            return True
        value: object = importlib.import_module(module)
        for part in parts[stop:]:
            if not hasattr(value, part):
                return False
            value = getattr(value, part)
        return True
    return False


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    targets = [target for target in LINK.findall(prose(document.read_text("utf-8"))) if "://" not in target]
    assert [target for target in targets if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_headings(document: Path) -> None:
    links = [link for link in ANCHOR.findall(prose(document.read_text("utf-8"))) if "://" not in link[0]]
    there = {page: anchors((document.parent / (page or document.name)).read_text("utf-8")) for page, _ in links}
    assert [link for link in links if link[1] not in there[link[0]]] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_paths_are_there(document: Path) -> None:
    found = paths(document.read_text("utf-8"))
    assert [path for path in found if not ((ROOT / path).exists() or (PACKAGE / path).exists())] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_modules_and_their_names_are_there(document: Path) -> None:
    text = document.read_text("utf-8")
    names = [name for name in DOTTED.findall(text) if not ENTRY_POINTS.fullmatch(name)] + imports(text)
    assert [name for name in sorted(set(names)) if not exists(name)] == []


def test_the_index_lists_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {target for target in LINK.findall(index.read_text("utf-8")) if "/" not in target}
    assert listed == {path.name for path in index.parent.glob("*.md")} - {index.name}


def test_the_index_answers_thirty_questions_with_a_link_each() -> None:
    table = (ROOT / "docs" / "README.md").read_text("utf-8").partition("| question | answer |")[2]
    rows = [line for line in table.splitlines() if line.endswith(") |")]
    assert len(rows) >= 30
    assert all(row.count("](") == 1 and row.partition("|")[2].partition("|")[0].strip().endswith("?") for row in rows)


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see `replay/household` and `big/frames`", ["replay/household"]),
        ("`none/there.py`, `games/<split>/`", ["none/there.py"]),
        ("```sh\n`planner/gone.py`\n```\n`planner/`", ["planner/"]),
    ],
)
def test_paths_are_found(text: str, found: list[str]) -> None:
    assert paths(text) == found


def test_headings_have_names() -> None:
    assert anchors("# A.B's page\n## In `Python`, 2 x\n```sh\n# no heading\n```\n") == {"abs-page", "in-python-2-x"}


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("chorewright.planner", True),
        ("chorewright.planner.planning.solve", True),
        ("chorewright.planner.gone", False),
        ("chorewright.planner.planning.gone", False),
    ],
)
def test_names_are_looked_up(name: str, there: bool) -> None:
    assert exists(name) is there
