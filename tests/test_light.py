"""Light where it can be: what reads, checks and lays out PDDL, and what prints help, runs without the heavy libraries.

Each case runs in a process of its own, in which an import of a forbidden library ends it. No ``except`` hides that.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from chorewright.cli import verb_names
from chorewright.generator.production.benchmark import BENCHMARKS
from tests.command import ROOT, environment

HEAVY = (
    "PIL",
    "gymnasium",
    "llvmlite",
    "msgpack",
    "networkx",
    "numba",
    "numpy",
    "pyarrow",
    "pybullet",
    "pyperplan",
    "rich.console",
    "rich.table",
    "scipy",
    "unified_planning",
    "yaml",
)
READERS = ("lark",)
"""What reading a file needs, and nothing else."""
RECORDS = ("msgspec",)
"""What reading the package's own data needs, such as a benchmark's figures."""

HOOK = """
import sys

class Forbidden(BaseException): ...

class Guard:
    def find_spec(self, name, path=None, target=None):
        if name in {forbidden!r}:
            raise Forbidden(name)

sys.meta_path.insert(0, Guard())
"""
VERB = "sys.argv = ['chorewright', *{words!r}]\nfrom chorewright.__main__ import main\nmain()"

DOMAIN = """(define (domain pantry)
  (:requirements :strips :typing)
  (:types jar shelf)
  (:predicates
    (on ?j - jar ?s - shelf))
  (:action move
    :parameters (?j - jar ?from ?to - shelf)
    :precondition (on ?j ?from)
    :effect (and (not (on ?j ?from)) (on ?j ?to))))
"""
PROBLEM = """(define (problem one)
  (:domain pantry)
  (:objects
    jam - jar
    low high - shelf)
  (:init
    (on jam low))
  (:goal (on jam high)))
"""
TIMED = """(define (domain kettle)
  (:requirements :durative-actions)
  (:predicates (hot))
  (:durative-action boil
    :parameters ()
    :duration (= ?duration 3)
    :condition (and)
    :effect (at end (hot))))
"""
TIMED_PROBLEM = "(define (problem tea) (:domain kettle) (:init) (:goal (hot)))\n"
FILES = {
    "domain.pddl": DOMAIN,
    "problem.pddl": PROBLEM,
    "good.plan": "(move jam low high)\n",
    "bad.plan": "(move jam high low)\n",
    "timed.pddl": TIMED,
    "tea.pddl": TIMED_PROBLEM,
    "timed.plan": "0: (boil) [3]\n",
}

VERBS: tuple[tuple[str, int], ...] = (
    ("validate domain.pddl problem.pddl good.plan", 0),
    ("validate domain.pddl problem.pddl bad.plan", 1),
    ("validate domain.pddl problem.pddl good.plan --verbose", 0),
    ("validate domain.pddl problem.pddl bad.plan --json", 1),
    ("validate domain.pddl problem.pddl good.plan bad.plan --format github", 1),
    ("validate domain.pddl problem.pddl bad.plan --format junit", 1),
    ("validate timed.pddl tea.pddl timed.plan", 0),
    ("check domain.pddl problem.pddl", 0),
    ("check .", 0),
    ("check domain.pddl good.plan --format sarif", 31),
    ("fmt --check domain.pddl", 1),
    ("fmt --diff tea.pddl", 0),
)

CALLS = (
    "from chorewright.domains.pddl import load_task; load_task(Path('domain.pddl'), Path('problem.pddl'))",
    "from chorewright.domains.pddl import parse_domain, write_domain; write_domain(parse_domain(DOMAIN))",
    "import chorewright as cw; cw.format_pddl(DOMAIN)",
    "import chorewright as cw; p = cw.load_problem('domain.pddl', 'problem.pddl'); cw.validate(p, 'good.plan')",
    "from chorewright.generator import Benchmark, GenerateConfig",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("light")
    for name, text in FILES.items():
        (made / name).write_text(text, encoding="utf-8")
    return made


def run(code: str, folder: Path, forbidden: tuple[str, ...] = HEAVY) -> int:
    """Run code where these libraries cannot be imported; return the exit code."""
    words = [sys.executable, "-c", HOOK.format(forbidden=forbidden) + code]
    done = subprocess.run(words, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    assert "Forbidden" not in done.stderr, done.stderr
    return done.returncode


def imported(code: str) -> set[str]:
    """The modules that are loaded after some code has run."""
    script = f"{code}\nimport sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


@pytest.mark.parametrize("library", HEAVY)
def test_the_guard_sees_an_import(library: str, folder: Path) -> None:
    with pytest.raises(AssertionError, match="Forbidden"):
        run(f"try:\n    import {library}\nexcept Exception:\n    pass", folder)


@pytest.mark.parametrize(("words", "code"), VERBS, ids=[words for words, _ in VERBS])
def test_verbs_on_pddl_files(words: str, code: int, folder: Path) -> None:
    assert run(VERB.format(words=words.split()), folder, HEAVY + RECORDS) == code


def test_a_small_problem_is_planned_without_machine_code(folder: Path) -> None:
    assert run(VERB.format(words=["plan", "domain.pddl", "problem.pddl"]), folder, ("llvmlite", "numba", "scipy")) == 0


def test_episodes_of_a_domain_are_made_without_the_houses(folder: Path) -> None:
    words = ["generate", "pddl", "--domain", "gripper", "-n", "1", "--workers", "0", "--out", "made"]
    assert run(VERB.format(words=words), folder, ("llvmlite", "networkx", "numba", "scipy")) == 0


@pytest.mark.parametrize("call", CALLS)
def test_calls(call: str, folder: Path) -> None:
    assert run(f"from pathlib import Path\nDOMAIN = {DOMAIN!r}\n{call}", folder) == 0


@pytest.mark.parametrize(
    "words",
    [
        "",
        "--version",
        *sorted(verb_names()),
        *(f"generate {name}" for name in BENCHMARKS.names()),
        "evaluate alfred",
        "play pddl",
    ],
)
def test_help(words: str, folder: Path) -> None:
    assert run(VERB.format(words=[*words.split(), "--help"]), folder, HEAVY + READERS) == 0


@pytest.mark.parametrize("module", ["", ".cli", ".errors", ".domains", ".domains.pddl", ".generator"])
def test_imports(module: str, folder: Path) -> None:
    assert run(f"import chorewright{module}", folder, HEAVY + READERS + RECORDS) == 0
