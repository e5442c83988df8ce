"""A planning problem as a text game: its domain's actions as commands, its atoms as sentences, our planner's plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from chorewright.domains.evaluation import holds
from chorewright.domains.facts import VALUE, number_of
from chorewright.domains.pddl.subformulas import conjuncts
from chorewright.domains.pddl.syntax import FunctionValue, GroundAtom, Problem, State
from chorewright.files.english import capital
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.replay.games.engine import GameExpert, Play, Turn
from chorewright.replay.games.game import PddlGame, fold
from chorewright.replay.games.running import RunningProblem

FREE = ("look", "look around", "goal", "help", "examine THING")
"""Commands that change nothing."""

MOST_TOLD = 120
"""Of more atoms that never change, only this many are told at the start."""

MOST_KEPT = 50_000
"""Observations that are kept to be told again."""


EVALUATIONS = 50_000
"""States that the expert's planner evaluates at most."""


class PddlPlay(Play[PddlGame, int]):
    """Plays a planning problem; moves are operators, by their numbers.

    Attributes:
        running: What holds and what can be done.
        commands: The commands.
    """

    def __init__(self, game: PddlGame) -> None:
        super().__init__(game)
        self.running = RunningProblem(game.table)
        self.commands = game.commands
        self._told: dict[tuple[int, tuple[GroundAtom, ...], tuple[GroundAtom, ...]], str] = {}
        self._costs: dict[int, float] = {}
        self.won = self.running.solved

    def expert(self, evaluations: int = EVALUATIONS) -> GameExpert[GroundAction]:
        """Return an expert who plans from wherever the game is.

        Args:
            evaluations: States that the planner evaluates at most.
        """
        return GameExpert(partial(self._plan, Limits(evaluations=evaluations)), self.command)

    def command(self, action: GroundAction) -> str:
        """Return the command for an action that can be done now."""
        return self.commands.command(action, self.running)

    def _plan(self, limits: Limits) -> tuple[GroundAction, ...] | None:
        state = sorted(each for each in self.running.state() if each[0] not in self.game.derived)
        answer = solve(self.game.domain, _starting_in(self.game.problem, state), limits)
        return answer.actions if isinstance(answer, Plan) else None

    def restart(self) -> None:
        """Begin anew, and tell nothing."""
        self.running.reset()
        self._offered, self.won = None, self.running.solved

    def jump(self, state: State) -> None:
        """Go on from another state; its derived atoms are made anew."""
        self.running.jump(self.game.table.world.closed(state))
        self._offered, self.won = None, self.running.solved

    def _start(self) -> str:
        self.restart()
        fixed = [each for each in self._atoms() if each[0] not in self.game.changing]
        fixed += self.game.constants
        parts = [self.game.speaker.state(fixed[:MOST_TOLD])]
        if len(fixed) > MOST_TOLD:
            parts.append(f"There are {len(fixed) - MOST_TOLD} more such facts; 'examine THING' tells those of a thing.")
        return "\n".join(each for each in (*parts, self.look(), self.goal()) if each)

    def look(self) -> str:
        """Return the state, as far as it can change."""
        return self.game.speaker.state([each for each in self._atoms() if each[0] in self.game.changing])

    def goal(self) -> str:
        """Return the goal."""
        return self.game.speaker.goal(self.game.problem.goal)

    def applicable(self) -> tuple[GroundAction, ...]:
        """Return the actions that can be done now, in the order of ``admissible``."""
        operators = self.game.table.operators
        return tuple([operators[each] for each in self.running.runnable()])

    def act(self, action: GroundAction) -> Turn:
        """Do an action; one that cannot be done changes nothing."""
        number = self.game.table.numbers.get(action)
        if number is None or not self.running.can_run(number):
            if action not in self.applicable():
                return self._refuse((action,))
            number = self.game.table.number(action)
        return self._do(number)

    def conditions(self) -> tuple[int, int]:
        """Return how many conjuncts of the goal hold, and how many there are."""
        parts = conjuncts(self.game.problem.goal)
        facts, universe = self.running.facts(), self.game.table.world.universe
        return sum(holds(each, facts, universe) for each in parts), len(parts)

    def _offer(self) -> tuple[str, ...]:
        return self.commands.offers(self.running)

    def _read(self, command: str) -> int | None:
        return self.commands.meant(command, self.running)

    def _do(self, move: int) -> Turn:
        added, removed = self.running.run(move)
        self.moves += 1
        self._offered = None
        key = (move, added, removed)
        told = self._told.get(key)
        if told is None:
            if len(self._told) >= MOST_KEPT:
                self._told.clear()
            told = self._told[key] = self._tell(*key)
        action = self.game.table.operators[move]
        cost = self._costs.get(move)
        if cost is None:
            cost = self._costs[move] = self.game.table.world.cost(action) or 0.0
        before, won = self.won, self.running.solved
        self.won = won
        if not won:
            return Turn(told, False, action, 0.0, "", cost)
        return Turn(f"{told} The goal is reached.", True, action, float(not before), "", cost)

    def _tell(self, operator: int, added: tuple[GroundAtom, ...], removed: tuple[GroundAtom, ...]) -> str:
        tells, speaker = self.game.tells, self.game.speaker
        changed = speaker.change([each for each in added if tells(each)], [each for each in removed if tells(each)])
        return f"You {self.commands.text(operator)}. {changed}".rstrip()

    def _answer(self, command: str) -> Turn:
        command = str(command)
        words = fold(command)
        if words in ("look", "look around"):
            return Turn(self.look(), self.won)
        if words == "goal":
            return Turn(self.goal(), self.won)
        if words == "help":
            return Turn(f"Commands: {', '.join(FREE)}; and what can be done: {'; '.join(self.admissible())}.", self.won)
        if words.startswith("examine "):
            return self._examine(words.removeprefix("examine "))
        return self._refuse(self.commands.conceivable(command))

    def _examine(self, words: str) -> Turn:
        speaker = self.game.speaker
        plain = words.removeprefix("the ")
        for name in self.game.table.world.universe.objects:
            if plain in (name, fold(speaker.name(name)).removeprefix("the ")):
                told = speaker.state([each for each in (*self._atoms(), *self.game.constants) if name in each[1:]])
                return Turn(told or "There is nothing to be said of it.", self.won)
        self.refused += 1
        return Turn("There is no such thing.", self.won, reason="There is no such thing.")

    def _refuse(self, actions: tuple[GroundAction, ...]) -> Turn:
        """Say why nothing was done."""
        self.refused += 1
        if not actions:
            reason = "That is not understood, or it cannot be done now."
        else:
            world, action = self.game.table.world, actions[0]
            found = world.refusal(action, self.running.facts())
            unmet, message = (found[1], found[2]) if found is not None else ((), "")
            reason = self.game.speaker.failure(action, unmet) if unmet else capital(message)
        return Turn(f"Nothing happens. {reason}", self.won, reason=reason)

    def _atoms(self) -> list[GroundAtom]:
        """The atoms that players are told of, sorted."""
        return sorted(each for each in self.running.state() if self.game.tells(each))


def _starting_in(problem: Problem, state: Sequence[GroundAtom]) -> Problem:
    """The problem with another start; functions that the state gives no values keep theirs."""
    given = {each[1:-1]: float(number_of(each[-1])) for each in state if each[0] == VALUE}
    kept = [each for each in problem.values if (each.function, *each.objects) not in given]
    new = [FunctionValue(fluent[0], fluent[1:], value) for fluent, value in given.items()]
    return replace(problem, init=tuple(each for each in state if each[0] != VALUE), values=(*kept, *new))
