"""Rollouts: who acts at a step, what is kept of it, when an episode ends, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chorewright.errors import StorageError, UsageError
from chorewright.generator.dataset.store.places import locate
from chorewright.generator.production.collecting import Rollouts, collect
from chorewright.replay.experts import OnlineExpert


class Steps:
    """Stairs: one is to go up to the third."""

    height = 0

    def reset(self, *, seed: int | None = None) -> tuple[str, dict[str, Any]]:
        self.height = 0
        return "at the bottom", {"height": 0}

    def step(self, action: int) -> tuple[str, float, bool, bool, dict[str, Any]]:
        self.height = max(0, self.height + action)
        return f"on {self.height}", float(action), self.height == 3, False, {"height": self.height}


class Climber(OnlineExpert[int]):
    def __init__(self, steps: Steps) -> None:
        self.steps = steps

    def plan(self) -> list[int]:
        return [1] * (3 - self.steps.height)


def rollouts(beta: float, most: int, infos: tuple[str, ...] = ()) -> Rollouts:
    steps = Steps()
    return Rollouts(steps, Climber(steps), lambda seen, info: -1, beta, most, infos)


@pytest.mark.parametrize("infos", [(), ("height",)])
@pytest.mark.parametrize(
    ("beta", "most", "acts", "reached"), [(1.0, 9, 3, "true"), (1.0, 2, 2, "false"), (0.0, 4, 4, "false")]
)
def test_the_expert_or_the_policy_acts_until_the_end(
    tmp_path: Path, infos: tuple[str, ...], beta: float, most: int, acts: int, reached: str
) -> None:
    made = collect(rollouts(beta, most, infos), locate(tmp_path / "d"), "stairs", 2, 5)
    options = dict(made.manifest.config.options)
    assert options == {"beta": beta, "environment": "stairs", "most_steps": most} | ({"infos": infos} if infos else {})
    for episode in made:
        steps = [json.loads(step.arguments) for step in episode.steps]
        assert len(steps) == acts
        assert {(step["by"], step["action"], step["expert"]) for step in steps} == {
            ("expert", 1, 1) if beta else ("policy", -1, 1)
        }
        heights = [place if beta else 0 for place in range(acts)]
        assert [step.get("info") for step in steps] == [{"height": each} if infos else None for each in heights]
        assert [step["reward"] for step in steps] == [1.0 if beta else -1.0] * acts
        assert episode.extra("reached") == reached
        assert episode.instructions[0].text == "at the bottom"


@pytest.mark.parametrize(("beta", "most"), [(-0.1, 5), (1.1, 5), (0.5, 0)])
def test_numbers_that_make_no_sense_are_refused(tmp_path: Path, beta: float, most: int) -> None:
    with pytest.raises(UsageError):
        collect(rollouts(beta, most), locate(tmp_path / "d"), "stairs", 2)
    assert not list(tmp_path.iterdir())


def test_what_is_not_there_cannot_be_kept_and_other_rollouts_are_not_mixed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="info has no 'depth'"):
        collect(rollouts(1.0, 9, ("depth",)), locate(tmp_path / "none"), "stairs", 1)
    collect(rollouts(1.0, 9), locate(tmp_path / "d"), "stairs", 1)
    with pytest.raises(StorageError):
        collect(rollouts(1.0, 9, ("height",)), locate(tmp_path / "d"), "stairs", 1)
