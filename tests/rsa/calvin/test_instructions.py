"""Instructions for CALVIN's tasks: enough wordings, none for two tasks; users' files in CALVIN's format."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import yaml

from chorewright.errors import ChorewrightError, ExitCode, UsageError, render
from chorewright.problems.calvin.tasks import tasks
from chorewright.rsa.calvin.instructions import load_instructions, own_instructions, sentences, validation_sentence

COLOURS = ("red", "blue", "pink")


def test_every_task_has_ten_wordings_and_one_held_out() -> None:
    own = own_instructions()
    assert list(own.training) == list(own.validation) == list(tasks())
    for task in tasks():
        assert len(set(sentences(task))) == len(sentences(task)) >= 10
        assert own.validation[task] == (validation_sentence(task),)


def test_a_sentence_is_said_of_one_task_only_and_whole() -> None:
    own = own_instructions()
    every = [sentence for known in (own.training, own.validation) for said in known.values() for sentence in said]
    assert max(Counter(every).values()) == 1
    for sentence in every:
        assert sentence == " ".join(sentence.split())
        assert not set("{}[]|_.") & set(sentence)


@pytest.mark.parametrize("name", list(tasks()))
def test_a_sentence_says_the_colour_and_the_direction(name: str) -> None:
    words = name.split("_")
    for sentence in (*sentences(name), validation_sentence(name)):
        said = sentence.split()
        for colour in COLOURS:
            assert (colour in said) == (colour in words), sentence
        if words[-1] in ("left", "right") and "slider" not in words:
            other = {"left": "right", "right": "left"}[words[-1]]
            assert other not in sentence.replace("counterclockwise", ""), sentence
            turn = {"left": "counterclockwise", "right": "clockwise"}[words[-1]]
            assert words[-1] in sentence or turn in said, sentence
        if words[0] == "lift" or words[0] == "place":
            place = {"table": "table", "slider": "cabinet", "drawer": "drawer"}[words[-1]]
            assert place in sentence or "compartment" in sentence, sentence


@pytest.mark.parametrize("colour", COLOURS)
def test_what_calvin_holds_out_is_not_among_ours(colour: str) -> None:
    """Known of CALVIN's file of sentences for validation: what it says of lifting a block in the drawer."""
    own = own_instructions()
    every = {said.casefold() for known in (own.training, own.validation) for each in known.values() for said in each}
    assert f"take the {colour} block from the drawer" not in every


@pytest.mark.parametrize(
    "odd",
    [
        r"\bbefore the \w+ compartment",
        r"\b(grasp|grab|remove)\b.*\boff the\b",
        r"\b(store|lay)\b.*\binto\b",
        r"\bdraw the drawer open\b",
        r"\b(grasp|grab)\b.*\b(from|out of) the\b",
        r"\bsmall\b",
    ],
)
def test_verbs_go_with_their_prepositions(odd: str) -> None:
    own = own_instructions()
    every = [said for known in (own.training, own.validation) for each in known.values() for said in each]
    assert [said for said in every if re.search(odd, said)] == []


def test_drawing_is_even_and_from_the_training_only() -> None:
    rng = np.random.default_rng(1)
    times = Counter(own_instructions().draw("open_drawer", rng) for _ in range(3000))
    assert set(times) == set(sentences("open_drawer"))
    mean = 3000 / len(times)
    assert all(abs(each - mean) < 5 * mean**0.5 for each in times.values())


@pytest.mark.parametrize("ask", [sentences, validation_sentence])
def test_an_unknown_task_is_refused(ask: object) -> None:
    assert callable(ask)
    with pytest.raises(UsageError, match="no tabletop task 'open_drawr'") as caught:
        ask("open_drawr")
    assert caught.value.hint == "did you mean 'open_drawer'?"


def annotations(**changes: object) -> dict[str, object]:
    return {**{task: [f"do {task} now", f"please  do {task}\n"] for task in tasks()}, **changes}


def test_a_users_annotations(tmp_path: Path) -> None:
    training, validation = tmp_path / "training.yaml", tmp_path / "validation.yaml"
    training.write_text(yaml.safe_dump(annotations()), "utf-8")
    validation.write_text(yaml.safe_dump({task: [f"{task}!"] for task in tasks()}), "utf-8")
    found = load_instructions(training, validation)
    assert list(found.training) == list(tasks())
    assert found.training["stack_block"] == ("do stack_block now", "please do stack_block")
    assert found.validation["stack_block"] == ("stack_block!",)
    assert load_instructions(training).validation == own_instructions().validation


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ": expected tasks with lists"),
        ("- open_drawer", ":1:1: expected tasks with lists"),
        ("open_drawer: [open", ":1:19: not YAML"),
        ("open_drawer: 'open", "not YAML"),
        ("open_drawer: open it", ":1:14: open_drawer must have a list"),
        ("open_drawer: []", ":1:14: open_drawer must have a list"),
        ("open_drawer: [open, yes]", ":1:21: expected a sentence"),
        ("open_drawer: [open, {a: b}]", ":1:21: expected a sentence"),
        ("open_drawer: ['  ']", "expected a sentence"),
        ("open_drawr: [open]", "did you mean 'open_drawer'?"),
        ("? [a]\n: [open]", ":1:3: there is no tabletop task"),
        ("open_drawer: [open]\nopen_drawer: [open]", ":2:1: the task 'open_drawer' occurs twice"),
        ("open_drawer: [open]", ":1:1: 33 of the 34 tasks have no sentences: rotate_red_block_right"),
        ("open_drawer: !!python/object/apply:os.system ['true']", ":1:14: "),
        ("a: &a [x]\nb: *c", "not YAML"),
        ("\x01", "not YAML"),
        ("[" * 3000, "nested too deep"),
        ("x" * 5_000_000, "larger than"),
    ],
)
def test_bad_annotations(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ChorewrightError) as caught:
        load_instructions(path)
    assert caught.value.exit_code == ExitCode.BAD_INPUT
    assert render(caught.value).startswith(str(path))
    assert said in render(caught.value)


def test_other_bad_annotations(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    with pytest.raises(ChorewrightError, match="cannot read"):
        load_instructions(path)
    path.write_bytes(b"open_drawer:\n- \xff")
    with pytest.raises(ChorewrightError, match="not UTF-8") as caught:
        load_instructions(path)
    assert caught.value.location is not None
    assert caught.value.location.line == 2
    path.write_text(yaml.safe_dump(annotations(open_drawer=[validation_sentence("open_drawer")])), "utf-8")
    with pytest.raises(ChorewrightError, match="for training and also for validation"):
        load_instructions(path)
