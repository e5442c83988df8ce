"""A simulator of the laundry that knows nothing of PDDL but the atoms it tells."""

from __future__ import annotations

import numpy as np

from chorewright.domains.pddl.syntax import State
from chorewright.problems.pddl.scenes import PddlScene
from chorewright.replay.simulator import Event, Frame, Observation, SimulatorAction

COLOURS = {"sock": (70, 90, 200), "shirt": (200, 60, 60), "towel": (230, 190, 60), "jeans": (40, 50, 110)}


class LaundrySimulator:
    """Clothes with a place each, and marks on things: clean, wet, folded, soapy."""

    def reset(self, scene: PddlScene) -> Event:
        """Put everything where the scene says."""
        self.spots = [each.name for each in scene.objects if each.types[0] not in COLOURS]
        self.places = {atom[1]: atom[2] for atom in scene.init if atom[0] == "in"}
        self.marks = {atom for atom in scene.init if atom[0] in ("clean", "wet", "folded", "soapy")}
        return Event(True, "")

    def step(self, action: SimulatorAction) -> Event:
        """Do what the action says, or say why it cannot be done."""
        error = getattr(self, f"_{action.action.lower()}")(**action.arguments)
        return Event(not error, error)

    def _take(self, thing: str, spot: str) -> str:
        if self._inside("") or self.places[thing] != spot:
            return f"{thing} is not in {spot}, or the hands are full"
        self.places[thing] = ""
        return ""

    def _put(self, thing: str, spot: str) -> str:
        if self.places[thing]:
            return f"{thing} is not in the hand"
        self.places[thing] = spot
        if spot.startswith(("washer", "dryer")):
            self.marks.discard(("folded", thing))
        return ""

    def _pour(self, thing: str) -> str:
        self.marks.add(("soapy", thing))
        return ""

    def _press(self, thing: str) -> str:
        inside = self._inside(thing)
        if thing.startswith("dryer"):
            self.marks -= {("wet", each) for each in inside}
        elif ("soapy", thing) not in self.marks:
            return f"there is no soap in {thing}"
        else:
            self.marks = self.marks - {("soapy", thing)} | {
                (mark, each) for each in inside for mark in ("clean", "wet")
            }
        return ""

    def _fold(self, thing: str) -> str:
        self.marks.add(("folded", thing))
        return ""

    def state(self) -> State:
        """Return what is so, in the words of the domain."""
        places = {("in", each, place) if place else ("held", each) for each, place in self.places.items()}
        return frozenset(places | self.marks | (set() if self._inside("") else {("empty-handed",)}))

    def observation(self) -> Observation:
        """Return a sentence for each place, and a picture: a row for each place, a square for each thing there."""
        told = [f"{spot or 'hand'}: {', '.join(self._inside(spot)) or 'nothing'}" for spot in ("", *self.spots)]
        return Observation("\n".join(told), {"front": self._draw})

    def _inside(self, spot: str) -> list[str]:
        return [each for each, place in self.places.items() if place == spot]

    def _draw(self, size: int) -> Frame:
        rows = np.full((len(self.spots) + 1, 9, 3), 235, np.uint8)
        for row, spot in enumerate(("", *self.spots)):
            for column, each in enumerate(self._inside(spot)):
                rows[row, column] = COLOURS[each.rstrip("0123456789")]
        at = np.arange(size)
        return Frame.of_colours(rows[at * len(rows) // size][:, at * 9 // size])
