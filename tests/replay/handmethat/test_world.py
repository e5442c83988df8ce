"""The text world: commands beside a literal reading of the domain, costs, and the faults of the reference."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import TRUE
from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.scene import ROBOT, HandMeThatScene, SceneAgent
from chorewright.problems.handmethat.states import problem_of, scene_at
from chorewright.replay.handmethat.words import command_of, observation_of
from chorewright.replay.handmethat.world import GameRules, TextWorld
from chorewright.rsa.handmethat.meanings import meaning_of
from chorewright.rsa.handmethat.requests import question_sentence, questions
from tests.planner.plain_simulator import Facts, PlainSimulator
from tests.problems.handmethat.small_scenes import small_scene
from tests.replay.handmethat.tasks import made, scene, stored

IMPOSSIBLE = meaning_of("bring_me", {"type": "pop", "color": "red"}, None)
"""Pops have no color, so that nothing fulfils this."""

REFUSED, UNKNOWN = "You can't do that.", "I can't understand."


def after(simulator: PlainSimulator, action: GroundAction, state: Facts) -> Facts | None:
    """The state after an action, None if it cannot be carried out; read off the domain literally."""
    schema = next(each for each in simulator.domain.actions if each.name == action.name)
    pairs = list(zip(schema.parameters, action.arguments, strict=True))
    if not all(simulator.fits(name, parameter.types) for parameter, name in pairs):
        return None
    binding = {parameter.name: name for parameter, name in pairs}
    if not simulator.true(schema.precondition, state, binding):
        return None
    fired = list(simulator.fire(schema.effect, state, binding))
    return (state - {atom for adds, atom in fired if not adds}) | {atom for adds, atom in fired if adds}


@pytest.mark.parametrize("fully_observable", [True, False])
@pytest.mark.parametrize("seed", [0, 1])
def test_random_walks_are_what_the_domain_says(seed: int, fully_observable: bool) -> None:
    rng = np.random.default_rng(seed)
    start = replace(scene(seed), robot=SceneAgent("refrigerator_0" if seed else "table_0"))
    world = TextWorld(made(start, IMPOSSIBLE), fully_observable, GameRules(moves=1000))
    problem = problem_of(start, TRUE, ROBOT)
    simulator, state = PlainSimulator(handmethat_domain(), problem), set(problem.init)
    world.reset()
    done: set[str] = set()
    for _ in range(40):
        commands = world.admissible()
        kinds = sorted({each.split()[0] for each in commands})
        kind = kinds[int(rng.integers(len(kinds)))]  # so that not nearly all are moves
        fitting = [each for each in commands if each.startswith(kind)]
        command = fitting[int(rng.integers(len(fitting)))]
        turn = world.step(command)
        assert (turn.reward, turn.terminated, turn.truncated) == (-1, False, False), command
        action = turn.action
        assert isinstance(action, GroundAction)
        assert command_of(action) == command
        found = after(simulator, action, state)
        assert found is not None, (command, action)
        state = found
        assert set(world.atoms()) <= state
        assert world.scene == scene_at(start, frozenset(state))
        done.add(kind)
    assert {"move", "pick", "put", "open"} <= done


def every_action(simulator: PlainSimulator) -> list[GroundAction]:
    """All ground actions of the robot's, with arguments of the right types."""
    found = []
    for schema in simulator.domain.actions:
        agent, *others = schema.parameters
        for binding in simulator.bindings(others, {agent.name: ROBOT}):
            found.append(GroundAction(schema.name, tuple(binding[each.name] for each in schema.parameters)))
    return found


@pytest.mark.parametrize(("kinds", "seed"), [("rag broom sink bucket", 0), ("egg stove knife", 1)])
def test_admissible_commands_are_all_that_the_domain_allows(kinds: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    start = small_scene(kinds, rng, 2)
    world = TextWorld(made(start, IMPOSSIBLE))
    problem = problem_of(start, TRUE, ROBOT)
    simulator, state = PlainSimulator(handmethat_domain(), problem), set(problem.init)
    every = every_action(simulator)
    for _ in range(6):
        commands = world.admissible()
        assert set(commands) == {command_of(each) for each in every if after(simulator, each, state) is not None}
        action = world.step(commands[int(rng.integers(len(commands)))]).action
        assert isinstance(action, GroundAction)
        found = after(simulator, action, state)
        assert found is not None
        state = found


@pytest.mark.parametrize("fully_observable", [True, False])
def test_demonstrations_win(fully_observable: bool) -> None:
    for task in stored():
        world = TextWorld(task, fully_observable)
        world.reset()
        turns = [world.step(command) for command in task.demonstration]
        moves = len(task.demonstration)
        assert [turn.reward for turn in turns] == [-1.0] * (moves - 1) + [99.0]
        assert (world.won, world.lost, world.moves, world.score) == (True, False, moves, 100 - moves)
        assert turns[-1].terminated
        assert world.step("look").reward == 0.0


COSTS = [
    ("look", 0, 0),
    ("examine", 0, 0),
    ("inventory", 0, 0),
    ("help", 0, 0),
    ("move to sofa", -1, 1),
    ("move to floor", -1, 1),  # it is there, so it cannot
    ("pick up unicorn 0", -1, 1),
    ("", -1, 1),
    ("question: which type do you mean?", -10, 1),
    ("question: Do you want a dusty one?", -10, 1),
    ("question: can you say it clearly", -30, 1),
    ("question: are you well?", -1, 1),
]


@pytest.mark.parametrize(("command", "reward", "moves"), COSTS)
def test_costs(command: str, reward: float, moves: int) -> None:
    world = TextWorld(made(scene()))
    world.reset()
    assert world.step(command).reward == reward
    assert (world.moves, world.score) == (moves, reward)


def test_forty_moves_lose() -> None:
    world = TextWorld(made(scene(), IMPOSSIBLE))
    world.reset()
    turns = []
    for number in range(40):
        world.step("look")
        turns.append(world.step("move to sofa" if number % 2 == 0 else "move to floor"))
    assert [turn.truncated for turn in turns] == [False] * 39 + [True]
    assert (world.score, world.lost, world.admissible()) == (-40, True, ())


def test_stopping_loses() -> None:
    world = TextWorld(made(scene()))
    world.reset()
    turn = world.step("stop")
    assert (turn.reward, turn.terminated, world.lost) == (-1, True, True)


def with_states(start: HandMeThatScene, name: str, *states: str) -> HandMeThatScene:
    """A scene in which an object has other states."""
    entities = (replace(each, states=frozenset(states)) if each.name == name else each for each in start.entities)
    return replace(start, entities=tuple(entities))


def played(start: HandMeThatScene, *commands: str, fully_observable: bool = True) -> TextWorld:
    """A world after commands none of which is refused."""
    world = TextWorld(made(start, IMPOSSIBLE), fully_observable)
    world.reset()
    for command in commands:
        assert world.step(command).observation not in (REFUSED, UNKNOWN), command
    return world


def test_what_is_in_a_closed_place_is_seen_there_in_the_fully_observable_world() -> None:
    for fully_observable in (True, False):
        world = played(scene(), "move to refrigerator", fully_observable=fully_observable)
        assert ("fish 0" in world.step("look").observation) == fully_observable


def test_what_is_in_a_closed_container_is_not_given_away() -> None:
    world = played(scene(), "move to sofa", fully_observable=False)
    assert "open package 0" in world.admissible()
    assert not any("from package 0" in each for each in world.admissible())
    world.step("open package 0")
    assert "pick up necklace 0 from package 0" in world.admissible()


def test_an_empty_closed_container_can_be_opened() -> None:
    start = scene()
    empty = next(each for each in start.movables if each.name == "box_1")
    assert not start.contents.get(empty.name)
    assert "open box 1" in played(start).admissible()


@pytest.mark.parametrize(
    ("place", "commands", "gone"),
    [
        ("stove", ["pick up egg 0", "move to stove", "put egg 0 onto stove", "heat egg 0"], "heat egg 0"),
        ("sink", ["pick up rag 0", "move to sink", "put rag 0 into sink", "soak rag 0"], "soak rag 0"),
    ],
)
def test_heating_and_soaking_turn_the_appliance_off(place: str, commands: list[str], gone: str) -> None:
    start = with_states(with_states(scene(), f"{place}_0", "toggled"), "cabinet_0", "open")
    first = "move to table" if place == "stove" else "move to cabinet"
    world = played(start, first, *commands)
    assert f"toggled-off {place}" in world.step("look").observation.replace("stained ", "").replace("dusty ", "")
    assert gone not in world.admissible()
    assert f"toggle on {place}" in world.admissible()


def test_every_question_can_be_asked() -> None:
    every = list(questions())
    assert {each.state for each in every} >= {"dusty", "cooked", "frozen", "sliced", "toggled", "soaked", "open"}
    for question in every:
        world = TextWorld(made(scene(), IMPOSSIBLE))
        world.reset()
        turn = world.step(f"Question: {question_sentence(question)}")
        assert turn.observation not in (REFUSED, UNKNOWN), question
        assert turn.reward == (-30 if question.about == "all" else -10)
        assert (world.questions, world.scene) == (1, scene())


def test_toggled_on_is_said_of_what_is_on() -> None:
    world = played(scene(), "move to refrigerator")
    assert "You see the toggled-on" in world.step("look").observation.replace("closed ", "")
    world.step("toggle off refrigerator")
    assert "You see the toggled-off" in world.step("look").observation.replace("closed ", "")


def test_every_tool_of_a_kind_cleans() -> None:
    start = with_states(with_states(scene(), "cabinet_0", "open", "dusty"), "rag_1", "soaked")
    world = played(start, "move to cabinet", "pick up rag 1", "clean cabinet with rag 1")
    assert "dusty" not in world.scene.by_name["cabinet_0"].states


def test_only_what_lies_on_top_of_a_place_is_sliced() -> None:
    start = with_states(scene(), "dishwasher_0", "open")
    world = played(start, "move to dishwasher", "pick up knife 0", "move to table", "slice apple 0 with knife 0")
    assert "slice apple 1 with knife 0" in world.admissible()
    world.step("move to refrigerator")
    world.step("open refrigerator")
    assert not any(each.startswith("slice") for each in world.admissible())


def test_beginning_again_restores_everything() -> None:
    world = TextWorld(made(scene(), IMPOSSIBLE), fully_observable=False)
    first = world.reset()
    commands, atoms = world.admissible(), world.atoms()
    for command in ("move to sofa", "open package 0", "question: which type do you mean?", "stop"):
        world.step(command)
    assert world.atoms() != atoms
    assert world.reset() == first
    assert (world.admissible(), world.atoms(), world.score, world.moves) == (commands, atoms, 0.0, 0)


THINGS = r"(nothing|[^,.]+(, [^,.]+)*)"
LOOK = rf"You see the .+\.|(In|On) .+ you can see {THINGS}\."
"""Table 19's row of looking, after its first sentence."""


@pytest.mark.parametrize("fully_observable", [True, False])
def test_the_first_observation_is_as_in_table_19(fully_observable: bool) -> None:
    for task in stored():
        first, room, standing, seen, *rest = TextWorld(task, fully_observable).reset().split("\n")
        assert first == "Welcome to the world!"
        assert re.fullmatch(r"In the room there is an? [a-z]+(, an? [a-z]+){14}\.", room)
        assert standing == "Now you are standing on the floor."
        assert seen == "The human agent has taken a list of actions towards a goal, which includes:"
        watched, said, at, looked = (rest[: task.observed], *rest[task.observed :][:2], rest[task.observed + 2 :])
        assert all(re.fullmatch(r"Human [a-z]+ .*\.", line) for line in watched)
        assert said == f'Human stops and says, "{task.sentence}"'
        assert at == "You are at the floor."
        assert looked[-1] == "Now it is your turn to help human to achieve the goal!"
        held = ["Human is currently holding nothing."] if fully_observable else []
        assert looked[-1 - len(held) : -1] == held
        assert all(re.fullmatch(LOOK, line) for line in looked[: len(looked) - 1 - len(held)])


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("move robot_0 floor_0 table_0", "You move from the floor to the table."),
        ("move robot_0 floor_0 human_0", "You move from the floor to the human."),
        ("pick-up-at-loc robot_0 box_1 table_0", "You pick up the box 1 from the table."),
        ("pick-up-from-rec-at-loc robot_0 cube_0 box_1 sofa_0", "You pick up the cube 0 from the box 1 at the sofa."),
        ("put-inside-loc robot_0 cube_0 sink_0", "You put the cube 0 into the sink."),
        ("put-ontop-loc robot_0 cube_0 sofa_0", "You put the cube 0 onto the sofa."),
        ("put-inside-rec-at-loc robot_0 cube_0 box_1 sofa_0", "You put the cube 0 into the box 1 at the sofa."),
        ("take-from-human robot_0 cube_0 human_0", "You take the cube 0 from human."),
        ("bring-to-human robot_0 cube_0 human_0", "You give the cube 0 to human."),
        ("open-loc robot_0 cabinet_0", "You open the cabinet."),
        ("close-rec-at-loc robot_0 box_1 sofa_0", "You close the box 1."),
        ("toggle-on-obj-at-loc robot_0 printer_0 sofa_0", "You toggle the printer 0 on."),
        ("toggle-off-loc robot_0 sink_0", "You toggle the sink off."),
        ("heat-obj robot_0 egg_0 oven_0", "You heat the egg 0 up with the oven."),
        ("cool-obj robot_0 egg_0 refrigerator_0", "You cool the egg 0 down with the refrigerator."),
        ("soak-obj robot_0 rag_0 sink_0", "You make the rag 0 soaked with the sink."),
        ("slice-obj robot_0 egg_0 knife_0 sofa_0", "You slice up the egg 0 with the knife 0."),
        ("clean-loc robot_0 rag_0 oven_0", "You clean up the oven with the rag 0."),
    ],
)
def test_effects_are_told_as_in_table_19(action: str, said: str) -> None:
    name, *arguments = action.split()
    assert observation_of(GroundAction(name, tuple(arguments))) == said


def test_what_is_held_and_what_ends_are_told_as_in_table_19() -> None:
    world = played(scene(), "move to human")
    assert world.step("look").observation.startswith("You are in front of the human, who is currently holding nothing.")
    assert world.step("inventory").observation.startswith("You are holding nothing.\nRecall your task:\n")
    assert world.step("stop").observation == "You stop the game."


@pytest.mark.parametrize("command", ["move to the sofa", "Go to sofa", "  MOVE  to   Sofa ", "move to sofa"])
def test_commands_may_be_worded_otherwise(command: str) -> None:
    world = TextWorld(made(scene(), IMPOSSIBLE))
    world.reset()
    assert world.step(command).observation == "You move from the floor to the sofa."


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("pick up necklace 0", REFUSED),  # it is in a closed package elsewhere
        ("pick up pop 999", REFUSED),
        ("move to human_1", UNKNOWN),
        ("pick up", UNKNOWN),
        ("\x00\x1b[31m", UNKNOWN),
        ("move to " + "sofa " * 5000, UNKNOWN),
        ("(move robot_0 floor_0 sofa_0)", UNKNOWN),
    ],
)
def test_what_cannot_be_done_changes_nothing(command: str, answer: str) -> None:
    world = TextWorld(made(scene(), IMPOSSIBLE))
    world.reset()
    before = world.atoms()
    turn = world.step(command)
    assert (turn.observation, turn.reward, world.atoms()) == (answer, -1, before)
