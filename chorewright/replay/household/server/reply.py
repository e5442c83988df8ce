"""An answer to an action, as both protocols put it into bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chorewright.replay.household.server.cameras import Json


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to an action.

    Attributes:
        metadata: What a client reads of the agent that acted.
        pictures: By AI2-THOR's form field, one for each agent or one for each third-party camera: (height,
            width) or (height, width, channels), the top row first. Depths are float32 metres.
        agents: The metadata of all agents, if there are several.
        active: The number of the agent that acted.
    """

    metadata: Json
    pictures: Mapping[str, list[NDArray[np.generic]]]
    agents: Sequence[Json] = ()
    active: int = 0

    def message(self, sequence: int) -> Json:
        """Return the metadata as a client reads them, with the number of the message that is answered."""
        return {
            "agents": list(self.agents or (self.metadata,)),
            "thirdPartyCameras": self.metadata["thirdPartyCameras"],
            "activeAgentId": self.active,
            "sequenceId": sequence,
        }
