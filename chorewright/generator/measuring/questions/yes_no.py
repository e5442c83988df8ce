"""Questions that are answered by yes or no, made in pairs: one of each, about as alike as can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from chorewright.domains.formulas import Facts
from chorewright.domains.pddl.syntax import Atom, GroundAtom, State
from chorewright.domains.rewriting import conjunction, conjuncts
from chorewright.generator.measuring.questions.situation import YES_NO, ProblemQuestion, Situation
from chorewright.planner.plan import GroundAction

Pair = tuple[ProblemQuestion, ProblemQuestion]
TRIES = 40


def sentence_about(situation: Situation, state: State, goal: bool = False) -> str:
    """Return a state in words, and the goal if it is wanted."""
    said = situation.says.state(state.union(situation.constants))
    return f"{said} The task: {situation.says.goal(situation.problem.goal)}" if goal else said


def words_of(state: State) -> list[list[str]]:
    """Return a state as lists of words, sorted."""
    return [list(atom) for atom in sorted(state)]


def pick(rng: np.random.Generator, of: Sequence[object]) -> int:
    """Return a place in a sequence."""
    return int(rng.integers(len(of)))


def applicability(situation: Situation, rng: np.random.Generator) -> Pair | None:
    """Ask whether an action can be done; the other differs in as little as possible."""
    state = situation.states[pick(rng, situation.states)]
    facts = Facts(state)
    can: list[GroundAction] = []
    cannot: list[tuple[int, GroundAction]] = []
    for step in situation.actions:
        refused = situation.world.refusal(step, facts)
        if refused is None:
            can.append(step)
        else:
            cannot.append((len(refused[1]), step))
    if not can or not cannot:
        return None
    right = can[pick(rng, can)]
    nearest = min((_apart(right, step), missing) for missing, step in cannot)
    near = [step for missing, step in cannot if (_apart(right, step), missing) == nearest]
    wrong = near[pick(rng, near)]
    told = sentence_about(situation, state)

    def ask(step: GroundAction, answer: str) -> ProblemQuestion:
        asked = f"Can you {situation.says.action(step)} now?"
        return ProblemQuestion(
            "applicability", told, asked, YES_NO, answer, {"state": words_of(state), "action": str(step)}
        )

    return ask(right, "yes"), ask(wrong, "no")


def _apart(one: GroundAction, other: GroundAction) -> int:
    """How many words two actions differ in; another name counts most."""
    if one.name != other.name:
        return 10
    return sum(a != b for a, b in zip(one.arguments, other.arguments, strict=True))


def next_state(situation: Situation, rng: np.random.Generator) -> Pair | None:
    """Ask whether an atom holds after an action: mostly one that the action has just changed."""
    at = pick(rng, situation.states)
    state = situation.states[at]
    can = [step for step in situation.actions if situation.applicable(step, state)]
    if not can:
        return None
    step = can[pick(rng, can)]
    after = situation.world.apply(step, state, Facts(state))
    changed = {atom[0] for atom in situation.atoms}
    true = sorted(atom for atom in after - state if atom[0] in changed)
    false = sorted(atom for atom in state - after if atom[0] in changed)
    if rng.random() < 0.4 or not true:
        true = sorted(atom for atom in after if atom[0] in changed) or true
    if rng.random() < 0.4 or not false:
        false = [atom for atom in situation.atoms if atom not in after] or false
    if not true or not false:
        return None
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
        states = situation.run(wrong)
        if len(states) <= len(wrong) or not situation.meets(states[-1]):
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
    """Ask whether two atoms can ever hold together; each of them can alone."""
    atoms = situation.atoms
    if len(atoms) < 2:
        return None
    right: tuple[GroundAtom, ...] | None = None
    wrong: tuple[GroundAtom, ...] | None = None
    searched = 0
    for _ in range(TRIES):
        if right is None and rng.random() < 0.5:
            pool = situation.space.states if situation.space is not None else situation.states
            known = sorted(atom for atom in pool[pick(rng, pool)] if atom in set(atoms))
            pair = tuple(sorted(known[int(place)] for place in rng.choice(len(known), 2, replace=False))) \
                if len(known) > 1 else ()  # fmt: skip
            right = pair or None
        elif wrong is None:
            one = atoms[pick(rng, atoms)]
            others = [atom for atom in atoms if atom != one and set(atom[1:]) & set(one[1:])] or list(atoms)
            pair = tuple(sorted({one, others[pick(rng, others)]}))
            if len(pair) == 2:
                searched += 1
                found = situation.reachable(pair)
                if found is False:
                    wrong = pair
                elif found and right is None:
                    right = pair
        if right is not None and wrong is not None:
            break
        if situation.space is None and searched > 6:
            return None
    if right is None or wrong is None:
        return None
    told = sentence_about(situation, situation.states[0])

    def ask(pair: tuple[GroundAtom, ...], answer: str) -> ProblemQuestion:
        clause = situation.says.formula(conjunction([Atom(atom[0], atom[1:]) for atom in pair]))
        asked = f"Whatever you do from here on, can it ever be that {clause}?"
        return ProblemQuestion("reachability", told, asked, YES_NO, answer, {"atoms": [list(atom) for atom in pair]})

    return ask(right, "yes"), ask(wrong, "no")


def landmark(situation: Situation, rng: np.random.Generator) -> Pair | None:
    """Ask whether an atom holds at some time in every plan; both are true on the way of this plan where possible."""
    start = situation.states[0]
    goal = set(_goal_atoms(situation))
    passed = sorted({atom for state in situation.states for atom in state if atom not in start and atom[0] != "="})
    passed = [atom for atom in passed if atom not in goal] or passed
    others = [atom for atom in situation.atoms if atom not in start and atom not in goal]
    rng.shuffle(passed)
    rng.shuffle(others)
    right = next((atom for atom in passed[:6] if situation.needed(atom)), None)
    if right is None:
        return None
    candidates = [atom for atom in passed if atom != right][:4] + others[:6]
    wrong = next((atom for atom in candidates if situation.needed(atom) is False), None)
    if wrong is None:
        return None
    told = sentence_about(situation, start, goal=True)

    def ask(atom: GroundAtom, answer: str) -> ProblemQuestion:
        clause = situation.says.atom(atom)
        asked = f"Is there in every plan that reaches the goal a moment at which {clause}?"
        return ProblemQuestion("landmark", told, asked, YES_NO, answer, {"atom": list(atom)})

    return ask(right, "yes"), ask(wrong, "no")


def _goal_atoms(situation: Situation) -> Iterator[GroundAtom]:
    for part in conjuncts(situation.problem.goal):
        if isinstance(part, Atom):
            yield (part.predicate, *part.terms)


def justification(situation: Situation, rng: np.random.Generator) -> Pair | None:
    """Ask whether a plan works without one of its steps; an unneeded one has been put in."""
    for _ in range(TRIES):
        at = pick(rng, situation.states)
        can = [step for step in situation.actions if situation.applicable(step, situation.states[at])]
        if not can:
            continue
        extra = can[pick(rng, can)]
        longer = (*situation.plan[:at], extra, *situation.plan[at:])
        states = situation.run(longer)
        if len(states) <= len(longer) or not situation.meets(states[-1]):
            continue
        needed = [place for place in range(len(longer)) if not _works(situation, longer, place)]
        if at in needed or not needed:
            continue
        near = min(needed, key=lambda place: (abs(place - at), place))
        told = sentence_about(situation, situation.states[0], goal=True)

        def ask(place: int, answer: str, plan: tuple[GroundAction, ...] = longer, told: str = told) -> ProblemQuestion:
            asked = f"{number_wording(situation, plan)} Does it reach the goal without step {place + 1}, too?"
            formal = {"plan": list(map(str, plan)), "step": place + 1}
            return ProblemQuestion("justification", told, asked, YES_NO, answer, formal)

        return ask(at, "yes"), ask(near, "no")
    return None


def _works(situation: Situation, plan: Sequence[GroundAction], without: int) -> bool:
    shorter = [*plan[:without], *plan[without + 1 :]]
    states = situation.run(shorter)
    return len(states) > len(shorter) and situation.meets(states[-1])
