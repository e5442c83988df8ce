"""Rows are lossless: any episode comes back equal through a Parquet file."""

from __future__ import annotations

import dataclasses
import io
import types
import typing
from typing import get_args, get_origin

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chorewright.errors import DatasetCorrupt, StorageError
from chorewright.generator.dataset.episode import Episode, EpisodeStart, starts
from chorewright.generator.dataset.store import records
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.scene import Scene, SceneObject
from tests.command import ROOT
from tests.generator.toy import ToyBenchmark, toy_config

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
ATOMS = {  # what the leaves of an episode can be
    str: TEXT,
    int: st.integers(-(2**63), 2**63 - 1),
    float: st.floats(allow_nan=False),
    bool: st.booleans(),
    type(None): st.none(),
}


KINDS = shipped_kinds()


def _built(annotation: type, given: dict[str, st.SearchStrategy[object]]) -> st.SearchStrategy[object]:
    hints = typing.get_type_hints(annotation)
    others = [name for name in hints if name not in given]
    return st.builds(annotation, **given, **{name: values(hints[name]) for name in others})


def values(annotation: object) -> st.SearchStrategy[object]:
    """A strategy for any annotation that occurs in an episode, whatever fields it gets."""
    if annotation in ATOMS:
        return ATOMS[annotation]
    if annotation is EpisodeStart:
        return values(starts().record)
    if dataclasses.is_dataclass(annotation):
        if annotation is SceneObject:  # its traits follow from its kind
            kinds = st.sampled_from(("Mug", "Fridge", "Nonsense"))
            return kinds.flatmap(
                lambda kind: _built(annotation, {"kind": st.just(kind), "traits": st.just(KINDS[kind])})
            )
        # Whoever else is in the room, and the walls of a house, are in the episode's extras.
        beside = {"kinds": st.just(KINDS), "bystanders": st.just(()), "building": st.none()}
        return _built(annotation, beside if annotation is Scene else {})
    if get_origin(annotation) is tuple:
        arguments = get_args(annotation)
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return st.lists(values(arguments[0]), max_size=3).map(tuple)
        return st.tuples(*(values(argument) for argument in arguments))
    if get_origin(annotation) in (typing.Union, types.UnionType):
        return st.one_of(*(values(argument) for argument in get_args(annotation)))
    raise AssertionError(f"no strategy for {annotation}")


def through_parquet(episodes: list[Episode]) -> list[Episode]:
    buffer = io.BytesIO()
    pq.write_table(records.to_table(episodes), buffer)
    buffer.seek(0)
    return list(records.from_table(pq.read_table(buffer), KINDS))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(values(Episode), max_size=3))
def test_any_episode_comes_back_equal(episodes: list[Episode]) -> None:
    assert through_parquet(episodes) == episodes


def test_toy_episodes_come_back_equal() -> None:
    config = toy_config(episodes=12)
    benchmark = ToyBenchmark()
    made = [benchmark.episode(a.index, config, a) for a in benchmark.assign(config, 12)]
    assert through_parquet(made) == made


@pytest.mark.parametrize(
    "change",
    [{"seed": 2**63}, {"index": -(2**63) - 1}, {"goal": "\ud800"}, {"plan": None}],
    ids=["seed", "index", "surrogate", "none"],
)
def test_a_value_that_does_not_fit_is_a_storage_error(change: dict[str, object]) -> None:
    config = toy_config(episodes=1)
    benchmark = ToyBenchmark()
    episode = benchmark.episode(0, config, benchmark.assign(config, 1)[0])
    with pytest.raises(StorageError):
        records.to_table([dataclasses.replace(episode, **change)])


def test_a_table_of_other_columns_is_corrupt() -> None:
    table = records.to_table([])
    with pytest.raises(DatasetCorrupt):
        list(records.from_table(table.drop_columns(["goal"]), KINDS))


def test_the_schema_changes_only_with_its_version() -> None:
    """After a wanted change raise SCHEMA_VERSION and run ``python -m tests.generator.dataset.store.test_records``."""
    assert GOLDEN.read_text() == golden()


GOLDEN = ROOT / "tests" / "corpus" / "episode_schema.txt"


def describe_schema() -> str:
    """Return the schema as text, one line per leaf: ``steps[].added[][] string``."""
    lines: list[str] = []

    def walk(path: str, field: pa.Field) -> None:
        kind = field.type
        if pa.types.is_list(kind):
            walk(path + "[]", kind.value_field)
        elif pa.types.is_struct(kind):
            for member in kind:
                walk(f"{path}.{member.name}", member)
        else:
            lines.append(f"{path} {kind}{' or null' if field.nullable else ''}")

    for column in records.SCHEMA:
        walk(column.name, column)
    return "\n".join(lines) + "\n"


def golden() -> str:
    return f"schema version {records.SCHEMA_VERSION}\n{describe_schema()}"


if __name__ == "__main__":
    GOLDEN.write_text(golden())
