"""English words: articles, plurals, numbers, lists and sentences."""

from __future__ import annotations

import pytest

from chorewright.files import english

NOUNS = {
    "knife": ("a knife", "knives"), "butter knife": ("a butter knife", "butter knives"),
    "shelf": ("a shelf", "shelves"), "roof": ("a roof", "roofs"), "potato": ("a potato", "potatoes"),
    "photo": ("a photo", "photos"), "child": ("a child", "children"), "human": ("a human", "humans"),
    "box": ("a box", "boxes"), "key": ("a key", "keys"), "battery": ("a battery", "batteries"),
    "bottle of soap": ("a bottle of soap", "bottles of soap"),
    "piece of cutlery": ("a piece of cutlery", "pieces of cutlery"),
    "hour": ("an hour", "hours"), "utensil": ("a utensil", "utensils"), "umbrella": ("an umbrella", "umbrellas"),
    "one-way street": ("a one-way street", "one-way streets"),
    "unimportant box": ("an unimportant box", "unimportant boxes"),
    "CD": ("a CD", "CDs"), "LP": ("an LP", "LPs"), "fish": ("a fish", "fish"),
    "scissors": ("some scissors", "scissors"), "olive oil": ("some olive oil", "olive oil"),
}  # fmt: skip


@pytest.mark.parametrize("noun", NOUNS)
def test_nouns_have_articles_and_plurals(noun: str) -> None:
    assert (english.indefinite(noun), english.plural(noun)) == NOUNS[noun]


def test_numbers_are_words_up_to_twelve() -> None:
    assert [english.number_word(each) for each in (0, 1, 12, 13)] == ["no", "one", "twelve", "13"]
    assert [english.ordinal(each) for each in (1, 12, 13, 21, 112)] == ["first", "twelfth", "13th", "21st", "112th"]
    assert [english.say_count(each, "shelf") for each in (0, 1, 1200)] == ["0 shelves", "1 shelf", "1200 shelves"]
    units = {"beer": "bottle of beer", "plywood": "piece of plywood", "tongs": "pair of tongs"}
    assert {each: english.unit(each) for each in units} == units
    assert [english.unit(each) for each in ("cup", "pair of tongs")] == ["cup", "pair of tongs"]


def test_lists_and_sentences() -> None:
    assert [english.say_list("abc"[:each]) for each in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert english.say_list("abc", "or", comma=True) == "a, b, or c"
    assert [english.sentence(each) for each in ("take  it , then go.", "why?", "")] == ["Take it, then go.", "Why?", ""]


@pytest.mark.parametrize(("text", "said"), [("a  b ,c", "a b,c"), ("a, , b", "a, b"), ("a ,.", "a."), (" a ?", "a?")])
def test_text_is_tidied(text: str, said: str) -> None:
    assert english.tidy(text) == said
