"""What an activity's things are called, by the word of their synset and a number; and actions as orders to a robot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from chorewright.domains.behavior.syntax import Activity, bddl_name, constant, synset_word
from chorewright.files.english import indefinite, is_plural, number_word, ordinal, plural, sentence, unit
from chorewright.planner.plan import GroundAction

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


# A plan's actions as orders to a robot.


WORDINGS: Mapping[str, tuple[str, ...]] = {
    "go-to": ("go to {0}", "walk over to {0}", "move to {0}"),
    "grasp": ("pick up {1}", "take {1}", "grab {1}"),
    "put-on": ("put {1} on {2}", "place {1} on {2}", "set {1} down on {2}"),
    "put-in": ("put {1} in {2}", "place {1} in {2}"),
    "put-next-to": ("put {1} next to {2}", "place {1} beside {2}"),
    "put-next-to-inside": ("put {1} next to {2} in {3}", "place {1} beside {2} in {3}"),
    "put-between": ("put {1} next to {2} and {3}", "place {1} beside {2} and {3}"),
    "put-across": ("lay {1} across {2} and {3}", "put {1} on both {2} and {3}"),
    "put-under": ("put {1} under {2}", "place {1} underneath {2}"),
    "open-it": ("open {0}",),
    "close-it": ("close {0}", "shut {0}"),
    "turn-on": ("turn on {0}", "switch on {0}"),
    "turn-off": ("turn off {0}", "switch off {0}"),
    "heat": ("wait until {0} is hot", "let {0} heat up"),
    "heat-by-hand": ("heat {2} with {1}",),
    "light": ("light {2} with {1}",),
    "mend": ("mend {2} with {1}", "repair {2} with {1}"),
    "put-out": ("put out {0}",),
    "cool": ("wait until {0} is frozen in {1}", "let {0} freeze in {1}"),
    "let-thaw": ("let {0} thaw", "wait until {0} has thawed"),
    "let-cool-down": ("let {0} cool down", "wait until {0} has cooled down"),
    "soak": ("soak {1} in {2}", "hold {1} under the water of {2}"),
    "let-dry": ("let {0} dry", "wait until {0} is dry"),
    "dust": ("dust {2} with {1}", "wipe the dust off {2} with {1}"),
    "scrub": ("scrub {2} clean with {1}", "clean {2} with {1}"),
    "attach": ("attach {1} to {2}", "fix {1} to {2}"),
    "detach": ("take {1} off {2}", "detach {1} from {2}"),
    "fold": ("fold {0}", "fold up {0}"),
    "unfold": ("unfold {0}",),
    "drape-over": ("drape {1} over {2}", "hang {1} over {2}"),
    "lay-over": ("lay {1} over {2}", "spread {1} over {2}"),
    "wipe-off": ("wipe {3} off {2} with {1}", "clean {3} off {2} with {1}", "remove {3} from {2} with {1}"),
    "wash": ("let {1} wash {2} off {0}", "wait until {1} has washed {2} off {0}"),
    "rinse": ("rinse {3} off {1} at {2}", "hold {1} under {2} to rinse off {3}"),
    "soak-in": ("soak {1} with {3} from {2}", "wet {1} with {3} from {2}"),
    "wring-out": ("wring {2} out of {1}",),
    "spread": ("spread {3} on {2} with {1}",),
    "spray": ("apply {3} to {2} from {1}", "put {3} on {2} from {1}"),
    "hold-under": ("hold {1} under {2}", "hold {1} under {2} to get {3}"),
    "run-into": ("let {2} from {1} run into {0}", "fill {0} with {2} from {1}"),
    "pour": ("pour {3} from {1} onto {2}", "tip {3} out of {1} onto {2}"),
    "scoop-from": ("scoop {3} from {2} into {1}", "fill {1} with {3} from {2}"),
    "empty-into": ("empty {3} out of {1} into {2}",),
    "cut": ("cut {2} with {1}", "slice {2} with {1}"),
    "dice": ("dice {2} with {1}", "cut {2} into small pieces with {1}"),
    "melt": ("let {0} melt in {1}", "wait until {0} has melted"),
    "cook-substance": ("cook {0} in {2}", "let {0} cook in {2}"),
    "cook-recipe": ("wait until everything in {1} is done", "let what is in {1} cook"),
    "stir": ("stir what is in {3} with {2}", "mix everything in {3} with {2}"),
    "run": ("let {1} do its work", "wait until {1} is done"),
}
"""Each action's wordings; the numbers are those of its parameters."""

POUR_INTO = ("pour {3} from {1} into {2}", "tip {3} out of {1} into {2}")
"""How ``pour`` is worded where the thing is a vessel."""


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
        return POUR_INTO
    return WORDINGS[action.name]


def _noun_of(argument: str, names: ActivityNames) -> str:
    """What an argument is called; hands and recipes are not said."""
    try:
        return names.the(bddl_name(argument))
    except KeyError:
        return argument
