"""What the things of an activity are called: by the word of their synset, numbered where there are several."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from chorewright.domains.behavior.lowering import synset_word
from chorewright.domains.behavior.syntax import Activity, constant
from chorewright.files.english import indefinite, is_plural, number_word, ordinal, plural, unit

_STATES = re.compile(r"(half|diced|cooked|melted)__(.+)\Z")
_CONTAINERS = (
    *("atomizer", "bag", "bottle", "bowl", "box", "bucket", "can", "carton", "case", "cup", "dispenser", "jar", "jug"),
    *("keg", "pack", "packet", "sack", "shaker", "tin", "tube"),
)


MOST_ORDINALS = 10
"""So many things are told apart by ordinals; more by numbers."""

_PHRASES = {"money": "sum of money", "trouser": "pair of trousers"}
"""Nouns that are counted as phrases."""


def noun_of(synset: str) -> str:
    """Return the noun of a synset: ``bottle of liquid soap`` of ``liquid_soap__bottle.n.01``, ``half of an apple``."""
    word = synset.rsplit(".", 2)[0]
    if word in _PHRASES:
        return _PHRASES[word]
    match = _STATES.match(word)
    if match is not None:
        state, rest = match.group(1), noun_of(match.group(2) + ".n.01")
        return f"{rest} half" if state == "half" else f"{state} {rest}"
    content, both, holder = word.partition("__")
    if both and holder in _CONTAINERS:
        return f"{holder.replace('_', ' ')} of {content.replace('_', ' ')}"
    return synset_word(synset)


_COUNTED = re.compile(
    r"(almond|bean|blueberry|breadcrumb|chickpea|clove|crouton|crumb|incision|noodle|oat|pea|pecan|pill|raisin|remnant|"
    r"seed|stain|wrinkle)\Z"
)


def substance_noun(synset: str) -> str:
    """Return the noun of a substance; of one that is counted, the plural: ``coffee beans``, ``stains``."""
    noun = noun_of(synset)
    return plural(noun) if _COUNTED.search(noun) else noun


def is_counted(noun: str) -> bool:
    """Return whether a substance's noun is the plural of something counted."""
    return noun.endswith(("s", "ies")) and _COUNTED.search(re.sub(r"ies\Z", "y", noun).removesuffix("s")) is not None


@dataclass(slots=True)
class ActivityNames:
    """The names of an activity's things.

    Attributes:
        activity: Whose things they are.
        substances: Synsets without articles: water, flour.
        vessels: Synsets that substances are poured into rather than onto.
        bound: What variables are called at the moment.
    """

    activity: Activity
    substances: frozenset[str] = frozenset()
    vessels: frozenset[str] = frozenset()
    bound: dict[str, str] = field(default_factory=dict)

    def the(self, term: str) -> str:
        """Return what a term is called: a variable's current name, or ``the second cup`` of several."""
        if term in self.bound:
            phrase = self.bound[term]
            for opening in ("a single ", "a ", "an "):
                if phrase.startswith(opening):
                    self.bound[term] = f"that {phrase.removeprefix(opening)}"
                    break
            return phrase
        name = constant(term)
        synset = self.activity.synset_of(name)
        noun, among = noun_of(synset), self.activity.instances(synset)
        if synset in self.substances:
            return substance_noun(synset)
        if len(among) == 1:
            return f"the {noun}"
        noun = unit(noun)
        place = among.index(name) + 1
        return f"the {ordinal(place)} {noun}" if place <= MOST_ORDINALS else f"{noun} number {place}"

    def a(self, synset: str) -> str:
        """Return ``a cup``; a substance has no article."""
        noun = noun_of(synset)
        return substance_noun(synset) if synset in self.substances else indefinite(unit(noun))

    def every(self, synset: str, word: str = "every") -> str:
        """Return ``every cup``, or ``the cup`` if there is only one."""
        noun = noun_of(synset)
        if len(self.activity.instances(synset)) == 1:
            return f"the {noun}"
        return f"all {noun}" if is_plural(noun) else f"{word} {unit(noun)}"

    def some(self, synset: str, count: int) -> str:
        """Return ``two of the cups``, or ``the two cups`` if these are all."""
        noun, among = noun_of(synset), len(self.activity.instances(synset))
        noun = noun if among == 1 else unit(noun)
        if count == among:
            return f"the {noun}" if count == 1 else f"all {number_word(count)} {plural(noun)}"
        return f"{number_word(count)} of the {plural(noun)}"
