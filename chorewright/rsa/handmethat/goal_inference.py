"""Goal inference by inverse planning: what the human wants, and what a request then means.

The paper's listener knows the goal; section 4.2 says that robots without it cannot solve some requests. Here the
goal is inferred. The posterior of a goal is its prior, times exp(-β · regret), times the chance to be observed
exactly so far. The regret is the number of observed actions beyond what the planner needs. The utterance tells
more about the goal, because people ask for what serves theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, log

import numpy as np

from chorewright.domains.library import handmethat_domain, load_shipped_library
from chorewright.domains.pddl.syntax import TRUE, Formula
from chorewright.domains.templates.goal_templates import Goal, GoalTemplate
from chorewright.planner.cost_to_go.costs_to_go import SATISFICING, CostToGo, Effort
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import simulate
from chorewright.problems.handmethat.scene import HUMAN, HandMeThatScene, containers, relevant, restrict
from chorewright.problems.handmethat.states import DOMAIN, problem_of, state_of
from chorewright.rsa.handmethat.goal_hypotheses import Watched, hypotheses
from chorewright.rsa.handmethat.meanings import Meaning, Quest, context_of
from chorewright.rsa.handmethat.subgoals import LARGE, Subgoals
from chorewright.rsa.handmethat.utility import levels, pool, useful_extent
from chorewright.rsa.speech_acts import speech_acts

BETA = 1.0
"""How rational the human is taken to be: β."""

INSTANCES = 8
"""Instances that are drawn at most of a template with open slots."""

MOST_GOALS = 24
"""Goals that are weighed, about; where more templates are possible, those with fewest open slots."""

MOST_HEARD = 12
"""Goals, the most probable ones, of which is asked what a request would mean: this takes longest."""

REST = 0.02
"""What goals not yet looked at must be able to add to what has been found, as a share, to be looked at."""


KNOWING = 3.0
"""β of a listener who knows the rules by which episodes are made: the human's plans are good ones."""

WIDER = 3
"""How many times as many goals such a listener weighs and hears."""

ELSEWHERE = 0.2
"""How often, about, an episode ends at another stop than the first that is drawn."""

ROUND = 4
"""Actions that a human takes from one stop to the next, about."""


@dataclass(frozen=True, slots=True)
class EpisodeRules:
    """How episodes of a version are made, as far as a listener may know it.

    Attributes:
        shortest: The fewest actions that are watched.
        shares: How often each level is wanted, 1 to 4, by the type of request; none where levels come as they may.
        draws: How many meanings and utterances are drawn until one is of the wanted level.
        others: Whether the human stops elsewhere where none is.
        templates: What the human may want; HandMeThat's 69 where none are told.
    """

    shortest: int
    draws: int
    shares: Mapping[Quest, tuple[float, ...]] | None = None
    others: bool = False
    templates: tuple[GoalTemplate, ...] = ()

    def stop_chance(self, free: Sequence[int], stop: int, length: int) -> float:
        """Return how probably the human stops after ``stop`` actions of a plan of some length.

        A place is drawn from the middle of the plan, and the next at which the hand is empty taken.

        Args:
            free: The places before it at which the hand is empty.
            stop: The place.
            length: How many actions the plan has.
        """
        first, last = max(0, (length - 4) // 2), max(0, length - 5)
        before = max((at for at in free if self.shortest <= at < stop), default=-1)
        end = last if length - stop < 2 * ROUND - 2 and self.others else stop
        drawn = max(0, min(end, last) - max(before, first - 1)) / (last - first + 1)
        if not self.others:
            return max(drawn, ELSEWHERE / length)
        return (1 - ELSEWHERE) * drawn + ELSEWHERE * ROUND / length

    def level_weights(self, quest: Quest, chances: Sequence[float]) -> list[float]:
        """Return by how much more often pairs of meaning and utterance of each level are asked than drawn.

        Args:
            quest: The type of request.
            chances: How probably a pair is misled (0) or of each level.
        """
        if self.shares is None:
            return [0.0, *[1 / max(1 - chances[0], 1 / self.draws)] * 4]
        shares = self.shares[quest]
        met = (1 - (1 - min(chance, 1.0)) ** self.draws for chance in chances[1:])
        kept = zip(shares, met, chances[1:], strict=True)
        return [0.0, *(share * some / chance if chance > 0 else 0.0 for share, some, chance in kept)]


@dataclass(frozen=True, slots=True)
class ProbableGoal:
    """A goal that the human may have.

    Attributes:
        goal: The goal.
        probability: Its posterior probability.
        regret: By how much the observed actions are more than the goal seems to need.
    """

    goal: Goal
    probability: float
    regret: float


def goal_posterior(
    start: HandMeThatScene,
    now: HandMeThatScene,
    observed: Sequence[GroundAction],
    rng: np.random.Generator,
    templates: Sequence[GoalTemplate] | None = None,
    beta: float = 0.0,
    effort: Effort = SATISFICING,
    utterance: Meaning | None = None,
    rules: EpisodeRules | None = None,
    also: Sequence[Goal] = (),
) -> tuple[ProbableGoal, ...]:
    """Return the goals that explain a human's actions, the most probable first; none if no goal does.

    A priori all templates are as probable, and of each all fillings with what the scene has; the human is as
    likely to be interrupted after any of the actions of a plan (section 3.1).

    Args:
        start: s_0, the scene before the actions.
        now: s_T, the scene after them.
        observed: The actions, Ω.
        rng: Where fillings of slots that nothing is known of are drawn from.
        templates: What the human may want: those of the rules, or HandMeThat's 69, by default.
        beta: β; 0 for the usual one.
        effort: How hard costs are tried to prove.
        utterance: u, if it has been heard: goals that nothing serves which it fits are not weighed at all.
        rules: How the human comes to stop; without them any place of a plan is as probable. With them more goals are
            weighed, and β is ``KNOWING`` if none is given.
        also: Fillings that are weighed in any case, as instances of the hypothesis of their template that agrees with
            most.
    """
    wider = 1 if rules is None else WIDER
    stops = None if rules is None else _Stops(rules, _places(start, observed), len(observed))
    beta = beta or (BETA if rules is None else KNOWING)
    if templates is None:
        templates = (rules and rules.templates) or load_shipped_library().collection(DOMAIN)
    watched = Watched(start, observed)
    possible = [hypothesis for template in templates for hypothesis in hypotheses(template, watched)]
    fitting = frozenset(now.by_name) if utterance is None else _fitting(utterance, now)
    possible = [each for each in possible if not fitting.isdisjoint(relevant(now, each.widest))]

    def serves(goal: Goal) -> bool:
        return not fitting.isdisjoint(relevant(now, goal.goal))

    first = {goal.template for goal in also}
    possible.sort(key=lambda each: (each.template.full_name not in first, -each.share))
    most = max(1, min(wider * INSTANCES, wider * MOST_GOALS // max(1, len(possible))))
    found: list[tuple[Goal, float, float]] = []
    left = sum(each.share for each in possible)
    beyond: set[str] = set()  # templates that are too hard for the planner here
    for each in possible:
        least = left / (len(observed) + 1)  # were the rest without regret, and all but done
        left -= each.share
        if len(found) >= wider * MOST_GOALS or least <= REST * sum(exp(score) for _, score, _ in found):
            break
        if each.template.full_name in beyond:
            continue
        goals, needing = each.instances(watched, rng, most, serves)
        own = [goal for goal in also if goal.template == each.template.full_name]
        also = [goal for goal in also if goal not in own]
        goals = [*own, *(goal for goal in goals if goal.goal not in [each.goal for each in own])]
        for goal in goals:
            before, after = _costs(goal.goal, start, now, effort)
            if max(before, after) == inf:
                beyond.add(each.template.full_name)
                break
            if after > 0:
                regret = max(0.0, len(observed) + after - before)
                length = len(observed) + after
                stop = 1 / length if stops is None else stops.chance(length)
                chance = log(each.share * (needing or 1 / INSTANCES) / len(goals) * stop)
                found.append((goal, chance - beta * regret, regret))
    if not found:
        return ()
    top = max(score for _, score, _ in found)
    weights = [exp(score - top) for _, score, _ in found]
    posterior = [
        ProbableGoal(goal, weight / sum(weights), regret)
        for (goal, _, regret), weight in zip(found, weights, strict=True)
    ]
    return tuple(sorted(posterior, key=lambda each: -each.probability))


@dataclass(frozen=True, slots=True)
class _Stops:
    """Where a watched human could have stopped."""

    rules: EpisodeRules
    free: tuple[int, ...]
    stop: int

    def chance(self, length: float) -> float:
        """Return how probably it stops where it did, with a plan about as long: the cost is an estimate."""
        return sum(self.rules.stop_chance(self.free, self.stop, int(length) + more) for more in (0, 1, 2)) / 3


def _places(start: HandMeThatScene, observed: Sequence[GroundAction]) -> tuple[int, ...]:
    """Return after how many actions the human's hand was empty."""
    steps = simulate(handmethat_domain(), problem_of(start, TRUE), observed)
    return tuple(number for number, step in enumerate(steps, 1) if ("hand-empty", HUMAN) in step.state)


def _fitting(utterance: Meaning, now: HandMeThatScene) -> frozenset[str]:
    """What a request fits. For a goal that none of it can matter for, the request is never made."""
    return frozenset(name for name, _ in context_of(now).groundings(utterance))


def _costs(goal: Formula, start: HandMeThatScene, now: HandMeThatScene, effort: Effort) -> tuple[float, float]:
    """V* at the start and after what was observed, in the part of the scene that can matter."""
    names = dict.fromkeys([*sorted(relevant(start, goal)), *sorted(relevant(now, goal))])
    for scene in (start, now):
        for name in list(names):
            names.update(dict.fromkeys(containers(scene, name)))
    kept = frozenset(names)
    states = [state_of(restrict(scene, kept)) for scene in (start, now)]
    problem = problem_of(restrict(start, kept), goal)
    service = CostToGo(handmethat_domain(), problem, states, relevant=False, large=LARGE)
    before, after = (service.cost(state, effort).cost for state in states)
    return before, after


def listener_with_goals(
    now: HandMeThatScene,
    utterance: Meaning,
    goals: Sequence[ProbableGoal],
    effort: Effort = SATISFICING,
    rules: EpisodeRules | None = None,
) -> Mapping[Meaning, float]:
    """Return P(m | u, Ω): the meanings of a request for a listener who does not know the goal.

    It is the sum over goals of P(G | Ω) P(m | s_T, G) P(u | m, G), the latter two as in section 3.2,
    normalized, over the ``MOST_HEARD`` most probable goals; less probable ones are left out as soon as all of
    them together could add no more than ``REST``, were they as good reasons to say this as the best was. Of a
    request that only one thing fits, the first goal that it serves says all that can be told apart. Empty if
    the utterance serves none.

    Args:
        now: s_T, the scene at the time of the request.
        utterance: u.
        goals: What ``goal_posterior`` found, the most probable first.
        effort: How hard costs are tried to prove.
        rules: How requests are drawn: P(m | s_T, G) P(u | m, G) is then that of what is asked, by its level.
    """
    found: dict[Meaning, float] = {}
    fitting = _fitting(utterance, now)
    certain = len(context_of(now).groundings(utterance)) == 1
    last: Subgoals | None = None
    left = sum(each.probability for each in goals)
    best = 0.0
    for each in goals[: MOST_HEARD * (1 if rules is None else WIDER)]:
        if found and (certain or left * best <= REST * sum(found.values())):
            break
        left -= each.probability
        goal = each.goal.goal
        last = Subgoals(now, goal, effort) if last is None else last.towards(goal, effort)
        if fitting.isdisjoint(relevant(now, goal)):
            continue
        said = _say(last, utterance, rules)
        best = max(best, sum(said.values()))
        for meaning, chance in said.items():
            found[meaning] = found.get(meaning, 0.0) + each.probability * chance
    total = sum(found.values())
    return {meaning: weight / total for meaning, weight in found.items()} if total > 0 else {}


def _say(subgoals: Subgoals, utterance: Meaning, rules: EpisodeRules | None) -> Mapping[Meaning, float]:
    """Return P(m | s_T, G) P(u | m, G) for all meanings that the utterance may have, as rules have them asked."""
    gains = subgoals.gains(utterance.quest)
    meanings = pool(subgoals.context, utterance.quest, gains)
    if not meanings.meanings:
        return {}
    acts = speech_acts(meanings)
    if utterance not in acts.number:
        return {}
    column = acts.utterance_class[acts.number[utterance]]
    joint = np.exp(meanings.log_prior + acts.log_speaker[acts.meaning_class, column])
    if rules is not None:
        table = levels(acts, useful_extent(subgoals.context, gains))
        weights = np.array(rules.level_weights(utterance.quest, table.probabilities.tolist()))
        joint *= weights[table.level[acts.meaning_class, table.group(acts.number[utterance])]]
    return {meaning: float(weight) for meaning, weight in zip(meanings.meanings, joint, strict=True) if weight > 0}
