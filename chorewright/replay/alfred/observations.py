"""What a text game says: the room at the start, what is seen at a place, and what an action did."""

from __future__ import annotations

from chorewright.replay.alfred.game import Game, Names
from chorewright.replay.alfred.state import Action, State


class Observer:
    """Words states and actions of one game with its names."""

    def __init__(self, game: Game, names: Names) -> None:
        self._game, self._names, self._forms = game, names, game.forms

    def intro(self, state: State) -> str:
        """Return what is told at the start: all receptacles, unless the agent stands at some, and the goal."""
        forms = self._forms
        told = forms.say("middle", list=forms.listed(self._everywhere())) if not state.here() else self._facing(state)
        told = " ".join((told, *self._rooms()))
        task = forms.say("task", goal=self._game.sentence)
        return "\n\n".join((forms.sentences["welcome"], told, task))

    def told(self, state: State, action: Action) -> str:
        """Return what is told after an action has been done."""
        verb, first, second = action
        forms, names = self._forms, self._names
        if verb == "go":
            place = names.locations[second]
            return forms.say("arrive", r=names.receptacles[first], l=place, see=self._seen(state, first))
        if verb == "look":
            return self._facing(state) if state.here() else forms.say("middle", list=forms.sentences["nothing"])
        if verb == "inventory":
            if state.holds is None:
                return forms.sentences["empty-handed"]
            return forms.say("carrying", o=names.things[state.holds])
        if verb == "help":
            return self._help()
        if verb == "see":
            return self._seen(state, first)
        if verb == "inspect":
            return self._inspected(state, first)
        if verb in ("open", "close"):
            return forms.say(verb, r=names.receptacles[first], see=self._seen(state, first))
        thing = names.things[first]
        if verb == "use":
            return forms.say("use", o=thing)
        if verb == "extract":
            return forms.say("take", o=thing, r=names.things[second])
        if verb in ("insert", "slice"):
            return forms.say(verb, o=thing, m=names.things[second], k=names.things[second])
        return forms.say(verb, o=thing, r=names.receptacles[second])

    def _rooms(self) -> list[str]:
        """Return for each room of a house a sentence that says which receptacles are there."""
        rooms: dict[str, list[str]] = {}
        for number, each in enumerate(self._game.receptacles):
            if each.room:
                rooms.setdefault(each.room, []).append(self._names.receptacles[number])
        return [self._forms.say("room", room=room, list=", ".join(rooms[room])) for room in sorted(rooms)]

    def _everywhere(self) -> list[str]:
        return [self._names.receptacles[n] for n, each in enumerate(self._game.receptacles) for _ in each.places]

    def _facing(self, state: State) -> str:
        """Return the receptacles here, and what was taken from one of them and lies in another."""
        here = state.here()
        astray = [thing for thing, place in state.spots if place == state.at]
        beside = [self._names.things[thing] for thing in sorted(astray) for r in here if (thing, r) in state.left]
        shown = self._forms.listed([self._names.receptacles[number] for number in here], "")
        return self._forms.say("facing", receptacles=shown, list=self._forms.listed(beside))

    def _seen(self, state: State, receptacle: int) -> str:
        forms, name = self._forms, self._names.receptacles[receptacle]
        body = self._game.receptacles[receptacle]
        if body.openable and receptacle not in state.marks["opened"]:
            return forms.say("closed", r=name)
        things = forms.listed([self._names.things[thing] for thing in sorted(state.lying[receptacle])])
        return forms.say("in" if body.openable else "on", r=name, list=things)

    def _inspected(self, state: State, thing: int) -> str:
        forms, name, marks = self._forms, self._names.things[thing], state.marks
        abilities = self._game.things[thing].abilities
        if "vessel" in abilities:
            inner = [self._names.things[each] for each in sorted(state.within.get(thing, ()))]
            return forms.say("vessel", o=name, list=forms.listed(inner))
        clean, sliced = thing in marks["clean"], thing in marks["sliced"]
        states = "hot" if thing in marks["hot"] else ""
        if not states and thing in marks["cool"]:
            states = "cool" if clean or sliced else "cold"
        if clean:
            states = f"{states} and clean" if states else "clean"
        if states:
            return forms.say("special", states=states + " sliced" * sliced, o=name)
        if "toggleable" in abilities and thing in marks["toggled"]:
            return forms.say("on-state", o=name)
        if "sliceable" in abilities and sliced:
            return forms.say("special", states="sliced", o=name)
        return forms.say("plain", o=name)

    def _help(self) -> str:
        if self._game.help is not None:
            return self._game.help
        return self._forms.sentences["help"] + (self._forms.help_extended if self._game.extended else "")
