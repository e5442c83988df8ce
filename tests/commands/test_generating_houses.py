"""The verb ``houses``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chorewright.problems.household.houses.reading import load_house
from chorewright.problems.household.houses.source import named_house
from tests.command import invoke

ROOMS = ("--rooms", "1-3")


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_houses_are_those_of_their_seeds(tmp_path: Path) -> None:
    done = invoke(["houses", "-n", "3", "--seed", "5", "--out", str(tmp_path), "--workers", "0"])
    assert done.exit_code == 0, done.stderr
    assert done.stdout == f"{tmp_path}: 3 houses (3 written)\n"
    assert sorted(files(tmp_path)) == ["house_000005.json", "house_000006.json", "house_000007.json", "houses.json"]
    assert load_house(tmp_path / "house_000006.json") == named_house("house:6")


def test_the_same_bytes_with_any_number_of_workers_and_after_an_interruption(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, workers in ((one, "0"), (other, "2")):
        assert invoke(["houses", "-n", "12", *ROOMS, "--out", str(folder), "--workers", workers]).exit_code == 0
    assert files(one) == files(other)
    whole = files(other)
    for number in (3, 4):
        (other / f"house_{number:06d}.json").unlink()
    (other / "house_000011.json").write_text("{ torn")
    done = invoke(["houses", "-n", "12", *ROOMS, "--out", str(other), "--workers", "0", "--json"])
    assert json.loads(done.stdout) == {"folder": str(other), "houses": 12, "written": 3, "kept": 9}
    assert files(other) == whole


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rooms", "0-3"), "1 to 10 rooms"),
        (("--rooms", "3-2"), "1 to 10 rooms"),
        (("--rooms", "1-11"), "1 to 10 rooms"),
        (("--rooms", "few"), "is no range"),
        (("--style", "modern"), "there is no style 'modern'"),
        (("--seed", str(2**63)), "seeds go up to"),
    ],
)
def test_what_is_refused(words: tuple[str, str], message: str, tmp_path: Path) -> None:
    done = invoke(["houses", *words, "--out", str(tmp_path / "houses")])
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (tmp_path / "houses").exists()


def test_other_houses_are_not_mixed(tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "houses"), "--workers", "0")
    assert invoke(["houses", "-n", "1", *ROOMS, *out]).exit_code == 0
    done = invoke(["houses", "-n", "1", "--rooms", "4", *out])
    assert done.exit_code == 2
    assert "other --rooms" in done.stderr
    (tmp_path / "house.txt").write_text("mine")
    done = invoke(["houses", "-n", "1", "--out", str(tmp_path)])
    assert done.exit_code == 2
    assert "no folder of houses" in done.stderr
