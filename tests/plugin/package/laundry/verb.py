"""A verb: ``chorewright count-clothes``."""

from __future__ import annotations

from pathlib import Path

from chorewright.commands.shell import AsJson, print_json, verb


@verb
def count_clothes(folder: Path, as_json: AsJson = False) -> None:
    """Count how many different things were folded in a dataset.

    Args:
        folder: A dataset's folder.
    """
    from chorewright.generator import Dataset

    folded = {step.arguments for episode in Dataset(folder) for step in episode.steps if step.action == "Fold"}
    if as_json:
        print_json({"folded": len(folded)})
    else:
        print(f"{folder}: {len(folded)} things were folded")
