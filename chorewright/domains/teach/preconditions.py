"""Whether a room has what a task needs: the objects of its components, or what they are made of."""

from __future__ import annotations

from collections.abc import Iterator

from chorewright.domains.teach.progress import is_whole
from chorewright.domains.teach.tasks import AtomicComponent, Component, Task, TaskComponent, needed
from chorewright.domains.teach.world import TYPE, Thing, World, name

DIRTY = "isDirty"


def missing(task: Task, world: World, instances: int = 1, *, copies: bool = False) -> tuple[str, ...]:
    """Return in words what objects a state lacks for a task; nothing if it has all.

    Of each component only the primary condition counts; a loaf stands for all its slices, an egg for one
    cracked egg; relations are left out.

    ``copies``: a thing that can be carried stands for as many of its kind as are needed, as start states have
    several of what a room has once.
    """
    reasons: dict[str, None] = {}
    for part in task.components:
        if not needed(part.determiner):
            continue
        number = part.number(instances)
        if isinstance(part, TaskComponent):
            reasons.update(dict.fromkeys(missing(part.task, world, number, copies=copies)))
        elif (found := _found(part, world, number, copies)) < (number if part.determiner != "all" else 1):
            there = f"only {found} of {number}" if found else "no"
            reasons[f"there is {there} {part.wanted}"] = None
    return tuple(reasons)


def obstacles(task: Task, world: World) -> tuple[str, ...]:
    """Return in words the things that the task wants moved or washed with all of their kind, but nobody can carry.

    TEACh's preconditions do not look for such; in a state that has them the task cannot be done.
    """
    reasons: dict[str, None] = {}
    for each in task.walk():
        for part in each.components:
            clean = dict(part.conditions).get(DIRTY) if isinstance(part, AtomicComponent) else None
            if isinstance(part, AtomicComponent) and part.determiner == "all" and clean is not None:
                for thing in _fixed(part, world):
                    if not world.holds(thing, DIRTY, clean):
                        reasons[f"the {thing[TYPE]} cannot be washed"] = None
        for relation in each.relations:
            tail = each.component(relation.tail)
            if not isinstance(tail, AtomicComponent):
                continue
            places = {name(thing) for thing in world.things if world.holds(thing, tail.primary, tail.wanted)}
            for key in (key for key, determiner in relation.heads if determiner == "all"):
                for thing in _fixed(each.component(key), world):
                    if places.isdisjoint(world.parents(thing)):
                        reasons[f"the {thing[TYPE]} cannot be moved to a {tail.wanted}"] = None
    return tuple(reasons)


def _fixed(part: Component | None, world: World) -> Iterator[Thing]:
    """Yield the things of an atomic component that cannot be carried."""
    if isinstance(part, AtomicComponent):
        for thing in world.things:
            if world.holds(thing, part.primary, part.wanted) and not thing.get("pickupable"):
                yield thing


def _found(part: AtomicComponent, world: World, number: int, copies: bool) -> int:
    """Return how many objects a component has; a whole that can be sliced counts as many as are needed."""
    things = [thing for thing in world.things if world.holds(thing, part.primary, part.wanted)]
    own = len(things)
    if copies and any(thing.get("pickupable") for thing in things):
        return max(own, number)
    wholes = sum(
        not world.holds(thing, part.primary, part.wanted) and is_whole(part, thing, world) for thing in world.things
    )
    if wholes and (copies or "Sliced" in str(part.wanted)):
        return max(own, number)
    return own + wholes
