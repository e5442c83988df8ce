"""The world of BEHAVIOR: its domain with all synsets, and its activities as scenes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from chorewright.domains.behavior.reader import load_activity
from chorewright.domains.behavior.syntax import Activity
from chorewright.domains.pddl.syntax import Domain
from chorewright.domains.vocabulary import Vocabulary
from chorewright.domains.vocabulary_files import vocabulary_of_domain
from chorewright.errors import UsageError
from chorewright.files.spelling import did_you_mean
from chorewright.generator.pddl.world import PddlWorld
from chorewright.problems.behavior.activity_problem import DOMAIN, behavior_domain
from chorewright.problems.behavior.kinds import VERSIONS, activity_names, shipped_activity
from chorewright.problems.behavior.scenes import activity_scene
from chorewright.problems.pddl.scenes import PddlScene

SUFFIX = ".bddl"


class BehaviorWorld(PddlWorld):
    """A household of synsets, without geometry. Its scenes are the starts of the activities."""

    name = "behavior"
    folder = DOMAIN.parent

    def __init__(self, domain: Domain | None = None) -> None:
        """Make the world of all shipped synsets, or of a domain made for one activity."""
        self._own = domain

    def domain(self) -> Domain:
        """Return the domain."""
        return self._own or behavior_domain()

    def vocabulary(self) -> Vocabulary:
        """Return the synsets as kinds."""
        return self._kinds

    def scenes(self) -> Sequence[str]:
        """Return the names of the activities, ``100/NAME`` and ``1k/NAME``."""
        return tuple(f"{version}/{name}" for version in VERSIONS for name in activity_names(version))

    def scene(self, name: str | None, seed: int) -> PddlScene:
        """Return the start of an activity, given by name or as a file; without one, of any of BEHAVIOR-1K."""
        if name is None:
            names = activity_names("1k")
            name = f"1k/{names[int(np.random.Generator(np.random.PCG64(seed)).integers(len(names)))]}"
        activity = find_activity(name)
        return PddlScene.of(activity_scene(activity, seed).problem(self.domain()), activity.name)

    @cached_property
    def _kinds(self) -> Vocabulary:
        return vocabulary_of_domain(self.domain())


def find_activity(name: str) -> Activity:
    """Return an activity: ``100/NAME``, ``1k/NAME``, ``NAME`` (of BEHAVIOR-1K if it has it), or a ``.bddl`` file.

    Raises:
        UsageError: There is none, or the file cannot be read.
        InputErrors: The file has errors.
    """
    if name.endswith(SUFFIX):
        return load_activity(Path(name))
    version, slash, plain = name.partition("/")
    if slash and version in VERSIONS:
        return shipped_activity(plain, version)
    for each in reversed(VERSIONS):
        if name in activity_names(each):
            return shipped_activity(name, each)
    known = [each for version in VERSIONS for each in activity_names(version)]
    raise UsageError(f"there is no activity {name!r}", hint=did_you_mean(name, known))
