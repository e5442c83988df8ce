"""Whether the agent sees what it acts on: ALFRED's generator gives up where less than ten pixels show."""

from __future__ import annotations

from dataclasses import dataclass, field

from chorewright.replay.thor.executor import LowAction
from chorewright.replay.thor.picture import agent_camera
from chorewright.replay.thor.pixels.renderer import Renderer
from chorewright.replay.thor.world import ThorWorld

SIZE = 300
"""Pixels on a side of ALFRED's pictures."""

SMALLEST = 14
"""Pixels of the smallest mask in ALFRED's data; of which less is seen, that is hidden."""


@dataclass(slots=True)
class Sight:
    """Looks before each interaction; ``hidden`` names the first that the agent did not see the target of."""

    world: ThorWorld
    hidden: str = ""
    _renderer: Renderer = field(default_factory=Renderer)

    def before(self, action: LowAction) -> None:
        """Look for the target of an action, unless one was hidden before."""
        told = action.call.arguments
        target = str(told.get("receptacleObjectId") or told.get("objectId") or "")
        if not target or self.hidden or target == self.world.room.holding:
            return
        mask = self._renderer.mask(self.world.scene(), agent_camera(self.world.room, SIZE), target)
        if int(mask.sum()) < SMALLEST:
            self.hidden = f"{action.name} {target}: the agent does not see it"

    def after(self, action: LowAction, success: bool) -> None:
        """Do nothing."""
