"""Dialogues of Commander and Follower about a household plan that the Follower carries out.

The Commander knows the task and where things are; the Follower acts. Sessions have different styles, as people
do. The Commander gives only the goal, or one sub-goal after the other, or every step. The Follower asks where
things are, reports, and asks what is next. ``data/dialogues.json`` has the sentences and their frequencies.
(TEACh, Padmakumar et al. 2022, sections 3.2 and F.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np

from chorewright.files.json_node import root
from chorewright.files.json_source import parse_json
from chorewright.problems.thor.scene import Pose, Scene
from chorewright.rsa.directives import END, Leg, follow
from chorewright.rsa.english.leg_phrases import Moment
from chorewright.rsa.english.path_phrases import seen_from
from chorewright.rsa.english.phrases import Voice, household_lexicon, new_voice, pick, plural
from chorewright.rsa.english.place_phrases import Layout, place

COMMANDER, FOLLOWER = 0, 1
"""Agents, numbered as in TEACh's files."""

GOTO, PICKUP, PUT, TOGGLE, POUR = (
    "GotoLocation", "PickupObject", "PutObject", "ToggleObject", "PourObject",
)  # fmt: skip

_DETAILED = 0.3
"""How often a receptacle is described although its name would do."""

_TWO_STEPS = 0.4
"""How often two steps at one place are said together."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance.

    Attributes:
        leg: Before which leg it is said; as many as there are legs: at the end.
        speaker: ``COMMANDER`` or ``FOLLOWER``.
        text: What is said.
        level: ``goal``, ``step``, ``question``, ``answer`` or ``utterance`` (all else).
        about: The object that a question or answer is about.
    """

    leg: int
    speaker: int
    text: str
    level: str = "utterance"
    about: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A sub-goal: its wordings, and the leg with which the work on it begins."""

    leg: int
    wordings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sentences:
    """The data of dialogues; the data file explains each entry."""

    styles: Mapping[str, float]
    chances: Mapping[str, Mapping[str, float]]
    talkative: tuple[float, float]
    lines: Mapping[str, Sequence[str]]
    directions: Mapping[str, Sequence[str]]
    places: Mapping[str, Sequence[str]]
    do: Mapping[str, Sequence[str]]
    did: Mapping[str, Sequence[str]]
    tasks: Mapping[str, Sequence[str]]
    classes: Mapping[str, Sequence[str]]
    relation: Sequence[str]


def parse_sentences(text: str) -> Sentences:
    """Read the data of dialogues from JSON of the shape of the shipped file.

    Raises:
        InputError: The text is not JSON, or lacks an entry.
    """
    document = root(parse_json(text))
    span = [each.number() for each in document["talkative"].items("the least and the most")]
    if len(span) != 2:
        raise document["talkative"].expected("two numbers, the least and the most")
    return Sentences(
        styles=document["styles"].number_table(),
        chances={name: each.number_table() for name, each in document["chances"].members()},
        talkative=(span[0], span[1]),
        lines=document["lines"].texts_table(),
        directions=document["directions"].texts_table(),
        places=document["places"].texts_table(),
        do=document["do"].texts_table(),
        did=document["did"].texts_table(),
        tasks=document["tasks"].texts_table(),
        classes=document["classes"].texts_table(),
        relation=document["relation"].texts(),
    )


@lru_cache(maxsize=1)
def sentences() -> Sentences:
    """Return the shipped data of dialogues."""
    path = resources.files("chorewright.rsa") / "data" / "dialogues.json"
    return parse_sentences(path.read_text("utf-8"))


def task_wordings(name: str, params: Sequence[str], desc: str) -> tuple[str, ...]:
    """Return wordings of a task as an instruction; for a task without any, its own sentence.

    A user's task of the same name may have fewer parameters than the wordings speak of: it has none then.
    """
    known = sentences().tasks.get(name)
    if known is None or any(int(each[1]) >= len(params) for line in known for each in _PARAMETER.finditer(line)):
        return (desc.strip().rstrip("."),)
    return tuple(
        _PARAMETER.sub(lambda found: _parameter(found, params), _without_zeros(line, params)).rstrip(",")
        for line in known
    )


_PARAMETER = re.compile(r"\{(\d+)([wps]?)(?::(\w+))?\}")

_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")


def _without_zeros(line: str, params: Sequence[str]) -> str:
    """Return a wording with its bracketed parts, except those whose number is 0."""

    def kept(found: re.Match[str]) -> str:
        return "" if any(params[int(each[1])] == "0" for each in _PARAMETER.finditer(found[1])) else found[1]

    while _OPTIONAL.search(line):  # the innermost first
        line = _OPTIONAL.sub(kept, line)
    return line


def _parameter(found: re.Match[str], params: Sequence[str]) -> str:
    """Return what stands for a parameter in a wording."""
    value, form, agreeing = params[int(found[1])], found[2], found[3]
    if agreeing == "it":
        return "it" if value == "1" else "them"
    if agreeing:
        return agreeing if value == "1" else plural(agreeing)
    if not form:
        return value
    if value in sentences().classes:
        one, several = sentences().classes[value]
        return {"w": one, "p": several, "s": f"a {one}"}[form]
    noun = household_lexicon().words(value).nouns[0]
    return {"w": noun.word, "p": noun.plural, "s": noun.a()}[form]


def dialogue(
    goals: Sequence[str],
    parts: Callable[[], Sequence[Part]] | None,
    legs: Sequence[Leg],
    scene: Scene,
    rng: np.random.Generator,
) -> tuple[Turn, ...]:
    """Return what is said while a plan is carried out.

    Args:
        goals: Wordings of the task.
        parts: Gives its sub-goals in the order in which they are worked on; None if it has none. Only asked
            where the Commander says them.
        legs: The plan's segments, as ``directives`` takes them.
        scene: The scene at the start.
        rng: The only source of chance.
    """
    data = sentences()
    names = [name for name in data.styles if name != "parts" or parts is not None]
    shares = np.array([data.styles[name] for name in names])
    style = names[int(rng.choice(len(names), p=shares / shares.sum()))]
    voice = new_voice(household_lexicon().with_kinds(scene.kinds), 1, scene.room_kind, rng)
    factor = float(rng.uniform(*data.talkative))
    speakers = _Speakers(data, style, factor, voice, rng, bool(rng.random() < 0.5), [])
    speakers.open(goals)
    moments = follow(legs, scene)
    starts = {part.leg: part for part in parts()} if parts is not None and style == "parts" else {}
    first = True
    for visit in _visits(legs):
        for leg in visit:
            if leg in starts:
                speakers.begin_part(leg, starts[leg], first)
                first = False
        speakers.visit(visit, legs, moments)
    speakers.close(len(legs))
    return tuple(speakers.said)


def _visits(legs: Sequence[Leg]) -> list[list[int]]:
    """Return the legs by where they take place: a walk and what is done at its end."""
    visits: list[list[int]] = []
    for number, leg in enumerate(legs):
        if leg.action in END:
            continue
        if leg.action == GOTO or not visits:
            visits.append([])
        visits[-1].append(number)
    return visits


@dataclass(slots=True)
class _Speakers:
    """Both agents in one session: their style, and what has been said."""

    data: Sentences
    style: str
    factor: float
    voice: Voice
    rng: np.random.Generator
    casual: bool
    said: list[Turn]
    topic: str = ""  # the object that the Commander spoke of last

    def chance(self, what: str) -> bool:
        chance = self.data.chances[what][self.style]
        return bool(self.rng.random() < (chance if chance == 1.0 else min(0.97, chance * self.factor)))

    def line(self, name: str, slots: Mapping[str, str] | None = None) -> str:
        return pick(self.data.lines[name], self.rng).format_map(slots or {})

    def say(self, leg: int, speaker: int, text: str, level: str = "utterance", about: str = "") -> None:
        text = re.sub(r"\s+", " ", text).strip()
        text = text[:1].upper() + text[1:]
        if self.casual:
            text = text[:1].lower() + text[1:].rstrip(".") if not text.startswith("I ") else text.rstrip(".")
        self.said.append(Turn(leg, speaker, text, level, about))

    def open(self, goals: Sequence[str]) -> None:
        """Begin the session: a greeting, and the goal in most styles."""
        if self.chance("greet"):
            self.say(0, FOLLOWER, self.line("greet"), "question")
        if self.chance("say goal"):
            self.say(0, COMMANDER, self.line("say goal", _wanted(pick(goals, self.rng))), "goal")
            if self.chance("accept"):
                self.say(0, FOLLOWER, self.line("accept"))

    def told(self, leg: int) -> bool:
        """Whether the Commander has just given an instruction and nothing has been done since."""
        last = self.said[-1] if self.said else None
        return last is not None and last.leg == leg and last.level in ("goal", "step", "answer")

    def begin_part(self, leg: int, part: Part, first: bool) -> None:
        if not first and not self.told(leg) and self.chance("ask next"):
            self.say(leg, FOLLOWER, self.line("ask next"), "question")
        name = "say part first" if first else "say part"
        self.say(leg, COMMANDER, self.line(name, _wanted(pick(part.wordings, self.rng))), "step")

    def visit(self, visit: Sequence[int], legs: Sequence[Leg], moments: Sequence[Moment]) -> None:
        """Add what is said around one visit: the step, a question and its answer, a report."""
        start = visit[0]
        doing = [number for number in visit if legs[number].action != GOTO]
        if not doing:
            return
        main = doing[0]
        told = False
        if self.chance("say step"):
            last = self.said[-1:]
            if last and last[0].speaker == COMMANDER and not self.told(start) and self.chance("ask next"):
                self.say(start, FOLLOWER, self.line("ask next"), "question")
            several = doing[: 2 if self.rng.random() < _TWO_STEPS else 1]
            wanted = " and ".join(self.deed(self.data.do, legs, moments, number) for number in several)
            self.say(start, COMMANDER, self.line("say step", _wanted(wanted)), "step")
            self.topic = legs[several[-1]].object_id
            told = True
        if legs[main].action == PICKUP and legs[main].object_id not in moments[main].handled:
            if (not told or self.rng.random() < 0.3) and self.chance("ask where"):
                self.where(start, legs[main], legs[start].pose, moments[start].world)
        elif legs[start].action == GOTO and not told and self.chance("ask direction"):
            self.direction(start, legs[main], legs[start].pose, moments[start].world)
        if self.chance("report"):
            after = doing[-1] + 1
            text = self.deed(self.data.did, legs, moments, doing[-1])
            if legs[main].action == PICKUP and len(doing) == 1:
                text = self.line("found", self.slots(legs[main], moments[main].world, legs[main].pose))
            self.say(after, FOLLOWER, text if text.endswith(".") else f"{text}.")
            if self.chance("praise"):
                self.say(after, COMMANDER, self.line("praise"))

    def where(self, leg: int, fetching: Leg, pose: Pose, world: Layout) -> None:
        """Add the question where something is, and the answer with its place."""
        slots = self.slots(fetching, world, fetching.pose)
        self.say(leg, FOLLOWER, self.line("ask where", slots), "question", fetching.object_id)
        thing = world.thing(fetching.object_id)
        seen = thing.still and self.rng.random() < 0.3
        if seen:
            slots["direction"] = self.towards(pose, thing.centre)
        line = self.line("tell where seen" if seen else "tell where", slots)
        self.say(leg, COMMANDER, line, "answer", fetching.object_id)

    def direction(self, leg: int, doing: Leg, pose: Pose, world: Layout) -> None:
        """Add the question where a fixture is, and the answer with the direction."""
        target = doing.receptacle_id or doing.object_id
        thing = world.thing(target)
        if not thing.still or self.voice.lexicon.words(thing.kind).large:
            return
        slots = {"receptacle": self.voice.noun(thing.kind).the()}
        self.say(leg, FOLLOWER, self.line("ask direction", slots), "question", target)
        slots["direction"] = self.towards(pose, thing.centre)
        self.say(leg, COMMANDER, self.line("tell direction", slots), "answer", target)

    def towards(self, pose: Pose, point: tuple[float, float, float]) -> str:
        """Return the direction of a point from a pose: ahead, behind, left or right."""
        right, _, forward = seen_from(pose, point)
        if abs(right) > abs(forward):
            return pick(self.data.directions["right" if right > 0 else "left"], self.rng)
        return pick(self.data.directions["ahead" if forward >= 0 else "behind"], self.rng)

    def deed(
        self,
        table: Mapping[str, Sequence[str]],
        legs: Sequence[Leg],
        moments: Sequence[Moment],
        number: int,
    ) -> str:
        """Return the deed of a leg, worded as an instruction or a report."""
        leg, world = legs[number], moments[number].world
        slots = self.slots(leg, world, leg.pose)
        if table is self.data.do and leg.object_id != self.topic:
            slots["it"] = slots["item"]
        names = [world.thing(each).kind for each in (leg.receptacle_id, leg.object_id) if each]
        ends = [" on", " off"] if leg.action == TOGGLE else [""]
        if leg.action == TOGGLE:
            ends = [" off" if "off" in " ".join(leg.actions).lower() else " on"]
        for key in [f"{leg.action} {name}{end}" for end in ends for name in names] + [
            f"{leg.action}{end}" for end in ends
        ]:
            if key in table:
                return pick(table[key], self.rng).format_map(slots)
        return spoken_action(leg.action)

    def slots(self, leg: Leg, world: Layout, pose: Pose) -> dict[str, str]:
        """Return the noun phrases of a leg."""
        thing = world.thing(leg.object_id)
        noun = self.voice.noun(thing.kind)
        found = {"item": noun.the(), "it": noun.pronoun, "is": noun.verb, "place": "", "direction": ""}
        parent = leg.receptacle_id or thing.parent
        if parent:
            receptacle = world.thing(parent)
            detail = bool(self.rng.random() < _DETAILED)
            words = place(world, self.voice, self.rng, receptacle, pose, thing, detail)
            inside = receptacle.traits.preposition
            found |= {"receptacle": words, "into": f"{inside} {words}", "from": f"from {words}"}
            if leg.action == PUT and leg.receptacle_id == parent:
                found["from"] = ""
            shut = receptacle.traits.closable
            found["place"] = pick(self.data.places["shut" if shut else "open"], self.rng).format_map(found)
        else:
            found |= {"receptacle": "", "into": "", "from": ""}
            found["place"] = pick(self.data.places["floor"], self.rng)
        return found

    def close(self, leg: int) -> None:
        """End the session."""
        if self.chance("report end"):
            self.say(leg, FOLLOWER, self.line("report end"), "question")
        self.say(leg, COMMANDER, self.line("end"))
        if self.chance("thank"):
            self.say(leg, FOLLOWER, self.line("thank"))


def _wanted(wording: str) -> dict[str, str]:
    return {"goal": wording[:1].upper() + wording[1:], "lower": wording[:1].lower() + wording[1:]}


def spoken_action(action: str) -> str:
    """Return the words for an action without a sentence of its own: its name, split at the capitals."""
    return " ".join(re.findall(r"[A-Z][a-z]*", action)).lower() or action
