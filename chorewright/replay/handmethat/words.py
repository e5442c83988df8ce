"""The words of the text world: names for things, and things for names. All words are data."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources

from chorewright.domains.handmethat.object_space import Category, object_space
from chorewright.problems.handmethat.scene import Entity, Scene
from chorewright.rsa.handmethat.requests import name_of


@dataclass(frozen=True)
class Words:
    """The data of the text world; the data file explains each entry."""

    articles: tuple[str, ...]
    agents: Mapping[str, str]
    states: Mapping[str, tuple[str, str]]
    commands: Mapping[str, tuple[str, ...]]
    observations: Mapping[str, str]
    free: Mapping[str, str]
    question: str
    sentences: Mapping[str, str]
    help: tuple[str, ...]

    @cached_property
    def categories(self) -> Mapping[str, Category]:
        """The categories by all their names, in lower case."""
        found: dict[str, Category] = {}
        for category in object_space().categories.values():
            for name in (category.noun, category.name, category.reference):
                found[folded(name)] = category
        return found

    def say(self, sentence: str, /, **parts: str) -> str:
        """Return one of the sentences with its parts filled in."""
        return self.sentences[sentence].format(**parts)


def parse_words(text: str) -> Words:
    """Read the data of the text world from JSON of the shape of the shipped file."""
    document = json.loads(text)
    actions = document["actions"]
    return Words(
        tuple(document["articles"]),
        dict(document["agents"]),
        {state: (yes, no) for state, (yes, no) in document["states"].items()},
        {name: tuple(entry["commands"]) for name, entry in actions.items()},
        {name: entry["observation"] for name, entry in actions.items()},
        {word: name for name, each in document["free"].items() for word in each},
        document["question"],
        dict(document["sentences"]),
        tuple(document["help"]),
    )


@lru_cache(maxsize=1)
def words() -> Words:
    """Return the shipped words; they are read once."""
    path = resources.files("chorewright.replay") / "data" / "handmethat_text.json"
    return parse_words(path.read_text("utf-8"))


def folded(text: str) -> str:
    """Return a text in lower case, with single blanks and no hyphens, underscores or number signs."""
    return " ".join(re.sub(r"[-_#]", " ", text.lower()).split())


@lru_cache(maxsize=4096)
def called(name: str) -> str:
    """Return the name of an object, location or agent: ``box 0``, ``table``, ``human``."""
    return words().agents.get(name) or name_of(name)


def shown(entity: Entity) -> str:
    """Return the name of an object with its looks: ``large red closed box 0``."""
    found = [each for each in (entity.size, entity.color) if each]
    for state in object_space().states:
        if entity.can_be(state):
            yes, no = words().states.get(state, (state, ""))
            found.append(yes if state in entity.states else no)
    return " ".join((*filter(None, found), called(entity.name)))


def listed(things: Sequence[str]) -> str:
    """Return things as a list: ``box 0, sock 1``; ``nothing``."""
    return ", ".join(things) if things else words().sentences["nothing"]


class Lexicon:
    """The objects of one scene by their names in text.

    The number can be left out where there is one object of a category only. Names of objects that the scene
    does not have are understood, too.
    """

    def __init__(self, scene: Scene) -> None:
        self._alone = {
            category: members[0].name for category, members in scene.by_category.items() if len(members) == 1
        }

    def name_of(self, phrase: str) -> str | None:
        """Return the id of what a phrase in lower case names; None if it names nothing."""
        known = words()
        parts = folded(phrase).split()
        if parts and parts[0] in known.articles:
            parts = parts[1:]
        for name, noun in known.agents.items():
            if parts == [noun]:
                return name
        number = parts[-1] if parts and re.fullmatch(r"[0-9]{1,3}", parts[-1]) else ""
        category = known.categories.get(" ".join(parts[:-1] if number else parts))
        if category is None:
            return None
        if number:
            return f"{category.name}_{int(number)}"
        return self._alone.get(category.name)
