"""Presenters: how a benchmark shows its datasets and episodes in the terminal."""

from __future__ import annotations

from typing import Any, Protocol

from rich.console import RenderableType

from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset


class Presenter(Protocol):
    """An overview of a dataset, as a table and as JSON, and one episode to read; ``view`` is the usual one."""

    def overview(self, dataset: Dataset) -> Any:
        """Return a dataset's figures; reads every episode once."""
        ...

    def overview_json(self, value: Any) -> dict[str, object]:
        """Return an overview as JSON values."""
        ...

    def overview_table(self, value: Any) -> RenderableType:
        """Return an overview as a table."""
        ...

    def episode_text(self, episode: Episode) -> RenderableType:
        """Return an episode to read."""
        ...
