"""``replay``: episodes run again here, or in the simulator that is named."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from chorewright.commands.replaying import SIMULATORS, RealOptions
from chorewright.files.plugins import Origin
from chorewright.generator.production.line import run
from tests.command import invoke
from tests.generator.toy import toy_config


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("made") / "toys"
    run(toy_config(episodes=4), made, workers=0)
    return made


@pytest.mark.parametrize(
    ("words", "replayed"), [([], 4), (["--episode", "2"], 1), (["--episode", "0", "--episode", "3"], 2)]
)
def test_episodes_are_run_again(folder: Path, words: list[str], replayed: int) -> None:
    done = invoke(["replay", str(folder), *words, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["replayed"] == replayed


def test_another_simulator_gets_the_episodes_and_what_is_asked_of_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    class Other:
        def replay(self, folder: Path, chosen: Sequence[int], options: RealOptions, as_json: bool) -> None:
            asked.extend((folder, list(chosen), options, as_json))

    def find(registry: object, name: str, origin: Origin) -> Other:
        assert (name, origin) == ("mine", Origin.PERSON)
        return Other()

    monkeypatch.setattr(type(SIMULATORS), "find", find)
    words = ["--simulator", "mine", "--episode", "2", "--attempts", "1", "--size", "64", "--render", "rgb", "--json"]
    done = invoke(["replay", str(folder), *words])
    assert done.exit_code == 0, done.output
    assert asked == [folder, [2], RealOptions("", 64, 1, 120.0, 30.0, True), True]


def test_an_unknown_simulator_is_refused(folder: Path) -> None:
    done = invoke(["replay", str(folder), "--simulator", "nonesuch"])
    assert done.exit_code == 2
    assert "nonesuch" in done.output
