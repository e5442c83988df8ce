"""Both agents in one session: what each knows, and what they say about the plan as it is carried out.

The Commander says the task first; then, as people do, nothing more than what is asked, or one sub-goal after the
other, or every step. The Follower asks where things are and how to do things, unless it was told; it reports, and
says what it cannot do. What went wrong is talked about. Each part of an utterance has its dialogue act.
(TEACh, Padmakumar et al. 2022, sections 3.2 and F; acts: Gella et al. 2022.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from chorewright.files.english import number_word
from chorewright.rsa.household.directives import follow, new_speaker
from chorewright.rsa.household.layout import RoomLayout
from chorewright.rsa.teach.deeds import (
    FILL,
    GET,
    GET_HERE,
    LAY,
    USE,
    WASH,
    Deed,
    DeedReader,
    SpokenPart,
    SpokenTurn,
    Talk,
    Trouble,
    visits_of,
)
from chorewright.rsa.teach.sentences import COMMANDER, FOLLOWER, Saying, sentences
from chorewright.rsa.teach.speech import DETAILED, References, Slots, Speech, others_of, side
from chorewright.rsa.words.grammar import literal
from chorewright.rsa.words.guesses import household_lexicon, pick

TWO_DEEDS = 0.45
"""How often two things that are done at one place are ordered together."""

MOST_COUNTED = 10
"""Up to how many things of a kind the Commander says how many are needed."""

ASIDE = 0.65
"""How often the place of what shall be fetched is told in a sentence of its own."""


def dialogue(talk: Talk, rng: np.random.Generator) -> tuple[SpokenTurn, ...]:
    """Return what is said while a plan is carried out; ``rng`` is the only source of chance."""
    data = sentences()
    names = [name for name in data.styles if name != "parts" or talk.parts is not None]
    shares = np.array([data.styles[name] for name in names])
    style = names[int(rng.choice(len(names), p=shares / shares.sum()))]
    lexicon = household_lexicon().with_kinds(talk.scene.kinds.vocabulary)
    speaker = new_speaker(RoomLayout.of(talk.scene), talk.scene, lexicon, 1, rng)
    speaker = replace(speaker, colourful=0.0, placing=DETAILED)
    factor = float(rng.uniform(*data.talkative))
    casual = (bool(rng.random() < 0.5), bool(rng.random() < 0.5))
    moments = follow(talk.legs, talk.scene)
    reader = DeedReader.of(talk.legs, moments, talk.state, talk.scene)
    speech = Speech(data, talk, style, factor, casual, rng, References(speaker), moments)
    _Speakers(talk, speech, reader).talk_over()
    return tuple(speech.said)


@dataclass(slots=True)
class _Speakers:
    """Both agents: what they say, and what is settled between them."""

    talk: Talk
    speech: Speech
    reader: DeedReader
    cleared: set[str] = field(default_factory=set)  # of which it was said whether they are to be washed
    settled: set[str] = field(default_factory=set)  # of which it was said that they are to be washed
    counted: set[str] = field(default_factory=set)  # kinds of which it was said how many
    waiting: bool = False  # for an instruction: something was done since the last
    deeds: list[tuple[list[int], tuple[Deed, ...]]] = field(default_factory=list)
    orders: list[bool] = field(default_factory=list)  # whether each visit begins with an order
    asked: bool = False  # for the next instruction
    begun: set[int] = field(default_factory=set)  # visits with which a sub-goal that was said begins

    def talk_over(self) -> None:
        """Say all that is said."""
        self.open()
        parts = self.talk.parts() if self.talk.parts is not None and self.speech.style == "parts" else ()
        starts = {part.leg: part for part in parts}
        self.deeds = [(visit, self.reader.deeds(visit)) for visit in visits_of(self.talk.legs)]
        begun = [any(leg in starts for leg in visit) for visit, _ in self.deeds]
        self.orders = [bool(deeds) and self.speech.chance("say step") for _, deeds in self.deeds]
        expected = [*(order or part for order, part in zip(self.orders, begun, strict=True)), False]
        for number, (visit, deeds) in enumerate(self.deeds):
            for leg in visit:
                if leg in starts:
                    self.begin_part(leg, starts[leg])
                    self.orders[number] = False
                    self.begun.add(number)
            if self.speech.refs.topic != self.speech.moments[visit[0]].world.holding:
                self.speech.refs.topic = ""
            if deeds:
                self.visit(visit, deeds, number, expected[number + 1])
        self.close(len(self.talk.legs))

    def instruct(self) -> None:
        """Note that the Commander has given an instruction."""
        self.waiting = False
        self.asked = False

    def open(self) -> None:
        """Begin the session: greetings, and the task."""
        greeted = self.speech.chance("greet")
        if greeted:
            self.speech.say(0, FOLLOWER, "greet", level="question")
        open_point = bool(self.talk.unclear) and self.speech.chance("unclear")
        unclear = pick(self.talk.unclear, self.speech.rng) if open_point else None
        wording = self.speech.phrase(unclear.task if unclear else pick(self.talk.goals, self.speech.rng))
        self.speech.say(0, COMMANDER, "say goal" if greeted else "open with goal", {"goal": wording}, "goal")
        if unclear is not None:
            self.speech.say(0, FOLLOWER, "ask open point", {"ask": self.speech.phrase(unclear.ask)}, "question")
            self.speech.say(0, COMMANDER, "tell open point", {"tell": self.speech.phrase(unclear.tell)})
        elif self.speech.chance("check goal"):
            again = {"goal": self.speech.phrase(pick(self.talk.goals, self.speech.rng))}
            self.speech.say(0, FOLLOWER, "check goal", again, "question")
            self.speech.say(0, COMMANDER, "confirm goal")
        if self.speech.chance("accept goal"):
            self.speech.say(0, FOLLOWER, "accept goal")

    def begin_part(self, leg: int, part: SpokenPart) -> None:
        """Say a sub-goal, after a question if something was done before."""
        first = all(turn.level != "step" for turn in self.speech.said)
        slots = {"goal": self.speech.phrase(pick(part.wordings, self.speech.rng))}
        if self.waiting and not self.asked and self.speech.chance("ask done"):
            self.speech.say(leg, FOLLOWER, "ask done", level="question")
            self.speech.say(leg, COMMANDER, "not done", slots, "step")
        else:
            if self.waiting and not self.asked and self.speech.chance("ask next"):
                self.speech.say(leg, FOLLOWER, "ask next", level="question")
            self.speech.say(leg, COMMANDER, "say part first" if first else "say part", slots, "step")
        self.speech.refs.topic = ""
        self.instruct()
        if self.speech.chance("accept"):
            self.speech.say(leg, FOLLOWER, "accept")

    def visit(self, visit: Sequence[int], deeds: Sequence[Deed], number: int, expected: bool) -> None:
        """Say what is said around one visit; ``expected`` tells that an instruction follows it."""
        start = visit[0]
        troubles = {place: each for place, each in enumerate(self.talk.troubles) if each.leg in visit}
        instead = next((each for each in troubles.values() if each.instead), None)
        told = deeds[0].key == WASH and deeds[0].object_id in self.settled
        if (instead is not None and number not in self.begun) or (self.orders[number] and not told):
            told = self.order(start, deeds, number, instead)
        fetched = deeds[0] if deeds[0].key == GET else None
        if fetched is not None and instead is None and not self.speech.knows(fetched.object_id, start):
            self.place_of(start, fetched, told)
        elif instead is None and (fetched is None or fetched.object_id in self.speech.moments[start].handled):
            self.how(start, deeds, told)
        for place, trouble in troubles.items():
            self.trouble(place, trouble)
        self.waiting = True
        for deed in deeds:
            self.speech.refs.name_vessel(deed.receptacle_id, self.speech.moments[start])
        self.report(deeds, number, expected)
        if fetched is not None:
            self.after_fetching(deeds[-1].legs[-1] + 1, fetched, number)

    def order(self, leg: int, deeds: Sequence[Deed], number: int, instead: Trouble | None) -> bool:
        """Say what is to be done next; return whether it was said."""
        if self.waiting and not self.asked and self.speech.chance("ask next"):
            self.speech.say(leg, FOLLOWER, "ask next", level="question")
        first = not any(turn.leg < leg or turn.level == "step" for turn in self.speech.said)
        wanted, also = self.wanted(leg, deeds, number, instead)
        self.speech.say(leg, COMMANDER, "say step first" if first else "say step", {"goal": wanted}, "step", also=also)
        self.instruct()
        if self.speech.chance("accept"):
            self.speech.say(leg, FOLLOWER, "accept")
        return True

    def wanted(
        self, leg: int, deeds: Sequence[Deed], number: int, instead: Trouble | None
    ) -> tuple[str, tuple[Saying, ...]]:
        """Return the next deeds as an instruction, and a sentence about where the object is, if one is added."""
        if instead is not None and instead.kind == "no knife":
            cut = next(
                (each for _, later in self.deeds[number:] for each in later if each.object_id == instead.item), deeds[0]
            )
            return self.speech.deed(self.speech.data.do, replace(cut, tool_id=""), leg), ()
        first = deeds[0]
        known = instead is not None or self.speech.knows(first.object_id, leg)
        placed = first.key == GET and not known and self.speech.chance("with place")
        if placed and self.speech.rng.random() < ASIDE:
            clause = self.speech.deed(self.speech.data.do, first, leg)
            slots = self.speech.where(first.object_id, leg)
            if slots["spot"]:
                self.speech.known.add(first.object_id)
                return clause, self.speech.sayings("say place after", slots)
            return clause, ()
        clauses = [self.speech.deed(self.speech.data.do, first, leg, placed)]
        if len(deeds) > 1 and instead is None and self.speech.rng.random() < TWO_DEEDS:
            self.speech.refs.topic = first.object_id
            second = replace(deeds[1], key=GET_HERE) if deeds[1].key == GET else deeds[1]
            clauses.append(self.speech.deed(self.speech.data.do, second, second.legs[0]))
            self.speech.refs.topic = first.object_id if deeds[1].object_id == first.object_id else ""
        return self.speech.phrase(" [and then] ".join(map(literal, clauses))), ()

    def place_of(self, leg: int, deed: Deed, told: bool) -> None:
        """Say where a thing is that is to be fetched, asked or not."""
        moment, pose = self.speech.moments[leg], self.talk.legs[leg].pose
        thing = moment.world.thing(deed.object_id)
        slots = self.speech.where(deed.object_id, leg)
        if not self.speech.data.grammar.can_say("tell where", slots):
            return
        elsewhere = others_of(moment, thing, moment.handled)
        if elsewhere and self.speech.chance("ask which"):
            other = self.speech.refs.where(elsewhere[0].object_id, moment, pose)
            both = [self.speech.phrase_of("spot", slots), self.speech.phrase_of("spot", other)]
            if both[0] != both[1]:
                first = int(self.speech.rng.integers(2))
                slots |= {"one": both[first], "two": both[1 - first], "right": both[0]}
                self.speech.say(leg, FOLLOWER, "ask which", slots, "question", deed.object_id)
                self.speech.known.add(deed.object_id)
                self.speech.refs.speak_of(deed.object_id)
                self.speech.say(leg, COMMANDER, "tell which", slots, "answer", deed.object_id)
                return
        asked = self.speech.chance("ask where")
        if not asked and not self.speech.chance("say place"):
            return
        if asked:
            self.speech.say(leg, FOLLOWER, "ask where", slots, "question", deed.object_id)
            self.speech.refs.speak_of(deed.object_id)
            slots |= {"it": slots["them"]}
            if self.speech.chance("look up"):
                self.speech.say(leg, COMMANDER, "look up", slots)
        self.speech.known.add(deed.object_id)
        self.speech.say(leg, COMMANDER, "tell where" if asked else "say where", slots, "answer", deed.object_id)
        self.speech.refs.speak_of(deed.object_id)
        if not asked and not told and self.speech.chance("accept"):
            self.speech.say(leg, FOLLOWER, "accept")

    def how(self, leg: int, deeds: Sequence[Deed], told: bool) -> None:
        """Talk about how something is cooked, how many are needed, or what is dirty."""
        deed = deeds[0]
        at = deed.legs[0]
        moment, slots = (
            self.speech.moments[at],
            self.speech.refs.deed_slots(deed, self.speech.moments[at], self.talk.legs[at].pose),
        )
        if deed.key == USE and not told and len(self.reader.controls.get(deed.tool_id, ())) != 1 + ("single" in slots):
            inside = moment.world.inside(deed.object_id)
            meant = inside[0].object_id if inside else deed.object_id
            is_food = bool(moment.world.thing(meant).traits.affordances & {"cookable"})
            if is_food and self.speech.chance("ask tool"):
                tool = slots["tool"]
                slots |= {**self.speech.refs.slots(meant, moment, self.talk.legs[at].pose), "tool": tool}
                self.speech.say(leg, FOLLOWER, "ask tool", slots, "question")
                self.speech.say(leg, COMMANDER, "tell tool", slots)
                return
        if not told and self.fixture(leg, deed):
            return
        if deed.key in (WASH, FILL, USE, LAY) and not told and self.speech.chance("remind"):
            self.speech.say(
                leg, COMMANDER, "remind", {**slots, "goal": self.speech.deed(self.speech.data.do, deed, at)}, "step"
            )
            self.speech.refs.speak_of(deed.object_id)

    def fixture(self, leg: int, deed: Deed) -> bool:
        """Say in which direction a fixture is that is needed, asked or not; return whether it was said."""
        moment, pose = self.speech.moments[leg], self.talk.legs[leg].pose
        target = deed.tool_id if deed.key in (USE, WASH, FILL) and deed.receptacle_id == "" else deed.receptacle_id
        if not target or self.speech.knows(target, leg):
            return False
        thing = moment.world.thing(target)
        if thing.traits.item:
            return self.vessel(leg, target)
        if not thing.still or self.speech.refs.speaker.names.lexicon.words(thing.kind).large:
            return False
        slots = self.speech.refs.slots(target, moment, pose)
        slots["direction"] = self.speech.phrase_of(f"side {side(pose, thing)}", {})
        asked = bool(slots["the item"]) and self.speech.chance("ask fixture")
        if asked:
            self.speech.say(leg, FOLLOWER, "ask where", slots, "question", target)
        elif not self.speech.chance("say fixture"):
            return False
        self.speech.known.add(target)
        self.speech.say(leg, COMMANDER, "tell fixture" if asked else "say fixture", slots, "answer", target)
        self.speech.refs.mention(target)
        return True

    def vessel(self, leg: int, target: str) -> bool:
        """Say where a plate or pan is that something goes into, asked or not; return whether it was said.

        Nothing is said of one that was named or used before.
        """
        if target in self.speech.refs.named:
            return False
        slots = self.speech.where(target, leg)
        if not self.speech.data.grammar.can_say("tell where", slots) or not slots["spot"]:
            return False
        asked = bool(slots["the item"]) and self.speech.chance("ask fixture")
        if asked:
            self.speech.say(leg, FOLLOWER, "ask where", slots, "question", target)
            slots |= {"it": slots["them"]}
        elif not self.speech.chance("say fixture"):
            return False
        self.speech.known.add(target)
        self.speech.say(leg, COMMANDER, "tell where" if asked else "say where", slots, "answer", target)
        self.speech.refs.mention(target)
        return True

    def after_fetching(self, leg: int, deed: Deed, number: int) -> None:
        """Talk about whether what was fetched is to be washed, and how many of it are needed."""
        if leg >= len(self.speech.moments):
            return
        moment, pose = self.speech.moments[leg], self.talk.legs[leg].pose
        world = moment.world
        thing = world.thing(deed.object_id)
        self.speech.refs.speak_of(deed.object_id)
        slots = self.speech.refs.slots(deed.object_id, moment, pose)
        state = self.talk.state(leg, deed.object_id)
        if "dirtyable" in thing.traits.affordances and state is not None and deed.object_id not in self.cleared:
            later = [each for _, deeds in self.deeds[number + 1 :] for each in deeds]
            washed = any(each.key == WASH and each.object_id == deed.object_id for each in later)
            if washed == state.is_dirty:
                self.cleared.add(deed.object_id)
                if self.wash(leg, slots, washed) and washed:
                    self.settled.add(deed.object_id)
                    self.instruct()
        kind = thing.kind
        fetched = {each.object_id for _, deeds in self.deeds for each in deeds if each.key == GET}
        several = sum(world.thing(name).kind == kind for name in sorted(fetched))
        wanted = kind not in self.counted and "sharp" not in thing.traits.roles
        if several > 1 and wanted and several <= MOST_COUNTED and self.speech.chance("count"):
            self.counted.add(kind)
            self.speech.say(leg, COMMANDER, "count", {**slots, "number": number_word(several)})

    def wash(self, leg: int, slots: Slots, washed: bool) -> bool:
        """Ask or say whether a thing is to be washed; return whether it was said."""
        if self.speech.chance("ask wash"):
            self.speech.say(leg, FOLLOWER, "ask wash", slots, "question")
            self.speech.say(leg, COMMANDER, "wash" if washed else "no wash", slots)
        elif self.speech.chance("say wash"):
            self.speech.say(leg, COMMANDER, "say wash" if washed else "say clean", slots)
        else:
            return False
        return True

    def trouble(self, number: int, trouble: Trouble) -> None:
        """Talk about what went wrong."""
        moment, pose = self.speech.moments[trouble.leg], self.talk.legs[trouble.leg].pose
        self.speech.refs.topic = ""
        place = self.speech.refs.where(trouble.item, moment, pose)
        if trouble.kind == "shut":  # what is in the hand lies nowhere yet
            place = self.speech.refs.slots(trouble.item, moment, pose, trouble.other)
            self.speech.refs.mention(trouble.other)
        slots = {**place, "spot": self.speech.phrase_of("spot", place), "way": trouble.way}
        if trouble.other:
            other = self.speech.refs.where(trouble.other, moment, pose)
            spot = self.speech.phrase_of("spot", other)
            slots |= {"other": other["item"], "an other": other["a"], "other spot": spot}
            slots |= {"other is": other["is"], "other them": other["them"]}
        for line, speaker in (("notice", FOLLOWER), ("advice", COMMANDER), ("thanks", FOLLOWER)):
            name = f"trouble {trouble.kind} {line}"
            said = line != "thanks" or self.speech.chance("accept trouble")
            if said and self.speech.data.grammar.can_say(name, slots):
                self.speech.say(trouble.leg, speaker, name, slots, trouble=number)
        self.speech.known.update(each for each in (trouble.item, trouble.other) if each)
        self.speech.refs.speak_of(trouble.item)

    def report(self, deeds: Sequence[Deed], number: int, expected: bool) -> None:
        """Say what was done, perhaps ask for what is next, and say what is thought of it."""
        last = deeds[-1]
        after = last.legs[-1] + 1
        if not self.speech.chance("report"):
            return
        slots: Slots = {"done": self.speech.deed(self.speech.data.did, last, last.legs[0])}
        self.asked = expected and self.speech.chance("ask next")
        self.speech.say(after, FOLLOWER, "report and ask" if self.asked else "report", slots)
        self.speech.refs.speak_of(last.object_id)
        if self.speech.chance("praise"):
            self.speech.say(after, COMMANDER, "praise" if number + 1 < len(self.deeds) else "praise last")
        elif not self.asked and self.speech.chance("remark"):
            lines = ["remark commander", "remark follower"] + ["remark open"] * (number + 1 < len(self.deeds))
            line = pick(lines, self.speech.rng)
            self.speech.say(after, FOLLOWER if line == "remark follower" else COMMANDER, line)

    def close(self, leg: int) -> None:
        """End the session."""
        line = "end"
        if self.speech.chance("report end"):
            more = bool(self.speech.rng.random() < 0.5)
            self.speech.say(leg, FOLLOWER, "ask more" if more else "ask end", level="question")
            line = "end more" if more else "end done"
        self.speech.say(leg, COMMANDER, line)
        if self.speech.chance("thank"):
            self.speech.say(leg, FOLLOWER, "thank")
