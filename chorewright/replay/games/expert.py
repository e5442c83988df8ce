"""The expert of games of planning problems: our planner's plan from where the game is now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chorewright.domains.facts import VALUE, number_of
from chorewright.domains.pddl.syntax import FunctionValue, GroundAtom, Problem
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.replay.games.play import PddlPlay

EVALUATIONS = 50_000


class PddlExpert:
    """Tells the remaining actions of a plan; it plans again only where the player leaves the plan."""

    def __init__(self, play: PddlPlay, evaluations: int = EVALUATIONS) -> None:
        self._play, self._limits = play, Limits(evaluations=evaluations)
        self._plan: tuple[GroundAction, ...] | None = None
        self._known = False

    def follow(self, action: GroundAction | None) -> None:
        """Take note of what has been done."""
        if action is None:
            return
        if self._known and self._plan and self._plan[0] == action:
            self._plan = self._plan[1:]
        else:
            self._known = False

    def actions(self) -> tuple[GroundAction, ...] | None:
        """Return the actions that lead to the goal; None if the planner finds none within its limit."""
        if not self._known:
            game = self._play.game
            state = sorted(each for each in self._play.running.state() if each[0] not in game.derived)
            found = solve(game.domain, _from(game.problem, state), self._limits)
            self._plan, self._known = (found.actions if isinstance(found, Plan) else None), True
        return self._plan

    def command(self) -> str | None:
        """Return the command for the next action; None if there is none."""
        actions = self.actions()
        return self._play.commands.command(actions[0], self._play.running) if actions else None


def _from(problem: Problem, state: Sequence[GroundAtom]) -> Problem:
    """The problem with another start; functions that the state gives no values keep theirs."""
    said = {each[1:-1]: float(number_of(each[-1])) for each in state if each[0] == VALUE}
    kept = [each for each in problem.values if (each.function, *each.objects) not in said]
    new = [FunctionValue(fluent[0], fluent[1:], value) for fluent, value in said.items()]
    return replace(problem, init=tuple(each for each in state if each[0] != VALUE), values=(*kept, *new))
