"""The sentences of dialogues: their parts, and what is refused."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from chorewright.errors import InputError
from chorewright.rsa.teach.sentences import Saying, parse_sentences, sentences

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
