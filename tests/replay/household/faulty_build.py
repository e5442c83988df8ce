"""A stand-in for a real build that goes wrong as it is told: the FIFO program with faults put in.

``FAULT`` names the fault, ``FAULT_AT`` the number of the action (from 1, resets included) at which it comes,
and ``FAULT_FILE`` a file that counts the starts; faults come only in the first ``FAULT_STARTS`` of them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.server import program
from chorewright.replay.household.server.requests import Reply
from chorewright.replay.household.server.service import Service
from chorewright.replay.simulator import Frame

FAULT, AT = os.environ.get("FAULT", ""), int(os.environ.get("FAULT_AT", "0"))


def starts() -> int:
    """Count this start and return how many there have been."""
    path = Path(os.environ["FAULT_FILE"])
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    return len(path.read_text("utf-8").split())


class Faulty(Service):
    """A service that dies, hangs, shows nothing, cannot draw or talks nonsense at an action."""

    def __init__(self, *arguments: object, **named: object) -> None:
        super().__init__(*arguments, **named)
        self.count = -1  # the first answer is no action's

    def answer(self, action: Mapping[str, object]) -> Reply:
        self.count += 1
        reply = super().answer(action)
        if self.count != AT:
            return reply
        if FAULT == "dies":
            os._exit(1)
        if FAULT == "hangs":
            time.sleep(1000)
        if FAULT == "black":
            return Reply(reply.metadata, {"image": [np.zeros_like(reply.pictures["image"][0])]})
        if FAULT == "garbage":
            return Reply({"thirdPartyCameras": [], "nonsense": 1}, {})
        raise AssertionError(FAULT)

    def _drawn(self, camera: Camera) -> Frame:
        if FAULT == "raises" and self.count == AT:
            raise ZeroDivisionError(FAULT)
        return super()._drawn(camera)


if __name__ == "__main__":
    if FAULT and starts() <= int(os.environ.get("FAULT_STARTS", "1000")):
        if FAULT == "dies-at-start":
            sys.exit(1)
        if FAULT == "hangs-at-start":
            time.sleep(1000)
        program.Service = Faulty
        if FAULT == "noise":
            program.HEADER = program.struct.Struct("!IB")
    sys.exit(program.main())
