"""Plans as answers: find one, find one of least cost, or say whether one is valid."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from chorewright.domains.formulas import Facts as State
from chorewright.domains.formulas import conjuncts, holds
from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.phrases import Wordings
from chorewright.errors import UsageError
from chorewright.files.english import sentence
from chorewright.generator.measuring.questions.rules import conditions_text
from chorewright.generator.measuring.questions.situation import Situation
from chorewright.generator.measuring.questions.yes_no import spoilt_plans
from chorewright.generator.rewards.answers import answer_in, plain, plan_in, reads_answer
from chorewright.generator.rewards.drawing import STYLES, ProblemDraws, SolvedProblem, opening, phrases, random_numbers
from chorewright.generator.rewards.task import PARTIAL, Facts, RewardTask, Score, TaskKind, check_choice, refusal
from chorewright.planner.plan import GroundAction
from chorewright.planner.plan_files import parse_plan
from chorewright.planner.progression import applicable
from chorewright.planner.validation import PlanWorld, Verdict, validate
from chorewright.rsa.words.files import parse_wordings

MOST_EXAMPLES = 8


def read_problem(facts: Facts) -> tuple[Domain, Problem]:
    """Return the problem of facts with ``domain`` and ``problem``; equal texts are parsed once."""
    return parse_told(facts["domain"], facts["problem"])[:2]


@lru_cache(maxsize=256)
def parse_told(domain: str, problem: str, words: str = "") -> tuple[Domain, Problem, Wordings | None]:
    """Parse a problem, its domain and how they are worded; None without words."""
    parsed = parse_domain(domain)
    return parsed, parse_problem(problem, parsed), parse_wordings(words, parsed) if words else None


@dataclass(frozen=True, kw_only=True)
class DrawnKind(TaskKind):
    """Tasks about problems that are drawn.

    Attributes:
        domain, template, band, split: Where problems come from; see ``ProblemDraws``.
    """

    optimal: ClassVar[bool] = False
    evaluations: ClassVar[int] = 5_000
    domain: str | Sequence[str] = ()
    template: str = ""
    band: str = ""
    split: str = "train"

    @cached_property
    def draws(self) -> ProblemDraws:
        """Where problems come from."""
        return ProblemDraws(self.domain, self.template, self.band, self.split, self.optimal, self.evaluations)

    def __post_init__(self) -> None:
        self.draws.check()

    def bands(self) -> tuple[str, ...]:
        return self.draws.bands()

    def _task(
        self, solved: SolvedProblem, number: str, prompt: Sequence[str], gold: str, facts: Facts, **more: float
    ) -> RewardTask:
        """Return a task about a problem."""
        source = solved.domain.name
        name = f"{self.name}/{source}/{self.split}/{number}"
        difficulty = difficulty_of(solved) | more
        return RewardTask(self.name, name, "\n\n".join(prompt), mark_answer(gold), difficulty, facts, self.split)


@dataclass(frozen=True, kw_only=True)
class ToldKind(DrawnKind):
    """Tasks about problems that are told as a whole.

    Attributes:
        style: How problems are told, one of ``prompts.STYLES``.
    """

    style: str = "pddl"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("style", self.style, STYLES)


@dataclass(frozen=True, kw_only=True)
class PlanKind(ToldKind):
    """Find a plan.

    Attributes:
        examples: So many solved problems of the same domain come before.
        efficient: Whether the reward of a valid plan falls with its cost: the best known cost by the plan's.
    """

    name: ClassVar[str] = "plan"
    examples: int = 0
    efficient: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.examples <= MOST_EXAMPLES:
            raise UsageError(f"the option examples is {self.examples}", hint=f"give 0 to {MOST_EXAMPLES}")

    def task(self, seed: int, index: int) -> RewardTask:
        return self.about(self.draws.draw(self.name, seed, index), seed, index)

    def about(self, solved: SolvedProblem, seed: int, index: int) -> RewardTask:
        """Return the task to solve a problem; the numbers say how it is worded and which examples come before it."""
        rng = random_numbers(self.name, "prompt", seed, index)
        gold = "\n".join(map(str, solved.plan.actions))
        parts = opening(self.name, "plan", rng)
        for number in range(self.examples):
            parts += self._example(solved, seed, index, number)
        parts.append(solved.say(self.style))
        priced = solved.problem.minimize_cost or solved.problem.metric is not None
        parts.append(phrases()["metric" if priced else "cost"])
        facts = {"domain": solved.source.text, "problem": solved.text, "efficient": self.efficient}
        facts |= {"cost": solved.plan.cost, "optimal": solved.plan.optimal}
        return self._task(solved, f"{seed}/{index}", parts, gold, facts)

    def _example(self, solved: SolvedProblem, seed: int, index: int, number: int) -> Iterator[str]:
        """Yield another problem from the same source, of the training split, with its plan."""
        draws, key = replace(self.draws, domain=solved.name, split="train"), solved.key
        others = (draws.draw(f"example {number} {tried}", seed, index) for tried in range(MOST_EXAMPLES))
        other = next((each for each in others if each.key != key), None)
        if other is None:  # there are few problems, and all that were drawn are this one
            return
        yield phrases()["example"]
        yield other.say(self.style)
        yield mark_answer("\n".join(map(str, other.plan.actions)))

    @reads_answer
    def score(self, facts: Facts, completion: object) -> Score:
        steps = plan_in(completion)
        domain, problem = read_problem(facts)
        verdict = validate(domain, problem, steps)
        if not verdict.valid:
            return partial_score(domain, problem, steps, verdict)
        best, cost = float(facts["cost"]), verdict.cost
        dear = best / cost if math.isfinite(cost) and cost > 0 else 0.0
        share = 1.0 if cost <= best else max(0.5, dear)
        parts = {"valid": 1.0, "cost": cost, "best known cost": best, "efficiency": share}
        reward = share if facts.get("efficient") else 1.0
        return Score(reward, parts, f"The plan is valid; it costs {cost:g}, the best known one {best:g}.")


class OptimalPlanKind(PlanKind):
    """Find a plan of least cost, which was proven."""

    name: ClassVar[str] = "optimal-plan"
    optimal: ClassVar[bool] = True

    def score(self, facts: Facts, completion: object) -> Score:
        found = super().score({**facts, "efficient": False}, completion)
        if found.reward < 1 or found.parts["cost"] <= found.parts["best known cost"]:
            return found
        why = f"The plan is valid, but it costs {found.parts['cost']:g}; {found.parts['best known cost']:g} would do."
        return Score(0.5, found.parts, why)


def mark_answer(answer: str) -> str:
    """Return an answer marked as one."""
    return f"<answer>\n{answer}\n</answer>"


def difficulty_of(solved: SolvedProblem) -> dict[str, float]:
    """Return the numbers of a task's difficulty."""
    world = PlanWorld.of(solved.domain, solved.problem)
    facts = State(world.initial())
    steps = applicable(solved.domain, world.universe, facts)
    return {
        "cost": solved.plan.cost,
        "steps": len(solved.plan.actions),
        "objects": len(solved.problem.objects),
        "branching": sum(world.refusal(step, facts) is None for step in steps),
        "evaluated": solved.plan.evaluated,
    }


def partial_score(domain: Domain, problem: Problem, steps: Sequence[GroundAction], verdict: Verdict) -> Score:
    """Return what a plan earns that is not valid: the share of the goal that its runnable steps bring about.

    Only parts of the goal count that do not hold at the start, less those that held and do not any more; so doing
    nothing earns nothing.
    """
    runs = len(steps) if verdict.step is None else verdict.step - 1
    world = PlanWorld.of(domain, problem)
    state = start = world.initial()
    for step in steps[:runs]:
        state = world.apply(step, state, State(state))
    parts = conjuncts(problem.goal)
    before = sum(holds(part, start, world.universe) for part in parts)
    after = sum(holds(part, state, world.universe) for part in parts)
    goal = max(0.0, (after - before) / (len(parts) - before)) if len(parts) > before else 0.0
    ran = runs / len(steps)
    shares = {"valid": 0.0, "goal": goal, "run": ran}
    return Score(PARTIAL * goal * ran, shares, sentence(verdict.message))


@dataclass(frozen=True, kw_only=True)
class ValidateKind(ToldKind):
    """Say whether a plan is valid, and if not, where it fails and why; of two tasks about a problem one has a fault."""

    name: ClassVar[str] = "validate"

    def task(self, seed: int, index: int) -> RewardTask:
        pair = seed, index // 2
        solved = self.draws.draw_again(self.name, *pair)
        rng = random_numbers(self.name, "prompt", seed, index)
        plan = solved.plan.actions
        if random_numbers(self.name, "first", *pair).integers(2) == index % 2:
            plan = self._spoil(solved, rng)
        verdict = validate(solved.domain, solved.problem, plan)
        steps = "\n".join(f"{number}. {step}" for number, step in enumerate(plan, 1))
        parts = [*opening(self.name, "validate", rng), solved.say(self.style)]
        if self.style == "english":
            parts += [phrases()["conditions"], conditions_text(solved.domain, solved.wordings)]
        parts += [phrases()["plan-to-check"], steps]
        facts = {"domain": solved.source.text, "problem": solved.text, "plan": "\n".join(map(str, plan))}
        more = {"valid": float(verdict.valid), "steps": float(len(plan))}
        return self._task(solved, f"{seed}/{index}", parts, _verdict_text(verdict), facts, **more)

    @staticmethod
    def _spoil(solved: SolvedProblem, rng: np.random.Generator) -> tuple[GroundAction, ...]:
        """Return a plan with one fault; the plan itself if each fault that is tried leaves it valid."""
        situation = Situation(solved.domain, solved.problem, solved.plan.actions, solved.wordings)
        plans = (each for each in spoilt_plans(situation, rng) if each)
        wrong = (each for each in plans if not validate(solved.domain, solved.problem, each).valid)
        return next(wrong, solved.plan.actions)

    @reads_answer
    def score(self, facts: Facts, completion: object) -> Score:
        text, _ = answer_in(completion)
        domain, problem = read_problem(facts)
        verdict = validate(domain, problem, parse_plan(facts["plan"]).actions)
        said = _SAID.fullmatch(plain(text))
        if said is None:
            return refusal("The answer is not written as was asked: valid, invalid: step N: ..., or invalid: goal: ...")
        step = "" if verdict.valid else "goal" if verdict.step is None else str(verdict.step)
        parts = {
            "verdict": float((said["valid"] == "valid") == verdict.valid),
            "step": float((said["step"] or said["goal"] or "") == step),
            "condition": float(not verdict.unmet or _plain(said["why"] or "") in map(_plain, verdict.unmet)),
        }
        wrong = next((name for name, right in parts.items() if not right), "")
        return Score(float(not wrong), parts, f"The {wrong} is wrong." if wrong else "The answer is right.")


_SAID = re.compile(
    r"(?:the plan is )?(?P<valid>valid|invalid)(?::? (?:step (?P<step>\d{1,6})|(?P<goal>goal))(?:: ?(?P<why>.*))?)?"
)


def _plain(text: str) -> str:
    return re.sub(r"\s*([()])\s*", r"\1", plain(text))


def _verdict_text(verdict: Verdict) -> str:
    if verdict.valid:
        return "valid"
    where = "goal" if verdict.step is None else f"step {verdict.step}"
    return f"invalid: {where}" + (f": {verdict.unmet[0]}" if verdict.unmet else "")
