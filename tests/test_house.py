"""The house itself: light to import, lazy where it is heavy, whole when it is packed."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest

from benchmarks.house import House, measure
from tests.command import ROOT
from tests.distribution import check_wheel

PACKAGE = ROOT / "chorewright"


@pytest.mark.parametrize("room", ["domains", "problems", "planner", "rsa", "replay", "generator"])
def test_every_module_says_its_idea_first(room: str) -> None:
    for path in sorted((ROOT / "chorewright" / room).rglob("*.py")):
        assert path.read_text("utf-8").startswith('"""'), path


def test_a_folder_s_page_names_what_is_there() -> None:
    """Modules and folders, seen from the folder or one above it; and what such a module defines."""
    for page in sorted(PACKAGE.rglob("__init__.py")):
        above = [each for each in page.parents if each.is_relative_to(ROOT)]
        for name in re.findall(r"``([a-z_]+(?:\.[A-Za-z_]+)*)``", ast.get_docstring(ast.parse(page.read_text())) or ""):
            if not name.endswith((".json", ".pyi")):
                assert any(is_there(folder, name) for folder in above), f"{page.relative_to(ROOT)} names {name}"


def is_there(folder: Path, name: str) -> bool:
    """Whether a dotted name is below a folder: a module, a folder, or what a module defines."""
    path = folder.joinpath(*name.removeprefix("chorewright.").split("."))
    if path.is_dir() or path.with_suffix(".py").is_file():
        return True
    module = path.parent.with_suffix(".py")
    return module.is_file() and bool(re.search(rf"^(def|class) {path.name}\b", module.read_text("utf-8"), re.M))


def test_no_path_of_a_machine_is_written_down() -> None:
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, cwd=ROOT, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in listed.stdout.split():
        path = ROOT / name
        if path.suffix in (".py", ".md", ".cfg", ".toml", ".json", ".task", ".pddl") and path.exists():
            assert "/" + "work/" not in path.read_text("utf-8"), name


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as a wheel, built of a copy so that the checkout stays clean."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(PACKAGE, source / "chorewright", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "docs", source / "docs")
    for name in ("pyproject.toml", "setup.cfg", "MANIFEST.in", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, source / name)
    words = ["pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(folder), str(source)]
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)
    if "No module named" in done.stderr or "Cannot import 'setuptools" in done.stderr:
        pytest.skip("setuptools or wheel is not installed here")
    assert done.returncode == 0, done.stderr
    [found] = folder.glob("*.whl")
    return found


@pytest.mark.slow
def test_a_wheel_is_whole(wheel: Path) -> None:
    check_wheel(wheel)


@pytest.mark.slow
def test_an_installed_wheel_works(wheel: Path, tmp_path: Path) -> None:
    """In an environment of its own, which finds other packages where this one does, but not this one's checkout."""
    venv.create(tmp_path / "env", with_pip=False, symlinks=os.name == "posix")
    python = tmp_path / "env" / "bin" / "python"
    outside = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*map(str, words)], cwd=tmp_path, env=outside, capture_output=True, text=True, timeout=600, check=False
        )

    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    done = run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel)
    assert done.returncode == 0, done.stderr
    where = run(python, "-c", "import chorewright; print(chorewright.__file__)").stdout
    assert Path(where.strip()).is_relative_to(tmp_path)
    chorewright = tmp_path / "env" / "bin" / "chorewright"
    assert "generate" in run(chorewright, "--help").stdout
    assert "alfred/pick_and_place_simple" in run(chorewright, "tasks").stdout
    slots = ("--slot", "object=Mug", "--slot", "receptacle=Shelf")
    done = run(chorewright, "compile", "alfred/pick_and_place_simple", *slots, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    done = run(chorewright, "plan", "domain.pddl", "problem.pddl")
    assert done.returncode == 0, done.stderr
    assert "(" in done.stdout


# Rooms one can find one's way in.


def modules() -> dict[str, Path]:
    """All modules of the package by their dotted names."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def test_benchmarks_import_no_tests() -> None:
    paths = sorted((ROOT / "benchmarks").rglob("*.py"))
    assert len(paths) > 50
    assert [path.name for path in paths if any(name.split(".")[0] == "tests" for name in imports_anywhere(path))] == []


FOLDERS = sorted(path.parent for path in PACKAGE.rglob("__init__.py"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_folder_is_small_and_says_what_it_is_for(folder: Path) -> None:
    assert len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) <= 15
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8")))
    assert text is not None
    assert len(text.split()) >= 15, f"one paragraph: what it is for, in which order to read it; now {text!r}"


LINES = 400
"""The most lines of a module of the package."""

LONGER: set[str] = set()
"""Modules that are longer still; there shall be none."""


def test_modules_are_short() -> None:
    found = {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if len(lines_of(path)) > LINES}
    assert found <= LONGER


def lines_of(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def imports_anywhere(path: Path) -> Iterator[str]:
    """Yield what a module imports, also where a function does it, each name as it could be a module's."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported_modules(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of the package that a module imports, also where a function does it."""
    names = set(imports_anywhere(path))
    return (names | {name.rpartition(".")[0] for name in names - known.keys()}) & known.keys()


CIRCLES: list[set[str]] = []
"""Circles by imports within functions that are still there; there shall be none."""


def test_no_modules_import_each_other_in_a_circle() -> None:
    known = modules()
    graph = nx.DiGraph((name, other) for name, path in known.items() for other in imported_modules(path, known))
    assert len(graph) > 300
    circles = [found for found in nx.strongly_connected_components(graph) if len(found) > 1]
    assert [sorted(found) for found in circles if not any(found <= each for each in CIRCLES)] == []


# The map of the rooms has all folders.

MAP = re.compile(r"^\| ([^|]*`[a-z/._]+`[^|]*) \|[^|]*\| ([^|]*) \|$", re.MULTILINE)
ROW_OF_CODE = re.compile(r"`(\w+)/`")


def test_the_map_names_every_folder_of_a_room() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("| you look for")[0]
    named = {room: set(re.findall(r"`([\w-]+)`", cell)) for rooms, cell in MAP.findall(text)
             for room in ROW_OF_CODE.findall(rooms)}  # fmt: skip
    inside = {path.name: {each.parent.name for each in path.glob("*/__init__.py")} for path in PACKAGE.iterdir()}
    missing = {room: found - named.get(room, set()) for room, found in inside.items()}
    assert {room: found for room, found in missing.items() if found} == {}


# Families are independent of each other, and what they share knows none of them.

FAMILIES = ("household", "alfred", "teach", "objectnav", "handmethat", "calvin", "behavior")
STANDS_ON = {"alfred": "household", "teach": "household", "objectnav": "household"}
TOP = ("chorewright", "chorewright.cli", "chorewright.environments", "chorewright.commands", "chorewright.interface")


def family(name: str) -> str:
    """The family of a module; nothing of one that families share."""
    return next((part for part in name.split(".")[1:] if part in FAMILIES), "")


def test_no_shared_folder_knows_a_family_and_no_family_another() -> None:
    known = modules()
    found = []
    for name, path in known.items():
        if name in TOP or name.rpartition(".")[0] in TOP or name.startswith("chorewright.commands."):
            continue
        here = family(name)
        others = {other for other in imported_modules(path, known) if family(other) not in ("", here)}
        found += [f"{name} -> {other}" for other in sorted(others) if family(other) != STANDS_ON.get(here)]
    assert found == []


def test_no_two_folders_import_each_other() -> None:
    known = modules()
    folder = {name: name if path.name == "__init__.py" else name.rpartition(".")[0] for name, path in known.items()}
    graph: nx.DiGraph = nx.DiGraph()
    for name, path in known.items():
        if path.name != "__init__.py":  # that of a folder shows names of it
            graph.add_edges_from((folder[name], folder[other]) for other in imported_modules(path, known))
    within = [(a, b) for a, b in graph.edges if a == b or a.startswith(f"{b}.") or b.startswith(f"{a}.")]
    graph.remove_edges_from(within)
    assert [sorted(found) for found in nx.strongly_connected_components(graph) if len(found) > 1] == []


# Benchmarks and worlds are plug-ins: the rooms that all of them use do not know their names.

NAMES = {"alfred", "teach", "handmethat", "calvin", "household", "tabletop"}
SHARED = [
    PACKAGE / "cli.py",
    *sorted((PACKAGE / "commands").glob("*.py")),
    *sorted((PACKAGE / "generator").glob("*.py")),
    *sorted((PACKAGE / "generator" / "dataset").rglob("*.py")),
    *sorted((PACKAGE / "generator" / "production").rglob("*.py")),
    *sorted((PACKAGE / "generator" / "showing").rglob("*.py")),
]
NAMED_STILL: list[str] = []
"""Files that still name a benchmark or world: remove those that no longer do; add none."""


def words(text: str) -> set[str]:
    """The words of a text or identifier, in lower case."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", text)}


def named(code: str) -> list[str]:
    """Where identifiers and strings, but no docstrings, name a benchmark or world."""
    tree = ast.parse(code)
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    statements = [statement for node in ast.walk(tree) if isinstance(node, kinds) for statement in node.body]
    spoken = {id(each.value) for each in statements if isinstance(each, ast.Expr)}
    found: list[str] = []
    for node in ast.walk(tree):
        texts: list[str | None] = []
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spoken:
            texts = [node.value]
        elif isinstance(node, ast.alias):
            texts = [node.name, node.asname]
        else:
            texts = [getattr(node, key, None) for key in ("id", "attr", "arg", "name", "module")]
        found += [
            f"{getattr(node, 'lineno', 0)}: {text}" for text in texts if isinstance(text, str) and words(text) & NAMES
        ]
    return found


@pytest.mark.parametrize("path", SHARED, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_what_all_benchmarks_share_names_none(path: Path) -> None:
    if str(path.relative_to(PACKAGE)) not in NAMED_STILL:
        assert named(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("name = 'alfred'", 1),
        ("from chorewright.generator.teach import tasks", 1),
        ("import x as handmethat_tasks", 1),
        ("class CalvinView: pass", 1),
        ("def show(teach_task): ...", 1),
        ("f(household=1)", 1),
        ("x.is_teach", 1),
        ('"As in ALFRED."', 0),
        ("def f():\n    'As in CALVIN.'", 0),
        ("teacher = 'teaching'", 0),
    ],
)
def test_names_are_found(code: str, count: int) -> None:
    assert len(named(code)) == count


def imports_at_start(body: list[ast.stmt]) -> Iterator[str]:
    """Yield what a module imports when it is imported itself, each name as it could be a module's."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, (ast.If, ast.Try)) and "TYPE_CHECKING" not in ast.unparse(node):
            yield from imports_at_start(node.body)


def test_any_module_can_be_the_first_to_be_imported() -> None:
    """No module needs itself before it is whole, the packages counted that are imported before their modules."""
    known = modules()
    graph: nx.DiGraph = nx.DiGraph()
    for name, path in known.items():
        for other in imports_at_start(ast.parse(path.read_text("utf-8")).body):
            target = other if other in known else other.rpartition(".")[0]
            parts = target.split(".")
            packages = {".".join(parts[:count]) for count in range(1, len(parts))}
            own = {package for package in packages if f"{name}.".startswith(f"{package}.")}
            graph.add_edges_from((name, each) for each in ({target} | packages - own) & known.keys())
    assert [sorted(found) for found in nx.strongly_connected_components(graph) if len(found) > 1] == []


# The rules of the house, by the same counts as ``python -m benchmarks.house``.


@pytest.fixture(scope="module")
def house() -> House:
    return measure()


def test_a_public_class_name_stands_once(house: House) -> None:
    assert house.twice == []


def test_a_small_module_has_more_than_one_neighbour_that_needs_it(house: House) -> None:
    assert len(house.lonely) <= 3, house.lonely


@pytest.mark.parametrize(("count", "most"), [("code", 85_905), ("modules", 560)])
def test_the_house_does_not_grow(house: House, count: str, most: int) -> None:
    """Lines of code and modules: lower these bounds where they fall."""
    assert getattr(house, count) <= most


@pytest.mark.parametrize(("count", "most"), [("short", 4), ("participles", 169), ("passing", 5), ("caches", 58)])
def test_counts_of_the_house_do_not_grow(house: House, count: str, most: int) -> None:
    """Modules that are closets, functions that are no verbs, functions that pass on, caches: these many are left."""
    found = getattr(house, count)
    assert len(found) <= most, found
