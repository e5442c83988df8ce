"""Labels of play: which windows get one, from which frame, and how often a task."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from chorewright.errors import UsageError
from chorewright.generator.calvin.export.files import WINDOW, annotate, label
from chorewright.replay.calvin.snapshot import Block, Snapshot, tasks_done

STILL = (0.0, 0.0, 0.0)
BLOCK = Block((0.0, -0.1, 0.46), (0.0, 0.0, 0.0, 1.0), STILL, STILL, frozenset({("table", "base_link")}))
REST = Snapshot(
    {"base__slide": 0.0, "base__drawer": 0.0}, {"lightbulb": 0, "led": 0}, {"block_red": BLOCK}, frozenset()
)


def episode(length: int, **changes: int) -> list[Snapshot]:
    """Frames in which lights are switched at given frames: each change toggles."""
    lights = {"led": 0, "lightbulb": 0}
    found = []
    at = {frame: name.rstrip("_") for name, frame in changes.items()}
    for frame in range(length):
        if frame in at:
            lights[at[frame]] = 1 - lights[at[frame]]
        blocks = {f"block_{colour}": BLOCK for colour in ("red", "blue", "pink")}
        found.append(replace(REST, lights=dict(lights), blocks=blocks))
    return found


@pytest.mark.parametrize(
    ("changes", "prior", "expected"),
    [
        ({"led": 50}, 16, ("turn_on_led", 0)),
        ({"led": 49}, 31, ("turn_on_led", 0)),
        ({"led": 63}, 20, ("turn_on_led", 0)),
        ({"led": 48}, 20, None),  # done by frame 48 already
        ({"led": 40}, 20, None),
        ({}, 20, None),
        ({"led": 50, "lightbulb": 52}, 20, None),  # two tasks
        ({"led": 50, "lightbulb": 10}, 20, ("turn_on_led", 20)),  # something else in the first half
        ({"led": 50, "lightbulb": 32}, 20, None),  # the other one is done between prior and end
        ({"led": 50, "lightbulb": 18}, 20, ("turn_on_led", 20)),
        ({"led": 50, "lightbulb": 20}, 20, ("turn_on_led", 20)),  # prior itself sees it done
        ({"led": 50, "lightbulb": 21}, 20, None),
        ({"led": 10, "led_": 50}, 20, ("turn_off_led", 20)),  # from frame 0 on nothing has changed
        ({"lightbulb": 5, "lightbulb_": 12, "led": 50}, 20, ("turn_on_led", 0)),  # undone by frame 32
    ],
)
def test_labelling_a_window(changes: dict[str, int], prior: int, expected: tuple[str, int] | None) -> None:
    window = episode(WINDOW, **changes)
    assert label(window, prior) == expected


def test_annotations_are_labels_of_windows_within_their_episodes() -> None:
    episodes = [episode(200, led=60, led_=150), episode(63, led=50), episode(64, lightbulb=55), episode(0)]
    found = annotate(episodes, np.random.default_rng(2), lambda task: (f"{task} a", f"{task} b"), cap=1000)
    assert found == annotate(episodes, np.random.default_rng(2), lambda task: (f"{task} a", f"{task} b"), cap=1000)
    assert {each.task for each in found} == {"turn_on_led", "turn_off_led", "turn_on_lightbulb"}
    assert {each.text[-1] for each in found} == {"a", "b"}
    assert list(found) == sorted(found, key=lambda each: (each.episode, each.start))
    for each in found:
        frames = episodes[each.episode]
        assert 0 <= each.start < each.end <= len(frames)
        assert 64 - 31 <= each.end - each.start <= 64
        assert tasks_done(frames[each.start], frames[each.end - 1]) == {each.task}
        assert each.text.startswith(each.task)
    # The LED goes on at 60: seen at the end, and not at frame 48, of the windows from -3 to 11.
    starts = [each.end - 64 for each in found if (each.episode, each.task) == (0, "turn_on_led")]
    assert sorted(starts) == list(range(12))


@pytest.mark.parametrize(("cap", "expected"), [(None, 1), (1, 1), (5, 5), (100, 12)])
def test_a_task_is_labelled_no_more_often_than_allowed(cap: int | None, expected: int) -> None:
    found = annotate([episode(200, led=60)], np.random.default_rng(0), lambda task: (task,), cap)
    assert Counter(each.task for each in found) == {"turn_on_led": expected}


def test_the_share_of_a_long_recording() -> None:
    """A hundredth of all windows, for each of the 34 tasks its part."""
    long = [episode(6000, **{"led" + "_" * k: 100 * (k + 1) for k in range(50)})]
    times = Counter(each.task for each in annotate(long, np.random.default_rng(0), lambda task: (task,)))
    assert times == {"turn_on_led": 2, "turn_off_led": 2}
    with pytest.raises(UsageError, match="0 times"):
        annotate(long, np.random.default_rng(0), lambda task: (task,), 0)
