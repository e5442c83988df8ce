"""One attempt pipeline: ``check-task`` tries what ``generate`` makes, and tells an author what fails and where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chorewright.errors import LimitError, UnsupportedError, UsageError
from chorewright.generator.dataset.config import Assignment
from chorewright.generator.dataset.options import configure
from chorewright.generator.production.attempts import DEFECT, TaskTrial, TrialReport, rejection_of
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.trying import attempts_of

NAME = "alfred/pick_clean_then_place_in_recep"


def written(folder: Path, goal: str, rooms: str = "") -> str:
    """The file of a template of one slot over what can be sliced."""
    said = '(:documentation "Try it.") (:slots ?object in sliceable)'
    path = folder / "tried.task"
    path.write_text(f"(define (task tried) (:domain household) {said} {rooms} {goal})", "utf-8")
    return str(path)


def tried(task: str, count: int, seed: int = 0, attempts: int = 1) -> TrialReport:
    return attempts_of(task, count, seed, {}, attempts=attempts).run()


def test_a_shipped_task_is_solved_wherever_the_agent_sees_what_it_needs() -> None:
    seen: list[TaskTrial] = []
    report = attempts_of(NAME, 4, 1, {}, attempts=1).run(seen.append)
    assert report.attempts == len(seen) == 4
    assert sum(report.failed.values()) == 4 - report.solved == report.failed["sight"]
    assert all(reason.startswith("sight: ") for reason, _ in report.reasons)
    assert len({trial.scene for trial in seen}) == 4
    assert report.asked.suited > 30
    for trial in report.trials:
        assert trial.reason or (trial.steps > trial.actions > 0 and trial.sentence)
    assert report == tried(NAME, 4, 1, attempts=1)
    assert report != tried(NAME, 4, 2, attempts=1)


def test_attempts_that_follow_rejected_ones_are_counted_stage_by_stage() -> None:
    once, often = tried(NAME, 6, 4, attempts=1), tried(NAME, 6, 4, attempts=4)
    assert once.solved < often.solved
    assert often.attempts == often.solved + sum(often.failed.values()) > 6
    for one, several in zip(once.trials, often.trials, strict=True):
        assert several.rejected[:1] == one.rejected
        assert several.attempts <= 4
        assert one == several or not one.accepted


def test_what_cannot_be_done_is_counted_with_its_stage_and_reason(tmp_path: Path) -> None:
    report = tried(written(tmp_path, "(:goal (exists (?o - ?object) (not (holding ?o))))"), 3)
    assert report.solved == 0
    assert report.reasons == (("start: the goal holds already", 3),)
    assert report.failed["start"] == 3


def test_what_breaks_off_is_a_rejection_unless_the_next_try_may_do_better() -> None:
    errors = (UnsupportedError("no such thing"), LimitError("too large"), ValueError("at 0x7f01"))
    found = [rejection_of(error) for error in errors]
    assert [each.reason for each in found] == ["no such thing", "too large", "ValueError: at 0x"]
    assert [each.stage for each in found] == ["attempt", "attempt", DEFECT]
    for passing in (UsageError("no such file"), OSError("full"), MemoryError(), ImportError("no torch")):
        with pytest.raises(type(passing)):
            rejection_of(passing)


def test_no_more_rooms_than_suit_are_tried(tmp_path: Path) -> None:
    task = written(tmp_path, "(:goal (exists (?o - ?object) (holding ?o)))")
    trials = attempts_of(task, 10_000, 0, {})
    assert len(trials.asked.assignments) == trials.asked.suited


def test_a_task_for_no_room_is_an_error(tmp_path: Path) -> None:
    nowhere = written(tmp_path, "(:goal (exists (?o - ?object) (holding ?o)))", "(:rooms bathroom)")
    with pytest.raises(UsageError, match="no room has what tried needs"):
        attempts_of(nowhere, 3, 0, {})


def agreed(benchmark: str, options: dict[str, object], episodes: int, seed: int) -> int:
    """How many attempts of ``generate`` a trial of the very same task and scene accepts or rejects alike."""
    made: Any = BENCHMARKS.find(benchmark)
    config = configure(made, benchmark, episodes, options, seed=seed)
    found = 0
    for assignment in made.assign(config, episodes):
        episode = made.episode(assignment.index, config, assignment)
        alone = Assignment(assignment.index, assignment.task, assignment.parameters, assignment.scene, "")
        trial = made.trial(config, alone, 1000)
        assert (trial.accepted, trial.seed, trial.attempts) == (
            episode.outcome.accepted,
            episode.seed,
            episode.attempts,
        )
        pairs = zip(episode.rejections, trial.rejected, strict=True)
        assert all(text.endswith(f": {reason}") or text == str(reason) for text, reason in pairs)
        found += trial.attempts
    return found


@pytest.mark.parametrize(("benchmark", "episodes"), [("alfred", 6), ("teach", 4), ("handmethat", 2)])
def test_check_task_and_generate_agree(benchmark: str, episodes: int) -> None:
    assert agreed(benchmark, {}, episodes, 7) >= episodes


@pytest.mark.slow
def test_check_task_and_generate_agree_on_two_hundred_triples() -> None:
    counts = [agreed("alfred", {}, 90, 11), agreed("teach", {}, 70, 12), agreed("handmethat", {}, 40, 13)]
    assert sum(counts) >= 200


def test_no_state_of_the_table_is_tried_twice() -> None:
    every = attempts_of("calvin/turn_on_led", 300, 0, {}).asked.assignments
    states = [dict(each.parameters)["initial_state"] for each in every]
    assert len(states) == len(set(states)) == 96  # those in which it is off
