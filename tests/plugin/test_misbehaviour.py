"""Plug-ins that misbehave: they are named in the error, and the rest goes on or is refused at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chorewright.errors import EngineError, PluginError, UsageError
from chorewright.files.plugins import Origin, Registry, plugin_code
from chorewright.files.stopping import Stopped
from chorewright.generator import Dataset
from chorewright.planner.engines.lookup import UNLIMITED, CheckedEngine, find_engine
from chorewright.planner.plan import Answer, GroundAction, Limits, Plan
from tests.generator.toy import ToyBenchmark
from tests.plugin.environment import Run, runner, write_package

CODE = '''
import time
from dataclasses import replace
from chorewright.files.pool import Worker
from chorewright.generator.dataset.options import NoOptions
from chorewright.generator.production.agenda import IndexWord
from chorewright.generator.training.exporter import Exporter
from chorewright.problems.pddl.scenes import NoScene
from tests.generator.toy import ToyBenchmark

print("who listens to", __name__)


class Stumbling(ToyBenchmark):
    """Stumbles at every third episode, and talks."""

    name = "stumbling"

    def episode(self, index, config, assignment):
        print("episode", index)
        if index % 3 == 1:
            raise KeyError("the left shoe")
        return super().episode(index, config, assignment)


class Lazy(ToyBenchmark):
    """Assigns nothing."""

    name = "lazy"

    def assign(self, config, count):
        return [][count]


class Shifted(ToyBenchmark):
    """Counts its assignments from 1, has nothing to try for one index, and no scene for another."""

    name = "clumsy:Shifted"

    def assign(self, config, count):
        return [replace(each, index=each.index + 1) for each in super().assign(config, count)]

    def candidates(self, config, assignment, rng, tried):
        if assignment.index == 2:
            raise NoScene("the floor is wet")
        yield from () if assignment.index == 1 else super().candidates(config, assignment, rng, tried)


class Dreaming(ToyBenchmark):
    """Never ends its second episode. The clock of who waits for it stands still but for that one."""

    name = "dreaming"

    def __init__(self):
        Worker.left = lambda worker, patience: patience * (worker.told[-1:] != [IndexWord(1)])

    def episode(self, index, config, assignment):
        while index == 1:
            time.sleep(600)
        return super().episode(index, config, assignment)


class Spilling(Exporter):
    """Spills the ink."""

    name, accepts, options = "spilling", (), NoOptions

    def write(self, episodes, target):
        print("careful")
        raise ZeroDivisionError("no ink left")
'''
POINTS = {
    "benchmarks/stumbling": "clumsy:Stumbling",
    "benchmarks/lazy": "clumsy:Lazy",
    "benchmarks/dreaming": "clumsy:Dreaming",
    "exporters/spilling": "clumsy:Spilling",
}
BROKEN = {
    "worlds/nowhere": "absent:Nowhere",
    "benchmarks/nothing": "absent:Nothing",
    "exporters/nil": "absent:Nil",
    "verbs/nod": "absent:nod",
    "layouts/nook": "absent:Nook",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs chorewright beside a package that cannot be imported and one that fails when it is used."""
    site = tmp_path_factory.mktemp("site")
    write_package(site, "clumsy", CODE, POINTS)
    write_package(site, "absent", "import sys\nsys.exit('the cellar is locked')\n", BROKEN)
    return runner(tmp_path_factory.mktemp("work"), site)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("generate", "nothing", "--out", "x"), "the benchmark 'nothing' of absent cannot be loaded: SystemExit"),
        (("export", "data", "--format", "nil", "--out", "x"), "the export format 'nil' of absent cannot be loaded"),
        (("nod",), "the verb 'nod' (absent:nod) cannot be loaded: SystemExit: the cellar is locked"),
    ],
)
def test_what_cannot_be_imported_is_named(run: Run, words: tuple[str, ...], named: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert named in " ".join(done.stderr.split())


def test_what_cannot_be_imported_does_not_disturb_others(run: Run) -> None:
    done = run("tasks", "--json")
    assert done.returncode == 0
    assert len(json.loads(done.stdout)) > 100
    assert done.stderr.count("note: the world 'nowhere' of absent cannot be loaded") == 1
    done = run("generate", "--help")
    assert done.returncode == 0
    assert "alfred" in done.stdout
    assert "stumbling" in done.stdout
    assert "the benchmark 'nothing' of absent cannot be loaded" in done.stderr


def test_an_exception_in_an_episode_rejects_it(run: Run, tmp_path: Path) -> None:
    words = ("--episodes", 9, "--shard-size", 3, "--workers", 2, "--json")
    done = run("generate", "stumbling", *words, "--out", tmp_path / "data")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["accepted"] == 6
    assert told["defects"][0] == "episode 1: defect: KeyError: 'the left shoe'"
    assert [each.index for each in Dataset(tmp_path / "data").manifest.rejected] == [1, 4, 7]
    done = run("export", tmp_path / "data", "--format", "spilling", "--out", tmp_path / "out", "--json")
    assert done.returncode == 30
    assert "the export format 'spilling' failed: ZeroDivisionError: no ink left" in done.stderr
    assert "the export format 'spilling' failed" in json.loads(done.stdout)["errors"][0]["message"]


def test_an_episode_without_candidates_or_a_scene_is_rejected(run: Run, tmp_path: Path) -> None:
    done = run("generate", "clumsy:Shifted", "--episodes", 4, "--workers", 0, "--out", tmp_path / "data")
    assert done.returncode == 0, done.stderr
    assert "episode 1 met a defect: ValueError: no candidate is yielded\nhint: CHOREWRIGHT_DEBUG=1" in done.stderr
    rejected = Dataset(tmp_path / "data").manifest.rejected
    assert [(each.index, each.reason) for each in rejected[1:]] == [(2, "the floor is wet")]
    again = run("verify", tmp_path / "data", "--remake", 4, "--allow-code", "clumsy:Shifted")
    assert again.returncode == 0, again.stderr
    assert "4 made again, all equal" in again.stdout
    page = run("view", tmp_path / "data", "-o", tmp_path / "page.html")
    assert page.returncode == 0
    assert "note: the page has no pictures: the benchmark 'clumsy:Shifted' is not installed" in page.stderr


def test_an_exception_in_the_assignment_ends_the_run(run: Run, tmp_path: Path) -> None:
    done = run("generate", "lazy", "--episodes", 3, "--workers", 0, "--out", tmp_path / "data")
    assert done.returncode == 30
    assert "the benchmark 'lazy' failed: IndexError" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_episode_that_hangs_is_left_out_by_name(run: Run, tmp_path: Path) -> None:
    words = ("generate", "dreaming", "--episodes", 4, "--shard-size", 2, "--workers", 2)
    done = run(*words, "--out", tmp_path / "data")
    assert done.returncode == 0, done.stderr
    assert "took longer than --episode-timeout at episode 1, the third time" in " ".join(done.stderr.split())
    assert [(each.index, each.lost) for each in Dataset(tmp_path / "data").manifest.rejected] == [(1, True)]
    done = run(*words, "--on-lost", "stop", "--out", tmp_path / "other")
    assert done.returncode == 30
    said = " ".join(done.stderr.split())
    assert "episode 1 lost its worker 3 times, the last one took longer than --episode-timeout" in said
    assert "give episodes more time with --episode-timeout" in said


class Liar:
    """An engine whose plans do nothing."""

    def solve(self, domain: object, problem: object, limits: Limits = UNLIMITED) -> Answer:
        return Plan((GroundAction("dream", ()),), 0.0, "liar", "")


def test_an_engine_that_lies_is_caught() -> None:
    from chorewright.domains.pddl.parser import parse_domain, parse_problem

    domain = parse_domain("(define (domain d) (:predicates (p)) (:action a :effect (p)))")
    problem = parse_problem("(define (problem q) (:domain d) (:goal (p)))", domain)
    with pytest.raises(EngineError, match=r"the engine 'liar' gave a plan that is not valid: .*no action 'dream'"):
        CheckedEngine("liar", Liar()).solve(domain, problem)


def test_what_a_plug_in_prints_is_no_output(capsys: pytest.CaptureFixture[str]) -> None:
    with plugin_code("the toy"):
        print("ouch")
    with pytest.raises(PluginError, match="the toy failed: ValueError: broken"), plugin_code("the toy"):
        raise ValueError("broken")
    with pytest.raises(UsageError, match="as it is"), plugin_code("the toy"):
        raise UsageError("as it is")
    assert capsys.readouterr() == ("", "ouch\n")


def test_a_debugging_author_sees_the_exception_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHOREWRIGHT_DEBUG", "1")
    with pytest.raises(ValueError, match="broken"), plugin_code("the toy"):
        raise ValueError("broken")


def test_what_lacks_a_method_is_no_plug_in() -> None:
    registry: Registry[ToyBenchmark] = Registry("chorewright.nothing", "toy", ("assign", "wind_up"))
    with pytest.raises(UsageError, match="is no toy: it has no 'wind_up'"):
        registry.find("tests.generator.toy:ToyBenchmark", Origin.PERSON)


SLOW = """
import time
from chorewright.files.stopping import Stopped


class Engine:
    def solve(self, domain, problem, limits=None):
        while True:
            time.sleep(0.01)


class Unready(Engine):
    def __init__(self):
        self.solve(None, None)


def made():
    raise Stopped
"""


@pytest.mark.parametrize("engine", ["Engine", "Unready"])
def test_an_engine_of_your_own_that_takes_too_long_is_out_of_time(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow.py").write_text(SLOW, "utf-8")
    (tmp_path / "d.pddl").write_text("(define (domain d) (:predicates (p)) (:action a :effect (p)))", "utf-8")
    for each in ("q.pddl", "r.pddl"):
        (tmp_path / each).write_text("(define (problem q) (:domain d) (:goal (p)))", "utf-8")
    run = runner(tmp_path, tmp_path)
    limited = ("--engine", f"slow:{engine}", "--time-limit", 1)
    one, two = run("plan", "d.pddl", "q.pddl", *limited), run("plan", "d.pddl", "q.pddl", "r.pddl", *limited)
    assert (one.returncode, two.returncode) == (23, 23)
    assert "out of time" in one.stderr
    assert two.stdout.count("out of time") == 2
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Stopped):
        find_engine("slow:made", Origin.PERSON)
