"""Games as tasks: commands that lead to a goal, given one a turn or all at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from chorewright.generator.rewards.answers import MARK, UnclearAnswer, answer_in, bare, reads_answer, turns_of
from chorewright.generator.rewards.drawing import opening, random_numbers, say_commands
from chorewright.generator.rewards.plans import DrawnKind, mark_answer, parse_told
from chorewright.generator.rewards.task import PARTIAL, Facts, RewardTask, Score, TaskKind, refusal
from chorewright.replay.games.engine import Play
from chorewright.replay.games.game import game_of
from chorewright.replay.games.play import PddlPlay

MOST_COMMANDS = 500
"""Commands of an answer; what comes after them is not done."""

LONGEST = 500
"""Letters of a command that are looked at."""


@dataclass(frozen=True)
class GameKind(TaskKind):
    """Tasks that are games; each can be played turn by turn, too."""

    @abstractmethod
    def open(self, facts: Facts) -> Play[Any, Any]:
        """Return the game of a task with these facts; ``reset`` begins it and returns what is told."""

    @abstractmethod
    def judge(self, facts: Facts, play: Play[Any, Any], commands: int) -> Score:
        """Return what a game earns as it stands after so many commands."""

    @reads_answer
    def score(self, facts: Facts, completion: object) -> Score:
        rollout = Rollout(self, facts, MOST_COMMANDS)
        for command in commands_in(completion):
            rollout.say(command)
        return rollout.score()

    def game_task(
        self, source: str, split: str, play: Play[Any, Any], commands: Sequence[str], facts: Facts, **more: float
    ) -> RewardTask:
        """Return the task to play a game, with the commands that win it; facts have ``seed`` and ``index``."""
        numbers = facts["seed"], facts["index"]
        told, branching = play.reset(), len(play.admissible())
        prompt = opening(self.name, "commands", random_numbers(self.name, "prompt", *numbers))
        prompt += [play.step("help").observation.strip(), told]
        difficulty = {"cost": len(commands), "steps": len(commands), "branching": branching, **more}
        name = "/".join(map(str, (self.name, source, split, *numbers)))
        gold = mark_answer("\n".join(commands))
        return RewardTask(self.name, name, "\n\n".join(prompt), gold, difficulty, facts, split)


class Rollout:
    """A task as it is answered: at once, or turn by turn if it is a game.

    Attributes:
        done: Whether nothing more is to be said.
        commands: How many commands were given.

    Args:
        kind: Its kind.
        facts: What its judge knows.
        most: Commands after which a game is over.
    """

    def __init__(self, kind: TaskKind, facts: Facts, most: int = 50) -> None:
        self._kind, self._facts, self._most = kind, facts, most
        self.commands, self.done = 0, False
        self._play = kind.open(facts) if isinstance(kind, GameKind) else None
        self._score = refusal("Nothing was answered.")
        self._vain: str | None = None
        if self._play is not None:
            self._play.reset()
            self.done = self._play.over

    def say(self, text: str) -> str:
        """Answer, or give a command; return what is told then."""
        if self.done:
            return "It is over."
        self.commands += 1
        if self._play is None or not isinstance(self._kind, GameKind):
            self._score = self._kind.score(self._facts, text)
            self.done = True
            return self._score.why
        command, refused = command_in(text), self._play.refused
        turn = self._play.step(command)
        if self._vain is None and self._play.refused > refused:
            self._vain = command
        self.done = self._play.over or self.commands >= self._most
        return turn.observation

    def offers(self) -> list[str]:
        """Return what can be commanded now; of a task that is no game nothing."""
        return [] if self._play is None else list(self._play.admissible())

    def score(self) -> Score:
        """Return what is earned as it stands."""
        if self._play is None or not isinstance(self._kind, GameKind):
            return self._score
        found = self._kind.judge(self._facts, self._play, self.commands)
        if self._play.won or self._vain is None:
            return found
        return replace(found, why=f"{found.why} Nothing came of the command {self._vain!r}.")


def commands_in(completion: object) -> Iterator[str]:
    """Yield the commands of an answer.

    Of several turns each has one: its last line, or all lines that are marked as its answer. Of one turn all lines are
    commands.

    Raises:
        UnclearAnswer: There are none.
    """
    turns = turns_of(completion)
    if not any(turns):
        raise UnclearAnswer("there is no answer")
    if len(turns) == 1:
        yield from _lines(turns[0])
        return
    for turn in turns:
        yield command_in(turn)


def command_in(turn: str) -> str:
    """Return the command of a turn: its last line, or that of its answer; empty if there is none."""
    try:
        lines = _lines(turn)
    except UnclearAnswer:
        return ""
    return lines[-1] if lines else ""


def _lines(turn: str) -> list[str]:
    text, _ = answer_in(turn)
    return list(filter(None, map(_command, text.splitlines())))


def _command(line: str) -> str:
    """Return a line's command: in lower case, without marks of lists, prompts and emphasis and a full stop."""
    said = MARK.sub("", bare(line).strip().removeprefix(">").lstrip()).removeprefix("action:")
    return said[:LONGEST].strip().removesuffix(".").rstrip()


def score_of_goal(best: int, commands: int, won: bool, met: int, of: int, before: int) -> Score:
    """Return what a game earns.

    One that is won earns 1 for as few commands as the best known way has, at least a half; another one the share of
    the goal's parts that it has brought about, of those that did not hold before.
    """
    parts = {"won": float(won), "commands": commands}
    if won:
        return Score(max(0.5, best / max(best, commands)) if best else 1.0, parts, "The goal is reached.")
    share = max(0.0, (met - before) / (of - before)) if of > before else 0.0
    why = f"The goal is not reached: {met} of its {of} parts hold, {before} held at the start."
    return Score(PARTIAL * share, {**parts, "goal": share}, why)


@dataclass(frozen=True, kw_only=True)
class DomainGameKind(GameKind, DrawnKind):
    """Play a problem of any domain as a text game."""

    name: ClassVar[str] = "domain-game"
    evaluations: ClassVar[int] = 1_000

    def task(self, seed: int, index: int) -> RewardTask:
        solved = self.draws.draw_twice(self.name, seed, index)
        rng = random_numbers(self.name, "prompt", seed, index)
        facts: dict[str, Any] = {"domain": solved.source.text, "problem": solved.text, "words": solved.source.words}
        play = PddlPlay(game_of(solved.domain, solved.problem, solved.wordings))
        told = play.reset()
        known = say_commands(solved.domain, solved.wordings, play.admissible()[0])
        before, _ = play.conditions()
        commands = []
        for action in solved.plan.actions:
            commands.append(play.command(action))
            play.running.run(play.game.table.number(action))
        facts |= {"steps": len(commands), "before": before}
        parts = [*opening(self.name, "commands", rng), known, told]
        return self._task(solved, f"{seed}/{index}", parts, "\n".join(commands), facts)

    def open(self, facts: Facts) -> PddlPlay:
        return PddlPlay(game_of(*parse_told(facts["domain"], facts["problem"], facts["words"])))

    def judge(self, facts: Facts, play: Play[Any, Any], commands: int) -> Score:
        assert isinstance(play, PddlPlay)
        return score_of_goal(facts["steps"], commands, play.won, *play.conditions(), facts["before"])
