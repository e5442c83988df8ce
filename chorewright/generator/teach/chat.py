"""TEACh's sessions as conversations: the Follower answers the Commander by actions and by what it says.

A message of the Follower has a line for each action, up to the next subgoal, failure or word of the Commander. The
world answers with what the Commander says, with the action that failed, or else with ``done``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from chorewright.errors import InputError, Location
from chorewright.generator.dataset.episode import Episode, Step
from chorewright.generator.household.moments import action_names
from chorewright.generator.household.problems import room_of
from chorewright.generator.teach.dialogue import TEXT
from chorewright.generator.teach.records import DIALOGUE, SPEAKERS
from chorewright.generator.training.chat import ASSISTANT, SYSTEM, USER, ChatStyle, Message

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
            if step.segment != segment and talk.acted:
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
    def acted(self) -> bool:
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


@cache
def _forms() -> Mapping[str, str]:
    source = resources.files(PACKAGE) / "data" / "chat.json"
    forms: Mapping[str, str] = json.loads(source.read_text("utf-8"))
    return forms
