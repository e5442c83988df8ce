"""Files of defaults: which one wins, what is refused and where; options that every verb has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer

from chorewright.cli import build, verb_names
from chorewright.commands.starting.defaults import NAME, SettingsFile, default_map, settings_files, without_flag
from chorewright.errors import ChorewrightError, InputError, InputErrors, UsageError
from tests.command import chorewright, digests
from tests.test_cli import FILES


def defaults(folder: Path, words: list[str], *texts: str) -> dict[str, Any]:
    """What files with these texts say of the verb that words name."""
    files: list[SettingsFile] = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.toml"
        path.write_text(text, "utf-8")
        files += settings_files({"CHOREWRIGHT_CONFIG": str(path)})
    return default_map(typer.main.get_command(build(words)), files, words, verb_names)


@pytest.mark.parametrize(
    ("words", "texts", "expected"),
    [
        (["plan", "a", "b"], ["[plan]\ntime-limit = 3\n"], {"plan": {"time_limit": 3}}),
        (["plan"], ["[plan]\ntime_limit = 3\n", "[plan]\ntime-limit = 4.5\n"], {"plan": {"time_limit": 4.5}}),
        (["plan"], ["quiet = true\n[fmt]\ncheck = true\n"], {"plan": {"common_quiet": True}}),
        (
            ["generate", "alfred"],
            ["[generate]\nseed = 3\nepisodes = 2\n[generate.alfred]\nepisodes = 5\nscenes = ['FloorPlan1']\n"],
            {"generate": {"alfred": {"seed": 3, "episodes": 5, "scenes": ["FloorPlan1"]}}},
        ),
        (["generate", "alfred"], ["[generate.teach]\nepisodes = 5\n"], {"generate": {"alfred": {}}}),
        (["generate"], ["[generate]\nseed = 3\n"], {"generate": {}}),
        (["evaluate", "eai"], ["[evaluate]\n[play]\n"], {"evaluate": {"eai": {}}}),
        ([], ["quiet = true\n"], {}),
    ],
)
def test_tables_become_defaults(words: list[str], texts: list[str], expected: object, tmp_path: Path) -> None:
    assert defaults(tmp_path, words, *texts) == expected


@pytest.mark.parametrize(
    ("words", "text", "place", "message", "hint"),
    [
        ("plan", "\n[plann]\n", "2:2", "no verb 'plann'", "'plan'"),
        ("plan", "silent = true\n", "1:1", "no setting of all verbs 'silent'", "named like its verb"),
        ("plan", "plan = 3\n", "1:1", "must be a table", "[plan]"),
        ("plan", "[fmt]\n[plan]\n# x\ntime-limt = 3\n", "4:1", "plan has no option 'time-limt'", "'time-limit'"),
        ("plan", "[plan]\ntime-limit = '3'\n", "2:1", "expected a number", ""),
        ("plan", "[plan]\nworkers = 2.5\n", "2:1", "expected a whole number", ""),
        ("plan", "[plan]\nworkers = true\n", "2:1", "expected a whole number", ""),
        ("plan", "[plan]\nworkers = -3\n", "2:1", "-3", ""),
        ("fmt", "[fmt]\ncheck = 1\n", "2:1", "expected true or false", ""),
        ("validate", "[validate]\nformat = 'githb'\n", "2:1", "'github'", ""),
        ("generate alfred", "[generate.alfred]\n  scenes = 'FloorPlan1'\n", "2:3", "expected a list", ""),
        ("generate alfred", "[generate.alfred]\nscenes = [1]\n", "2:1", "expected a text", ""),
        ("generate alfred", "[generate]\nalfred.episode = 1\n", "2:1", "alfred has no option 'episode'", "'episodes'"),
        ("generate alfred", "[generate.alfrd]\n", "1:2", "no option 'alfrd'", "'alfred'"),
        ("plan", "a = [\n1,,2]\n", "2:3", "no TOML", ""),
    ],
)
def test_a_wrong_file_is_refused_in_place(
    words: str, text: str, place: str, message: str, hint: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        defaults(tmp_path, words.split(), text)
    assert str(caught.value).startswith(f"{tmp_path / '0.toml'}:{place}: ")
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


def test_all_errors_of_a_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputErrors) as caught:
        defaults(tmp_path, ["plan"], "[plann]\n[plan]\na = 1\nb = 2\n")
    assert [each.location.line for each in caught.value.errors if each.location] == [1, 3, 4]


def test_prefixes_of_a_file_raise_only_our_errors(tmp_path: Path) -> None:
    text = '[generate.alfred]\nscenes = ["FloorPlan1"]\n[plan]\n"time-limit" = 3.5 # s\n'
    for end in range(len(text)):
        try:
            defaults(tmp_path, ["plan"], text[:end])
        except ChorewrightError as error:
            assert error.location is not None  # noqa: PT017


def test_the_working_folder_s_file_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    for folder in (home / "chorewright", here):
        folder.mkdir(parents=True)
        (folder / NAME).write_text("", "utf-8")
    monkeypatch.chdir(here)
    paths = [each.path for each in settings_files({"XDG_CONFIG_HOME": str(home)})]
    assert paths == [str(home / "chorewright" / NAME), NAME]
    assert settings_files({"XDG_CONFIG_HOME": str(home), "CHOREWRIGHT_CONFIG": "none"}) == ()
    with pytest.raises(UsageError, match="cannot read"):
        settings_files({"CHOREWRIGHT_CONFIG": "nothing.toml"})


def test_the_flag_may_stand_anywhere() -> None:
    assert without_flag(["--config", "a", "plan", "x"]) == ("a", ["plan", "x"])
    assert without_flag(["plan", "x", "--config=b"]) == ("b", ["plan", "x"])
    assert without_flag(["plan", "--", "--config", "b"]) == (None, ["plan", "--", "--config", "b"])
    assert without_flag(["--config", "a", "--", "--config=b"]) == ("a", ["--", "--config=b"])
    assert without_flag(["--config=a", "plan", "--config", "b", "x"]) == ("b", ["plan", "x"])
    with pytest.raises(UsageError, match="needs a file"):
        without_flag(["plan", "--config"])


def test_a_dataset_by_a_file_is_that_by_flags(tmp_path: Path) -> None:
    text = "[generate]\nworkers = 0\n[generate.pddl]\nepisodes = 3\nseed = 7\ndomain = 'gripper'\n"
    (tmp_path / NAME).write_text(text, "utf-8")
    flags = ("--workers", 0, "-n", 3, "--seed", 7, "--domain", "gripper", "--config", "none")
    by_file = chorewright("generate", "pddl", "--out", "one", cwd=tmp_path)
    assert by_file.returncode == 0, by_file.stderr
    assert chorewright("generate", "pddl", "--out", "two", *flags, cwd=tmp_path).returncode == 0
    assert digests(tmp_path / "one") == digests(tmp_path / "two")


def test_quiet_and_verbose(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text.replace(":typing", ":typing :negative-preconditions"), "utf-8")
    words = ("check", "domain.pddl", "problem.pddl")
    assert "2 files" in chorewright(*words, cwd=tmp_path).stderr
    assert chorewright(*words, "-q", cwd=tmp_path).stderr == ""
    assert "typo.pddl:" in chorewright("check", "typo.pddl", "-q", cwd=tmp_path).stderr
    (tmp_path / NAME).write_text("verbose = true\n[check]\nformat = 'json'\n", "utf-8")
    done = chorewright(*words, cwd=tmp_path)
    assert json.loads(done.stdout) is not None
    assert "note: --format is 'json' by default here\n" in done.stderr
    assert "CPU seconds" in done.stderr
