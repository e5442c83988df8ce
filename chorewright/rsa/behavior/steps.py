"""A plan's actions as orders to a robot."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from chorewright.domains.behavior.lowering import bddl_name
from chorewright.files.english import sentence
from chorewright.planner.plan import GroundAction
from chorewright.rsa.behavior.names import ActivityNames

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
