"""The house in figures: how large the package is, how it is cut into modules, and how many files a run goes through.

    python -m benchmarks.house [--list NAME] [--no-runs] [--save] [--json FILE]

``tests/test_house.py`` holds the rules of the house by the same counts. A file counts for a run where one of its
functions runs; what runs while it is imported does not count, and compiled kernels have no frames of their own.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import tempfile
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.command import ROOT, benchmark_parser, keep
from benchmarks.results import Figure, Peer, Report, Target

PACKAGE = ROOT / "chorewright"
LONE, SHORT = 150, 60
"""A module for one neighbour may stand alone from so many lines on; and a module has so many lines at least."""

PARTICIPLE = re.compile(
    "found|begun|done|said|shown|made|known|seen|written|drawn|held|left|taken|given|built|met|told|put|chosen|spoken"
)
VERBS = frozenset(("seed", "speed", "need", "feed", "embed"))
"""Words in -ed that are none."""

CACHES = ("cache", "lru_cache")


@dataclass(slots=True)
class House:
    """What a reader meets.

    Attributes:
        code: Lines that hold code.
        import_lines: Those of them that are imports.
        modules: Files.
        twice: Public class names that stand in two or more modules, with these.
        lonely: Modules of at most ``LONE`` lines that one neighbour alone imports.
        short: Modules under ``SHORT`` lines.
        participles: Functions named by a participle.
        passing: Functions that only call another one with their own arguments.
        caches: Functions with a cache of functools.
    """

    code: int = 0
    import_lines: int = 0
    modules: int = 0
    twice: list[str] = field(default_factory=list)
    lonely: list[str] = field(default_factory=list)
    short: list[str] = field(default_factory=list)
    participles: list[str] = field(default_factory=list)
    passing: list[str] = field(default_factory=list)
    caches: list[str] = field(default_factory=list)


def measure(package: Path = PACKAGE) -> House:
    """Return the figures of a package."""
    paths = sorted(package.rglob("*.py"))
    names = {module_name(path, package): path for path in paths}
    house = House(modules=len(paths))
    importers: dict[str, set[str]] = defaultdict(set)
    classes: dict[str, list[str]] = defaultdict(list)
    for name, path in names.items():
        text = path.read_text("utf-8")
        tree = ast.parse(text)
        lines = code_lines(text)
        house.code += len(lines)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                house.import_lines += len(lines.intersection(range(node.lineno, (node.end_lineno or node.lineno) + 1)))
                for target in imports(node, names):
                    importers[target].add(name)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                where = f"{name}.{node.name}"
                house.participles += [where] if is_participle(node.name) else []
                house.passing += [where] if passes_on(node) else []
                house.caches += [where] if any(map(caches, node.decorator_list)) else []
        for statement in tree.body:
            if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                classes[statement.name].append(name)
        if path.stem != "__init__" and text.count("\n") < SHORT:
            house.short.append(name)
    house.twice = [f"{name}: {', '.join(where)}" for name, where in sorted(classes.items()) if len(where) > 1]
    for name, who in sorted(importers.items()):
        only = next(iter(who))
        small = names[name].stem != "__init__" and names[name].read_text("utf-8").count("\n") <= LONE
        if len(who) == 1 and small and only.rpartition(".")[0] == name.rpartition(".")[0]:
            house.lonely.append(f"{name} <- {only}")
    return house


def module_name(path: Path, package: Path) -> str:
    """Return the dotted name of a module of a package."""
    module = path.parent if path.stem == "__init__" else path.with_suffix("")
    return ".".join(module.relative_to(package.parent).parts)


def code_lines(text: str) -> set[int]:
    """Return the numbers of the lines that hold code: no docstring, comment or blank."""
    layout = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines: set[int] = set()
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        documents = token.type == tokenize.STRING and before in layout
        if token.type not in layout and not documents:
            lines.update(range(token.start[0], token.end[0] + 1))
        before = token.type
    return lines


def imports(node: ast.Import | ast.ImportFrom, known: Iterable[str]) -> set[str]:
    """Return the modules of a package that a statement imports."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}.intersection(known)
    inner = {f"{node.module}.{alias.name}" for alias in node.names}
    return {name if name in known else str(node.module) for name in inner}.intersection(known)


def is_participle(name: str) -> bool:
    """Return whether a function's name begins with a participle."""
    first = name.lstrip("_").split("_")[0]
    return bool(PARTICIPLE.fullmatch(first)) or (len(first) > 4 and first.endswith("ed") and first not in VERBS)


def passes_on(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether all that a function does is to call another one with its own arguments."""
    body = [each for each in function.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    if len(body) != 1 or not isinstance(body[0], ast.Return) or not isinstance(body[0].value, ast.Call):
        return False
    arguments = function.args
    own = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    own = [each for each in own if each not in ("self", "cls")]
    call = body[0].value
    return bool(own) and own == [ast.unparse(each) for each in (*call.args, *(word.value for word in call.keywords))]


def caches(decorator: ast.expr) -> bool:
    """Return whether a decorator keeps what its function returns."""
    return ast.unparse(decorator).split("(")[0].split(".")[-1] in CACHES


# The files that a run goes through.

DOMAIN = """(define (domain roads) (:requirements :strips :typing) (:types room)
  (:predicates (at ?r - room) (road ?a ?b - room))
  (:action go :parameters (?a ?b - room) :precondition (and (at ?a) (road ?a ?b))
    :effect (and (at ?b) (not (at ?a)))))
"""
PROBLEM = """(define (problem walk) (:domain roads) (:objects r0 r1 r2 - room)
  (:init (at r0) (road r0 r1) (road r1 r2)) (:goal (at r2)))
"""

PLAN = """
from chorewright.cli import main
start()
sys.argv = ["chorewright", "plan", "domain.pddl", "problem.pddl"]
try:
    main()
except SystemExit as end:
    assert not end.code
"""
EPISODE = """
from chorewright.files.plugins import Origin
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.production.benchmark import BENCHMARKS
benchmark = BENCHMARKS.find({name!r}, Origin.PERSON)
config = GenerateConfig({name!r}, 1)
[assignment, *_] = benchmark.assign(config, 1)
start()
assert benchmark.episode(0, config, assignment).outcome.accepted
"""

RUNS = (
    ("plan", "a plan of two steps", PLAN, 45, 80),
    ("alfred", "an episode of ALFRED", EPISODE.format(name="alfred"), 85, 140),
    ("teach", "a session of TEACh", EPISODE.format(name="teach"), 95, 162),
)
"""The name of a figure, what runs, its code, the target, and what it was before the house was put in order."""

COUNTER = """
import json, os, sys, threading
where = {package!r} + os.sep
files = set()
def imports(frame):
    while frame and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame
def visit(frame, event, argument):
    file = frame.f_code.co_filename
    if file.startswith(where) and file[len(where):] not in files and not imports(frame):
        files.add(file[len(where):])
def start():
    threading.setprofile(visit)
    sys.setprofile(visit)
{code}
sys.setprofile(None)
with open({target!r}, "w") as file:
    json.dump(sorted(files), file)
"""


def visited_files(code: str, folder: Path) -> list[str]:
    """Run code in a folder; return the files whose functions ran from its ``start()`` on, below the package.

    Raises:
        SystemExit: The code failed.
    """
    target = folder / "visited.json"
    program = COUNTER.format(package=str(PACKAGE), code=code, target=str(target))
    ended = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{code}\nended with {ended.returncode}:\n{ended.stderr}")
    files: list[str] = json.loads(target.read_text("utf-8"))
    return files


SOURCE = "the package when its rooms were first counted"
COUNTS = (
    ("code", "lines of code", 68_000, 81_596),
    ("modules", "modules", 560, 858),
    ("twice", "public class names that stand twice", 10, 101),
    ("lonely", f"modules of at most {LONE} lines that one neighbour alone imports", 10, 86),
    ("short", f"modules under {SHORT} lines", 40, 94),
    ("participles", "functions named by participles", 200, 720),
    ("passing", "functions that only pass on their arguments", 5, 50),
    ("caches", "functions with a cache", 60, 146),
)
"""The name of a figure, its label, the target, and what it was before."""


def was(value: str) -> tuple[Peer, ...]:
    """Return what a figure was before."""
    return (Peer("before", value, SOURCE),)


def house_figures(house: House) -> Iterator[Figure]:
    """Yield the figures of a house beside what they were."""
    for name, label, most, before in COUNTS:
        value = getattr(house, name)
        number = value if isinstance(value, int) else len(value)
        yield Figure(name, label, number, target=Target("at most", most), peers=was(f"{before:,}"))
    share = 100 * house.import_lines / house.code
    target = Target("at most", 9)
    yield Figure("imports", "share of code lines that are imports", share, "%", digits=1, target=target,
                 peers=was("12.2 %"))  # fmt: skip


def run_figures(show: bool) -> Iterator[Figure]:
    """Yield how many files each run goes through."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "domain.pddl").write_text(DOMAIN, "utf-8")
        (folder / "problem.pddl").write_text(PROBLEM, "utf-8")
        for key, what, code, most, before in RUNS:
            files = visited_files(code, folder)
            if show:
                print(f"# {what}", *files, sep="\n")
            label = f"files that {what} goes through"
            yield Figure(key, label, len(files), target=Target("at most", most), peers=was(f"{before:,}"))


def main() -> None:
    """Print or save the figures, or list what one of them counts."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--list", metavar="NAME", help="list what a figure counts: lonely, short, ..., or files")
    parser.add_argument("--no-runs", action="store_true", help="count modules only")
    arguments = parser.parse_args()
    house = measure()
    if arguments.list and arguments.list != "files":
        print(*getattr(house, arguments.list), sep="\n")
        return
    figures = [*house_figures(house)]
    if not arguments.no_runs:
        figures += run_figures(arguments.list == "files")
    table = Table("figure", "now", "at most", "before")
    for each in figures:
        target = f"{each.target.value:,}" if each.target else ""
        table.add_row(each.label, each.text, target, *(peer.value for peer in each.peers))
    Console(width=120).print(table)
    explanation = "The package as its next maintainer meets it; before: when its rooms were first counted."
    keep(arguments, Report("house", "Command line and store", "The house", explanation, tuple(figures)))


if __name__ == "__main__":
    main()
