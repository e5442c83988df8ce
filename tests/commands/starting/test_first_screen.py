"""The first screen, help by purpose with examples, narrow terminals, completion."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess

import pytest

from chorewright.cli import build, verb_names
from chorewright.commands.common import EXAMPLES, epilog
from chorewright.commands.starting.first_screen import PURPOSES, by_purpose, read_shipped
from tests.command import chorewright, command, environment, invoke

CORE = {each.name for each in build(["plan"]).registered_commands}


def test_the_bare_command_shows_the_first_things_to_do() -> None:
    done, first = invoke([]), read_shipped("first.txt")
    assert (done.exit_code, done.stdout) == (0, first)
    assert max(map(len, first.splitlines())) < 80
    assert sum(line.startswith("  chorewright ") for line in first.splitlines()) == 5


def test_every_verb_of_ours_has_a_purpose_and_an_example() -> None:
    assert {name for names in PURPOSES.values() for name in names} >= CORE
    assert {name.partition(" ")[0] for name in EXAMPLES} >= set(verb_names()) - {"mine"}
    assert by_purpose(["plan", "mine"]) == [("Plans and PDDL files", ["plan"]), ("Others", ["mine"])]


@pytest.mark.parametrize(("name", "example"), [(name, each) for name, every in EXAMPLES.items() for each in every])
def test_an_example_has_only_options_that_there_are(name: str, example: str) -> None:
    if example.startswith("eval "):
        return
    words = shlex.split(example.removesuffix(" < domain.pddl"))
    assert example.startswith(name)
    flags = [word for word in words if word.startswith("--")]
    asked = words if name == "export" else name.split()
    shown = invoke([*asked, "--help"]).stdout
    assert all(flag in shown for flag in flags)
    assert f"chorewright {example}" in " ".join(shown.replace("\\\n", "").split())


def test_every_command_shows_an_example() -> None:
    groups = {name: words for name in ("data", "evaluate", "generate", "play", "serve") for words in [invoke([name])]}
    listed = {
        f"{group} {line.split()[0]}"
        for group, done in groups.items()
        for line in (done.stdout + done.stderr).partition("Commands:")[2].partition("Examples:")[0].splitlines()
        if line.startswith("  ") and line[2:3].isalpha()
    }
    assert len(listed) > 20
    assert listed <= set(EXAMPLES)


def test_a_list_of_commands_shows_whole_sentences() -> None:
    for words in (["--help"], ["evaluate", "--help"], ["generate", "--help"], ["data", "--help"]):
        assert "..." not in invoke(words).stdout.replace("[ARGS]...", "")


@pytest.mark.parametrize("columns", ["60", "80", "200"])
def test_help_keeps_to_the_terminal_s_width(columns: str) -> None:
    for words in ([], ["compile"], ["data", "filter"], ["generate", "alfred"]):
        done = chorewright(*words, "--help", env={"COLUMNS": columns})
        assert max(map(len, done.stdout.splitlines())) <= int(columns)


def test_a_quoted_word_of_an_example_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "44")
    lines = str(epilog("data filter")).splitlines()[2:]
    shown = ["chorewright data filter demo --where \\", "'length < 40' --out short"]
    assert [line.strip() for line in lines] == shown


def test_no_color_is_heeded() -> None:
    shown = chorewright("tasks", env={"NO_COLOR": "1", "FORCE_COLOR": "1"}).stdout
    assert not re.search(r"\x1b\[[0-9;]*[34][0-7]", shown)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("chorewright pl", {"plan", "play"}),
        ("chorewright fmt --ch", {"--check"}),
        ("chorewright generate alf", {"alfred"}),
    ],
)
def test_bash_gets_completions(typed: str, found: set[str]) -> None:
    asked = {"_CHOREWRIGHT_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    done = subprocess.run(command(), env=environment(asked), capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == found


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_reads_its_script(shell: str) -> None:
    done = invoke(["completion", shell])
    assert done.exit_code == 0
    assert "_CHOREWRIGHT_COMPLETE" in done.stdout
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n"], input=done.stdout, text=True, check=True)


def test_tasks_are_searched_by_words_of_their_sentences_and_kinds() -> None:
    done = invoke(["tasks", "--search", "Cool mug"])
    assert done.exit_code == 0
    assert 'alfred/pick_cool_then_place_in_recep: "Cool' in done.stdout
    assert "teach/PlateOfToast" not in done.stdout
    nothing = invoke(["tasks", "--search", "zeppelin"])
    assert (nothing.exit_code, nothing.stdout) == (1, "0 tasks with 'zeppelin'\n")
    assert invoke(["tasks", "--search", "mug", "teach/Coffee"]).exit_code == 2
