"""The text world: one task played in commands and observations, with the paper's costs (section 3.4, A.4).

Its state is that of the PDDL domain, and what can be done is what the domain allows. In the partially
observable world the robot sees what is at its place; commands for things it has not seen are not offered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from chorewright.domains.formulas import Facts, holds
from chorewright.domains.handmethat.object_space import object_space
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import Formula, GroundAtom, Or, State
from chorewright.errors import InputError
from chorewright.planner.grounding.applicable import applicable
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import World
from chorewright.problems.handmethat.scene import HUMAN, ROBOT, Agent, Entity, Scene
from chorewright.problems.handmethat.states import RELATIONS, problem_of
from chorewright.replay.handmethat.commands import actions_of, command_of, observation_of
from chorewright.replay.handmethat.story import objective, story
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.views import inventory, look, seen_at
from chorewright.replay.handmethat.words import Lexicon, folded, words
from chorewright.rsa.handmethat.clarification import Question, answer, parse_question
from chorewright.rsa.handmethat.meanings import Context, Grounding, Quest
from chorewright.rsa.handmethat.subgoals import formula_of


@dataclass(frozen=True, slots=True)
class Rules:
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


PAPER = Rules()


@dataclass(frozen=True, slots=True)
class Turn:
    """What a command led to.

    Attributes:
        observation: What the robot is told.
        reward: Success less cost.
        terminated: Whether the request is fulfilled or the robot has stopped.
        truncated: Whether the limit is reached.
    """

    observation: str
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False


class TextWorld:
    """One task; ``reset`` begins, ``step`` goes on. The same commands give the same turns.

    Attributes:
        task: The task.
        fully_observable: Whether all objects are seen at all times.
        rules: Costs and limits.
        scene: The present scene.
        moves, commands, questions: How many commands cost something, were given in all, were questions.
        score: The sum of the rewards.
        won, lost: How the episode ended, if it has.
        refused: How many commands the domain refused, nobody understood, or came after the end.
        history: The robot's actions.
    """

    def __init__(self, task: HandMeThatTask, fully_observable: bool = True, rules: Rules = PAPER) -> None:
        self.task = task
        self.fully_observable = fully_observable
        self.rules = rules
        self._goal = goal_of(task.context, task.meaning.quest, task.groundings)
        self._world = World.of(handmethat_domain(), problem_of(task.scene, self._goal, ROBOT))
        self._lexicon = Lexicon(task.scene)
        self._start()

    def _start(self) -> None:
        self.scene = self.task.scene
        self.moves = self.commands = self.questions = self.refused = 0
        self.score = 0.0
        self.won = self.lost = False
        self.history: list[GroundAction] = []
        self._facts = Facts(self._world.initial())
        self._seen = {name for step in self.task.prefix for name in step.arguments}
        self._look_around()

    @property
    def over(self) -> bool:
        return self.won or self.lost

    def reset(self) -> Turn:
        """Begin, or begin again from the start."""
        self._start()
        return Turn("\n".join([story(self.task), look(self.scene, self.fully_observable), words().say("turn")]))

    def step(self, command: str) -> Turn:
        """Do what a command says. What cannot be done or understood costs a move and changes nothing."""
        if self.over:
            self.refused += 1
            return Turn(words().say("over"), terminated=True)
        self.commands += 1
        text = folded(command)
        free = words().free.get(text)
        if free is not None:
            return self._free(free)
        if text.startswith(words().question):
            return self._ask(command.partition(":")[2])
        actions = actions_of(text, ROBOT, self.scene.robot.at, self._lexicon, self._world.universe)
        if actions is None:
            self.refused += 1
            return self._spend(words().say("unknown"))
        for action in actions:
            if self._world.refusal(action, self._facts) is None:
                return self._run(action)
        self.refused += 1
        return self._spend(words().say("refused"))

    def applicable(self) -> tuple[GroundAction, ...]:
        """Return the robot's actions that the domain allows now, of things that it has seen."""
        found = applicable(self._world.domain, self._world.universe, self._facts)
        if self.fully_observable:
            return found
        return tuple(each for each in found if self._seen.issuperset(each.arguments))

    def admissible(self) -> tuple[str, ...]:
        """Return the commands for these actions; looking, questions and stopping are always possible."""
        if self.over:
            return ()
        return tuple(dict.fromkeys(command_of(action) for action in self.applicable()))

    def fulfilled(self) -> tuple[Grounding, ...]:
        """Return the grounded subgoals of the meaning that hold now."""
        quest = self.task.meaning.quest
        return tuple(
            each
            for each in self.task.groundings
            if holds(formula_of(self.task.context, quest, each), self._facts, self._world.universe)
        )

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
                return self._spend("\n".join([holds, known.say("recall"), objective(self.task)]), cost=0)
            case "help":
                return self._spend("\n".join(known.help), cost=0)
            case _:
                self.lost = True
                return self._spend(known.say("stopped"), terminated=True)

    def _ask(self, text: str) -> Turn:
        """Answer a question (Table 23); the wording of the answer follows from how many were asked before."""
        try:
            question = parse_question(text)
        except InputError:
            self.refused += 1
            return self._spend(words().say("unknown"))
        rng = np.random.Generator(np.random.PCG64(self.questions))
        said = answer(question, self.task.meaning, self.task.context, rng)
        self.questions += 1
        return self._spend(said, self.rules.cost(question))

    def _run(self, action: GroundAction) -> Turn:
        deleted, added = self._world.effects(action, self._facts)
        self._facts.change(deleted - added, added)
        self.history.append(action)
        self.scene = _changed(self.scene, self._facts, deleted | added)
        self._look_around()
        said = [observation_of(action)]
        if not self.fully_observable:
            said.append(look(self.scene, False))
        self.won = holds(self._goal, self._facts, self._world.universe)
        if self.won:
            said.append(words().say("goal"))
        return self._spend("\n".join(said), terminated=self.won)

    def _spend(self, observation: str, cost: float | None = None, terminated: bool = False) -> Turn:
        """Count a command and end the episode where its limit is reached."""
        cost = self.rules.step if cost is None else cost
        self.moves += cost > 0
        reward = (self.rules.success if self.won else 0.0) - cost
        self.score += reward
        spent = self.moves >= self.rules.moves or self.commands >= self.rules.commands
        truncated = spent and not terminated
        if truncated:
            self.lost = True
            observation = f"{observation}\n{words().say('limit')}"
        return Turn(observation, reward, terminated, truncated)

    def _look_around(self) -> None:
        robot = self.scene.robot
        for place in (robot.at, ROBOT):
            self._seen.update(each.name for each in seen_at(self.scene, place, self.fully_observable))
        self._seen.update((HUMAN, ROBOT, *(f"{place}_0" for place in object_space().locations)))


def goal_of(context: Context, quest: Quest, groundings: Iterable[Grounding]) -> Formula:
    """Return the condition that one of some grounded subgoals is fulfilled."""
    return Or(tuple(formula_of(context, quest, each) for each in groundings))


def _changed(scene: Scene, facts: Facts, atoms: set[GroundAtom]) -> Scene:
    """Return the scene after atoms of its objects and agents have changed."""
    touched = {name for atom in atoms for name in atom[1:]}
    entities = tuple(_entity(each, facts) if each.name in touched else each for each in scene.entities)
    return Scene(entities, _agent(HUMAN, scene.human, facts), _agent(ROBOT, scene.robot, facts))


def _entity(entity: Entity, facts: Facts) -> Entity:
    where = [atom for relation in RELATIONS for atom in facts.with_argument(relation, 1, entity.name)]
    states = frozenset(state for state in object_space().states if (state, entity.name) in facts.atoms)
    relation, container = (where[0][0], where[0][2]) if where else ("", "")
    return replace(entity, relation=relation, container=container, states=states)


def _agent(name: str, before: Agent, facts: Facts) -> Agent:
    at = [atom[2] for atom in facts.with_argument("at", 1, name)]
    held = [atom[2] for atom in facts.with_argument("holding", 1, name)]
    return Agent(at[0] if at else before.at, held[0] if held else "")
