"""What sentences say of places is true, one thing has one noun, and similar things are told apart."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np
import pytest

from benchmarks.alfred_language import corpus_bleu, self_bleu, tokens
from benchmarks.alfred_references import Verdict, judge
from chorewright.rsa.household.directives import Annotation, directives
from chorewright.rsa.household.nouns import choose_names, load_nouns
from chorewright.rsa.words.guesses import household_lexicon
from tests.rsa.household.demonstrations import Demonstration, demonstrations


@lru_cache(maxsize=1)
def said() -> tuple[tuple[Demonstration, tuple[Annotation, ...]], ...]:
    """120 recorded demonstrations in our words."""
    return tuple(
        (demo, directives(demo.meaning, demo.legs, demo.scene, np.random.default_rng(index)))
        for index, demo in enumerate(demonstrations(step=5, count=120))
    )


def verdicts() -> list[Verdict]:
    return [each for demo, spoken in said() for one in spoken for each in judge(one, demo.legs, demo.scene)]


def test_references_are_right_by_geometry() -> None:
    found = verdicts()
    wrong = [each for each in found if not each.right]
    assert len(found) > 500
    assert len(wrong) <= 0.01 * len(found), wrong[:5]
    assert {"left of", "right of", "near", "between", "next to"} <= {each.phrase for each in found}


def test_the_check_sees_what_is_wrong() -> None:
    """Left and right exchanged, the check finds most of them false."""
    swap = {"left": "right", "right": "left"}
    wrong = total = 0
    for demo, spoken in said():
        for one in spoken:
            steps = tuple(
                " ".join(swap.get(word, word) for word in step.replace(".", " .").split(" ")).replace(" .", ".")
                for step in one.steps
            )
            found = [
                each for each in judge(Annotation("", steps), demo.legs, demo.scene) if each.phrase.endswith(" of")
            ]
            found = [each for each in found if each.phrase in ("left of", "right of")]
            total += len(found)
            wrong += sum(not each.right for each in found)
    assert total > 100
    assert wrong >= 0.9 * total


def test_one_noun_through_an_episode() -> None:
    """A goal's noun is that of the steps."""
    lexicon, table = household_lexicon(), load_nouns()
    missed: Counter[str] = Counter()
    for demo, spoken in said():
        kind = demo.meaning.kinds["object"]
        forms = [table.noun(word, kind, lexicon) for word in table.of(kind, lexicon).nouns]
        for one in spoken:
            text = " ".join(one.steps).lower()
            goal = one.goal.lower()
            nouns = {each.word.lower() for each in forms if each.word.lower() in goal or each.one.lower() in goal}
            if nouns and not any(noun in text for noun in nouns) and "whole" not in demo.meaning.kinds:
                missed[f"{one.goal} {text}"] += 1
    assert sum(missed.values()) <= 0.02 * 3 * len(said()), missed.most_common(3)


@pytest.mark.parametrize(
    ("kinds", "kind", "never"),
    [
        (("Knife", "ButterKnife"), "Knife", "knife"),
        (("Knife", "ButterKnife"), "ButterKnife", "knife"),
        (("Chair", "ArmChair"), "ArmChair", "chair"),
        (("Cup", "Mug"), "Cup", "cup"),
        (("Cup", "Mug"), "Mug", "cup"),
        (("DeskLamp", "FloorLamp"), "DeskLamp", "lamp"),
        (("DiningTable", "SideTable"), "SideTable", "table"),
    ],
)
def test_similar_kinds_have_different_nouns(kinds: tuple[str, ...], kind: str, never: str) -> None:
    table, lexicon = load_nouns(), household_lexicon()
    rng = np.random.default_rng(0)
    found = {choose_names(table, lexicon, kinds, "living_room", rng).noun(kind).word for _ in range(200)}
    alone = {choose_names(table, lexicon, (kind,), "living_room", rng).noun(kind).word for _ in range(200)}
    assert never not in found
    assert never in alone


def test_metrics_on_known_sentences() -> None:
    same = [tokens("put the mug in the sink now")] * 8
    assert self_bleu(same, 0) == pytest.approx(100.0)
    assert corpus_bleu([(same[0], [same[1]])]) == pytest.approx(100.0)
    assert corpus_bleu([(tokens("a b c d"), [tokens("w x y z")])]) == 0.0
    others = [tuple(f"{word}{number}" for word in "abcdef") for number in range(5)]
    assert self_bleu(others, 0) < 5
    # NLTK's worked example of corpus BLEU: two hypotheses with three and one references.
    first = tokens("It is a guide to action which ensures that the military always obeys the commands of the party")
    references = [
        tokens("It is a guide to action that ensures that the military will forever heed Party commands"),
        tokens("It is the guiding principle which guarantees the military forces always "
               "being under the command of the Party"),
        tokens("It is the practical guide for the army always to heed the directions of the party"),
    ]  # fmt: skip
    second = tokens("he read the book because he was interested in world history")
    reference = [tokens("he was interested in world history because he read the book")]
    assert corpus_bleu([(first, references), (second, reference)]) == pytest.approx(59.20, abs=0.6)
