"""The expert beside a player: its plan from where the game is now, made anew only where the player leaves it."""

from __future__ import annotations

from chorewright.replay.alfred.expert import plan
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.state import EXAMINING, Action


class Expert:
    """Tells the remaining commands of a shortest way to the goal.

    ``follow`` is told each action of the player; looking around does not change the plan.
    """

    def __init__(self, play: TextGame) -> None:
        self._play = play
        self._plan: tuple[Action, ...] | None = None
        self._known = False

    def follow(self, action: Action | None) -> None:
        """Take note of what has been done."""
        if action is None or action.verb in EXAMINING:
            return
        if self._known and self._plan is not None and self._plan[:1] == (action,):
            self._plan = self._plan[1:]
        else:
            self._known = False

    def actions(self) -> tuple[Action, ...] | None:
        """Return the actions that lead to the goal; None if none do."""
        if not self._known:
            self._plan, self._known = plan(self._play.goal, self._play.state), True
        return self._plan

    def commands(self) -> list[str] | None:
        """Return the commands that lead to the goal; None if none do."""
        found, book = self.actions(), self._play.phrasebook
        return None if found is None else [book.command(action) for action in found]
