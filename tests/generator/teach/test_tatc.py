"""Two agents that complete tasks by talking: orders in words, what each agent can do, failures and limits."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, field

import pytest

from chorewright.domains.teach.progress import check
from chorewright.errors import UsageError
from chorewright.files.plugins import Origin
from chorewright.generator.measuring.evaluation import play as play_trial
from chorewright.generator.teach.commander import (
    Order,
    PlanningCommander,
    is_crowded,
    relevant_kinds,
    say,
    understand,
    words,
)
from chorewright.generator.teach.evaluation import TeachEvaluation
from chorewright.generator.teach.metrics import MOST_FAILURES, MOST_STEPS
from chorewright.generator.teach.options import TeachTrial
from chorewright.generator.teach.tatc import COMMANDER, FOLLOWER, AgentSight, CommanderView, FollowerView, Table, play
from chorewright.generator.teach.tatc_evaluation import (
    OrderFollower,
    SessionScore,
    find_pair,
    means,
    play_session,
    score,
    start_of,
)
from chorewright.problems.household.navigation import TEACH_LOOK, Grid
from chorewright.problems.household.scene import Pose
from chorewright.replay.teach.world import TeachWorld, teach_world
from tests.command import chorewright

ORDERS = [
    Order("walk", pose=Pose(-14, 10, 0, 30)),
    Order("walk", pose=Pose(0, -3, 3, -30)),
    *(
        Order(action, "Mug|-03.32|+00.84|+03.74")
        for action in ("Pickup", "Place", "Open", "Close", "ToggleOn", "ToggleOff", "Slice", "Pour")
    ),
    Order("Place", "Sink|+00.02|+00.77|-01.71|SinkBasin"),
    Order("Pickup", "Bread|-02.10|+00.98|-00.61|BreadSliced_1"),
]


@pytest.mark.parametrize("count", [1, 2, len(ORDERS)])
def test_orders_are_understood_as_they_were_meant(count: int) -> None:
    for place in range(len(ORDERS) - count + 1):
        orders = tuple(ORDERS[place : place + count])
        assert understand(say(orders)) == orders


@pytest.mark.parametrize("text", ["", "Hello.", "Pick up.", say(ORDERS[:1])[:-1], say(ORDERS[2:3]) + " Please."])
def test_anything_else_is_not_understood(text: str) -> None:
    assert understand(text) is None


def _names(protocol: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(protocol) if not name.startswith("_")}


def test_no_agent_can_do_what_is_the_other_s() -> None:
    assert _names(CommanderView) == {"room", "map", "follower", "check_progress", "search", "select"}
    assert _names(FollowerView) == {"map", "look", "act"}


def test_the_follower_cannot_touch_what_it_does_not_see() -> None:
    task, scene = start_of("Coffee", 0, 0)
    table = Table(task, scene)
    hidden = next(
        thing.object_id
        for thing in scene.objects
        if thing.kind == "Mug" and thing.object_id not in table.look().visible
    )
    sight = table.act("Pickup", hidden)
    assert (sight.success, sight.holding) == (False, None)
    assert table.log[-1].success is False


@pytest.mark.parametrize("name", ["Coffee", "Plate Of Toast"])
def test_the_pair_completes_a_task_and_the_log_runs_again(name: str) -> None:
    task, scene = start_of(name, 1, 0)
    outcome = play(task, scene, PlanningCommander(task), OrderFollower())
    assert outcome.success
    assert (outcome.end, outcome.begun.success) == ("commander", False)
    world = TeachWorld()
    world.reset(scene)
    for each in outcome.log:
        if each.agent == FOLLOWER and each.action != "Text":
            assert world.act(each.action, each.about).success
    assert check(task, teach_world(world.scene())).success
    again = play(task, scene, PlanningCommander(task), OrderFollower())
    assert again.log == outcome.log
    one = score(task, scene, outcome)
    assert (one.success, one.goal_conditions, one.actions) == (True, 1.0, len(outcome.log))


@dataclass
class _Slippery:
    """A Follower's view in which some actions fail for no reason."""

    inner: FollowerView
    fails: dict[str, int]

    @property
    def map(self) -> tuple[Grid, float]:
        return self.inner.map

    def look(self) -> AgentSight:
        return self.inner.look()

    def act(self, action: str, object_id: str = "") -> AgentSight:
        if self.fails.get(action, 0) > 0:
            self.fails[action] -= 1
            assert isinstance(self.inner, Table)
            self.inner.note(FOLLOWER, action, object_id, False)
            return self.inner.look(False, "It slipped.")
        return self.inner.act(action, object_id)


@dataclass
class _Clumsy:
    """The Follower that takes orders, with slippery hands."""

    fails: dict[str, int]
    inner: OrderFollower = field(default_factory=OrderFollower)

    def greet(self) -> str:
        return self.inner.greet()

    def reply(self, view: FollowerView, heard: str) -> str:
        return self.inner.reply(_Slippery(view, self.fails), heard)


@pytest.mark.parametrize("fails", [{"Pickup": 1}, {"Place": 2}, {"Forward": 1}, {"ToggleOn": 1, "Pickup": 1}])
def test_the_commander_plans_anew_where_something_fails(fails: dict[str, int]) -> None:
    task, scene = start_of("Coffee", 2, 0)
    commander, left = PlanningCommander(task), dict(fails)
    outcome = play(task, scene, commander, _Clumsy(left))
    assert outcome.success
    failed = sum(not each.success for each in outcome.log)
    assert failed == sum(fails.values()) - sum(left.values()) >= 1
    assert commander.plans >= 2


class _Wanderer:
    """A Follower that turns without end, or kicks what it does not see."""

    def __init__(self, action: str, about: str = "") -> None:
        self.action, self.about = action, about

    def greet(self) -> str:
        return "Hello."

    def reply(self, view: FollowerView, heard: str) -> str:
        while True:
            view.act(self.action, self.about)


@pytest.mark.parametrize(
    ("follower", "end", "actions"),
    [(_Wanderer("Turn Left"), "actions", MOST_STEPS), (_Wanderer("Pickup", "Mug|none"), "failures", None)],
)
def test_sessions_end_at_the_limits(follower: _Wanderer, end: str, actions: int | None) -> None:
    task, scene = start_of("Coffee", 0, 0)
    outcome = play(task, scene, PlanningCommander(task), follower)
    assert (outcome.success, outcome.end) == (False, end)
    assert actions is None or len(outcome.log) == actions
    if end == "failures":
        assert sum(not each.success for each in outcome.log) == MOST_FAILURES


class _Deaf:
    """A Follower that never understands."""

    def greet(self) -> str:
        return "Hello."

    def reply(self, view: FollowerView, heard: str) -> str:
        return words().puzzled


def test_a_commander_that_cannot_help_gives_up() -> None:
    task, scene = start_of("Coffee", 0, 0)
    outcome = play(task, scene, PlanningCommander(task), _Deaf())
    assert not outcome.success
    assert len(outcome.log) <= MOST_STEPS


def test_the_commander_looks_for_what_the_task_and_its_tools_are() -> None:
    task, _ = start_of("Sandwich", 0, 0)
    found = relevant_kinds(task)
    assert {"Bread", "BreadSliced", "Knife", "Toaster", "SinkBasin", "Faucet", "Plate"} <= set(found)
    assert "Pillow" not in found
    assert is_crowded("Toaster")
    assert not is_crowded("Floor")


def test_sessions_differ_and_their_means_are_told() -> None:
    starts = [start_of("N Slices Of X In Y", number, 0) for number in range(4)]
    assert len({(task.params, scene.name) for task, scene in starts}) > 1
    trial = TeachTrial(agent="planner", sessions=2, tasks=("teach/coffee",), workers=0)
    found = [each for each in play_trial(TeachEvaluation(), trial) if isinstance(each, SessionScore)]
    result = means(found)
    assert (result.sessions, result.success) == (2, 1.0)
    assert result.actions == sum(each.actions for each in found) / 2


@pytest.mark.parametrize("agents", ["nobody", "os:nothing", "os:sep", "no.such:thing"])
def test_unknown_agents_are_refused(agents: str) -> None:
    with pytest.raises(UsageError):
        find_pair(agents, Origin.PERSON)


@pytest.mark.slow
def test_the_verb_lets_agents_play() -> None:
    told = chorewright("evaluate", "teach", "--agents", "planner", "--sessions", 1, "--tasks", "coffee", "--json")
    value = json.loads(told.stdout)
    assert value["tasks"]["Coffee"]["success"] == value["tasks"]["overall"]["success"] == 1.0
    assert chorewright("evaluate", "teach", "--agents", "planner", "x").returncode == 2


def test_poses_of_orders_are_ones_that_looks_can_reach() -> None:
    task, scene = start_of("Coffee", 0, 0)
    outcome = play(task, scene, PlanningCommander(task), OrderFollower())
    said = [each.about for each in outcome.log if each.agent == COMMANDER and each.action == "Text"]
    poses = [order.pose for text in said for order in understand(text) or () if order.pose is not None]
    assert poses
    assert all(pose.horizon % TEACH_LOOK == 0 for pose in poses)


class Speaker:
    """An agent of a user's that answers as it is told to."""

    def __init__(self, answer: object) -> None:
        self._answer = answer

    def greet(self) -> object:
        return "hello"

    def reply(self, view: object, heard: str) -> object:
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer


HERE = "tests.generator.teach.test_tatc"
ANSWERS = {"raising": ValueError("boom"), "leaving": SystemExit(0), "counting": 7}


def raising(task: object) -> tuple[object, object]:
    return Speaker(ANSWERS["raising"]), Speaker("done")


def leaving(task: object) -> tuple[object, object]:
    return Speaker("go"), Speaker(ANSWERS["leaving"])


def counting(task: object) -> tuple[object, object]:
    return Speaker(ANSWERS["counting"]), Speaker("done")


def single(task: object) -> tuple[object, ...]:
    return (Speaker("go"),)


def nothing(task: object) -> None:
    return None


def silent(task: object) -> tuple[object, object]:
    return Speaker("go"), Speaker(None)


def talking(task: object) -> tuple[object, object]:
    return Speaker("go"), Speaker("no")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("raising", r"the agents '.*:raising' fail in Coffee, session 0: ValueError: boom"),
        ("leaving", r"the agents '.*:leaving' fail in Coffee, session 0: SystemExit: 0"),
        ("counting", r"the agents '.*:counting' say 7 in Coffee, session 0, which is no text"),
        ("silent", r"the agents '.*:silent' say None in Coffee, session 0, which is no text"),
        ("single", r"'.*:single' makes 1 agents"),
        ("nothing", r"the agents '.*:nothing' cannot be made for Coffee, session 0: TypeError"),
    ],
)
def test_what_agents_of_users_do_wrong_is_told_with_their_name(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        play_session("Coffee", 0, 0, f"{HERE}:{name}")
    if name in ("raising", "leaving"):
        assert str(caught.value.location).startswith(__file__)


def test_a_session_of_users_agents_ends_at_its_limit() -> None:
    assert play_session("Coffee", 0, 0, f"{HERE}:talking").end != "commander"
