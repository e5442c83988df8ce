"""TEACh's game files as episodes: people's sessions, and exports of ours.

The document itself is the extra ``game``; an export gives it back as it was. Task, steps and dialogue become columns,
and the state at the start the scene. The Driver's steps are run in it. Where they run as they were recorded, and the
task is done at the end, the conditions say so; else the extra ``unchecked`` says where it ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.domains.teach.progress import check
from chorewright.domains.teach.world import sentences_of
from chorewright.errors import ChorewrightError
from chorewright.files.json_node import Node
from chorewright.generator.dataset.episode import NOISE, PERTURBED, Episode, Instruction, Outcome, Segment, Step
from chorewright.generator.household.moments import find_difference
from chorewright.generator.household.noise import COMMANDED, noise_of
from chorewright.generator.production.importing import UNCHECKED, Conditions, Recordings, check_conditions
from chorewright.generator.teach.export.format import teach_format
from chorewright.generator.teach.export.session import RECORDED, TEXT
from chorewright.generator.teach.metrics import COMMANDER, DRIVER, GAME, TeachGame, read_game, read_json
from chorewright.generator.teach.records import DIALOGUE, FINAL, compact_json, final_text
from chorewright.problems.household.metadata import scene_from_metadata
from chorewright.problems.household.scene import Scene
from chorewright.replay.teach.world import INTERACTIONS, MOVES, TeachWorld, teach_world

UTTERANCE = "utterance"

_POSE = 6
"""Numbers of a recorded pose: ahead, left, up, then 0, tilt and turn to the left."""

_GAMES, _INSTANCES = "games", (("edh_instances", "edh*"), ("tfd_instances", "tfd"))


class TeachImporter:
    """Reads TEACh's game files, and the instances that stand beside them."""

    name = "teach"
    benchmark = "teach"

    def open(self, folder: Path) -> Recordings:
        """Return the games below a folder, in the order of their paths; see ``Importer.open``."""
        games = sorted(folder.rglob(f"*{GAME}"))
        files = [*games, *(each for game in games for each in _instances(game))]
        return Recordings(len(games), files, lambda index: _read(games[index], index))


def _instances(game: Path) -> list[Path]:
    """Return the files of the instances that were cut from a game, where they stand as TEACh lays them out."""
    root, split = game.parents[1], game.parent.name
    if root.name != _GAMES:
        return []
    name = game.name.removesuffix(GAME)
    return [
        each
        for kind, ending in _INSTANCES
        for each in sorted((root.parent / kind / split).glob(f"{name}.{ending}.json"))
    ]


def _read(file: Path, index: int) -> Episode:
    game = read_game(file)
    initial = game.episode["initial_state"]
    agents = [*initial["agents"].items()]
    metadata = {"objects": initial["objects"].value, **({"agent": agents[DRIVER].value} if len(agents) > 1 else {})}
    with initial.locate():
        scene = scene_from_metadata(metadata, name=game.world, path=f"{initial.path}.objects")
    steps, said = _interactions(game)
    conditions, unchecked, end = _check(game, scene, steps)
    instances = [(each.parents[1].name, each.name, read_json(each).value) for each in _instances(file)]
    recorded = {"file": file.name, "game": read_json(file).value, "instances": instances}
    extras = {
        DIALOGUE: compact_json(said),
        RECORDED: compact_json(recorded),
        **({FINAL: final_text(scene, end)} if end is not None else {}),
        **({UNCHECKED: unchecked} if unchecked else {}),
        **({NOISE: "recorded"} if any(map(noise_of, steps)) else {}),
    }
    return Episode(
        benchmark="teach",
        index=index,
        seed=0,
        task=game.task,
        parameters=tuple((str(number), value) for number, value in enumerate(game.params)),
        split=_split(file),
        scene=scene,
        plan_cost=float(len(steps)),
        planner="recorded",
        segments=(Segment(game.task, game.params),),
        steps=steps,
        instructions=tuple(Instruction(str(each["text"]), UTTERANCE, 0, 0) for each in said if each["action"] == TEXT),
        outcome=Outcome(True, conditions=conditions),
        extras=tuple(extras.items()),
    )


def _split(file: Path) -> str:
    name = file.parent.name
    return name if name.startswith(("train", "valid", "test")) else "train"


def _interactions(game: TeachGame) -> tuple[tuple[Step, ...], list[dict[str, Any]]]:
    """Return the Driver's steps, and all else that is said or looked up, as dialogue before the steps."""
    names = {int(str(each["action_id"])): str(each["action_name"]) for each in teach_format().actions}
    steps: list[Step] = []
    said: list[dict[str, Any]] = []
    for each in game.interactions():
        name = names.get(each.action)
        if name is None or each.agent not in (COMMANDER, DRIVER):
            raise each.node["action_id"].error(f"TEACh has no action {each.action} of the agent {each.agent}")
        time, duration = (each.node[key].number() if key in each.node else 0.0 for key in ("time_start", "duration"))
        told: dict[str, Any] = {"time": time, "duration": duration}
        if each.agent == DRIVER and name in (*MOVES, *INTERACTIONS):
            told |= {key: each.node[key].value for key in (PERTURBED, COMMANDED) if key in each.node}
            steps.append(
                Step(name, 0, compact_json({"id": each.action, **_arguments(name, each.node), **told}), each.success)
            )
            continue
        entry = {"before": len(steps), **told, "agent": int(each.agent == DRIVER), "action": name}
        said.append({**entry, **_words(each.node)})
    return tuple(steps), said


def _arguments(name: str, node: Node) -> dict[str, Any]:
    """Return where a step leads to, or what it is done to and where it is clicked."""
    if name in MOVES:
        numbers = [each.number() for each in node["pose"].items()]
        if len(numbers) != _POSE:
            raise node["pose"].expected(f"{_POSE} numbers")
        z, left, y, _, horizon, turn = numbers
        return {"pose": [0.0 - left, y, z, horizon, 0.0 - turn, 0.0]}
    told: dict[str, Any] = {key: node[key].number() for key in ("x", "y") if _has(node, key)}
    return {"objectId": node["oid"].text(), **told} if _has(node, "oid") else told


def _words(node: Node) -> dict[str, Any]:
    told: dict[str, Any] = {"text": node["utterance"].text() if _has(node, "utterance") else ""}
    if _has(node, "corrected_utterance"):
        told["corrected"] = node["corrected_utterance"].text()
    if _has(node, "query"):
        told["query"] = node["query"].text()
    return told


def _has(node: Node, key: str) -> bool:
    return key in node and node[key].value is not None


def _check(game: TeachGame, scene: Scene, steps: Sequence[Step]) -> tuple[Conditions, str, Scene | None]:
    """Run the steps; return the conditions of the task if it is done at the end, else why not; and the end."""
    world = TeachWorld()
    world.reset(scene)
    if difference := find_difference(world, steps):
        return (), difference, None
    try:
        task = shipped_definitions().task(game.task, list(game.params))
        progress = check(task, teach_world(world.scene()))
    except ChorewrightError as error:
        return (), error.message, world.scene()
    words = sentences_of(progress, task)
    told = tuple((said, goal.success) for said, goal in zip(words, progress.subgoals, strict=True))
    return (*check_conditions(told), world.scene())
