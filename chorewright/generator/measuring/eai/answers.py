"""What a model wrote, read as data: JSON in whatever prose, goals, actions, subgoals, PDDL."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from chorewright.domains.pddl.syntax import And, Atom, Formula, Not, Or
from chorewright.errors import ChorewrightError
from chorewright.generator.measuring.eai.tasks import GoalLiteral
from chorewright.planner.plan import GroundAction


class Unreadable(ChorewrightError):
    """An answer is not of the form that was asked for."""


MOST_STARTS = 100
"""Places in an answer at which JSON may begin."""


@dataclass(frozen=True, slots=True)
class ObjectPairs:
    """A JSON object as pairs, in their order."""

    pairs: tuple[tuple[str, object], ...]

    def get(self, key: str) -> object:
        """Return the value of a key; None without one."""
        return next((value for name, value in self.pairs if name.lower().replace("_", " ") == key), None)


def json_in(text: str) -> object:
    """Return the first JSON object or list in a text; single quotes will do.

    Raises:
        Unreadable: There is none.
    """
    decoder = json.JSONDecoder(object_pairs_hook=lambda pairs: ObjectPairs(tuple(pairs)))
    for candidate in (text, text.replace("'", '"')):
        for found in islice(re.finditer(r"[{\[]", candidate), MOST_STARTS):
            try:
                return decoder.raw_decode(candidate, found.start())[0]
            except (ValueError, RecursionError):
                continue
    raise Unreadable("there is no JSON in the answer")


def read_goals(text: str) -> tuple[GoalLiteral, ...]:
    """Return the literals of a goal: ``node goals`` and ``edge goals``, as objects or as lists.

    Raises:
        Unreadable: It is of another form.
    """
    value = json_in(text)
    if not isinstance(value, ObjectPairs):
        raise Unreadable("an object with 'node goals' and 'edge goals' is expected")
    found: dict[GoalLiteral, None] = {}
    for key in ("node goals", "edge goals"):
        for each in _list(value.get(key) or (), key):
            if isinstance(each, ObjectPairs):
                first, second = each.get("name") or each.get("from name"), each.get("to name")
                words = [each.get("state") or each.get("relation"), first, *((second,) if second else ())]
            else:
                words = [*_list(each, key)]
            found[_literal(words)] = None
    return tuple(found)


def _literal(words: Sequence[object]) -> GoalLiteral:
    names = [str(each).strip().lower() for each in words if each is not None]
    positive = True
    if names and names[0].startswith("not "):
        positive, names[0] = False, names[0].removeprefix("not ").strip()
    elif names and names[0] == "not":
        positive, names = False, names[1:]
    if not names or not all(names):
        raise Unreadable("a goal without a name")
    return GoalLiteral(tuple(names), positive)


def read_actions(text: str) -> tuple[GroundAction, ...]:
    """Return the actions of a plan: a list of objects, of texts, or one object from actions to their objects.

    Raises:
        Unreadable: It is of another form.
    """
    try:
        value = json_in(text)
    except Unreadable:
        lines = re.findall(r"^\s*\(([^()]+)\)\s*$", text, re.MULTILINE)
        if not lines:
            raise
        return tuple(_action(line.split()) for line in lines)
    if isinstance(value, ObjectPairs):
        holding = [
            each for _, each in value.pairs if isinstance(each, list) and each and isinstance(each[0], ObjectPairs)
        ]
        if not holding:
            return tuple(_action([name, *map(str, _list(objects, name))]) for name, objects in value.pairs)
        value = holding[0]
    found = []
    for each in _list(value, "actions"):
        if isinstance(each, ObjectPairs):
            name, objects = each.get("action"), each.get("object") or each.get("objects") or ""
            words = objects.split(",") if isinstance(objects, str) else [str(one) for one in _list(objects, "object")]
            found.append(_action([str(name), *words]))
        else:
            found.append(_action(re.split(r"[\s,()]+", str(each).strip(" ()"))))
    return tuple(found)


def _action(words: Sequence[str]) -> GroundAction:
    names = [each.strip().lower() for each in words if each.strip()]
    if not names:
        raise Unreadable("an action without a name")
    return GroundAction(names[0], tuple(names[1:]))


def read_subgoals(text: str) -> tuple[Formula, ...]:
    """Return the subgoals of an answer, each with actions and predicates as atoms.

    Raises:
        Unreadable: It is of another form.
    """
    value = json_in(text)
    lines = value.get("output") if isinstance(value, ObjectPairs) else value
    return tuple(_expression(str(each)) for each in _list(lines, "output"))


def _expression(text: str) -> Formula:
    tokens = re.findall(r"[^\s(),]+|[(),]", text)
    parts = _Expression(tokens)
    formula = parts.disjunction(0)
    if parts.place != len(tokens):
        raise Unreadable(f"{text!r} goes on where it should end")
    return formula


MOST_NESTED = 50


class _Expression:
    """Conditions joined by ``and``, ``or`` and ``not``, read from the left."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens, self.place = tokens, 0

    def disjunction(self, depth: int) -> Formula:
        return _join(Or, list(self._operands("or", depth)))

    def _operands(self, word: str, depth: int) -> Iterator[Formula]:
        while True:
            yield self._simple(depth) if word == "and" else _join(And, list(self._operands("and", depth)))
            if self._peek().lower() != word:
                return
            self.place += 1

    def _simple(self, depth: int) -> Formula:
        if depth > MOST_NESTED:
            raise Unreadable("a subgoal nests too deep")
        token = self._next()
        if token.lower() == "not":
            return Not(self._simple(depth + 1))
        if token == "(":
            inner = self.disjunction(depth + 1)
            if self._next() != ")":
                raise Unreadable("a parenthesis is not closed")
            return inner
        if token in (")", ","):
            raise Unreadable(f"{token!r} stands where a condition is expected")
        terms: list[str] = []
        if self._peek() == "(":
            self.place += 1
            while (word := self._next()) != ")":
                if word == "(":
                    raise Unreadable("a parenthesis within a condition")
                if word != ",":
                    terms.append(word.lower())
        return Atom(token.lower(), tuple(terms))

    def _peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        if not token:
            raise Unreadable("a subgoal ends too early")
        self.place += 1
        return token


def _join(kind: type[And] | type[Or], parts: list[Formula]) -> Formula:
    return parts[0] if len(parts) == 1 else kind(tuple(parts))


def read_definitions(text: str) -> str:
    """Return the ``(:action ...)`` definitions in an answer as one text of PDDL.

    Raises:
        Unreadable: There is none, or one is not closed.
    """
    with_breaks = text.replace("\\n", "\n")
    found = [_balance(with_breaks, each.start()) for each in re.finditer(r"\(\s*:action\b", with_breaks)]
    if not found:
        raise Unreadable("there is no (:action ...) in the answer")
    return "\n".join(found)


def _balance(text: str, start: int) -> str:
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return text[start : place + 1]
    raise Unreadable("a definition is not closed")


def _list(value: object, what: str) -> Sequence[object]:
    if isinstance(value, list | tuple):
        return value
    raise Unreadable(f"a list is expected for '{what}'")


def read_outputs(value: object) -> Mapping[str, str]:
    """Return answers by identifier: from ``[{"identifier": ..., "llm_output": ...}, ...]``.

    Raises:
        Unreadable: It is of another form.
    """
    found: dict[str, str] = {}
    for place, each in enumerate(_list(value, "answers")):
        if not isinstance(each, dict) or not isinstance(each.get("identifier"), str) or "llm_output" not in each:
            raise Unreadable(f"answer {place} has no 'identifier' and 'llm_output'")
        output = each["llm_output"]
        found[each["identifier"]] = output if isinstance(output, str) else json.dumps(output)
    return found
