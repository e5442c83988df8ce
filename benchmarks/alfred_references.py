"""Whether what sentences say of places is true: each spatial phrase, checked against the scene's geometry.

It shares the table of nouns with the speaker, and none of its code: sentences are read with regular expressions, and
geometry is computed here from boxes and poses. ``judge`` gives a verdict on every spatial phrase that it can read.

What a phrase is about is the thing of the leg that its noun names (what is taken, its receptacle, where the walk
goes), or else any thing of that noun. Its anchor is the thing of the anchor's noun that is nearest to it. Left,
right, behind and in front are as seen from the pose in which the agent acts, of the spot that it faces where the
thing is wider than a metre. ``next to`` reaches 0.75 m from box to box, ``near`` and ``by`` 1.2 m; ``between`` is an
angle of 100 degrees or more between the ways to both; a corner or a wall is within 0.7 m of the floor's edges.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.alfred_geometry import (
    STEPS,
    ahead,
    angle_between,
    aside,
    floor_edges,
    gap,
    lies_on_part,
    meant_point,
    nearest,
    seen_from,
    walked_path,
    walls_near,
)
from chorewright.problems.household.scene import GRID, Pose, Scene, SceneObject
from chorewright.rsa.household.directives import Annotation, Leg
from chorewright.rsa.household.nouns import load_nouns

NAME = r"the ([a-z' -]+?)"
AFTER = (
    "and", "then", "to face", "with", "that", "so", "until", "before", "on your", "to your", "in front of you", "into",
    "using", "while", "where", "which", "in", "on", "from", "out of", "inside", "off",
)  # fmt: skip
"""Words that may follow a noun phrase."""

END = rf"(?=$|[.,;]|(?: (?:{'|'.join(AFTER)})\b))"
LINKS = (
    "located",
    "sitting",
    "resting",
    "standing",
    "lying",
    "placed",
    "positioned",
    "situated",
    "set",
    "mounted",
    "hanging",
)
LINK = rf"(?: that (?:is|are)| {'| '.join(LINKS)})?"
THING = r"\bthe ((?:(?!\bthe\b)[a-z' -])+?)"
"""A noun phrase before the place that is said of it."""

LEFT = r"(?:just |immediately )?(?:to the |on the )?left(?:-hand)?(?: side)? of"
RIGHT = r"(?:just |immediately )?(?:to the |on the )?right(?:-hand)?(?: side)? of"
BESIDE = r"(?:right |directly )?(?:next to|beside|alongside|adjacent to|at the side of|neighboring|flanking)"
NEARBY = (
    r"(?:right )?(?:near(?:by|est)?(?: to)?|by|close to|not far from|in the area of|in the vicinity of|"
    r"a short way from|around|within reach of)"
)
UNDER = r"(?:under(?:neath)?|below|beneath)"
OVER = r"(?:(?:directly |up |mounted )?above|over|hanging over)"
BEHIND = r"(?:(?:right|just|directly) )?(?:behind|in back of)"
BEFORE = r"(?:(?:right|just) )?in front of|closer to you than"


RUNNING = ("faucet", "tap", "water", "running water", "stream")
"""Anchors that say what is done, not where: rinsing something under the tap."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a phrase in a sentence is true."""

    phrase: str
    sentence: str
    right: bool
    reason: str = ""


@dataclass(slots=True)
class Reader:
    """A demonstration as the check knows it: things, what lies where now, and nouns.

    ``parents`` is followed from leg to leg; ``moved`` are things that no longer lie where the scene has them.
    """

    scene: Scene
    parents: dict[str, str] = field(default_factory=dict)
    moved: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.parents = {body.object_id: body.parents[0] for body in self.scene.objects if body.parents}

    def follow(self, leg: Leg) -> None:
        """Take a leg as done."""
        if leg.action == "PickupObject":
            self.parents.pop(leg.object_id, None)
            self.moved.add(leg.object_id)
        elif leg.action == "PutObject":
            self.parents[leg.object_id] = leg.receptacle_id

    def named(self, phrase: str) -> list[SceneObject]:
        """Return the things that a noun phrase may mean: of the kinds whose noun it ends with, the longest."""
        best, kinds = 0, set[str]()
        for kind, named in load_nouns().kinds.items():
            forms = [*named.nouns, *named.heard, *named.freestanding]
            size = max(
                (len(noun) for noun in forms if re.search(rf"(^| ){re.escape(noun.lower())}$", phrase)), default=0
            )
            if size > best:
                best, kinds = size, {kind}
            elif size and size == best:
                kinds.add(kind)
        return [body for body in self.scene.objects if body.kind in kinds and body.object_id not in self.moved]


def judge(annotation: Annotation, legs: Sequence[Leg], scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict on every spatial phrase of an annotation's steps."""
    reader = Reader(scene)
    said = iter(annotation.steps)
    for number, leg in enumerate(legs):
        if leg.action in ("NoOp", "End"):
            continue
        sentence = next(said)
        following = legs[number + 1] if number + 1 < len(legs) else leg
        acting = following if leg.action == "GotoLocation" else leg
        about = [
            each for each in (acting.object_id, acting.receptacle_id, reader.parents.get(acting.object_id, "")) if each
        ]
        yield from _placed(sentence, about, acting, reader, leg if acting is not leg else None)
        yield from _loads(sentence, about, reader)
        if leg.action == "GotoLocation":
            yield from _walked(sentence, leg, reader)
        reader.follow(leg)


def _placed(sentence: str, about: Sequence[str], leg: Leg, reader: Reader, walk: Leg | None) -> Iterator[Verdict]:
    """Check the places that are said of things."""
    text = sentence.lower()
    pose = leg.pose
    tests: Mapping[str, tuple[str, Callable[[SceneObject, SceneObject], bool]]] = {
        "left of": (LEFT, lambda thing, anchor: aside(thing, anchor, leg.pose) < -0.05),
        "right of": (RIGHT, lambda thing, anchor: aside(thing, anchor, leg.pose) > 0.05),
        "next to": (BESIDE, lambda thing, anchor: gap(meant_point(thing, leg.pose), anchor) <= 0.75),
        "near": (NEARBY, lambda thing, anchor: gap(meant_point(thing, leg.pose), anchor) <= 1.2),
        "under": (UNDER, lambda thing, anchor: thing.centre[1] < anchor.centre[1] and gap(thing.centre, anchor) <= 0.3),
        "above": (OVER, lambda thing, anchor: thing.centre[1] > anchor.centre[1] and gap(thing.centre, anchor) <= 0.3),
        "behind": (BEHIND, lambda thing, anchor: ahead(thing.centre, pose) > ahead(anchor.centre, pose) + 0.05),
        "in front of": (BEFORE, lambda thing, anchor: ahead(thing.centre, pose) < ahead(anchor.centre, pose) - 0.05),
    }
    for phrase, (pattern, true) in tests.items():
        for found in re.finditer(rf"{THING}{LINK} (?:{pattern}) {NAME}{END}", text):
            things, anchors = _subjects(found[1], about, reader), reader.named(found[2])
            if not things or not anchors or found[2] in RUNNING:
                continue
            holds = any(true(thing, nearest(thing, anchors, leg.pose)) for thing in things)
            yield Verdict(phrase, sentence, holds, "" if holds else f"{found[0]}: {things[0].object_id} {pose}")
    link = r"(?:positioned |in |sandwiched |in the (?:space|gap) )?between"
    for found in re.finditer(rf"{THING}{LINK} {link} {NAME} and {NAME}{END}", text):
        things = _subjects(found[1], about, reader)
        first, second = reader.named(found[2]), reader.named(found[3])
        if things and first and second:
            holds = any(
                angle_between(meant_point(thing, leg.pose), a, b) >= 100
                for thing in things
                for a in first
                for b in second
            )
            yield Verdict("between", sentence, holds, "" if holds else f"{found[0]}: {things[0].object_id}")
    yield from _alone(text, sentence, about, leg, reader, walk)


def _alone(
    text: str, sentence: str, about: Sequence[str], leg: Leg, reader: Reader, walk: Leg | None
) -> Iterator[Verdict]:
    """Check places that need no anchor: corners, walls, sides of what a thing lies on, ranks among its like."""
    link = "(?:in|tucked in|nestled in|off in|set in) (?:the|a) (?:room's )?corner"
    for found in re.finditer(rf"{THING}{LINK} {link}", text):
        things = _subjects(found[1], about, reader)
        if things:
            yield Verdict(
                "corner", sentence, any(walls_near(thing, reader.scene) == 2 for thing in things), things[0].object_id
            )
    for found in re.finditer(
        rf"{THING}{LINK} (?:(?:up |set )?against|by|along|near|lining|backed up to) the wall", text
    ):
        things = _subjects(found[1], about, reader)
        if things:
            yield Verdict(
                "at the wall", sentence, any(walls_near(thing, reader.scene) for thing in things), things[0].object_id
            )
    sides = {
        "left": -1,
        "right": 1,
        "middle": 0,
        "center": 0,
        "back": 2,
        "rear": 2,
        "far side": 2,
        "front": -2,
        "near side": -2,
        "near edge": -2,
    }
    link = f"(?:on|at|in|near|toward|towards|close to) the ({'|'.join(sides)})"
    for found in re.finditer(rf"{link}(?: (?:side|end|half|part|edge))? of {NAME}{END}", text):
        holders = [each for each in _subjects(found[2], about, reader) if each.object_id in about]
        items = [
            body
            for body in reader.scene.objects
            if body.object_id in about[:1] and reader.parents.get(body.object_id) in {h.object_id for h in holders}
        ]
        if holders and items:
            yield Verdict(
                "part of", sentence, lies_on_part(items[0], holders[0], sides[found[1]], leg.pose), items[0].object_id
            )
    yield from _ranked(text, sentence, about, leg, reader, walk)


def _ranked(
    text: str, sentence: str, about: Sequence[str], leg: Leg, reader: Reader, walk: Leg | None
) -> Iterator[Verdict]:
    """Check what tells a thing from its like: the top drawer, the chair on the left, the mug closest to you."""
    ranks = (
        ("top", rf"\bthe (?:top|topmost|uppermost|highest) {NAME}{END}", 1, 1.0),
        ("bottom", rf"\bthe (?:bottom|bottommost|lowest) {NAME}{END}", 1, -1.0),
        ("on the left", rf"{THING} (?:on|to|furthest to) the left(?: side)?(?=$|[.,;]| and\b| then\b)", 0, -1.0),
        ("on the right", rf"{THING} (?:on|to|furthest to) the right(?: side)?(?=$|[.,;]| and\b| then\b)", 0, 1.0),
        ("closest", rf"{THING} (?:closest|nearest|close) to you", 2, -1.0),
        ("in the back", rf"{THING} (?:in|at) the back(?=$|[.,;]| and\b| then\b)", 2, 1.0),
    )
    for phrase, pattern, axis, sign in ranks:
        for found in re.finditer(pattern, text):
            things = [each for each in _subjects(found[1], about, reader) if each.object_id in about]
            if walk is not None and axis == 0 and _side(things, walk) == sign:
                yield Verdict(f"{phrase} of the way", sentence, True)
                continue
            for thing in things[:1]:
                others = [
                    body
                    for body in reader.named(found[1])
                    if body.object_id != thing.object_id and _like(body, thing, axis, reader)
                ]
                own = seen_from(thing.centre, leg.pose)[axis]
                holds = all(sign * (own - seen_from(body.centre, leg.pose)[axis]) > 0 for body in others)
                yield Verdict(phrase, sentence, holds, f"{thing.object_id} beside {[b.object_id for b in others]}")


def _side(things: Sequence[SceneObject], walk: Leg) -> float:
    """Return the side on which a walk's goal is, from where it ends and in the direction of its last step."""
    path, headings = walked_path(walk)
    moves = [number for number, name in enumerate(walk.actions) if name.startswith("MoveAhead")]
    if not things or not moves:
        return 0.0
    x, z = path[-1]
    pose = Pose(round(x / GRID), round(z / GRID), headings[moves[-1]], 0)
    return math.copysign(1.0, seen_from(things[0].centre, pose)[0])


def _like(body: SceneObject, thing: SceneObject, axis: int, reader: Reader) -> bool:
    """Whether a thing of the same noun is one that a rank is among."""
    if thing.traits.item:
        return reader.parents.get(body.object_id) == reader.parents.get(thing.object_id)
    apart = math.hypot(body.centre[0] - thing.centre[0], body.centre[2] - thing.centre[2])
    if axis == 1:
        return apart <= 0.3
    return apart <= 1.6 and abs(body.centre[1] - thing.centre[1]) <= 0.5


def _loads(sentence: str, about: Sequence[str], reader: Reader) -> Iterator[Verdict]:
    """Check what is said to lie in or on something."""
    text = sentence.lower()
    end = END.replace("(?=", r"(?= (?:to|over|down)\b|")
    patterns = (
        rf"{THING} with {NAME} (?:on|in|inside)(?: (?:it|them))?(?=$|[.,; ])",
        rf"{THING} (?:that has|where) {NAME} (?:is|are|on|in)(?=$|[.,; ])",
        rf"{THING} (?:containing|that holds) {NAME}{end}",
    )
    for pattern in patterns:
        for found in re.finditer(pattern, text):
            holders = _every(found[1], reader)
            loads = _every(found[2], reader)
            if holders and loads:
                inside = {each.object_id for each in holders}
                holds = any(reader.parents.get(each) in inside for each in _ids(loads, reader))
                yield Verdict("holds", sentence, holds, found[0])


def _every(phrase: str, reader: Reader) -> list[SceneObject]:
    """Return the things of a noun, moved ones too."""
    moved, reader.moved = reader.moved, set()
    found = reader.named(phrase)
    reader.moved = moved
    return found


def _ids(things: Sequence[SceneObject], reader: Reader) -> list[str]:
    """Return the ids of things, and of pieces of them that lie somewhere now."""
    names = {each.object_id for each in things}
    return [each for each in reader.parents if each in names or "|".join(each.split("|")[:4]) in names] + sorted(names)


def _walked(sentence: str, leg: Leg, reader: Reader) -> Iterator[Verdict]:
    """Check what is said of a walk: what it passes, and whether it comes to a wall."""
    text = sentence.lower()
    path, headings = walked_path(leg)
    for found in re.finditer(rf"\b(?:past|pass|passed|beyond) {NAME}{END}", text):
        marks = reader.named(found[1])
        if marks:
            holds = any(min(gap((x, 0.0, z), mark) for x, z in path) <= 1.3 for mark in marks)
            yield Verdict("past", sentence, holds, found[0])
    if re.search(r"\b(?:to|toward|towards|reach|at|hit|until) the wall\b", text):
        low, high = floor_edges(reader.scene)
        ends = [
            (high[axis] - point[axis] if step[axis] > 0 else point[axis] - low[axis])
            for point, heading in zip(path, headings, strict=True)
            for step in (STEPS[heading],)
            for axis in (0 if step[0] else 1,)
        ]
        yield Verdict("to the wall", sentence, min(ends, default=9.0) <= 1.0, str(min(ends, default=9.0)))


def _subjects(phrase: str, about: Sequence[str], reader: Reader) -> list[SceneObject]:
    """Return the things that a phrase may be about: those of the leg, else all of the noun."""
    things = reader.named(phrase.strip())
    involved = [each for each in things if each.object_id in about]
    return involved or things
