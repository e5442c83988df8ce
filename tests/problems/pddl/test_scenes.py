"""Keys of problems: the same for renamed ones, others for others, as a brute force over all renamings says."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from chorewright.domains.pddl.subformulas import conjuncts
from chorewright.domains.pddl.syntax import TRUE, Domain, FunctionValue, Not, Problem, Typed
from chorewright.domains.rewriting import substitute
from chorewright.problems.pddl.rules import NumberRange, constant
from chorewright.problems.pddl.scenes import NoScene, renaming_key, told_key
from chorewright.problems.pddl.template_files import classic_domain, classic_names, classic_template, draw


def renamed(problem: Problem, names: dict[str, str]) -> Problem:
    """The problem with other names of its objects."""
    return replace(
        problem,
        objects=tuple(Typed(names[each.name], each.types) for each in problem.objects),
        init=tuple((atom[0], *(names.get(t, t) for t in atom[1:])) for atom in problem.init),
        values=tuple(
            FunctionValue(each.function, tuple(names.get(t, t) for t in each.objects), each.value)
            for each in problem.values
        ),
        goal=substitute(problem.goal, names),
    )


def same(one: Problem, other: Problem) -> bool:
    """Whether some renaming turns one problem into the other, tried one by one."""
    names = [each.name for each in one.objects]
    if sorted(each.types for each in one.objects) != sorted(each.types for each in other.objects):
        return False
    target = (set(other.init), set(conjuncts(other.goal)), {each.name: each.types for each in other.objects})
    for order in permutations([each.name for each in other.objects]):
        found = renamed(one, dict(zip(names, order, strict=True)))
        if (set(found.init), set(conjuncts(found.goal)), {e.name: e.types for e in found.objects}) == target:
            return True
    return False


def problems(name: str, count: int, seed: int = 0) -> tuple[Domain, list[Problem]]:
    domain, template = classic_domain(name), classic_template(name)
    found: list[Problem] = []
    number = 0
    while len(found) < count:
        number += 1
        try:
            found.append(draw(template, domain, (seed, number), template.bands[0].numbers if template.bands else ()))
        except NoScene:
            continue
    return domain, found


@pytest.mark.parametrize("name", classic_names())
def test_other_names_have_the_same_key(name: str) -> None:
    domain, found = problems(name, 8)
    rng = np.random.Generator(np.random.PCG64(3))
    for problem in found:
        names = [each.name for each in problem.objects]
        other = renamed(problem, dict(zip(names, (f"z{place}" for place in rng.permutation(len(names))), strict=True)))
        init = [other.init[place] for place in rng.permutation(len(other.init))]
        objects = [other.objects[place] for place in rng.permutation(len(other.objects))]
        shuffled = replace(other, init=tuple(init), objects=tuple(objects))
        assert renaming_key(domain, shuffled) == renaming_key(domain, problem)
        assert told_key(domain, shuffled) == told_key(domain, problem)


def test_what_is_told_has_a_key() -> None:
    domain, found = problems("logistics", 1)
    problem, *others = found[0], *problems("logistics", 12)[1]
    more = replace(problem, objects=(*problem.objects, Typed("spare", ("truck",))), minimize_cost=True)
    assert told_key(domain, more) == told_key(domain, problem)
    goals = {told_key(domain, replace(problem, goal=goal)) for goal in (problem.goal, TRUE, Not(problem.goal))}
    assert len(goals) == 3
    assert len({told_key(domain, replace(each, goal=TRUE)) for each in others}) > 6


def test_keys_agree_with_all_renamings() -> None:
    domain, template = classic_domain("blocks"), classic_template("blocks")
    few = (NumberRange("?n", constant(2), constant(4)),)
    small = [draw(template, domain, (number,), few) for number in range(24)]
    keys = [renaming_key(domain, each) for each in small]
    for one in range(len(small)):
        for other in range(one):
            assert (keys[one] == keys[other]) == same(small[one], small[other])
