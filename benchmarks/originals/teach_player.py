"""Plays exported sessions by TEACh's own code, unmodified, on our program as its build of AI2-THOR.

    PYTHONPATH=TEACH/src PYTHON teach_player.py EXPORT PROGRAM OUT [GAME ...]

Run by a Python that has what TEACh needs (``ai2thor==3.1.0``, ``pydantic<2``, ...) and nothing of ours. For each game
it writes one line of JSON: what TEACh's replay says of the session, what it writes at the end beside what is recorded,
and how it judges each EDH instance before its first action, midway and at its end.
"""

from __future__ import annotations

import copy
import json
import logging
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MOMENTS = ("before", "midway", "at the end")
JUDGED = (
    "objectId", "objectType", "parentReceptacles", "receptacle", "isToggled", "isBroken", "isFilledWithLiquid",
    "isDirty", "isUsedUp", "isCooked", "isOpen", "isPickedUp", "simbotLastParentReceptacle", "simbotIsCooked",
    "simbotIsFilledWithWater", "simbotIsBoiled", "simbotIsFilledWithCoffee", "simbotPickedUp", "simbotObjectClass",
)  # fmt: skip
"""Of each object, what a verdict may depend on."""

DIFFS = {"before": "init_state_diff", "at the end": "final_state_diff"}
"""Moments of an instance to the difference of the states then from the start."""

UNTOLD = ("temperature",)
"""What our program tells besides: the name that AI2-THOR 5 has for ``ObjectTemperature``."""


def main() -> None:
    """Play the games that are named, or all."""
    export, program, out, *games = sys.argv[1:]
    with tempfile.TemporaryDirectory() as base:
        os.environ |= {"TEACH_AI2THOR_BASE_DIR": base, "TEACH_AI2THOR_USE_LOCAL_EXE": "true"}
        from teach.replay.episode_replay import EpisodeReplay
        from teach.simulators.simulator_THOR import COMMIT_ID, TEAChController

        write_program(Path(TEAChController.build_local_executable_path(base, COMMIT_ID)), f'exec {program} "$@"')
        write_program(Path(base) / "bin" / "xdpyinfo", "exit 0")  # the client asks for a display; we need none
        os.environ["PATH"] = f"{base}/bin:{os.environ['PATH']}"
        logging.disable(logging.CRITICAL)  # TEACh tells each object of each comparison
        replay = EpisodeReplay("thor", ["ego", "allo", "targetobject"])
        paths = sorted(Path(export).glob("games/*/*.game.json"))
        with Path(out).open("w", encoding="utf-8") as file:
            for path in paths:
                if not games or path.name.split(".")[0] in games:
                    file.write(json.dumps(played(replay, path)) + "\n")
                    file.flush()
        replay.simulator.shutdown_simulator()


def write_program(path: Path, line: str) -> None:
    """Write a script of one line."""
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def played(replay: Any, path: Path) -> dict[str, Any]:
    """Return what TEACh's code says of a game."""
    from teach.utils import load_json

    recorded = load_json(path)["tasks"][0]["episodes"][0]
    folder = path.parent.parent.parent / "edh_instances" / path.parent.name
    name = path.name.removesuffix(".game.json")
    instances = [load_json(each) for each in sorted(folder.glob(f"{name}.edh*.json"))]
    verdicts: list[dict[str, Any]] = [{} for _ in instances]
    restored: list[list[str]] = []
    wrong: list[object] = []
    replay.set_episode_by_fn_and_idx(str(path), 0, 0)
    loaded, start = replay.set_up_new_episode()
    begun = differences(start, recorded["initial_state"])
    worked = True
    for number in range(len(recorded["interactions"]) + 1):
        for place, instance in enumerate(instances):
            for moment in moments_at(instance, number):
                verdicts[place][moment] = judge(instance, replay.simulator)
                if moment in DIFFS:
                    restored.append(unrestored(recorded, instance[DIFFS[moment]], replay.simulator))
        if number < len(recorded["interactions"]):
            told = recorded["interactions"][number]
            worked, _ = replay._play_single_interaction(worked, number, start, None, False, False, False, False, False)
            action = replay.episode.interactions[number].action
            if action.success != told["success"] or getattr(action, "oid", None) != told.get("oid"):
                wrong.append([number, told["action_id"], told.get("oid"), getattr(action, "oid", None)])
    progress = replay.simulator.check_episode_progress(replay.simulator.current_task)
    return {
        "game": name,
        "loaded": bool(loaded),
        "worked": bool(worked),
        "wrong": wrong,
        "task": bool(progress[1]),
        "start": begun,
        "final": differences(written(replay.simulator), recorded["final_state"]),
        "verdicts": verdicts,
        "unrestored": [each for each in restored if each],
    }


def moments_at(instance: dict[str, Any], number: int) -> Iterator[str]:
    """Yield the moments of an instance that are before an interaction."""
    start, end = instance["pred_start_idx"], len(instance["interactions"])
    for moment, place in zip(MOMENTS, (start, (start + end) // 2, end), strict=True):
        if place == number:
            yield moment


def judge(instance: dict[str, Any], simulator: Any) -> dict[str, Any]:
    """Return TEACh's verdict of an instance now, and the objects that it is about."""
    from teach.utils import create_task_thor_from_state_diff

    objects = copy.deepcopy(simulator.get_objects(simulator.controller.last_event))
    progress = create_task_thor_from_state_diff(instance["state_changes"]).check_episode_progress(objects, simulator)
    told = [bool(progress["success"]), progress["goal_conditions_total"], progress["goal_conditions_satisfied"]]
    changes = instance["state_changes"]["objects"]
    return {
        "told": told,
        "changes": changes,
        "objects": [{key: each[key] for key in JUDGED if key in each} for each in objects],
    }


def written(simulator: Any) -> dict[str, Any]:
    """Return the state as TEACh's recorder writes it.

    It leaves pieces the class of what they were cut from, where TEACh's replay, of whose states its EDH instances are
    made, gives them their own: these are not told.
    """
    from teach.utils import reduce_float_precision

    with tempfile.TemporaryDirectory() as kept:
        simulator.save(file_name=f"{kept}/game.json")
    state = dict(reduce_float_precision(simulator.current_episode.final_state.to_dict()))
    for each in state["objects"]:
        if re.search(r"(Sliced|Cracked)_\d+$", each["objectId"]):
            each.pop("simbotObjectClass", None)
            state["custom_object_metadata"].get(each["objectId"], {}).pop("simbotObjectClass", None)
    return state


def differences(state: dict[str, Any], recorded: dict[str, Any]) -> dict[str, list[str]]:
    """Return of all that TEACh itself writes what differs from what is recorded, by property: the objects."""
    notes = state["custom_object_metadata"], recorded["custom_object_metadata"]
    one, other = ({each["objectId"]: each for each in told["objects"]} for told in (state, recorded))
    found: dict[str, list[str]] = {}
    for name in sorted({*one, *other}):
        here, there = (
            {**things.get(name, {}), **kept.get(name, {})} for things, kept in zip((one, other), notes, strict=True)
        )
        for key in {**here, **there} if here and there else ["objectId"]:
            if key in UNTOLD or (key == "simbotObjectClass" and key not in here):
                continue
            if key not in here or key not in there or not alike(here[key], there[key]):
                found.setdefault(key, []).append(f"{name}: {here.get(key)!r:.60} {there.get(key)!r:.60}")
    return found


def alike(one: Any, other: Any) -> bool:
    """Whether two values of a state are the same but for the last digits, and lists of names but for their order."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        if all(isinstance(each, str) for each in (*one, *other)):
            return sorted(one) == sorted(other)
        return len(one) == len(other) and all(alike(*pair) for pair in zip(one, other, strict=True))
    if isinstance(one, float) or isinstance(other, float):
        return isinstance(one, (int, float)) and isinstance(other, (int, float)) and abs(one - other) <= 2e-3
    return bool(one == other)


def unrestored(recorded: dict[str, Any], diff: dict[str, Any], simulator: Any) -> list[str]:
    """Return how a start to which TEACh adds a difference is other than what its simulator then says.

    TEACh takes what was cut away from such a state; its simulator keeps it.
    """
    from teach.utils import apply_state_diff

    state = written(simulator)
    there = {each["objectId"]: each | state["custom_object_metadata"].get(each["objectId"], {})
             for each in state["objects"]}  # fmt: skip
    made = apply_state_diff(copy.deepcopy(recorded["initial_state"]), copy.deepcopy(diff))["objects"]
    here = {each["objectId"]: each for each in made}
    left = [name for name in there if name not in here and not there[name]["isSliced"]]
    other = [
        f"{name}: {key} {here[name].get(key)!r:.60} {told.get(key)!r:.60}"
        for name, told in there.items()
        for key in {**told, **here.get(name, {})}
        if name in here and key in told and key not in UNTOLD and not alike(here[name].get(key), told.get(key))
    ]
    return [*left, *other]


if __name__ == "__main__":
    main()
