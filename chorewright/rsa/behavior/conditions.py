"""BDDL's conditions as clauses, goals as instructions, and what is told in a text game of an activity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from chorewright.domains.behavior.syntax import Condition, Connective, Quantified, atoms_of, bddl_name, constant
from chorewright.domains.pddl.syntax import Atom, Formula, GroundAtom
from chorewright.files.english import article, capital, is_plural, say_list, sentence
from chorewright.planner.plan import GroundAction
from chorewright.rsa.behavior.names import ActivityNames, is_counted, noun_of, order_of, words


def clause(condition: Condition, names: ActivityNames, positive: bool = True) -> str:
    """Return a condition as a clause with a verb: ``every cup is in the cabinet``."""
    match condition:
        case Atom():
            return _atom(condition, names, positive)
        case Connective("not", (operand,)):
            return clause(operand, names, not positive)
        case Connective("imply", (first, second)):
            whole = f"if {clause(first, names)}, {clause(second, names)}"
            return whole if positive else f"it is not so that {whole}"
        case Connective(word, operands):
            together = (word == "and") == positive
            parts = [(clause(each, names, positive), _is_simple(each)) for each in operands]
            link = "and" if together else "or"
            return _join(_merge(parts, link), link)
        case Quantified():
            return _say_quantifier(condition, names, positive)


def _atom(atom: Atom, names: ActivityNames, positive: bool) -> str:
    subject = names.the(atom.terms[0])
    verb = "are" if _is_plural(subject) else "is"
    if atom.predicate in ("real", "future"):
        return _existence(subject, verb, positive == (atom.predicate == "real"), names, atom.terms[0])
    other = next(iter(atom.terms[1:]), "")
    if other:
        other = f"the {other.replace('_', ' ')}" if atom.predicate == "inroom" else names.the(other)
    return say_fact(atom.predicate, subject, verb, other, positive)


def say_fact(predicate: str, subject: str, verb: str, other: str, positive: bool = True) -> str:
    """Return that a subject is in a state, or in a relation to another thing; or that it is not."""
    known = words()
    if predicate in known.states:
        return f"{subject} {verb} {known.states[predicate][not positive]}"
    relation = known.relations[predicate][not positive]
    if "{}" in relation:
        return f"there {'are' if is_counted(other) else 'is'} {'' if positive else 'no '}{other} in {subject}"
    return f"{subject} {verb} {relation} {other}"


def _existence(subject: str, verb: str, there: bool, names: ActivityNames, term: str) -> str:
    """That a thing exists: ``there is a pizza``; of one among several, that it has been made."""
    if subject.startswith("the ") and term not in names.bound:
        synset = names.activity.synset_of(constant(term))
        if len(names.activity.instances(synset)) > 1:
            return f"{subject} has {'' if there else 'not '}been made"
        subject = subject.removeprefix("the ")
        some = subject if verb == "are" else f"{article(subject)} {subject}"
        return f"there {verb} {some if there else f'no {subject}'}"
    if subject.startswith(("every ", "each ", "no ", "all ", "that ")):
        return f"{subject} {'have' if verb == 'are' else 'has'} {'' if there else 'not '}been made"
    verb = "are" if is_counted(subject) else verb
    return f"there {verb} {'' if there else 'no '}{subject}"


def _is_negative(condition: Condition) -> bool:
    """Whether a condition is a negated relation, which ``no cup is ...`` says better."""
    if isinstance(condition, Connective) and condition.word == "and" and len(condition.operands) == 1:
        return _is_negative(condition.operands[0])
    if not (isinstance(condition, Connective) and condition.word == "not"):
        return False
    (operand,) = condition.operands
    return isinstance(operand, Atom) and operand.predicate in (
        "inside",
        "ontop",
        "onfloor",
        "nextto",
        "under",
        "attached",
    )


_COUNTED = re.compile(r"(exactly )?(all|both|two|three|four|five|six|seven|eight|nine|ten|\d+) ")


def _is_plural(subject: str) -> bool:
    """Whether a subject takes ``are``."""
    head = subject.partition(" of ")[0]
    return _COUNTED.match(subject) is not None or (subject.startswith("the ") and is_plural(head))


def _say_quantifier(condition: Quantified, names: ActivityNames, positive: bool) -> str:
    kinds = [each.types[0] for each in condition.variables]
    variables = [each.name for each in condition.variables]
    count = condition.count or 0
    before = {each: names.bound.get(each) for each in variables}
    try:
        if condition.word in ("forall", "exists"):
            every, body = (condition.word == "forall") == positive, condition.body
            if every and _is_negative(body) == positive and len(names.activity.instances(kinds[0])) > 1:
                names.bound[variables[0]] = f"no {noun_of(kinds[0])}"
                return clause(body, names, not positive)
            one = _one_of(names, kinds[0])
            if not every and isinstance(body, Quantified) and one.startswith(("a ", "an ")):
                one = f"a single {noun_of(kinds[0])}"
            names.bound[variables[0]] = names.every(kinds[0]) if every else one
            return clause(body, names, positive)
        if condition.word == "forn":
            number = names.some(kinds[0], count)
            number = number if number.startswith("all ") else f"exactly {number}"
            if all(atom.terms[0] == variables[0] for atom in atoms_of(condition.body)):
                names.bound[variables[0]] = number
                said = clause(condition.body, names)
            else:
                names.bound[variables[0]] = f"that {noun_of(kinds[0])}"
                said = f"of {number} it is true that {clause(condition.body, names)}"
            return said if positive else f"it is not so that {said}"
        first, second = (names.activity.instances(each) for each in kinds)
        each_first = condition.word == "forpairs" and len(first) <= len(second)
        names.bound[variables[0]] = names.every(kinds[0], "each") if each_first else _one_of(names, kinds[0])
        names.bound[variables[1]] = _other(names, kinds[1]) if each_first else names.every(kinds[1], "each")
        if condition.word == "fornpairs":
            names.bound[variables[0]] = names.some(kinds[0], count)
            names.bound[variables[1]] = f"{_one_of(names, kinds[1])} of its own"
        said = clause(condition.body, names)
        return said if positive else f"it is not so that {said}"
    finally:
        for variable, earlier in before.items():
            if earlier is None:
                names.bound.pop(variable, None)
            else:
                names.bound[variable] = earlier


def _one_of(names: ActivityNames, kind: str) -> str:
    """``a cup``, or ``the cup`` if there is only one."""
    return f"the {noun_of(kind)}" if len(names.activity.instances(kind)) == 1 else names.a(kind)


def _other(names: ActivityNames, kind: str) -> str:
    found = _one_of(names, kind)
    return f"{found} of its own" if found.startswith(("a ", "an ")) else found


def _join(parts: Sequence[str], word: str) -> str:
    if not parts:
        return "nothing need be done" if word == "and" else "nothing helps"
    if word == "and":
        return say_list(parts, comma=True)
    return parts[0] if len(parts) == 1 else f"either {' or '.join(parts)}"


def _merge(parts: Sequence[tuple[str, bool]], link: str = "and") -> list[str]:
    """Clauses about the same subject joined: ``the cup is clean and in the cabinet``; each is said once.

    Args:
        parts: Clauses, each with whether it is simple: of two quantifiers, "a cup" need not be the same one.
        link: "and" or "or".
    """
    found: list[tuple[str, str, list[str], bool]] = []
    for part, simple in parts:
        subject, verb, rest = _split(part)
        if verb and found and _same_subject((subject, verb, simple), found[-1]):
            if rest not in found[-1][2]:
                found[-1][2].append(rest)
        else:
            found.append((subject, verb, [rest], simple))
    return [
        f"{subject} {verb} {_join(_shorten(rests, link), link)}" if verb else rests[0]
        for subject, verb, rests, _ in found
    ]


_JOINED = re.compile(r" (and|or) ")
_SHARED = ("free of ", "covered with ", "filled with ", "soaked with ")


def _shorten(rests: Sequence[str], link: str) -> list[str]:
    """What is free of several things is said once to be so: ``free of dust and mud``."""
    found: list[str] = []
    for opening in (*_SHARED, ""):
        alike = [each for each in rests if each.startswith(opening) and not (opening and _JOINED.search(each))]
        rests = [each for each in rests if each not in alike]
        if opening and len(alike) > 1:
            things = [each.removeprefix(opening) for each in alike]
            either = say_list(things, comma=True) if link == "and" else " or ".join(things)
            found.append(f"{opening}{either}")
        else:
            found += alike
    return found


def _same_subject(this: tuple[str, str, bool], earlier: tuple[str, str, list[str], bool]) -> bool:
    subject, verb, simple = this
    if verb != earlier[1]:
        return False
    if simple and earlier[3] and subject.startswith("that "):
        return earlier[0].split(" ", 1)[-1].removeprefix("single ").removesuffix(" of its own") == subject.removeprefix(
            "that "
        )
    return subject == earlier[0] and ((simple and earlier[3]) or subject.startswith(("the ", "every ")))


def _is_simple(condition: Condition) -> bool:
    """Whether a condition is an atom or the negation of one."""
    if isinstance(condition, Connective) and condition.word == "not":
        return _is_simple(condition.operands[0])
    return isinstance(condition, Atom)


def _split(part: str) -> tuple[str, str, str]:
    """Subject, verb and rest of a simple clause; no verb if it is none."""
    for verb in ("is", "are"):
        subject, found, rest = part.partition(f" {verb} ")
        if found and not rest.count(" is ") and not rest.count(" are ") and subject not in ("there", "it"):
            return subject, verb, rest
    return "", "", part


def say_goal(goal: Condition, names: ActivityNames, title: str, rng: np.random.Generator) -> str:
    """Return a goal as an instruction; the activity's name says what it is for.

    Args:
        goal: The condition.
        names: What things are called.
        title: The activity's name.
        rng: Where the wording is drawn from.
    """
    parts = list(goal.operands) if isinstance(goal, Connective) and goal.word == "and" else [goal]
    parts = _without_plain_existence(parts)
    if len(parts) > 1 and rng.random() < 0.5:
        order = rng.permutation(len(parts))
        parts = [parts[place] for place in order]
    clauses = _merge([(clause(each, names), _is_simple(each)) for each in parts])
    openings = words().openings
    opening = openings[int(rng.integers(len(openings)))]
    activity = title.replace("_", " ")
    verb = "is" if _is_gerund(activity) else "is to"
    head = (f"{capital(activity)}: ", f"The task {verb} {activity}. ", "")[int(rng.integers(3))]
    first, rest = clauses[:3], clauses[3:]
    text = head + sentence(opening.format(say_list(first, comma=True)))
    while rest:
        more, rest = rest[:3], rest[3:]
        text += " " + sentence(("also, " if rng.random() < 0.5 else "") + say_list(more, comma=True))
    return text


def _is_gerund(activity: str) -> bool:
    """Whether an activity is called ``washing plates`` rather than ``wash plates``."""
    parts = activity.split()
    return (
        parts[0].endswith("ing") or parts[0] == "repairs" or (parts[0] in ("hand", "re") and parts[1].endswith("ing"))
    )


def _without_plain_existence(parts: Sequence[Condition]) -> list[Condition]:
    """The parts but those that only say of a thing that it exists, of which another part says where it is."""
    placed = {
        term
        for part in parts
        if not (isinstance(part, Atom) and part.predicate == "real")
        for atom in atoms_of(part)
        for term in atom.terms
    }
    found = [
        part for part in parts if not (isinstance(part, Atom) and part.predicate == "real" and part.terms[0] in placed)
    ]
    return found or list(parts)


# What is told in a text game of an activity: what holds, what changes, and why something cannot be done.

STATES, RELATIONS = words().states, words().relations
TOLD = ("at", "holding", "inroom", *STATES, *RELATIONS)
"""The predicates that players are told of; the others say what things are for."""

UNSAID_CHANGES = ("at", "holding")
"""What an action's own sentence says."""

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
        lost = [each for each in sorted(removed) if each[0] in (*STATES, "covered", "saturated", "attached")]
        clauses += [self._clause(each[0], [self.name(each[1])], each[2:], False) for each in lost]
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
        table = words().unmet_not if negated else words().unmet
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
