"""Bad input of CALVIN's symbolic part: cut or changed anywhere, it gives our errors and no others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from chorewright.errors import ChorewrightError, ExitCode
from chorewright.problems.calvin.chains import ChainSpace, load_chains
from chorewright.problems.calvin.scenes import TabletopState, parse_state
from chorewright.problems.calvin.tasks import tasks
from chorewright.rsa.calvin.instructions import parse_instructions

STATE = "led=1,drawer=open,red_block=stacked_top,blue_block=stacked_bottom,grasped=0"
YAML = "".join(f"{task}:\n- do {task}\n- 'please: {task}'\n" for task in tasks())
CHARACTERS = "\x00\n\t ,=:-[]{}\"'&*!?%@`|>#\\\u202e\ufeffé0a"


def changed(text: str, number: int) -> Iterator[str]:
    """The text with something taken out, doubled or put in, at random places."""
    rng = np.random.default_rng(11)
    for _ in range(number):
        start = int(rng.integers(len(text)))
        end = start + int(rng.integers(1, 12))
        extra = "".join(CHARACTERS[int(each)] for each in rng.integers(len(CHARACTERS), size=rng.integers(4)))
        repeated = text[start:end] * int(rng.integers(3))
        yield text[:start] + extra + repeated + text[end:]


def failure(attempt: Callable[[], object]) -> ChorewrightError | None:
    """The error of ours that an attempt ends with; any other one fails the test."""
    try:
        attempt()
    except ChorewrightError as error:
        return error
    return None


def test_states() -> None:
    texts = [*(STATE[:end] for end in range(len(STATE))), *changed(STATE, 3000)]
    errors = [failure(partial(parse_state, text)) for text in texts]
    assert {error.exit_code for error in errors if error} == {ExitCode.USAGE}
    assert errors.count(None) > 5


def test_files_of_chains(tmp_path: Path) -> None:
    """Each error stands inside the file."""
    path = tmp_path / "chains.json"
    chains = ChainSpace([TabletopState()], 3).sample(2, np.random.default_rng(0))
    whole, errors = json.dumps([chain.record() for chain in chains]), []
    for text in (*(whole[:end] for end in range(0, len(whole), 5)), *changed(whole, 200)):
        path.write_text(text, "utf-8")
        errors.append(failure(partial(load_chains, path)))
        inside(errors[-1], str(path), text)
    assert sum(error is not None for error in errors) > len(errors) / 2


def test_annotations() -> None:
    texts = (*(YAML[:end] for end in range(0, len(YAML), 61)), *changed(YAML, 200))
    errors = []
    for text in texts:
        errors.append(failure(partial(parse_instructions, text, "own.yaml")))
        inside(errors[-1], "own.yaml", text)
    assert sum(error is not None for error in errors) > 20


def inside(error: ChorewrightError | None, path: str, text: str) -> None:
    """An error, if there is one, is of bad input and stands within the lines of the text."""
    if error is not None:
        assert error.exit_code == ExitCode.BAD_INPUT
        assert error.location is not None
        assert error.location.path == path
        assert 1 <= (error.location.line or 1) <= len(text.splitlines()) + 1
