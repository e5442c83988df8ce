"""Which task, parameters and room each of TEACh's sessions has: shares of splits and tasks, then in turn.

Splits and tasks come in fixed shares (Sainte-Lague). Within a split, each of a task's variants has its turn
before any has a second one, each time in the room among its own that has been used least. All rooms of small
tasks are used again and again, as in TEACh: the room is scattered differently each time.

Of scenes that are too many to look at all, each is used once before any is used again, in their order: for the first
task that it suits, with the variant that has had the fewest turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from chorewright.errors import UsageError
from chorewright.generator.dataset.config import Assignment, GenerateConfig
from chorewright.generator.dataset.options import read_options
from chorewright.generator.household.own_scenes import find_kinds, scene_facts
from chorewright.generator.production.sampling import AT_ONCE, BARREN, Choice, Fold, find_behind
from chorewright.generator.teach.compiling import definitions_of, goal_of, own_tasks, parameters_by_name, task_name
from chorewright.generator.teach.options import TeachOptions
from chorewright.generator.teach.variants import Demands, find_suitable_rooms, settings, variants
from chorewright.problems.household.scene import is_house_name

Parameters: TypeAlias = tuple[tuple[str, str], ...]

Params = tuple[str, ...]


def find_task_names(config: GenerateConfig) -> tuple[str, ...]:
    """Return the names of the tasks asked for, else those that the user added, else those of the dataset."""
    asked = read_options(TeachOptions, config).tasks
    names = [definitions_of(config).find(task_name(name)).name for name in asked]
    return tuple(dict.fromkeys(names)) or own_tasks(config) or tuple(settings().tasks)


def find_variants(config: GenerateConfig, name: str) -> tuple[Params, ...]:
    """Return the parameters of a task: those asked for, or all that its rule gives.

    Raises:
        UsageError: There is no rule for the task, and none were given; or they are not as many as it takes,
            or make no sense.
    """
    asked = [tuple(words.split()) for words in read_options(TeachOptions, config).params]
    if asked:
        if len(find_task_names(config)) > 1:
            raise UsageError("parameters belong to one task", hint="name it with --tasks")
        for params in asked:
            goal_of(definitions_of(config).task(name, params), find_kinds(config).vocabulary)
        return tuple(dict.fromkeys(asked))
    count = definitions_of(config).find(name).nparams
    rule = settings().tasks.get(name)
    found: tuple[Params, ...] = () if count else ((),)
    if rule is not None and len(rule.slots) == count:
        found = variants(name, find_kinds(config))
    if not found:
        raise UsageError(
            f"there is no rule for the {count} parameters of {name}",
            hint='give them: --params "' + " ".join(f"P{number}" for number in range(count)) + '"',
        )
    return found


def find_choices(config: GenerateConfig, name: str, scenes: Sequence[str]) -> list[Choice]:
    """Return the parameters of a task that suit some scenes, each with these scenes."""
    every = ((params, _suitable(config, name, params, scenes)) for params in find_variants(config, name))
    return [Choice(name, parameters_by_name(params), here) for params, here in every if here]


def find_suitable_variants(config: GenerateConfig, name: str, scene: str) -> tuple[Params, ...]:
    """Return the parameters of a task that suit a scene; no other scene is looked at."""
    return tuple(params for params in find_variants(config, name) if _suitable(config, name, params, (scene,)))


def _suitable(config: GenerateConfig, name: str, params: Params, scenes: Sequence[str]) -> tuple[str, ...]:
    """Return the scenes that have what a task needs, with the user's definitions, and leave something to do."""
    kinds = find_kinds(config)
    shipped = not config.task_files and not all(map(is_house_name, scenes))
    rooms = find_suitable_rooms(name, params) if shipped else ()

    def suits(scene: str) -> bool:
        if shipped and not is_house_name(scene):
            return scene in rooms
        question = ("demands", config.task_files, name, params)
        make = partial(Demands.of, definitions_of(config).task(name, params), kinds)
        return bool(kinds.findings.of(kinds, question, make).met(scene_facts(config, scene, kinds), kinds))

    return tuple(filter(suits, scenes))


@dataclass(slots=True)
class _Turns:
    """One task in one split: its variants in a random order, over and over."""

    choices: list[Choice]
    rng: np.random.Generator
    order: list[int] = field(default_factory=list)
    used: Counter[str] = field(default_factory=Counter)

    def next(self) -> tuple[Parameters, str]:
        """Return the next variant and its room."""
        if not self.order:
            self.order = self.rng.permutation(len(self.choices)).tolist()
        choice = self.choices[self.order.pop()]
        places = self.rng.permutation(len(choice.scenes)).tolist()
        room = min((choice.scenes[place] for place in places), key=lambda name: self.used[name])
        self.used[room] += 1
        return choice.parameters, room


def assignments(
    choices: Mapping[str, Sequence[Choice]], shares: Mapping[str, float], folds: Sequence[Fold], count: int, seed: int
) -> list[Assignment]:
    """Return the assignments of the indices 0 to ``count - 1``, none if nothing is possible.

    A shorter run is a longer run's beginning.

    Args:
        choices: For each task its variants, each with the rooms that suit it.
        shares: How often each task shall come relative to the others.
        folds: Splits with shares and rooms; one in which nothing is possible is left out.
        count: How many.
        seed: Entropy of all random orders.
    """
    turns: dict[tuple[str, str], _Turns] = {}
    for number, fold in enumerate(folds):
        for place, (task, every) in enumerate(choices.items()):
            here = ((each, tuple(room for room in each.scenes if room in fold.scenes)) for each in every)
            suited = [replace(choice, scenes=rooms) for choice, rooms in here if rooms]
            if suited:
                entropy = np.random.SeedSequence((seed, 1, number, place))
                turns[fold.split, task] = _Turns(suited, np.random.Generator(np.random.PCG64(entropy)))
    tasks = {fold.split: {task: shares[task] for own, task in turns if own == fold.split} for fold in folds}
    return _share_out(folds, tasks, lambda split, task: turns[split, task].next(), count)


@dataclass(slots=True)
class _Walk:
    """The scenes of one split in their order, over and over; ``waiting`` were looked at and not used."""

    scenes: Sequence[str]
    suited: Callable[[str, str], Sequence[Parameters]]
    rng: np.random.Generator
    waiting: list[str] = field(default_factory=list)
    position: int = 0
    used: Counter[tuple[str, Parameters]] = field(default_factory=Counter)

    def next(self, task: str) -> tuple[Parameters, str] | None:
        """Return a variant and the scene that it suits; None if none of many scenes suits the task."""
        for place, scene in enumerate(self.waiting):
            if variants := self.suited(task, scene):
                del self.waiting[place]
                return self._rarest(task, variants), scene
        for _ in range(min(BARREN * AT_ONCE, len(self.scenes))):
            if self.position == len(self.scenes):
                self.position = 0
                self.waiting.clear()
            scene = self.scenes[self.position]
            self.position += 1
            if variants := self.suited(task, scene):
                return self._rarest(task, variants), scene
            self.waiting.append(scene)
        return None

    def _rarest(self, task: str, variants: Sequence[Parameters]) -> Parameters:
        order = self.rng.permutation(len(variants)).tolist()
        found = variants[min(order, key=lambda place: self.used[task, variants[place]])]
        self.used[task, found] += 1
        return found


def assignments_in_turn(
    suited: Callable[[str, str], Sequence[Parameters]],
    shares: Mapping[str, float],
    folds: Sequence[Fold],
    scenes: Sequence[str],
    count: int,
    seed: int,
) -> list[Assignment]:
    """Return the assignments of the indices 0 to ``count - 1`` in scenes of which only the first are looked at.

    A shorter run is a longer run's beginning. A task that suits none of many scenes in a row is left out.

    Args:
        suited: The variants of a task that suit a scene.
        shares: How often each task shall come relative to the others.
        folds: Splits with shares and scenes.
        scenes: All scenes, in their order.
        count: How many.
        seed: Entropy of all random orders.
    """
    walks: dict[str, _Walk] = {}
    for number, fold in enumerate(folds):
        if inside := [scene for scene in scenes if scene in fold.scenes]:
            entropy = np.random.SeedSequence((seed, 2, number))
            walks[fold.split] = _Walk(inside, suited, np.random.Generator(np.random.PCG64(entropy)))
    tasks = {split: dict(shares) for split in walks}
    return _share_out(folds, tasks, lambda split, task: walks[split].next(task), count)


def _share_out(
    folds: Sequence[Fold],
    tasks: Mapping[str, dict[str, float]],
    draw: Callable[[str, str], tuple[Parameters, str] | None],
    count: int,
) -> list[Assignment]:
    """Return assignments: splits, and the tasks of each, in their shares, with the parameters and scene that are drawn.

    A task for which nothing is drawn is left out of its split, and a split without tasks of all.
    """
    splits = {fold.split: fold.share for fold in folds if tasks.get(fold.split)}
    given: Counter[str] = Counter()
    given_in: dict[str, Counter[str]] = {split: Counter() for split in splits}
    seen: Counter[tuple[str, Parameters, str]] = Counter()
    found: list[Assignment] = []
    while len(found) < count and splits:
        split = find_behind(splits, given)
        task = find_behind(tasks[split], given_in[split])
        one = draw(split, task)
        if one is None:
            del tasks[split][task]
            if not tasks[split]:
                del splits[split]
            continue
        given[split] += 1
        given_in[split][task] += 1
        parameters, scene = one
        key = (task, parameters, scene)
        found.append(Assignment(len(found), task, parameters, scene, split, seen[key]))
        seen[key] += 1
    return found
