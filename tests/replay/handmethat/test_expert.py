"""What listeners believe: probabilities of meanings that the utterance may have."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from chorewright.replay.handmethat.expert import Belief, infer, listen
from chorewright.replay.handmethat.task import HandMeThatTask
from tests.replay.handmethat.tasks import stored


@pytest.mark.parametrize("understand", [listen, infer])
@pytest.mark.parametrize("number", [1, 2])
def test_beliefs_are_distributions_over_what_may_be_meant(
    understand: Callable[[HandMeThatTask, np.random.Generator], Belief | None], number: int
) -> None:
    """Both of the listener who knows the goal and of the one who infers it."""
    task = stored()[number]
    belief = understand(task, np.random.default_rng(0))
    assert belief is not None
    assert sum(belief.probabilities) == pytest.approx(1)
    assert all(meaning.quest == task.utterance.quest for meaning in belief.meanings)
    best, groundings = belief.best()
    assert groundings
    assert best == max(belief.chances().values()) <= 1 + 1e-9
