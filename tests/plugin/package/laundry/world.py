"""The laundry: its files, its scenes, its simulator, and its words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from chorewright.domains.pddl.syntax import Typed
from chorewright.errors import UsageError
from chorewright.generator.pddl.world import PddlWorld
from chorewright.planner.plan import GroundAction
from chorewright.problems.pddl.scenes import PddlScene
from chorewright.replay.simulator import SimulatorAction
from laundry.simulator import LaundrySimulator

FURNITURE = {
    "basement": ("washer1", "dryer1", "hamper1", "shelf1"),
    "laundromat": ("washer1", "washer2", "dryer1", "dryer2", "hamper1", "drawer1"),
}
CALLS = {
    "take": "Take",
    "unload": "Take",
    "put": "Put",
    "load": "Put",
    "add-soap": "Pour",
    "wash": "Press",
    "dry": "Press",
    "fold": "Fold",
}
WORDS = {
    "take": "Take the {0.noun} out of the {1.noun}.",
    "unload": "Take the {0.noun} out of the {1.noun}.",
    "put": "Put the {0.noun} {1.preposition_of_motion} the {1.noun}.",
    "load": "Put the {0.noun} into the {1.noun}.",
    "add-soap": "Pour soap into the {0.noun}.",
    "wash": "Start the {0.noun}.",
    "dry": "Start the {0.noun}.",
    "fold": "Fold the {0.noun}.",
}


class LaundryWorld(PddlWorld):
    """Washers, dryers, and clothes that are clean, wet or folded."""

    name = "laundry"
    folder = Path(__file__).parent / "data"

    def scenes(self) -> Sequence[str]:
        """Return the two laundries."""
        return tuple(FURNITURE)

    def scene(self, name: str | None, seed: int) -> PddlScene:
        """Return a laundry with clothes; without a name, one with some of the furniture."""
        rng = np.random.default_rng(seed)
        if name is None:
            furniture = ("washer1", "dryer1", "hamper1", "shelf1", "drawer1")[: int(rng.integers(4, 6))]
        elif name in FURNITURE:
            furniture = FURNITURE[name]
        else:
            raise UsageError(f"there is no laundry {name!r}", hint=f"laundries: {', '.join(FURNITURE)}")
        clothes = [f"{kind}{n}" for kind in ("sock", "shirt", "towel", "jeans") for n in range(rng.integers(0, 3))]
        init = [("empty-handed",)]
        for each in clothes:
            init.append(("in", each, "hamper1"))
            init += [("clean", each)] if rng.random() < 0.3 else []
        objects = tuple(Typed(each, (each.rstrip("0123456789"),)) for each in (*furniture, *clothes))
        return PddlScene(name or f"laundry {seed}", objects, tuple(init))

    def simulator(self) -> LaundrySimulator:
        """Return a new simulator."""
        return LaundrySimulator()

    def lower(self, action: GroundAction) -> Sequence[SimulatorAction]:
        """Return the call of the simulator: a button is pressed on both machines."""
        return (SimulatorAction(CALLS[action.name], dict(zip(("thing", "spot"), action.arguments, strict=False))),)

    def say(self, action: GroundAction) -> str:
        """Return an action as a sentence."""
        kinds = [self.vocabulary().kind(each.rstrip("0123456789")) for each in action.arguments]
        return WORDS[action.name].format(*kinds)
