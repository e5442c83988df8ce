"""Trials of a toy: their log, what breaks it, processes and tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from chorewright import __version__
from chorewright.errors import ChorewrightError, InputError, StorageError, UsageError
from chorewright.generator.dataset.options import option
from chorewright.generator.measuring.evaluation import Episodes, Evaluation, Sheet, Summary, play
from chorewright.generator.measuring.trial import Trial, agent_option
from tests.command import chorewright

PLAYED: list[int] = []
"""The episodes that this process has played."""


@dataclass(frozen=True, slots=True)
class ToyTrial(Trial):
    """A trial of the toy."""

    agent: str = agent_option()
    seed: int = option(0, low=0)
    words: tuple[str, ...] = option((), "Words; may be repeated.")


@dataclass(frozen=True, slots=True)
class Inner:
    """A part of a score."""

    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ToyScore:
    """How an episode of the toy went."""

    name: str
    won: bool
    share: float
    inner: Inner


class ToyEvaluation(Evaluation[ToyTrial, ToyScore]):
    """Measure a toy."""

    options = ToyTrial

    def open(self, trial: ToyTrial) -> Episodes[ToyScore]:
        """Return five episodes."""

        def one(index: int) -> ToyScore:
            PLAYED.append(index)
            return ToyScore(f"<{index}>", index % 2 == 0, index / 4, Inner((trial.seed, index)))

        return Episodes(ToyScore, 5, lambda: "toy", one, chunk=2, notes=("one is left out",))

    def summary(self, trial: ToyTrial, scores: Sequence[ToyScore], columns: int) -> Summary:
        """Return the scores as they are."""
        rows = [(each.name, str(each.share)) for each in scores]
        sheet = Sheet(("episode", "share"), [*rows, None, ("all", "1")], "toys", framed=bool(trial.seed))
        return Summary({"scores": [asdict(each) for each in scores]}, (sheet, "that is all"))


def toy(**options: Any) -> tuple[ToyScore, ...]:
    PLAYED.clear()
    return play(ToyEvaluation(), ToyTrial(**{"agent": "toy", "workers": 0, **options}))


def test_a_trial_goes_on_where_its_log_ends(tmp_path: Path) -> None:
    log = tmp_path / "log"
    whole = toy()
    assert toy(log=str(log), episodes=2) == whole[:2]
    with log.open("a") as file:
        file.write('{"name": "<2>", "wo')  # what a broken run leaves
    assert toy(log=str(log)) == whole
    assert PLAYED == [2, 3, 4]
    assert toy(log=str(log), episodes=3) == whole[:3]
    assert PLAYED == []
    header, *rows = map(json.loads, log.read_text().splitlines())
    assert (header["episodes"], header["agent"], header["seed"], header["words"]) == ("toy", "toy", 0, [])
    assert [row["name"] for row in rows] == [each.name for each in whole]
    assert toy(log=str(log), seed=1, resume=False, episodes=1)[0].inner.parts == (1, 0)
    assert len(log.read_text().splitlines()) == 2


def test_the_number_of_processes_changes_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert toy(workers=2, log=str(log)) == toy()
    assert len(log.read_text().splitlines()) == 6


def _row(**changes: object) -> Callable[[list[str]], list[str]]:
    return lambda lines: [lines[0], json.dumps({**json.loads(lines[1]), **changes}), *lines[2:]]


BROKEN: dict[str, tuple[Callable[[list[str]], list[str]], type[ChorewrightError], str]] = {
    "no JSON": (lambda lines: [lines[0], "{"], InputError, "log:2:2: this is not JSON"),
    "a list": (lambda lines: [lines[0], "[1]"], InputError, "log:2: a JSON object"),
    "no header": (lambda lines: lines[1:], InputError, "log:1: not the log"),
    "other version": (lambda lines: [lines[0].replace(__version__, "9.0", 1), *lines[1:]], UsageError, "version 9."),
    "other options": (lambda lines: [lines[0].replace('"toy"', '"my"'), *lines[1:]], UsageError, "episodes 'my', not"),
    "another type": (_row(won=1), InputError, "log:2: not the score"),
    "another part": (_row(inner={"parts": ["a"]}), InputError, "log:2: not the score"),
    "no part": (_row(inner={}), InputError, "log:2: not the score"),
    "more": (_row(more=1), InputError, "log:2: not the score"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_log_of_something_else_is_refused(name: str, tmp_path: Path) -> None:
    spoil, kind, said = BROKEN[name]
    log = tmp_path / "log"
    toy(log=str(log))
    text = "\n".join(spoil(log.read_text().splitlines())) + "\n"
    log.write_text(text)
    with pytest.raises(kind) as error:
        toy(log=str(log))
    assert said in f"{error.value}"
    assert log.read_text() == text


def test_a_log_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no folder"):
        toy(log=str(tmp_path / "nowhere" / "log"))
    with pytest.raises(StorageError, match="cannot be written"):
        toy(log=str(tmp_path))


@pytest.mark.parametrize("wrong", [{"episodes": 0}, {"workers": -1}, {"seed": -1}], ids=str)
def test_numbers_that_cannot_be_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="must be at least"):
        toy(**wrong)


def test_the_verb_takes_an_evaluation_of_the_users() -> None:
    words = ("evaluate", f"{__name__}:ToyEvaluation", "--agent", "toy", "--workers", 0, "--words", "a", "-n", 2)
    done = chorewright(*words, "--json")
    assert [each["name"] for each in json.loads(done.stdout)["scores"]] == ["<0>", "<1>"]
    assert "one is left out" in done.stderr
    lines = [line.split() for line in chorewright(*words).stdout.splitlines()]
    assert ["<1>", "0.25"] in lines
    assert lines[-1] == ["that", "is", "all"]
    assert chorewright(*words[:2]).returncode == 2  # no agent
