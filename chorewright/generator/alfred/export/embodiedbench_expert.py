"""An expert that speaks skills: it leads an agent through a plan, sentence by sentence.

With the simulator's metadata at hand it sees what came of each sentence. What cannot be done from where the agent was
led is tried from beside other things nearby, then with another instance of the kind. Without metadata it says a plan
in which all succeeds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from chorewright.generator.alfred.export import embodiedbench_skills as skills

MOST_TRIES = 3
"""Times that an interaction is tried before the plan goes on without it."""

BESIDE, MOST_BESIDE = 1.5, 3
"""Metres within which other things are gone to, and how many of them."""


class SkillExpert:
    """Follows a plan by skills.

    Args:
        plan: What is done, in order; ids of a recording stand for the nearest things of their kinds.
        objects: The simulator's objects at the start of the episode.
        dialect: How skills are said.
    """

    def __init__(
        self, plan: Sequence[skills.SkillInteraction], objects: Sequence[skills.Json], dialect: skills.SkillDialect
    ) -> None:
        self._plan = [_match_step(step, objects) for step in plan]
        self._dialect = dialect
        self._names = _say(skills.number_objects(objects)) if dialect.apart else {}
        self._meant = {place: other for place in self._places() if (other := self._offered(place))}
        self._handled: set[str] = set()
        self._held = self._at = self._named = self._aside = ""
        self._sliced = False
        self._place = 0
        self._begin()

    def _places(self) -> set[str]:
        return {step.place for step in self._plan if step.place and not skills.can_be_found(step.place)}

    def _offered(self, place: str) -> str:
        """Return another receptacle of a kind of which only numbered ones are offered; nothing if that will not do."""
        alike = (ident for ident, name in self._names.items() if skills.kind_of(ident) == skills.kind_of(place) != name)
        return next(alike, "") if self._names.get(place) == skills.kind_of(place) else ""

    def _begin(self) -> None:
        """Begin a step."""
        self._tries, self._waiting, self._looked = 0, False, False
        self._tried: set[str] = set()
        self._beside: list[str] | None = None

    def act(self, objects: Sequence[skills.Json] | None = None) -> str | None:
        """Return the next sentence, or nothing at the plan's end.

        Args:
            objects: The simulator's objects as they are now; nothing if they are not known.
        """
        if self._waiting:
            self._judge(objects)
        while self._place < len(self._plan):
            step = self._plan[self._place]
            if objects is not None and self._holds(step, objects):
                self._advance(step, objects)
            elif (said := self._next(step, objects)) is not None:
                return said
        return None

    def _next(self, step: skills.SkillInteraction, objects: Sequence[skills.Json] | None) -> str | None:
        """Return what is said for a step now; nothing if it is given up."""
        target = self._now(step.target, objects)
        if objects is not None and step.verb == "pick" and (held := _thing_in_hand(objects)):
            said = self._put_aside(held, target, objects)
            if said is None:
                self._advance(step, objects)
            return said
        if objects is not None and self._beside is not None and step.verb != "put":
            if not self._would_be(step, target, objects):
                if self._beside:
                    return self._find(self._beside.pop(0))
                self._beside, self._looked = None, True
                self._instead(step, target, objects)
                return self._next(step, objects)
        elif not self._reached(step, target, objects):
            if objects is not None and not self._dialect.apart:
                target = self._rebound(step, target, self._chosen("find", target, objects), objects)
            return self._find(target)
        if objects is not None and step.verb in ("pick", "slice"):
            chosen = self._chosen(step.verb, target, objects)
            target = self._rebound(step, target, chosen, objects)
            if chosen not in ("", target) and not self._looked and self._beside is None:
                self._beside = self._others_beside(target, objects)
                return self._next(step, objects)
        self._waiting = True
        self._tries += 1
        if self._dialect.forgets and step.verb not in self._dialect.keeps:
            self._named = ""
        name = self._name(target) if step.verb in ("open", "close") else skills.kind_of(target)
        return self._dialect.say(step.verb, name, skills.kind_of(self._held))

    def _put_aside(self, held: str, target: str, objects: Sequence[skills.Json]) -> str | None:
        """Return how to put down what is held in place of a thing, away from that; nothing if there is no place."""
        if self._aside and self._named == self._aside:
            self._at = self._named = self._aside = ""
            return self._dialect.say("put", skills.kind_of(held), skills.kind_of(held))
        told = {each["objectId"]: each for each in objects}
        places = [
            (each["distance"], ident)
            for ident, each in told.items()
            if each["receptacle"] and not each["pickupable"] and not each["openable"] and skills.can_be_found(ident)
            and ident not in self._tried and (target not in told or _between(each, told[target]) > BESIDE)
        ]  # fmt: skip
        if not places:
            return None
        self._aside = min(places)[1]
        self._tried.add(self._aside)
        return self._find(self._aside)

    def _find(self, target: str) -> str:
        self._at = self._named = target
        return self._dialect.say("find", self._name(target))

    def _chosen(self, verb: str, target: str, objects: Sequence[skills.Json]) -> str:
        return skills.nearest(skills.kind_of(target), objects, verb=verb, pieces_first=self._sliced)

    def _would_be(self, step: skills.SkillInteraction, target: str, objects: Sequence[skills.Json]) -> bool:
        """Return whether a skill would do a step from here: the thing is in view, and the one that is chosen."""
        seen = any(each["objectId"] == target and each["visible"] for each in objects)
        named = self._dialect.apart and step.verb in ("open", "close")
        return seen and (named or self._chosen(step.verb, target, objects) == target)

    def _reached(self, step: skills.SkillInteraction, target: str, objects: Sequence[skills.Json] | None) -> bool:
        """Return whether the agent is where it can do a step."""
        if step.verb == "put":
            return self._named == target
        if self._at == target:
            return True
        return step.verb == "pick" and objects is not None and self._would_be(step, target, objects)

    def _rebound(self, step: skills.SkillInteraction, target: str, other: str, objects: Sequence[skills.Json]) -> str:
        """Let what a skill will choose be what the plan means, unless it has to do with a certain one; return it."""
        if not other or other == target or step.verb not in ("pick", "slice"):
            return target
        if {target, other} & self._handled or ("Sliced" in other) != ("Sliced" in target):
            return target
        if step.verb == "pick" and {target, other} & _full(objects):
            return target
        self._swap(step.thing, target, other)
        if self._at == target:
            self._at = other
        return other

    def _swap(self, ident: str, target: str, other: str) -> None:
        """Let an id of the plan mean another thing, and what meant that mean the first."""
        planned = {name for each in self._plan[self._place :] for name in (each.thing, each.place)}
        for name in planned:
            if self._known(name) == other:
                self._meant[name] = target
        self._meant[ident] = other

    def _known(self, ident: str) -> str:
        return self._meant.get(ident, ident)

    def _now(self, ident: str, objects: Sequence[skills.Json] | None) -> str:
        """Return the id of what the plan means now: a piece by any piece of the same whole."""
        known = self._known(ident)
        if objects is None or any(each["objectId"] == known for each in objects):
            return known
        whole = self._known(skills.whole_of(known))
        pieces = [each["objectId"] for each in objects if each["objectId"].startswith(f"{whole}|")]
        return next((piece for piece in pieces if piece not in self._handled), pieces[0] if pieces else known)

    def _name(self, ident: str) -> str:
        return self._names.get(skills.whole_of(ident)) or self._names.get(ident) or skills.kind_of(ident)

    def _holds(self, step: skills.SkillInteraction, objects: Sequence[skills.Json]) -> bool:
        """Return whether what a step is to bring about is so."""
        told = {each["objectId"]: each for each in objects}
        thing = told.get(self._now(step.thing, objects))
        held = _thing_in_hand(objects)
        if step.verb == "pick":
            return thing is not None and held != "" and (held == thing["objectId"] or _pieces_of_one(held, thing))
        if step.verb == "put":
            return not held and self._held != "" and self._tries > 0
        if step.verb in ("open", "close"):
            return thing is not None and bool(thing["isOpen"]) == (step.verb == "open")
        if step.verb == "slice":
            return any(ident.startswith(f"{self._known(step.thing)}|") for ident in told)
        return thing is not None and bool(thing["isToggled"]) == (step.verb == "turn-on") and self._tries > 0

    def _advance(self, step: skills.SkillInteraction, objects: Sequence[skills.Json] | None) -> None:
        if step.verb == "pick":
            held = _thing_in_hand(objects or ())
            if held and skills.whole_of(held) == skills.whole_of(self._now(step.thing, objects)):
                self._meant[step.thing] = held
            self._held = self._known(step.thing)
            self._handled.add(self._held)
        elif step.verb == "put":
            self._held = ""
            self._handled.add(self._known(step.place))
        elif step.verb == "slice":
            self._sliced = True
        self._place += 1
        self._begin()

    def _judge(self, objects: Sequence[skills.Json] | None) -> None:
        """Go on if the last sentence did what it should; else try from elsewhere, or another instance, or give up."""
        step = self._plan[self._place]
        self._waiting = False
        if objects is None or self._holds(step, objects) or self._tries >= MOST_TRIES:
            self._advance(step, objects)
            return
        target = self._now(step.target, objects)
        if step.verb == "slice":
            self._sliced = True
            cut = {
                skills.whole_of(ident)
                for ident in (each["objectId"] for each in objects)
                if skills.whole_of(ident) != ident
            }
            other = next((whole for whole in sorted(cut) if skills.kind_of(whole) == skills.kind_of(target)), "")
            if other:
                self._swap(step.thing, target, other)
                self._advance(step, objects)
                return
        self._at = self._named = ""
        if step.verb == "put":
            self._instead(step, target, objects)
        elif self._beside is None:
            self._beside = self._others_beside(target, objects)

    def _others_beside(self, target: str, objects: Sequence[skills.Json]) -> list[str]:
        """Return things near another: what it lies in first, then those that are nearer to it than to its like."""
        told = {each["objectId"]: each for each in objects}
        if target not in told:
            return []
        alike = [
            each for ident, each in told.items() if skills.kind_of(ident) == skills.kind_of(target) and ident != target
        ]
        found = [
            ident for ident in told[target]["parentReceptacles"] or () if ident in told and skills.can_be_found(ident)
        ]
        near = sorted(
            (away - min((_between(each, other) for other in alike), default=0.0), ident)
            for ident, each in told.items()
            if skills.kind_of(ident) != skills.kind_of(target) and (each["pickupable"] or each["receptacle"])
            and skills.can_be_found(ident) and (away := _between(each, told[target])) <= BESIDE and ident not in found
        )  # fmt: skip
        return [*found, *(ident for _, ident in near)][:MOST_BESIDE]

    def _instead(self, step: skills.SkillInteraction, target: str, objects: Sequence[skills.Json]) -> None:
        """Let another instance do, the nearest, unless the plan has to do with a certain one."""
        self._tried.add(target)
        fit = {"pick": "pickupable", "slice": "sliceable", "put": "receptacle", "open": "openable"}.get(step.verb)
        certain = self._handled | (_full(objects) if step.verb == "pick" else set())
        if fit is None or target in certain:
            return
        told = [
            (each["distance"], each["objectId"])
            for each in objects
            if skills.kind_of(each["objectId"]) == skills.kind_of(target) and each[fit]
            and each["objectId"] not in self._tried | certain
            and ("Sliced" in each["objectId"]) == ("Sliced" in target)
        ]  # fmt: skip
        if told:
            self._swap(step.target, target, min(told)[1])


def _thing_in_hand(objects: Sequence[skills.Json]) -> str:
    """Return the id of what the agent holds, or nothing."""
    return next((str(each["objectId"]) for each in objects if each["isPickedUp"]), "")


def _full(objects: Sequence[skills.Json]) -> set[str]:
    """Return the ids of what something lies in."""
    return {each["objectId"] for each in objects if each["receptacleObjectIds"]}


def _between(one: skills.Json, other: skills.Json) -> float:
    """Return the metres between two things, as seen from above."""
    return math.dist(*([each["position"][axis] for axis in "xz"] for each in (one, other)))


def _say(names: Mapping[str, str]) -> dict[str, str]:
    """Return names with that of the whole, or its kind, for a part that no skill leads to: a sink's for its basin's."""
    said = dict(names)
    for ident, name in names.items():
        if "_" not in name and not skills.can_be_found(name) and skills.kind_of(ident) != name:
            said[ident] = names.get("|".join(ident.split("|")[:4]), skills.kind_of(ident))
    return said


def _pieces_of_one(held: str, thing: skills.Json) -> bool:
    """Return whether what is held is a piece of the same whole as another piece."""
    other = thing["objectId"]
    return (
        skills.whole_of(held) != held
        and skills.whole_of(other) != other
        and skills.whole_of(held) == skills.whole_of(other)
    )


def _match_step(step: skills.SkillInteraction, objects: Sequence[skills.Json]) -> skills.SkillInteraction:
    thing, place = step.thing, step.place
    if "Sliced" not in thing:
        thing = skills.matching(thing, objects)
    else:
        whole = skills.whole_of(thing)
        thing = thing.replace(whole, skills.matching(whole, objects), 1)
    return replace(step, thing=thing, place=skills.matching(place, objects) if place else place)


def script(
    plan: Sequence[skills.SkillInteraction], objects: Sequence[skills.Json], dialect: skills.SkillDialect
) -> Iterator[str]:
    """Yield the sentences of a plan in which all succeeds."""
    expert = SkillExpert(plan, objects, dialect)
    while (said := expert.act()) is not None:
        yield said
