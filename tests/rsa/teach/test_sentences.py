"""The sentences of dialogues: their parts, and what is refused."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from chorewright.errors import InputError
from chorewright.rsa.teach.sentences import Saying, parse_sentences, sentences, task_wordings

FOLDER = resources.files("chorewright.rsa") / "data"
TASKS = (FOLDER / "dialogue_tasks.json").read_text("utf-8")


def test_a_sentence_has_parts_with_acts() -> None:
    parts = (Saying("Acknowledge", "okay, the mug is > 1."), Saying("RequestForInstruction", "what now?"))
    assert sentences().sayings("okay> okay , the mug is > 1. // next> what now?") == parts


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("no mark", "mark of an act"),
        ("okay> a // b", "mark of an act"),
        ("okay> [nothing]", "no rule [nothing]"),
        ("okay> (a|b", "never closed"),
    ],
)
def test_lines_with_errors_are_refused(line: str, words: str) -> None:
    document = json.loads((FOLDER / "dialogues.json").read_text("utf-8"))
    document["lines"]["greet"] = [line]
    with pytest.raises(InputError) as caught:
        parse_sentences(json.dumps(document), TASKS)
    assert words in caught.value.message
    assert caught.value.location is not None


@pytest.mark.parametrize(
    ("desc", "said"),
    [
        ("Put 2 slice(s) of Apple on any CounterTop.", "put two slices of apple on any counter"),
        ("Serve 1 slice(s) of Tomato in 2 Bowl(s).", "serve one slice of tomato in two bowls"),
        ("Bring all RemoteControl to one SideTable", "bring all remotes to one side table"),
        ("Clean all the Drinkware.", "clean all the drinking vessels"),
        ("Watch the DiningTable", "watch the table"),
        ("TV time: use 1 Mug", "TV time: use one mug"),
    ],
)
def test_a_users_definition_reads_as_english(desc: str, said: str) -> None:
    assert task_wordings("a task of a user's", (), desc) == (said,)
