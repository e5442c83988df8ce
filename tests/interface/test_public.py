"""The public names: which there are, that they are light to import and typed, and what they do."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

import chorewright as cw
from chorewright.problems.household.rooms import load_room
from tests.command import ROOT, chorewright, digests
from tests.test_light import HEAVY, imported

PUBLIC = [
    "ChorewrightError",
    "Dataset",
    "Episode",
    "GroundAction",
    "NoPlan",
    "OnlineExpert",
    "Plan",
    "PlanningProblem",
    "Verdict",
    "__version__",
    "collect",
    "compile_task",
    "expert",
    "export",
    "film",
    "format_pddl",
    "frames",
    "generate",
    "load_problem",
    "make_env",
    "make_world",
    "plan",
    "render",
    "tasks",
    "validate",
    "verify",
    "view",
]
"""A name leaves this list only as docs/python.md says."""


def test_the_public_names_are_these() -> None:
    assert sorted(cw.__all__) == PUBLIC
    assert set(PUBLIC) <= set(dir(cw))
    assert all(hasattr(cw, name) for name in PUBLIC)
    with pytest.raises(AttributeError, match="no attribute 'plam'"):
        vars(cw)["__getattr__"]("plam")


def test_the_stub_has_the_same_names_from_the_same_modules() -> None:
    tree = ast.parse((ROOT / "chorewright" / "__init__.pyi").read_text("utf-8"))
    homes = {
        alias.asname: node.module for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert homes == vars(cw)["_MODULES"]


def test_nothing_is_imported_before_it_is_used() -> None:
    rooms = {"chorewright.interface", "chorewright.generator", "chorewright.planner", "chorewright.domains"}
    assert not imported("import chorewright as cw; dir(cw); cw.__all__") & (rooms | set(HEAVY))
    assert not imported("import chorewright as cw; cw.format_pddl('(define (domain d))')") & {"numba", "pyarrow", "PIL"}


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - {"__version__"}))
def test_each_is_documented(name: str) -> None:
    found = getattr(cw, name)
    assert inspect.getdoc(found)
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    assert f"`{name}" in page or f"cw.{name}" in page
    if inspect.isfunction(found):
        arguments = set(inspect.signature(found).parameters)
        missing = [each for each in arguments if f"{each}:" not in (found.__doc__ or "")]
        assert len(arguments) < 3 or not missing


@pytest.mark.slow
def test_a_user_s_program_is_checked_by_mypy(tmp_path: Path) -> None:
    good = "import chorewright as cw\nplan: cw.Plan = cw.plan(cw.load_problem('d', 'p'), time_limit=3)\n"
    (tmp_path / "good.py").write_text(good + "cost: float = cw.validate(cw.load_problem('d', 'p'), plan).cost\n")
    (tmp_path / "bad.py").write_text("import chorewright as cw\ncw.plan('d')\ncw.plam()\n")
    for name, code in (("good.py", 0), ("bad.py", 1)):
        words = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"), name]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout


def test_a_task_is_compiled_planned_and_checked(tmp_path: Path) -> None:
    problem = cw.compile_task("alfred/pick_and_place_simple", scene="FloorPlan10", object="Mug", receptacle="Shelf")
    plan = cw.plan(problem, evaluations=20_000)
    assert cw.validate(problem, plan).valid
    assert cw.validate(problem, str(plan).splitlines()).valid
    assert not cw.validate(problem, plan.actions[:-1]).valid
    problem.write(tmp_path)
    with pytest.raises(cw.ChorewrightError, match="cannot write"):
        problem.write(tmp_path / "problem.pddl")
    again = cw.load_problem(tmp_path / "domain.pddl", tmp_path / "problem.pddl")
    (tmp_path / "mug.plan").write_text(str(plan))
    assert cw.validate(again, tmp_path / "mug.plan").cost == plan.cost
    assert "Mug" in problem._repr_html_() or "mug" in problem._repr_html_()
    assert plan._repr_html_().count("<li>") == len(plan.actions)


def test_no_plan_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "d.pddl").write_text("(define (domain d) (:predicates (p) (q)) (:action a :effect (p)))")
    (tmp_path / "p.pddl").write_text("(define (problem p) (:domain d) (:init) (:goal (q)))")
    problem = cw.load_problem(tmp_path / "d.pddl", tmp_path / "p.pddl")
    with pytest.raises(cw.NoPlan, match="p: ") as caught:
        cw.plan(problem)
    assert caught.value.limit is None


def test_a_dataset_is_that_of_the_command_line(tmp_path: Path) -> None:
    made = cw.generate("alfred", tmp_path / "a", episodes=2, seed=4, scenes=["FloorPlan1", "FloorPlan301"])
    scenes = ("--scenes", "FloorPlan1", "--scenes", "FloorPlan301")
    chorewright("generate", "alfred", "-n", 2, "--seed", 4, *scenes, "--workers", 0, "--out", tmp_path / "b")
    assert digests(tmp_path / "a") == digests(tmp_path / "b")
    assert cw.verify(made).ok
    assert cw.verify(tmp_path / "a", remake=1).ok
    exported = cw.export(made, "alfred", tmp_path / "json")
    assert exported.episodes == len(made)
    episode = made[0]
    first, last = cw.render(episode, 0, 64), cw.render(episode, size=64)
    assert first.size == last.size == (64, 64)
    assert len(list(cw.frames(episode, 64))) == len(episode.steps) + 1
    assert "<img" in episode._repr_html_()
    cw.view(episode, tmp_path / "episode.html", 64)
    cw.view(made, tmp_path / "all.html", 64)
    with pytest.raises(cw.ChorewrightError, match="cannot write"):
        cw.view(episode, tmp_path / "nowhere" / "episode.html", 64)
    other = chorewright("evaluate", "objectnav", tmp_path / "a", "--agent", "random")
    assert other.returncode == 31
    assert f"{tmp_path / 'a'} has episodes of alfred, not of objectnav" in other.stderr
    assert (tmp_path / "episode.html").read_text("utf-8").startswith("<!")


def test_scenes_show_their_map() -> None:
    room = load_room("FloorPlan402")
    data = room._repr_png_()
    assert isinstance(data, bytes)
    assert data.startswith(b"\x89PNG")
    assert isinstance(cw.render(room), Image.Image)


def test_worlds_and_environments() -> None:
    assert {template.domain for template in cw.make_world("household").templates()} == {"household"}
    assert all(task.full_name.startswith("alfred/") for task in cw.tasks("alfred"))
    with pytest.raises(cw.ChorewrightError, match="collection"):
        cw.tasks("alfredo")
    env = cw.make_env("HandMeThat-v2")
    env.reset(seed=1)
    env.close()
