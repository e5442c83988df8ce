"""Task definitions: what is read, parameters as macros, and what is said about every mistake."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chorewright.domains.teach.definition import AtomicComponent, TaskComponent
from chorewright.domains.teach.definitions import load_definitions, shipped_definitions
from chorewright.errors import ChorewrightError, InputError, InputErrors, LimitError, UsageError, render
from chorewright.files.json_source import parse_json
from tests.domains.teach.definition_files import DELETED, SERVE, WASH, edited, write_definitions

# What is wrong in serve.json (a place and its value), where that is said to be, and a part of what is said.
MISTAKES: list[tuple[str, object, str, str]] = [
    ("task_id", DELETED, "$.task_id", "the key 'task_id' is missing"),
    ("task_name", DELETED, "$.task_name", "the key 'task_name' is missing"),
    ("task_nparams", DELETED, "$.task_nparams", "the key 'task_nparams' is missing"),
    ("task_anchor_object", DELETED, "$.task_anchor_object", "the key 'task_anchor_object' is missing"),
    ("desc", DELETED, "$.desc", "the key 'desc' is missing"),
    ("components", DELETED, "$.components", "the key 'components' is missing"),
    ("relations", DELETED, "$.relations", "the key 'relations' is missing"),
    ("task_id", "two", "$.task_id", "'task_id' must be a number"),
    ("task_id", True, "$.task_id", "'task_id' must be a number"),
    ("task_id", 1, "$.task_id", "is that of"),
    ("task_name", "wash x", "$.task_name", "is that of"),
    ("task_name", "", "$.task_name", "'task_name' must be a name"),
    ("task_name", 7, "$.task_name", "'task_name' must be a name"),
    ("task_nparams", -1, "$.task_nparams", "'task_nparams' must be the number of parameters"),
    ("task_nparams", 101, "$.task_nparams", "0 to 100"),
    ("task_nparams", 0, "$.desc", "the parameter #0 is out of range"),
    ("desc", "Do #1.", "$.desc", "the parameter #1 is out of range: there are 1 (#0 to #0)"),
    ("desc", ["Serve."], "$.desc", "'desc' must be a sentence"),
    ("components", [], "$.components", "'components' must be an object"),
    ("components/mug", "Wash X", "$.components.mug", "expected an object, a component"),
    ("components/mug", None, "$.components.mug", "expected an object, a component"),
    ("components/mug/determiner", DELETED, "$.components.mug.determiner", "the key 'determiner' is missing"),
    ("components/mug/determiner", 2, "$.components.mug.determiner", "the determiner must be a string"),
    ("components/mug/determiner", "the", "$.components.mug.determiner", "'the' is no determiner"),
    ("components/mug/determiner", "some", "$.components.mug.determiner", "'some' is no determiner"),
    ("components/mug/determiner", "-1", "$.components.mug.determiner", "'-1' is no determiner"),
    ("components/mug/determiner", "1.5", "$.components.mug.determiner", "'1.5' is no determiner"),
    ("components/mug/determiner", "", "$.components.mug.determiner", "'' is no determiner"),
    ("components/mug/determiner", "all", "$.components.mug.determiner", "the determiner of a sub-task cannot"),
    ("components/mug/task_name", "Wosh X", "$.components.mug.task_name", "there is no task 'Wosh X'"),
    ("components/mug/task_name", "Serve", "$.components.mug.task_name", "the task contains itself"),
    ("components/mug/task_name", None, "$.components.mug.task_name", "'task_name' must be the name of a"),
    ("components/mug/task_params", DELETED, "$.components.mug.task_params", "'task_params' is missing"),
    ("components/mug/task_params", "Mug", "$.components.mug.task_params", "must be a list of strings"),
    ("components/mug/task_params", [], "$.components.mug.task_params", "'Wash X' takes 1 parameter, but 0 were given"),
    ("components/mug/task_params", ["Mug", "Cup"], "$.components.mug.task_params", "but 2 were given"),
    ("components/mug/task_params", [5], "$.components.mug.task_params[0]", "a parameter must be a string"),
    ("components/mug/task_params", ["#2"], "$.components.mug.task_params[0]", "#2 is out of range"),
    ("components/mug/task_params", [None], "$.components.mug.task_params[0]", "a parameter must be a string"),
    ("components/table/conditions", DELETED, "$.components.table.conditions", "'conditions' is missing"),
    ("components/table/conditions", {}, "$.components.table.conditions", "there is no condition"),
    ("components/table/conditions", 3, "$.components.table.conditions", "must be an object of properties"),
    ("components/table/conditions/receptacle", None, "$.components.table.conditions.receptacle", "a property"),
    ("components/table/conditions/receptacle", [1], "$.components.table.conditions.receptacle", "a property"),
    (
        "components/table/primary_condition",
        "simbotObjektClass",
        "$.components.table.primary_condition",
        "'simbotObjektClass' is not one of the conditions",
    ),
    ("components/table/instance_shareable", "yes", "$.components.table.instance_shareable", "must be true or false"),
    (
        "components/table/condition_failure_descs",
        {"isOpen": "Shut."},
        "$.components.table.condition_failure_descs.isOpen",
        "'isOpen' is not one of the conditions",
    ),
    (
        "components/table/condition_failure_descs",
        None,
        "$.components.table.condition_failure_descs",
        "expected an object of sentences",
    ),
    ("relations", {}, "$.relations", "'relations' must be a list"),
    ("relations/0", "in", "$.relations[0]", "expected an object, a relation"),
    ("relations/0/property", DELETED, "$.relations[0].property", "the key 'property' is missing"),
    ("relations/0/property", "near", "$.relations[0].property", "the only supported relation"),
    ("relations/0/failure_desc", 1, "$.relations[0].failure_desc", "must be a sentence"),
    ("relations/0/head_entity_list/0", "cup", "$.relations[0].head_entity_list[0]", "no component 'cup'"),
    ("relations/0/head_entity_list", [], "$.relations[0].head_entity_list", "at least one head"),
    ("relations/0/head_entity_list", "mug", "$.relations[0].head_entity_list", "must be a list of strings"),
    ("relations/0/head_determiner_list", ["1", "2"], "$.relations[0].head_determiner_list", "as long as"),
    ("relations/0/head_determiner_list/0", "the", "$.relations[0].head_determiner_list[0]", "no determiner"),
    ("relations/0/tail_entity_list/0", "desk", "$.relations[0].tail_entity_list[0]", "no component 'desk'"),
    ("relations/0/tail_entity_list", ["table", "mug"], "$.relations[0].tail_entity_list", "exactly one tail"),
    ("relations/0/tail_determiner_list/0", "2", "$.relations[0].tail_determiner_list[0]", "'a' or 'the'"),
    ("relations/0/tail_determiner_list/0", "all", "$.relations[0].tail_determiner_list[0]", "no determiner"),
    ("relations/0/tail_determiner_list/0", None, "$.relations[0].tail_determiner_list[0]", "expected a text"),
]


def errors_of(folder: Path) -> tuple[ChorewrightError, ...]:
    with pytest.raises(ChorewrightError) as caught:
        load_definitions(folder)
    return caught.value.errors if isinstance(caught.value, InputErrors) else (caught.value,)


@pytest.mark.parametrize(("place", "value", "json_path", "message"), MISTAKES)
def test_every_mistake_is_named_with_its_place(
    tmp_path: Path, place: str, value: object, json_path: str, message: str
) -> None:
    folder = write_definitions(tmp_path, serve=edited(SERVE, place, value))
    errors = errors_of(folder)
    found = [
        error
        for error in errors
        if error.location is not None and error.location.json_path == json_path and message in error.message
    ]
    assert found, [str(error) for error in errors]
    location = found[0].location
    assert location is not None
    assert Path(str(location.path)).name in ("serve.json", "wash.json")
    assert location.line is not None
    assert isinstance(found[0], InputError)


def test_a_null_anchor_in_a_relation(tmp_path: Path) -> None:
    folder = write_definitions(tmp_path, wash=edited(WASH, "task_anchor_object", None))
    (error,) = errors_of(folder)
    assert "the task 'Wash X' has no anchor object to be in a relation" in str(error)
    assert error.location is not None
    assert error.location.json_path == "$.relations[0].head_entity_list[0]"


def test_cycles_are_found_over_several_files(tmp_path: Path) -> None:
    def task(number: int, name: str, below: str) -> dict[str, Any]:
        part = {"determiner": "a", "task_name": below, "task_params": []}
        return {
            **edited(SERVE, "task_id", number),
            "task_name": name,
            "task_nparams": 0,
            "desc": "Go round.",
            "components": {"next": part},
            "relations": [],
        }

    folder = write_definitions(
        tmp_path, a=task(11, "A", "B"), b=task(12, "B", "C"), c=task(13, "C", "A"), d=task(14, "D", "A")
    )
    (error,) = errors_of(folder)
    assert "the task contains itself: A > B > C > A" in str(error)
    assert "c.json" in str(error)


# Files that are no definitions at all, and what is said.
TEXTS: list[tuple[str | bytes, type[ChorewrightError], str]] = [
    ("", InputError, "not JSON"),
    ("{", InputError, "not JSON"),
    ('{"task_id": 3,}', InputError, "not JSON"),
    ("[]", InputError, "expected an object, a task definition"),
    ("null", InputError, "expected an object, a task definition"),
    ('{"task_id": NaN}', InputError, "NaN is not a JSON number"),
    ('{"task_id": 3, "task_id": 4}', InputError, 'the key "task_id" occurs twice'),
    ("\0", InputError, "not JSON"),
    (b"\xff\xfe{\x00}\x00", InputError, "not UTF-8"),
    ("[" * 100_000 + "]" * 100_000, LimitError, "nested deeper than 60 levels"),
    ('{"a":' * 100_000 + "1" + "}" * 100_000, LimitError, "nested deeper than 60 levels"),
    (" " * 4_000_001, LimitError, "larger than"),
    ('{"task_id": ' + "9" * 10_000 + "}", InputError, "is too large"),
]


@pytest.mark.parametrize(("text", "kind", "message"), TEXTS, ids=range(len(TEXTS)))
def test_what_is_no_definition(tmp_path: Path, text: str | bytes, kind: type[ChorewrightError], message: str) -> None:
    folder = write_definitions(tmp_path, broken=text)
    errors = errors_of(folder)
    assert any(isinstance(error, kind) and message in str(error) for error in errors), list(map(str, errors))
    assert any("broken.json" in str(error) for error in errors)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    serve = edited(edited(SERVE, "desc", 5), "components/mug/determiner", "none")
    errors = errors_of(write_definitions(tmp_path, serve=serve, wash=edited(WASH, "relations", None)))
    assert len(errors) == 3


def test_folders_that_hold_no_definitions(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no task definition"):
        load_definitions(tmp_path)
    with pytest.raises(UsageError, match="cannot read the file"):
        load_definitions(tmp_path / "missing")


@pytest.mark.parametrize(
    ("task", "params", "message"),
    [
        ("Serve", [], "Serve takes 1 parameter, but 0 were given"),
        ("Serve", ["1", "2"], "Serve takes 1 parameter, but 2 were given"),
        ("Serve", [1], "parameter 0 of Serve is not a string: 1"),
        ("Sreve", ["1"], "there is no TEACh task 'Sreve'"),
        ("Serve", ["few"], "'few' is no determiner"),
        ("Serve", ["201"], "a determiner is at most 200"),
        ("Serve", ["-1"], "'-1' is no determiner"),
        ("Serve", ["²"], "'²' is no determiner"),
        ("Serve", ["all"], "the determiner of a sub-task cannot be 'all'"),
    ],
)
def test_parameters_that_do_not_fit(tmp_path: Path, task: str, params: list[str], message: str) -> None:
    definitions = load_definitions(write_definitions(tmp_path))
    with pytest.raises(ChorewrightError, match=re.escape(message)):
        definitions.task(task, params)


def test_nesting_has_a_limit(tmp_path: Path) -> None:
    """Each task contains the one before three times: 3**40 components, and 40 deep."""
    files = {}
    for number in range(40):
        part = {"determiner": "2", "task_name": f"T{number - 1}", "task_params": ["Mug"]}
        components = {"x": part, "y": part, "z": part} if number else WASH["components"]
        names = {"task_id": number + 10, "task_name": f"T{number}", "task_anchor_object": None}
        files[f"t{number}"] = {**WASH, **names, "components": components}
    definitions = load_definitions(write_definitions(tmp_path, **files))
    start = time.process_time()
    for name in ("T9", "T39"):
        with pytest.raises(LimitError, match="more than"):
            definitions.task(name, ["Mug"])
    assert time.process_time() - start < 5


def test_every_shipped_definition_has_sentences_and_notes() -> None:
    definitions = shipped_definitions()
    assert len(definitions.names) == 25
    for name in definitions.names:
        definition = definitions.find(name)
        assert definitions.find(definition.kebab) is definition
        assert definition.desc.endswith(".")
        assert all(definition.param_notes), name


def test_macros_as_the_reference_has_them() -> None:
    """Keys that change move behind the others, counts become numbers, later parameters come first."""
    definitions = shipped_definitions()
    clean = definitions.task("Clean X", ["Plate"])
    assert [part.key for part in clean.components] == ["sink", "Plate"]
    toggle = definitions.task("toggle-x-all-y", ["off", "0", "Faucet"]).components[0]
    assert isinstance(toggle, AtomicComponent)
    assert dict(toggle.conditions)["isToggled"] == 0
    breakfast = definitions.task("Breakfast", [str(k) if k != 13 else "Desk" for k in range(14)])
    salad = breakfast.component("salad")
    assert isinstance(salad, TaskComponent)
    assert salad.task.params == ("10", "11", "12")


def test_a_folder_of_ones_own_goes_before_the_shipped(tmp_path: Path) -> None:
    own = edited(edited(WASH, "task_name", "Clean X"), "desc", "Scrub a #0.")
    definitions = load_definitions(write_definitions(tmp_path, wash=own, serve={**WASH, "task_id": 9}),
                                   base=shipped_definitions())  # fmt: skip
    assert definitions.task("Sandwich", ["1", "1"]).components[-1].key == "plate"
    assert definitions.find("Clean X").desc == "Scrub a #0."
    assert definitions.find("Wash X").task_id == 9
    assert len(definitions.names) == 26


TOKEN = re.compile(r'"[^"]*"|[{}\[\],:]|[^\s{}\[\],:"]+')
TEXT = json.dumps(SERVE, indent=1)


def mutations() -> Iterator[str | bytes]:
    """Each prefix, each token left out or doubled, and odd bytes."""
    yield from (TEXT[:end] for end in range(0, len(TEXT), 13))
    for token in TOKEN.finditer(TEXT):
        yield TEXT[: token.start()] + TEXT[token.end() :]
        yield TEXT[: token.end()] + " " + TEXT[token.start() :]
    for odd in ("\0", "\x1b[31m", "\u202e", "\ud7ff", "\n", "'"):
        yield TEXT.replace("mug", odd)
    yield TEXT.encode("utf-8-sig")
    yield TEXT.replace("\n", "\r\n")
    yield TEXT.encode("utf-16")


def random_documents(number: int) -> Iterator[str]:
    """The definition with random values put elsewhere; random JSON and random characters."""
    generator = random.Random(5)
    values: list[object] = [None, True, -1, 2.5, "", "#0", "#12", "a", "the", "all", "0", [], {}, [1], {"a": 1}]
    words = TOKEN.findall(TEXT)
    for _ in range(number):
        document = SERVE
        for _ in range(generator.randint(1, 3)):
            places = list(leaves(document))
            value = generator.choice([*values, DELETED, leaf_of(document, generator.choice(places))])
            document = edited(document, generator.choice(places), value)
            if not document:
                break
        yield json.dumps(document)
        yield " ".join(generator.choices(words, k=generator.randint(1, 40)))
        yield "".join(generator.choices('{}[]":, \\0#a\n\0é', k=generator.randint(1, 60)))


def leaves(value: object, above: str = "") -> Iterator[str]:
    items: list[tuple[object, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, each in items:
        yield f"{above}{key}"
        yield from leaves(each, f"{above}{key}/")


def leaf_of(document: object, place: str) -> object:
    part: Any = document
    for step in place.split("/"):
        part = part[int(step)] if isinstance(part, list) else part[step]
    return part


def outcome(folder: Path, text: str | bytes) -> bool:
    """Whether a text is a definition; errors must be ours, with a place in a file, and printable."""
    (folder / "serve.json").write_bytes(text.encode("utf-8", "replace") if isinstance(text, str) else text)
    failure: ChorewrightError | None = None
    try:
        load_definitions(folder).task("Serve", ["2"])
    except ChorewrightError as error:
        failure = error
    if failure is None:
        return True
    every = failure.errors if isinstance(failure, InputErrors) else (failure,)
    for each in every:
        assert each.location is not None or isinstance(each, UsageError), str(each)
    assert all(line.isprintable() for line in render(failure).split("\n"))
    return False


def test_whatever_is_written_there_the_errors_are_ours(tmp_path: Path) -> None:
    folder = write_definitions(tmp_path)
    accepted = [outcome(folder, text) for text in (*mutations(), *random_documents(40))]
    assert 0 < sum(accepted) < len(accepted) / 4


@pytest.mark.slow
def test_ten_thousand_random_definitions(tmp_path: Path) -> None:
    folder = write_definitions(tmp_path)
    accepted = [outcome(folder, text) for text in random_documents(3400)]
    assert 0 < sum(accepted) < len(accepted) / 4


def test_places_are_where_the_values_stand() -> None:
    source = parse_json(TEXT, "serve.json")
    location = source.location(("relations", 0, "tail_determiner_list", 0))
    assert location.source_line is not None
    assert location.source_line.strip() == '"the"'
    assert location.column == location.source_line.index('"the"') + 1


@pytest.mark.parametrize(("own", "nested", "fits"), [(4, 0, True), (5, 0, False), (0, 2, True), (1, 2, False)])
def test_components_of_sub_tasks_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: int, nested: int, fits: bool
) -> None:
    """Four are allowed; each sub-task has two."""
    monkeypatch.setattr("chorewright.domains.teach.definitions.MOST_COMPONENTS", 4)
    (atomic,) = WASH["components"].values()
    pair = {**WASH, "task_id": 10, "task_name": "Pair", "components": {"x": atomic, "y": atomic}}
    parts = {f"own{number}": atomic for number in range(own)}
    parts |= {
        f"pair{number}": {"determiner": "a", "task_name": "Pair", "task_params": ["Mug"]} for number in range(nested)
    }
    whole = {**WASH, "task_id": 11, "task_name": "Whole", "components": parts}
    files = {"pair": {**pair, "task_anchor_object": None}, "whole": {**whole, "task_anchor_object": None}}
    definitions = load_definitions(write_definitions(tmp_path, **files))
    if fits:
        assert len(definitions.task("Whole", ["Mug"]).components) == own + nested
    else:
        with pytest.raises(LimitError, match="more than 4 components"):
            definitions.task("Whole", ["Mug"])
