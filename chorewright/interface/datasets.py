"""Datasets in Python: generate, verify, export."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from chorewright.domains.pddl.syntax import Formula
from chorewright.errors import UsageError
from chorewright.files.plugins import Origin, plugin_code
from chorewright.files.records import check_types
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import configure
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.places import locate
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.line import run
from chorewright.generator.production.verify import VerifyReport
from chorewright.generator.production.verify import verify as check_dataset
from chorewright.generator.training.exporter import Exported, check_accepts, export_dataset, make_exporter
from chorewright.replay.experts import RolloutEnv


@check_types
def generate(
    benchmark: str, out: str | PathLike[str], *, episodes: int = 100, seed: int = 0, workers: int = 0, **options: object
) -> Dataset:
    """Make a dataset, or complete an interrupted one; the same arguments give the same bytes.

    Args:
        benchmark: ``alfred``, ``teach``, ``handmethat``, ``calvin``, ``behavior``, ``pddl``, or ``module:attribute``.
        out: The dataset's folder, or its URL.
        episodes: How many demonstrations to attempt.
        seed: Another seed, another dataset.
        workers: Processes besides this one. A script that asks for some needs ``if __name__ == "__main__":``.
        options: The benchmark's own, named as the flags of ``chorewright generate BENCHMARK --help``.

    Raises:
        UsageError: There is no such benchmark or option.
        StorageError: The dataset cannot be written, or the folder holds another one.
    """
    config = configure(BENCHMARKS.find(benchmark, Origin.PERSON), benchmark, episodes, options, seed=seed)
    place = locate(fspath(out))
    run(config, place, workers=workers)
    return Dataset(place)


@check_types
def verify(dataset: Dataset | str | PathLike[str], remake: int = 0) -> VerifyReport:
    """Check every file, row and count of a dataset against its manifest.

    Args:
        dataset: The dataset, or its folder.
        remake: Make so many episodes again, and compare them.

    Raises:
        UsageError: It is no dataset, or ``remake`` is negative.
    """
    return check_dataset(dataset.folder if isinstance(dataset, Dataset) else fspath(dataset), remake)


@check_types
def collect(
    env: RolloutEnv,
    policy: Callable[[Any, Mapping[str, Any]], Any],
    out: str | PathLike[str],
    *,
    episodes: int = 10,
    beta: float = 0.0,
    seed: int = 0,
    most_steps: int = 200,
    goal: Formula | Episode | str | None = None,
    infos: Sequence[str] = (),
) -> Dataset:
    """Let a policy act in an environment, and write what it did beside what the expert would do: data for DAgger.

    Args:
        env: An environment that has an expert (``expert``), with Gymnasium's ``reset`` and ``step``.
        policy: Returns an action, given an observation and ``info``.
        out: A new folder, or one in which the same was interrupted.
        episodes: How many episodes.
        beta: The share of the steps at which the expert acts instead.
        seed: Another seed, other episodes.
        most_steps: Steps after which an episode is ended.
        goal: What is to be reached, where the environment has no goal of its own.
        infos: Entries of ``info`` before each step that are kept with it: texts and numbers, also in lists.

    Returns:
        The dataset. The arguments of a step are JSON: ``action``, ``by`` (``policy`` or ``expert``), ``expert`` (what
        the expert would do), ``observation`` in words before it, ``reward``, and with ``infos`` also ``info``.
    """
    from chorewright.generator.production import collecting
    from chorewright.replay.experts import find_expert

    if not all(isinstance(each, str) for each in infos):
        raise UsageError("collect: infos must be texts", hint="such as infos=('admissible_commands',)")
    spec = getattr(getattr(env, "unwrapped", env), "spec", None)
    name = str(spec.id) if spec is not None else type(getattr(env, "unwrapped", env)).__name__
    rollouts = collecting.Rollouts(env, find_expert(env, goal), policy, beta, most_steps, tuple(infos))
    return collecting.collect(rollouts, locate(Path(out)), name, episodes, seed)


@check_types
def export(
    dataset: Dataset | str | PathLike[str], format: str, out: str | PathLike[str], **options: object
) -> Exported:
    """Write a dataset in another format; as ``chorewright export``.

    Args:
        dataset: The dataset, or its folder.
        format: ``alfred``, ``lerobot``, ``huggingface``, ...
        out: A new folder, or one exported to before.
        options: The format's own, as the flags of the verb.
    """
    exporter = make_exporter(format, options)
    source = dataset if isinstance(dataset, Dataset) else Dataset(fspath(dataset))
    check_accepts(exporter, source)
    with plugin_code(f"the export format {format!r}"):
        return export_dataset(exporter, source, locate(Path(out)))
