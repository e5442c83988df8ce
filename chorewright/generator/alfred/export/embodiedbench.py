"""EmbodiedBench's form of household tasks: ``json_2.1.0`` with a folder for each trial, and ``splits/splits.json``.

A row of ``splits.json`` has ``task``, ``repeat_idx`` and ``instruction``, as EB-ALFRED reads it, and ``skills``, the
expert's sentences, which it does not read. Tasks of more skills than its longest are in the set ``long_horizon``, all
others in ``base``; the other sets are empty. Episodes of which the script has a sentence that the evaluator does not
offer a model are left out. A trial's folder holds ``traj_data.json`` and, as EB-ALFRED and LoTa-Bench load it,
``pp/ann_<number>.json`` for each annotation.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from chorewright.generator.alfred.export import embodiedbench_skills as skills
from chorewright.generator.alfred.export.embodiedbench_expert import script
from chorewright.generator.alfred.export.exporter import trajectory, trajectory_path
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option
from chorewright.generator.training.exporter import Exported, Exporter, ExportFolder, export_folder
from chorewright.replay.household.server.service import Service

ROOT = "json_2.1.0"
SPLITS = ("splits", "splits.json")
SIDE = 300
"""Pixels of the pictures that the service is set up for; none is drawn."""


@dataclass(frozen=True, slots=True)
class EmbodiedBenchExportOptions:
    """The options of ``export --format embodiedbench``.

    Attributes:
        dialect: How the expert speaks: eb-alfred or lota-bench.
    """

    dialect: str = option("eb-alfred", metavar="NAME")


class EmbodiedBenchExporter(Exporter[EmbodiedBenchExportOptions]):
    """Writes accepted episodes as tasks of EB-ALFRED."""

    name = "embodiedbench"
    accepts = ("alfred",)
    options = EmbodiedBenchExportOptions
    _unsaid: AbstractSet[str] = frozenset()
    _without = 0

    def check(self) -> None:
        """Check the options; see ``Exporter.check``."""
        skills.dialect(self.asked.dialect)

    def note(self) -> str:
        """Return how many episodes the evaluator's skills do not suffice for, and what they lack."""
        if not self._without:
            return ""
        lacking = ", ".join(f"{skill!r}" for skill in sorted(self._unsaid))
        are = "is" if self._without == 1 else "are"
        return f"{self._without} of the episodes {are} left out, because the evaluator does not offer {lacking}"

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the trials and the sets; see ``Exporter.write``."""
        folder = export_folder(episodes, target, self.name)
        names, longest = skills.evaluation_sets()
        sets: dict[str, list[skills.Json]] = {name: [] for name in names}
        self._without = 0
        self._unsaid = frozenset()
        spoken = skills.dialect(self.asked.dialect)
        for episode in folder.take(self.follow(episodes)):
            document = trajectory(episode)
            objects = start_objects(document)
            said = list(script(skills.interactions(document), objects, spoken))
            if unsaid := set(said) - skills.choices(spoken, objects):
                self._unsaid |= unsaid
                self._without += 1
                folder.leave_out()
                continue
            split, *path = trajectory_path(episode)
            _write(folder, document, split, path)
            rows = sets["long_horizon" if len(said) > longest else "base"]
            told: skills.Json = document["turk_annotations"]
            for number, annotation in enumerate(told["anns"]):
                goal = {"task": "/".join(path), "repeat_idx": number, "instruction": annotation["task_desc"]}
                rows.append({**goal, "skills": said})
        folder.write_json(SPLITS, sets)
        return folder.report()


def _write(folder: ExportFolder, document: dict[str, skills.Json], split: str, path: list[str]) -> None:
    """Write a trial's files."""
    place = (ROOT, *path)
    folder.write_json((*place, "traj_data.json"), document)
    for number in range(len(document["turk_annotations"]["anns"])):
        told = {**document, "root": "/".join(path), "split": split, "repeat_idx": number}
        folder.write_json((*place, "pp", f"ann_{number}.json"), told)


def start_objects(document: skills.Json) -> list[skills.Json]:
    """Return the simulator's objects at the start of a trajectory, in the order in which it lists them."""
    scene = document["scene"]
    service = Service(SIDE, SIDE, version=2)
    service.answer({"action": "Reset", "sceneName": scene["floor_plan"], "renderImage": False})
    calls: list[dict[str, skills.Json]] = [{"action": "Initialize", "gridSize": 0.25}]
    if scene["object_toggles"]:
        calls.append({"action": "SetObjectToggles", "objectToggles": scene["object_toggles"]})
    if scene["dirty_and_empty"]:
        for change, force in (("CanBeDirty", True), ("CanBeFilled", False)):
            calls.append({"action": "SetStateOfAllObjects", "StateChange": change, "forceAction": force})
    calls += [{"action": "SetObjectPoses", "objectPoses": scene["object_poses"]}, scene["init_action"]]
    for call in calls:
        reply = service.answer({**call, "renderImage": False})
    found: skills.Json = reply.metadata["objects"]
    return list(found)
