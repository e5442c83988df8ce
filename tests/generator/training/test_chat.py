"""Conversations: their form, wrong turns, files by split, and what refuses to be told."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow.json
import pytest
import yaml

from chorewright.errors import UsageError
from chorewright.generator.alfred.games import game_of
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.line import run
from chorewright.generator.training.chat import ChatExporter, ChatStyle
from chorewright.generator.training.trajectory import common_split
from chorewright.replay.alfred.agents import Aim, ExploringAgent, tell_aim
from chorewright.replay.alfred.play import TextGame
from tests.generator.alfred.episodes import stored
from tests.generator.toy import toy_config


def rows(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for path in sorted(folder.glob("data/*.jsonl")) for line in path.open(encoding="utf-8")]


def written(folder: Path, **options: object) -> list[dict]:
    exporter = ChatExporter(ChatStyle(**options))  # type: ignore[arg-type]
    assert exporter.write(stored(), folder).episodes == len(stored())
    assert exporter.write(stored(), folder).files_changed == 0
    return rows(folder)


def test_a_conversation_is_the_game_played_by_the_expert(tmp_path: Path) -> None:
    games = {episode.index: game_of(episode) for episode in stored()}
    for row in written(tmp_path):
        system, *turns = row["messages"]
        assert system["role"] == "system"
        assert [each["role"] for each in turns] == ["user", "assistant"] * (len(turns) // 2)
        game = games[row["source_index"]]
        assert [each["content"] for each in turns[1::2]] == list(game.walkthrough or ())
        play = TextGame(game)
        assert play.reset().endswith(turns[0]["content"])
        for said, answer in zip(turns[1::2], [*turns[2::2], None], strict=True):
            turn = play.step(said["content"])
            assert answer is None or answer["content"] == turn.observation
        assert play.won
        assert row["astray"] == []


def test_wrong_turns_are_marked_and_recovered_from(tmp_path: Path) -> None:
    games = {episode.index: game_of(episode) for episode in stored()}
    share = []
    for row in written(tmp_path, noise=0.3, thoughts=True, admissible=True, annotated=True):
        play = TextGame(games[row["source_index"]])
        for place, message in enumerate(row["messages"]):
            if message["role"] == "assistant":
                *thought, command = message["content"].split("\n")
                assert command in row["messages"][place - 1]["content"].split("You can:\n")[1].split("\n")
                assert (not thought) == (place in row["astray"])
                assert not play.step(command).reason
                share.append(place in row["astray"])
        assert play.won
    assert 0.15 < sum(share) / len(share) < 0.45


def test_an_explorer_speaks_and_acts_only_by_what_it_was_told(tmp_path: Path) -> None:
    """Where it is, and which receptacles are at hand, it knows from going there or from a look around."""
    games = {episode.index: game_of(episode) for episode in stored()}
    searched = 0
    for row in written(tmp_path, exploring=True, thoughts=True):
        play = TextGame(games[row["source_index"]])
        assert play.reset().endswith(row["messages"][1]["content"])
        heard, here = row["messages"][1]["content"], set()
        for said, answer in zip(row["messages"][2::2], [*row["messages"][3::2], None], strict=True):
            thought, command = said["content"].split("\n")
            searched += thought.startswith("I am looking for ")
            assert all(re.search(rf"\b{name}\b", heard) for name in re.findall(r"[a-z]+ \d+", said["content"]))
            named = set(re.findall(r"[a-z]+ \d+", command)) & set(play.names.receptacles)
            turn = play.step(command)
            assert not turn.reason
            assert answer is None or answer["content"] == turn.observation
            heard += turn.observation
            if command.startswith("go to"):
                here = named
            elif command == "look":
                here = set(re.findall(r"[a-z]+ \d+", turn.observation.split(". ")[0]))
            assert named <= here
        assert play.won
    assert searched > len(games)


def test_an_explorer_searches_places_that_a_thing_fits_first(tmp_path: Path) -> None:
    games = {episode.index: game_of(episode) for episode in stored()}
    searches = 0
    for row in written(tmp_path, exploring=True, thoughts=True):
        for kind in ("knife", games[row["source_index"]].goal.thing.lower().removesuffix("sliced")):
            said = re.findall(rf"looking for (?:an?|some) {kind}, so I [a-z ]+ the ([a-z]+) \d", json.dumps(row))
            fits = [(place, kind) in games[row["source_index"]].fits for place in said]
            assert fits == sorted(fits, reverse=True)
            searches += len(fits)
    assert searches > 10


def test_another_seed_explores_otherwise(tmp_path: Path) -> None:
    told = [written(tmp_path / str(seed), exploring=True, seed=seed) for seed in (0, 1234567)]
    assert sum(one["messages"] != other["messages"] for one, other in zip(*told, strict=True)) > len(stored()) // 2
    assert "--exploring --seed 1234567`" in (tmp_path / "1234567" / "README.md").read_text("utf-8")


def test_thoughts_say_what_a_command_is_for(tmp_path: Path) -> None:
    told = {tuple(message["content"].split("\n")) for row in written(tmp_path, thoughts=True)
            for message in row["messages"] if message["role"] == "assistant"}  # fmt: skip
    for thought, command in told:
        verb, _, place = command.partition(" ")
        place = place.removeprefix("to ")
        there = "so I go there first." if f"the {place}, so" in thought else f"so I go to the {place} first."
        ends = {"go": there, "open": f"so I open the {place} first."}
        assert thought.endswith(ends.get(verb, "."))
        assert thought.startswith("I want to" if verb in ends else "Now I")


@pytest.mark.parametrize(
    ("aim", "command", "said"),
    [
        (Aim("search", "bread", "fridge 1"), "open fridge 1", "I am looking for some bread, so I open the fridge 1."),
        (Aim("search", "egg", "shelf 1"), "examine shelf 1", "I am looking for an egg, so I look at the shelf 1."),
        (Aim("move", "mug 1", "safe 1"), "move mug 1 to safe 1", "Now I put the mug 1 into the safe 1."),
        (Aim("move", "mug 1", "bed 1"), "go to bed 1", "I want to put the mug 1 on the bed 1, so I go there first."),
        (Aim("use", "desklamp 1"), "go to bed 1", "I want to turn on the desklamp 1, so I go to the bed 1 first."),
        (Aim("look", other="sinkbasin 1"), "look", "The sinkbasin 1 must be close by, so I look around."),
    ],
)
def test_thoughts(aim: Aim, command: str, said: str) -> None:
    assert tell_aim(TextGame(game_of(stored()[0])), aim, command) == said


def test_episodes_whose_goal_is_not_reached_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExploringAgent, "_play", lambda _: iter(()))
    exporter = ChatExporter(ChatStyle(exploring=True))
    exported = exporter.write(stored(), tmp_path)
    assert (exported.episodes, exported.left_out) == (0, len(stored()))
    assert exporter.note() == f"{len(stored())} of the episodes are left out: the agent does not reach the goal"


def test_the_card_names_the_files_of_each_split(tmp_path: Path) -> None:
    written(tmp_path)
    card = yaml.safe_load((tmp_path / "README.md").read_text("utf-8").split("---")[1])
    files = {each["split"]: each["path"] for each in card["configs"][0]["data_files"]}
    assert set(files) == {common_split(each) for each in stored().splits}
    count = 0
    for pattern in files.values():
        for path in tmp_path.glob(pattern):
            table = pyarrow.json.read_json(path)
            assert {"messages", "task", "source_index", "split", "original_split", "scene", "astray"} == set(
                table.column_names
            )
            count += len(table)
    assert count == len(stored())


def test_datasets_loads_them(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    written(tmp_path / "out")
    files = {split: str(tmp_path / "out" / "data" / f"{split}-*") for split in map(common_split, stored().splits)}
    loaded = datasets.load_dataset("json", data_files=files, cache_dir=str(tmp_path / "cache"))
    assert sum(map(len, loaded.values())) == len(stored())


def test_what_cannot_be_told_is_refused(tmp_path: Path) -> None:
    run(toy_config(episodes=2), tmp_path / "data", workers=0)
    with pytest.raises(UsageError, match="cannot be told as conversations") as refused:
        ChatExporter().write(Dataset(tmp_path / "data"), tmp_path / "out")
    assert "alfred" in (refused.value.hint or "")
    assert not (tmp_path / "out").exists()
    for noise in (-0.1, 1.0):
        with pytest.raises(UsageError, match="--noise"):
            ChatExporter(ChatStyle(noise=noise)).check()
    with pytest.raises(UsageError, match="exclude each other"):
        ChatExporter(ChatStyle(noise=0.1, exploring=True)).check()
