"""Moments of an episode that is run again: one for its start and one for each step; films leave some out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from chorewright.errors import DatasetCorrupt
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode, Segment, Step
from chorewright.generator.showing.moments import FilmStyle, Moments
from chorewright.replay.simulator import Frame
from tests.generator.toy import ToyBenchmark


class Counting(Moments[list[int]]):
    """Counts the steps; its pictures are as grey as the count."""

    style = FilmStyle(100, 2, every=2)

    def set_up(self, episode: Episode) -> list[int]:
        return [0]

    def step(self, world: list[int], step: Step) -> str:
        world[0] += 1
        return "" if step.success else "fails"

    def draw(self, world: list[int], sizes: Sequence[int]) -> Sequence[Frame]:
        return [Frame.of_colours(np.full((size, size, 3), world[0], np.uint8)) for size in sizes]


def episode(*segments: int) -> Episode:
    """An episode of a step in each of these segments."""
    config = GenerateConfig("toy", 1)
    (given,) = ToyBenchmark().assign(config, 1)
    made = ToyBenchmark().episode(0, config, given)
    return replace(
        made, segments=(Segment("Count", ()),) * 3, steps=tuple(Step("Count", each, "{}") for each in segments)
    )


def test_there_is_a_moment_before_the_first_step_and_after_each() -> None:
    told = [(m.number, m.world[0], m.segment(False), m.segment(True)) for m in Counting().moments(episode(0, 0, 2))]
    assert told == [(0, 0, 0, 0), (1, 1, 0, 0), (2, 2, 0, 2), (3, 3, 2, 2)]
    assert [(m.number, m.segment(False), m.segment(True)) for m in Counting().moments(episode())] == [(0, 0, 0)]


@pytest.mark.parametrize(("steps", "shown"), [(0, [0]), (1, [0, 1]), (4, [0, 2, 4]), (5, [0, 2, 4, 5])])
def test_films_show_some_and_the_last(steps: int, shown: list[int]) -> None:
    made = episode(*[0] * steps)
    assert [moment.number for moment in Counting().excerpt(made)] == shown
    view = Counting().last_view(made, 8)
    assert view.shape == (8, 8, 3)
    assert (view == steps).all()


def test_a_step_that_does_not_go_as_it_did_is_named() -> None:
    made = episode(0, 0)
    made = replace(made, steps=(made.steps[0], replace(made.steps[1], success=False)))
    with pytest.raises(DatasetCorrupt, match=r"step 2 \(Count\) fails"):
        Counting().replay(made)
