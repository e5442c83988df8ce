"""The planner agent's understanding: the pragmatic listener over the meanings that the human may have.

As in section 3.2, the listener knows the human's goal; what helps towards it is found by planning, meanings
get their prior probabilities from that, and the Rational Speech Acts recursion says which of them the
utterance most probably has.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chorewright.planner.cost_to_go import SATISFICING
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.rsa.meanings import Grounding
from chorewright.rsa.speech_acts import speech_acts
from chorewright.rsa.subgoals import Subgoals
from chorewright.rsa.utility import pool


def understood(task: HandMeThatTask, rng: np.random.Generator) -> Sequence[Grounding]:
    """Choose A(r), r being the listener's most probable meaning.

    Where no meaning fits the utterance, all useful subgoals do that it literally fits, else all of these.
    """
    quest = task.utterance.quest
    gains = Subgoals(task.scene, task.goal, SATISFICING).gains(quest)
    meanings = pool(task.context, quest, gains)
    if meanings.meanings:
        acts = speech_acts(meanings)
        if task.utterance in acts.number:
            return task.context.groundings(acts.understand(task.utterance))
    fitting = task.context.groundings(task.utterance)
    return [each for each in fitting if gains.get(each, 0.0) > 0] or fitting
