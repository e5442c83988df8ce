"""The expert of text games: it sees everything, and does the goal's parts one after the other.

For each way to fill the goal (which thing, which receptacle, which vessel) the course of commands follows from
the rules; of the most promising ways the shortest is taken. No search is needed, as nothing is ever full and no
command closes a way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from chorewright.replay.alfred.state import GameAction, GoalCheck, State, mark_of

TRIED = 12
"""Ways to fill a goal that are carried out to the end."""

CUT = 2
"""Things that are tried to be sliced."""


class _Stuck(Exception):
    """A course cannot be gone on with."""


def plan(goal: GoalCheck, state: State) -> tuple[GameAction, ...] | None:
    """Return actions that lead from a state to the goal; None if there is no way.

    Args:
        goal: The goal of the state's game.
        state: The state; it is left as it is.
    """
    if goal.holds(state):
        return ()
    best: list[GameAction] | None = None
    for course in _preparations(goal, state):
        for way in islice(_ways(goal, course.state), TRIED):
            tried = course.copy()
            try:
                _carry_out(goal, tried, way)
            except _Stuck:
                continue
            if goal.holds(tried.state) and (best is None or len(tried.actions) < len(best)):
                best = tried.actions
    return None if best is None else tuple(best)


class _Course:
    """Actions and the state that they lead to."""

    def __init__(self, state: State, actions: Sequence[GameAction] = ()) -> None:
        self.state, self.actions = state, list(actions)

    def copy(self) -> _Course:
        return _Course(self.state.copy(), self.actions)

    def do(self, verb: str, first: int, second: int = -1) -> None:
        action = GameAction(verb, first, second)
        self.state.apply(action)
        self.actions.append(action)

    def go(self, receptacle: int) -> None:
        """Go where a receptacle is, and open its door."""
        self.stand_at(receptacle)
        if self.state.shut(receptacle):
            self.do("open", receptacle)

    def stand_at(self, receptacle: int) -> None:
        places = self.state.game.receptacles[receptacle].places
        if not places:
            raise _Stuck
        if self.state.at not in places:
            self.do("go", receptacle, places[0])

    def take(self, thing: int) -> None:
        """Take a thing, from a vessel if it lies in one, and put away what is in the hand."""
        state = self.state
        if state.holds == thing:
            return
        if "pickupable" not in state.game.things[thing].abilities:
            raise _Stuck
        vessels = state.vessel_of.get(thing)
        held_vessel = bool(vessels) and state.holds in (vessels or ())
        if state.holds is not None and (held_vessel or self._resting_place(state.here()) is None):
            self.put_away()
        if state.places.get(thing):
            receptacle = self.find_nearest(state.places[thing])
            self._empty_hand()
            self.go(receptacle)
            self.do("take", thing, receptacle)
            return
        if not vessels or not state.game.extended:
            raise _Stuck
        vessel = min(vessels)
        outer = state.places.get(vessel)
        if not outer:
            raise _Stuck
        self._empty_hand()
        self.go(self.find_nearest(outer))
        self.do("extract", thing, vessel)

    def _empty_hand(self) -> None:
        if self.state.holds is not None:
            self.put_away()

    def _nearest(self, receptacles: Iterable[int]) -> int:
        """Return the receptacle that takes the fewest commands to reach into; -1 if none can be reached."""
        state = self.state
        return min(
            (each for each in receptacles if state.game.receptacles[each].places),
            key=lambda each: (state.at not in state.game.receptacles[each].places, state.shut(each), each),
            default=-1,
        )

    def find_nearest(self, receptacles: Iterable[int]) -> int:
        """Return the receptacle that takes the fewest commands to reach into."""
        found = self._nearest(receptacles)
        if found < 0:
            raise _Stuck
        return found

    def _resting_place(self, receptacles: Iterable[int]) -> int | None:
        state, held = self.state, self.state.holds
        assert held is not None
        fitting = [each for each in receptacles if state.game.take(each, held)]
        found = self._nearest(fitting)
        return None if found < 0 else found

    def put_away(self) -> None:
        """Put what is held somewhere: here if anything takes it here."""
        here = self._resting_place(self.state.here())
        receptacle = self._resting_place(range(len(self.state.game.receptacles))) if here is None else here
        if receptacle is None:
            raise _Stuck
        self.put(receptacle)

    def put(self, receptacle: int) -> None:
        """Put what is held into a receptacle."""
        held = self.state.holds
        if held is None or not self.state.game.take(receptacle, held):
            raise _Stuck
        self.go(receptacle)
        self.do("move", held, receptacle)

    def treat(self, thing: int, verb: str) -> None:
        """Clean, heat or cool what is held."""
        game = self.state.game
        kind = game.kinds.appliances[verb].lower()
        appliances = [number for number, each in enumerate(game.receptacles) if each.kind.lower() == kind]
        receptacle = self.find_nearest(appliances)
        self.stand_at(receptacle)
        self.do(verb, thing, receptacle)

    def insert(self, thing: int, vessel: int) -> None:
        """Put what is held into a vessel that lies somewhere."""
        state = self.state
        outer = self.find_nearest(state.places.get(vessel, ()))
        if not state.game.extended or not state.game.take_inside(vessel, thing):
            raise _Stuck
        self.go(outer)
        self.do("insert", thing, vessel)

    def cut(self, whole: int, knives: Sequence[int]) -> None:
        """Fetch a knife and slice a thing where it lies."""
        state = self.state
        if state.holds == whole:
            self.put_away()
        elif not state.places.get(whole):
            self.take(whole)
            self.put_away()
        if state.holds not in knives:
            near = [knife for knife in knives if state.places.get(knife)]
            if not near:
                raise _Stuck
            self.take(min(near, key=lambda knife: (self._cost(knife), knife)))
        knife = state.holds
        assert knife is not None
        self.go(self.find_nearest(state.places[whole]))
        self.do("slice", whole, knife)

    def _cost(self, thing: int) -> tuple[bool, bool]:
        receptacle = self._nearest(self.state.places[thing])
        away = receptacle < 0 or self.state.at not in self.state.game.receptacles[receptacle].places
        return away, receptacle >= 0 and self.state.shut(receptacle)


def _preparations(goal: GoalCheck, state: State) -> Iterator[_Course]:
    """Yield courses after which enough things are sliced: the empty one if they are."""
    game = state.game
    if not goal.goal.sliced and not any(game.things[thing].cut_from is not None for thing in goal.things):
        yield _Course(state.copy())
        return
    if goal.goal.sliced:
        done = [thing for thing in goal.things if thing in state.marks["sliced"]]
        wholes = [thing for thing in goal.things if thing not in done]
    else:
        done = [thing for thing in goal.things if game.things[thing].cut_from in state.marks["sliced"]]
        cut = {game.things[thing].cut_from for thing in goal.things} - state.marks["sliced"]
        wholes = sorted(whole for whole in cut if whole is not None)
    if len(done) >= goal.goal.count:
        yield _Course(state.copy())
        return
    names = {kind.lower() for kind in game.kinds.knives}
    knives = [number for number, thing in enumerate(game.things) if thing.kind.lower() in names]
    easy = sorted(wholes, key=lambda whole: (all(map(state.shut, state.places.get(whole, ()))), whole))
    for first in easy[:CUT]:
        course = _Course(state.copy())
        missing = goal.goal.count - len(done) if goal.goal.sliced else 1
        try:
            for whole in [first, *(each for each in easy if each != first)][:missing]:
                course.cut(whole, knives)
        except _Stuck:
            continue
        yield course


def _ways(goal: GoalCheck, state: State) -> list[tuple[int, ...]]:
    """Return ways to fill the goal, the most promising first: things, then receptacle, vessel or lamp."""
    game, wanted = state.game, goal.goal
    sliced = [
        thing
        for thing in goal.things
        if (game.things[thing].cut_from is None or game.things[thing].cut_from in state.marks["sliced"])
        and (not wanted.sliced or thing in state.marks["sliced"])
    ]
    things = sorted(sliced, key=lambda thing: (_effort(goal, state, thing), thing))
    receptacles = sorted(goal.receptacles, key=lambda each: (state.shut(each), each))
    if wanted.lamp:
        return [(thing, lamp) for thing in things[:TRIED] for lamp in goal.lamps]
    if wanted.vessel:
        return _stacks(goal, state, things, receptacles)
    ways: list[tuple[int, ...]] = []
    for receptacle in receptacles:
        fitting = [t for t in things if game.take(receptacle, t) or t in state.lying[receptacle]]
        there = [t for t in fitting if t in state.lying[receptacle] and goal.ready(state, t)]
        others = [t for t in fitting if t not in there]
        missing = wanted.count - len(there)
        if missing <= 1:
            ways += [(thing, receptacle) for thing in others[:TRIED]]
        else:
            ways += [(a, b, receptacle) for place, a in enumerate(others) for b in others[place + 1 :]][:TRIED]
    return sorted(ways, key=lambda way: _way_effort(goal, state, way))


def _effort(goal: GoalCheck, state: State, thing: int) -> int:
    """Return about how many commands it takes to hold a thing in the wanted state."""
    mark = mark_of(goal.goal)
    treated = 2 if mark and thing not in state.marks[mark] else 0
    if state.holds == thing:
        return treated
    places = state.places.get(thing)
    if not places:
        return treated + 4
    reached = min((state.at not in state.game.receptacles[place].places) + state.shut(place) for place in places)
    return treated + 1 + reached


def _way_effort(goal: GoalCheck, state: State, way: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    *things, receptacle = way
    effort = sum(_effort(goal, state, thing) for thing in things) + state.shut(receptacle)
    places = set(state.game.receptacles[receptacle].places)
    for thing in things:
        lies = {place for each in state.places.get(thing, ()) for place in state.game.receptacles[each].places}
        effort += not (lies & places)
    return effort, way


def _stacks(goal: GoalCheck, state: State, things: Sequence[int], receptacles: Sequence[int]) -> list[tuple[int, ...]]:
    game = state.game
    ways: list[tuple[int, tuple[int, ...]]] = []
    for vessel in goal.vessels:
        homes = [r for r in receptacles if game.take(r, vessel) or vessel in state.lying[r]]
        inside = state.within.get(vessel, set())
        for thing in things:
            if thing == vessel or not (thing in inside or game.take_inside(vessel, thing)):
                continue
            effort = 0 if thing in inside else _effort(goal, state, thing) + 2
            for home in homes:
                there = home in state.places.get(vessel, ())
                ways.append((effort + (0 if there else 3 + state.shut(home)), (thing, vessel, home)))
    return [way for _, way in sorted(ways)]


def _carry_out(goal: GoalCheck, course: _Course, way: tuple[int, ...]) -> None:
    wanted = goal.goal
    if wanted.lamp:
        thing, lamp = way
        course.take(thing)
        course.stand_at(course.find_nearest(course.state.places.get(lamp, ())))
        if lamp not in course.state.marks["toggled"]:
            course.do("use", lamp)
        return
    if wanted.vessel:
        _stack(course, *way)
        return
    *things, receptacle = way
    for thing in sorted(things, key=lambda each: each != course.state.holds):
        course.take(thing)
        if not goal.ready(course.state, thing):
            course.treat(thing, wanted.state)
        course.put(receptacle)


def _stack(course: _Course, thing: int, vessel: int, home: int) -> None:
    state = course.state
    if thing not in state.within.get(vessel, ()):
        if state.holds == vessel or not state.places.get(vessel):
            course.take(vessel)
            course.put(home)
        course.take(thing)
        course.insert(thing, vessel)
    if home not in state.places.get(vessel, ()):
        course.take(vessel)
        course.put(home)
