"""What the three short chains of the tests are, and vectors for sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chorewright.generator.dataset.config import GenerateConfig

CONFIG = GenerateConfig("calvin", 3, options=(("length", ("1",)), ("scenes", ("D", "B"))))


def lengths(texts: Sequence[str]) -> np.ndarray[Any, Any]:
    return np.array([[len(text), 1.0, text.count("e")] for text in texts])
