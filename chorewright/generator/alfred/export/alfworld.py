"""ALFWorld's layout: ``json_2.1.1/<split>/<type>-<object>-<movable>-<receptacle>-<scene>/<trial>/``.

In each trial's folder lie ``game.tw-pddl``, ``traj_data.json`` as ALFRED has it, and ``initial_state.pddl``. A game
is marked solvable if its walkthrough has been validated on its own PDDL.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from chorewright.generator.alfred.export.exporter import trajectory, trajectory_path
from chorewright.generator.alfred.games import game_of
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option
from chorewright.generator.training.exporter import Exported, Exporter, ExportFolder, export_folder
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.reading import GAME_FILE, TRAJECTORY_FILE
from chorewright.replay.alfred.writing import game_file, is_proven

ROOT = "json_2.1.1"
STATE_FILE = "initial_state.pddl"
INDEX = "index.json"

_FILTERED = {"movable": "vessel", "Sliced": "Slice"}
"""Words in folder names by which ALFWorld leaves games out, and what stands for them."""

_NEAREST = {"pick_and_place_with_movable_recep": "pick_and_place_simple"}
"""A type that ALFWorld plays for one that it does not."""


@dataclass(frozen=True, slots=True)
class AlfworldExportOptions:
    """The options of ``export --format alfworld``."""

    strict: bool = option(False, "Only ALFWorld's own kinds of receptacles: no floor, no chairs.")
    extended: bool = option(False, "In every game slicing yields pieces and vessels can be filled.")
    found_by_alfworld: bool = option(
        False, "Give sliced and movable games folders and a type that ALFWorld does not leave out."
    )


class AlfworldExporter(Exporter[AlfworldExportOptions]):
    """Writes accepted episodes as text games."""

    name = "alfworld"
    accepts = ("alfred",)
    options = AlfworldExportOptions
    _unsolved = 0

    def note(self) -> str:
        """Return how many games have no way to their goal, if some have none."""
        return f"{self._unsolved} games cannot be won and are marked so" if self._unsolved else ""

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the games and an index of them; see ``Exporter.write``."""
        folder = export_folder(episodes, target, self.name)
        index: dict[str, object] = {}
        self._unsolved = 0
        for episode in folder.take(episodes):
            game = game_of(episode, strict=self.asked.strict, extended=self.asked.extended or None)
            path = self._write(folder, episode, game)
            index["/".join(path[1:])] = {"task": episode.task, "goal": game.sentence, "episode": episode.index}
        folder.write_json((INDEX,), index)
        return folder.report()

    def _write(self, folder: ExportFolder, episode: Episode, game: Game) -> tuple[str, ...]:
        """Write one game; return its folder."""
        path, document = trajectory_path(episode, houses=True), trajectory(episode, houses=True)
        if self.asked.found_by_alfworld:
            path, document = _adapt(path, document)
        solvable = is_proven(game)
        self._unsolved += not solvable
        content = game_file(game, solvable)
        place = (ROOT, *path)
        folder.write_json((*place, TRAJECTORY_FILE), document)
        folder.write((*place, STATE_FILE), str(content["pddl_problem"]).encode())
        folder.write_json((*place, GAME_FILE), content, indent=None)
        return place


def _adapt(path: tuple[str, ...], document: dict[str, object]) -> tuple[tuple[str, ...], dict[str, object]]:
    """Return a folder and a trajectory that ALFWorld does not leave out."""
    kind = str(document["task_type"])
    nearest = _NEAREST.get(kind, kind)
    parts = []
    for part in path:
        part = part.replace(f"{kind}-", f"{nearest}-")
        for word, other in _FILTERED.items():
            part = part.replace(word, other)
        parts.append(part)
    return tuple(parts), {**document, "task_type": nearest}
