"""The goal of a game file: written as ALFWorld's library of goals has it, and read back.

A goal is read by the atoms that it asks for; it is understood only if writing it again gives the same atoms.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from chorewright.errors import InputError, UnsupportedError
from chorewright.replay.alfred.game import GameGoal

Form: TypeAlias = "str | list[Form]"
"""A name, or a list of forms."""

_TOKEN = re.compile(r"[()]|[^\s()]+")
_COMMENT = re.compile(r";[^\n]*")


def forms(text: str) -> list[Form]:
    """Return the forms of a text.

    Raises:
        InputError: A parenthesis is missing.
    """
    stack: list[list[Form]] = [[]]
    for token in _TOKEN.findall(_COMMENT.sub("", text)):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            if not stack:
                raise InputError("a parenthesis is closed that was not opened")
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) != 1:
        raise InputError("a parenthesis is not closed")
    return stack[0]


def form_text(form: Form) -> str:
    """Return a form as a text."""
    return form if isinstance(form, str) else f"({' '.join(map(form_text, form))})"


_STATES = {"clean": ("cleanable", "isClean"), "heat": ("heatable", "isHot"), "cool": ("coolable", "isCool")}


def goal_text(goal: GameGoal) -> str:
    """Return a goal as PDDL."""
    if goal.lamp:
        lit = (
            f"(objectType ?ot {goal.lamp}Type)",
            "(toggleable ?ot)",
            "(isToggled ?ot)",
            "(receptacleAtLocation ?r ?l)",
            "(atLocation ?a ?l)",
            "(inReceptacle ?ot ?r)",
        )
        held = (f"(objectType ?o {goal.thing}Type)", *_treatments(goal, "?o"), "(holds ?a ?o)")
        lamp = _exists("?ot - object ?r - receptacle ?a - agent ?l - location", lit)
        return f"(and {lamp} {_exists('?o - object ?a - agent', held)})"
    placed = f"(receptacleType ?r {goal.receptacle}Type)"
    if goal.vessel:
        atoms = (
            placed,
            f"(objectType ?o {goal.thing}Type)",
            *_treatments(goal, "?o"),
            f"(objectType ?mo {goal.vessel}Type)",
            "(isReceptacleObject ?mo)",
            "(inReceptacleObject ?o ?mo)",
            "(inReceptacle ?mo ?r)",
        )
        return f"(and {_exists('?r - receptacle ?o - object ?mo - object', atoms)})"
    names = ["?o"] if goal.count == 1 else [f"?o{number}" for number in range(1, goal.count + 1)]
    atoms = (
        placed,
        *(f"(not (= {a} {b}))" for place, a in enumerate(names) for b in names[place + 1 :]),
        *(
            atom
            for name in names
            for atom in (f"(objectType {name} {goal.thing}Type)", *_treatments(goal, name), f"(inReceptacle {name} ?r)")
        ),
    )
    return f"(and {_exists(f'?r - receptacle {_objects(names)}', atoms)})"


def _objects(names: Sequence[str]) -> str:
    return " ".join(f"{name} - object" for name in names)


def _treatments(goal: GameGoal, name: str) -> tuple[str, ...]:
    words = (*(("sliceable", "isSliced") if goal.sliced else ()), *_STATES.get(goal.state, ()))
    return tuple(f"({word} {name})" for word in words)


def _exists(variables: str, atoms: Sequence[str]) -> str:
    return f"(exists ({variables}) (and {' '.join(atoms)}))"


def read_goal(form: Form) -> GameGoal:
    """Return the goal that a formula says.

    Raises:
        UnsupportedError: It is none of ALFWorld's.
    """
    atoms = list(_atoms(form))
    kinds = {atom[1]: atom[2].removesuffix("type") for atom in atoms if atom[0] == "objecttype" and len(atom) == 3}
    homes = sorted({atom[2].removesuffix("type") for atom in atoms if atom[0] == "receptacletype" and len(atom) == 3})
    words = {atom[0] for atom in atoms}
    lamps = sorted({kinds.get(atom[1], "") for atom in atoms if atom[0] == "istoggled"})
    vessels = sorted({kinds.get(atom[2], "") for atom in atoms if atom[0] == "inreceptacleobject"})
    aside = {atom[1] for atom in atoms if atom[0] in ("istoggled", "isreceptacleobject")}
    wanted = sorted(set(kinds) - aside)
    if wanted and len({kinds[name] for name in wanted}) == 1 and len(homes) <= 1:
        goal = GameGoal(
            kinds[wanted[0]],
            homes[0] if homes else "",
            max(1, len(wanted)),
            next((state for state, (_, mark) in _STATES.items() if mark.lower() in words), ""),
            "issliced" in words,
            vessels[0] if vessels else "",
            lamps[0] if lamps else "",
        )
        if _demands(forms(goal_text(goal))[0]) == _demands(form):
            return goal
    raise UnsupportedError("the goal is none of ALFWorld's task types", hint="a goal asks for things placed or held")


def _atoms(form: Form) -> Iterator[list[str]]:
    """Yield all atoms of a formula, a negated equality as ``differ``, in lower case."""
    if isinstance(form, str) or not form:
        return
    head = form[0]
    if isinstance(head, str) and head.lower() == "not" and len(form) == 2 and isinstance(form[1], list):
        yield ["differ", *(str(term).lower() for term in form[1][1:])]
    elif isinstance(head, str) and head.lower() in ("and", "exists"):
        for part in form[2 if head.lower() == "exists" else 1 :]:
            yield from _atoms(part)
    else:
        yield [str(term).lower() for term in form]


def _demands(form: Form) -> Counter[tuple[str, ...]]:
    """Return what a formula asks for, whatever its variables are called; each receptacle's kind counts once."""
    atoms = {tuple(atom) for atom in _atoms(form)}
    return Counter(tuple("?" if term.startswith("?") else term for term in atom) for atom in atoms)
