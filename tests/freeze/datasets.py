"""Datasets of every benchmark: their files, pages, pictures, sentences and exports."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.metadata import entry_points

import chorewright as cw
from tests.freeze.item import Item, commands
from tests.freeze.workspace import Make, Outputs, Workspace
from tests.generator.test_digests import CASES


def case(name: str, episodes: int) -> str:
    """Return the words of ``generate`` for the first kinds of episodes of a case of ``test_digests``."""
    config = CASES[name]
    told = [(key, values if isinstance(values, tuple) else (values,)) for key, values in config.options]
    options = " ".join(f"--{key} {value}" for key, values in told for value in values)
    return f"{config.benchmark} --episodes {episodes} --seed {config.seed} {options}".strip()


FEW = {
    "alfred": case("alfred", 4),
    "alfred-houses": "alfred --scenes houses:0-5 --episodes 3",
    "behavior": "behavior --episodes 4",
    "calvin": case("calvin", 1),
    "handmethat1": case("handmethat1", 3),
    "handmethat2": case("handmethat2", 3),
    "objectnav": case("objectnav", 4),
    "teach": case("teach", 3),
    "teach-houses": "teach --scenes houses:0-5 --episodes 2",
    "blocks": "pddl --domain blocks --episodes 4",
    "rovers": "pddl --domain rovers --episodes 3",
    "courier": "pddl --domain courier --episodes 3",
}
"""Small datasets, one for each group: shown, drawn, exported."""

MANY = {
    "alfred": case("alfred", 80),
    "alfred-houses": "alfred --scenes houses:0-19 --episodes 16 --seed 1",
    "behavior": "behavior --episodes 30 --seed 1",
    "handmethat1": case("handmethat1", 16),
    "handmethat2": case("handmethat2", 300),
    "objectnav": case("objectnav", 150) + " --annotations 7",
    "teach": case("teach", 60),
    "teach-houses": "teach --scenes houses:0-19 --episodes 5 --seed 1",
}
"""Larger datasets, for sentences and games."""

CLASSIC = (
    "barman", "blocks", "courier", "depot", "ferry", "grid", "gripper", "hanoi", "household", "logistics", "rovers",
    "satellite", "sokoban", "tiles",
)  # fmt: skip

DATASETS = (
    FEW
    | {f"many-{name}": words for name, words in MANY.items()}
    | {f"many-{name}": f"pddl --domain {name} --episodes 12 --wordings 5" for name in CLASSIC}
)
"""The words of ``generate`` by a dataset's name."""

LOOSE = frozenset({"calvin"})
"""Groups without floating-point numbers and pictures."""

_NEEDS = {"lerobot": ("av",), "minari": ("h5py",)}


def _dataset(name: str) -> Make:
    def make(work: Workspace) -> Outputs:
        return work.files(work.dataset(name)) | {"commands.txt": work.made[name].encode()}

    return make


def sentences(*names: str) -> Make:
    """Return what gives all sentences of datasets, with their levels."""

    def make(work: Workspace) -> Outputs:
        return {f"{name}.txt": "\n".join(_said(work.dataset(name))).encode() for name in names}

    return make


def _said(folder: str) -> Iterator[str]:
    for episode in cw.Dataset(folder):
        yield f"== {episode.index} {episode.task}"
        for each in episode.instructions:
            yield f"{each.level} {each.annotation} {each.segment}: {each.text}"


def _drawn(name: str) -> Make:
    """Return what draws a copy of a dataset and gives its pictures; the dataset itself stays for others."""

    def make(work: Workspace) -> Outputs:
        shutil.copytree(work.folder / work.dataset(name), work.folder / f"{name}-drawn")
        said = work.run(f"replay {name}-drawn --render rgb,depth,instances --size 60 --workers 0")
        if not said.endswith("exit code 0\n"):  # pictures of games have the first layer only
            said += work.run(f"replay {name}-drawn --render rgb --size 60 --workers 0")
        return work.files(f"{name}-drawn") | {"commands.txt": said.encode()}

    return make


def _of_dataset(group: str) -> Iterator[Item]:
    """Yield what every dataset is asked: its files, pages, pictures and exports."""
    needs = ("pybullet",) if group == "calvin" else ()
    quick = group in ("blocks", "objectnav")
    count = int(FEW[group].split("--episodes ")[1].split()[0])
    each = range(count)
    made: dict[str, Make] = {
        "dataset": _dataset(group),
        "show": commands(f"show {{{group}}}", *(f"show {{{group}}} {index}" for index in each)),
        "show-json": commands(f"show {{{group}}} --json", *(f"show {{{group}}} {index} --json" for index in each)),
        "verify": commands(f"verify {{{group}}}", f"verify {{{group}}} --json --remake 1"),
        "view": commands(
            f"view {{{group}}} -o pages/all.html --pages 1 --size 120 --workers 0",
            f"view {{{group}}} 1 -o pages/one.html --size 120 --workers 0" if count > 1 else "--version",
            files=["pages"],
        ),
        "replay": _drawn(group),
    }
    made["say"] = commands(f"say {{{group}}}", f"say {{{group}}} 0 --json --annotators 5 --seed 3")
    for name, make in made.items():
        yield Item(f"{group}/{name}", make, needs, quick or (group == "alfred" and name in ("dataset", "show")))
    for name in sorted(entry_points(group="chorewright.exporters").names):
        line = f"export {{{group}}} --format {name} --out out-{name}"
        make = commands(line, files=[f"out-{name}"])
        yield Item(f"{group}/export-{name}", make, (*needs, *_NEEDS.get(name, ())), quick and name in ("chat", "eai"))


OF_DATASETS = (
    *(item for group in FEW for item in _of_dataset(group)),
    *(Item(f"{group}/sentences", sentences(f"many-{group}")) for group in MANY),
    Item("domains/sentences", sentences(*(f"many-{name}" for name in CLASSIC))),
)

__all__ = ["CLASSIC", "DATASETS", "LOOSE", "OF_DATASETS"]
