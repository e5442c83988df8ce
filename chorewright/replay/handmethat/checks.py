"""Checks of HandMeThat's episodes: everything stored is derived again, and each difference is reported with a reason.

The literal simulator runs the plan, A(.) is evaluated on the scene, planning finds what helps, the paper's rules
decide the level, and the text world replays the demonstration.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import chorewright
from chorewright.domains.formulas import conjuncts, holds
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import TRUE, State
from chorewright.errors import InputError
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import simulate
from chorewright.problems.handmethat.goals import universe_of
from chorewright.problems.handmethat.scene import HUMAN, HandMeThatScene, SceneAgent
from chorewright.problems.handmethat.states import objects_of, problem_of, scene_at, scene_from_objects
from chorewright.replay.handmethat import reference
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.words import objective
from chorewright.replay.handmethat.world import TextWorld
from chorewright.rsa.handmethat import meanings
from chorewright.rsa.handmethat.subgoals import COSTS, Subgoals
from chorewright.rsa.handmethat.utility import hardness, pool
from chorewright.rsa.speech_acts import speech_acts

CHECKS: Mapping[str, str] = {
    "prefix": "what was watched is the beginning of the whole plan",
    "plan": "every action of the whole plan can be carried out",
    "goal": "the whole plan reaches the goal",
    "scene": "the stored scene at the request is the one that the actions lead to",
    "utterance": "the stored A(u) is what the utterance fits",
    "meaning": "the stored A(m) is what the meaning fits",
    "understood": "the stored A(r) is what r fits",
    "useful": "the stored A(G) is what brings the goal nearer",
    "helpful": "A(m) is within the stored A(G)",
    "listener": "A(r) is what the listener understands",
    "level": "the level is the paper's for the stored A(G) and r",
    "subgoal": "the stored subgoal is a part of the goal",
    "demonstration": "the demonstration fulfils the request",
    "numbers": "request, goal, running number and level are those of the file's name",
    "description": "the description tells the human's actions",
    "observations": "the world tells what is stored before each command",
}
"""What is checked, in order."""

NOTE = ", by costs that are not proven"
"""Ends the reason of a finding that is not certain."""


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """A difference between a stored and a derived value.

    Attributes:
        check: One of ``CHECKS``.
        reason: Why, in words that are the same for all episodes with this reason.
        detail: What it is in this episode.
        certain: Whether it follows from bounds that are proven, or the file is of this version, which finds
            the same costs again. Other costs may differ from one version of the planner to another, so that
            such a finding is no fault.
    """

    check: str
    reason: str
    detail: str = ""
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Checked:
    """One episode's findings."""

    name: str
    findings: tuple[CheckFinding, ...]

    @property
    def faulty(self) -> bool:
        """Whether one of the findings is certain."""
        return any(each.certain for each in self.findings)


def check_reference(path: Path) -> Checked:
    """Check one of the reference's files.

    Raises:
        InputError: It is no such file.
    """
    source = reference.read_document(path)
    with source.locate():
        name = reference.stem(path)
        task = reference.task_of_reference(source.members, name, source.path)
        return Checked(name, (*findings(source.members, task), *_numbers(source.members, task, name)))


def findings(document: reference.Json, task: HandMeThatTask) -> Iterator[CheckFinding]:
    """Yield what is wrong with an episode of the reference's schema.

    Args:
        document: What is stored.
        task: The task that was read from it.
    """
    yield from _trajectory(document, task)
    yield from _extents(document, task)
    yield from _reasoning(document, task)
    if task.subgoal is not None and not set(conjuncts(task.subgoal)) <= set(conjuncts(task.goal)):
        yield CheckFinding("subgoal", "it is no part of the goal")
    if task.demonstration:
        yield from _demonstration(task)
    yield from _description(document, task)
    for key, fully in reference.OBSERVATIONS.items():
        yield from _observations(document, task, key, fully)


def _trajectory(document: reference.Json, task: HandMeThatTask) -> Iterator[CheckFinding]:
    plan = reference.actions_of_reference(document["_possible_solution"])
    if plan[: task.observed] != task.prefix:
        yield CheckFinding("prefix", "the plan begins otherwise")
    states = _states(task.start, plan)
    if len(states) <= len(plan):
        yield CheckFinding("plan", "an action cannot be carried out", f"{len(states)}: {plan[len(states) - 1]}")
    else:
        universe = universe_of(task.start)
        missed = [part for part in conjuncts(task.goal) if not holds(part, states[-1], universe)]
        if missed:
            reason = "a part does not hold at the end: later parts undo earlier ones, or it was never reached"
            yield CheckFinding("goal", reason, f"{len(missed)} of {len(conjuncts(task.goal))} parts")
    stored = scene_from_objects(_mapping(document["current_object_dict"]), SceneAgent())
    watched = _states(task.start, task.prefix)
    if len(watched) > len(task.prefix):
        yield from _scene(stored, scene_at(task.start, watched[-1]))


def _states(start: HandMeThatScene, actions: Sequence[GroundAction]) -> tuple[State, ...]:
    """Return the states along a plan of the human's, as far as it can be carried out."""
    problem = problem_of(start, TRUE, HUMAN)
    steps = simulate(handmethat_domain(), problem, tuple(actions))
    return (frozenset(problem.init), *(step.state for step in steps))


def _scene(stored: HandMeThatScene, derived: HandMeThatScene) -> Iterator[CheckFinding]:
    theirs, ours = objects_of(stored), objects_of(derived)
    odd = [name for name in ours if theirs.get(name) != ours[name]]
    kept = []
    for name in odd:
        before, after = _mapping(theirs[name]["states"]), _mapping(ours[name]["states"])
        kept += [f"{state} {name}" for state in after if before.get(state) is True and after[state] is False]
    if kept:
        yield CheckFinding("scene", "what the human's actions made false is stored as true still", ", ".join(kept))
    elif odd:
        yield CheckFinding("scene", "objects are elsewhere or in other states", ", ".join(odd))


def _extents(document: reference.Json, task: HandMeThatTask) -> Iterator[CheckFinding]:
    """Compare the stored A(u), A(m) and A(r) with ours, on the stored scene."""
    for check, key, objects in (
        ("utterance", "utterance", "_objects_in_utterance"),
        ("meaning", "_meaning", "_objects_in_meaning"),
        ("understood", "_rsa_meaning", "_objects_in_rsa_meaning"),
    ):
        if document.get(key) is None:
            continue
        if objects not in document:
            yield CheckFinding(check, "what it fits is not stored", objects)
            continue
        meaning = meanings.meaning_of_reference(document[key])
        theirs = dict.fromkeys(meanings.groundings_of_reference(meaning.quest, document[objects]))
        ours = dict.fromkeys(task.context.groundings(meaning))
        reasons: dict[str, list[meanings.Grounding]] = {}
        for grounding in (*ours, *theirs):
            if (grounding in ours) != (grounding in theirs):
                reason = _reason(task.context, meaning, grounding, grounding in ours)
                reasons.setdefault(reason, []).append(grounding)
        for reason, differing in reasons.items():
            yield CheckFinding(check, reason, f"{len(differing)} such as {differing[0][0]}")


def _reason(context: meanings.Context, meaning: meanings.Meaning, grounding: meanings.Grounding, ours: bool) -> str:
    """Say why a grounded subgoal is only in our A(.), or only in the stored one."""
    name, argument = grounding
    item = context.items[context.number[name]]
    if meaning.quest is meanings.Quest.MOVE_TO:
        target = context.items[context.number[str(argument)]]
        if ours and meaning.argument is None:
            return "of an unsaid target, only those of the goal are stored"
        if not ours and item.features.get(target.relation) == argument:
            return "things are stored that are there already"
        if not ours and item.relation and target.movable:
            return "receptacles are stored to be put into receptacles"
    if meaning.quest is meanings.Quest.CHANGE_STATE and not ours:
        return "things are stored that cannot be so, or are so already"
    if not ours:
        return "things are stored that are not as described, or that the human holds"
    return "things that fit are not stored"


def _reasoning(document: reference.Json, task: HandMeThatTask) -> Iterator[CheckFinding]:
    """Compare A(G), r and the level with what follows from costs, found as the generator finds them."""
    context, quest = task.context, task.meaning.quest
    ours = _of_ours(document)
    subgoals = Subgoals(task.scene, task.goal, COSTS.get(ours.get("costs", ""), COSTS["optimal"]))
    rewards = subgoals.rewards(quest)
    gains = {grounding: reward.gain for grounding, reward in rewards.items()}
    again = ours.get("version") == chorewright.__version__
    known = {each for each, reward in rewards.items() if again or reward.helps is not None}
    yield from _useful(set(task.useful), {each for each, gain in gains.items() if gain > 0}, gains, known)
    stored = context.extent_of(task.useful)
    meant = context.extent(task.meaning)
    if not meanings.is_included(meant, stored):
        yield CheckFinding("helpful", "something is meant that is not stored as useful")
    if task.understood is None:
        return
    candidates = pool(context, quest, gains)
    acts = speech_acts(candidates) if candidates.meanings else None
    certain = again or (subgoals.before.optimal and all(reward.proven for reward in rewards.values()))
    note = "" if certain else NOTE
    if acts is None or task.utterance not in acts.number:
        yield CheckFinding("listener", f"no meaning that would help fits the utterance{note}", certain=certain)
    elif context.extent(acts.understand(task.utterance)) != context.extent(task.understood):
        yield CheckFinding("listener", f"another meaning is the most probable by V*{note}", certain=certain)
    yield from _level(task, stored)


def _of_ours(document: reference.Json) -> Mapping[str, str]:
    """Return what a file of ours says beside the reference's schema."""
    ours = document.get(reference.OURS)
    return {key: str(value) for key, value in ours.items()} if isinstance(ours, Mapping) else {}


def _useful(
    theirs: set[meanings.Grounding],
    ours: set[meanings.Grounding],
    asked: Collection[meanings.Grounding],
    known: set[meanings.Grounding],
) -> Iterator[CheckFinding]:
    """Compare the stored A(G) with ours. What was not asked cannot matter for the goal: that is certain."""
    for among, others, reason in (
        (theirs, ours, "things are stored that do not help"),
        (ours, theirs, "things that help are not stored"),
    ):
        for certain in (True, False):
            odd = [each for each in among - others if (each not in asked or each in known) is certain]
            if odd:
                said = reason if certain else f"{reason}{NOTE}"
                yield CheckFinding("useful", said, f"{len(odd)} of {len(among)}", certain)


def _level(task: HandMeThatTask, useful: meanings.Extent) -> Iterator[CheckFinding]:
    assert task.understood is not None
    found = hardness(task.context, useful, task.meaning, task.utterance, task.understood)
    if found is None:
        yield CheckFinding(
            "level", "r leaves out what is meant, which none of the paper's levels has", f"stored as {task.level}"
        )
    elif found != task.level:
        yield CheckFinding("level", "the paper's rule gives another", f"{found}, stored as {task.level}")


def _demonstration(task: HandMeThatTask) -> Iterator[CheckFinding]:
    world = TextWorld(task)
    world.reset()
    refused = []
    for command in task.demonstration:
        turn = world.step(command)
        if turn.action is None:
            refused.append(f"{command}: {turn.observation}")
    if not world.won:
        yield CheckFinding("demonstration", "the request is not fulfilled at the end", "; ".join(refused))
    elif refused:
        yield CheckFinding("demonstration", "a command is refused that is not needed", "; ".join(refused))


_NAME = re.compile(r"task-([a-z_]+)-(\d+)-(\d+)-(\d)")
_PLACE = re.compile(r" at the \w+(?=\.$)", re.MULTILINE)
"""Where an action is, which the reference leaves out where something is put into a receptacle."""

_THING = re.compile(r"\(.*?\)|\b(?:small|large|red|green|blue|\d)\b")
"""How effects tell a thing from its like: the reference has another way than we."""


def _numbers(document: reference.Json, task: HandMeThatTask, name: str) -> Iterator[CheckFinding]:
    named = _NAME.fullmatch(name)
    stored = {**document, "_meaning[0]": task.meaning.quest.value}
    for key, wanted in zip(
        ("_meaning[0]", "goal_idx", "task_idx", "level"), named.groups() if named else (), strict=False
    ):
        if str(stored.get(key)) != wanted:
            yield CheckFinding("numbers", "one is another", f"$.{key}: {stored.get(key)!r}, not {wanted}")


def _description(document: reference.Json, task: HandMeThatTask) -> Iterator[CheckFinding]:
    """Compare the stored description's lines but for the last, the request, which is worded anew at each call."""
    both = (str(document["task_description"]), objective(task)) if document.get("task_description") else ()
    texts = (reference.spelt_as_reference(text.strip()).split("\n")[:-1] for text in both)
    for line, wanted in zip_longest(*texts, fillvalue=""):
        # Their sentence of cleaning a location names it and the tool the other way round.
        if sorted(_words(_PLACE.sub("", line))) != sorted(_words(_PLACE.sub("", wanted))):
            yield CheckFinding("description", "an action is another", f"$.task_description: {line!r}, not {wanted!r}")
            return


def _observations(document: reference.Json, task: HandMeThatTask, key: str, fully: bool) -> Iterator[CheckFinding]:
    """Compare what is stored of the world's texts with ours, by their words.

    Fully observed, the reference hides at the start what is in a closed place where the robot is.
    """
    stored = document.get(key) or ()
    theirs = list(map(str, stored)) if isinstance(stored, Sequence) else []
    if len(theirs) != len(task.demonstration):
        yield CheckFinding("observations", "there is not one for each command", f"$.{key}")
        return
    before = ""
    with suppress(InputError):  # a command that cannot be run is a finding of the demonstration
        for place, (text, ours) in enumerate(zip(theirs, reference.observations(task, fully), strict=False)):
            both = (text.removeprefix(before), ours.rpartition(reference.SEPARATOR)[2])
            told, world = (Counter(_words(_THING.sub("", each) if place else each)) for each in both)
            odd = [*(told - world), *((world - told) if place or not fully else ())]
            if odd or not text.startswith(before):
                said = ", ".join(odd[:4]) if text.startswith(before) else "it does not begin as the one before"
                yield CheckFinding("observations", "a text has other words", f"$.{key}[{place}]: {said}")
                return
            command = reference.spelt_as_reference(task.demonstration[place])
            before = reference.SEPARATOR.join((text, command, ""))


def _words(text: str) -> list[str]:
    """The words of a text but for those that the reference has at other places than we."""
    return [word for word in re.findall(r"[\w-]+", text) if word not in ("the", "human")]


def _mapping(value: object) -> reference.Json:
    if not isinstance(value, Mapping):
        raise InputError("expected an object")
    return value
