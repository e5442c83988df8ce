"""Agents: what they choose, what they ask, and that counting them does not depend on the workers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chorewright.domains.pddl.syntax import Atom
from chorewright.errors import UsageError
from chorewright.files.plugins import Origin
from chorewright.generator.handmethat.evaluation import HandMeThatScore, by_level, find_agent, means, paper_rows, play
from chorewright.generator.handmethat.trajectory import rules_of
from chorewright.generator.measuring.evaluation import random_numbers
from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.scene import HUMAN, HandMeThatScene
from chorewright.replay.handmethat.agents import HandMeThatAgent, TextPlanner, repeat
from chorewright.replay.handmethat.expert import Belief, infer, listen
from chorewright.replay.handmethat.task import HandMeThatTask, scene_after
from chorewright.replay.handmethat.world import GameRules
from chorewright.rsa.handmethat.meanings import Meaning, Quest, context_of, meaning_of
from chorewright.rsa.handmethat.requests import Question, answers, questions
from tests.replay.handmethat.tasks import made, scene, stored


def played_at(index: int, agent: HandMeThatAgent, seed: int) -> HandMeThatScore:
    """How an agent plays one of the stored tasks."""
    return play(agent, stored()[index], random_numbers(seed, index))


def moved(start: HandMeThatScene, *pairs: tuple[str, str]) -> HandMeThatTask:
    """A task whose human has carried some things from a table to other open places."""
    steps = []
    at = "floor_0"
    for name, place in pairs:
        steps += [
            GroundAction("move", (HUMAN, at, "table_0")),
            GroundAction("pick-up-at-loc", (HUMAN, name, "table_0")),
            GroundAction("move", (HUMAN, "table_0", place)),
            GroundAction("put-ontop-loc", (HUMAN, name, place)),
        ]
        at = place
    plan = tuple(steps)
    task = made(start)
    return replace(task, plan=plan, observed=len(plan), scene=scene_after(start, plan, Atom("open", ("table_0",))))


CHOICES = [
    # request, what the human moved, what may be chosen
    (("bring_me", {}, None), [("apple_0", "shelf_0")], {("apple_1", None), ("apple_2", None)}),
    (("bring_me", {"type": "egg"}, None), [("apple_0", "shelf_0")], {(f"egg_{n}", None) for n in range(3)}),
    (
        ("bring_me", {"class": "food", "ontop": "table_0"}, None),
        [("apple_0", "shelf_0"), ("egg_0", "sofa_0")],
        {("apple_1", None), ("apple_2", None), ("egg_2", None)},
    ),
    (
        ("move_to", {"type": "apple"}, "sofa_0"),
        [("apple_0", "shelf_0")],
        {("apple_1", "sofa_0"), ("apple_2", "sofa_0")},
    ),
    (
        ("move_to", {}, None),
        [("apple_0", "shelf_0"), ("apple_1", "sofa_0")],
        {("apple_2", "shelf_0"), ("apple_2", "sofa_0")},
    ),
    (("change_state", {}, "slice"), [("apple_0", "shelf_0")], set()),
]


@pytest.mark.parametrize(("request_", "carried", "wanted"), CHOICES)
def test_the_heuristic_repeats_categories(
    request_: tuple[str, dict[str, str | bool], str | None],
    carried: list[tuple[str, str]],
    wanted: set[tuple[str, str | None]],
) -> None:
    task = replace(moved(scene(), *carried), utterance=meaning_of(*request_))
    found = {choice for seed in range(30) for choice in repeat(task, np.random.default_rng(seed))}
    assert found == wanted


def test_an_impossible_request_gets_no_choice() -> None:
    task = replace(made(scene()), utterance=meaning_of("bring_me", {"type": "pop", "color": "red"}, None))
    assert not repeat(task, np.random.default_rng(0))
    assert not play(find_agent("heuristic"), task, np.random.default_rng(0)).won


def belief(weights: dict[Meaning, float]) -> Belief:
    return Belief(context_of(scene()), tuple(weights), tuple(weights.values()))


APPLES = Meaning(Quest.BRING_ME, (("type", "apple"),))
FOODS = [Meaning(Quest.BRING_ME, (("type", kind),)) for kind in ("apple", "egg", "milk", "cake")]


def test_chances_are_sums_over_meanings() -> None:
    held = belief({APPLES: 0.25, Meaning(Quest.BRING_ME, (("type", "egg"),)): 0.35, Meaning(Quest.BRING_ME): 0.4})
    chances = held.chances()
    for name in (each.name for each in scene().movables):
        share = 0.25 if name.startswith("apple") else 0.35 if name.startswith("egg") else 0.0
        assert chances[name, None] == pytest.approx(0.4 + share)
    assert held.best()[1] == tuple((f"egg_{number}", None) for number in range(3))


def test_gains_of_questions_are_those_by_enumeration() -> None:
    held = belief(dict(zip(FOODS, (0.4, 0.3, 0.2, 0.1), strict=True)))
    assert held.gain(Question("type")) == pytest.approx(0.6)  # the answer tells all
    assert held.gain(Question("color")) == pytest.approx(0.0)
    for question in questions():
        after = 0.0
        for words in {answers(question, each, held.context) for each in held.meanings}:
            fitting = [
                (each, chance)
                for each, chance in zip(held.meanings, held.probabilities, strict=True)
                if answers(question, each, held.context) == words
            ]
            named = {name for each, _ in fitting for name, _ in held.context.groundings(each)}
            after += max(
                sum(chance for each, chance in fitting if (name, None) in held.context.groundings(each))
                for name in named
            )
        assert held.gain(question) == pytest.approx(after - 0.4)


@pytest.mark.parametrize(
    ("chances", "cost", "asks"),
    [
        ((0.97, 0.01, 0.01, 0.01), 10, False),  # 3 of 100 to gain, for 10
        ((0.25, 0.25, 0.25, 0.25), 10, True),
        ((0.25, 0.25, 0.25, 0.25), 80, False),
        ((0.85, 0.05, 0.05, 0.05), 10, True),
        ((0.91, 0.03, 0.03, 0.03), 10, False),
    ],
)
def test_questions_are_asked_where_they_pay(chances: tuple[float, ...], cost: float, asks: bool) -> None:
    agent = TextPlanner(rules=GameRules(question=cost, clear_question=100))
    agent._task = made(scene(), APPLES)
    agent._belief = belief(dict(zip(FOODS, chances, strict=True)))
    command = agent.act("", ())
    assert command.startswith("question: ") == asks
    if asks:
        assert agent.act("I mean the apple.", ()).split()[0] in ("pick", "move", "open")
        assert agent._belief.best() == (1.0, tuple((f"apple_{number}", None) for number in range(3)))


def test_the_listener_holds_what_is_meant_possible() -> None:
    for task in stored():
        held = listen(task, np.random.default_rng(0))
        assert held is not None
        assert sum(held.probabilities) == pytest.approx(1.0)
        assert set(task.groundings) <= set(held.chances())


@pytest.mark.parametrize(
    ("name", "least"), [("oracle", 1.0), ("planner", 0.8), pytest.param("inferring", 0.6, marks=pytest.mark.slow)]
)
def test_agents_that_understand_succeed(name: str, least: float) -> None:
    agent = find_agent(name)
    played = [played_at(index, agent, 0) for index in range(len(stored()))]
    assert means(played).success >= least
    assert {each.level for each in played} == {int(key[-1]) for key in by_level(played) if key != "all"}


@pytest.mark.parametrize("name", ["random", "heuristic"])
def test_the_same_seed_plays_alike(name: str) -> None:
    agent = find_agent(name)
    first = [played_at(index, agent, 3) for index in (0, 1, 2)]
    assert [played_at(index, find_agent(name), 3) for index in (2, 1, 0)] == first[::-1]


def test_who_knows_how_episodes_are_made_is_surer() -> None:
    task = stored()[0]
    usual, knowing = (infer(task, np.random.default_rng(0), rules) for rules in (None, rules_of(2)))
    assert usual is not None
    assert knowing is not None
    assert set(knowing.best()[1]) <= set(task.groundings)
    assert knowing.best()[0] > usual.best()[0]


class Rude:
    """Begins, but does not answer."""

    def begin(self, task: object, rng: object) -> None: ...

    def act(self, observation: str, admissible: object) -> int:
        return 7


class Mute:
    """No agent."""


class Clumsy(Rude):
    """Fails."""

    def act(self, observation: str, admissible: object) -> int:
        raise ValueError("dropped\nthe vase")


HERE = __name__


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("genius", "no agent 'genius'"),
        ("no.such.module:Agent", "cannot be loaded: No module named"),
        (f"{HERE}:Nobody", "has no attribute 'Nobody'"),
        (f"{HERE}:Mute", "it has no 'begin'"),
        (f"{HERE}:Rude", "which is not a command"),
        (f"{HERE}:Clumsy", "fails in episode made: ValueError: dropped$"),
        ("../x:y", "no agent"),
    ],
)
def test_agents_that_cannot_play(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        play(find_agent(name, origin=Origin.PERSON), made(scene()), np.random.default_rng(0))


def test_where_an_agent_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError) as failed:
        play(find_agent(f"{HERE}:Clumsy", origin=Origin.PERSON), made(scene()), np.random.default_rng(0))
    where = failed.value.location
    assert where is not None
    assert where.path == __file__
    assert "raise ValueError" in Path(__file__).read_text("utf-8").splitlines()[(where.line or 0) - 1]
    monkeypatch.setenv("CHOREWRIGHT_DEBUG", "1")
    with pytest.raises(ValueError, match="dropped"):
        play(find_agent(f"{HERE}:Clumsy", origin=Origin.PERSON), made(scene()), np.random.default_rng(0))


def test_results_are_means() -> None:
    one, two = (played_at(index, find_agent("oracle"), 0) for index in (0, 1))
    lost = replace(two, won=False, score=-5.0, moves=5)
    found = means([one, lost])
    assert (found.episodes, found.success, found.moves) == (2, 0.5, one.moves)
    assert found.score == (one.score - 5) / 2
    assert means([lost]).moves is None


def test_the_papers_heuristic_wins_what_is_picked_and_placed() -> None:
    # Test episodes of version 1 by level and type of request (Table 20): bring-me, move-to, change-state.
    sizes = [(175, 69, 13), (100, 122, 27), (84, 166, 8), (112, 117, 7)]
    cells = paper_rows(1, True)["Heuristic"]
    for cell, (bring, move, change) in zip(cells, sizes, strict=True):
        won = round(cell.success * (bring + move + change))
        assert f"{100 * won / (bring + move + change):.1f}" == f"{100 * cell.success:.1f}"
        assert won <= bring + move
        assert (won == bring + move) == (cell is cells[0])


@pytest.mark.parametrize(
    ("version", "fully", "player", "level", "cell"),
    [
        (1, True, "Heuristic", 2, (-1.9, 0.281, 4.4)),
        (2, True, "Heuristic", 4, (24.4, 0.292, 4.1)),
        (2, True, "Seq2Seq + subgoal", 1, (53.8, 0.691, 4.2)),
        (2, False, "Human", 3, (None, 0.4, 8.4)),
        (1, False, "Random", 2, (-39.5, 0.004, 16.0)),
    ],
)
def test_the_papers_rows(
    version: int, fully: bool, player: str, level: int, cell: tuple[float | None, float, float]
) -> None:
    found = paper_rows(version, fully)[player][level - 1]
    assert (found.score, found.success, found.moves) == (cell[0], pytest.approx(cell[1]), cell[2])


def test_the_papers_scores_follow_from_its_success() -> None:
    # A success is worth 100 less its moves, a failure costs 40 at most: the printed cells check each other.
    for version in (1, 2):
        for fully in (True, False):
            for player, cells in paper_rows(version, fully).items():
                for cell in cells:
                    if cell.score is not None and cell.moves is not None and player != "Random":
                        won = cell.success * (100 - cell.moves)
                        assert won - 40.5 * (1 - cell.success) - 0.5 <= cell.score <= won + 0.5, (player, cell)
