"""The verbaliser: goals, states, plans, steps and failures of any domain as English sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chorewright.domains.clauses import Clauses
from chorewright.domains.facts import VALUE, supertypes
from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.subformulas import conjuncts
from chorewright.domains.pddl.syntax import TOTAL_COST, Atom, Domain, Formula, GroundAtom, Not, Problem, Typed
from chorewright.domains.phrases import Wordings, join_clauses, words_of
from chorewright.domains.rewriting import conjunction
from chorewright.files.english import say_list, sentence
from chorewright.planner.plan import GroundAction
from chorewright.rsa.words.guesses import complete

_LITERAL = re.compile(r"\((not \()?([^()\s=]+)((?: [^()\s]+)*)\)\)?")
COST = (VALUE, TOTAL_COST)
"""How an atom of the total cost begins, of which nothing is said."""

_AIMS = ("Make sure that {}.", "Bring it about that {}.", "Your goal is that {}.", "At the end, {}.")
_TASKS = ("{}.", "Your task: {}.", "Please {}.")


@dataclass(frozen=True, slots=True)
class Verbaliser:
    """Says what is and happens in the problems of a domain. All methods are pure but for the generator.

    Every method takes a numpy generator that draws among several wordings; without one, it uses the first of each.

    Attributes:
        domain: The domain.
        wordings: Its wordings, complete.
        objects: The objects of the problem.
        names: What they are called, by their names in PDDL.
    """

    domain: Domain
    wordings: Wordings
    objects: tuple[Typed, ...]
    names: dict[str, str]

    @staticmethod
    def of(domain: Domain, objects: Iterable[Typed] = (), wordings: Wordings | None = None) -> Verbaliser:
        """Return the verbaliser of a domain for a problem's objects.

        Args:
            domain: The domain.
            objects: The problem's objects; others are called by their names in PDDL.
            wordings: What the author says of how to say it; guesses serve for the rest.
        """
        things, words = tuple(objects), complete(domain, wordings or Wordings())
        return Verbaliser(domain, words, things, names_of(domain, things, words))

    def with_problem(self, problem: Problem) -> Verbaliser:
        """Return the verbaliser for another problem of the domain."""
        names = names_of(self.domain, problem.objects, self.wordings)
        return Verbaliser(self.domain, self.wordings, problem.objects, names)

    def name(self, thing: str) -> str:
        """Return what an object is called: *block a*."""
        return self.names.get(thing) or words_of(thing)

    def kind(self, types: Sequence[str]) -> str:
        """Return the noun of things of some types: *block*; empty if they may be anything."""
        if "object" in types and "object" not in self.wordings.nouns:
            return ""
        return " or ".join(self.wordings.nouns[each].one for each in types if each in self.wordings.nouns)

    def atom(self, atom: GroundAtom, affirmed: bool = True, rng: np.random.Generator | None = None) -> str:
        """Return that an atom holds (or not) as a clause: *a is on b*."""
        return self._clauses(rng).atom(atom, affirmed)

    def formula(self, formula: Formula, rng: np.random.Generator | None = None) -> str:
        """Return a formula as a clause: *every ball is in room b*."""
        return self._clauses(rng).clause(formula)

    def state(self, atoms: Iterable[GroundAtom], rng: np.random.Generator | None = None) -> str:
        """Return a state as sentences, by the domain's order of predicates."""
        order = {each.name: place for place, each in enumerate(self.domain.predicates)}
        ranked = sorted(
            (atom for atom in atoms if atom[:2] != COST),
            key=lambda atom: (order.get(atom[0], len(order)), _natural(atom)),
        )
        return " ".join(sentence(each) for each in self._clauses(rng).literals([(atom, True) for atom in ranked]))

    def change(
        self, added: Sequence[GroundAtom], removed: Sequence[GroundAtom], rng: np.random.Generator | None = None
    ) -> str:
        """Return what a step changed, as a sentence: *Now a is held and a is not clear.*"""
        literals = [(atom, True) for atom in sorted(added, key=_natural) if atom[:2] != COST]
        literals += [(atom, False) for atom in sorted(removed, key=_natural) if atom[0] != VALUE]
        if not literals:
            return "Nothing changes."
        return sentence(f"now {join_clauses(self._clauses(rng).literals(literals))}")

    def goal(self, goal: Formula, rng: np.random.Generator | None = None) -> str:
        """Return a goal as an instruction: *Make sure that a is on b.*, or as the author words it."""
        clauses = self._clauses(rng)
        orders, rest = self._orders(goal, clauses)
        said = sentence(_pick(_TASKS, rng).format(join_clauses(orders))) if orders else ""
        if rest:
            clause = clauses.clause(_and(rest))
            aim = f"Also make sure that {clause}." if said else _pick(_AIMS, rng).format(clause)
            said = f"{said} {sentence(aim)}".strip()
        return said or "Nothing is to be done."

    def action(self, action: GroundAction, rng: np.random.Generator | None = None) -> str:
        """Return an action as an order without capital and full stop: *stack a on b*."""
        phrases = self.wordings.actions.get(action.name)
        if phrases is None or any(isinstance(p, int) and p >= len(action.arguments) for p in phrases[0].parts):
            return " ".join((words_of(action.name), *map(self.name, action.arguments)))
        return self._clauses(rng).draw(phrases).fill([self.name(each) for each in action.arguments])

    def ways(self, action: GroundAction) -> tuple[str, ...]:
        """Return all wordings of an action."""
        names = [self.name(each) for each in action.arguments]
        phrases = self.wordings.actions.get(action.name, ())
        fitting = [p for p in phrases if all(not isinstance(part, int) or part < len(names) for part in p.parts)]
        return tuple(each.fill(names) for each in fitting)

    def step(self, action: GroundAction, rng: np.random.Generator | None = None) -> str:
        """Return an action as a sentence: *Stack a on b.*"""
        return sentence(self.action(action, rng))

    def plan(self, actions: Sequence[GroundAction], rng: np.random.Generator | None = None) -> str:
        """Return a plan as sentences: *First ... Then ... Finally ...*"""
        said = []
        for number, action in enumerate(actions):
            last = number == len(actions) - 1
            begin = "First, " if number == 0 else "Finally, " if last else "Then " if number % 2 else "Next, "
            said.append(sentence(f"{begin if len(actions) > 1 else ''}{self.action(action, rng)}"))
        return " ".join(said) or "There is nothing to do."

    def failure(
        self, action: GroundAction, unmet: Sequence[str | Formula], rng: np.random.Generator | None = None
    ) -> str:
        """Return why an action cannot be done: *You cannot stack a on b: b is not clear.*

        Args:
            action: The action.
            unmet: The parts of its precondition that do not hold, as the validator gives them (PDDL text), or formulas.
            rng: Draws among wordings.
        """
        clauses = self._clauses(rng)
        reasons = [clauses.clause(_opposite(self._formula(each))) for each in unmet]
        why = f": {join_clauses(reasons)}" if reasons else ""
        return sentence(f"you cannot {self.action(action, rng)}{why}")

    def missing(self, unmet: Sequence[str | Formula], rng: np.random.Generator | None = None) -> str:
        """Return which parts of a goal do not hold yet: *The goal is not reached: a is not on b.*"""
        clauses = self._clauses(rng)
        reasons = [clauses.clause(_opposite(self._formula(each))) for each in unmet]
        return sentence(f"the goal is not reached{': ' + join_clauses(reasons) if reasons else ''}")

    def _clauses(self, rng: np.random.Generator | None) -> Clauses:
        return Clauses(self.wordings, self.names, rng)

    def _orders(self, goal: Formula, clauses: Clauses) -> tuple[list[str], list[Formula]]:
        """Return the parts of a goal that the author words as orders, and the others."""
        rest: list[Formula] = []
        groups: dict[str, list[Atom]] = {}
        for part in conjuncts(goal):
            if isinstance(part, Atom) and part.predicate in self.wordings.goals:
                groups.setdefault(part.predicate, []).append(part)
            elif part not in rest:
                rest.append(part)
        orders: list[str] = []
        for predicate, atoms in groups.items():
            phrase = clauses.draw(self.wordings.goals[predicate])
            for alike in _together(atoms):
                names = [
                    say_list(list(dict.fromkeys(self.name(atom.terms[place]) for atom in alike)))
                    for place in range(len(alike[0].terms))
                ]
                orders.append(phrase.fill(names))
        return orders, rest

    def _formula(self, unmet: str | Formula) -> Formula:
        if not isinstance(unmet, str):
            return unmet
        found = _LITERAL.fullmatch(unmet)
        if found and found[2] not in ("and", "or", "not"):
            atom = Atom(found[2], tuple(found[3].split()))
            return Not(atom) if found[1] else atom
        return parse_formula(unmet, self.domain, self.objects)


def _opposite(formula: Formula) -> Formula:
    return formula.operand if isinstance(formula, Not) else Not(formula)


def _and(parts: Sequence[Formula]) -> Formula:
    return parts[0] if len(parts) == 1 else conjunction(parts)


def _together(atoms: Sequence[Atom]) -> list[list[Atom]]:
    """Return atoms of one predicate in groups that share all but the first argument."""
    groups: dict[tuple[str, ...], list[Atom]] = {}
    for atom in atoms:
        groups.setdefault(atom.terms[1:] if len(atom.terms) > 1 else (), []).append(atom)
    return list(groups.values())


def _natural(atom: GroundAtom) -> tuple[tuple[tuple[int, str], ...], ...]:
    """A key by which ``ball2`` comes before ``ball10``."""
    return tuple(
        tuple((int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", word)) for word in atom
    )


def _pick(texts: Sequence[str], rng: np.random.Generator | None) -> str:
    return texts[0] if rng is None else texts[int(rng.integers(len(texts)))]


def names_of(domain: Domain, objects: Iterable[Typed], wordings: Wordings) -> dict[str, str]:
    """Return what each object is called, the domain's constants included.

    Without a word of the author, ``ball3`` is *ball 3*, ``left-hand`` of type ``hand`` *the left
    hand*, and anything else goes by its own name. Where two objects would be called the same, both go by their own.
    """
    found: dict[str, str] = {}
    for each in (*domain.constants, *objects):
        found[each.name] = wordings.names.get(each.name) or _name(each, supertypes(domain, each.types), wordings)
    return _distinct(found)


def _name(thing: Typed, types: tuple[str, ...], wordings: Wordings) -> str:
    short = thing.name
    for each in types:
        if thing.name.startswith(each) and len(thing.name) > len(each):
            short = thing.name[len(each) :].lstrip("-_")
            break
    for each in types:
        if each in wordings.objects:
            return wordings.objects[each][0].fill([words_of(short)])
    numbered = re.fullmatch(r"(.*?[a-z])[-_]?(\d+)", thing.name)
    for each in types:
        noun = wordings.nouns[each].one if each in wordings.nouns else words_of(each)
        if thing.name == each:
            return f"the {noun}"
        if numbered and numbered[1].rstrip("-_") == each:
            return f"{noun} {numbered[2]}"
        if re.search(rf"[-_]{re.escape(each)}$", thing.name):
            return f"the {words_of(thing.name)}"
    if numbered and len(numbered[1]) > 2:
        return f"{words_of(numbered[1])} {numbered[2]}"
    return words_of(thing.name)


def _distinct(names: Mapping[str, str]) -> dict[str, str]:
    """Return the names, with the objects' own where several would be called the same."""
    seen: dict[str, int] = {}
    for called in names.values():
        seen[called] = seen.get(called, 0) + 1
    return {name: called if seen[called] == 1 else words_of(name) for name, called in names.items()}
