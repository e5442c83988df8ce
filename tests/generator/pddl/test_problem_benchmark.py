"""Datasets of any domain: from a template or a folder, none twice, in bands, whole after an interruption."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.errors import InputErrors, UsageError
from chorewright.generator.dataset.config import PlannerEffort
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import configure
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.pddl.problem_benchmark import ProblemBenchmark
from chorewright.generator.showing.moments import moments_of
from chorewright.generator.showing.pages import dataset_page
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.planning import OPTIMAL, solve
from chorewright.planner.validation import validate
from chorewright.problems.pddl.scenes import renaming_key
from chorewright.problems.pddl.template_files import classic_template
from tests.command import invoke

BENCHMARK = ProblemBenchmark()

SWITCHES = """(define (domain switches) (:requirements :adl) (:types lamp)
  (:predicates (lit ?x - lamp) (broken ?x - lamp))
  (:action turn-on :parameters (?x - lamp) :precondition (and (not (lit ?x)) (not (broken ?x))) :effect (lit ?x)))"""

LAMPS = """(define (template lamps) (:domain switches) (:numbers (?n 1 3)) (:objects (lamp ?n))
  (:init (forall (?x - lamp) (chance 0.3 (lit ?x)) (chance 0.2 (broken ?x))))
  (:goal (forall (?x - lamp) (lit ?x))))"""


@pytest.fixture
def switches(tmp_path: Path) -> Path:
    """A user's folder with a domain and a template beside it."""
    (tmp_path / "switches").mkdir()
    (tmp_path / "switches" / "domain.pddl").write_text(SWITCHES, encoding="utf-8")
    (tmp_path / "switches" / "domain.template").write_text(LAMPS, encoding="utf-8")
    return tmp_path / "switches"


def episodes(count: int, plans: int = 1, **options: object) -> list[Episode]:
    config = configure(BENCHMARK, "pddl", count, options, effort=PlannerEffort(plans=plans))
    return [BENCHMARK.episode(each.index, config, each) for each in BENCHMARK.assignments(config, count)]


def test_episodes_of_a_shipped_template() -> None:
    found = episodes(12, domain="blocks", bands=["easy", "medium"])
    keys, bands = set(), {each.name: each for each in classic_template("blocks").bands}
    for episode in found:
        assert episode.outcome.accepted
        extras = dict(episode.extras)
        domain = parse_domain(extras["domain"])
        problem = parse_problem(extras["problem"], domain)
        assert validate(domain, problem, episode.plan).valid
        keys.add(renaming_key(domain, problem))
        band = bands[dict(episode.parameters)["band"]]
        assert band.low <= episode.plan_cost <= band.high
        state = {tuple(atom) for atom in json.loads(extras["start"])}
        assert state == set(problem.init)
        for step in episode.steps:
            assert set(step.removed) <= state
            assert not set(step.added) & state
            state = (state - set(step.removed)) | set(step.added)
        levels = Counter(each.level for each in episode.instructions)
        assert levels == {"state": 1, "goal": 3, "step": 3 * len(episode.plan), "change": len(episode.plan)}
    assert len(keys) == 12


def test_several_plans_of_one_problem_are_different_plans_in_one_split() -> None:
    found = episodes(8, domain="gripper", bands=["easy"], plans=3)
    assert [each.outcome.accepted for each in found] == [True] * 8
    for first in (0, 3, 6):
        same = found[first : first + 3]
        assert len({(each.problem_sha256, each.split, dict(each.extras)["scene"]) for each in same}) == 1
        assert len({each.plan for each in same}) == len(same)
        assert same[0].plan_cost == min(each.plan_cost for each in same)
    assert len({each.problem_sha256 for each in found}) == 3
    alike = episodes(2, domain="gripper", bands=["easy"], plans=2, optimal=True)
    assert alike[0].plan_cost == alike[1].plan_cost


def test_problems_with_too_few_plans_are_rejected(switches: Path) -> None:
    found = episodes(30, domain=str(switches), plans=30)
    accepted = [each for each in found if each.outcome.accepted]
    assert 0 < len(accepted) < 30
    assert accepted == found[: len(accepted)]
    for episode in found[len(accepted) :]:
        assert any(f"there are no more plans than {len(accepted)}" in each for each in episode.rejections)
    [large] = episodes(1, domain="courier", bands=["easy"], plans=2)
    assert not large.outcome.accepted


def test_proven_plans_are_as_cheap_as_a_search_of_their_own() -> None:
    for episode in episodes(4, domain="blocks", bands=["easy"], optimal=True):
        extras = dict(episode.extras)
        domain = parse_domain(extras["domain"])
        again = solve(domain, parse_problem(extras["problem"], domain), Limits(), OPTIMAL)
        assert isinstance(again, Plan)
        assert extras["optimal"] == "true"
        assert again.cost == episode.plan_cost


def test_rejections_have_reasons(switches: Path) -> None:
    """Three lamps with two marks each: 19 problems but for names, of which few can be solved."""
    found = episodes(40, domain=str(switches), tries=6)
    accepted = [each for each in found if each.outcome.accepted]
    keys = [renaming_key(parse_domain(SWITCHES), _problem(each)) for each in accepted]
    assert len(set(keys)) == len(keys)
    # One to three lamps, of which at least one is off and none is off and broken.
    solvable = sum(1 for lamps in (1, 2, 3) for off in range(1, lamps + 1) for _ in range(lamps - off + 1))
    assert len(accepted) <= solvable == 10
    reasons = Counter(reason.split(":")[0] for each in found for reason in each.rejections)
    assert {"duplicate", "start", "plan"} <= set(reasons)
    assert "the template has hardly any others" in found[-1].outcome.reason
    assert any("unsolvable" in reason for each in found for reason in each.rejections)
    assert any("trivial" in reason for each in found for reason in each.rejections)


def _problem(episode: Episode) -> object:
    extras = dict(episode.extras)
    return parse_problem(extras["problem"], parse_domain(extras["domain"]))


def test_a_dataset_that_grows_keeps_its_beginning() -> None:
    config = configure(BENCHMARK, "pddl", 30, {"domain": "blocks"})
    assert BENCHMARK.assign(config, 30)[:11] == BENCHMARK.assign(config, 11)


def test_a_folder_of_problems(switches: Path, tmp_path: Path) -> None:
    folder = tmp_path / "problems"
    folder.mkdir()
    text = "(define (problem {}) (:domain switches) (:objects {} - lamp) (:init {}) (:goal (and {})))"
    (folder / "p2.pddl").write_text(text.format("two", "a b", "", "(lit a)"), encoding="utf-8")
    (folder / "p10.pddl").write_text(text.format("ten", "x y", "", "(lit y)"), encoding="utf-8")
    (folder / "p1.pddl").write_text(text.format("one", "a", "(lit a)", "(lit a)"), encoding="utf-8")
    (folder / "p3.pddl").write_text(text.format("three", "a", "(broken a)", "(lit a)"), encoding="utf-8")
    shutil.copy(switches / "domain.pddl", folder / "domain.pddl")
    found = episodes(4, domain=str(switches), problems=[str(folder)])
    assert [each.task for each in found] == ["switches/one", "switches/two", "switches/three", "switches/ten"]
    assert [each.outcome.reason.split(":")[0] for each in found] == ["start", "", "plan", "duplicate"]
    with pytest.raises(UsageError, match="not enough problems for 5 starts: 4 problems"):
        episodes(5, domain=str(switches), problems=[str(folder)])
    (folder / "p4.pddl").write_text(text.format("four", "a", "", "(litt a)"), encoding="utf-8")
    with pytest.raises(InputErrors, match="litt"):
        episodes(4, domain=str(switches), problems=[str(folder)])


def test_wrong_words(switches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(switches.parent)
    with pytest.raises(UsageError, match="there is no domain 'swiches'") as caught:
        episodes(1, domain="swiches")
    assert "'switches'" in str(caught.value.hint)
    with pytest.raises(UsageError, match="there is no domain 'blokcs'"):
        episodes(1, domain="blokcs")
    with pytest.raises(UsageError, match="no problem template 'blokcs'"):
        episodes(1, template="blokcs")
    with pytest.raises(UsageError, match="there is no domain"):
        episodes(1)
    with pytest.raises(UsageError, match="there is no band 'eazy'"):
        episodes(1, domain="blocks", bands=["eazy"])
    with pytest.raises(UsageError, match="no band"):
        episodes(1, domain="blocks", bands=["x=9-3"])
    with pytest.raises(UsageError, match="for the domain blocks, not switches"):
        episodes(1, domain=str(switches), template="blocks")
    (switches / "domain.say").write_text('(define (wordings w) (:say action (turn-of ?x) "x"))', encoding="utf-8")
    (switches / "domain.template").write_text(
        "(define (template t) (:domain switches) (:goal (onn)))", encoding="utf-8"
    )
    with pytest.raises(InputErrors, match=r"turn-of") as told:
        episodes(1, domain=str(switches))
    assert [each.location.path.rsplit("/")[-1] for each in told.value.errors if each.location] == [
        "domain.say",
        "domain.template",
    ]


def test_the_command_line_resumes_verifies_shows_and_views(switches: Path, tmp_path: Path) -> None:
    words = ["generate", "pddl", "--domain", str(switches), "--episodes", "6", "--shard-size", "3", "--workers", "0"]
    done = invoke([*words, "--out", str(tmp_path / "one")])
    assert done.exit_code in (0, 1), done.output
    for part in ("1/2", "2/2"):
        assert invoke([*words, "--out", str(tmp_path / "two"), "--shard", part]).exit_code in (0, 1)
    assert invoke([*words, "--out", str(tmp_path / "two")]).exit_code in (0, 1)
    one, two = ({p.name: p.read_bytes() for p in (tmp_path / name / "data").iterdir()} for name in ("one", "two"))
    assert one == two
    verified = invoke(["verify", str(tmp_path / "one"), "--remake", "6"])
    assert verified.exit_code == 0, verified.output
    index = next(iter(Dataset(tmp_path / "one"))).index
    shown = invoke(["show", str(tmp_path / "one"), str(index)])
    assert "turn-on" in shown.output
    assert invoke(["replay", str(tmp_path / "one")]).exit_code == 0
    page = tmp_path / "page.html"
    assert invoke(["view", str(tmp_path / "one"), str(index), "--out", str(page)]).exit_code == 0
    assert "Turn on lamp 1." in page.read_text("utf-8")
    assert '"picture":""' in dataset_page([Dataset(tmp_path / "one")], "switches"), "nobody can read small text"


@pytest.mark.parametrize("size", [84, 300])
def test_a_small_picture_of_a_state_is_a_large_one_made_small(switches: Path, size: int) -> None:
    [made] = episodes(1, domain=str(switches))
    view = moments_of(made.benchmark).last_view(made, size)
    assert view.shape == (size, size, 3)
    assert not (view[size // 2 :] != 255).any(), "a few lines stand in the upper half"
