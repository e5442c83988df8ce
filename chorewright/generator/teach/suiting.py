"""Which tasks a configuration asks for, with which parameters, and which of these suit which scene."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from chorewright.errors import UsageError
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.options import read_options
from chorewright.generator.household.language import configured_kinds
from chorewright.generator.household.own_scenes import scene_facts, scene_of
from chorewright.generator.production.sampling import Choice
from chorewright.generator.teach.compiling import goal_of
from chorewright.generator.teach.definitions import definitions_of, own_tasks
from chorewright.generator.teach.options import TeachOptions
from chorewright.generator.teach.variants import (
    Demands,
    count_kinds,
    named_parameters,
    settings,
    suited_rooms,
    variants,
)
from chorewright.problems.household.houses.source import is_house_name

PREFIX = "teach/"

Params = tuple[str, ...]


def asked_tasks(config: GenerateConfig) -> tuple[str, ...]:
    """Return the names of the tasks asked for, else those that the user added, else those of the dataset."""
    asked = [name.removeprefix(PREFIX) for name in read_options(TeachOptions, config).tasks]
    names = [definitions_of(config).find(name).name for name in asked]
    return tuple(dict.fromkeys(names)) or own_tasks(config) or tuple(settings().tasks)


def asked_variants(config: GenerateConfig, name: str) -> tuple[Params, ...]:
    """Return the parameters of a task: those asked for, or all that its rule gives.

    Raises:
        UsageError: There is no rule for the task, and none were given; or they are not as many as it takes,
            or make no sense.
    """
    asked = [tuple(words.split()) for words in read_options(TeachOptions, config).params]
    if asked:
        if len(asked_tasks(config)) > 1:
            raise UsageError("parameters belong to one task", hint="name it with --tasks")
        for params in asked:
            goal_of(definitions_of(config).task(name, params), configured_kinds(config).vocabulary)
        return tuple(dict.fromkeys(asked))
    count = definitions_of(config).find(name).nparams
    rule = settings().tasks.get(name)
    found: tuple[Params, ...] = () if count else ((),)
    if rule is not None and len(rule.slots) == count:
        found = variants(name, configured_kinds(config))
    if not found:
        raise UsageError(
            f"there is no rule for the {count} parameters of {name}",
            hint='give them: --params "' + " ".join(f"P{number}" for number in range(count)) + '"',
        )
    return found


def suited_choices(config: GenerateConfig, name: str, scenes: Sequence[str]) -> list[Choice]:
    """Return the parameters of a task that suit some scenes, each with these scenes."""
    found = []
    for params in asked_variants(config, name):
        here = tuple(scene for scene in scenes if _suits(config.task_files, name, params, scene))
        if here:
            found.append(Choice(name, named_parameters(params), here))
    return found


def suited_variants(config: GenerateConfig, name: str, scene: str) -> tuple[Params, ...]:
    """Return the parameters of a task that suit a scene; no other scene is looked at."""
    return tuple(params for params in asked_variants(config, name) if _suits(config.task_files, name, params, scene))


@lru_cache(maxsize=1 << 17)
def _suits(files: tuple[tuple[str, str], ...], name: str, params: Params, scene: str) -> bool:
    """Whether a scene has what a task needs, with the user's definitions and kinds, and leaves something to do."""
    if not files and not is_house_name(scene):
        return scene in suited_rooms(name, params)
    config = GenerateConfig("teach", 1, task_files=files)
    kinds = configured_kinds(config)
    return _demands(files, name, params).met(scene_facts(config, scene, kinds), _counts(files, scene), kinds)


@lru_cache(maxsize=8192)
def _demands(files: tuple[tuple[str, str], ...], name: str, params: Params) -> Demands:
    config = GenerateConfig("teach", 1, task_files=files)
    return Demands.of(definitions_of(config).task(name, params), configured_kinds(config))


@lru_cache(maxsize=1024)
def _counts(files: tuple[tuple[str, str], ...], scene: str) -> dict[str, int]:
    config = GenerateConfig("teach", 1, task_files=files)
    return count_kinds(scene_of(config, scene, configured_kinds(config)))
