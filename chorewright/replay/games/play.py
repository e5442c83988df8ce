"""A text game of a planning problem as it is played: commands in, observations and admissible commands out."""

from __future__ import annotations

from dataclasses import dataclass

from chorewright.domains.evaluation import holds
from chorewright.domains.pddl.syntax import GroundAtom
from chorewright.domains.rewriting import conjuncts
from chorewright.files.english import capital
from chorewright.planner.plan import GroundAction
from chorewright.replay.games.commands import folded
from chorewright.replay.games.game import PddlGame
from chorewright.replay.games.running import RunningProblem

FREE = ("look", "look around", "goal", "help", "examine THING")
"""Commands that change nothing."""

MOST_TOLD = 120
"""Of more atoms that never change, only this many are told at the start."""

MOST_KEPT = 50_000
"""Observations that are kept to be told again."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a command led to.

    Attributes:
        observation: What is told.
        won: Whether the goal holds.
        action: What was done; None if nothing was.
        cost: What the action cost; 0 if nothing was done.
        reason: Why nothing was done; empty if something was, or if the command only asks.
    """

    observation: str
    won: bool
    action: GroundAction | None = None
    cost: float = 0.0
    reason: str = ""


class PddlPlay:
    """Plays one game; ``reset`` begins it anew. Any text may be given as a command.

    Attributes:
        game: The game.
        running: What holds and what can be done.
        moves: How many actions were done.
        refused: How many commands were refused or not understood.
    """

    def __init__(self, game: PddlGame) -> None:
        self.game = game
        self.running = RunningProblem(game.table)
        self.commands = game.commands
        self._told: dict[tuple[int, tuple[GroundAtom, ...], tuple[GroundAtom, ...]], str] = {}
        self._costs: dict[int, float] = {}
        self._offered: tuple[str, ...] | None = None
        self.moves = self.refused = 0

    @property
    def won(self) -> bool:
        """Whether the goal holds."""
        return self.running.solved

    def reset(self) -> str:
        """Begin anew and return what is told at the start."""
        self.running.reset()
        self.moves = self.refused = 0
        self._offered = None
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

    def admissible(self) -> tuple[str, ...]:
        """Return a command for each action that can be done now."""
        if self._offered is None:
            self._offered = self.commands.offered(self.running)
        return self._offered

    def applicable(self) -> tuple[GroundAction, ...]:
        """Return the actions that can be done now, in the order of ``admissible``."""
        operators = self.game.table.operators
        return tuple([operators[each] for each in self.running.runnable()])

    def step(self, command: str) -> Turn:
        """Do what a command says; a text that is no admissible command changes nothing."""
        operator = self.commands.meant(command, self.running)
        return self._other(str(command)) if operator is None else self._run(operator)

    def act(self, action: GroundAction) -> Turn:
        """Do an action; one that cannot be done changes nothing."""
        number = self.game.table.known(action)
        if number is None or not self.running.can_run(number):
            if action not in self.applicable():
                return self._refuse((action,))
            number = self.game.table.number(action)
        return self._run(number)

    def conditions(self) -> tuple[int, int]:
        """Return how many conjuncts of the goal hold, and how many there are."""
        parts = conjuncts(self.game.problem.goal)
        facts, universe = self.running.facts(), self.game.table.world.universe
        return sum(holds(each, facts, universe) for each in parts), len(parts)

    def _run(self, operator: int) -> Turn:
        change = self.running.run(operator)
        self.moves += 1
        self._offered = None
        key = (operator, change.added, change.removed)
        told = self._told.get(key)
        if told is None:
            if len(self._told) >= MOST_KEPT:
                self._told.clear()
            told = self._told[key] = self._tell(*key)
        action = self.game.table.operators[operator]
        cost = self._costs.get(operator)
        if cost is None:
            cost = self._costs[operator] = self.game.table.world.cost(action) or 0.0
        won = self.running.solved
        return Turn(f"{told} The goal is reached." if won else told, won, action, cost)

    def _tell(self, operator: int, added: tuple[GroundAtom, ...], removed: tuple[GroundAtom, ...]) -> str:
        tells, speaker = self.game.tells, self.game.speaker
        changed = speaker.change([each for each in added if tells(each)], [each for each in removed if tells(each)])
        return f"You {self.commands.text(operator)}. {changed}".rstrip()

    def _other(self, command: str) -> Turn:
        """Answer a command that is no action that can be done now."""
        words = folded(command)
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
            if plain in (name, folded(speaker.name(name)).removeprefix("the ")):
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
