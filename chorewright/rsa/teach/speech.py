"""How the speakers speak: lines of the data with their slots filled in, in the style of each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from chorewright.files.english import capital, tidy
from chorewright.rsa.household.layout import LegMoment
from chorewright.rsa.teach.deeds import GET, LAY, Deed, SpokenTurn, Talk
from chorewright.rsa.teach.references import References, Slots
from chorewright.rsa.teach.sentences import DialogueSentences, Saying
from chorewright.rsa.words.grammar import Style
from chorewright.rsa.words.lexicon import pick

MOST_TRIES = 6
"""Wordings that are tried before one is said twice in a session."""

TURNED = 0.35
"""How often the direction of a place is known to be said besides."""


PRAISE = "FeedbackPositive"

_START = re.compile(r"(?<=[.!?] )[a-z]")
"""The first letter of a sentence that follows another."""


def praises(sayings: Sequence[Saying]) -> bool:
    """Whether something that is said is praise."""
    return any(each.act == PRAISE for each in sayings)


@dataclass(slots=True)
class Speech:
    """What both agents say in a session.

    Attributes:
        data: The words.
        talk: What is talked about.
        style: The Commander's style.
        factor: How talkative the session is.
        casual: Whether the Commander, and the Follower, type in haste.
        rng: The only source of chance.
        refs: How things are named.
        moments: The moment before each leg.
        said: What was said.
        known: The objects whose place was said.
        heard: All wordings that were used.
        speaker: How the words are chosen.
    """

    data: DialogueSentences
    talk: Talk
    style: str
    factor: float
    casual: tuple[bool, bool]
    rng: np.random.Generator
    refs: References
    moments: Sequence[LegMoment]
    said: list[SpokenTurn] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    heard: set[str] = field(default_factory=set)
    speaker: Style = field(init=False)

    def __post_init__(self) -> None:
        self.speaker = Style(self.data.grammar, self.rng, habit=0)

    def chance(self, what: str) -> bool:
        chance = self.data.chances[what][self.style]
        return bool(self.rng.random() < (chance if chance == 1.0 else min(0.97, chance * self.factor)))

    def say(
        self,
        leg: int,
        speaker: int,
        line: str,
        slots: Mapping[str, str] | None = None,
        level: str = "utterance",
        about: str = "",
        trouble: int = -1,
        also: tuple[Saying, ...] = (),
    ) -> None:
        """Say a line of the data, in words that were not used in the session yet if there are any.

        ``also`` is said after it.
        """
        for _ in range(MOST_TRIES):
            sayings = self.sayings(line, slots or {}) + also
            key = " ".join(each.text for each in sayings).lower()
            if key not in self.heard and not (praises(sayings) and self.is_praised(leg, speaker)):
                break
        self.heard.add(key)
        last = len(sayings) - 1
        styled: list[Saying] = []
        for place, each in enumerate(sayings):
            goes_on = bool(styled) and styled[-1].text.endswith(",")
            styled.append(replace(each, text=self.styled(each.text, speaker, place == last, goes_on)))
        self.said.append(SpokenTurn(leg, speaker, tuple(styled), level, about, trouble))

    def is_praised(self, leg: int, speaker: int) -> bool:
        """Whether a speaker has praised since the last leg."""
        return any(turn.leg == leg and turn.speaker == speaker and praises(turn.sayings) for turn in self.said[-3:])

    def styled(self, text: str, speaker: int, last: bool, goes_on: bool = False) -> str:
        """Return words with capitals where sentences start, or as one types in haste.

        ``last`` tells that nothing of the utterance follows, ``goes_on`` that the words go on with a sentence.
        """
        if not self.casual[speaker]:
            text = _START.sub(lambda found: found[0].upper(), text)
            return text if goes_on else capital(text)
        plain = text if text.startswith(("I ", "I'", "CD", "TV")) else text[:1].lower() + text[1:]
        return plain.removesuffix(".") if last else plain

    def sayings(self, line: str, slots: Mapping[str, str]) -> tuple[Saying, ...]:
        """Return a line of the data in its parts."""
        return self.data.sayings(self.speaker.say(line, slots))

    def phrase(self, text: str, slots: Mapping[str, str] | None = None) -> str:
        return tidy(self.speaker.fill(text, slots or {}))

    def phrase_of(self, line: str, slots: Mapping[str, str]) -> str:
        """Return a line of the data that is part of a sentence, or nothing if its slots are not given."""
        return self.sayings(line, slots)[0].text if self.data.grammar.can_say(line, slots) else ""

    def where(self, object_id: str, leg: int) -> Slots:
        """Return the phrases for the place of a thing, as ``spot``; empty if it is not known."""
        slots = self.refs.where(object_id, self.moments[leg], self.talk.legs[leg].pose)
        spot = self.phrase_of("spot", slots)
        found = {**slots, "spot": spot}
        if "side" in slots and self.rng.random() < TURNED:
            found["direction"] = self.phrase_of(f"side {slots['side']}", {})
        return found

    def deed(self, table: Mapping[str, Sequence[str]], deed: Deed, leg: int, placed: bool = False) -> str:
        """Return a deed in the words of a table; ``placed``: also where its object is."""
        moment, pose = self.moments[deed.legs[0]], self.talk.legs[deed.legs[0]].pose
        slots = self.refs.deed_slots(deed, moment, pose)
        if placed and deed.key == GET and deed.object_id not in self.known:
            where = self.where(deed.object_id, leg)
            if where["spot"]:
                self.known.add(deed.object_id)
                slots |= where
        world = moment.world
        concerned = (deed.tool_id, deed.receptacle_id, "" if deed.key == LAY else deed.object_id)
        kinds = [world.thing(each).kind for each in concerned if each]
        for key in (*(f"{deed.key} {kind}" for kind in kinds), deed.key):
            usable = [line for line in table.get(key, ()) if self.data.grammar.can_fill(line, slots)]
            if slots.get("spot"):
                usable = [line for line in usable if "{spot}" in line] or usable
            if usable:
                text = self.phrase(pick(usable, self.rng), slots)
                self.refs.name_vessel(deed.receptacle_id, moment)
                self.refs.speak_of(deed.object_id)
                return text
        return f"{deed.key} {slots['item']}"
