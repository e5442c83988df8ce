"""A text game as it is played: commands in, observations, score and admissible commands out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chorewright.replay.alfred.game import Game, Names
from chorewright.replay.alfred.goals import GoalCheck
from chorewright.replay.alfred.observations import Observer
from chorewright.replay.alfred.reasons import reason
from chorewright.replay.alfred.state import EXAMINING, Action, Phrasebook, State


@dataclass(frozen=True, slots=True)
class Turn:
    """What a command led to.

    Attributes:
        observation: What is told.
        score: 1 if the goal holds, else 0.
        done: Whether the game is over.
        action: What the command meant, or None if nothing happened.
        reason: Why nothing happened; empty if something did.
    """

    observation: str
    score: int
    done: bool
    action: Action | None
    reason: str = ""


class TextGame:
    """Plays one game; ``reset`` begins it anew.

    Any text may be given as a command: what is not admissible is answered by "Nothing happens." After the goal
    is reached, the game goes on as ALFWorld's does.

    Attributes:
        state: Where everything is now.
        won: Whether the goal holds.
        moves: How many commands did something, looking around among them.
        last: What the last command meant, or None if nothing happened.
    """

    def __init__(self, game: Game, reasons: bool = False, names: Names | None = None) -> None:
        """Take a game.

        Args:
            game: The game.
            reasons: Whether observations of refused commands say why.
            names: What things are called, if not as usual.
        """
        self.game = game
        self.names = names or game.names
        self.goal = GoalCheck(game)
        self.phrasebook = Phrasebook(game, self.names)
        self._observer = Observer(game, self.names)
        self._reasons = reasons
        self.reset()

    @classmethod
    def renamed(cls, game: Game, rng: np.random.Generator, reasons: bool = False) -> TextGame:
        """Return a game whose things are numbered at random."""
        return cls(game, reasons, Names.of(game, rng))

    def reset(self) -> str:
        """Begin anew and return what is told at the start."""
        self.state = State(self.game)
        self.won = self.goal.holds(self.state)
        self.moves = 0
        self.last: Action | None = None
        self._commands: dict[str, Action] | None = None
        self._sorted: tuple[str, ...] | None = None
        return self._observer.intro(self.state)

    @property
    def commands(self) -> dict[str, Action]:
        """What can be done now, by command."""
        if self._commands is None:
            book = self.phrasebook
            found = book.going[self.state.at] | book.free
            command = book.command
            for action in self.state.actions():
                found.setdefault(command(action), action)
            self._commands = found
        return self._commands

    def admissible(self) -> tuple[str, ...]:
        """Return the admissible commands, sorted."""
        if self._sorted is None:
            self._sorted = tuple(sorted(self.commands))
        return self._sorted

    def step(self, command: str) -> Turn:
        """Do what a command says; a text that is no admissible command changes nothing."""
        command = str(command).strip()
        action = self.last = self.commands.get(command)
        if action is None:
            return self._refused(command)
        self.moves += 1
        if action.verb not in EXAMINING:
            self.state.apply(action)
            self._commands = self._sorted = None
            self.won = self.goal.holds(self.state)
        return Turn(self._observer.told(self.state, action), int(self.won), self.won, action)

    def _refused(self, command: str) -> Turn:
        why = reason(self, command)
        said = self.game.forms.sentences["nothing-happens"]
        return Turn(f"{said} {why}" if self._reasons else said, int(self.won), self.won, None, why)

    @property
    def by_name(self) -> Mapping[str, tuple[bool, int]]:
        """Receptacles (True) and things (False) with their numbers, by name."""
        return self._by_name

    @cached_property
    def _by_name(self) -> dict[str, tuple[bool, int]]:
        found = {name: (False, number) for number, name in enumerate(self.names.things)}
        return found | {name: (True, number) for number, name in enumerate(self.names.receptacles)}
