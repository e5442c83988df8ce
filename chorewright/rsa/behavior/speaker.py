"""What is told in a text game of an activity: what holds, what changes, and why something cannot be done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from chorewright.domains.behavior.syntax import bddl_name
from chorewright.domains.pddl.syntax import Formula, GroundAtom
from chorewright.files.english import is_plural, say_list, sentence
from chorewright.planner.plan import GroundAction
from chorewright.rsa.behavior.conditions import RELATIONS, STATES, say_fact, say_goal
from chorewright.rsa.behavior.names import ActivityNames, order_of

TOLD = ("at", "holding", "inroom", *STATES, *RELATIONS)
"""The predicates that players are told of; the others say what things are for."""

UNSAID_CHANGES = ("at", "holding")
"""What an action's own sentence says."""

UNMET = {
    "reachable": "{0} is out of reach here",
    "held": "{0} is not in your hand",
    "holding": "you are not holding {1}",
    "free": "your hand is not free",
    "movable": "{0} cannot be carried",
    "openable": "{0} has no door or lid",
    "toggleable": "{0} has no switch",
    "real": "there is no {0} yet",
    "container": "nothing can be put into {0}",
    "surface": "nothing stays on {0}",
    "cuts": "{0} does not cut",
    "cleans": "{0} does not clean",
    "mends": "{0} mends nothing",
    "soakable": "{0} does not soak anything up",
    "wettable": "{0} does not get wet",
    "fillable": "{0} cannot be filled",
    "foldable": "{0} cannot be folded",
    "drapeable": "{0} cannot be draped",
    "freezable": "{0} cannot be frozen",
    "heats-by-hand": "{0} does not burn or heat",
    "heated": "nothing heats {0}",
    "attachable": "{0} cannot be attached to {1}",
    "inside": "{0} is not in {1}",
}
"""Why something cannot be done, by the predicate that does not hold."""

UNMET_NOT = {
    "at": "you are there already",
    "held": "{0} is in your hand",
    "heated": "{0} is being heated",
    "attached": "{0} is attached to {1}",
}
"""Why something cannot be done, by the predicate that must not hold."""

_LITERAL = re.compile(r"\((not \()?([^()\s]+)((?: [^()\s]+)*)\)\)?\Z")


class ActivitySpeaker:
    """Says the games of one activity; every thing is called as in its instructions."""

    def __init__(self, names: ActivityNames, title: str) -> None:
        """Take the names of an activity's things, and what the activity is called."""
        self._names, self._title = names, title

    def name(self, thing: str) -> str:
        """Return what a thing, a hand or a room is called."""
        try:
            return self._names.the(bddl_name(thing))
        except KeyError:
            return thing.replace("-", " ").replace("_", " ")

    def action(self, action: GroundAction) -> str:
        """Return an action as an order: ``put the cup on the table``."""
        return order_of(action, self._names)

    def state(self, atoms: Iterable[GroundAtom]) -> str:
        """Return atoms as sentences; things of which the same is true are said together."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for atom in sorted(atoms, key=lambda each: (TOLD.index(each[0]), each[2:], each[1:])):
            key = (atom[0], *atom[2:]) if atom[0] != "holding" else (atom[0],)
            groups.setdefault(key, []).append(self.name(atom[2] if atom[0] == "holding" else atom[1]))
        return " ".join(sentence(self._clause(key[0], things, key[1:])) for key, things in groups.items())

    def change(self, added: Sequence[GroundAtom], removed: Sequence[GroundAtom]) -> str:
        """Return what has become so, then what is no longer so; what the action itself says is left out."""
        said = [each for each in sorted(added) if each[0] not in UNSAID_CHANGES]
        said = [
            each for each in said if each[0] != "nextto" or each[1] < each[2] or ("nextto", *each[:0:-1]) not in said
        ]
        clauses = [self._clause(each[0], [self.name(each[1])], each[2:]) for each in said]
        for atom in sorted(removed):
            if atom[0] in (*STATES, "covered", "saturated", "attached"):
                clauses.append(self._clause(atom[0], [self.name(atom[1])], atom[2:], False))
        return sentence(f"now {say_list(list(dict.fromkeys(clauses)), comma=True)}") if clauses else ""

    def goal(self, goal: Formula) -> str:
        """Return the activity's goal as an instruction."""
        rng = np.random.Generator(np.random.PCG64(0))
        return say_goal(self._names.activity.goal, self._names, self._title, rng)

    def failure(self, action: GroundAction, unmet: Sequence[str]) -> str:
        """Return why an action cannot be done."""
        found = dict.fromkeys(each for text in unmet for each in self._reason(text))
        why = f": {say_list(list(found), comma=True)}" if found else " now"
        return sentence(f"you cannot {self.action(action)}{why}")

    def _reason(self, text: str) -> list[str]:
        literal = _LITERAL.match(text)
        if literal is None:
            return []
        negated, predicate, names = literal.group(1), literal.group(2), literal.group(3).split()
        called = [self.name(each) for each in names]
        table = UNMET_NOT if negated else UNMET
        if predicate in table:
            return [table[predicate].format(*called)]
        if predicate in (*STATES, *RELATIONS):
            return [self._clause(predicate, called[:1], tuple(names[1:]), negated is not None)]
        return []

    def _clause(self, predicate: str, things: Sequence[str], others: Sequence[str], positive: bool = True) -> str:
        """Return that the same is true of some things, or not true."""
        subject = say_list(list(things), comma=True)
        if predicate in ("at", "holding"):
            return f"you are {'at' if predicate == 'at' else 'holding'} {subject}"
        verb = "are" if len(things) > 1 or (things[0].startswith("the ") and is_plural(things[0])) else "is"
        other = next(iter(others), "")
        other = f"the {other.replace('_', ' ')}" if predicate == "inroom" else self.name(other)
        return say_fact(predicate, subject, verb, other, positive)
