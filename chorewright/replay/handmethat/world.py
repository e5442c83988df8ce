"""The text world: one task played in commands and observations, with the paper's costs (section 3.4, A.4).

Its state is that of the PDDL domain, and what can be done is what the domain allows. In the partially
observable world the robot sees what is at its place; commands for things it has not seen are not offered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from chorewright.domains.formulas import Facts, holds
from chorewright.domains.handmethat.object_space import object_space
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import TRUE, GroundAtom, State
from chorewright.errors import InputError
from chorewright.files.processes import Timed
from chorewright.planner.plan import GroundAction
from chorewright.planner.progression import applicable
from chorewright.planner.validation import PlanWorld
from chorewright.problems.handmethat.scene import HUMAN, ROBOT, HandMeThatScene, SceneAgent, SceneEntity
from chorewright.problems.handmethat.states import RELATIONS, problem_of
from chorewright.replay.games.engine import GameExpert, Play, Turn
from chorewright.replay.handmethat.expert import goal_of, plan_for
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.words import (
    TextLexicon,
    actions_of,
    command_of,
    fold,
    inventory,
    look,
    objective,
    observation_of,
    story,
    visible_at,
    words,
)
from chorewright.rsa.handmethat.meanings import context_of
from chorewright.rsa.handmethat.requests import Question, answer, parse_question


@dataclass(frozen=True, slots=True)
class GameRules:
    """What commands cost, what success is worth, and when an episode ends unfinished.

    Attributes:
        step: The cost of a command that is not free, understood or not.
        question: The cost of a question about one specifier.
        clear_question: The cost of asking for the whole description.
        success: The reward for doing what was meant.
        moves: After so many commands that are not free the episode is lost.
        commands: Likewise after so many commands of all kinds.
    """

    step: float = 1.0
    question: float = 10.0
    clear_question: float = 30.0
    success: float = 100.0
    moves: int = 40
    commands: int = 400

    def cost(self, question: Question) -> float:
        """Return what a question costs."""
        return self.clear_question if question.about == "all" else self.question


PAPER = GameRules()


class TextStage:
    """What is the same for all tasks in one scene, worked out once.

    Attributes:
        scene: The scene.
        context: The things that requests may be about.
        world: What the robot's actions are run in.
        initial: What holds at the start.
        lexicon: What things are called.
    """

    def __init__(self, scene: HandMeThatScene) -> None:
        self.scene, self.context, self.lexicon = scene, context_of(scene), TextLexicon(scene)
        self.world = PlanWorld.of(handmethat_domain(), problem_of(scene, TRUE, ROBOT))
        self.initial = self.world.initial()

    @cached_property
    def view(self) -> str:
        """What one sees who sees everything."""
        return look(self.scene, True)

    @cached_property
    def applicable(self) -> tuple[GroundAction, ...]:
        """The actions that the domain allows."""
        return applicable(self.world.domain, self.world.universe, Facts(self.initial))


class TextWorld(Play[HandMeThatTask, GroundAction]):
    """One task. The same commands give the same turns; what cannot be done or understood costs a move.

    Attributes:
        fully_observable: Whether all objects are seen at all times.
        rules: Costs and limits.
        stage: The scene at the start, made ready; tasks in one scene may share it.
        scene: The present scene.
        commands, questions: How many commands were given in all, and were questions.
        score: The sum of the rewards.
        lost: Whether the episode ended without success.
    """

    def __init__(
        self,
        task: HandMeThatTask,
        fully_observable: bool = True,
        rules: GameRules = PAPER,
        stage: TextStage | None = None,
    ) -> None:
        super().__init__(task)
        self.stage = stage or TextStage(task.scene)
        self.fully_observable = fully_observable
        self.rules = rules
        context = self.stage.context
        self._goal = goal_of(context, task.meaning.quest, context.groundings(task.meaning))
        self._begin()

    @property
    def over(self) -> bool:
        return self.won or self.lost

    def _begin(self) -> None:
        self.scene = self.stage.scene
        self.commands = self.questions = 0
        self.score = 0.0
        self.won = self.lost = False
        self._facts = Facts(self.stage.initial)
        self._seen = {name for step in self.game.prefix for name in step.arguments}
        self._look_around()

    def _start(self) -> str:
        self._begin()
        seen = self.stage.view if self.fully_observable else look(self.scene, False)
        return "\n".join([story(self.game), seen, words().say("turn")])

    def expert(self) -> GameExpert[GroundAction]:
        game = self.game
        return GameExpert(lambda: plan_for(game.groundings, game.meaning.quest, self.scene), command_of)

    def _read(self, command: str) -> GroundAction | None:
        text = fold(command)
        if self.over or text in words().free or text.startswith(words().question):
            return None
        actions = self._actions(text) or ()
        return next((each for each in actions if self.stage.world.refusal(each, self._facts) is None), None)

    def _actions(self, text: str) -> tuple[GroundAction, ...] | None:
        """Return the actions that a text may mean; None if it is not understood."""
        return actions_of(text, ROBOT, self.scene.robot.at, self.stage.lexicon, self.stage.world.universe)

    def _answer(self, command: str) -> Turn:
        """Look, ask or stop; or refuse what cannot be done or understood."""
        if self.over:
            self.refused += 1
            return Turn(words().say("over"), True)
        self.commands += 1
        text = fold(command)
        free = words().free.get(text)
        if free is not None:
            return self._free(free)
        if text.startswith(words().question):
            return self._ask(command.partition(":")[2])
        self.refused += 1
        return self._spend(words().say("unknown" if self._actions(text) is None else "refused"))

    def admissible(self) -> tuple[str, ...]:
        return () if self.over else super().admissible()

    def _offer(self) -> tuple[str, ...]:
        """Return the commands for what can be done now; looking, questions and stopping are always possible."""
        return tuple(dict.fromkeys(command_of(action) for action in self.applicable()))

    def applicable(self) -> tuple[GroundAction, ...]:
        """Return the robot's actions that the domain allows now, of things that it has seen."""
        world, begins = self.stage.world, self.scene is self.stage.scene
        actions = self.stage.applicable if begins else applicable(world.domain, world.universe, self._facts)
        if self.fully_observable:
            return actions
        return tuple(each for each in actions if self._seen.issuperset(each.arguments))

    def state(self) -> State:
        """Return all that holds."""
        return frozenset(self._facts.atoms)

    def atoms(self) -> tuple[GroundAtom, ...]:
        """Return what holds of what can change, sorted."""
        changing = {*RELATIONS, *object_space().states, "at", "holding", "hand-empty"}
        return tuple(sorted(atom for atom in self._facts.atoms if atom[0] in changing))

    def _free(self, name: str) -> Turn:
        known = words()
        match name:
            case "look":
                return self._spend(look(self.scene, self.fully_observable), cost=0)
            case "inventory":
                holds = inventory(self.scene, self.fully_observable)
                return self._spend("\n".join([holds, known.say("recall"), objective(self.game)]), cost=0)
            case "help":
                return self._spend("\n".join(known.help), cost=0)
            case _:
                self.lost = True
                return self._spend(known.say("stopped"))

    def _ask(self, text: str) -> Turn:
        """Answer a question (Table 23); the wording of the answer follows from how many were asked before."""
        try:
            question = parse_question(text)
        except InputError:
            self.refused += 1
            return self._spend(words().say("unknown"))
        rng = np.random.Generator(np.random.PCG64(self.questions))
        said = answer(question, self.game.meaning, self.stage.context, rng)
        self.questions += 1
        return self._spend(said, cost=self.rules.cost(question))

    def _do(self, move: GroundAction) -> Turn:
        self.commands += 1
        deleted, added = self.stage.world.effects(move, self._facts)
        self._facts.change(deleted - added, added)
        self.scene = _scene_after(self.scene, self._facts, deleted | added)
        self._look_around()
        said = [observation_of(move)]
        if not self.fully_observable:
            said.append(look(self.scene, False))
        self.won = holds(self._goal, self._facts, self.stage.world.universe)
        if self.won:
            said.append(words().say("goal"))
        self._offered = None
        return self._spend("\n".join(said), move)

    def _spend(self, observation: str, action: GroundAction | None = None, cost: float | None = None) -> Turn:
        """Count a command and end the episode where its limit is reached."""
        cost = self.rules.step if cost is None else cost
        self.moves += cost > 0
        reward = (self.rules.success if self.won else 0.0) - cost
        self.score += reward
        terminated = self.over
        if terminated or (self.moves < self.rules.moves and self.commands < self.rules.commands):
            return Turn(observation, terminated, action, reward, cost=cost)
        self.lost = True
        said = f"{observation}\n{words().say('limit')}"
        return Turn(said, False, action, reward, cost=cost, truncated=True)

    def _look_around(self) -> None:
        robot = self.scene.robot
        for place in (robot.at, ROBOT):
            self._seen.update(each.name for each in visible_at(self.scene, place, self.fully_observable))
        self._seen.update((HUMAN, ROBOT, *(f"{place}_0" for place in object_space().locations)))


def _scene_after(scene: HandMeThatScene, facts: Facts, atoms: Iterable[GroundAtom]) -> HandMeThatScene:
    """Return the scene after atoms of its objects and agents have changed."""
    touched = {name for atom in atoms for name in atom[1:]}
    entities = tuple(_entity(each, facts) if each.name in touched else each for each in scene.entities)
    return HandMeThatScene(entities, _agent(HUMAN, scene.human, facts), _agent(ROBOT, scene.robot, facts))


def _entity(entity: SceneEntity, facts: Facts) -> SceneEntity:
    where = [atom for relation in RELATIONS for atom in facts.with_argument(relation, 1, entity.name)]
    states = frozenset(state for state in object_space().states if (state, entity.name) in facts.atoms)
    relation, container = (where[0][0], where[0][2]) if where else ("", "")
    return replace(entity, relation=relation, container=container, states=states)


def _agent(name: str, before: SceneAgent, facts: Facts) -> SceneAgent:
    at = [atom[2] for atom in facts.with_argument("at", 1, name)]
    held = [atom[2] for atom in facts.with_argument("holding", 1, name)]
    return SceneAgent(at[0] if at else before.at, held[0] if held else "")


# Demonstrations.


@Timed("replay")
def demonstrate(task: HandMeThatTask) -> tuple[GroundAction, ...] | str:
    """Return a plan that fulfils a request, replayed in the text world; otherwise why this fails."""
    quest = task.meaning.quest
    actions = plan_for(task.groundings, quest, task.scene)
    if actions is None:
        return "no plan fulfils the request"
    world = TextWorld(task)
    world.reset()
    for action in actions:
        world.step(command_of(action))
    if not world.won:
        return "the plan does not fulfil the request in the text world"
    return actions
