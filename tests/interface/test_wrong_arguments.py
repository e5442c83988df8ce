"""Arguments of the wrong form: every public function answers with a ``UsageError`` that says what is possible."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import chorewright as cw
from chorewright.errors import UsageError
from chorewright.files.records import check_types
from tests.generator.toy import NAME
from tests.verbs import DOMAIN, PROBLEM

FUNCTIONS = [name for name in cw.__all__ if inspect.isfunction(getattr(cw, name))]

VALUES = {"a number": 5.5, "a list": [1], "a pair": (640, 480), "bytes": b"x", "an object": object(), "None": None}


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Values for each argument that has no default, by its name."""
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "domain.pddl").write_text(DOMAIN)
    (folder / "problem.pddl").write_text(PROBLEM)
    dataset = cw.generate(NAME, folder / "toys", episodes=2)
    environment = cw.make_env("PDDL-v0", domain=folder / "domain.pddl", problems=folder / "problem.pddl")
    return {
        "env": environment,
        "environment": environment,
        "policy": lambda observation, info: "look",
        "shown": dataset[0],
        "episode": dataset[0],
        "dataset": dataset,
        "path": folder / "new.html",
        "out": folder / "out",
        "benchmark": NAME,
        "format": "chat",
        "domain": folder / "domain.pddl",
        "task": "alfred/look_at_obj_in_light",
        "problem": cw.load_problem(folder / "domain.pddl", folder / "problem.pddl"),
        "plan": "nowhere.plan",
        "name": "household",
        "text": DOMAIN,
    }


def wrong_calls() -> Iterator[tuple[str, str, str]]:
    """Each parameter of each function with each value that it cannot be."""
    for name in FUNCTIONS:
        for key, parameter in inspect.signature(getattr(cw, name)).parameters.items():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                continue
            for said, value in VALUES.items():
                if value is None and "None" in str(parameter.annotation):
                    continue
                if "float" in str(parameter.annotation) and said == "a number":
                    continue
                if key == "plan" and name == "validate" and said in ("a list", "a pair"):
                    continue  # which is several actions, looked at one by one
                yield name, key, said


@pytest.mark.parametrize(("name", "key", "said"), list(wrong_calls()))
def test_a_value_of_another_type_is_wrong_usage(known: dict[str, object], name: str, key: str, said: str) -> None:
    function: Callable[..., object] = getattr(cw, name)
    given = {
        each: known["problem"] if (name, each) == ("plan", "problem") else known[each]
        for each, parameter in inspect.signature(function).parameters.items()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    }
    if name == "load_problem":
        given["problem"] = Path(str(known["domain"])).with_name("problem.pddl")
    with pytest.raises(UsageError, match=rf"^{name}: {key} must be "):
        function(**{**given, key: VALUES[said]})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_that_are_unknown_or_too_many_are_wrong_usage(known: dict[str, object], name: str) -> None:
    function: Callable[..., object] = getattr(cw, name)
    with pytest.raises(UsageError) as caught:
        function(*[object()] * 20)
    assert caught.value.hint is not None
    if not any(each.kind is each.VAR_KEYWORD for each in inspect.signature(function).parameters.values()):
        with pytest.raises(UsageError):
            function(fov=90)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda k: cw.render("FloorPlan10"), id="a scene's name for a scene"),
        pytest.param(lambda k: cw.render(k["episode"], size=(640, 480)), id="two sizes"),
        pytest.param(lambda k: cw.render(k["episode"], size=0), id="no pixels"),
        pytest.param(lambda k: cw.render(k["episode"], size=10**6), id="too many pixels"),
        pytest.param(lambda k: cw.render(k["episode"], step=-1), id="a step before the first"),
        pytest.param(lambda k: cw.render(k["episode"], fov=90), id="a field of view"),
        pytest.param(lambda k: list(cw.frames(k["episode"], layer="thermal")), id="a layer that is not there"),
        pytest.param(lambda k: cw.film(k["episode"], "x.gif", size=-1), id="a film of no pixels"),
        pytest.param(lambda k: cw.view(k["dataset"], "x.html", size=1), id="a page of one pixel"),
        pytest.param(lambda k: cw.export([k["episode"]], "alfred", "o"), id="a list of episodes"),
        pytest.param(lambda k: cw.export(k["dataset"], "nosuch", "o"), id="a format that is not there"),
        pytest.param(lambda k: cw.generate(NAME, k["out"], episodes=0), id="no episodes"),
        pytest.param(lambda k: cw.generate(NAME, k["out"], workers=-1), id="fewer than no workers"),
        pytest.param(lambda k: cw.generate(NAME, k["out"], dellay=1), id="an option that is not there"),
        pytest.param(lambda k: cw.verify(k["dataset"], remake=-1), id="fewer than none made again"),
        pytest.param(lambda k: cw.plan(k["problem"], search="nosuch"), id="a search that is not there"),
        pytest.param(lambda k: cw.plan(k["problem"], time_limit=-1), id="less than no time"),
        pytest.param(lambda k: cw.plan(k["problem"], memory_limit=-1), id="less than no memory"),
        pytest.param(lambda k: cw.plan(k["problem"], engine="nosuch"), id="an engine that is not there"),
        pytest.param(lambda k: cw.compile_task("nosuch"), id="a task that is not there"),
        pytest.param(lambda k: cw.compile_task("alfred/look_at_obj_in_light", lamp=5), id="a kind that is no text"),
        pytest.param(lambda k: cw.tasks("nosuch"), id="a collection that is not there"),
        pytest.param(lambda k: cw.validate(k["problem"], [1]), id="a plan of numbers"),
        pytest.param(lambda k: cw.make_env("NoSuch-v0"), id="an environment that is not there"),
        pytest.param(lambda k: cw.make_env("PDDL-v0", colour="red"), id="an option that no environment has"),
        pytest.param(lambda k: cw.make_world("nosuch"), id="a world that is not there"),
        pytest.param(lambda k: cw.Dataset(5), id="a number for a dataset"),
        pytest.param(lambda k: cw.load_problem("nosuch.pddl", "nosuch.pddl"), id="files that are not there"),
    ],
)
def test_values_that_are_not_possible_are_wrong_usage(
    known: dict[str, object], call: Callable[[dict[str, object]], object]
) -> None:
    with pytest.raises(UsageError) as caught:
        call(known)
    assert caught.value.message


def test_numbers_of_numpy_are_numbers() -> None:
    @check_types
    def double(number: int, factor: float = 2.0) -> float:
        return number * factor

    assert double(np.int64(3), np.float32(2)) == 6
    assert double(3, 2) == 6
    with pytest.raises(UsageError, match="number must be a whole number, not True"):
        double(True)
