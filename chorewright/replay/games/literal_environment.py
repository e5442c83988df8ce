"""The calls of PDDLGym, for programs that are written for it: literals as actions and observations.

``PDDLEnv(domain_file, problem_dir)`` plays the problems of a folder; operators are actions. ``reset`` returns
``(state, info)``, ``step`` takes a literal and returns ``(state, reward, done, truncated, info)``, and
``env.action_space.sample(state)`` returns a literal that can be run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from chorewright.domains.pddl.syntax import Formula, GroundAtom
from chorewright.errors import UsageError
from chorewright.files.english import say_count
from chorewright.planner.plan import GroundAction
from chorewright.replay.games.game import ProblemGames
from chorewright.replay.games.play import PddlPlay


class InvalidAction(UsageError):
    """An action that cannot be run in the state."""


class LiteralEntity(NamedTuple):
    """An object and its type; written ``a:block``."""

    name: str
    var_type: str

    def __str__(self) -> str:
        return f"{self.name}:{self.var_type}"


class Predicate(NamedTuple):
    """The name of a predicate or an action, and how many arguments it has; calling it makes a literal."""

    name: str
    arity: int

    def __call__(self, *variables: LiteralEntity) -> ActionLiteral:
        if len(variables) != self.arity:
            raise UsageError(f"{self.name} takes {say_count(self.arity, 'object')}, not {len(variables)}")
        return ActionLiteral(self, variables)

    def __str__(self) -> str:
        return self.name


class ActionLiteral(NamedTuple):
    """A ground atom, or an action; written ``on(a:block,b:block)``."""

    predicate: Predicate
    variables: tuple[LiteralEntity, ...]

    def __str__(self) -> str:
        return f"{self.predicate}({','.join(map(str, self.variables))})"


@dataclass(frozen=True, slots=True)
class LiteralState:
    """A state: the true literals, the objects and the goal."""

    literals: frozenset[ActionLiteral]
    objects: frozenset[LiteralEntity]
    goal: Formula


class LiteralActions:
    """The actions; those that can be run in the present state are the valid ones."""

    def __init__(self, env: PDDLEnv, seed: int) -> None:
        self._env = env
        self.seed(seed)

    @property
    def predicates(self) -> list[Predicate]:
        """The actions' names and arities, sorted."""
        return sorted(Predicate(each.name, len(each.parameters)) for each in self._env.domain.actions)

    def seed(self, seed: int | None = None) -> None:
        """Begin the random numbers of ``sample`` anew."""
        self._rng = np.random.default_rng(seed)

    def sample(self, state: LiteralState) -> ActionLiteral:
        """Return an action that can be run in a state, each equally likely.

        Raises:
            UsageError: There is none.
        """
        found = self._valid(state)
        if not found:
            raise UsageError("no action can be run in this state")
        return self._env.literal_of_action(found[int(self._rng.integers(len(found)))])

    def all_ground_literals(self, state: LiteralState, valid_only: bool = True) -> set[ActionLiteral]:
        """Return the actions that can be run in a state; with ``valid_only`` false, all that were ever met."""
        self._valid(state)
        if valid_only:
            return {self._env.literal_of_action(each) for each in self._env.play.applicable()}
        return {self._env.literal_of_action(each) for each in self._env.play.game.table.operators}

    def _valid(self, state: LiteralState) -> tuple[GroundAction, ...]:
        if state is not self._env.get_state():
            self._env.set_state(state)
        return self._env.play.applicable()


class PDDLEnv:
    """The problems of a folder, by PDDLGym's calls.

    Args:
        domain_file: The domain.
        problem_dir: A folder of problems, in the order of their names.
        seed: Of the choice of problems and of sampled actions.
        raise_error_on_invalid_action: Whether an action that cannot be run is an error; by default it changes nothing.
        operators_as_actions: Only True is supported: actions are the domain's.
        dynamic_action_space: Accepted; the action space always knows what can be run.
    """

    def __init__(
        self,
        domain_file: str | Path,
        problem_dir: str | Path,
        seed: int = 0,
        raise_error_on_invalid_action: bool = False,
        operators_as_actions: bool = True,
        dynamic_action_space: bool = True,
    ) -> None:
        if not operators_as_actions:
            raise UsageError("actions are the domain's", hint="leave operators_as_actions as it is")
        self._games = ProblemGames(domain_file, problem_dir)
        self.domain = self._games.domain
        self.problems = self._games.paths
        self._domain_file, self._raising = str(domain_file), raise_error_on_invalid_action
        self._fixed: int | None = None
        self._play: PddlPlay | None = None
        self._rng = np.random.default_rng(seed)
        self.action_space = LiteralActions(self, seed)
        self.action_predicates = self.action_space.predicates

    @property
    def play(self) -> PddlPlay:
        """The running game.

        Raises:
            UsageError: The environment has not been reset.
        """
        if self._play is None:
            raise UsageError("the environment has not been reset yet", hint="call reset first")
        return self._play

    def seed(self, seed: int) -> None:
        """Begin the random choice of problems anew."""
        self._rng = np.random.default_rng(seed)

    def fix_problem_index(self, problem_idx: int) -> None:
        """Let every reset begin this problem."""
        if not 0 <= problem_idx < len(self.problems):
            raise UsageError(f"there is no problem {problem_idx}", hint=f"there are {len(self.problems)}, from 0")
        self._fixed = problem_idx

    def reset(self, seed: int | None = None, options: object = None) -> tuple[LiteralState, dict[str, str]]:
        """Begin a problem."""
        if seed is not None:
            self.seed(seed)
        index = int(self._rng.integers(len(self.problems))) if self._fixed is None else self._fixed
        game = self._games[index]
        if self._play is None or self._play.game is not game:
            self._play = PddlPlay(game)
            declared = (*self.domain.constants, *game.problem.objects)
            self._entities = {each.name: LiteralEntity(each.name, each.types[0]) for each in declared}
            self._objects = frozenset(self._entities.values())
            self._literals: dict[GroundAtom, ActionLiteral] = {}
        self._play.restart()
        self._info = {"problem_file": game.name, "domain_file": self._domain_file}
        self._state = self._observe()
        return self._state, self._info

    def step(self, action: ActionLiteral) -> tuple[LiteralState, float, bool, bool, dict[str, str]]:
        """Run an action; one that cannot be run changes nothing, or raises if that was asked for.

        Raises:
            InvalidAction: It cannot be run.
        """
        turn = self.play.act(self.action_of(action))
        if turn.action is None:
            if self._raising:
                raise InvalidAction(f"{action} cannot be run: {turn.reason}")
        else:
            self._state = self._observe()
        return self._state, float(turn.terminated), turn.terminated, False, self._info

    def get_state(self) -> LiteralState:
        """Return the present state."""
        return self._state

    def set_state(self, state: LiteralState) -> None:
        """Go on from another state of the same problem."""
        self.play.jump(frozenset(_atom(each) for each in state.literals))
        self._state = state

    def action_of(self, literal: ActionLiteral) -> GroundAction:
        """Return the action that a literal means."""
        name, *arguments = _atom(literal)
        return GroundAction(name, tuple(arguments))

    def literal_of_action(self, action: GroundAction) -> ActionLiteral:
        """Return an action as a literal."""
        return self._literal((action.name, *action.arguments))

    def _observe(self) -> LiteralState:
        literals = frozenset(map(self._literal, self.play.running.state()))
        return LiteralState(literals, self._objects, self.play.game.problem.goal)

    def _literal(self, atom: GroundAtom) -> ActionLiteral:
        found = self._literals.get(atom)
        if found is None:
            arguments = tuple(self._entities[each] for each in atom[1:])
            found = self._literals[atom] = ActionLiteral(Predicate(atom[0], len(arguments)), arguments)
        return found


def _atom(literal: ActionLiteral) -> GroundAtom:
    return (literal.predicate.name, *(each.name for each in literal.variables))
