"""The THOR world: iTHOR rooms simulated in process, with AI2-THOR's action names, ids, metadata and refusals.

``world.ThorWorld`` speaks the ``Simulator`` protocol; ``room.RoomSettings`` say how its agent sees and reaches;
``setup.restore`` puts a room's items at given poses. State lives in ``room``, each group of actions in a module of its
own (``navigation``, ``handling``, ``states``). ``pixels`` draws it; ``server`` lets AI2-THOR's own clients drive it,
and ``real.process.controller`` builds such a client.
"""

from chorewright.replay.household.real.process import controller, program_path
from chorewright.replay.household.room import ALFRED_SETTINGS, TEACH_SETTINGS, RoomSettings
from chorewright.replay.household.setup import ItemPose, restore
from chorewright.replay.household.world import ThorWorld

__all__ = [
    "ALFRED_SETTINGS",
    "TEACH_SETTINGS",
    "ItemPose",
    "RoomSettings",
    "ThorWorld",
    "controller",
    "program_path",
    "restore",
]
