"""One problem of a domain from its draw to its words: draw, duplicate, start, plan, band, replay, goal."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from chorewright.domains.arithmetic import constant_values
from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Facts
from chorewright.domains.pddl.syntax import Domain, Problem, State
from chorewright.domains.pddl.writer import write_formula
from chorewright.domains.rewriting import conjuncts
from chorewright.files.stopwatch import Timed
from chorewright.generator.dataset.episode import Instruction, Step
from chorewright.generator.pddl.sources import Source
from chorewright.generator.pddl.stages import step_of
from chorewright.generator.production.attempts import Attempt, Rejection
from chorewright.planner.plan import Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.planner.search.configuration import DEFAULT, Configuration
from chorewright.planner.validation import World as Rules
from chorewright.problems.pddl.rules import Band
from chorewright.problems.pddl.scenes import NoScene
from chorewright.replay.games.simulator import plain_call

STAGES = ("draw", "duplicate", "start", "plan", "band", "replay", "goal")
PROVING = Configuration(search="astar", heuristic="lmcut", improve=0, rungs=())
"""How optimal plans are found: landmark cuts prove more with the same evaluations than the maximum heuristic."""

ALIKE = "equal to an earlier problem but for the names of objects"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A problem to try.

    Attributes:
        name: The file's name; of a drawn problem, the template's with its numbers.
        seed: What a template's problem is drawn by; empty for a given problem.
        band: The band that its cost must be in; None for any.
        duplicate: Why it is not tried if an earlier problem of the dataset is the same but for names; else empty.
    """

    name: str
    seed: tuple[int, ...]
    band: Band | None
    duplicate: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """What came of an attempt, as far as it came.

    Attributes:
        problem: What was planned.
        plan: The plan; None if there is none.
        start: The state at the start.
        steps: The actions that were carried out.
        conditions: The parts of the goal with whether they hold at the end.
    """

    problem: Problem
    plan: Plan | None = None
    start: State = frozenset()
    steps: tuple[Step, ...] = ()
    conditions: tuple[tuple[str, bool], ...] = ()


def attempt(source: Source, candidate: Candidate, evaluations: int, optimal: bool) -> Attempt[Candidate, Made]:
    """Run all stages for a candidate, or up to the first that fails.

    Args:
        source: The domain and where problems come from.
        candidate: What to try.
        evaluations: The planner's limit.
        optimal: Whether the plan must be proven to be a cheapest one.
    """
    made: Made | None = None

    def rejected(stage: str, reason: str, evaluated: int = 0) -> Attempt[Candidate, Made]:
        return Attempt(candidate, made, Rejection(stage, reason, evaluated))

    if candidate.duplicate:
        return rejected("duplicate", candidate.duplicate)
    try:
        problem = problem_of(source, candidate)
    except NoScene as error:
        return rejected("draw", error.message)
    made = Made(problem)
    domain = source.domain
    rules = Rules.of(domain, problem)
    start = rules.initial()
    if holds(problem.goal, start, rules.universe):
        return rejected("start", "trivial: the goal holds already")
    answer = solve(domain, problem, Limits(evaluations=evaluations), PROVING if optimal else DEFAULT)
    if isinstance(answer, OutOfLimits):
        what = "plan proven to be optimal" if optimal else "plan"
        return rejected("plan", f"no {what} within the limit of {answer.limit.value}", answer.evaluated)
    if isinstance(answer, Unsolvable):
        return rejected("plan", f"unsolvable: {answer.reason}")
    made = Made(problem, answer, start)
    if candidate.band is not None and not candidate.band.includes(answer.cost):
        return rejected("band", f"a plan costs {answer.cost:g}, outside {candidate.band}")
    steps, state, refused = _carry_out(domain, rules, start, answer)
    made = replace(made, steps=steps)
    if refused:
        return rejected("replay", refused)
    parts = conjuncts(problem.goal)
    made = replace(
        made, conditions=tuple((" ".join(write_formula(p).split()), holds(p, state, rules.universe)) for p in parts)
    )
    if not holds(problem.goal, state, rules.universe):
        return rejected("goal", f"not met: {', '.join(name for name, met in made.conditions if not met)}")
    return Attempt(candidate, made)


@Timed("spawn")
def problem_of(source: Source, candidate: Candidate) -> Problem:
    """Return the problem of a candidate.

    Raises:
        NoScene: The template has none for its seed.
    """
    if source.drawer is None:
        return source.problems[candidate.name]
    numbers = candidate.band.numbers if candidate.band is not None else ()
    return replace(source.drawer.draw(candidate.seed, numbers), name=candidate.name)


@Timed("replay")
def _carry_out(domain: Domain, rules: Rules, start: State, plan: Plan) -> tuple[tuple[Step, ...], State, str]:
    """Run a plan: the steps, the last state, and what was refused; empty if nothing was."""
    steps: list[Step] = []
    state = start
    for number, action in enumerate(plan.actions):
        facts = Facts(state)
        refused = rules.refusal(action, facts)
        if refused is not None:
            return tuple(steps), state, f"{action}: {refused[2]}"
        before, state = state, rules.apply(action, state, facts)
        steps.append(step_of(plain_call(domain, action), number, before, state))
    return tuple(steps), state, ""


def sentences(source: Source, made: Made, annotators: int, rng: np.random.Generator) -> tuple[Instruction, ...]:
    """Return what is said: the start, the goal and the steps each in several ways, and what each step changed."""
    says = source.says.with_problem(made.problem)
    known = made.start.union(constant_values(source.domain, made.problem))
    found = [Instruction(says.state(known), "state")]
    said: set[str] = set()
    actions = made.plan.actions if made.plan else ()
    for annotator in range(annotators):
        text = says.goal(made.problem.goal, rng)
        for _ in range(8):
            if text not in said:
                break
            text = says.goal(made.problem.goal, rng)
        said.add(text)
        found.append(Instruction(text, "goal", annotator))
        found += [Instruction(says.step(each, rng), "step", annotator, place) for place, each in enumerate(actions)]
    found += [
        Instruction(says.change(step.added, step.removed), "change", 0, place) for place, step in enumerate(made.steps)
    ]
    return tuple(found)
