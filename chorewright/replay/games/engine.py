"""The engine of all text games: commands in; observations, rewards and admissible commands out.

A family gives a ``Play``: how a game begins, what may be commanded, what a command means and does, and what is said.
Environments, batches, the terminal and conversations are views of a ``GameSession``: a play with the expert beside it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from chorewright.errors import UsageError

GameT = TypeVar("GameT")
MoveT = TypeVar("MoveT")
ActionT = TypeVar("ActionT")
PlayT = TypeVar("PlayT", bound="Play[Any, Any]")


class Turn(NamedTuple):
    """What a command led to.

    Attributes:
        observation: What is told.
        terminated: Whether the game is won or lost.
        action: What was done; None if the command changed nothing.
        reward: What the command earned.
        reason: Why it was refused; empty if it was not, or if the family gives no reasons.
        cost: What the action cost, where actions have costs.
        truncated: Whether the limit of commands is reached.
    """

    observation: str
    terminated: bool = False
    action: object = None
    reward: float = 0.0
    reason: str = ""
    cost: float = 0.0
    truncated: bool = False


class Play(ABC, Generic[GameT, MoveT]):
    """Plays one game; ``reset`` begins it anew. Any text may be given as a command.

    Attributes:
        game: The game.
        won: Whether the goal is reached.
        moves: How many commands count as moves.
        refused: How many commands were refused or not understood.
    """

    def __init__(self, game: GameT) -> None:
        self.game = game
        self.won = False
        self.moves = self.refused = 0
        self._offered: tuple[str, ...] | None = None

    @property
    def over(self) -> bool:
        """Whether the game is won or lost."""
        return self.won

    def reset(self) -> str:
        """Begin anew and return what is told at the start."""
        self.moves = self.refused = 0
        self._offered = None
        return self._start()

    def admissible(self) -> tuple[str, ...]:
        """Return a command for each action that can be done now."""
        if self._offered is None:
            self._offered = self._offer()
        return self._offered

    def step(self, command: str) -> Turn:
        """Do what a command says; a text that means nothing that can be done now changes nothing."""
        move = self._read(command)
        return self._answer(command) if move is None else self._do(move)

    @abstractmethod
    def expert(self) -> GameExpert[Any]:
        """Return an expert who tells the way to the goal from wherever the game is."""

    @abstractmethod
    def _start(self) -> str:
        """Set the game up and return what is told."""

    @abstractmethod
    def _offer(self) -> tuple[str, ...]:
        """Return the admissible commands."""

    @abstractmethod
    def _read(self, command: str) -> MoveT | None:
        """Return what a command means, if it can be done now."""

    @abstractmethod
    def _do(self, move: MoveT) -> Turn:
        """Do what a command means."""

    @abstractmethod
    def _answer(self, command: str) -> Turn:
        """Answer any other text."""


class GameExpert(Generic[ActionT]):
    """Tells the remaining actions of a plan; it plans again only where the player leaves the plan.

    Args:
        plan: Returns the actions that lead from where the game is to its goal; None if there is no way, or none is
            found.
        word: Returns the command for an action that can be done now.
    """

    def __init__(self, plan: Callable[[], tuple[ActionT, ...] | None], word: Callable[[ActionT], str]) -> None:
        self._find, self._word = plan, word
        self._plan: tuple[ActionT, ...] | None = None
        self._known = False

    def follow(self, action: object) -> None:
        """Take note of what has been done; None if nothing was."""
        if action is None:
            return
        if self._known and self._plan and self._plan[0] == action:
            self._plan = self._plan[1:]
        else:
            self._known = False

    def actions(self) -> tuple[ActionT, ...] | None:
        """Return the actions that lead to the goal; None if none are known."""
        if not self._known:
            self._plan, self._known = self._find(), True
        return self._plan

    def commands(self) -> list[str] | None:
        """Return the commands that lead to the goal; None if none are known."""
        actions = self.actions()
        return None if actions is None else [self._word(action) for action in actions]

    def command(self) -> str | None:
        """Return the command for the next action; None if there is none."""
        actions = self.actions()
        return self._word(actions[0]) if actions else None


class GameSession(Generic[PlayT]):
    """A play with the expert beside it, and a limit of commands.

    Attributes:
        play: The play.
        expert: The expert, who follows the play.
        turn: What the last command led to; at first what is told at the start.
        reward: What it earned.
        score, cost: The sums of the rewards and of the costs.

    Args:
        play: The play; it is reset.
        max_steps: Commands after which the session is truncated; None for no limit.
        do: What does the commands, if not the play alone.
        costs: Whether what actions cost is taken off the rewards.
    """

    def __init__(
        self, play: PlayT, max_steps: int | None = None, do: Callable[[str], Turn] | None = None, costs: bool = False
    ) -> None:
        self.play, self.expert = play, play.expert()
        if max_steps is not None and max_steps < 1:
            raise UsageError(f"max_steps must be at least 1, not {max_steps}", hint="None is for no limit")
        self._do, self._left, self._costs = do or play.step, max_steps, costs
        self.reward = self.score = self.cost = 0.0
        self.turn = Turn(play.reset())

    @property
    def over(self) -> bool:
        """Whether nothing more is to be done: the last command ended the game, or reached the limit."""
        return self.turn.terminated or self.turn.truncated

    def step(self, command: str) -> Turn:
        """Do what a command says."""
        self.turn = turn = self._do(command)
        if turn.action is not None:
            self.expert.follow(turn.action)
        reward, cost = turn.reward, turn.cost
        self.reward = reward = reward - cost if self._costs else reward
        self.score += reward
        self.cost += cost
        if self._left is not None:
            self._left -= 1
            if self._left <= 0 and not turn.terminated:
                self.turn = turn = turn._replace(truncated=True)
        return turn
