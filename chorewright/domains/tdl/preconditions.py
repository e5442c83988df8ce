"""Whether a room has what a task needs: the objects of its components, or what they are made of."""

from __future__ import annotations

from chorewright.domains.tdl.progress import is_whole
from chorewright.domains.tdl.tasks import AtomicComponent, Task, TaskComponent, needed
from chorewright.domains.tdl.world import World


def preconditions(task: Task, world: World, instances: int = 1) -> bool:
    """Return whether a task could be done in a state, judged by the objects there are.

    Of each component only the primary condition counts; a loaf stands for all its slices, an egg for one
    cracked egg; relations are left out.
    """
    return not missing(task, world, instances)


def missing(task: Task, world: World, instances: int = 1) -> tuple[str, ...]:
    """Return what a state lacks for a task, in words; nothing if its preconditions hold."""
    reasons: dict[str, None] = {}
    for part in task.components:
        if not needed(part.determiner):
            continue
        number = part.number(instances)
        if isinstance(part, TaskComponent):
            reasons.update(dict.fromkeys(missing(part.task, world, number)))
        elif (found := _found(part, world, number)) < (number if part.determiner != "all" else 1):
            there = f"only {found} of {number}" if found else "no"
            reasons[f"there is {there} {part.wanted}"] = None
    return tuple(reasons)


def _found(part: AtomicComponent, world: World, number: int) -> int:
    """Return how many objects a component has; a whole that can be sliced counts as many as are needed."""
    own = sum(world.holds(thing, part.primary, part.wanted) for thing in world.things)
    wholes = sum(
        not world.holds(thing, part.primary, part.wanted) and is_whole(part, thing, world)
        for thing in world.things
    )
    if wholes and "Sliced" in str(part.wanted):
        return max(own, number)
    return own + wholes
