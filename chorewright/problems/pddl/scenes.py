"""A scene as PDDL tells it: a problem without its goal."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chorewright.domains.facts import supertypes
from chorewright.domains.pddl.parser import parse_problem
from chorewright.domains.pddl.syntax import (
    TOTAL_COST,
    TRUE,
    Domain,
    Formula,
    FunctionValue,
    GroundAtom,
    Metric,
    Problem,
    Typed,
)
from chorewright.domains.pddl.writer import write_problem
from chorewright.domains.vocabulary import Vocabulary
from chorewright.errors import ChorewrightError


class NoScene(ChorewrightError):
    """There is no scene for this seed; another seed may have one."""


@dataclass(frozen=True, slots=True)
class PddlScene:
    """What there is at the start, in the words of a domain.

    Attributes:
        name: What the scene is called.
        objects: The things, each with its type.
        init: The atoms that are true.
        values: Values of the domain's functions, for costs.
        minimize_cost: Whether plans shall be cheap (by ``cost_function``) rather than short.
        kind: What kind of place it is; a template's ``:rooms`` may name it.
        cost_function: The function that adds up the costs.
        metric: What else plans are measured by.
    """

    name: str
    objects: tuple[Typed, ...]
    init: tuple[GroundAtom, ...]
    values: tuple[FunctionValue, ...] = ()
    minimize_cost: bool = False
    kind: str = ""
    cost_function: str = TOTAL_COST
    metric: Metric | None = None

    @staticmethod
    def of(problem: Problem, name: str = "") -> PddlScene:
        """Return the scene of a problem, by default under the problem's name."""
        called = name or problem.name
        facts = (problem.objects, problem.init, problem.values)
        return PddlScene(
            called, *facts, problem.minimize_cost, cost_function=problem.cost_function, metric=problem.metric
        )

    def problem(self, domain: Domain, goal: Formula = TRUE, name: str = "") -> Problem:
        """Return the problem of reaching a goal from here, checked against the domain.

        Raises:
            InputErrors: The scene has types, predicates or objects that the domain does not have.
        """
        plain = re.sub(r"[^a-z0-9_-]+", "-", (name or self.name).lower()).strip("-")
        called = plain if plain[:1].isalpha() else f"scene-{plain}".rstrip("-")
        init = tuple(dict.fromkeys(self.init))
        made = Problem(
            called,
            domain.name,
            self.objects,
            init,
            self.values,
            goal,
            self.minimize_cost,
            self.cost_function,
            metric=self.metric,
        )
        return parse_problem(write_problem(made), domain, f"the scene {self.name}")

    def kinds(self, domain: Domain, vocabulary: Vocabulary) -> tuple[str, ...]:
        """Return the kinds of which there is something here, the domain's constants included."""
        found: dict[str, None] = {}
        for each in (*domain.constants, *self.objects):
            for name in supertypes(domain, each.types):
                kind = vocabulary.kind_of_type(name)
                if kind is not None:
                    found[kind.name] = None
        return tuple(found)
