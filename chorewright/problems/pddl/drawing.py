"""Drawing: a problem from a template, by a seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chorewright.domains.evaluation import StateQuestion
from chorewright.domains.facts import Universe, supertypes
from chorewright.domains.pddl.syntax import TOTAL_COST, Domain, FunctionValue, Problem, Typed
from chorewright.domains.rewriting import conjunction
from chorewright.problems.pddl.rule_steps import ProblemDraft, Steps
from chorewright.problems.pddl.rules import NumberRange, ProblemTemplate
from chorewright.problems.pddl.scenes import NoScene

MOST_OBJECTS = 100_000


def draw(
    template: ProblemTemplate, domain: Domain, seed: Sequence[int], numbers: Sequence[NumberRange] = ()
) -> Problem:
    """Draw one problem; see ``Drawer.draw``. For many problems make one ``Drawer``."""
    return Drawer(template, domain).draw(seed, numbers)


class Drawer:
    """Draws problems from a template: its rules are prepared once."""

    def __init__(self, template: ProblemTemplate, domain: Domain) -> None:
        """Prepare a template of a domain."""
        self._template, self._domain = template, domain
        self._scratch = frozenset(each.name for each in template.scratch)
        self._steps = steps = Steps(self._scratch)
        self._numbers = {each.name: steps.amounts(each.low, each.high) for each in template.numbers}
        self._counts = [
            steps.amounts(each.low, each.high) if each.low is not None and each.high is not None else None
            for each in template.objects
        ]
        self._init = steps.body(template.init, in_goal=False)
        self._goal = steps.body(template.goal, in_goal=True)
        self._constants = Universe.of(domain).by_type
        self._above = {each.type: supertypes(domain, (each.type,)) for each in template.objects}
        self._require = [(text, StateQuestion(formula)) for text, formula in template.require]

    def draw(self, seed: Sequence[int], numbers: Sequence[NumberRange] = ()) -> Problem:
        """Draw a problem.

        Args:
            seed: Whole numbers from 0; the same ones give the same problem.
            numbers: Ranges that replace those of the template, as a band's do.

        Raises:
            NoScene: A choice has nothing to choose from, or a requirement does not hold; another seed may do.
        """
        template = self._template
        draft = ProblemDraft(np.random.Generator(np.random.PCG64(np.random.SeedSequence(list(seed)))))
        self._draw_numbers(draft, numbers)
        objects = self._draw_objects(draft)
        for step in self._init:
            step(draft)
        for text, question in self._require:
            if not question.holds(draft.facts, draft.universe, {}):
                raise NoScene(f"the requirement {text} does not hold")
        for step in self._goal:
            step(draft)
        metric = template.minimize
        values = [FunctionValue(name, terms, value) for (name, terms), value in draft.values.items()]
        if metric and (metric, ()) not in draft.values:
            values.insert(0, FunctionValue(metric, (), 0.0))
        wanted = draft.wanted
        return Problem(
            name=template.name,
            domain=template.domain,
            objects=tuple(objects),
            init=tuple([atom for atom in draft.order if atom[0] not in self._scratch]),
            values=tuple(values),
            goal=conjunction(wanted) if len(wanted) != 1 else next(iter(wanted)),
            minimize_cost=bool(metric),
            cost_function=metric or TOTAL_COST,
        )

    def _draw_numbers(self, draft: ProblemDraft, numbers: Sequence[NumberRange]) -> None:
        ranges = self._numbers | {each.name: self._steps.amounts(each.low, each.high) for each in numbers}
        for name in self._numbers:
            low, high = (int(amount(draft)) for amount in ranges[name])
            if high < low:
                raise NoScene(f"the number {name} has no value: from {low} to {high}")
            draft.numbers[name] = int(draft.rng.integers(low, high + 1))

    def _draw_objects(self, draft: ProblemDraft) -> list[Typed]:
        objects: list[Typed] = []
        taken: dict[str, int] = {}
        for each, ends in zip(self._template.objects, self._counts, strict=True):
            names: Sequence[str] = each.names
            if ends is not None:
                low, high = int(ends[0](draft)), int(ends[1](draft))
                count = low if low == high else int(draft.rng.integers(low, max(low, high) + 1))
                if count + len(objects) > MOST_OBJECTS:
                    raise NoScene(f"there would be more than {MOST_OBJECTS:,} objects")
                first = taken.get(each.prefix, 0)
                names = [f"{each.prefix}{first + number + 1}" for number in range(count)]
                taken[each.prefix] = first + count
            types = (each.type,)
            objects += [Typed(name, types) for name in names]
        draft.universe = self._universe(objects)
        draft.facts.of("")  # builds the indices, so that conditions never try out all objects
        return objects

    def _universe(self, objects: Sequence[Typed]) -> Universe:
        """Return what ``Universe.of`` returns; what is above a type is looked up once."""
        by_type = {name: list(constants) for name, constants in self._constants.items()}
        for each in objects:
            for name in self._above[each.types[0]]:
                by_type[name].append(each.name)
        return Universe({name: tuple(dict.fromkeys(found)) for name, found in by_type.items()})
