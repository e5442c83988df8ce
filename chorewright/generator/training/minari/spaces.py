"""Gymnasium's spaces as the JSON text that Minari reads."""

from __future__ import annotations

import json
from typing import Any

import gymnasium
from gymnasium import spaces

from chorewright.errors import UnsupportedError


def space_json(space: gymnasium.Space[Any]) -> str:
    """Return a space as JSON text.

    Raises:
        UnsupportedError: It is of a kind that no benchmark's episodes have.
    """
    return json.dumps(_value(space))


def _value(space: gymnasium.Space[Any]) -> dict[str, object]:
    match space:
        case spaces.Dict():
            return {"type": "Dict", "subspaces": {key: _value(each) for key, each in space.spaces.items()}}
        case spaces.Text():
            limits = {"max_length": space.max_length, "min_length": space.min_length}
            return {"type": "Text", **limits, "charset": space.characters}
        case spaces.Discrete():
            return {"type": "Discrete", "dtype": "int64", "start": int(space.start), "n": int(space.n)}
        case spaces.Box():
            kind = {"type": "Box", "dtype": str(space.dtype), "shape": list(space.shape)}
            return {**kind, "low": space.low.tolist(), "high": space.high.tolist()}
        case _:
            raise UnsupportedError(f"spaces of the kind {type(space).__name__} cannot be exported")
