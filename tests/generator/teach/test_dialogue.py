"""What Commander and Follower say: its order, who looks what up, and that what is told of places is true."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.domains.teach.progress import check
from chorewright.errors import InputError
from chorewright.files.english import tidy
from chorewright.generator.teach import dialogue as dialogues
from chorewright.generator.teach.compiling import compile_teach
from chorewright.generator.teach.dialogue import PROGRESS, SEARCH, SELECT, TEXT, Utterance, parts_of, utterances
from chorewright.replay.teach.world import INTERACTIONS, teach_world
from chorewright.rsa.household.nouns import load_nouns
from chorewright.rsa.teach.deeds import Talk
from chorewright.rsa.teach.sentences import (
    COMMANDER,
    FOLLOWER,
    parse_sentences,
    sentences,
    task_wordings,
    unclear_wordings,
)
from chorewright.rsa.words.grammar import Style
from chorewright.rsa.words.guesses import household_lexicon
from tests.generator.teach.episodes import TASKS, demonstration

SEEDS = range(16)
INSTRUCTION = "Instruction"
ACTS = {
    "Instruction", "Acknowledge", "InformationOnObjectDetails", "RequestForInstruction", "FeedbackPositive",
    "Greetings/Salutations", "RequestForObjectLocationAndOtherDetails", "InformationOther", "Confirm",
    "RequestOtherInfo", "MiscOther", "RequestMore", "OtherInterfaceComment", "Affirm", "NotifyFailure", "Deny",
    "AlternateQuestions", "FeedbackNegative",
}  # fmt: skip
"""The acts of Gella et al. 2022 (TEACh-DA)."""
PARAMS = {
    "Put All X On Y": ("Silverware", "in", "Drawer"),
    "Put All X In One Y": ("Newspaper", "on", "Tables"),
    "N Slices Of X In Y": ("1", "Tomato", "on", "Plate"),
    "N Cooked Slices Of X In Y": ("3", "Potato", "in", "Bowl"),
    "Toggle X All Y": ("off", "0", "Lights"),
    "Breakfast": ("1", "1", "1", "Plate", "1", "Bowl", "1", "1", "1", "1", "1", "1", "1", "DiningTable"),
}


@pytest.mark.parametrize(
    ("task", "params", "parts"),
    [
        ("Coffee", (), 0),
        ("Put All X On Y", ("Fork", "in", "Drawer"), 1),
        ("Tutorial", (), 2),
        ("Sandwich", ("0", "0"), 3),
    ],
)
def test_sub_goals_are_said_one_by_one_where_there_are_several(
    monkeypatch: pytest.MonkeyPatch, task: str, params: tuple[str, ...], parts: int
) -> None:
    compiled = compile_teach(task, params, "FloorPlan7", 3)
    begun = check(compiled.task, teach_world(compiled.scene))
    nothing: dict[str, Any] = dict.fromkeys(("stages", "mishaps", "events", "actions", "unperturbed", "subgoals"), ())
    heard: list[Talk] = []
    monkeypatch.setattr(dialogues, "legs_of", lambda *plan: ())
    monkeypatch.setattr(dialogues, "dialogue", lambda talk, rng: heard.append(talk) or ())
    monkeypatch.setattr(dialogues, "_write_timed", lambda said, demonstration, rng: said)
    dialogues.utterances(SimpleNamespace(compiled=compiled, begun=begun, **nothing), np.random.default_rng(0))
    (talk,) = heard
    assert (talk.parts is not None) == (parts > 1)


@pytest.fixture(scope="module", params=range(len(TASKS)), ids=[name for name, _, _ in TASKS])
def which(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


@cache
def said_by(which: int, seed: int) -> tuple[Utterance, ...]:
    return utterances(demonstration(*TASKS[which]), np.random.default_rng(seed))


def phrase(line: str, rng: np.random.Generator) -> str:
    return tidy(Style(sentences().grammar, rng, habit=0).fill(line, {}))


@pytest.mark.parametrize("name", shipped_definitions().names)
def test_every_task_has_wordings(name: str) -> None:
    definition = shipped_definitions().find(name)
    params = PARAMS.get(name, ("Mug", "1", "Book")[: definition.nparams])
    lines = task_wordings(name, params, definition.desc)
    assert lines
    for line in lines:
        said = phrase(line, np.random.default_rng(0))
        assert not re.search(r"[{}#<>|\[\]]", said), said
        assert said == said.strip().rstrip(".")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Put All X On Y", "put all pieces of silverware in any drawer"),
        ("Put All X In One Y", "put all newspapers on one table"),
        ("N Slices Of X In Y", "cut one slice of tomato and serve it on a plate"),
        ("N Cooked Slices Of X In Y", "cook three slices of potato and serve them in a bowl"),
        ("Sandwich 1 2", "make a sandwich of toast, one slice of lettuce, two slices of tomato"),
        ("Sandwich 0 1", "make a sandwich of toast, one slice of tomato"),
        ("Salad 2 0 1", "prepare a salad of two slices of lettuce, one cooked slice of potato, on a clean plate"),
        (
            "Breakfast 2 0 0 Plate 0 Bowl 2 0 1 1 1 0 0 DiningTable",
            "prepare breakfast on the table: two mugs of coffee, two sandwiches (toast, one slice of tomato), "
            "one salad (a plate, one slice of lettuce)",
        ),
    ],
)
def test_parameters_become_words(name: str, said: str) -> None:
    task, *params = (name, *PARAMS[name]) if name in PARAMS else name.split()
    rng = np.random.default_rng(0)
    lines = task_wordings(task, params, "")
    assert said in {phrase(line, rng) for line in lines for _ in range(150)}


@pytest.mark.parametrize(
    ("name", "task", "tell"),
    [
        ("N Slices Of X In Y 3 Tomato on Plate", "cut some tomato and serve it", "three slices, on a plate"),
        ("Sandwich 0 1", "make a sandwich", "two slices of toast, one slice of tomato, all on a clean plate"),
        ("Boil X Potato", "cook a potato", "boil it in water"),
    ],
)
def test_what_a_wording_leaves_open_is_answered(name: str, task: str, tell: str) -> None:
    known = next(each for each in sentences().unclear if name.startswith(each))
    rng = np.random.default_rng(0)
    found = unclear_wordings(known, name.removeprefix(known).split())
    said = [{phrase(line, rng) for _ in range(50)} for line in (found[0].task, found[0].tell)]
    assert task in said[0]
    assert tell in said[1]


def test_the_same_seed_gives_the_same_words_and_others_give_others(which: int) -> None:
    said = [said_by(which, seed) for seed in SEEDS]
    assert said[0] == utterances(demonstration(*TASKS[which]), np.random.default_rng(0))
    assert len({tuple(each.text for each in one) for one in said}) > len(SEEDS) / 2


def test_utterances_come_in_order_and_the_commander_looks_before_it_speaks(which: int) -> None:
    actions = demonstration(*TASKS[which]).actions
    for seed in SEEDS:
        said = said_by(which, seed)
        assert [each.before for each in said] == sorted(each.before for each in said)
        assert all(0 <= each.before <= len(actions) for each in said)
        assert {each.agent for each in said} <= {COMMANDER, FOLLOWER}
        for before, each in pairwise(said):
            if each.level in ("goal", "step"):
                assert (each.agent, before.action) == (COMMANDER, PROGRESS)
            if each.level == "answer":
                assert each.agent == COMMANDER
                assert before.action in (SEARCH, SELECT)
                assert before.details["query"] in (each.details["about"], each.details["about"].split("|")[0])
        *_, checked, last = [each for each in said if each.agent == COMMANDER]
        assert (checked.action, last.action, last.before) == (PROGRESS, TEXT, len(actions))


def test_nobody_asks_what_is_next_before_anything_was_done(which: int) -> None:
    """After an instruction the Follower does not ask for the next one at once."""
    for seed in SEEDS:
        said = [each for each in said_by(which, seed) if each.action == TEXT]
        for before, each in pairwise(said):
            if INSTRUCTION in before.acts and before.before == each.before:
                assert "RequestForInstruction" not in each.acts, (before.text, each.text)


def test_nobody_asks_where_something_is_twice_or_after_it_was_told(which: int) -> None:
    for seed in SEEDS:
        told: set[str] = set()
        for each in said_by(which, seed):
            if each.action == TEXT and "about" in each.details and each.level == "question":
                assert each.details["about"] not in told, each.text
                told.add(each.details["about"])


def test_the_task_is_said_before_anything_is_done(which: int) -> None:
    for seed in SEEDS:
        first = next(each for each in said_by(which, seed) if INSTRUCTION in each.acts)
        assert (first.level, first.before, first.agent) == ("goal", 0, COMMANDER)


def test_every_utterance_has_its_acts_and_their_texts(which: int) -> None:
    for seed in SEEDS:
        for each in said_by(which, seed):
            if each.action == TEXT:
                assert 1 <= len(each.acts) <= 3
                assert set(each.acts) <= ACTS
                assert " ".join(each.segments) == each.text
                assert all(each.segments)


def test_all_acts_have_sentences() -> None:
    words = sentences()
    lines = json.loads((resources.files("chorewright.rsa") / "data" / "dialogues.json").read_text("utf-8"))["lines"]
    texts = [text for line in lines.values() for text in line]
    marks = {part.partition("> ")[0] for text in texts for part in text.split(" // ")}
    assert {words.acts[mark] for mark in marks} == ACTS


def test_every_line_is_a_line_of_words(which: int) -> None:
    for seed in SEEDS:
        for each in said_by(which, seed):
            if each.action != TEXT:
                assert (each.text, each.level) == ("", "")
                continue
            assert re.fullmatch(r"[A-Za-z0-9 ,.;?!:()'-]+", each.text), each.text
            assert "  " not in each.text
            assert len(each.text.split()) <= 45
            assert each.level in ("goal", "step", "utterance", "question", "answer")


def test_answers_say_where_things_are(which: int) -> None:
    """The receptacle that an answer names holds the thing when it is asked for."""
    table, lexicon, done = load_nouns(), household_lexicon(), demonstration(*TASKS[which])
    answered = 0
    for seed in SEEDS:
        for each in said_by(which, seed):
            if each.level != "answer":
                continue
            fetched = next((a for a in done.actions[each.before :] if a.name in INTERACTIONS), None)
            assert fetched is not None
            if fetched.name != "Pickup" or fetched.call.arguments["objectId"] != each.details["about"]:
                continue
            segment = done.actions[each.before].segment
            scene = done.stages[segment - 1] if segment else done.compiled.scene
            things = {thing.object_id: thing for thing in scene.objects}
            parents = things[each.details["about"]].parents
            nouns = [noun for name in parents for noun in table.of(things[name].kind, lexicon).nouns]
            assert any(noun in each.text.lower() for noun in nouns), (each.text, parents)
            answered += 1
    assert answered > 3


def test_parts_are_in_the_order_in_which_they_are_done() -> None:
    found = parts_of(demonstration(*TASKS[2]))  # the sandwich
    legs = [part.leg for part in found]
    assert legs[0] == 0
    assert legs == sorted(set(legs))
    task = demonstration(*TASKS[2]).compiled.task
    progress = [len(found), sum(not goal.success for goal in demonstration(*TASKS[2]).begun.subgoals)]
    assert progress[0] <= progress[1]
    assert teach_world(demonstration(*TASKS[2]).stages[-1]).things
    assert task.name == "Sandwich"


def test_all_styles_are_spoken() -> None:
    """Over many seeds the Commander says the goal only, parts, and steps."""
    counts = []
    for seed in range(32):
        said = said_by(2, seed)
        counts.append(sum(each.level == "step" for each in said))
    assert min(counts) <= 2
    assert max(counts) >= 8


@pytest.mark.parametrize("spoil", ["talkative", "lines", "chances", "groups", "classes", "unclear"])
def test_data_that_lacks_an_entry_is_refused(spoil: str) -> None:
    texts = _data()
    documents = [json.loads(text) for text in texts]
    for document in documents:
        document.pop(spoil, None)
    with pytest.raises(InputError):
        parse_sentences(*map(json.dumps, documents))
    with pytest.raises(InputError):
        parse_sentences(texts[0][:-20], texts[1])


def _data() -> list[str]:
    folder = resources.files("chorewright.rsa") / "data"
    return [(folder / name).read_text("utf-8") for name in ("dialogues.json", "dialogue_tasks.json")]


def test_chances_are_given_for_every_style() -> None:
    data = sentences()
    assert sum(data.styles.values()) == pytest.approx(1.0)
    for name, chances in data.chances.items():
        assert set(chances) == set(data.styles), name
        assert all(0 <= chance <= 1 for chance in chances.values())
