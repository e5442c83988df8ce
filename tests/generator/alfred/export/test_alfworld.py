"""ALFWorld's layout: folders, the three files, is_proven walkthroughs, and our own reader on the result."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.corpora.games import TASKS
from benchmarks.corpora.games import game_of as drawn
from chorewright.errors import InputError, UnsupportedError
from chorewright.generator.alfred.export.exporter import AlfworldExporter, AlfworldExportOptions
from chorewright.generator.alfred.games import game_of, games_at, games_of
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.training.exporter import ExportFolder, export_dataset
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.reading import game_files, read_game
from chorewright.replay.alfred.textworld import is_proven
from tests.generator.alfred.episodes import stored


def test_the_tree_is_alfworlds(tmp_path: Path) -> None:
    dataset = stored()
    exporter = AlfworldExporter()
    exported = exporter.write(dataset, tmp_path / "out")
    assert exported.episodes == len(dataset)
    assert exporter.note() == ""
    assert exporter.write(dataset, tmp_path / "out").files_changed == 0
    root = tmp_path / "out" / "json_2.1.1"
    paths = sorted(root.glob("*/*/trial_T*/game.tw-pddl"))
    assert len(paths) == len(dataset)
    index = json.loads((tmp_path / "out" / "index.json").read_text("utf-8"))
    assert sorted(index) == sorted(str(path.parent.relative_to(root)) for path in paths)
    by_sentence = {game_of(episode).sentence: episode for episode in dataset}
    for path in paths:
        content = json.loads(path.read_text("utf-8"))
        assert content["solvable"] is True
        assert (path.parent / "initial_state.pddl").read_text("utf-8") == content["pddl_problem"]
        trajectory = json.loads((path.parent / "traj_data.json").read_text("utf-8"))
        assert path.parent.parent.name.startswith(f"{trajectory['task_type']}-")
        game = read_game(path)
        assert game.sentence in by_sentence
        play = TextGame(game)
        for command in game.walkthrough or ():
            play.step(command)
        assert play.won
    assert len(games_at(root)) == len(games_of(dataset)) == len(paths)
    for folder in (root, tmp_path / "out"):
        with pytest.raises(InputError, match="no text games of 'nope'") as refused:
            games_at(folder, "nope")
        assert refused.value.hint == f"there are games of {', '.join(sorted(dataset.splits))}"


def test_all_games_are_found_by_alfworld_on_request(tmp_path: Path) -> None:
    dataset = stored()
    AlfworldExporter(AlfworldExportOptions(found_by_alfworld=True)).write(dataset, tmp_path / "out")
    six = [task for task in TASKS if "movable" not in task and "sliced" not in task]
    found = game_files(tmp_path / "out", six, sliced=False)
    assert len(found) == len(dataset)
    assert not any("movable" in path for path in found)


def test_strict_games_have_only_alfworlds_receptacles() -> None:
    floors = 0
    for episode in stored():
        strict = game_of(episode, strict=True)
        assert {each.kind for each in strict.receptacles} <= strict.kinds.receptacles
        floors += any(each.kind == "Floor" for each in game_of(episode).receptacles)
    assert floors


@pytest.mark.parametrize("task", TASKS)
def test_walkthroughs_are_proven_by_pddl_alone(task: str) -> None:
    game = drawn(task)
    assert is_proven(game)
    short = replace(game, walkthrough=(game.walkthrough or ())[:-1])
    assert not is_proven(short)
    assert not is_proven(replace(game, walkthrough=None))


class Failing(AlfworldExporter):
    """An exporter that cannot say an episode, the first one or a later one."""

    fails_at = 0

    def _write(self, folder: ExportFolder, episode: Episode, game: Game) -> tuple[str, ...]:
        if folder.episodes > self.fails_at:
            raise UnsupportedError("games have no word for this")
        return super()._write(folder, episode, game)


def test_a_failed_export_leaves_nothing_where_nothing_was_written(tmp_path: Path) -> None:
    out = tmp_path / "out"
    exporter = Failing()
    with pytest.raises(UnsupportedError):
        export_dataset(exporter, stored(), out)
    assert not out.exists()
    exporter.fails_at = 2
    with pytest.raises(UnsupportedError):
        export_dataset(exporter, stored(), out)
    assert len(list(out.rglob("game.tw-pddl"))) == 2
    with pytest.raises(UnsupportedError):
        export_dataset(Failing(), stored(), out)
    assert len(list(out.rglob("game.tw-pddl"))) == 2
    assert export_dataset(AlfworldExporter(), stored(), out).episodes == len(stored())
