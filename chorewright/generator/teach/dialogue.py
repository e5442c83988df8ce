"""The dialogue of a TEACh demonstration: utterances and the Commander's looks, each before an action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from chorewright.domains.tdl.progress import check
from chorewright.domains.tdl.tasks import Task, TaskComponent, needed
from chorewright.generator.teach.demonstration import TeachDemonstration
from chorewright.problems.teach.metadata import teach_world
from chorewright.rsa.dialogue import COMMANDER, Part, Turn, dialogue, sentences, task_wordings
from chorewright.rsa.directives import END, Leg
from chorewright.rsa.segments import GOTO, SLICE

TEXT, PROGRESS, SELECT, SEARCH = "Text", "OpenProgressCheck", "SelectOid", "SearchObject"


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something that is said, or looked up by the Commander.

    Attributes:
        before: The index of the action before which it happens; as many as there are actions: at the end.
        agent: 0 Commander, 1 Follower.
        action: ``Text``, ``OpenProgressCheck``, ``SelectOid`` or ``SearchObject``.
        text: What is said; empty where something is looked up.
        level: ``goal``, ``step``, ``utterance``, ``question`` or ``answer``; empty where nothing is said.
        details: ``query``: what is looked up; ``about``: the object that is asked for.
    """

    before: int
    agent: int
    action: str
    text: str = ""
    level: str = ""
    details: Mapping[str, str] = field(default_factory=dict)


def utterances(demonstration: TeachDemonstration, rng: np.random.Generator) -> tuple[Utterance, ...]:
    """Return the dialogue of a demonstration, in order.

    The Commander checks the progress before it says what is to be done and at the end, and looks things up
    before it says where they are.
    """
    compiled = demonstration.compiled
    legs = teach_legs(demonstration)
    goals = task_wordings(compiled.task.name, compiled.task.params, compiled.task.desc)
    keys = [each.key for each in demonstration.begun.subgoals]
    cut = len(_wordings(compiled.task, keys)) > 1
    parts = (lambda: parts_of(demonstration)) if cut else None
    turns = dialogue(goals, parts, legs, compiled.scene, rng)
    return tuple(_timed(turns, demonstration, rng))


def teach_legs(demonstration: TeachDemonstration) -> list[Leg]:
    """Return the segments as the words need them: ids, the pose before each, and its actions' names."""
    household = demonstration.compiled.household
    names: list[list[str]] = [[] for _ in demonstration.subgoals]
    for action in demonstration.actions:
        names[action.segment].append(action.name)
    pose = demonstration.compiled.scene.agent
    found = []
    for subgoal, actions in zip(demonstration.subgoals, names, strict=True):
        item, receptacle = "", ""
        if subgoal.action == SLICE:
            cut = next(action for action in subgoal.actions if action.name == "slice")
            item, receptacle = household.ids[cut.arguments[0]], household.ids[cut.arguments[2]]
        elif subgoal.action not in (GOTO, *END):
            first, *others = subgoal.arguments
            item, receptacle = household.ids[first], household.ids[others[0]] if others else ""
        found.append(Leg(subgoal.action, item, receptacle, pose, tuple(actions)))
        if subgoal.action == GOTO:
            pose = household.poses[subgoal.pose]
    return found


def parts_of(demonstration: TeachDemonstration) -> tuple[Part, ...]:
    """Return the sub-tasks and relations of the task that were open, as they came to be done one by one."""
    task = demonstration.compiled.task
    keys = [each.key for each in demonstration.begun.subgoals]
    wordings = _wordings(task, keys)
    last_open = dict.fromkeys(range(len(keys)), -1)
    for number, goal in enumerate(demonstration.begun.subgoals):
        if goal.success:
            last_open[number] = -2
    for leg, scene in enumerate(demonstration.stages):
        if demonstration.subgoals[leg].action == GOTO:
            continue
        for number, goal in enumerate(check(task, teach_world(scene)).subgoals[: len(keys)]):
            if not goal.success:
                last_open[number] = leg
    done = sorted((leg, number) for number, leg in last_open.items() if leg != -2 and number in wordings)
    found: list[Part] = []
    begin = 0
    for leg, number in done:
        found.append(Part(begin, wordings[number]))
        begin = _next_visit(demonstration, leg + 1)
    return tuple(part for place, part in enumerate(found) if place == 0 or part.leg > found[place - 1].leg)


def _wordings(task: Task, keys: Sequence[str]) -> dict[int, tuple[str, ...]]:
    """Return wordings of the sub-goals that are sub-tasks, or relations between them, by their numbers."""
    parts = {part.key: part for part in task.components if needed(part.determiner)}
    found: dict[int, tuple[str, ...]] = {}
    seen: set[str] = set()
    for number, key in enumerate(keys):
        part = parts.get(key)
        if key in seen or part is None:
            found[number] = tuple(sentences().relation)
        elif isinstance(part, TaskComponent):
            lines = task_wordings(part.task.name, part.task.params, part.task.desc)
            if part.determiner not in ("a", "1"):
                several = sentences().lines["several"]
                lines = tuple(form.format(part=line, number=part.determiner) for line in lines for form in several)
            found[number] = lines
        seen.add(key)
    return found


def _next_visit(demonstration: TeachDemonstration, leg: int) -> int:
    """Return the first leg from one on that is a walk."""
    count = len(demonstration.subgoals)
    return next((number for number in range(leg, count) if demonstration.subgoals[number].action == GOTO), count)


def _timed(turns: Sequence[Turn], demonstration: TeachDemonstration, rng: np.random.Generator) -> list[Utterance]:
    """Place turns before actions, with what the Commander looks up before it speaks."""
    segments = [action.segment for action in demonstration.actions]
    end = len(segments)
    found: list[Utterance] = []
    for number, turn in enumerate(turns):
        before = next((place for place, segment in enumerate(segments) if segment >= turn.leg), end)
        last = number + 1 == len(turns) or all(later.speaker != COMMANDER for later in turns[number + 1 :])
        if turn.speaker == COMMANDER and (turn.level in ("goal", "step") or last):
            found.append(Utterance(before, COMMANDER, PROGRESS, details={"query": ""}))
        elif turn.speaker == COMMANDER and turn.level == "answer":
            by_name = rng.random() < 0.5
            query = turn.about.split("|")[0] if by_name else turn.about
            found.append(Utterance(before, COMMANDER, SEARCH if by_name else SELECT, details={"query": query}))
        details = {"about": turn.about} if turn.about else {}
        found.append(Utterance(before, turn.speaker, TEXT, turn.text, turn.level, details))
    return found
