"""The job for a user's files of houses, on houses of ours in the forms of ProcTHOR's files."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from benchmarks.house_files import checked, files_of, texts_of
from chorewright.errors import InputError, UsageError
from chorewright.problems.household.houses.reading import house_record
from chorewright.problems.household.houses.source import named_house
from tests.command import ROOT, environment


@cache
def lines() -> tuple[str, ...]:
    """Three houses, one a line."""
    return tuple(json.dumps(house_record(named_house(f"house:{seed}"))) for seed in range(3))


def ran(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.house_files", *map(str, words)]
    return subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False, timeout=300
    )


def written(folder: Path, lines: Sequence[str]) -> list[Path]:
    """The same houses as lines, as packed lines, and as files of a folder."""
    text = "\n".join(lines) + "\n"
    (folder / "val.jsonl").write_text(text, "utf-8")
    (folder / "train.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "single").mkdir()
    for number, line in enumerate(lines):
        (folder / "single" / f"house_{number}.json").write_text(line, "utf-8")
    (folder / "single" / "houses.json").write_text("{}", "utf-8")
    return [folder / "val.jsonl", folder / "train.jsonl.gz", folder / "single"]


def test_all_forms_have_the_same_houses(tmp_path: Path) -> None:
    for path in written(tmp_path, lines()):
        found = [checked(*each) for file in files_of([path]) for each in texts_of(file)]
        assert [each.problem for each in found] == ["", "", ""]
        for seed, each in enumerate(found):
            house = named_house(f"house:{seed}")
            assert each.rooms == tuple(room.kind for room in house.rooms)
            assert each.things == sum(1 for _ in house.all_things())
            assert each.reached == len(house.rooms)
            assert each.inside
            assert each.left_out == 0


def test_counts_are_printed(tmp_path: Path) -> None:
    done = ran(*written(tmp_path, lines()), "--json", tmp_path / "counts.json")
    assert done.returncode == 0, done.stderr
    assert "written and read again as they were: 9 of 9" in done.stdout
    assert json.loads((tmp_path / "counts.json").read_text("utf-8"))


def test_mistakes_are_told_with_file_line_and_path(tmp_path: Path) -> None:
    value = json.loads(lines()[1])
    value["rooms"][0]["roomType"] = "Cellar"
    (tmp_path / "bad.jsonl").write_text("\n".join((lines()[0], json.dumps(value), "{", "")), "utf-8")
    done = ran(tmp_path / "bad.jsonl")
    assert done.returncode == 1
    assert "bad.jsonl:2" in done.stderr
    assert "roomType" in done.stderr
    assert "bad.jsonl:3" in done.stderr
    assert "again as they were: 1 of 3" in done.stdout
    assert "Traceback" not in done.stderr


def test_what_is_no_file_of_houses_is_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl.gz").write_bytes(gzip.compress(lines()[0].encode())[:100])
    with pytest.raises(InputError, match=r"cannot be read"):
        list(texts_of(tmp_path / "broken.jsonl.gz"))
    (tmp_path / "empty").mkdir()
    for path, said in (
        ("empty", "has no file"),
        ("nowhere.json", "no file or folder"),
        ("x.txt", "is no file of houses"),
    ):
        (tmp_path / "x.txt").write_text("", "utf-8")
        with pytest.raises(UsageError, match=said):
            files_of([tmp_path / path])
