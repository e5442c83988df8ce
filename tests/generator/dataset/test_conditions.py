"""Conditions over columns: compared with the same condition in Python on each episode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chorewright.errors import UsageError, render
from chorewright.generator.dataset.conditions import MOST_DEPTH, parse_condition
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.records import SCHEMA
from chorewright.generator.production.line import run
from tests.generator.toy import toy_config


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("made") / "toys"
    run(toy_config(episodes=30, shard_size=10, reject=7), folder, workers=0)
    return Dataset(folder)


def room(episode: Episode) -> str:
    return episode.scene.name if episode.scene else ""


def parameter(episode: Episode, name: str) -> str | None:
    return dict(episode.parameters).get(name)


CASES: list[tuple[str, Callable[[Episode], Any]]] = [
    ("index < 10", lambda e: e.index < 10),
    ("index >= 10 AND NOT split = 'train'", lambda e: e.index >= 10 and e.split != "train"),
    ("(index == 3) | (index == 5) & (seed >= 0)", lambda e: e.index in (3, 5)),
    ("~(index != 4)", lambda e: e.index == 4),
    ("index IN (1, 2, 99) or index between 20 and 22", lambda e: e.index in (1, 2, 20, 21, 22)),
    ("index NOT IN (1, 2)", lambda e: e.index not in (1, 2)),
    ("index NOT BETWEEN 3 AND 100", lambda e: e.index < 3),
    ("task LIKE 'r%' OR task ILIKE 'R_%'", lambda e: e.task.startswith("r")),
    ("length > 2", lambda e: len(e.steps) > 2),
    ("length(steps) = length", lambda e: True),
    ("length(task) > 4", lambda e: len(e.task) > 4),
    ("(index + 1) / 2 > 5.5 - 1 * 2", lambda e: (e.index + 1) / 2 > 3.5),
    ("-index < -20", lambda e: e.index > 20),
    ("- - index > 20", lambda e: e.index > 20),
    ("plan.name = 'roll'", lambda e: any(each.name == "roll" for each in e.plan)),
    ("plan.arguments = 'd6'", lambda e: any("d6" in each.arguments for each in e.plan)),
    ("NOT steps.success", lambda e: not any(each.success for each in e.steps)),
    ("steps.segment > index", lambda e: any(each.segment > e.index for each in e.steps)),
    ("instructions.text ILIKE '%ROLL%'", lambda e: any("roll" in each.text.lower() for each in e.instructions)),
    ("lower(instructions.text) LIKE '%roll%'", lambda e: any("roll" in each.text.lower() for each in e.instructions)),
    ("parameters.nosuch IS NULL", lambda e: True),
    ("parameters.nosuch = 'x' OR NOT parameters.nosuch = 'x'", lambda e: False),  # as in SQL
    ("extras.nosuch IS NOT NULL", lambda e: False),
    ("outcome.accepted", lambda e: e.outcome.accepted),
    ("outcome.accepted = FALSE", lambda e: not e.outcome.accepted),
    ("room = 'Toy'", lambda e: room(e) == "Toy"),
    ("benchmark = recipe AND TRUE", lambda e: True),
    ("1 = 1", lambda e: True),
    ("task = \"it's\" OR task = 'it''s'", lambda e: e.task == "it's"),
    ("rejections LIKE '%'", lambda e: bool(e.rejections)),
    ("length(rejections) = 0", lambda e: not e.rejections),
    ("index = 9223372036854775808", lambda e: False),
]


@pytest.mark.parametrize(("text", "same"), CASES, ids=[text for text, _ in CASES])
def test_a_condition_holds_where_python_says_so(dataset: Dataset, text: str, same: Callable[[Episode], Any]) -> None:
    expected = [episode.index for episode in dataset if same(episode)]
    assert dataset.filter(where=text).column("index").tolist() == expected
    some = dataset.filter(where=lambda episode: episode.index % 2 == 0)
    assert some.filter(where=text).column("index").tolist() == [index for index in expected if index % 2 == 0]


def test_parameters_and_extras_are_fields_by_their_names(dataset: Dataset) -> None:
    names = {name for episode in dataset for name, _ in episode.parameters}
    for name in names:
        for value in {parameter(episode, name) for episode in dataset} - {None}:
            expected = [each.index for each in dataset if parameter(each, name) == value]
            assert dataset.filter(where=f"parameters.{name} = '{value}'").column("index").tolist() == expected


WRONG = [
    ("", 1, "expected a column"),
    ("index", 1, "a condition is true or false; this is a number"),
    ("taks = 'a'", 1, "there is no column 'taks'"),
    ("scene.nmae = 'a'", 1, "there is no column 'nmae' in 'scene'"),
    ("index.x = 1", 1, "there is no column 'x' in 'index'"),
    ("task = 3", 8, "a text is compared with a number"),
    ("task = alfred", 8, "there is no column 'alfred'"),
    ("index = 3 5", 11, "expected AND, OR or the end, found '5'"),
    ("index IN 3", 10, "expected '(', found '3'"),
    ("task LIKE 3", 11, "expected a text"),
    ("index LIKE '3'", 1, "LIKE compares texts; this is a number"),
    ("steps = 3", 1, "a list is not compared"),
    ("scene = 'x'", 1, "'scene' has fields"),
    ("plan.name = steps.action", 13, "both sides are fields of lists"),
    ("index AND task", 1, "AND joins what is true or false; this is a number"),
    ("__import__('os')", 1, "there is no function '__import__'"),
    ("__import__('os').system('true')", 17, "'.' cannot stand here"),
    ("index = 1; drop", 10, "';' cannot stand here"),
    ("task = 'open", 8, '"\'" cannot stand here'),
    ("(" * 10_000, MOST_DEPTH + 1, "stand in each other"),
    ("-" * 10_000 + "1 = 1", MOST_DEPTH + 1, "stand in each other"),
    ("index not 3", 11, "expected IN, BETWEEN or LIKE"),
]


@pytest.mark.parametrize(("text", "column", "message"), WRONG, ids=[text[:40] for text, *_ in WRONG])
def test_an_error_says_where_and_what(text: str, column: int, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_condition(text, SCHEMA)
    assert message in caught.value.message
    assert caught.value.location is not None
    assert caught.value.location.column == column
    assert render(caught.value)


@pytest.mark.parametrize("text", ["plan_cost / index > 1", "1 / 0 > index", "length / (seed - seed) < 1"])
def test_nothing_is_divided_by_zero(dataset: Dataset, text: str) -> None:
    with pytest.raises(UsageError, match="cannot be computed: divide by zero"):
        dataset.filter(where=text)


@pytest.mark.parametrize("sign", ["(", "-"])
def test_only_what_stands_in_each_other_has_a_limit(sign: str) -> None:
    deep = sign * (MOST_DEPTH - 1) + "index" + (")" * (MOST_DEPTH - 1) if sign == "(" else "")
    parse_condition(f"{deep} = 1", SCHEMA)
    parse_condition(" AND ".join([f"{deep} = 1"] * 3), SCHEMA)
    parse_condition(" OR ".join(["index = 1"] * 5 * MOST_DEPTH), SCHEMA)
    with pytest.raises(UsageError, match="stand in each other"):
        parse_condition(f"index = {sign * MOST_DEPTH}1", SCHEMA)


def test_hints_name_what_is_near() -> None:
    for text, near in (("taks = 'a'", "task"), ("lenght(steps) > 1", "length"), ("scene.nam = ''", "name")):
        with pytest.raises(UsageError) as caught:
            parse_condition(text, SCHEMA)
        assert near in (caught.value.hint or "")


def test_every_prefix_of_a_condition_is_one_or_an_error() -> None:
    text = (
        "NOT (task LIKE 'a%' AND length(steps) BETWEEN 1 AND 2.5e3) OR parameters.object IN ('x', \"y\") | -seed <> 1"
    )
    whole = 0
    for end in range(len(text) + 1):
        try:
            parse_condition(text[:end], SCHEMA)
            whole += 1
        except UsageError:
            pass
    assert whole
