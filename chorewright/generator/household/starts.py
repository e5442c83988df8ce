"""What a task says of its start, as a spawn provides it, and whether a scene keeps to it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from chorewright.domains.formulas import Universe, derive, holds
from chorewright.domains.pddl.syntax import Domain, Formula, Problem
from chorewright.domains.rewriting import predicates_mentioned_in
from chorewright.domains.templates.starts import DISTRACTORS, PLACE, STATES, StartWish
from chorewright.problems.household.containment import ancestors
from chorewright.problems.household.kinds import Kinds, Traits
from chorewright.problems.household.scene import Scene, SceneObject
from chorewright.problems.household.spawn import SpawnRequest
from chorewright.rsa.household.presuppositions import Presupposition, presuppositions

MORE = 2
"""How many more copies than the least there may be, where a rule has no largest count."""


def with_start(request: SpawnRequest, scene: Scene, wishes: Sequence[StartWish]) -> SpawnRequest:
    """Return what a spawn must provide for a goal and for rules about the start; these come first."""
    present = {thing.kind for thing in scene.objects if thing.traits.item}
    furniture = {thing.kind for thing in scene.objects if not thing.traits.item}
    counts, banned = dict(request.counts), {kind: tuple(names) for kind, names in request.banned.items()}
    only: dict[str, tuple[str, ...]] = {}
    states: dict[str, dict[str, bool]] = {}
    others = request.others
    for wish in wishes:
        items = [kind for kind in wish.kinds if kind in present]
        if wish.what == "count":
            counts |= _share(wish, items or list(wish.kinds)[:1], counts)
        elif wish.what == DISTRACTORS:
            others = (wish.low, wish.high or 0)
        elif wish.what == PLACE:
            able = [kind for kind in items if _places(wish, scene.kinds[kind]) & furniture]
            for kind in items:
                if kind not in able and able:  # others of the set can start as the rule says
                    counts[kind] = (0, 0)
                    continue
                counts.setdefault(kind, request.others)
                if wish.wanted:
                    only[kind] = wish.places
                    banned.pop(kind, None)
                else:
                    banned[kind] = (*banned.get(kind, ()), *wish.places)
        elif wish.what in STATES:
            for kind in wish.kinds:
                states.setdefault(kind, {})[wish.what] = wish.wanted
    return replace(request, counts=counts, banned=banned, others=others, only=only, states=states)


def _share(
    wish: StartWish, kinds: Sequence[str], counts: dict[str, tuple[int, int]]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield how many there shall be of each kind, for a count of all of them together."""
    for place, kind in enumerate(kinds):
        least = wish.low // len(kinds) + (place < wish.low % len(kinds))
        if wish.high is None:
            yield kind, (max(least, counts.get(kind, (0, 0))[0]), max(least + MORE, counts.get(kind, (0, 0))[1]))
        else:
            most = wish.high // len(kinds) + (place < wish.high % len(kinds))
            known = counts.get(kind, (0, 0))[0] if wish.low == 0 else 0  # at most so many, of what the goal wants
            yield kind, (max(least, min(known, most)), most)


def _places(wish: StartWish, kind: Traits) -> frozenset[str]:
    """Return the kinds of furniture in or on which things of a kind may start by a rule about places."""
    return frozenset(wish.places) if wish.wanted else kind.fits - frozenset(wish.places)


def start_lacks(
    wishes: Sequence[StartWish], catalogue: Kinds, kinds: Collection[str], places: Collection[str]
) -> tuple[str, ...]:
    """Return why no start in a room can keep to rules; nothing if one may.

    Args:
        wishes: The rules, filled.
        catalogue: All kinds.
        kinds: The kinds of which the room has something.
        places: The kinds of its furniture that things can be put in or on.
    """
    reasons = []
    for wish in wishes:
        if wish.what == "count" and wish.low and not set(wish.kinds) & set(kinds):
            reasons.append(f"there is no {' or '.join(wish.kinds[:4])}")
        here = [catalogue[kind] for kind in wish.kinds if kind in kinds]
        if wish.what == PLACE and here and not any(_places(wish, kind) & set(places) for kind in here):
            reasons.append(f"there is no place where {wish.text} holds")
    return tuple(reasons)


def broken_rule(wishes: Sequence[StartWish], scene: Scene, domain: Domain, problem: Problem | None) -> str:
    """Return the text of the first rule that a scene does not keep to; nothing if it keeps to all.

    Args:
        wishes: The rules, filled.
        scene: The start.
        domain: The household.
        problem: Its planning problem, in which formulas are evaluated; None to leave these out.
    """
    for wish in wishes:
        if wish.what == "holds":
            if problem is not None:
                universe = Universe.of(domain, problem)
                if not holds(wish.formula, derive(domain, frozenset(problem.init), universe), universe):
                    return wish.text
        elif not _kept(wish, scene):
            return wish.text
    return ""


def _kept(wish: StartWish, scene: Scene) -> bool:
    things = [thing for thing in scene.objects if thing.kind in wish.kinds]
    if wish.what == "count":
        return len(things) >= wish.low and (wish.high is None or len(things) <= wish.high)
    if wish.what == PLACE:
        where = {thing.object_id: thing.kind for thing in scene.objects}
        items = [thing for thing in things if thing.traits.item]
        return all(any(where.get(each) in wish.places for each in thing.parents) == wish.wanted for thing in items)
    if wish.what in STATES:
        able = [thing for thing in things if STATES[wish.what] in thing.traits.affordances]
        return all(in_state(wish.what, thing) == wish.wanted for thing in able)
    return True


def in_state(state: str, thing: SceneObject) -> bool:
    """Whether a thing is in one of the states that things may start in."""
    attributes = thing.attributes
    return {
        "is-on": attributes.is_toggled,
        "is-open": attributes.is_open,
        "dirty": attributes.is_dirty,
        "filled": attributes.liquid is not None,
        "coffee": attributes.brewed,
    }[state]


# Whether the start of an episode grants what a sentence takes for granted.


def not_granted(sentence: str, goal: Formula, scene: Scene) -> tuple[str, ...]:
    """Return what a sentence takes for granted and the start does not hold, in English; nothing if it holds all.

    Args:
        sentence: It asks for the goal.
        goal: The filled goal.
        scene: The start.
    """
    taken = presuppositions(sentence, scene.kinds.vocabulary, predicates_mentioned_in(goal))
    return tuple(each.text for each in taken if not _is_granted(each, scene))


def grant(sentences: Sequence[str], goal: Formula, scene: Scene) -> tuple[str, ...]:
    """Return the sentences of which the start grants all that they take for granted."""
    return tuple(each for each in sentences if not not_granted(each, goal, scene))


def _is_granted(taken: Presupposition, scene: Scene) -> bool:
    things = [thing for thing in scene.objects if thing.kind in taken.kinds and not thing.is_consumed]
    if taken.what == "exists":
        pieces = sum(thing.traits.pieces for thing in scene.objects if thing.traits.piece in taken.kinds)
        return len(things) + pieces >= taken.number
    if taken.what == "state":
        return any(in_state(taken.state, thing) == taken.wanted for thing in things)
    # A thing in a cabinet is not on the floor on which the cabinet stands.
    parents = {thing.object_id: thing.parents for thing in scene.objects if thing.traits.item}
    kinds = {thing.object_id: thing.kind for thing in scene.objects}
    there = [any(kinds.get(each) in taken.places for each in ancestors(thing.object_id, parents)) for thing in things]
    if taken.what == "in":
        return any(there)
    pieces = sum(thing.traits.pieces for thing in scene.objects if thing.traits.piece in taken.kinds)
    return not all(there) or pieces > 0
