"""Episodes and datasets as people read them: complete, and unable to steer the terminal."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from chorewright.generator.dataset.episode import Episode, Instruction, Outcome
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.line import run
from chorewright.generator.showing import view
from tests.generator.toy import ToyBenchmark, toy_config

NASTY = "\x1b]0;owned\x07\x1b[31m<script>[bold red]\nrow\r\x9b2J\u202e\u2028[/]"


def shown(value: RenderableType, terminal: bool = False) -> str:
    stream = io.StringIO()
    Console(file=stream, width=200, force_terminal=terminal, color_system=None, markup=False, highlight=False).print(
        value
    )
    return stream.getvalue()


def episode(index: int = 3) -> Episode:
    config = toy_config()
    benchmark = ToyBenchmark()
    return benchmark.episode(index, config, benchmark.assign(config, 40)[index])


def test_an_episode_shows_all_that_a_reader_needs() -> None:
    one = episode()
    text = shown(view.episode_text(one))
    for part in (
        "Episode 3 (train)",
        "count-to-3: object thing3",
        "Room0, 1 objects",
        one.goal,
        f'"Count to {len(one.plan)}."',
        '"Say each number."',
        "0. Count(count-to-3)",
        f"Count x{len(one.steps)}",
        "met     counted",
        "accepted after 1 attempt",
    ):
        assert part in text


def test_a_scene_that_is_no_room_is_named_too() -> None:
    one = dataclasses.replace(episode(), scene=None, extras=(("scene", "table_9"),))
    assert "scene  table_9" in shown(view.episode_text(one))
    assert "room " not in shown(view.episode_text(one))


def test_a_rejected_episode_says_why() -> None:
    outcome = Outcome(False, "goal: placed not met", (("placed", False),))
    text = shown(view.episode_text(dataclasses.replace(episode(), outcome=outcome, attempts=4)))
    assert "NOT MET placed" in text
    assert "rejected: goal: placed not met after 4 attempts" in text


@pytest.mark.parametrize("terminal", [False, True])
def test_nothing_in_an_episode_steers_the_terminal(terminal: bool) -> None:
    one = episode()
    nasty = dataclasses.replace(
        one,
        task=NASTY,
        goal=NASTY,
        split=NASTY,
        planner=NASTY,
        parameters=((NASTY, NASTY),),
        scene=dataclasses.replace(one.scene, name=NASTY),
        segments=(dataclasses.replace(one.segments[0], action=NASTY, arguments=(NASTY,)),),
        steps=(
            dataclasses.replace(
                one.steps[0],
                action=NASTY,
                arguments=json.dumps({"objectId": NASTY}),
                added=((NASTY,),),
                removed=((NASTY, NASTY),),
            ),
        ),
        instructions=(Instruction(NASTY, "goal"), Instruction(NASTY, "step", 0, 0)),
        outcome=Outcome(False, NASTY, ((NASTY, True), (NASTY, False))),
    )
    plain = shown(view.episode_text(one), terminal)
    text = shown(view.episode_text(nasty), terminal)
    for letter in "\x07\r\x9b\u202e\u2028":
        assert letter not in text
    assert "\x1b]" not in text
    assert "\x1b[31m<" not in text
    assert r"\x1b[31m<script>[bold red]" in text, "escaped, not interpreted, not lost"
    assert text.count("\nrow") == 0
    assert ("\x1b" in text) <= ("\x1b" in plain)


def test_an_overview_counts_what_is_stored(tmp_path: Path) -> None:
    run(toy_config(episodes=20, reject=6), tmp_path / "d", workers=0)
    overview = view.overview(Dataset(tmp_path / "d"))
    assert (overview.attempted, overview.accepted) == (20, 17)
    assert sum(group.episodes for group in overview.groups) == 17
    assert sum(dict(overview.splits).values()) == 17
    assert [index for index, _, _ in overview.rejections] == [5, 11, 17]
    text = shown(view.overview_table(overview))
    assert "17 of 20 episodes" in text
    assert "rejected 11 count-to-3: the die fell off the table" in text
    assert json.loads(json.dumps(view.overview_json(overview)))["accepted"] == 17


def test_an_episode_as_json_is_plain_data() -> None:
    value = json.loads(json.dumps(view.episode_json(episode())))
    assert isinstance(value["steps"][0]["arguments"]["number"], int)
    assert value["segments"][1]["action"] == "End"
