"""A second validator of numeric plans, for tests: it reads the files itself and shares no code with ours.

A text becomes nested lists, a state is a set of atoms and a dictionary of fractions, and formulas are walked as they
are written. Quantifiers run over all objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

Tree = Any
"""A word, or a list of trees."""

Values = Mapping[tuple[str, ...], Fraction]


def tree_of(text: str) -> Tree:
    """The first list of a text."""
    stack: list[list[Tree]] = [[]]
    for word in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text.lower())):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    return stack[0][0]


def typed(words: Sequence[str]) -> dict[str, str]:
    """Names and their types."""
    found: dict[str, str] = {}
    waiting: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "-":
            kind = next(rest)
            found.update(dict.fromkeys(waiting, kind))
            waiting = []
        else:
            waiting.append(word)
    return {**found, **dict.fromkeys(waiting, "object")}


class LiteralSimulator:
    """Runs plans of one domain and problem, each step ``(name, object, ...)``."""

    def __init__(self, domain: Path, problem: Path) -> None:
        self.actions: dict[str, dict[str, Tree]] = {}
        self.parents: dict[str, str] = {}
        for part in tree_of(domain.read_text())[2:]:
            if part[0] == ":action":
                self.actions[part[1]] = dict(zip(part[2::2], part[3::2], strict=True))
            elif part[0] == ":types":
                self.parents = typed(part[1:])
        self.objects: dict[str, str] = {}
        self.atoms: set[tuple[str, ...]] = set()
        self.values: dict[tuple[str, ...], Fraction] = {}
        self.goal: Tree = ["and"]
        for part in tree_of(problem.read_text())[2:]:
            if part[0] == ":objects":
                self.objects = typed(part[1:])
            elif part[0] == ":goal":
                self.goal = part[1]
            elif part[0] == ":init":
                for fact in part[1:]:
                    if fact[0] == "=":
                        self.values[tuple(fact[1])] = Fraction(fact[2])
                    else:
                        self.atoms.add(tuple(fact))
        self.values.setdefault(("spent",), Fraction(0))

    def failure(self, plan: Sequence[Sequence[str]]) -> int | None:
        """The number of the first step that fails; 0 if it is the goal that is missed, None if the plan is valid."""
        atoms, values = set(self.atoms), dict(self.values)
        for number, (name, *arguments) in enumerate(plan, 1):
            action = self.actions.get(name)
            if action is None:
                return number
            parameters = typed(action.get(":parameters", []))
            if len(parameters) != len(arguments) or not all(
                each in self.objects and self.below(self.objects[each], kind)
                for each, kind in zip(arguments, parameters.values(), strict=True)
            ):
                return number
            env = dict(zip(parameters, arguments, strict=True))
            if not self.holds(action.get(":precondition", ["and"]), atoms, values, env):
                return number
            changed = list(self.changes(action[":effect"], atoms, values, env))
            atoms -= {what for kind, what, _ in changed if kind == "delete"}
            atoms |= {what for kind, what, _ in changed if kind == "add"}
            before = dict(values)
            for kind, what, amount in changed:
                if kind == "assign":
                    values[what] = amount
                elif kind == "increase":
                    values[what] += amount
                elif kind == "decrease":
                    values[what] -= amount
                elif kind == "scale-up":
                    values[what] = before[what] * amount
                elif kind == "scale-down":
                    values[what] = before[what] / amount
        return None if self.holds(self.goal, atoms, values, {}) else 0

    def below(self, kind: str, wanted: str) -> bool:
        return wanted in (kind, "object") or (kind in self.parents and self.below(self.parents[kind], wanted))

    def bindings(self, words: Sequence[str]) -> Iterator[dict[str, str]]:
        variables = typed(words)
        ranges = [[x for x, own in self.objects.items() if self.below(own, kind)] for kind in variables.values()]
        for values in product(*ranges):
            yield dict(zip(variables, values, strict=True))

    def number(self, tree: Tree, values: Values, env: Mapping[str, str]) -> Fraction:
        if isinstance(tree, str):
            return Fraction(tree)
        if tree[0] not in ("+", "-", "*", "/"):
            return values[tuple(env.get(word, word) for word in tree)]
        first, *rest = (self.number(each, values, env) for each in tree[1:])
        for other in rest:
            if tree[0] == "+":
                first += other
            elif tree[0] == "-":
                first -= other
            elif tree[0] == "*":
                first *= other
            else:
                first /= other
        return first if rest else -first

    def holds(
        self,
        tree: Tree,
        atoms: set[tuple[str, ...]],
        values: Mapping[tuple[str, ...], Fraction],
        env: Mapping[str, str],
    ) -> bool:
        head, *rest = tree or ["and"]
        match head:
            case "and":
                return all(self.holds(each, atoms, values, env) for each in rest)
            case "or":
                return any(self.holds(each, atoms, values, env) for each in rest)
            case "not":
                return not self.holds(rest[0], atoms, values, env)
            case "imply":
                return not self.holds(rest[0], atoms, values, env) or self.holds(rest[1], atoms, values, env)
            case "forall":
                return all(self.holds(rest[1], atoms, values, {**env, **each}) for each in self.bindings(rest[0]))
            case "exists":
                return any(self.holds(rest[1], atoms, values, {**env, **each}) for each in self.bindings(rest[0]))
            case "=" if isinstance(rest[0], str):
                return env.get(rest[0], rest[0]) == env.get(rest[1], rest[1])
            case "=" | "<" | "<=" | ">" | ">=":
                one, other = (self.number(each, values, env) for each in rest)
                return {"=": one == other, "<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[
                    head
                ]
            case _:
                return (head, *[env.get(word, word) for word in rest]) in atoms

    def changes(
        self,
        tree: Tree,
        atoms: set[tuple[str, ...]],
        values: Mapping[tuple[str, ...], Fraction],
        env: Mapping[str, str],
    ) -> Iterator[tuple[str, tuple[str, ...], Fraction]]:
        head, *rest = tree or ["and"]
        if head == "and":
            for each in rest:
                yield from self.changes(each, atoms, values, env)
        elif head == "when":
            if self.holds(rest[0], atoms, values, env):
                yield from self.changes(rest[1], atoms, values, env)
        elif head == "forall":
            for each in self.bindings(rest[0]):
                yield from self.changes(rest[1], atoms, values, {**env, **each})
        elif head == "not":
            yield "delete", tuple(env.get(word, word) for word in rest[0]), Fraction(0)
        elif head in ("assign", "increase", "decrease", "scale-up", "scale-down"):
            yield head, tuple(env.get(word, word) for word in rest[0]), self.number(rest[1], values, env)
        else:
            yield "add", tuple(env.get(word, word) for word in tree), Fraction(0)
