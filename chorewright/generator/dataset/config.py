"""What decides a dataset: its configuration, what each index shall demonstrate, and where randomness comes from."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from chorewright.domains.library import Library, load_shipped_library
from chorewright.domains.pddl.writer import write_domain
from chorewright.errors import InputError, UsageError
from chorewright.files.plugins import Origin
from chorewright.files.records import record_of

if TYPE_CHECKING:
    import numpy as np

    from chorewright.planner.plan import Limits


MAX_EPISODES = 100_000_000
MAX_SEED = 2**63 - 1

SHARD_SIZE = 1000
"""Episodes of a shard, if the user does not say otherwise; not from their number, so that a dataset can grow."""

_PARTS = 64
_LARGEST_PART = 50
"""A dataset is made in about so many parts at least, and in parts of so many episodes at most."""


Value: TypeAlias = str | int | float | bool | tuple[str, ...]
"""The value of an option."""


@dataclass(frozen=True, slots=True)
class PlannerEffort:
    """What the planner may do for an attempt, where that is not what the benchmark usually allows.

    Attributes:
        evaluations: The heuristic evaluations, a limit that is the same everywhere; 0 for the usual number.
        seconds: The time by the clock, 0 for no limit; whether an attempt is rejected then depends on the machine.
        engine: Another planner's name; empty for our own.
        plans: How many different plans each start has, an episode each.
        plan: Which of them an attempt is to have, or with which draw it is found; no part of a dataset's configuration.
    """

    evaluations: int = 0
    seconds: float = 0.0
    engine: str = ""
    plans: int = 1
    plan: int = 0

    def __post_init__(self) -> None:
        if min(self.evaluations, self.plans - 1, self.plan) < 0 or not 0 <= self.seconds < float("inf"):
            raise UsageError("--evaluations, --time-per-episode and --plans must be positive")

    def limits(self, usual: int, of_task: int | None = None) -> Limits:
        """Return the limits of a search.

        Args:
            usual: The benchmark's evaluations.
            of_task: Those that the task asks for, if it does.
        """
        from chorewright.planner.plan import Limits

        return Limits(self.seconds or None, evaluations=self.evaluations or of_task or usual)

    def flags(self) -> tuple[str, ...]:
        """Return the flags by which a user gives what is not usual."""
        return tuple(flag for flag, name in EFFORTS.items() if getattr(self, name) != getattr(USUAL_EFFORT, name))


EFFORTS = {"--evaluations": "evaluations", "--time-per-episode": "seconds", "--engine": "engine", "--plans": "plans"}
"""The fields of an effort by their flags."""

USUAL_EFFORT = PlannerEffort()
"""What benchmarks allow by themselves."""


@dataclass(frozen=True, slots=True)
class GenerateConfig:
    """Everything that decides a dataset's content; equal configurations mean equal bytes.

    ``options`` are the benchmark's own settings, sorted by name, each with its value (e.g. ``("scenes",
    ("FloorPlan1",))``); ``options.read_options`` checks them. ``task_files`` are the user's files as (file name,
    text): the text itself is part of the configuration, so that a resumed run cannot mix two versions of a file.
    ``effort`` is what the planner may do. ``derivation`` says of which datasets the episodes were taken, if they were
    not made. ``origin`` says whether a person gave the benchmark's name or a manifest; it is no part of what the
    dataset is.
    """

    benchmark: str
    episodes: int
    seed: int = 0
    shard_size: int = 0
    options: tuple[tuple[str, Value], ...] = ()
    task_files: tuple[tuple[str, str], ...] = ()
    derivation: Derivation | None = None
    origin: Origin = field(default=Origin.PERSON, compare=False, repr=False)
    effort: PlannerEffort = USUAL_EFFORT

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
        if self.shard_size == 0:
            object.__setattr__(self, "shard_size", SHARD_SIZE)
        options = sorted(
            (name.replace("-", "_"), tuple(value) if isinstance(value, list) else value) for name, value in self.options
        )
        object.__setattr__(self, "options", tuple(options))
        object.__setattr__(self, "task_files", tuple((n, t) for n, t in self.task_files))

    @property
    def shards(self) -> int:
        """The number of shards."""
        return -(-self.episodes // self.shard_size)

    def shard_range(self, shard: int) -> range:
        """Return the episode indices of a shard."""
        return range(shard * self.shard_size, min(self.episodes, (shard + 1) * self.shard_size))

    @property
    def part_size(self) -> int:
        """The number of episodes that a worker makes at a time; no byte of the dataset depends on it."""
        return min(self.shard_size, _LARGEST_PART, -(-self.episodes // _PARTS))

    def may_grow_to(self, other: GenerateConfig) -> bool:
        """Whether the other configuration differs in nothing but having more episodes."""
        return other.episodes > self.episodes and replace(self, episodes=other.episodes) == other

    def to_json(self) -> dict[str, object]:
        """Return the configuration as plain JSON values; the usual effort is not among them."""
        effort = {
            name: each for name, each in asdict(self.effort).items() if name != "plan" and (name, each) != ("plans", 1)
        }
        value: dict[str, object] = {
            **({"effort": effort} if self.effort != USUAL_EFFORT else {}),
            "benchmark": self.benchmark,
            "episodes": self.episodes,
            "seed": self.seed,
            "shard_size": self.shard_size,
            "options": {name: list(value) if isinstance(value, tuple) else value for name, value in self.options},
            "task_files": dict(self.task_files),
        }
        return value if self.derivation is None else {**value, "derivation": self.derivation.to_json()}

    @staticmethod
    def from_json(value: Mapping[str, object]) -> GenerateConfig:
        """Rebuild a configuration from ``to_json``'s values.

        Raises:
            InputError: the values are not a configuration.
        """
        try:
            told = record_of(_ConfigRecord, value)
            return GenerateConfig(
                benchmark=told.benchmark or str(value["recipe"]),
                episodes=told.episodes,
                seed=told.seed,
                shard_size=told.shard_size,
                options=tuple(told.options.items()),
                task_files=tuple(told.task_files.items()),
                derivation=None if told.derivation is None else Derivation.of(told.derivation),
                origin=Origin.FILE,
                effort=told.effort,
            )
        except (KeyError, InputError, UsageError) as error:
            raise InputError(f"not a generation configuration: {error}") from error

    def fingerprint(self) -> str:
        """Return the SHA-256 of what decides each shard: the configuration's JSON but for the number of episodes."""
        value = {key: each for key, each in self.to_json().items() if key != "episodes"}
        return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _ConfigRecord:
    """A configuration as JSON has it; the first versions called the benchmark ``recipe``."""

    episodes: int
    seed: int
    shard_size: int
    options: Mapping[str, Value]
    task_files: Mapping[str, str]
    benchmark: str = ""
    derivation: _DerivationRecord | None = None
    effort: PlannerEffort = USUAL_EFFORT


@dataclass(frozen=True, slots=True)
class _SourceRecord:
    name: str
    checksum: str
    tool: Mapping[str, str]
    configuration: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _DerivationRecord:
    command: tuple[str, ...]
    sources: tuple[_SourceRecord, ...]


@dataclass(frozen=True, slots=True)
class SourceDataset:
    """Where episodes of a dataset were taken from.

    Attributes:
        name: The name of the folder.
        checksum: The manifest's, which stands for the whole content.
        tool: The versions that made it.
        config: The configuration.
    """

    name: str
    checksum: str
    tool: tuple[tuple[str, str], ...]
    config: GenerateConfig


@dataclass(frozen=True, slots=True)
class Derivation:
    """How the episodes of a dataset were taken from others.

    Attributes:
        command: The words of ``chorewright data`` but for folders.
        sources: The datasets, in order.
    """

    command: tuple[str, ...]
    sources: tuple[SourceDataset, ...]

    def __str__(self) -> str:
        return f"chorewright data {' '.join(map(shlex.quote, self.command))}"

    def to_json(self) -> dict[str, object]:
        """Return the derivation as plain JSON values."""
        sources = [
            {
                "name": each.name,
                "checksum": each.checksum,
                "tool": dict(each.tool),
                "configuration": each.config.to_json(),
            }
            for each in self.sources
        ]
        return {"command": list(self.command), "sources": sources}

    @staticmethod
    def of(told: _DerivationRecord) -> Derivation:
        """Return the derivation that a manifest tells.

        Raises:
            InputError: A source's configuration is none.
        """
        sources = (
            SourceDataset(
                each.name, each.checksum, tuple(each.tool.items()), GenerateConfig.from_json(each.configuration)
            )
            for each in told.sources
        )
        return Derivation(told.command, tuple(sources))


@dataclass(frozen=True, slots=True)
class Assignment:
    """What one index shall demonstrate, decided beforehand by the benchmark's balancing pass.

    ``parameters`` are the filled slots in the template's order; ``repeat`` numbers the demonstrations of one
    tuple (task, parameters, scene) from 0.
    """

    index: int
    task: str
    parameters: tuple[tuple[str, str], ...]
    scene: str
    split: str
    repeat: int = 0


def random_for(config: GenerateConfig, index: int, *, stream: int = 0) -> np.random.Generator:
    """Return the generator of an index, seeded from (seed, benchmark name, index, stream) only."""
    import numpy as np

    name = int.from_bytes(hashlib.sha256(config.benchmark.encode()).digest()[:8], "big")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((config.seed, name, index, stream))))


# The kinds of things, domains and scenes that a configuration holds: texts of a user's files, by their names.


KINDS, DOMAINS, SCENES = "kinds/", "domains/", "scenes/"
"""What the names of such files begin with in a configuration."""


@lru_cache(maxsize=16)
def library_of(config: GenerateConfig) -> Library:
    """Return the library that a configuration's files make: nothing of the machine's search path is in it."""
    kinds = tuple(each for each in config.task_files if each[0].startswith(KINDS))
    domains = tuple(each for each in config.task_files if each[0].startswith(DOMAINS))
    return Library(kinds=kinds, domains=domains) if kinds or domains else load_shipped_library()


# SHA-256 of texts and of shipped domains: what an episode says of the words that it was made from.


def text_sha256(text: str) -> str:
    """Return the digest of a text as UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def domain_sha256(name: str) -> str:
    """Return the digest of a shipped domain as it is written."""
    library = load_shipped_library()
    return library.remember(("sha256", name), lambda: text_sha256(write_domain(library.domain(name))))
