"""The recipe protocol: a benchmark's episodes as a pure function of configuration, index and assignment."""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np

from chorewright.errors import InputError, UsageError
from chorewright.generator.episode import Episode

RECIPES: Mapping[str, str] = {
    "alfred": "chorewright.generator.alfred.benchmark:AlfredRecipe",
    "calvin": "chorewright.generator.calvin.benchmark:CalvinRecipe",
    "handmethat": "chorewright.generator.handmethat.benchmark:HandMeThatRecipe",
    "teach": "chorewright.generator.teach.benchmark:TeachRecipe",
}
"""Shipped recipes: name to ``module:attribute`` (a class or function that makes the recipe)."""

MAX_EPISODES = 100_000_000
MAX_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class GenerateConfig:
    """Everything that decides a dataset's content; equal configurations mean equal bytes.

    ``options`` are the recipe's own settings, sorted by name, each with its values (e.g. ``("scenes",
    ("FloorPlan1",))``). ``task_files`` are the user's goal templates as (file name, text): the text itself is
    part of the configuration, so that a resumed run cannot mix two versions of a file.
    """

    recipe: str
    episodes: int
    seed: int = 0
    shard_size: int = 0
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()
    task_files: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.episodes <= MAX_EPISODES:
            raise UsageError(f"the number of episodes must be 1 to {MAX_EPISODES:,}, not {self.episodes:,}")
        if not 0 <= self.seed <= MAX_SEED:
            raise UsageError(f"the seed must be 0 to {MAX_SEED}, not {self.seed}")
        if self.shard_size < 0:
            raise UsageError(f"the shard size must be positive, not {self.shard_size}")
        for what, pairs in (("option", self.options), ("task file", self.task_files)):
            names = [name for name, _ in pairs]
            if len(names) != len(set(names)):
                raise UsageError(f"a {what} is given twice: {', '.join(sorted(names))}")
        if self.shard_size == 0:  # from the number of episodes only: never from the number of workers
            object.__setattr__(self, "shard_size", min(1000, max(8, -(-self.episodes // 64))))
        object.__setattr__(self, "options", tuple(sorted((k, tuple(v)) for k, v in self.options)))
        object.__setattr__(self, "task_files", tuple((n, t) for n, t in self.task_files))

    def option(self, name: str) -> tuple[str, ...]:
        """Return an option's values, empty if it was not given."""
        return dict(self.options).get(name, ())

    @property
    def shards(self) -> int:
        """The number of shards."""
        return -(-self.episodes // self.shard_size)

    def shard_range(self, shard: int) -> range:
        """Return the episode indices of a shard."""
        return range(shard * self.shard_size, min(self.episodes, (shard + 1) * self.shard_size))

    def to_json(self) -> dict[str, object]:
        """Return the configuration as plain JSON values."""
        return {
            "recipe": self.recipe,
            "episodes": self.episodes,
            "seed": self.seed,
            "shard_size": self.shard_size,
            "options": {name: list(values) for name, values in self.options},
            "task_files": dict(self.task_files),
        }

    @staticmethod
    def from_json(value: Mapping[str, object]) -> GenerateConfig:
        """Rebuild a configuration from ``to_json``'s values.

        Raises:
            InputError: the values are not a configuration.
        """
        try:
            options = cast("Mapping[str, Sequence[str]]", value["options"])
            files = cast("Mapping[str, str]", value["task_files"])
            return GenerateConfig(
                recipe=str(value["recipe"]),
                episodes=int(cast(int, value["episodes"])),
                seed=int(cast(int, value["seed"])),
                shard_size=int(cast(int, value["shard_size"])),
                options=tuple((name, tuple(values)) for name, values in options.items()),
                task_files=tuple(files.items()),
            )
        except (KeyError, TypeError, ValueError, AttributeError, UsageError) as error:
            raise InputError(f"not a generation configuration: {error!r}") from error

    def fingerprint(self) -> str:
        """Return the SHA-256 of the configuration's canonical JSON."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Assignment:
    """What one index shall demonstrate, decided beforehand by the recipe's balancing pass.

    ``parameters`` are the filled slots in the template's order; ``repeat`` numbers the demonstrations of one
    tuple (task, parameters, scene) from 0.
    """

    index: int
    task: str
    parameters: tuple[tuple[str, str], ...]
    scene: str
    split: str
    repeat: int = 0


class Recipe(Protocol):
    """One benchmark's way to make episodes.

    Both methods are pure: no clock, no worker id, no hash order, no global random numbers. The only
    randomness is ``random_for(config, index)``.
    """

    name: str

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``: cheap, computed once per run.

        Raises:
            UsageError: an option of the configuration is unknown or matches nothing.
        """
        ...

    def episode(self, index: int, config: GenerateConfig, assignment: Assignment) -> Episode:
        """Return the demonstration of an index, accepted or not.

        An assignment that cannot be met in the scene tries its own next candidates (spawns), never asks what
        other indices did; if all fail, the episode says why in ``outcome.reason`` and is not accepted.
        """
        ...


def random_for(config: GenerateConfig, index: int, *, stream: int = 0) -> np.random.Generator:
    """Return the generator of an index, seeded from (seed, recipe name, index, stream) only."""
    name = int.from_bytes(hashlib.sha256(config.recipe.encode()).digest()[:8], "big")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((config.seed, name, index, stream))))


def find_recipe(name: str) -> Recipe:
    """Return a recipe by its name, or by ``module:attribute`` for recipes outside this package.

    Raises:
        UsageError: there is no such recipe.
    """
    target = RECIPES.get(name, name)
    module_name, _, attribute = target.partition(":")
    if not attribute or not all(part.isidentifier() for part in (*module_name.split("."), attribute)):
        raise UsageError(
            f"there is no recipe {name!r}",
            hint=f"recipes: {', '.join(sorted(RECIPES))}; or module:attribute for one of your own",
        )
    try:
        make = getattr(importlib.import_module(module_name), attribute)
    except Exception as error:  # the module is the user's: whatever it raises
        raise UsageError(
            f"the recipe {name!r} cannot be loaded: {_said(error)}",
            hint="a module in this folder is found with PYTHONPATH=.",
        ) from error
    try:
        recipe = make()
    except Exception as error:
        raise UsageError(
            f"{name!r} cannot be made a recipe: {_said(error)}",
            hint="give a class, or a function without arguments, that makes a Recipe",
        ) from error
    for method in ("assign", "episode"):
        if not callable(getattr(recipe, method, None)):
            raise UsageError(
                f"what {name!r} makes is no recipe: it has no method {method!r}",
                hint="see chorewright.generator.recipe.Recipe",
            )
    return cast("Recipe", recipe)


def _said(error: Exception) -> str:
    """Return an error on one line, its class named where it is not one of ours."""
    if isinstance(error, ImportError | AttributeError):
        return str(error)
    return f"{type(error).__name__}: {error}".splitlines()[0]
