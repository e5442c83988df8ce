"""Sessions cut into instances of Execution from Dialogue History, and Trajectory from Dialogue (section 4).

An EDH instance begins after an utterance and ends before the next one, or with the session; the Driver must
do something to an object in it. What is expected are all changes of objects' states in that time. A TfD
instance is the whole session: its dialogue, and all that the Driver did. Both name the picture before each action.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from chorewright.domains.teach.progress import Progress, check
from chorewright.domains.teach.world import ObjectWorld, state_changes_task
from chorewright.generator.teach.export.format import Json, changes, difference, teach_format
from chorewright.generator.teach.export.session import GameInteraction, TeachSession, utterances_of

STOP, NAVIGATE = "Stop", "Navigate"

END = "end"
"""What TEACh's replay calls the time after the last interaction in the names of pictures."""

Driven: TypeAlias = dict[str, Json]
"""An action of the Driver as models predict it."""


def edh_instances(session: TeachSession) -> Iterator[dict[str, Json]]:
    """Yield the EDH instances of a session, in order.

    A stretch that changes nothing which is checked, or whose check succeeds before anything is done since other
    things of the same types are like that already, makes no instance.
    """
    said = [number for number, _, _ in utterances_of(session.interactions)]
    ends = [*said[1:], len(session.interactions)]
    count = 0
    for last_said, end in zip(said, ends, strict=True):
        start = last_said + 1
        if any(each.touches for each in session.interactions[start:end]):
            expected = changes(session.states[last_said], session.states[end])
            progress = check(state_changes_task(expected), ObjectWorld(tuple(session.states[last_said].values())))
            if not progress.success:
                yield _edh(session, start, end, count, expected, progress)
                count += 1


def _edh(
    session: TeachSession,
    start: int,
    end: int,
    number: int,
    expected: Mapping[str, Mapping[str, Json]],
    progress: Progress,
) -> dict[str, Json]:
    past, future = session.interactions[:start], session.interactions[start:end]
    first, before, after = session.states[-1], session.states[start - 1], session.states[end]
    history, actions = driver_actions(past), driver_actions(future)
    last, picture = stop(session.interactions, start, end)
    return {
        **_head(session, f"edh{number}"),
        **_dialogue(past),
        "driver_action_history": history,
        "driver_image_history": images(history),
        "driver_actions_future": [*actions, last],
        "driver_images_future": [*images(actions), picture],
        "interactions": [dict(each.document) for each in session.interactions[:end]],
        "pred_start_idx": start,
        "init_state_diff": difference(first, before),
        "final_state_diff": difference(first, after),
        "state_changes": {"agents": {}, "objects": expected},
        "history_subgoals": subgoals(past),
        "future_subgoals": subgoals(future),
        "expected_init_goal_conditions_total": progress.total,
        "expected_init_goal_conditions_satisfied": progress.satisfied,
    }


def tfd_instance(session: TeachSession) -> dict[str, Json]:
    """Return the TfD instance of a session."""
    everything = session.interactions
    actions = driver_actions(everything)
    last, picture = stop(everything, 0, len(everything))
    return {
        **_head(session, "tfd"),
        **_dialogue(everything),
        "driver_actions_future": [*actions, last],
        "driver_images_future": [*images(actions), picture],
    }


def _head(session: TeachSession, ending: str) -> dict[str, Json]:
    return {"game_id": session.game, "instance_id": f"{session.game}.{ending}"}


def _dialogue(interactions: tuple[GameInteraction, ...]) -> dict[str, Json]:
    """Return what was said, by whom: as it was said, without slips, and with dialogue acts before its parts."""
    told: dict[str, list[Json]] = {key: [] for key in ("", "_cleaned", "_with_das")}
    for _, speaker, document in utterances_of(interactions):
        acts = document["da_metadata"]
        assert isinstance(acts, dict)
        parts = [f"<<{act}>> {part}" for act, part in zip(acts["das"], acts["text_segments"], strict=True) if act]
        told[""].append([speaker, document["utterance"]])
        told["_cleaned"].append([speaker, document["corrected_utterance"]])
        told["_with_das"].append([speaker, " ".join(parts) or document["corrected_utterance"]])
    return {f"dialog_history{ending}": lines for ending, lines in told.items()}


def driver_actions(interactions: Sequence[GameInteraction]) -> list[Driven]:
    """Return the actions of the Driver in its surroundings, as models predict them."""
    return [_driver_action(each.name, each.time, each.touches, each.document) for each in interactions if each.drives]


def stop(interactions: Sequence[GameInteraction], start: int, end: int) -> tuple[Driven, str]:
    """Return the action that ends the stretch of interactions from ``start`` to before ``end``, and its picture.

    Its time is that of the last thing done in the stretch if that is not the Driver's, otherwise that of what
    follows: the picture of that moment is the one after the Driver's last action.
    """
    place = end if end == start or interactions[end - 1].drives else end - 1
    if place < len(interactions):
        time = interactions[place].time
        return _driver_action(STOP, time, False, {}), image_name(time)
    time = interactions[-1].time if interactions else 0.0
    return _driver_action(STOP, time, False, {}), image_name(END)


def images(actions: Sequence[Driven]) -> list[Json]:
    """Return the names of the Driver's pictures before each of its actions."""
    return [image_name(action["time_start"]) for action in actions]


def image_name(time: Json) -> str:
    """Return the name of the Driver's picture before what began at a time (seconds), as TEACh's replay names it."""
    return f"driver.frame.{time}.jpeg"


def _driver_action(name: str, time: float, touches: bool, told: Mapping[str, Json]) -> Driven:
    form = teach_format()
    return {
        "action_id": form.action(name)["action_id"],
        "action_idx": form.index(name),
        "action_name": name,
        "time_start": time,
        "obj_interaction_action": int(touches),
        "oid": told.get("oid"),
        "x": told.get("x"),
        "y": told.get("y"),
    }


def subgoals(interactions: Sequence[GameInteraction]) -> list[Json]:
    """Return what the Driver did, with the way to each object as one word; what failed is left out."""
    found: list[Json] = []
    walked = False
    for each in interactions:
        if each.moves:
            walked = True
        elif each.touches and each.document["oid"] is not None:
            if walked:
                found += [NAVIGATE, each.document["oid"]]
            found += [each.name, each.document["oid"]]
            walked = False
    return found
