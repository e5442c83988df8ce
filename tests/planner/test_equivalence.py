"""Comparing problems: 300 pairs whose verdicts a brute force over states and permutations knows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise, permutations, product
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from chorewright.domains.arithmetic import is_numeric
from chorewright.domains.formulas import Facts, conjuncts, holds
from chorewright.domains.pddl import parse_domain, parse_formula, parse_problem, write_domain, write_problem
from chorewright.domains.pddl.subformulas import rename
from chorewright.domains.pddl.syntax import And, Domain, Formula, Not, Problem, Typed
from chorewright.errors import ExitCode
from chorewright.planner.equivalence import ComparisonEffort, Likeness, compare_problems
from chorewright.planner.equivalence.goals import GoalWriter, canonical, count_literals
from chorewright.planner.equivalence.state_space import Structure, renamings
from chorewright.planner.plan import GroundAction, Limits
from chorewright.planner.validation import PlanWorld, validate
from chorewright.problems.pddl.template_files import classic_domain
from tests.command import chorewright
from tests.planner.plain_simulator import PlainSimulator

T = TypeVar("T")

SWITCHES = """(define (domain switches) (:requirements :adl) (:types lamp switch) (:constants main - switch)
 (:predicates (wired ?s - switch ?l - lamp) (lit ?l - lamp) (down ?s - switch))
 (:action press :parameters (?s - switch) :precondition (not (down ?s))
  :effect (and (down ?s) (forall (?l - lamp) (when (and (wired ?s ?l) (not (lit ?l))) (lit ?l)))
   (forall (?l - lamp) (when (and (wired ?s ?l) (lit ?l)) (not (lit ?l))))))
 (:action lift :parameters (?s - switch) :precondition (down ?s) :effect (not (down ?s))))"""

BASES = [
    ("blocks", "a b c - block", "(hand-empty) (on-table a) (on b a) (clear b) (on-table c) (clear c)",
     ["(and (on a b) (on b c))", "(and (on c a) (on-table b))", "(exists (?x - block) (and (on ?x a) (clear ?x)))"]),
    ("blocks", "a b c - block", "(hand-empty) (on-table a) (clear a) (on-table b) (clear b) (on-table c) (clear c)",
     ["(and (on a b) (on b c))", "(or (on a b) (on b c))", "(forall (?x - block) (not (on-table ?x)))"]),
    ("gripper", "r s - room x y z - ball left - hand", "(robot-in r) (free left) (in x r) (in y r) (in z s)",
     ["(and (in x s) (in y s))", "(and (in x s) (in z r) (robot-in r))", "(at-least 2 (?b - ball) (in ?b s))"]),
    ("gripper", "r s - room x y - ball left right - hand", "(robot-in r) (free left) (free right) (in x r) (in y r)",
     ["(and (in x s) (in y s))", "(and (holds left x) (robot-in s))", "(imply (in x s) (in y s))"]),
    ("switches", "p q - lamp s t - switch", "(wired main p) (wired s p) (wired s q) (wired t q) (lit q)",
     ["(and (lit p) (lit q))", "(and (lit p) (not (lit q)) (down main))", "(forall (?l - lamp) (lit ?l))"]),
]  # fmt: skip
KINDS = ("renamed", "reordered", "both", "weakened", "strengthened", "negated", "exchanged", "other start")


def domain_of(name: str) -> Domain:
    return parse_domain(SWITCHES) if name == "switches" else classic_domain(name)


def problem_of(number: int, goal: str) -> tuple[Domain, Problem]:
    name, objects, init, _ = BASES[number]
    domain = domain_of(name)
    text = f"(define (problem p) (:domain {domain.name}) (:objects {objects}) (:init {init}) (:goal {goal}))"
    return domain, parse_problem(text, domain)


def with_names(problem: Problem, names: dict[str, str]) -> Problem:
    return replace(
        problem,
        objects=tuple(replace(each, name=names.get(each.name, each.name)) for each in problem.objects),
        init=tuple((atom[0], *[names.get(name, name) for name in atom[1:]]) for atom in problem.init),
        goal=rename(problem.goal, names),
    )


def mixed(items: Sequence[T], rng: np.random.Generator) -> tuple[T, ...]:
    return tuple(items[place] for place in rng.permutation(len(items)).tolist())


def shuffled(problem: Problem, rng: np.random.Generator) -> Problem:
    goal = And(mixed(conjuncts(problem.goal), rng))
    return replace(problem, objects=mixed(problem.objects, rng), init=mixed(problem.init, rng), goal=goal)


def variant(kind: str, domain: Domain, problem: Problem, rng: np.random.Generator) -> Problem:
    names = [each.name for each in problem.objects]
    fresh = dict(zip(names, rng.permutation([f"n{number}" for number in range(len(names))]).tolist(), strict=True))
    atoms = sorted(set().union(*states(domain, problem)))
    picked = atoms[int(rng.integers(len(atoms)))]
    literal = parse_formula(f"({' '.join(picked)})", domain, problem.objects)
    parts = conjuncts(problem.goal)
    match kind:
        case "renamed":
            return with_names(problem, fresh)
        case "reordered":
            return shuffled(problem, rng)
        case "both":
            return with_names(shuffled(problem, rng), fresh)
        case "weakened":
            drop = int(rng.integers(len(parts)))
            return with_names(replace(problem, goal=And(parts[:drop] + parts[drop + 1 :])), fresh)
        case "strengthened":
            more: Formula = literal if rng.integers(2) else Not(literal)
            return with_names(replace(problem, goal=And((*parts, more))), fresh)
        case "negated":
            return with_names(replace(problem, goal=Not(problem.goal)), fresh)
        case "exchanged":
            one, other = rng.choice(names, 2, replace=False).tolist()
            types = {each.name: each.types for each in problem.objects}
            mapping = {one: other, other: one} if types[one] == types[other] else {}
            return with_names(replace(problem, goal=rename(problem.goal, mapping)), fresh)
        case _:
            reached = sorted(map(sorted, states(domain, problem)))
            return with_names(replace(problem, init=tuple(reached[int(rng.integers(len(reached)))])), fresh)


@cache
def _states(domain_text: str, problem_text: str) -> tuple[frozenset[tuple[str, ...]], ...]:
    domain = parse_domain(domain_text)
    problem = parse_problem(problem_text, domain)
    plain = PlainSimulator(domain, problem)
    start = frozenset(problem.init)
    found, waiting = {start: None}, [start]
    for state in waiting:
        for action in domain.actions:
            for binding in plain.bindings(action.parameters, {}):
                if not plain.true(action.precondition, set(state), binding):
                    continue
                fired = list(plain.fire(action.effect, set(state), binding))
                after = state - {atom for adds, atom in fired if not adds} | {atom for adds, atom in fired if adds}
                if after not in found:
                    found[after] = None
                    waiting.append(after)
    return tuple(found)


def states(domain: Domain, problem: Problem) -> tuple[frozenset[tuple[str, ...]], ...]:
    """All reachable states, by brute force."""
    return _states(write_domain(domain), write_problem(replace(problem, goal=And(()), name="p")))


def meeting(domain: Domain, problem: Problem) -> frozenset[frozenset[tuple[str, ...]]]:
    plain = PlainSimulator(domain, problem)
    return frozenset(state for state in states(domain, problem) if plain.true(problem.goal, set(state), {}))


def alike(domain: Domain, one: Problem, other: Problem) -> bool:
    """Whether some permutation of the objects turns one problem into the other, by trying all."""
    if len(one.objects) != len(other.objects):
        return False
    goals, others = meeting(domain, one), meeting(domain, other)
    for mapping in bijections(one.objects, other.objects):
        moved = frozenset((atom[0], *[mapping.get(name, name) for name in atom[1:]]) for atom in one.init)
        if moved == frozenset(other.init) and len(goals) == len(others) and all(
            frozenset((a[0], *[mapping.get(name, name) for name in a[1:]]) for a in state) in others
            for state in goals
        ):  # fmt: skip
            return True
    return False


def bijections(one: tuple[Typed, ...], other: tuple[Typed, ...]) -> Iterator[dict[str, str]]:
    kinds = sorted({each.types for each in one})
    choices = []
    for kind in kinds:
        mine = [each.name for each in one if each.types == kind]
        theirs = [each.name for each in other if each.types == kind]
        if len(mine) != len(theirs):
            return
        choices.append([dict(zip(mine, order, strict=True)) for order in permutations(theirs)])
    for picked in product(*choices):
        yield {old: new for part in picked for old, new in part.items()}


CASES = [(number, goal, kind) for number, base in enumerate(BASES) for goal in base[3] for kind in KINDS]
ROUNDS = 3
"""Of each case: 360 pairs."""


@pytest.mark.parametrize(("number", "goal"), [(n, g) for n, base in enumerate(BASES) for g in base[3]])
def test_verdicts_are_those_of_brute_force(number: int, goal: str) -> None:
    domain, problem = problem_of(number, goal)
    for kind in KINDS:
        for seed in range(ROUNDS):
            rng = np.random.default_rng([seed, number, KINDS.index(kind)])
            other = variant(kind, domain, problem, rng)
            truth = alike(domain, problem, other)
            found = compare_problems(domain, problem, other)
            wanted = Likeness.EQUIVALENT if truth else Likeness.DIFFERENT
            assert found.likeness is wanted, (kind, seed, found.reason, write_problem(other))
            if kind in ("renamed", "reordered", "both"):
                assert truth
            check_evidence(domain, problem, other, found)


def check_evidence(domain: Domain, one: Problem, other: Problem, found: object) -> None:
    """A renaming turns one start into the other; a witness is a state in which one goal holds."""
    from chorewright.planner.equivalence import ProblemComparison

    assert isinstance(found, ProblemComparison)
    names = dict(found.renaming)
    if found.likeness is Likeness.EQUIVALENT:
        assert frozenset(with_names(one, names).init) == frozenset(other.init)
        moved = with_names(one, names)
        assert meeting(domain, replace(moved, objects=other.objects)) == meeting(domain, other)
    elif found.holds_in:
        world = PlanWorld.of(domain, one)
        state = world.initial()
        for step in found.witness:
            assert world.refusal(step, Facts(state)) is None
            state = world.apply(step, state, Facts(state))
        back = {new: old for old, new in names.items()}
        mine = holds(one.goal, state, world.universe)
        theirs = holds(rename(other.goal, back), state, world.universe)
        assert (mine, theirs) == (found.holds_in == 1, found.holds_in == 2)


def test_there_are_300_pairs() -> None:
    assert len(CASES) * ROUNDS >= 300


@pytest.mark.parametrize("kind", ["renamed", "weakened", "static", "negated"])
def test_large_problems_are_decided_by_search(kind: str) -> None:
    domain = classic_domain("blocks")
    blocks = [f"b{number}" for number in range(8)]
    init = "(hand-empty)" + "".join(f"(on-table {b})(clear {b})" for b in blocks)
    goal = [f"(on {one} {other})" for one, other in pairwise(blocks)]
    text = "(define (problem p) (:domain blocks) (:objects {} - block) (:init {}) (:goal {}))"
    one = parse_problem(text.format(" ".join(blocks), init, f"(and {' '.join(goal)})"), domain)
    match kind:
        case "renamed":
            other = with_names(one, dict(zip(blocks, reversed(blocks), strict=True)))
        case "weakened":
            other = replace(one, goal=And(conjuncts(one.goal)[:-1]))
        case "static":
            other = replace(one, goal=And((*conjuncts(one.goal), Not(Not(conjuncts(one.goal)[0])))))
        case _:
            other = replace(one, goal=Not(one.goal))
    found = compare_problems(domain, one, other, Limits(evaluations=300))
    if kind in ("renamed", "static"):
        assert found.likeness is Likeness.EQUIVALENT
    else:
        assert found.likeness in (Likeness.DIFFERENT, Likeness.UNDECIDED)


def test_canonical_forms_know_order_and_double_negation() -> None:
    domain, problem = problem_of(0, "(and (on a b) (not (not (or (on b c) (imply (on c a) (clear a))))))")
    again, other = problem_of(0, "(and (or (clear a) (not (on c a)) (on b c)) (on a b) (on a b))")
    assert canonical(problem.goal) == canonical(other.goal)
    assert again == domain


def test_goals_are_written_out_without_quantifiers() -> None:
    domain, problem = problem_of(0, "(forall (?x - block) (or (= ?x a) (not (on a ?x))))")
    written = GoalWriter(domain, problem)
    assert written.literals(problem.goal) == {("on", "a", "b"): False, ("on", "a", "c"): False}
    assert count_literals(problem.goal, written.universe) == 6
    assert written.literals(problem_of(0, "(and (on a b) (not (on a b)))")[1].goal) is None
    assert written.literals(problem_of(0, "(or (on a b) (on a c))")[1].goal) is None


FEW = ComparisonEffort(states=1, searches=1, tries=1_000, literals=1_000)


@pytest.mark.parametrize(
    ("one", "other", "likeness"),
    [
        ("(forall (?x - block) (on-table ?x))", "(and (on-table c) (on-table a) (on-table b))", Likeness.EQUIVALENT),
        ("(exists (?x - block) (on ?x a))", "(or (on a a) (on c a) (on b a))", Likeness.EQUIVALENT),
        ("(on a b)", "(and (not (on a b)) (on a b))", Likeness.DIFFERENT),
        ("(on a b)", "(forall (?a ?b ?c ?d ?e ?f ?g - block) (or (on ?a ?b) (on a b)))", Likeness.UNDECIDED),
        ("(on a b)", "(at-least 3 (?a ?b ?c - block) (on a b))", Likeness.UNDECIDED),
    ],
)
def test_little_effort_decides_what_is_said_in_another_form(one: str, other: str, likeness: Likeness) -> None:
    (domain, first), (_, second) = problem_of(0, one), problem_of(0, other)
    assert compare_problems(domain, first, second, Limits(evaluations=300), FEW).likeness is likeness


def test_numbers_are_compared_too() -> None:
    text = """(define (domain d) (:types c) (:functions (v ?c - c)) (:action up :parameters (?c - c)
      :precondition (< (v ?c) 3) :effect (increase (v ?c) 1)))"""
    domain = parse_domain(text)
    assert is_numeric(domain)
    made = "(define (problem p) (:domain d) (:objects {} - c) (:init (= (v {}) 0) (= (v {}) 1)) (:goal {}))"
    one = parse_problem(made.format("x y", "x", "y", "(and (>= (v x) 2) (= (v y) 3))"), domain)
    same = parse_problem(made.format("p q", "q", "p", "(and (= (v p) 3) (> (v q) 1))"), domain)
    less = parse_problem(made.format("x y", "x", "y", "(= (v y) 3)"), domain)
    start = parse_problem(made.format("x y", "y", "x", "(and (>= (v x) 2) (= (v y) 3))"), domain)
    assert compare_problems(domain, one, same).likeness is Likeness.EQUIVALENT
    assert compare_problems(domain, one, less).relation == "stronger"
    assert compare_problems(domain, less, one).relation == "weaker"
    assert compare_problems(domain, one, start).likeness is Likeness.DIFFERENT


VANS = """(define (domain d) (:types van) (:functions (fuel ?v - van) (rate) (total-cost) (half))
 (:action go :parameters (?v - van) :precondition (> (fuel ?v) 0)
  :effect (and (decrease (fuel ?v) 1) (increase (total-cost) (rate)))))"""
METRICS = [
    ("minimize (total-cost)", "minimize (* 2 (total-cost))", "same"),
    ("minimize (total-cost)", "minimize (+ 3 (/ (total-cost) 4))", "same"),
    ("minimize (total-cost)", "maximize (- 7 (total-cost))", "same"),
    ("minimize (total-cost)", "minimize (* (rate) (total-cost))", "same"),
    ("minimize (total-cost)", "minimize (/ (total-cost) (- (half)))", "differ"),
    ("minimize (total-cost)", "maximize (total-cost)", "differ"),
    ("minimize (total-cost)", "minimize (fuel a)", "differ"),
    ("minimize (+ (fuel a) (* 2 (fuel b)))", "minimize (* 3 (+ (* 2 (fuel a)) (fuel b)))", "same"),
    ("minimize (+ (fuel a) (* 2 (fuel b)))", "minimize (+ (fuel a) (* 3 (fuel b)))", "differ"),
    ("minimize (- (fuel a) (fuel a))", "maximize (rate)", "same"),
    ("minimize (* (fuel a) (fuel b))", "minimize (* (fuel a) (fuel b))", "same"),
    ("minimize (* (fuel a) (fuel b))", "minimize (+ (fuel a) (fuel b))", "are no sums"),
    ("minimize (/ 2 (fuel a))", "minimize (/ 3 (fuel a))", "are no sums"),
]


@pytest.mark.parametrize(("one", "other", "likeness"), METRICS)
def test_metrics_that_order_plans_alike_are_the_same(one: str, other: str, likeness: str) -> None:
    domain = parse_domain(VANS)
    text = """(define (problem p) (:domain d) (:objects a b - van) (:init (= (fuel a) 2) (= (fuel b) 2) (= (rate) 3)
      (= (half) 0.5) (= (total-cost) {})) (:goal (< (+ (fuel a) (fuel b)) 3)) (:metric {}))"""
    first, second = (parse_problem(text.format(start, each), domain) for start, each in ((0, one), (5, other)))
    found = compare_problems(domain, first, second)
    assert (found.likeness is Likeness.EQUIVALENT) == (likeness == "same"), found.reason
    assert likeness == "same" or likeness in found.reason


def test_costs_so_far_tell_no_states_apart() -> None:
    domain = parse_domain("""(define (domain d) (:types c) (:predicates (on ?c - c)) (:functions (total-cost))
      (:action flip :parameters (?c - c) :precondition (not (on ?c)) :effect (and (on ?c) (increase (total-cost) 2)))
      (:action drop :parameters (?c - c) :precondition (on ?c) :effect (and (not (on ?c)) (increase (total-cost) 1)))
      )""")
    text = (
        "(define (problem p) (:domain d) (:objects a b - c) (:init (on a)) (:goal {}) (:metric minimize (total-cost)))"
    )
    one, other = (parse_problem(text.format(goal), domain) for goal in ("(on b)", "(and (on b) (not (on a)))"))
    found = compare_problems(domain, one, other)
    assert (found.likeness, found.relation) == (Likeness.DIFFERENT, "weaker")
    assert "of 4 reachable states" in found.reason


def test_what_never_holds_together_proves_goals_equal() -> None:
    domain = classic_domain("blocks")
    blocks = [f"b{number}" for number in range(9)]
    init = "(hand-empty)" + "".join(f"(on-table {each})(clear {each})" for each in blocks)
    text = "(define (problem p) (:domain blocks) (:objects {} - block) (:init {}) (:goal (and {})))"
    goal = "(on b0 b1) (on b1 b2)"
    one = parse_problem(text.format(" ".join(blocks), init, goal), domain)
    more = f"{goal} (not (clear b1)) (not (on b2 b1)) (not (on-table b0))"
    other = parse_problem(text.format(" ".join(blocks), init, more), domain)
    few = ComparisonEffort(states=1)
    assert compare_problems(domain, one, other, Limits(evaluations=10), few).likeness is Likeness.EQUIVALENT


def test_atoms_without_objects_tell_starts_apart() -> None:
    domain = parse_domain("(define (domain d) (:predicates (p) (q)) (:action a :effect (and (p) (q))))")
    text = "(define (problem x) (:domain d) (:init ({})) (:goal (and (p) (q))))"
    one, other = (parse_problem(text.format(name), domain) for name in "pq")
    assert compare_problems(domain, one, other).likeness is Likeness.DIFFERENT


@pytest.mark.parametrize("size", [3, 5])
def test_renamings_are_all_permutations_that_fit(size: int) -> None:
    rng = np.random.default_rng(size)
    names = [f"o{number}" for number in range(size)]
    for _ in range(30):
        pairs = [("p", *rng.choice(names, 2).tolist()) for _ in range(size)]
        atoms = dict.fromkeys(pairs, True)
        order = dict(zip(names, rng.permutation(names).tolist(), strict=True))
        moved = {("p", order[a], order[b]): True for _, a, b in atoms}
        objects = dict.fromkeys(names, "t")
        found = sorted(
            tuple(sorted(each.items())) for each in renamings(Structure(objects, atoms), Structure(objects, moved))
        )
        wanted = sorted(
            tuple(sorted(zip(names, images, strict=True)))
            for images in permutations(names)
            if {("p", *[dict(zip(names, images, strict=True))[x] for x in atom[1:]]) for atom in atoms} == moved.keys()
        )
        assert found == wanted


@pytest.mark.parametrize(
    "more", ["(:constraints (always (not (on a b))))", "(:constraints (preference p (sometime (clear a))))"]
)
def test_what_is_not_compared_is_never_the_same(more: str, tmp_path: Path) -> None:
    domain, problem = problem_of(0, "(on b c)")
    given = parse_problem(write_problem(problem).rstrip().removesuffix(")") + more + ")", domain)
    for one, other in ((problem, given), (given, problem), (given, given)):
        assert compare_problems(domain, one, other).likeness is Likeness.UNDECIDED
    (tmp_path / "domain.pddl").write_text(write_domain(domain))
    (tmp_path / "a.pddl").write_text(write_problem(problem))
    (tmp_path / "b.pddl").write_text(write_problem(given))
    done = chorewright("compare", tmp_path / "a.pddl", tmp_path / "b.pddl")
    assert done.returncode == ExitCode.UNSUPPORTED
    assert "are not supported here" in done.stderr


def test_goals_over_what_actions_with_durations_change_are_told_apart() -> None:
    domain = parse_domain("""(define (domain d) (:requirements :durative-actions) (:predicates (r) (s) (t))
     (:durative-action go :parameters () :duration (= ?duration 2) :condition (at start (s)) :effect (at end (r))))""")
    goals = ("(r)", "(and (r) (s))", "(and (r) (not (s)))", "(or (r) (t))", "(and)")
    texts = (f"(define (problem p) (:domain d) (:init (s)) (:goal {goal}))" for goal in goals)
    wanted, *others = (parse_problem(text, domain) for text in texts)
    found = [compare_problems(domain, wanted, each, Limits(evaluations=1000)).likeness for each in others]
    assert found[0] is found[2] is Likeness.EQUIVALENT
    assert Likeness.EQUIVALENT not in (found[1], found[3])


def test_the_command_says_it(tmp_path: Path) -> None:
    domain, problem = problem_of(0, "(and (on a b) (on b c))")
    (tmp_path / "domain.pddl").write_text(write_domain(domain))
    for name, made in (
        ("a", problem),
        ("b", with_names(problem, {"a": "x", "b": "y", "c": "z"})),
        ("c", replace(problem, goal=conjuncts(problem.goal)[0])),
    ):
        (tmp_path / f"{name}.pddl").write_text(write_problem(made))
    done = chorewright("compare", tmp_path / "a.pddl", tmp_path / "b.pddl")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "renaming: a = x, b = y, c = z")
    done = chorewright("compare", tmp_path / "a.pddl", tmp_path / "c.pddl", "--json")
    said = json.loads(done.stdout)
    assert done.returncode == ExitCode.NEGATIVE
    assert (said["verdict"], said["relation"], said["holds_in"]) == ("different", "stronger", 2)
    steps = [GroundAction(*_split(step)) for step in said["witness"]]
    assert validate(domain, replace(problem, goal=conjuncts(problem.goal)[0]), steps).valid
    (tmp_path / "domain.pddl").rename(tmp_path / "other.pddl")
    done = chorewright("compare", tmp_path / "a.pddl", tmp_path / "b.pddl")
    assert done.returncode == ExitCode.USAGE
    assert "--domain" in done.stderr


def _split(step: str) -> tuple[str, tuple[str, ...]]:
    name, *arguments = step.strip("()").split()
    return name, tuple(arguments)
