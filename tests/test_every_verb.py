"""Every verb, in a folder whose name is not UTF-8, on a terminal that knows ASCII only: as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from chorewright.cli import verb_names
from chorewright.errors import ExitCode
from tests.verbs import STRANGE, USES, Rig, Use, rig

EACH = pytest.mark.parametrize("use", USES.values(), ids=[name.replace(" ", "-") for name in USES])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with rig(tmp_path_factory.mktemp("every")) as made:
        yield made


def test_no_verb_is_left_out() -> None:
    assert {name.split()[0] for name in USES} == {*verb_names()} - {"demo"}


@EACH
def test_a_verb_works_with_any_name_on_any_terminal(place: Rig, use: Use) -> None:
    done = place.run(use.works)
    assert done.code == use.verdict, done
    assert "internal error" not in done.errors
    refused = place.run(use.fails)
    assert refused.code not in (0, ExitCode.INTERNAL), refused
    assert STRANGE not in done.output + done.errors + refused.output + refused.errors


@EACH
def test_json_is_one_value(place: Rig, use: Use) -> None:
    if not use.as_json:
        assert "No such option: --json" in place.run(use.works, "--json").errors
        return
    done = place.run(use.works, "--json")
    assert done.code == use.verdict, done
    json.loads(done.output)
    refused = place.run(use.fails, "--json")
    assert refused.code not in (0, ExitCode.INTERNAL), refused
    json.loads(refused.output)
