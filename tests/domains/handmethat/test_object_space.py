"""HandMeThat's tables as data: against the paper's counts, the domain's types and the reference's objects."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from benchmarks.corpora.reference import Corpus
from chorewright.domains.handmethat.object_space import category_of, object_name, object_space, reference_name
from chorewright.domains.library import handmethat_domain, load_shipped_library
from chorewright.errors import InputError
from tests.handmethat import episodes
from tests.reference import each_corpus

# Table 9: the actions and the number of their arguments.
ACTIONS = {
    "move": 3, "pick-up-at-loc": 3, "pick-up-from-rec-at-loc": 4, "put-inside-loc": 3, "put-ontop-loc": 3,
    "put-inside-rec-at-loc": 4, "put-ontop-rec-at-loc": 4, "open-loc": 2, "close-loc": 2,
    "open-rec-at-loc": 3,
    "close-rec-at-loc": 3, "toggle-on-loc": 2, "toggle-off-loc": 2, "toggle-on-obj-at-loc": 3,
    "toggle-off-obj-at-loc": 3, "heat-obj": 3, "cool-obj": 3, "soak-obj": 3, "slice-obj": 4,
    "clean-obj-at-loc": 4, "clean-loc": 3, "bring-to-human": 3, "take-from-human": 3,
}  # fmt: skip


def test_the_classes_have_as_many_categories_as_in_table_7() -> None:
    space = object_space()
    counts = Counter(category.kind for category in space.categories.values())
    assert counts == {"location": 16, "receptacle": 27, "food": 49, "tool": 36, "thing": 27}
    subclasses = Counter(space.categories[members[0]].kind for members in space.subclasses.values())
    assert subclasses == {"receptacle": 13, "food": 8, "tool": 10, "thing": 7}
    assert sum(counts.values()) == 155
    assert space.positions.keys() == space.numbers.keys() == space.subclasses.keys()


def test_the_domain_has_the_categories_as_types_below_their_classes() -> None:
    domain, space = handmethat_domain(), object_space()
    parents = {typed.name: typed.types for typed in domain.types}
    for category in space.categories.values():
        above = [category.subclass, category.kind] if category.subclass else [category.kind]
        chain = list(dict.fromkeys([category.name, *above]))
        for lower, upper in pairwise(chain):
            assert parents[lower] == (upper,)
    known = {*space.categories, *space.subclasses, *space.classes}
    assert parents.keys() - known == {"place", "movable", "agent", "human", "robot", "item"}


def test_the_actions_are_those_of_table_9() -> None:
    assert {action.name: len(action.parameters) for action in handmethat_domain().actions} == ACTIONS


@each_corpus
def test_the_reference_s_objects_have_the_same_classes_abilities_states_and_positions(corpus: Corpus) -> None:
    space = object_space()
    seen: set[str] = set()
    for _, episode in episodes(corpus):
        objects = episode["initial_object_dict"]
        for name, entry in objects.items():
            category = space.category_of_reference(entry["type"])
            seen.add(category.name)
            assert reference_name(object_name(name, space), space) == name
            assert entry["class"] == category.kind.upper()
            assert entry["subclass"] == (category.subclass.replace("-", "_") or category.relation)
            tools = [f"{space.categories[tool].reference}-cleanable" for tool in category.cleaned_by]
            assert entry["ability"] == [*category.properties, *tools]
            assert list(entry["states"]) == [*space.states_of(category.name), *space.attributes_of(category.name)]
            if category.movable:
                relation = "inside" if "inside" in entry else "ontop"
                where = space.categories[category_of(object_name(entry[relation], space))]
                assert where.relation == relation
                assert {where.name, where.subclass} & set(space.positions[category.subclass])
    assert seen == set(space.categories)


@pytest.mark.parametrize("name", ["apple", "apple#x", "apple#", "table#0", "unicorn#1", "", "#0"])
def test_what_is_no_name_of_the_reference(name: str) -> None:
    with pytest.raises(InputError, match="HandMeThat"):
        object_name(name, object_space())


def test_the_vocabulary_says_the_categories() -> None:
    vocabulary = load_shipped_library().vocabulary("handmethat")
    assert vocabulary.set_members("fruit") == object_space().members("fruit")
    assert vocabulary.set_members("openable") == tuple(
        each.name for each in object_space().categories.values() if "openable" in each.properties
    )
    said = [(kind.a_noun, kind.plural) for kind in map(vocabulary.kind, ("knife", "bread", "xmas-tree", "box"))]
    assert said == [("a knife", "knives"), ("some bread", "bread"), ("a Xmas tree", "Xmas trees"), ("a box", "boxes")]
    assert {vocabulary.kind(name).preposition for name in ("table", "tray", "chair")} == {"on"}
