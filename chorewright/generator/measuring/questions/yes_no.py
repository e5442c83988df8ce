"""Questions that are answered by yes or no, made in pairs: one of each, about as alike as can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from chorewright.domains.formulas import Facts
from chorewright.domains.pddl.subformulas import conjuncts
from chorewright.domains.pddl.syntax import Atom, GroundAtom, State
from chorewright.domains.rewriting import conjunction
from chorewright.generator.measuring.questions.situation import YES_NO, ProblemQuestion, Situation
from chorewright.planner.plan import GroundAction

Pair = tuple[ProblemQuestion, ProblemQuestion]
TRIES = 40
MOST_ATOMS = 50


def sentence_about(situation: Situation, state: State, goal: bool = False) -> str:
    """Return a state in words, and the goal if it is wanted."""
    said = " ".join((*situation.things, situation.says.state(state.union(situation.constants))))
    return f"{said} The task: {situation.says.goal(situation.problem.goal)}" if goal else said


def words_of(state: State) -> list[list[str]]:
    """Return a state as lists of words, sorted."""
    return [list(atom) for atom in sorted(state)]


def pick(rng: np.random.Generator, of: Sequence[object]) -> int:
    """Return a place in a sequence."""
    return int(rng.integers(len(of)))


def applicability(situation: Situation, rng: np.random.Generator) -> Pair | None:
    """Ask whether an action can be done; the other differs in as little as possible."""
    if not situation.asked:
        return None
    state = situation.asked[pick(rng, situation.asked)]
    can = situation.possible(state)
    known = frozenset(can)
    cannot = [step for step in situation.actions if step not in known]
    if not can or not cannot:
        return None
    right = can[pick(rng, can)]
    least = min(_apart(right, step) for step in cannot)
    missing = {step: _missing(situation, step, state) for step in cannot if _apart(right, step) == least}
    near = [step for step, count in missing.items() if count == min(missing.values())]
    wrong = near[pick(rng, near)]
    told = sentence_about(situation, state)

    def ask(step: GroundAction, answer: str) -> ProblemQuestion:
        asked = f"Can you {situation.says.action(step)} now?"
        return ProblemQuestion(
            "applicability", told, asked, YES_NO, answer, {"state": words_of(state), "action": str(step)}
        )

    return ask(right, "yes"), ask(wrong, "no")


def _missing(situation: Situation, step: GroundAction, state: State) -> int:
    """How many parts of an action's condition do not hold."""
    refused = situation.world.refusal(step, Facts(state))
    return 0 if refused is None else len(refused[1])


def _apart(one: GroundAction, other: GroundAction) -> int:
    """How many words two actions differ in; another name counts most."""
    if one.name != other.name:
        return 10
    return sum(a != b for a, b in zip(one.arguments, other.arguments, strict=True))


def next_state(situation: Situation, rng: np.random.Generator) -> Pair | None:
    """Ask whether an atom holds after an action: mostly ones that the action has just changed, else ones it has not."""
    if not situation.asked:
        return None
    state = situation.asked[pick(rng, situation.asked)]
    can = situation.possible(state)
    if not can:
        return None
    step = can[pick(rng, can)]
    after = situation.world.apply(step, state, Facts(state))
    changed = {atom[0] for atom in situation.atoms}
    true = sorted(atom for atom in after - state if atom[0] in changed)
    false = sorted(atom for atom in state - after if atom[0] in changed)
    kept = sorted(atom for atom in after & state if atom[0] in changed)
    never = [atom for atom in situation.atoms if atom not in after and atom not in state]
    if not (true and false and kept and never):
        return None
    if rng.random() < 0.4:  # of both answers, so that being so before says nothing
        true, false = kept, never
    right = true[pick(rng, true)]
    wrong = _nearest(false, [right], rng)
    told = sentence_about(situation, state)

    def ask(atom: GroundAtom, answer: str) -> ProblemQuestion:
        asked = f"You {situation.says.action(step)}. Is it so afterwards that {situation.says.atom(atom)}?"
        formal = {"state": words_of(state), "action": str(step), "atom": list(atom)}
        return ProblemQuestion("next state", told, asked, YES_NO, answer, formal)

    return ask(right, "yes"), ask(wrong, "no")


def _nearest(atoms: Sequence[GroundAtom], like: Sequence[GroundAtom], rng: np.random.Generator) -> GroundAtom:
    """Return one of the atoms that share most with some others."""
    names = {name for atom in like for name in atom}
    scores = [sum(name in names for name in atom) / len(atom) for atom in atoms]
    best = [atom for atom, score in zip(atoms, scores, strict=True) if score == max(scores)]
    return best[pick(rng, best)]


def spoilt_plans(situation: Situation, rng: np.random.Generator) -> Iterator[tuple[GroundAction, ...]]:
    """Yield plans with one fault: two neighbours swapped, a step left out, or another object in a step."""
    plan = situation.plan
    for _ in range(TRIES):
        made = list(plan)
        at = pick(rng, plan)
        match int(rng.integers(3)):
            case 0:
                del made[at]
            case 1 if at + 1 < len(made):
                made[at], made[at + 1] = made[at + 1], made[at]
            case _:
                alike = [step for step in situation.actions if _apart(step, plan[at]) == 1]
                if alike:
                    made[at] = alike[pick(rng, alike)]
        if tuple(made) != plan:
            yield tuple(made)


def validity(situation: Situation, rng: np.random.Generator) -> Pair | None:
    """Ask whether a plan can be carried out and reaches the goal; the wrong one has a single fault."""
    if not situation.plan:
        return None
    for wrong in spoilt_plans(situation, rng):
        if not situation.works(wrong):
            told = sentence_about(situation, situation.states[0], goal=True)

            def ask(plan: tuple[GroundAction, ...], answer: str, told: str = told) -> ProblemQuestion:
                asked = f"{number_wording(situation, plan)} Can all of it be done, and is the goal reached then?"
                return ProblemQuestion("plan validity", told, asked, YES_NO, answer, {"plan": list(map(str, plan))})

            return ask(situation.plan, "yes"), ask(wrong, "no")
    return None


def number_wording(situation: Situation, plan: Sequence[GroundAction]) -> str:
    """Return a plan as numbered steps."""
    return "This is a plan: " + " ".join(
        f"{number}. {situation.says.step(step)}" for number, step in enumerate(plan, 1)
    )


def reachability(situation: Situation, rng: np.random.Generator) -> Pair | None:
    """Ask whether two atoms can ever hold together; each of them can alone, and both pairs are of one shape."""
    pairs = _pairs_of_atoms(situation, rng)
    if pairs is None:
        return None
    right, wrong = pairs
    told = sentence_about(situation, situation.states[0])

    def ask(pair: Sequence[GroundAtom], answer: str) -> ProblemQuestion:
        asked = f"From here on, can it ever be that {_both(situation, pair)}?"
        return ProblemQuestion("reachability", told, asked, YES_NO, answer, {"atoms": [list(atom) for atom in pair]})

    return ask(right, "yes"), ask(wrong, "no")


def _shape(pair: Sequence[GroundAtom]) -> tuple[object, ...]:
    """Return what is alike of two pairs of atoms: their predicates, and how many objects both atoms share."""
    return *sorted(atom[0] for atom in pair), len(set(pair[0][1:]) & set(pair[1][1:]))


def _pairs_of_atoms(
    situation: Situation, rng: np.random.Generator
) -> tuple[Sequence[GroundAtom], Sequence[GroundAtom]] | None:
    """Return two atoms that can hold together and two of the same shape that cannot; None if there are none."""
    atoms = situation.atoms
    known = [atoms[place] for place in sorted(int(place) for place in rng.permutation(len(atoms))[:MOST_ATOMS])]
    balanced = _balance(known, situation.together)
    if not balanced and situation.space is not None:
        balanced = _balance(known, situation.reachable)
    if not balanced:
        return None
    can, cannot = balanced[pick(rng, balanced)]
    lengths = [(pair, *_lengths(_both(situation, pair))) for pair in can]
    for place in rng.permutation(len(cannot))[:TRIES]:
        wrong = cannot[int(place)]
        letters, count = _lengths(_both(situation, wrong))
        alike = [pair for pair, others, words in lengths if words == count and abs(others - letters) <= 1]
        if alike:
            return alike[pick(rng, alike)], wrong
    return None


def _balance(
    atoms: Sequence[GroundAtom], together: Callable[[Sequence[GroundAtom]], bool | None]
) -> list[tuple[list[Sequence[GroundAtom]], list[Sequence[GroundAtom]]]]:
    """Return pairs of atoms that can hold together, and others of the same shape that cannot."""
    shapes: dict[tuple[object, ...], tuple[list[Sequence[GroundAtom]], list[Sequence[GroundAtom]]]] = {}
    for pair in combinations(atoms, 2):
        verdict = together(pair)
        if verdict is not None:
            shapes.setdefault(_shape(pair), ([], []))[not verdict].append(pair)
    return [both for both in shapes.values() if both[0] and both[1]]


def _lengths(text: str) -> tuple[int, int]:
    """Return how many letters and words a text has."""
    return len(text), len(text.split())


def _both(situation: Situation, pair: Sequence[GroundAtom]) -> str:
    return situation.says.formula(conjunction([Atom(atom[0], atom[1:]) for atom in pair]))


def landmark(situation: Situation, rng: np.random.Generator) -> Pair | None:
    """Ask whether an atom holds at some time in every plan; both are worded alike, and on the way where possible."""
    start = situation.states[0]
    goal = set(_goal_atoms(situation))
    passed = sorted({atom for state in situation.states for atom in state if atom not in start and atom[0] != "="})
    passed = [atom for atom in passed if atom not in goal] or passed
    others = [atom for atom in situation.atoms if atom not in start and atom not in goal]
    rng.shuffle(passed)
    rng.shuffle(others)
    told = sentence_about(situation, start, goal=True)

    def ask(atom: GroundAtom, answer: str) -> ProblemQuestion:
        clause = situation.says.atom(atom)
        asked = f"Is there in every plan that reaches the goal a moment at which {clause}?"
        return ProblemQuestion("landmark", told, asked, YES_NO, answer, {"atom": list(atom)})

    for right in passed[:6]:
        if not situation.needed(right):
            continue
        known = [atom for atom in (*passed, *others) if atom != right]
        count = _lengths(situation.says.atom(right))[1]
        alike = [atom for atom in known if atom[0] == right[0]] or [
            atom for atom in known if _lengths(situation.says.atom(atom))[1] == count
        ]
        wrong = next((atom for atom in alike[:8] if situation.needed(atom) is False), None)
        if wrong is not None:
            return ask(right, "yes"), ask(wrong, "no")
    return None


def _goal_atoms(situation: Situation) -> Iterator[GroundAtom]:
    for part in conjuncts(situation.problem.goal):
        if isinstance(part, Atom):
            yield (part.predicate, *part.terms)


def justification(situation: Situation, rng: np.random.Generator) -> Pair | None:
    """Ask whether a plan works without one or two of its steps; unneeded ones have been put in.

    The needed steps are by the same actions, named as often; the last step is mostly needed, and never asked about.
    """
    for _ in range(TRIES):
        at = pick(rng, situation.plan)
        extra = _detour(situation, situation.states[at], 1 + int(rng.integers(2)), rng)
        longer = (*situation.plan[:at], *extra, *situation.plan[at:])
        if not extra or not situation.works(longer):
            continue
        size, wanted = len(extra), [(step.name, longer.count(step)) for step in extra]
        needed = [
            place
            for place in range(len(longer) - size)
            if [(step.name, longer.count(step)) for step in longer[place : place + size]] == wanted
            and not situation.works((*longer[:place], *longer[place + size :]))
        ]
        if needed:
            other = needed[pick(rng, needed)]
            return _ask_without(situation, longer, at, size, "yes"), _ask_without(situation, longer, other, size, "no")
    return None


def _detour(situation: Situation, state: State, size: int, rng: np.random.Generator) -> tuple[GroundAction, ...]:
    """Return one step that can be done in a state, or two that lead back to it; none if none was drawn."""
    can = situation.possible(state)
    if not can:
        return ()
    step = can[pick(rng, can)]
    if size == 1:
        return (step,)
    after = situation.world.apply(step, state, Facts(state))
    back = [each for each in situation.possible(after) if situation.world.apply(each, after, Facts(after)) == state]
    return (step, back[pick(rng, back)]) if back and after != state else ()


def _ask_without(
    situation: Situation, plan: tuple[GroundAction, ...], place: int, size: int, answer: str
) -> ProblemQuestion:
    told = sentence_about(situation, situation.states[0], goal=True)
    steps = list(range(place + 1, place + size + 1))
    which = f"step {steps[0]}" if size == 1 else f"steps {steps[0]} and {steps[1]}"
    asked = f"{number_wording(situation, plan)} Does it reach the goal without {which}, too?"
    formal = {"plan": list(map(str, plan)), "steps": steps}
    return ProblemQuestion("justification", told, asked, YES_NO, answer, formal)
