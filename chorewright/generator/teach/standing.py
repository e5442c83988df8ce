"""Standing elsewhere: a plan's visit is moved to where the Follower sees what it handles there.

A plan tells from where a thing is handled, but not what hides it by then: a pot before the knobs of the stove, a loaf
before its slices. Then the plan stays as it is but for the pose, and its problem says that one may stand there, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from chorewright.errors import InputError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.teach.compiling import TeachProblem, compile_in
from chorewright.planner.plan import GroundAction, Plan
from chorewright.planner.validation import validate
from chorewright.problems.household.scene import Pose
from chorewright.problems.household.state import pose_name
from chorewright.replay.teach.clicks import Click
from chorewright.replay.teach.lowering import GO_TO

EXTRA = "stands"
"""The extra of an episode that tells from where things are handled besides."""

Stands = tuple[tuple[str, Pose], ...]
"""Object ids, and from where these are handled."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """An interaction whose target cannot be clicked.

    Attributes:
        reason: What it is, and why.
        number: The number of interactions before it.
        around: The ids of the target and of what it lies in by then.
        poses: From where it can be clicked, the nearest first.
        instead: The ids of other pieces that would do as well, and can be clicked.
        clicks: The actions before it by name and object, each with its click.
    """

    reason: str
    number: int
    around: tuple[str, ...] = ()
    poses: tuple[Pose, ...] = ()
    instead: tuple[str, ...] = ()
    clicks: tuple[tuple[str, str, Click], ...] = ()


def stood_elsewhere(compiled: TeachProblem, plan: Plan, hidden: Hidden, stands: Stands) -> Iterator[Moved]:
    """Yield a plan's problems and the plan itself with what is hidden handled from elsewhere, the nearest first.

    Of pieces of one whole, another is taken before.

    Args:
        compiled: The plan's task.
        plan: The plan; nothing goes wrong in it.
        hidden: What is hidden.
        stands: What the problem says already.
    """
    household = compiled.household
    names = {object_id: name for name, object_id in household.ids.items()}
    places = [place for place, action in enumerate(plan.actions) if action.name != GO_TO]
    if hidden.number >= len(places):
        return
    for other in hidden.instead:
        exchanged = _exchange(plan.actions, places[hidden.number], names[other])
        verdict = validate(compiled.domain, compiled.problem, exchanged)
        if verdict.valid:
            yield Moved(compiled, replace(plan, actions=exchanged, cost=verdict.cost, optimal=False), stands)
    before = plan.actions[places[hidden.number]].arguments[-1]
    runs = list(_visits(plan.actions, before))
    for pose in hidden.poses:
        name = pose_name(pose)
        if name == before:
            continue
        own = [run for run in runs if places[hidden.number] in run]
        for chosen in (own, runs) if len(runs) > 1 else (own,):
            actions = _rename(plan.actions, chosen, before, name)
            if actions is None:
                continue
            touched = {each for run in chosen for place in run for each in plan.actions[place].arguments}
            touched |= {names[each] for each in hidden.around if each in names}
            near = [atom[1] for atom in household.problem.init if atom[0] == "near" and atom[2] == before]
            added = tuple((household.ids[each], pose) for each in dict.fromkeys(near) if each in touched)
            wider = with_stands(compiled, (*stands, *added))
            verdict = validate(wider.domain, wider.problem, actions)
            if verdict.valid:
                yield Moved(wider, replace(plan, actions=actions, cost=verdict.cost, optimal=False), (*stands, *added))
                break


@dataclass(frozen=True, slots=True)
class Moved:
    """A task's problem with further poses, a plan for it, and all that the problem says besides."""

    compiled: TeachProblem
    plan: Plan
    stands: Stands


def with_stands(compiled: TeachProblem, stands: Stands) -> TeachProblem:
    """Return a compiled task in whose problem some things are handled from elsewhere, too."""
    return compile_in(
        compiled.task,
        compiled.goal,
        compiled.scene,
        compiled.problem.name,
        strict=compiled.strict,
        stands=stands,
    )


def _exchange(plan: Sequence[GroundAction], start: int, other: str) -> tuple[GroundAction, ...]:
    """Return a plan in which from an action on its object and another one change places."""
    own = plan[start].arguments[0]
    roles = {own: other, other: own}
    after = (GroundAction(each.name, tuple(roles.get(name, name) for name in each.arguments)) for each in plan[start:])
    return (*plan[:start], *after)


def _visits(plan: Sequence[GroundAction], pose: str) -> Iterator[range]:
    """Yield the places of a plan's actions of each visit to a pose, the go-to left out."""
    start = 0
    for place in range(len(plan) + 1):
        if place == len(plan) or plan[place].name == GO_TO:
            run = range(start, place)
            if len(run) and plan[start].arguments[-1] == pose:
                yield run
            start = place + 1


def _rename(
    plan: Sequence[GroundAction], visits: Sequence[range], before: str, after: str
) -> tuple[GroundAction, ...] | None:
    """Return a plan with some of its visits at another pose, which is valid unless one is next to a visit there.

    None if one of them is the first.
    """
    found = list(plan)
    for run in visits:
        if run.start == 0:
            return None
        for place in run:
            found[place] = GroundAction(found[place].name, (*found[place].arguments[:-1], after))
        came = found[run.start - 1].arguments[0]
        found[run.start - 1] = GroundAction(GO_TO, (came, after))
        if run.stop < len(plan):
            found[run.stop] = GroundAction(GO_TO, (after, found[run.stop].arguments[1]))
    return tuple(found)


def stands_extras(stands: Stands) -> tuple[tuple[str, str], ...]:
    """Return what an episode's extras say of where one stands besides; nothing if nowhere."""
    told = [[each, pose.x, pose.z, pose.rotation, pose.horizon] for each, pose in stands]
    return ((EXTRA, json.dumps(told)),) if told else ()


def stands_of(episode: Episode) -> Stands:
    """Return from where things are handled besides in a stored session.

    Raises:
        InputError: Its record is none.
    """
    text = dict(episode.extras).get(EXTRA, "[]")
    try:
        return tuple((str(each), Pose(*(int(value) for value in pose))) for each, *pose in json.loads(text))
    except (TypeError, ValueError) as error:
        raise InputError(f"episode {episode.index} does not tell where one stands: {error}") from error
