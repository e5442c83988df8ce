"""A state's optimal cost by Fast Downward: A* with LM-cut over the goal's branches.

LM-cut takes no axioms, which a goal with disjunctions would need. So the goal's quantifiers are expanded
here, and what is left of its disjunctions is decided by free actions, after another has ended all others: one
of the branches is chosen, and an optimal plan is the cheapest of them all. None of our grounding takes part.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from benchmarks.corpora.planning_tasks import cut
from chorewright.domains.formulas import Universe
from chorewright.domains.pddl import write_domain, write_problem
from chorewright.domains.pddl.syntax import (
    Action,
    AddEffect,
    And,
    AndEffect,
    Atom,
    DeleteEffect,
    Domain,
    Equals,
    Exists,
    Forall,
    Formula,
    FunctionValue,
    Imply,
    IncreaseCost,
    Not,
    Or,
    Problem,
    Signature,
    State,
    Typed,
)
from chorewright.planner.grounding.normal_form import atoms_changed
from chorewright.planner.grounding.relevance import relevant_objects
from chorewright.planner.plan import GroundAction

LANDMARKS = "astar(lmcut())"
GOING, ENDED = Atom("going", ()), Atom("ended", ())
Literals = tuple[Formula, ...]
"""What must hold; a disjunction stands in it as the atom of a part of its own."""


@dataclass(slots=True)
class Branches:
    """The parts of a goal that are disjunctions, with their alternatives in one state."""

    universe: Universe
    state: State
    changing: frozenset[str]
    parts: list[list[Literals]] = field(default_factory=list)

    def needs(self, formula: Formula, names: dict[str, str], holds: bool = True) -> Literals | None:
        """What must hold for a formula to be as ``holds`` says; None if it never is."""
        match formula:
            case Not(operand):
                return self.needs(operand, names, not holds)
            case Imply(antecedent, consequent):
                return self.needs(Or((Not(antecedent), consequent)), names, holds)
            case Equals(left, right):
                return () if (names.get(left, left) == names.get(right, right)) == holds else None
            case Atom(predicate, terms):
                atom = Atom(predicate, tuple(names.get(term, term) for term in terms))
                if predicate in self.changing:
                    return (atom if holds else Not(atom),)
                return () if ((predicate, *atom.terms) in self.state) == holds else None
            case And(operands) | Or(operands):
                found = (self.needs(operand, names, holds) for operand in operands)
                return _all(found) if isinstance(formula, And) == holds else self._one_of(found)
            case Forall(variables, body) | Exists(variables, body):
                found = (self.needs(body, names | more, holds) for more in self._bindings(variables))
                return _all(found) if isinstance(formula, Forall) == holds else self._one_of(found)
        raise NotImplementedError(str(formula))

    def _bindings(self, variables: tuple[Typed, ...]) -> Iterator[dict[str, str]]:
        for values in product(*(self.universe.members(each.types) for each in variables)):
            yield {each.name: value for each, value in zip(variables, values, strict=True)}

    def _one_of(self, found: Iterable[Literals | None]) -> Literals | None:
        possible = [one for one in found if one is not None]
        if () in possible:
            return ()
        if len(possible) <= 1:
            return possible[0] if possible else None
        self.parts.append(possible)
        return (part_atom(len(self.parts) - 1),)

    def choices(self) -> Iterator[Action]:
        """Free actions that take an alternative of a part, when all else has ended."""
        yield Action("end", (), GOING, AndEffect((DeleteEffect(GOING), AddEffect(ENDED))))
        for number, alternatives in enumerate(self.parts):
            for place, literals in enumerate(alternatives):
                name = f"choose-{number}-{place}"
                yield Action(name, (), And((ENDED, *literals)), AddEffect(part_atom(number)))


def _all(found: Iterable[Literals | None]) -> Literals | None:
    """A conjunction: None if a part of it is."""
    together: dict[Formula, None] = {}
    for one in found:
        if one is None:
            return None
        together.update(dict.fromkeys(one))
    return tuple(together)


def part_atom(number: int) -> Atom:
    """Of a disjunction."""
    return Atom(f"part-{number}", ())


def mentioned(literals: Literals) -> set[str]:
    """The objects in them."""
    atoms = (literal.operand if isinstance(literal, Not) else literal for literal in literals)
    return {term for atom in atoms if isinstance(atom, Atom) for term in atom.terms}


def branch_task(
    domain: Domain, problem: Problem, state: State, plan: tuple[GroundAction, ...]
) -> tuple[Domain, Problem]:
    """The task of a state without disjunctions in its goal, cut to the objects that may matter.

    They are those that our relevance keeps, all of the plan and all that the expanded goal speaks of. So its
    plans are plans of the whole task, and the given one is among them: if that is optimal, costs are equal.
    Actions cost 1 each; actions with universal preconditions and derived predicates are beyond it.
    """
    problem = replace(problem, init=tuple(sorted(state)))
    added, deleted = atoms_changed(domain)
    branches = Branches(Universe.of(domain, problem), state, added | deleted)
    needs = branches.needs(problem.goal, {})
    assert needs is not None
    keep = set(relevant_objects(domain, problem, 1) or ())
    keep.update(name for step in plan for name in step.arguments)
    for literals in (needs, *(each for part in branches.parts for each in part)):
        keep |= mentioned(literals)
    smaller = cut(problem, keep)
    atoms = (GOING, ENDED, *(part_atom(number) for number in range(len(branches.parts))))
    actions = [
        replace(
            action, precondition=And((GOING, action.precondition)), effect=AndEffect((action.effect, IncreaseCost(1.0)))
        )
        for action in domain.actions
    ]
    wider = replace(
        domain,
        requirements=(*domain.requirements, ":action-costs"),
        constants=(*domain.constants, *smaller.objects),
        predicates=(*domain.predicates, *(Signature(atom.predicate, ()) for atom in atoms)),
        functions=(Signature("total-cost", ()),),
        actions=(*actions, *branches.choices()),
    )
    return wider, replace(
        smaller,
        objects=(),
        init=(*smaller.init, (GOING.predicate,)),
        values=(FunctionValue("total-cost", (), 0.0),),
        goal=And((ENDED, *needs)),
        minimize_cost=True,
    )


def peer_cost(driver: Path, python: str, folder: Path, task: tuple[Domain, Problem], limit: float) -> float | None:
    """Fast Downward's optimal cost of a task; None if it has none within so many processor seconds."""
    (folder / "domain.pddl").write_text(write_domain(task[0]))
    (folder / "problem.pddl").write_text(write_problem(task[1]))
    command = [python, str(driver), "--overall-time-limit", f"{limit:g}s", "domain.pddl", "problem.pddl"]
    done = subprocess.run([*command, "--search", LANDMARKS], cwd=folder, capture_output=True, text=True, check=False)
    found = re.search(r"Plan cost: (\d+)", done.stdout)
    if found is None and done.returncode not in (21, 23):
        raise RuntimeError(f"Fast Downward ends with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return float(found.group(1)) if found else None


__all__ = ["branch_task", "peer_cost"]
