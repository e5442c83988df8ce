"""HandMeThat's episodes as transitions: the robot's commands, given to the text world again."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec

from chorewright.errors import DatasetCorrupt
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.handmethat.stored_task import task_of
from chorewright.generator.training.transitions import EpisodeTransitions
from chorewright.replay.handmethat.environment import HandMeThatEnv
from chorewright.replay.handmethat.records import dumps

HELP = 1
"""The segment of the robot's steps."""


class TextTransitions:
    """Plays the stored commands in the environment; each episode's task is what ``reset`` takes."""

    environment: EnvSpec | None = EnvSpec(
        "chorewright/HandMeThat-v2", "chorewright.environments:hand_me_that", kwargs={"version": 2}
    )

    @cached_property
    def _spaces(self) -> HandMeThatEnv:
        return HandMeThatEnv(_no_task, infos=())

    @property
    def observation_space(self) -> gymnasium.Space[Any]:
        """Texts."""
        return self._spaces.observation_space

    @property
    def action_space(self) -> gymnasium.Space[Any]:
        """Commands."""
        return self._spaces.action_space

    def transitions(self, episode: Episode) -> EpisodeTransitions:
        """Return what the world says to each command; see ``TransitionSource``."""
        task = task_of(episode)
        env = HandMeThatEnv([task], infos=())
        said, _ = env.reset(options={"index": 0})
        commands = [step.call()["command"] for step in episode.steps if step.segment == HELP]
        observations, rewards, terminated, truncated = [said], [], False, False
        for command in commands:
            said, reward, terminated, truncated, _ = env.step(command)
            observations.append(said)
            rewards.append(reward)
        if not env.play.won:
            raise DatasetCorrupt(f"the commands of episode {episode.index} do not fulfil the request")
        return EpisodeTransitions(
            observations, commands, np.array(rewards), terminated, truncated, {"task": dumps(task)}
        )


def _no_task(rng: np.random.Generator) -> Any:
    raise AssertionError("only the spaces are asked for")
