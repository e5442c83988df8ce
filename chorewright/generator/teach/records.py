"""A TEACh demonstration as an episode's rows: actions with clicks, poses and time stamps, dialogue, end.

Times are seconds since the session began; actions and utterances take turns, as in a recorded session.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chorewright.domains.teach.world import progress_json, sentences_of
from chorewright.errors import DatasetCorrupt, InputError, Location
from chorewright.files.records import reader_of
from chorewright.generator.dataset.episode import Episode, Instruction, Segment, Step, stored_json
from chorewright.generator.dataset.store.records import plain
from chorewright.generator.household.moments import action_names
from chorewright.generator.household.noise import mark
from chorewright.generator.household.spawning import room_of
from chorewright.generator.teach.demonstration import TeachDemonstration
from chorewright.generator.teach.dialogue import TEXT, Utterance
from chorewright.generator.teach.variants import settings
from chorewright.generator.training.chat import ASSISTANT, SYSTEM, USER, ChatStyle, Message
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.scene import Attributes, Pose, Scene, SceneObject
from chorewright.replay.teach.world import INTERACTIONS, MOVES
from chorewright.rsa.household.segments import GOTO

FINAL, PROGRESS, DIALOGUE = "final", "progress", "dialogue"
"""The extras of an episode."""


@dataclass(frozen=True, slots=True)
class Session:
    """The rows of a demonstration that come of it being a conversation in time."""

    steps: tuple[Step, ...]
    instructions: tuple[Instruction, ...]
    dialogue: str


def session_records(demonstration: TeachDemonstration, said: Sequence[Utterance]) -> Session:
    """Return actions and utterances with time stamps, each utterance before the action that it precedes.

    Args:
        demonstration: What is done.
        said: What is said and looked up, in order.
    """
    seconds = settings().seconds
    steps: list[Step] = []
    dialogue: list[dict[str, object]] = []
    instructions: list[Instruction] = []
    time = 0.0
    turns = iter(said)
    turn = next(turns, None)
    for number in range(len(demonstration.actions) + 1):
        while turn is not None and turn.before <= number:
            duration = _duration(turn, seconds)
            entry: dict[str, object] = {
                "before": number,
                "time": round(time, 2),
                "duration": duration,
                "agent": turn.agent,
            }
            entry |= {"action": turn.action, "text": turn.text, **turn.details}
            if turn.sayings:
                entry["acts"] = [[each.act, each.text] for each in turn.sayings]
            dialogue.append(entry)
            if turn.action == TEXT:
                segment = _segment(demonstration, number)
                instructions.append(Instruction(turn.text, turn.level, 0, segment))
            time += duration
            turn = next(turns, None)
        if number < len(demonstration.actions):
            step = _step(demonstration, number, time)
            steps.append(step)
            time += seconds["move" if step.action in MOVES else "interaction"]
    return Session(tuple(steps), tuple(instructions), compact_json(dialogue))


SPEAKERS = ("Commander", "Follower")


def speakers(episode: Episode) -> list[tuple[str, str]]:
    """Return what is said in a session, in order, each with who says it.

    Raises:
        DatasetCorrupt: Its dialogue is damaged.
    """
    said = stored_json(dict(episode.extras).get(DIALOGUE, "[]"), f"turns of episode {episode.index}")
    try:
        return [(SPEAKERS[each["agent"]], each["text"]) for each in said if each["action"] == TEXT]
    except (KeyError, IndexError, TypeError) as error:
        raise DatasetCorrupt(f"the turns of episode {episode.index} are no dialogue: {error!r}") from error


def _duration(turn: Utterance, seconds: Mapping[str, float]) -> float:
    if turn.action in MOVES:
        return seconds["move"]
    if turn.action != TEXT:
        return seconds["look"]
    return round(seconds["utterance"] + seconds["word"] * len(turn.text.split()), 2)


def _segment(demonstration: TeachDemonstration, number: int) -> int:
    """Return the segment of an action; of what is after the last one, the last."""
    if number < len(demonstration.actions):
        return demonstration.actions[number].segment
    return len(demonstration.subgoals) - 1


def _step(demonstration: TeachDemonstration, number: int, time: float) -> Step:
    action = demonstration.actions[number]
    run, sight = demonstration.execution.steps[number], demonstration.sights[number]
    known = MOVES.get(action.name) or INTERACTIONS[action.name]
    told: dict[str, object] = {"id": known.number, **action.call.arguments}
    if action.name not in MOVES:
        told |= {"x": sight.x, "y": sight.y}
        if sight.near is not None:
            told["near"] = dict(sight.near)
    told["pose"] = [*(round(metres, 4) for metres in sight.position), sight.horizon, sight.rotation, 0.0]
    told |= mark(action)
    told["time"] = round(time, 2)
    told["duration"] = settings().seconds["move" if action.name in MOVES else "interaction"]
    return Step(action.name, action.segment, compact_json(told), run.success, run.added, run.removed)


def segment_records(demonstration: TeachDemonstration) -> tuple[Segment, ...]:
    """Return the subgoals with the names of what they are about; the details give the simulator's ids."""
    household = demonstration.compiled.household
    found = []
    for subgoal in demonstration.subgoals:
        details: dict[str, object] = {"objects": [household.ids[name] for name in subgoal.arguments]}
        if subgoal.action == GOTO:
            pose = household.poses[subgoal.pose]
            details["pose"] = [pose.x, pose.z, pose.rotation, pose.horizon]
        found.append(Segment(subgoal.action, subgoal.arguments, compact_json(details)))
    return tuple(found)


def progress_text(demonstration: TeachDemonstration) -> str:
    """Return what the progress check says at the start and at the end."""
    return compact_json({"before": progress_json(demonstration.begun), "after": progress_json(demonstration.ended)})


def conditions(demonstration: TeachDemonstration) -> tuple[tuple[str, bool], ...]:
    """Return the task's sub-goals in words, and whether each is reached at the end."""
    ended = demonstration.ended
    said = sentences_of(ended, demonstration.compiled.task)
    return tuple((words, goal.success) for words, goal in zip(said, ended.subgoals, strict=True))


def final_text(start: Scene, end: Scene) -> str:
    """Return what of a scene is other than at the start: the objects that changed, came or went."""
    before = {thing.object_id: thing for thing in start.objects}
    return compact_json(
        {
            "agent": dataclasses.astuple(end.agent),
            "holding": end.holding,
            "order": [thing.object_id for thing in end.objects],
            "changed": [plain(thing) for thing in end.objects if before.get(thing.object_id) != thing],
        }
    )


def final_scene(episode: Episode) -> Scene:
    """Return the scene at the end of an episode.

    Raises:
        InputError: The episode has no record of it.
    """
    try:
        told = json.loads(dict(episode.extras)[FINAL])
        things = {thing.object_id: thing for thing in room_of(episode).objects}
        kinds = room_of(episode).kinds
        things |= {fields["object_id"]: _thing(fields, kinds) for fields in told["changed"]}
        objects = tuple(things[name] for name in told["order"])
        return replace(room_of(episode), objects=objects, agent=Pose(*told["agent"]), holding=told["holding"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"episode {episode.index} has no final state: {error!r}") from error


def _thing(fields: Mapping[str, Any], kinds: Kinds) -> SceneObject:
    plain: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    return SceneObject(**plain | {"attributes": Attributes(**fields["attributes"]), "traits": kinds[fields["kind"]]})


def compact_json(value: object) -> str:
    """Return a value as JSON without blanks."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


# TEACh's sessions as conversations: the Follower answers the Commander by actions and by what it says.
#
# A message of the Follower has a line for each action, up to the next subgoal, failure or word of the Commander. The
# world answers with what the Commander says, with the action that failed, or else with ``done``.


PACKAGE = "chorewright.generator.teach"
COMMANDER, FOLLOWER = SPEAKERS
STOP = "Stop"


class TeachConversations:
    """Tells sessions from the Follower's side; see ``Conversations``."""

    def conversation(self, episode: Episode, style: ChatStyle) -> tuple[Message, ...]:
        """Return an episode's messages; see ``Conversations.conversation``."""
        where = Location(f"episode {episode.index}")
        if style.noise or style.thoughts or style.admissible or style.annotated or style.exploring:
            reason = (
                "sessions are told as they went: without --noise, --thoughts, --admissible, --annotated and --exploring"
            )
            raise InputError(reason, location=where)
        said = json.loads(dict(episode.extras).get(DIALOGUE, "[]"))
        forms = _forms()
        talk = _Talk([Message(SYSTEM, forms["system"].format(actions=", ".join(action_names(PACKAGE))))])
        talk.hear(forms["begin"].format(room=room_of(episode).room_kind.replace("_", " ")))
        segment = 0
        for number, step in enumerate((*episode.steps, None)):
            while said and said[0]["before"] <= number:
                entry = said.pop(0)
                if entry["action"] == TEXT:
                    speaker = SPEAKERS[entry["agent"]]
                    line = forms[speaker].format(text=entry["text"])
                    (talk.hear if speaker == COMMANDER else talk.do)(line)
            if step is None:
                break
            if step.segment != segment and talk.is_acted:
                talk.hear(forms["done"])
            segment = step.segment
            talk.do(_line(step))
            if not step.success:
                talk.hear(forms["failed"].format(action=_line(step)))
        talk.do(STOP)
        return talk.ended()


@dataclass(slots=True)
class _Talk:
    """A conversation that grows line by line; lines of one side make a message.

    Attributes:
        messages: Those that are finished.
    """

    messages: list[Message]
    _lines: list[str] = field(default_factory=list)
    _role: str = USER

    @property
    def is_acted(self) -> bool:
        """Whether the Follower said or did something last."""
        return self._role == ASSISTANT

    def hear(self, line: str) -> None:
        """Append what the world says."""
        self._say(USER, line)

    def do(self, line: str) -> None:
        """Append what the Follower says or does."""
        self._say(ASSISTANT, line)

    def ended(self) -> tuple[Message, ...]:
        """Return all messages."""
        return (*self.messages, Message(self._role, "\n".join(self._lines)))

    def _say(self, role: str, line: str) -> None:
        if role != self._role:
            self.messages.append(Message(self._role, "\n".join(self._lines)))
            self._lines, self._role = [], role
        self._lines.append(line)


def _line(step: Step) -> str:
    """Return an action with the kind of what it is done to."""
    target = str(step.call().get("objectId") or "")
    return f"{step.action} {_kind(target)}" if target else step.action


def _kind(object_id: str) -> str:
    """Return the kind of a thing, of pieces and basins that of the part: ``Apple|+1.00|+0.90|-0.20|AppleSliced_0``."""
    first, *rest = object_id.split("|")
    return rest[3].split("_")[0] if len(rest) > 3 else first


_forms = reader_of(dict[str, str], PACKAGE, "data/chat.json")
