"""Rollouts of a policy with the expert beside it, as a dataset: who acted at each step, and what the expert would do.

This is what DAgger asks for (Ross et al. 2011): a learner acts, alone or in turn with the expert, and the expert says
in each state what it should have done. Episodes that do not reach the goal are kept as the others are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from chorewright.errors import UsageError
from chorewright.generator.dataset.config import GenerateConfig, random_for
from chorewright.generator.dataset.episode import Episode, Instruction, Segment, Step
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.dataset_folder import open_dataset_folder, plain
from chorewright.generator.dataset.store.places import Place, locate
from chorewright.generator.dataset.store.records import to_table
from chorewright.generator.production.deriving import write_rows
from chorewright.replay.experts import OnlineExpert, RolloutEnv

ROLLOUTS = "rollouts"
"""The name that datasets of rollouts have in place of a benchmark's."""

EXPERT, POLICY = "expert", "policy"
"""Who acted at a step."""

SHARD = 50
"""Episodes of a file; an interrupted run loses those of one."""


Policy = Callable[[Any, Mapping[str, Any]], Any]
"""Returns an action, given an observation and the entries of ``info``."""


@dataclass(frozen=True, slots=True)
class Rollouts:
    """What is collected.

    Attributes:
        env: The environment; each episode resets it with a seed of its own.
        expert: Its expert.
        policy: The learner.
        beta: The share of the steps at which the expert acts.
        most: Steps after which an episode is ended.
        infos: The entries of ``info`` that are kept of each step.
    """

    env: RolloutEnv
    expert: OnlineExpert[Any]
    policy: Policy
    beta: float
    most: int
    infos: tuple[str, ...] = ()

    def episode(self, config: GenerateConfig, index: int) -> Episode:
        """Return one rollout; the same config, index and policy give the same one.

        Raises:
            UsageError: An action is neither a text nor numbers, or ``info`` has not what is to be kept.
        """
        random = random_for(config, index)
        seed = int(random.integers(2**31))
        seen, info = self.env.reset(seed=seed)
        told = _text(seen)
        steps: list[Step] = []
        reward, over = 0.0, False
        while not over and len(steps) < self.most:
            advice = self.expert.action()
            acts = random.random() < self.beta and advice is not None
            action = advice if acts else self.policy(seen, info)
            record = {
                "action": _plain(action),
                "by": EXPERT if acts else POLICY,
                "expert": _plain(advice),
                "observation": _text(seen),
            }
            if self.infos:
                record["info"] = {name: _plain(_entry(info, name)) for name in self.infos}
            seen, earned, ended, cut, info = self.env.step(action)
            reward, over = reward + float(earned), ended or cut
            name = action if isinstance(action, str) else "step"
            steps.append(Step(name, 0, json.dumps({**record, "reward": float(earned)}, ensure_ascii=False)))
        left = self.expert.plan()
        reached = "true" if left is not None and not len(left) else "false"
        return _episode(config, index, seed, told, steps, (("reached", reached), ("reward", f"{reward:g}")))


def collect(
    rollouts: Rollouts,
    folder: str | Place,
    name: str,
    episodes: int,
    seed: int = 0,
    tell: Callable[[int, int], object] = lambda done, total: None,
) -> Dataset:
    """Write rollouts as a dataset, or those of them that are missing.

    Args:
        rollouts: What is collected.
        folder: A new folder, or one in which the same was interrupted.
        name: What the environment is called in the dataset.
        episodes: How many.
        seed: Of the episodes' seeds, and of who acts.
        tell: Is told how many episodes of how many are written.

    Raises:
        UsageError: A number makes no sense.
        StorageError: The folder holds something else, or cannot be written.
    """
    if not 0 <= rollouts.beta <= 1:
        raise UsageError(f"beta is a share from 0 to 1, not {rollouts.beta:g}")
    if rollouts.most < 1:
        raise UsageError(f"an episode has at least one step, not {rollouts.most}")
    options: tuple[tuple[str, Any], ...] = (("beta", float(rollouts.beta)), ("environment", name))
    options += ((("infos", rollouts.infos),) if rollouts.infos else ()) + (("most_steps", rollouts.most),)
    target = open_dataset_folder(plain(locate(folder)), GenerateConfig(ROLLOUTS, episodes, seed, SHARD, options))
    made = write_rows(
        target, lambda indices: to_table([rollouts.episode(target.config, index) for index in indices]), tell=tell
    )
    assert made.accepted == episodes
    return Dataset(target.folder)


def _episode(
    config: GenerateConfig, index: int, seed: int, told: str, steps: list[Step], extras: tuple[tuple[str, str], ...]
) -> Episode:
    name = str(dict(config.options)["environment"])
    said = (Instruction(told, "goal"),) if told else ()
    return Episode(
        benchmark=ROLLOUTS,
        index=index,
        seed=seed,
        task=name,
        parameters=(),
        split="train",
        plan_cost=float(len(steps)),
        segments=(Segment(name, ()),),
        steps=tuple(steps),
        instructions=said,
        extras=extras,
    )


def _text(seen: Any) -> str:
    """Return what an observation says in words; empty if nothing."""
    if isinstance(seen, Mapping):
        seen = seen.get("text")
    return seen if isinstance(seen, str) else ""


def _entry(info: Mapping[str, Any], name: str) -> Any:
    """Return an entry of ``info``.

    Raises:
        UsageError: It has none of this name.
    """
    if name not in info:
        raise UsageError(f"info has no {name!r}", hint=f"it has {', '.join(map(str, info)) or 'nothing'}")
    return info[name]


def _plain(action: Any) -> object:
    """Return an action as JSON has it.

    Raises:
        UsageError: It is neither a text nor numbers.
    """
    if action is None or isinstance(action, str | bool | int | float):
        return action
    if isinstance(action, tuple | list):
        return [_plain(each) for each in action]
    try:
        return np.asarray(action, np.float64).tolist()
    except (TypeError, ValueError):
        raise UsageError(f"{type(action).__name__} is no action that a dataset can hold") from None
