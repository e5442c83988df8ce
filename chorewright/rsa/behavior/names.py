"""What an activity's things are called, by the word of their synset and a number; and actions as orders to a robot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from chorewright.domains.behavior.syntax import Activity, bddl_name, constant, synset_word
from chorewright.files.english import indefinite, is_plural, number_word, ordinal, plural, sentence, unit
from chorewright.files.records import reader_of
from chorewright.planner.plan import GroundAction

_STATES = re.compile(r"(half|diced|cooked|melted)__(.+)\Z")


@dataclass(frozen=True, slots=True)
class ActivityWords:
    """The words of activities, from ``data/activities.json``.

    Attributes:
        containers: Words behind what they hold: ``jar`` of ``jam__jar``.
        phrases: Nouns that are counted as phrases.
        states: States in words: where they hold, where they do not.
        relations: Relations in words: where they hold, where they do not.
        openings: How a goal is introduced.
        steps: Each action's wordings; the numbers are those of its parameters. What is poured into a vessel is worded
            as ``pour-into``.
        unmet: Why something cannot be done, by the predicate that does not hold.
        unmet_not: Why something cannot be done, by the predicate that must not hold.
    """

    containers: tuple[str, ...]
    phrases: Mapping[str, str]
    states: Mapping[str, tuple[str, str]]
    relations: Mapping[str, tuple[str, str]]
    openings: tuple[str, ...]
    steps: Mapping[str, tuple[str, ...]]
    unmet: Mapping[str, str]
    unmet_not: Mapping[str, str]


words = reader_of(ActivityWords, "chorewright.rsa", "data/activities.json")
"""Returns the words of activities."""

MOST_ORDINALS = 10
"""So many things are told apart by ordinals; more by numbers."""


def noun_of(synset: str) -> str:
    """Return the noun of a synset: ``bottle of liquid soap`` of ``liquid_soap__bottle.n.01``, ``half of an apple``."""
    word = synset.rsplit(".", 2)[0]
    if word in words().phrases:
        return words().phrases[word]
    match = _STATES.match(word)
    if match is not None:
        state, rest = match.group(1), noun_of(match.group(2) + ".n.01")
        return f"{rest} half" if state == "half" else f"{state} {rest}"
    content, both, holder = word.partition("__")
    if both and holder in words().containers:
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
                    self.bound[term] = f"that {phrase.removeprefix(opening).removesuffix(' of its own')}"
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


# A plan's actions as orders to a robot.


def say_step(action: GroundAction, names: ActivityNames, rng: np.random.Generator) -> str:
    """Return an action of a plan as a sentence."""
    wordings = _wordings(action, names)
    chosen = wordings[int(rng.integers(len(wordings)))]
    return sentence(chosen.format(*(_noun_of(each, names) for each in action.arguments)))


def order_of(action: GroundAction, names: ActivityNames) -> str:
    """Return an action of a plan as an order in its most usual wording, without capital and full stop."""
    return _wordings(action, names)[0].format(*(_noun_of(each, names) for each in action.arguments))


def _wordings(action: GroundAction, names: ActivityNames) -> tuple[str, ...]:
    if action.name == "pour" and names.activity.synset_of(bddl_name(action.arguments[2])) in names.vessels:
        return words().steps["pour-into"]
    return words().steps[action.name]


def _noun_of(argument: str, names: ActivityNames) -> str:
    """What an argument is called; hands and recipes are not said."""
    try:
        return names.the(bddl_name(argument))
    except KeyError:
        return argument
