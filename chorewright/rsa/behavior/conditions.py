"""BDDL's conditions as clauses, and goals as instructions."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from chorewright.domains.bddl.syntax import Condition, Connective, Quantified, atoms_of
from chorewright.domains.pddl.syntax import Atom
from chorewright.rsa.behavior.names import Names, noun_of, several
from chorewright.rsa.english.phrases import enumerate_phrases, sentence

STATES = {
    "broken": ("broken", "intact"),
    "burnt": ("burnt", "not burnt"),
    "cooked": ("cooked", "not cooked"),
    "dusty": ("dusty", "free of dust"),
    "folded": ("folded", "not folded"),
    "frozen": ("frozen", "not frozen"),
    "hot": ("hot", "not hot"),
    "on_fire": ("lit", "not burning"),
    "open": ("open", "closed"),
    "perished": ("spoilt", "not spoilt"),
    "sliced": ("sliced", "not sliced"),
    "soaked": ("soaked", "dry"),
    "stained": ("stained", "free of stains"),
    "toggled_on": ("switched on", "switched off"),
    "unfolded": ("unfolded", "not unfolded"),
}
"""States in words: where they hold, where they do not."""

RELATIONS = {
    "attached": ("attached to", "not attached to"),
    "contains": ("with {} in it", "without {} in it"),
    "covered": ("covered with", "free of"),
    "draped": ("draped over", "not draped over"),
    "filled": ("filled with", "not filled with"),
    "inroom": ("in", "not in"),
    "inside": ("in", "not in"),
    "insource": ("a source of", "no source of"),
    "nextto": ("next to", "not next to"),
    "onfloor": ("on", "not on"),
    "ontop": ("on", "not on"),
    "overlaid": ("laid over", "not laid over"),
    "saturated": ("soaked with", "free of"),
    "touching": ("touching", "not touching"),
    "under": ("under", "not under"),
    "grasped": ("held by", "not held by"),
}
"""Relations in words: where they hold, where they do not."""


def clause(condition: Condition, names: Names, positive: bool = True) -> str:
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
            return _joined(_merged(parts, link), link)
        case Quantified():
            return _quantified(condition, names, positive)


def _atom(atom: Atom, names: Names, positive: bool) -> str:
    subject = names.the(atom.terms[0])
    verb = "are" if _is_plural(subject) else "is"
    if atom.predicate in ("real", "future"):
        there = positive == (atom.predicate == "real")
        return f"there {verb} {_without_article(subject)}" if there else f"there {verb} no {_without_article(subject)}"
    if atom.predicate in STATES:
        return f"{subject} {verb} {STATES[atom.predicate][not positive]}"
    relation = RELATIONS[atom.predicate][not positive]
    other = names.the(atom.terms[1]) if atom.predicate != "inroom" else f"the {atom.terms[1].replace('_', ' ')}"
    if relation == "free of" and other in ("stain", "crumb", "wrinkle"):
        other = several(other)
    if "{}" in relation:
        return f"there {'is' if positive else 'is no'} {other} in {subject}"
    return f"{subject} {verb} {relation} {other}"


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
    return _COUNTED.match(subject) is not None or (subject.startswith("the ") and several(head) == head)


def _without_article(phrase: str) -> str:
    return phrase.removeprefix("the ")


def _quantified(condition: Quantified, names: Names, positive: bool) -> str:
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


def _one_of(names: Names, kind: str) -> str:
    """``a cup``, or ``the cup`` if there is only one."""
    return f"the {noun_of(kind)}" if len(names.activity.instances(kind)) == 1 else names.a(kind)


def _other(names: Names, kind: str) -> str:
    found = _one_of(names, kind)
    return f"{found} of its own" if found.startswith(("a ", "an ")) else found


def _joined(parts: Sequence[str], word: str) -> str:
    if not parts:
        return "nothing need be done" if word == "and" else "nothing helps"
    if word == "and":
        return enumerate_phrases(parts)
    return parts[0] if len(parts) == 1 else f"either {' or '.join(parts)}"


def _merged(parts: Sequence[tuple[str, bool]], link: str = "and") -> list[str]:
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
    return [f"{subject} {verb} {_joined(rests, link)}" if verb else rests[0] for subject, verb, rests, _ in found]


def _same_subject(this: tuple[str, str, bool], earlier: tuple[str, str, list[str], bool]) -> bool:
    subject, verb, simple = this
    if verb != earlier[1]:
        return False
    if simple and earlier[3] and subject.startswith("that "):
        return earlier[0].split(" ", 1)[-1].removeprefix("single ") == subject.removeprefix("that ")
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


OPENINGS = (
    "Make sure that {}",
    "See to it that {}",
    "Work until {}",
    "You are done when {}",
    "In the end, {}",
    "I would like you to arrange that {}",
)


def say_goal(goal: Condition, names: Names, title: str, rng: np.random.Generator) -> str:
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
    clauses = _merged([(clause(each, names), _is_simple(each)) for each in parts])
    opening = OPENINGS[int(rng.integers(len(OPENINGS)))]
    activity = title.replace("_", " ").lower()
    head = (f"{activity[:1].upper()}{activity[1:]}: ", f"The task is {activity}. ", "")[int(rng.integers(3))]
    first, rest = clauses[:3], clauses[3:]
    text = head + sentence(opening.format(enumerate_phrases(first)))
    while rest:
        more, rest = rest[:3], rest[3:]
        text += " " + sentence(("also, " if rng.random() < 0.5 else "") + enumerate_phrases(more))
    return text


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
