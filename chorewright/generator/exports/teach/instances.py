"""Sessions cut into instances of Execution from Dialogue History, and Trajectory from Dialogue (section 4).

An EDH instance begins after an utterance and ends before the next one, or with the session; the Driver must
do something to an object in it. What is expected are all changes of objects' states in that time. A TfD
instance is the whole session: its dialogue, and all that the Driver did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chorewright.domains.tdl.progress import check
from chorewright.domains.tdl.state_changes import state_changes_task
from chorewright.domains.tdl.world import World
from chorewright.generator.exports.teach.format import Json, changes, teach_format
from chorewright.generator.exports.teach.session import Interaction, Session, utterances_of

STOP, NAVIGATE = "Stop", "Navigate"


def edh_instances(session: Session) -> Iterator[dict[str, Json]]:
    """Yield the EDH instances of a session, in order."""
    said = [number for number, _, _ in utterances_of(session.interactions)]
    ends = [*said[1:], len(session.interactions)]
    count = 0
    for last_said, end in zip(said, ends, strict=True):
        start = last_said + 1
        future = session.interactions[start:end]
        if any(each.touches for each in future):
            yield _edh(session, start, end, count)
            count += 1


def _edh(session: Session, start: int, end: int, number: int) -> dict[str, Json]:
    past, future = session.interactions[:start], session.interactions[start:end]
    first, before, after = session.states[-1], session.states[start - 1], session.states[end]
    expected = changes(before, after)
    objects = expected["objects"]
    assert isinstance(objects, dict)
    world = World(tuple({"objectId": name, **properties} for name, properties in before.items()))
    progress = check(state_changes_task(objects), world)
    return {
        **_head(session, f"edh{number}"),
        "dialog_history": _dialogue(past),
        "dialog_history_cleaned": _dialogue(past),
        "driver_action_history": driver_actions(past),
        "driver_image_history": [],
        "driver_actions_future": [*driver_actions(future), stop(future)],
        "driver_images_future": [],
        "interactions": [dict(each.document) for each in session.interactions[:end]],
        "pred_start_idx": start,
        "init_state_diff": changes(first, before),
        "final_state_diff": changes(first, after),
        "state_changes": expected,
        "history_subgoals": subgoals(past),
        "future_subgoals": subgoals(future),
        "expected_init_goal_conditions_total": progress.total,
        "expected_init_goal_conditions_satisfied": progress.satisfied,
    }


def tfd_instance(session: Session) -> dict[str, Json]:
    """Return the TfD instance of a session."""
    return {
        **_head(session, "tfd"),
        "dialog_history": _dialogue(session.interactions),
        "dialog_history_cleaned": _dialogue(session.interactions),
        "driver_actions_future": [*driver_actions(session.interactions), stop(session.interactions)],
        "driver_images_future": [],
    }


def _head(session: Session, ending: str) -> dict[str, Json]:
    return {"game_id": session.game, "instance_id": f"{session.game}.{ending}"}


def _dialogue(interactions: tuple[Interaction, ...]) -> list[Json]:
    return [[speaker, text] for _, speaker, text in utterances_of(interactions)]


def driver_actions(interactions: Sequence[Interaction]) -> list[Json]:
    """Return the actions of the Driver in its surroundings, as models predict them."""
    return [
        _driver_action(each.name, each.time, each.touches, each.document)
        for each in interactions
        if each.moves or each.touches
    ]


def stop(interactions: Sequence[Interaction]) -> Json:
    """Return the action that ends a sequence."""
    return _driver_action(STOP, interactions[-1].time if interactions else 0.0, False, {})


def _driver_action(name: str, time: float, touches: bool, document: object) -> dict[str, Json]:
    told = document if isinstance(document, dict) else {}
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


def subgoals(interactions: Sequence[Interaction]) -> list[Json]:
    """Return what the Driver did, with the way to each object as one word."""
    found: list[Json] = []
    walked = False
    for each in interactions:
        if each.moves:
            walked = True
        elif each.touches:
            if walked:
                found += [NAVIGATE, each.document["oid"]]
            found += [each.name, each.document["oid"]]
            walked = False
    return found
