"""The vocabulary against the facts file it was made from, the data of the benchmarks, and broken files."""

from __future__ import annotations

import json
import re

import pytest

from benchmarks.corpora.reference import sample
from chorewright.domains.library import household_domain, household_vocabulary
from chorewright.domains.pddl import types_below
from chorewright.domains.vocabulary_files import kebab, parse_vocabulary
from chorewright.errors import ChorewrightError, InputError, InputErrors

RENAMED = {"Glassbottle": "Bottle", "Cart": "SideTable"}


def test_every_kind_is_a_type_of_the_domain() -> None:
    vocabulary, domain = household_vocabulary(), household_domain()
    declared = {typed.name for typed in domain.types} - {"pose", "thing", "item", "fixture"}
    assert {kind.pddl_type for kind in vocabulary.kinds.values()} == declared
    assert set(vocabulary.set_members("item")) == set(vocabulary.set_members("pickupable"))
    assert len(vocabulary.set_members("thing")) == len(vocabulary.kinds)
    assert set(types_below(domain, "item")) - {"item"} == {
        vocabulary.kinds[kind].pddl_type for kind in vocabulary.set_members("item")
    }


def test_facts_are_those_of_the_scenes_metadata() -> None:
    """Affordances, pieces and classes equal TEACh's object_types.json."""
    types = json.loads(sample("teach/object_types.json").read_text())["types"]
    vocabulary = household_vocabulary()
    assert set(types) == set(vocabulary.kinds)
    for name, facts in types.items():
        kind = vocabulary.kinds[name]
        assert set(kind.classes) == set(facts.get("simbotObjectClass", [])[1:]), name
        for flag in ("pickupable", "openable", "toggleable", "sliceable", "cookable"):
            assert vocabulary.is_a(name, flag) == (flag in facts["flags"]) if flag in vocabulary.sets else True, name
        assert (kind.pieces.kind if kind.pieces else None) == facts.get("slices_into"), name
        assert set(facts.get("compatible_receptacles") or []) & set(types) <= {
            other for first, other in vocabulary.relations["fits"] if first == name
        }, name


def test_everything_that_demonstrations_put_somewhere_fits_there() -> None:
    """pairs.json: 475 pairs that agents made; only knives are ever dumped where they do not belong."""
    vocabulary = household_vocabulary()
    pairs = json.loads(sample("alfred/pairs.json").read_text())
    odd = set()
    for pair in (*pairs["put"], *pairs["initial"]):
        item, receptacle = (RENAMED.get(name, name) for name in pair.split("|"))
        if not vocabulary.fits(item, receptacle):
            odd.add(item)
    assert odd <= {"Knife", "ButterKnife"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [("CleaningProducts", "cleaning-products"), ("heat_source", "heat-source"), ("TVStand", "tvstand"), ("CD", "cd")],
)
def test_sets_are_named_in_kebab_case(name: str, expected: str) -> None:
    assert kebab(name) == expected


def test_names_are_found_in_any_case() -> None:
    vocabulary = household_vocabulary()
    assert vocabulary.kind("cellPHONE").name == "CellPhone"
    assert vocabulary.kind_of_type("cellphone") == vocabulary.kind("CellPhone")
    assert vocabulary.kind_of_type("item") is None
    assert vocabulary.set_members("PIECE") == vocabulary.set_members("piece")
    assert vocabulary.whole_of("AppleSliced") == "Apple"
    assert vocabulary.whole_of("Apple") is None
    for wrong in (
        lambda: vocabulary.kind("Mugg"),
        lambda: vocabulary.set_members("heatible"),
        lambda: vocabulary.is_related("fist", "Mug", "Desk"),
    ):
        with pytest.raises(InputError) as caught:
            wrong()
        assert (caught.value.hint or "").startswith("did you mean")


def test_every_kind_has_english_words() -> None:
    for kind in household_vocabulary().kinds.values():
        assert re.fullmatch(r"[A-Za-z ]+", kind.noun), kind.name
        assert kind.plural != kind.noun
        assert kind.article == ("an" if kind.noun[0] in "aeiou" else "a")
        assert kind.preposition in ("in", "on")
        assert len(set(kind.nouns)) == len(kind.nouns)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("{", None, "not JSON"),
        ('{"Mug": {}, "Mug": {}}', "$.Mug", 'the key "Mug" occurs twice'),
        ("[]", "$", "expected an object"),
        ('{"Mug": 1}', "$.Mug", "expected an object"),
        ('{"Mu g": {}}', '$["Mu g"]', "a kind's name"),
        ('{"Mug": {"noun": 3}}', "$.Mug.noun", "expected a string"),
        ('{"Mug": {"noun": "a\\nb"}}', "$.Mug.noun", "expected a string"),
        ('{"Mug": {"preposition": "under"}}', "$.Mug.preposition", 'expected "in" or "on"'),
        ('{"Mug": {"receptacle": "never"}}', "$.Mug.receptacle", 'expected "always"'),
        ('{"Mug": {"fits": "Desk"}}', "$.Mug.fits", "expected true, false or a list"),
        ('{"Mug": {"fits": ["Dsk"]}, "Desk": {}}', "$.Mug.fits[0]", "unknown kind 'Dsk'"),
        ('{"Mug": {"fits": [1]}}', "$.Mug.fits[0]", "expected a string, found 1"),
        ('{"Mug": {"pieces": {"kind": "Mug"}}}', "$.Mug.pieces", "the key 'count' is missing"),
        ('{"Mug": {"pieces": {"kind": "Mug", "count": 99}}}', "$.Mug.pieces.count", "expected a whole number"),
        ('{"Mug": {"pieces": {"kind": "Shard", "count": 2}}}', "$.Mug.pieces.kind", "unknown kind 'Shard'"),
        ('{"Mug": {}, "MUG": {}}', "$", "kinds 'MUG' and 'Mug' differ only in case"),
        ("[" * 100_000, None, "nested deeper than 60 levels"),
    ],
)
def test_broken_vocabularies(text: str, place: str | None, message: str) -> None:
    with pytest.raises(ChorewrightError) as caught:
        parse_vocabulary(text, "kinds.json")
    error = caught.value.errors[0] if isinstance(caught.value, InputErrors) else caught.value
    assert error.message.startswith(message)
    assert error.location is not None
    assert (error.location.path, error.location.line) == ("kinds.json", 1)
    assert error.location.json_path == place


def test_every_prefix_of_a_vocabulary_is_refused() -> None:
    text = '{"Mug": {"affordances": ["pickupable"], "fits": ["Desk"], "single": true}, "Desk": {"noun": "desk"}}'
    for cut in range(len(text)):
        with pytest.raises(InputError, match="not JSON"):
            parse_vocabulary(text[:cut])
