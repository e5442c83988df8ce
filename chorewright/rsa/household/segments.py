"""A household plan cut into ALFRED's subgoals: where to go, and what to do there.

A plan of the household domain is at the level of simulator calls. Its visits (the actions between two go-tos) are
read from left to right. A put, an appliance at work and a pick-up of the same item form one CleanObject,
HeatObject or CoolObject. A door that is opened and closed around an interaction belongs to it. The problem says
which things rinse, heat and chill. (ALFRED, Shridhar et al. 2020, section 3.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from chorewright.domains.pddl.syntax import GroundAtom, Problem
from chorewright.errors import UnsupportedError
from chorewright.planner.plan import GroundAction

GOTO = "GotoLocation"
PICKUP = "PickupObject"
PUT = "PutObject"
TOGGLE = "ToggleObject"
SLICE = "SliceObject"
CLEAN = "CleanObject"
HEAT = "HeatObject"
COOL = "CoolObject"
END = "NoOp"
OPEN = "OpenObject"  # the last three are ours: what ALFRED has no subgoal for
CLOSE = "CloseObject"
POUR = "PourObject"

MACROS = (CLEAN, HEAT, COOL)
_SINGLE = {"pick-up": PICKUP, "put": PUT, "slice": SLICE, "toggle-on": TOGGLE, "open": OPEN, "pour": POUR}


@dataclass(frozen=True, slots=True)
class Subgoal:
    """One subgoal of a plan.

    Attributes:
        action: the subgoal's name in ALFRED's vocabulary (or OpenObject, CloseObject, PourObject).
        arguments: names of problem objects. GotoLocation: what is dealt with there (the receptacle, if any).
            PickupObject, PutObject: item, direct receptacle. SliceObject: item, knife. ToggleObject: the
            thing. CleanObject: item, basin, faucet. HeatObject, CoolObject: item, appliance. PourObject:
            from, to.
        pose: the pose where it takes place; for GotoLocation the destination.
        places: indices into the plan of the actions that belong to it, ascending.
        actions: these actions.
        doors: the openable receptacles around what it touches, outermost first; all must be open for it.
    """

    action: str
    arguments: tuple[str, ...]
    pose: str
    places: tuple[int, ...] = ()
    actions: tuple[GroundAction, ...] = ()
    doors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What the problem says about its appliances, doors and pieces."""

    heats: frozenset[str]
    chills: frozenset[str]
    rinses: frozenset[str]
    openable: frozenset[str]
    controls: frozenset[tuple[str, str]]
    fits: frozenset[tuple[str, str]]
    pieces: Mapping[str, tuple[str, ...]]
    container: Mapping[str, str]
    pose: str = ""

    @classmethod
    def of(cls, init: Sequence[GroundAtom]) -> PlanFacts:
        """Collect the facts from a problem's initial atoms."""

        def unary(predicate: str) -> frozenset[str]:
            return frozenset(atom[1] for atom in init if atom[0] == predicate)

        pieces: dict[str, list[str]] = {}
        for atom in init:
            if atom[0] == "piece-of":
                pieces.setdefault(atom[2], []).append(atom[1])
        heats, chills, rinses = unary("heats"), unary("chills"), unary("rinses")
        controls = frozenset((atom[1], atom[2]) for atom in init if atom[0] == "controls")
        works = heats | chills | {place for switch, place in controls if switch in rinses}
        return cls(
            heats=heats,
            chills=chills,
            rinses=rinses,
            openable=unary("openable"),
            controls=controls,
            fits=frozenset((atom[1], atom[2]) for atom in init if atom[0] == "fits" and atom[2] in works),
            pieces={item: tuple(parts) for item, parts in pieces.items()},
            container={atom[1]: atom[2] for atom in init if atom[0] == "in"},
            pose=next((atom[1] for atom in init if atom[0] == "at"), ""),
        )


@dataclass(slots=True)
class _Reader:
    """Reads one plan; ``container`` follows where every item is while the plan goes on.

    ``used`` has the appliances, and their switches, at which something was put or sliced since they were switched on,
    but by a CleanObject, HeatObject or CoolObject, which switches them off itself.
    """

    facts: PlanFacts
    plan: Sequence[GroundAction]
    container: dict[str, str]
    found: list[Subgoal] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def chain(self, thing: str) -> list[str]:
        """Return a thing and what is around it, from it outwards."""
        chain: list[str] = []
        while thing and len(chain) < 8:
            chain.append(thing)
            thing = self.container.get(thing, "")
        return chain

    def doors(self, thing: str) -> tuple[str, ...]:
        """Return the openable receptacles from ``thing`` outwards (``thing`` included), outermost first."""
        return tuple(link for link in reversed(self.chain(thing)) if link in self.facts.openable)

    def host(self, item: str, place: str) -> str:
        """Return the appliance or basin around ``place`` into which the item fits, otherwise ``place``."""
        around = place
        for _ in range(8):
            around = self.container.get(around, "")
            if (item, around) in self.facts.fits:
                return around
        return place

    def follow(self, action: GroundAction) -> None:
        """Track where the action moves items."""
        name, terms = action.name, action.arguments
        if name in ("put", "slice"):
            around = self.chain(_receptacle(action))
            self.used |= {*around, *(switch for switch, place in self.facts.controls if place in around)}
        elif name == "toggle-on":
            self.used.discard(terms[0])
        if name == "pick-up":
            self.container.pop(terms[0], None)
        elif name == "put":
            self.container[terms[0]] = terms[1]
        elif name == "slice":
            self.container.pop(terms[0], None)
            for piece in self.facts.pieces.get(terms[0], ()):
                self.container[piece] = terms[2]

    def emit(self, action: str, arguments: tuple[str, ...], pose: str, places: range, door: str = "") -> None:
        """Add the subgoal made of plan[places] and move the items it moves."""
        steps = tuple(self.plan[place] for place in places)
        doors = self.doors(door) if door else ()
        for step in steps:
            self.follow(step)
        if action in MACROS:
            self.used -= set(arguments)
        self.found.append(Subgoal(action, arguments, pose, tuple(places), steps, doors))

    def shut(self, place: int, first: int) -> bool:
        """Assign a close or toggle-off to the visit's latest subgoal that opened or switched on; return whether
        one did. What is put into or sliced in a running thing stays between its two switches.
        """
        action = self.plan[place]
        thing = action.arguments[0]
        for index in range(len(self.found) - 1, first - 1, -1):
            each = self.found[index]
            begun = {(step.name, step.arguments[0]) for step in each.actions}
            if thing in each.doors if action.name == "close" else ("toggle-on", thing) in begun:
                if action.name == "toggle-off" and thing in self.used:
                    return False
                self.found[index] = replace(each, places=(*each.places, place), actions=(*each.actions, action))
                return True
        return False

    def macro(self, start: int, stop: int) -> int:
        """Read a CleanObject, HeatObject or CoolObject; return its end, or ``start`` if there is none.

        It is: [open] [toggle-on] put, then only actions on the receptacle or its switch, then pick-up; the appliance
        is not used again before it is switched off. What is put into a bowl in the fridge might as well be put into
        the fridge, and is said so.
        """
        plan, facts = self.plan, self.facts
        put = start
        while put < stop and plan[put].name in ("open", "toggle-on"):
            put += 1
        if put == stop or plan[put].name != "put":
            return start
        item, inner = plan[put].arguments[:2]
        place = self.host(item, inner)
        running = None
        kind, appliance = "", ""
        for index in range(start, stop):
            action = plan[index]
            thing = action.arguments[0]
            if action.name == "pick-up" and index > put:
                if thing != item or not kind:
                    return start
                rest = takewhile(lambda step: step.name != "toggle-off", plan[index + 1 : stop])
                into = [_receptacle(step) for step in rest if step.name in ("put", "slice")]
                if running is not None and any(place in self.chain(each) for each in into):
                    return start
                arguments = (item, place) if appliance == place else (item, place, appliance)
                self.emit(kind, arguments, action.arguments[-1], range(start, index + 1), place)
                return index + 1
            if index != put and (
                action.name not in ("open", "close", "toggle-on", "toggle-off")
                or (thing != place and (thing, place) not in facts.controls)
            ):
                return start
            if action.name == "toggle-on":
                running = thing
            elif action.name == "toggle-off":
                running = None
            if index >= put and running is not None:
                if running in facts.heats and running == place:
                    kind, appliance = HEAT, running
                elif running in facts.rinses and (running, place) in facts.controls:
                    kind, appliance = CLEAN, running
            if index > put and action.name == "close" and place in facts.chills and thing == place:
                kind, appliance = COOL, place
        return start

    def single(self, place: int, stop: int, first: int) -> int:
        """Read one interaction at ``place`` with the door or lid handled just before; return its end."""
        action = self.plan[place]
        if action.name in ("close", "toggle-off"):
            following = self.plan[place + 1] if place + 1 < stop else None
            if following and following.name == "pick-up" and following.arguments[0] == action.arguments[0]:
                item, receptacle, pose = following.arguments
                self.emit(PICKUP, (item, receptacle), pose, range(place, place + 2), receptacle)
                return place + 2
            if not self.shut(place, first):
                name = CLOSE if action.name == "close" else TOGGLE
                self.emit(name, action.arguments[:1], action.arguments[-1], range(place, place + 1))
            return place + 1
        core = place
        while core < stop and self.plan[core].name == "open":
            core += 1
        opened = {step.arguments[0] for step in self.plan[place:core]}
        if core == stop or not opened <= set(self.doors(_receptacle(self.plan[core]))):
            core = place
        action = self.plan[core]
        terms = action.arguments
        if action.name not in _SINGLE:
            raise UnsupportedError(f"no subgoal is made of {action}", hint=f"known are {', '.join(_SINGLE)}")
        pair = action.name in ("pick-up", "put", "slice", "pour")
        receptacle = _receptacle(action)
        self.emit(_SINGLE[action.name], terms[: 2 if pair else 1], terms[-1], range(place, core + 1), receptacle)
        return core + 1

    def visit(self, start: int, stop: int) -> None:
        """Read what happens at one pose."""
        first = len(self.found)
        place = start
        while place < stop:
            after = self.macro(place, stop)
            place = after if after > place else self.single(place, stop, first)


def _receptacle(action: GroundAction) -> str:
    """The receptacle that an interaction reaches into, or nothing."""
    place = {"pick-up": 1, "put": 1, "slice": 2}.get(action.name)
    return "" if place is None else action.arguments[place]


def target(subgoal: Subgoal) -> tuple[str, ...]:
    """The destination of a GotoLocation before this subgoal: its receptacle, otherwise its object."""
    if subgoal.action in (PICKUP, PUT, *MACROS, POUR):
        return subgoal.arguments[1:2]
    return subgoal.arguments[:1]


def segments(plan: Sequence[GroundAction], problem: Problem) -> tuple[Subgoal, ...]:
    """Cut a plan of the household domain into subgoals, ended by NoOp.

    Every action of the plan belongs to exactly one subgoal. Consecutive go-tos are one GotoLocation. What
    ALFRED has no subgoal for becomes OpenObject, CloseObject, PourObject or a ToggleObject of any appliance.

    Args:
        plan: ground actions that the validator accepts for ``problem``.
        problem: its initial atoms say what heats, chills, rinses and opens.

    Raises:
        UnsupportedError: the plan has an action that no subgoal is made of.
    """
    facts = PlanFacts.of(problem.init)
    reader = _Reader(facts, plan, dict(facts.container))
    pose = facts.pose
    place = 0
    gotos: list[int] = []
    while place < len(plan):
        after = place
        while after < len(plan) and plan[after].name == "go-to":
            after += 1
        if after > place:
            pose = plan[after - 1].arguments[1]
            gotos.append(len(reader.found))
            reader.emit(GOTO, (), pose, range(place, after))
        place = after
        while after < len(plan) and plan[after].name != "go-to":
            after += 1
        reader.visit(place, after)
        place = after
    reader.found.append(Subgoal(END, (), pose))
    for index in gotos:
        goto = reader.found[index]
        reader.found[index] = replace(goto, arguments=target(reader.found[index + 1]))
    return tuple(reader.found)
