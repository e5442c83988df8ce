"""Indices that hang, die or take all memory: left out after three tries, all others made, and the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chorewright.errors import ChorewrightError, UsageError
from chorewright.files.pool import Worker
from chorewright.generator.dataset.config import Assignment, GenerateConfig
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.dataset_folder import DatasetFolder, read_measures
from chorewright.generator.production.agenda import Agenda, Assignments, IndexWord, Job
from chorewright.generator.production.line import Silent, run
from chorewright.generator.production.losses import DIED, HUNG, Loss, Losses
from chorewright.generator.production.verify import verify
from chorewright.generator.showing.pages import dataset_page
from tests.command import chorewright, digests
from tests.generator.production.test_production import Recorder
from tests.generator.toy import NAME, toy_config

BAD = 4
LARGE, SMALL = (130, 20), (6, 4)
"""Episodes and shard size: parts of three episodes each, or of one."""


def lost(folder: Path) -> list[tuple[int, str]]:
    return [(each.index, each.reason) for each in verify(folder).manifest.lost]


@pytest.mark.parametrize(("sizes", "workers"), [(LARGE, 2), (SMALL, 1)])
@pytest.mark.parametrize(("how", "reason"), [("hang", HUNG), ("exhaust", DIED)])
def test_a_bad_index_is_left_out_and_the_others_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, int], workers: int, how: str, reason: str
) -> None:
    if how == "hang":  # time passes for the one that hangs only, so that nothing depends on the machine's speed
        monkeypatch.setattr(Worker, "left", lambda worker, patience: patience * (worker.told[-1:] != [IndexWord(BAD)]))
    watch = Recorder()
    report = run(toy_config(*sizes, **{how: BAD}), tmp_path / "d", workers=workers, watch=watch)
    assert report.manifest is not None
    assert lost(tmp_path / "d") == [(BAD, reason)]
    assert (report.accepted, watch.done) == (sizes[0] - 1, sizes[0])
    assert (report.measures.lost_workers, report.measures.retries) == (3, 2)
    assert not verify(tmp_path / "d", remake=sizes[0]).problems, "a lost index is not made again"


class Interrupted(Recorder):
    """Interrupts its run when it is told something for the n-th time."""

    def __init__(self, moment: str, number: int) -> None:
        super().__init__()
        self.moment, self.left = moment, number

    def _count(self, moment: str) -> None:
        self.left -= moment == self.moment
        if self.left == 0:
            raise KeyboardInterrupt

    def episode(self, accepted: bool) -> None:
        super().episode(accepted)
        self._count("episode" if accepted else "rejected")

    def note(self, message: str) -> None:
        super().note(message)
        self._count("note")


def test_bytes_do_not_depend_on_interruptions_or_workers(tmp_path: Path) -> None:
    config = toy_config(*LARGE, always_kill=BAD)
    run(config, tmp_path / "whole", workers=2)
    for moment in (("note", 1), ("note", 3), ("rejected", 1)):
        folder = tmp_path / f"{moment[0]}{moment[1]}"
        with pytest.raises(KeyboardInterrupt):
            run(config, folder, workers=1, watch=Interrupted(*moment))
        watch = Recorder()
        run(config, folder, workers=1, watch=watch)
        assert digests(folder) == digests(tmp_path / "whole")
        assert bool(watch.notes) == (moment[0] == "note"), "a verdict that was reached is kept"
    assert len(list((tmp_path / "whole").glob("report.json"))) == 1


@pytest.mark.parametrize("sizes", [LARGE, SMALL])
def test_lost_indices_are_tried_again_if_asked(tmp_path: Path, sizes: tuple[int, int]) -> None:
    config = toy_config(*sizes, always_kill=BAD, mended=str(tmp_path / "mended"), reject=5)
    run(config, tmp_path / "d", workers=1)
    before = digests(tmp_path / "d")
    run(config, tmp_path / "d", workers=1, retry_lost=True)
    assert digests(tmp_path / "d") == before, "it is lost again"
    (tmp_path / "mended").touch()
    run(config, tmp_path / "d", workers=0)
    assert digests(tmp_path / "d") == before, "nobody has asked"
    watch = Recorder()
    run(config, tmp_path / "d", workers=0, retry_lost=True, watch=watch)
    assert watch.done == config.part_size, "its part only is made again"
    run(config, tmp_path / "whole", workers=0)
    assert digests(tmp_path / "d") == digests(tmp_path / "whole")


def test_an_unfinished_run_tries_again_too(tmp_path: Path) -> None:
    config = toy_config(*LARGE, always_kill=BAD, mended=str(tmp_path / "mended"))
    with pytest.raises(KeyboardInterrupt):
        run(config, tmp_path / "d", workers=1, watch=Interrupted("episode", 40))
    (tmp_path / "mended").touch()
    run(config, tmp_path / "d", workers=0, retry_lost=True)
    run(config, tmp_path / "whole", workers=0)
    assert digests(tmp_path / "d") == digests(tmp_path / "whole")


def test_a_run_may_stop_instead(tmp_path: Path) -> None:
    with pytest.raises(ChorewrightError, match=r"episode 4 lost its worker 3 times, .*signal 9 \(SIGKILL\)") as caught:
        run(toy_config(*SMALL, always_kill=BAD), tmp_path / "d", workers=1, on_lost="stop")
    assert "finished parts are kept" in str(caught.value.hint)


@pytest.mark.parametrize("bad", [{"on_lost": "cry"}, {"retry_lost": True, "slice_of": (1, 2)}])
def test_bad_choices_are_usage_errors(tmp_path: Path, bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        run(toy_config(), tmp_path / "d", **bad)
    assert not list(tmp_path.iterdir())


def test_a_growing_dataset_keeps_its_lost_indices(tmp_path: Path) -> None:
    run(toy_config(6, 4, always_kill=BAD), tmp_path / "d", workers=1)
    with pytest.raises(UsageError, match="while the dataset grows"):
        run(toy_config(9, 4, always_kill=BAD), tmp_path / "d", workers=1, retry_lost=True)
    run(toy_config(9, 4, always_kill=BAD), tmp_path / "d", workers=1)
    run(toy_config(9, 4, always_kill=BAD), tmp_path / "whole", workers=1)
    assert digests(tmp_path / "d") == digests(tmp_path / "whole")


@pytest.fixture
def losses(tmp_path: Path) -> Callable[[Job, int | None], None]:
    """Tell of the loss of a worker; with a run of which no job is taken."""
    agenda = Agenda(DatasetFolder(tmp_path, GenerateConfig(NAME, 4)), (), Assignments(None), ())
    found = Losses(agenda, Silent(), stop=False)
    return lambda job, index: found.hear(job, Loss(index, 0, 0, "ended with code 3", False))


def test_a_worker_that_cannot_start_is_no_index_fault(losses: Callable[[Job, int | None], None]) -> None:
    job = Job(0, tuple(Assignment(index, "task", (), "", "train") for index in range(2)))
    losses(job, None)
    losses(job, None)
    with pytest.raises(ChorewrightError, match="episodes 0 to 1 lost their worker 3 times, the last one ended with"):
        losses(job, None)


def test_ray_leaves_it_out_too(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    config = toy_config(*LARGE, always_kill=BAD)
    watch = Recorder()
    run(config, tmp_path / "ray", executor="ray", watch=watch)
    run(config, tmp_path / "whole", workers=1)
    assert watch.done == LARGE[0]
    assert digests(tmp_path / "ray") == digests(tmp_path / "whole")


def test_the_command_line_counts_lost_episodes_apart(tmp_path: Path) -> None:
    words = ("generate", NAME, "-n", 6, "--reject", 6, "--always-kill", 1, "--workers", 0, "--out", tmp_path / "d")
    done = chorewright(*words)
    assert done.returncode == 0, done.stderr
    assert "at episode 1, the third time; the episode is left out" in done.stderr
    assert "workers lost: 3; episodes tried again for that: 2" in done.stderr
    assert "attempts: 6; rejected by stage: (none) 1, lost 1" in done.stderr
    assert "4 episodes, 1 rejected, 1 lost" in chorewright("verify", tmp_path / "d").stdout
    assert "4 of 6 episodes (1 lost)" in chorewright("show", tmp_path / "d").stdout
    told = chorewright("show", tmp_path / "d", "--report").stdout
    assert "workers lost" in told
    assert DIED.removeprefix("lost: ") in told
    dataset = Dataset(tmp_path / "d")
    assert "1 rejected, 1 lost" in dataset_page([dataset], "d", workers=0)
    assert read_measures(dataset.folder).lost_workers == 3
