"""Tasks as datasets of reasoning-gym: importing this module registers ``chorewright_plan`` and all other kinds.

import chorewright.rewards.reasoning_gym
import reasoning_gym

data = reasoning_gym.create_dataset("chorewright_plan", seed=7, size=100, domain="blocks", band="easy")
data.score_answer(answer, data[0])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, fields, make_dataclass
from typing import Any

from chorewright.errors import UsageError
from chorewright.generator.rewards.judging import check_seed, kind_named, kinds, make_kind, score

try:
    from reasoning_gym.coaching import BaseCurriculum, ScalarAttributeDefinition
    from reasoning_gym.factory import DATASETS, ProceduralDataset, register_dataset
except ImportError as error:
    raise UsageError("reasoning-gym is not installed", hint="pip install reasoning-gym") from error

PREFIX = "chorewright_"


def config_class(kind: str) -> type:
    """Return the class of a kind's configurations: ``seed``, ``size``, and the options of its source."""
    own = [(each.name, Any, field(default=each.default)) for each in fields(kind_named(kind)) if each.init]

    def validate(self: Any) -> None:
        check_seed(make_kind(kind, source_of(self)), self.seed)

    common = [("seed", int, field(default=0)), ("size", int, field(default=500))]
    return make_dataclass(f"{_camel(kind)}Config", [*common, *own], namespace={"validate": validate})


def source_of(config: Any) -> dict[str, Any]:
    """Return the options of a configuration's source."""
    return {each.name: getattr(config, each.name) for each in fields(config) if each.name not in ("seed", "size")}


def dataset_class(kind: str) -> type:
    """Return the class of a kind's datasets."""

    def begin(self: Any, config: Any) -> None:
        ProceduralDataset.__init__(self, config, config.seed, config.size)
        self._kind = make_kind(kind, source_of(config))

    def item(self: Any, index: int) -> dict[str, Any]:
        if not 0 <= index < self.size:
            raise IndexError(f"there is no item {index}")
        task = self._kind.task(self.seed, index)
        metadata = {"source_dataset": PREFIX + kind.replace("-", "_"), "source_index": index, "kind": kind}
        metadata |= {"facts": dict(task.facts), "difficulty": dict(task.difficulty), "split": task.split}
        return {"question": task.prompt, "answer": task.gold, "metadata": metadata}

    def score_answer(self: Any, answer: str | None, entry: dict[str, Any]) -> float:
        return score(entry["metadata"], answer).reward

    own = {"__init__": begin, "__getitem__": item, "score_answer": score_answer}
    return type(f"{_camel(kind)}Dataset", (ProceduralDataset,), own)


def curriculum_class(kind: str, config: type, bands: Sequence[str]) -> type:
    """Return the class of a kind's curricula: band by band."""

    def begin(self: Any) -> None:
        BaseCurriculum.__init__(self, f"{_camel(kind)}Curriculum", config)
        levels = ScalarAttributeDefinition(
            name="band", field_name="band", levels=list(bands), description="How much the best known plan costs"
        )
        self._define_attributes(levels)

    return type(f"{_camel(kind)}Curriculum", (BaseCurriculum,), {"__init__": begin})


def _camel(kind: str) -> str:
    return "".join(map(str.title, kind.split("-")))


def register() -> None:
    """Register all kinds that are not registered yet."""
    for kind in kinds():
        name = PREFIX + kind.replace("-", "_")
        if name not in DATASETS:
            config = config_class(kind)
            bands = kind_named(kind).bands()
            register_dataset(
                name, dataset_class(kind), config, curriculum_class(kind, config, bands) if bands else None
            )


register()
