"""The adapters keep the contracts of OpenEnv, reasoning-gym and Inspect, of which only the shapes stand here.

``make test-trainers`` runs them with the packages themselves.
"""

from __future__ import annotations

import asyncio
import inspect
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, is_dataclass
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from chorewright.errors import MissingExtra, UsageError
from chorewright.rewards import kinds, tasks
from tests.command import chorewright

EASY: dict[str, Any] = {"domain": "gripper", "band": "easy"}


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **content: Any) -> None:
    """Put a package with some content where imports find it."""
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        path = ".".join(parts[:end])
        if path not in sys.modules or not hasattr(sys.modules[path], "stands_in"):
            made = ModuleType(path)
            vars(made)["stands_in"] = True
            monkeypatch.setitem(sys.modules, path, made)
    vars(sys.modules[name]).update(content)


def adapter(monkeypatch: pytest.MonkeyPatch, name: str) -> Any:
    """Import an adapter anew, and forget it afterwards."""
    path = f"chorewright.rewards.{name}"
    monkeypatch.delitem(sys.modules, path, raising=False)
    made = import_module(path)
    monkeypatch.setitem(sys.modules, path, made)
    return made


class StrictModel:
    """A model of pydantic that takes its own fields only."""

    fields: ClassVar[dict[str, Any]] = {}

    def __init__(self, **values: Any) -> None:
        unknown = values.keys() - self.fields
        missing = {name for name, default in self.fields.items() if default is ...} - values.keys()
        assert not unknown, f"unknown fields: {unknown}"
        assert not missing, f"missing fields: {missing}"
        vars(self).update({**self.fields, **values})


class Action(StrictModel):
    fields: ClassVar[dict[str, Any]] = {"metadata": {}}


class Observation(StrictModel):
    fields: ClassVar[dict[str, Any]] = {"done": False, "reward": None, "metadata": {}}


class State(StrictModel):
    fields: ClassVar[dict[str, Any]] = {"episode_id": None, "step_count": 0}


def create_model(name: str, *, __base__: type[StrictModel], **own: tuple[Any, Any]) -> type[StrictModel]:
    more = {key: default for key, (_, default) in own.items()}
    return type(name, (__base__,), {"fields": {**__base__.fields, **more}})


class Environment:
    """What OpenEnv's base class asks for."""

    def __init__(self, transform: Any = None, rubric: Any = None) -> None:
        self.transform, self.rubric = transform, rubric


class App(dict[Any, Any]):
    """What an app was made of, and who answers which exceptions."""

    add_exception_handler = dict[Any, Any].__setitem__


@pytest.fixture
def openenv(monkeypatch: pytest.MonkeyPatch) -> Any:
    apps: list[App] = []

    def create_fastapi_app(env: Callable[[], Any], action: type, observation: type, **options: Any) -> Any:
        apps.append(App(env=env, action=action, observation=observation, **options))
        return apps[-1]

    shapes = {"Action": Action, "Environment": Environment, "Observation": Observation, "State": State}
    stand_in(monkeypatch, "openenv.core.env_server", create_fastapi_app=create_fastapi_app, **shapes)
    stand_in(monkeypatch, "pydantic", create_model=create_model)
    stand_in(monkeypatch, "starlette.responses", JSONResponse=lambda content, status_code: (content, status_code))
    stand_in(monkeypatch, "uvicorn", run=lambda app, **options: app.update(options))
    made = adapter(monkeypatch, "openenv")
    made.apps = apps
    return made


def test_openenv_s_sessions_are_played_apart(openenv: Any) -> None:
    make = openenv.factory("plan", **EASY)
    one, other = make(), make()
    assert all(isinstance(each, Environment) for each in (one, other))
    assert one.SUPPORTS_CONCURRENT_SESSIONS
    assert one.state.step_count == 0
    first, second = list(tasks("plan", 2, **EASY))
    begun = one.reset(split="train", index=0, episode_id="mine", unknown_option=1)
    assert (begun.text, begun.done, begun.reward) == (first.prompt, False, 0.0)
    assert other.reset(split="train", index=1).text == second.prompt
    wrong = one.step(openenv.CommandAction(command="(no such action)"))
    assert (wrong.done, wrong.reward) == (True, 0.0)
    right = other.step(openenv.CommandAction(command=second.gold), timeout_s=5.0)
    assert (right.done, right.reward) == (True, 1.0)
    assert (one.state.episode_id, one.state.step_count, one.state.score) == ("mine", 1, 0.0)
    assert other.state.score == 1.0
    assert other.state.episode_id not in ("", "mine", None)
    other.close()
    assert other.state.episode_id is None


def test_openenv_s_sessions_begin_other_tasks_in_turn_and_the_same_by_a_seed(openenv: Any) -> None:
    make = openenv.factory("domain-game", **EASY)
    texts = [make().reset().task for _ in range(3)]
    assert len(set(texts)) == 3
    assert make().reset(seed=5).task == make().reset(seed=5).task == make().reset(split="train", index=5).task
    with pytest.raises(RuntimeError, match=r"call reset\(\) before step\(\)"):
        make().step(openenv.CommandAction(command="look"))


def test_openenv_s_task_provider_names_splits_and_raises_index_errors(openenv: Any) -> None:
    session = openenv.factory("plan", **EASY)()
    assert session.list_splits() == ["train", "eval"]
    assert session.num_tasks("eval") == len(session.get_task_range("eval")) == 1_000
    assert session.get_task("eval", 7) == {"id": "eval-7", "index": 7, "split": "eval"}
    assert [each["index"] for each in session.get_task_range("train", 3, 5)] == [3, 4]
    for split, index in (("eval", 1_000), ("eval", -1), ("test", 0), ("eval", "0")):
        wanted = "splits: train, eval" if split == "test" else "its tasks are 0 to 999"
        with pytest.raises(IndexError, match=wanted):
            session.get_task(split, index)
        with pytest.raises(IndexError, match=wanted):
            session.reset(split=split, index=index)
    with pytest.raises(IndexError, match="splits: train, eval"):
        session.reset(split="test")


def test_openenv_s_app_is_served_where_it_is_told(openenv: Any) -> None:
    openenv.serve("plan", "127.0.0.1", 8123, 7, **EASY)
    [app] = openenv.apps
    assert (app["host"], app["port"], app["max_concurrent_envs"]) == ("127.0.0.1", 8123, 7)
    assert app["action"] is openenv.CommandAction
    assert app["env"]().reset().text
    for error in (IndexError("no split"), RuntimeError("no task")):
        assert asyncio.run(app[type(error)](None, error)) == ({"detail": str(error)}, 400)
    with pytest.raises(UsageError, match="no domain 'gripperr'"):
        openenv.factory("plan", domain="gripperr")


@dataclass(kw_only=True)
class ScalarAttributeDefinition:
    name: str
    levels: list[Any]
    field_name: str
    default_level: int = 0
    description: str | None = None


class BaseCurriculum:
    def __init__(self, name: str, config_cls: type) -> None:
        self.name, self.config_cls = name, config_cls
        self.attributes: dict[str, ScalarAttributeDefinition] = {}

    def _define_attributes(self, *attributes: ScalarAttributeDefinition) -> None:
        self.attributes |= {each.name: each for each in attributes}


class ProceduralDataset:
    def __init__(self, config: Any, seed: int | None = None, size: int = 500) -> None:
        config.validate()
        self.config, self.seed, self.size = config, seed, size


@pytest.fixture
def gym(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[Any, Any, Any]]:
    datasets: dict[str, tuple[Any, Any, Any]] = {}

    def register_dataset(name: str, dataset_cls: type, config_cls: type, curriculum_cls: type | None = None) -> None:
        assert name not in datasets
        assert issubclass(dataset_cls, ProceduralDataset)
        assert is_dataclass(config_cls)
        datasets[name] = (dataset_cls, config_cls, curriculum_cls)

    coaching = {"BaseCurriculum": BaseCurriculum, "ScalarAttributeDefinition": ScalarAttributeDefinition}
    factory = {"DATASETS": datasets, "ProceduralDataset": ProceduralDataset, "register_dataset": register_dataset}
    stand_in(monkeypatch, "reasoning_gym.coaching", **coaching)
    stand_in(monkeypatch, "reasoning_gym.factory", **factory)
    adapter(monkeypatch, "reasoning_gym")
    return datasets


def test_reasoning_gym_has_a_dataset_of_each_kind(gym: dict[str, tuple[Any, Any, Any]]) -> None:
    assert set(gym) == {"chorewright_" + kind.replace("-", "_") for kind in kinds()}
    import_module("chorewright.rewards.reasoning_gym").register()  # again: nothing is registered twice


def test_reasoning_gym_s_items_are_the_tasks_and_are_scored(gym: dict[str, tuple[Any, Any, Any]]) -> None:
    dataset_class, config_class, curriculum_class = gym["chorewright_plan"]
    made = dataset_class(config=config_class(seed=7, size=3, **EASY))
    wanted = list(tasks("plan", 3, 7, **EASY))
    for index, task in enumerate(wanted):
        item = made[index]
        assert (item["question"], item["answer"]) == (task.prompt, task.gold)
        assert item == made[index]
        assert item["metadata"]["source_dataset"] == "chorewright_plan"
        assert item["metadata"]["source_index"] == index
        assert item["metadata"]["difficulty"]["cost"] > 0
        assert made.score_answer(item["answer"], item) == 1.0
        assert made.score_answer("no", item) == made.score_answer(None, item) == 0.0
    with pytest.raises(IndexError):
        made[3]
    with pytest.raises(UsageError, match="no domain"):
        config_class(domain="gripperr").validate()
    with pytest.raises(UsageError, match="evaluation set"):
        config_class(seed=4102444800).validate()
    levels = curriculum_class().attributes["band"]
    assert (levels.field_name, levels.levels[0]) == ("band", "easy")


@dataclass
class Sample:
    input: str
    target: str
    id: str
    metadata: dict[str, Any]


@dataclass
class Score:
    value: float
    answer: str
    explanation: str
    metadata: dict[str, Any]


@dataclass
class Task:
    dataset: list[Sample]
    solver: list[Any]
    scorer: Any


class Store(dict[str, Any]):
    def set(self, key: str, value: Any) -> None:
        self[key] = value


def tool(make: Callable[[], Any]) -> Callable[[], Any]:
    """A tool as Inspect takes it: typed arguments, each described in the docstring."""
    execute = make()
    text = inspect.getdoc(execute) or ""
    for name, parameter in inspect.signature(execute).parameters.items():
        assert parameter.annotation is not inspect.Parameter.empty
        assert f"{name}:" in text.partition("Args:")[2]
    return make


def named_task(make: Callable[..., Any], name: str) -> Callable[..., Any]:
    named: Any = make
    named.task_name = name
    return make


@pytest.fixture
def inspect_ai(monkeypatch: pytest.MonkeyPatch) -> Any:
    store = Store()
    stand_in(monkeypatch, "inspect_ai", Task=Task, task=named_task)
    stand_in(monkeypatch, "inspect_ai.dataset", MemoryDataset=list, Sample=Sample)
    scoring = {"mean": lambda: "mean", "stderr": lambda: "stderr", "Score": Score}
    stand_in(monkeypatch, "inspect_ai.scorer", scorer=lambda metrics: lambda make: make, **scoring)
    solvers = {"basic_agent": lambda tools: tools, "generate": lambda: "generate", "solver": lambda make: make}
    stand_in(monkeypatch, "inspect_ai.solver", **solvers)
    stand_in(monkeypatch, "inspect_ai.tool", tool=tool)
    stand_in(monkeypatch, "inspect_ai.util", store=lambda: store)
    made = adapter(monkeypatch, "inspect")
    made.stored = store
    return made


@dataclass
class SampleState:
    metadata: dict[str, Any]
    output: SimpleNamespace
    store: Store = field(default_factory=Store)


def scored(made: Any, sample: Sample, said: str) -> Score:
    state = SampleState(sample.metadata, SimpleNamespace(completion=said))
    found: Score = asyncio.run(made.judge()(state, sample.target))
    return found


def test_inspect_has_a_task_of_each_kind_and_scores_answers(inspect_ai: Any) -> None:
    for kind in kinds():
        assert getattr(inspect_ai, kind.replace("-", "_")).task_name == kind
    made = inspect_ai.plan(count=3, **EASY)
    assert made.solver == ["generate"]
    wanted = list(tasks("plan", 3, split="eval", **EASY))
    assert [(each.input, each.target) for each in made.dataset] == [(each.prompt, each.gold) for each in wanted]
    assert len({each.id for each in made.dataset}) == 3
    assert all("gold" not in each.metadata for each in made.dataset)
    assert scored(inspect_ai, made.dataset[0], wanted[0].gold).value == 1.0
    wrong = scored(inspect_ai, made.dataset[0], "(no such action)")
    assert wrong.value == 0.0
    assert wrong.explanation.endswith("?") or wrong.explanation.endswith(".")


def test_inspect_s_games_are_played_by_the_tool(inspect_ai: Any) -> None:
    made = inspect_ai.domain_game(count=1, **EASY)
    [sample], (begin, [command]) = made.dataset, made.solver
    assert asyncio.run(command("look")) == "There is no game."
    state = SampleState(sample.metadata, SimpleNamespace(completion=""), inspect_ai.stored)
    asyncio.run(begin(state, None))
    assert scored(inspect_ai, sample, "").value == 0.0
    for line in sample.target.splitlines()[1:-1]:
        assert asyncio.run(command(line))
    assert scored(inspect_ai, sample, "").value == 1.0


@pytest.mark.parametrize("name", ["openenv", "reasoning_gym", "inspect"])
def test_what_is_not_installed_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("openenv", "openenv.core", "openenv.core.env_server", "uvicorn", "pydantic", "reasoning_gym",
                    "reasoning_gym.coaching", "inspect_ai"):  # fmt: skip
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"chorewright.rewards.{name}", raising=False)
    with pytest.raises(MissingExtra if name == "openenv" else UsageError, match="is not installed"):
        import_module(f"chorewright.rewards.{name}")


def test_a_taken_port_is_told_before_anything_is_loaded() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = chorewright("serve", "openenv", "--env", "no such kind", "--port", str(port))
    assert done.returncode == 2
    assert "cannot listen: " in done.stderr
    assert str(port) in done.stderr
    assert "--port" in done.stderr
