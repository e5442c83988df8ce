"""What is frozen: items by name, ``GROUP/NAME``; the items of a group share a folder and its datasets."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import chorewright as cw
from tests.command import ROOT
from tests.freeze.games import transcripts
from tests.freeze.workspace import Make, Outputs, Workspace
from tests.generator.test_digests import CASES
from tests.planner.test_durative_validation import DOMAIN, GOOD, PROBLEM

CORPUS = ROOT / "tests" / "corpus"


@dataclass(frozen=True, slots=True)
class Item:
    """Something that is frozen.

    Attributes:
        name: ``GROUP/NAME``.
        make: Makes it in its group's workspace.
        needs: Packages without which it is left out.
        quick: Whether ``--quick`` makes it.
    """

    name: str
    make: Make
    needs: tuple[str, ...] = ()
    quick: bool = False

    @property
    def group(self) -> str:
        """The name of its group."""
        return self.name.partition("/")[0]


def case(name: str, episodes: int) -> str:
    """Return the words of ``generate`` for the first kinds of episodes of a case of ``test_digests``."""
    config = CASES[name]
    options = " ".join(f"--{key} {value}" for key, values in config.options for value in values)
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
    "alfred": case("alfred", 150),
    "alfred-houses": "alfred --scenes houses:0-19 --episodes 20 --seed 1",
    "behavior": "behavior --episodes 50 --seed 1",
    "handmethat1": case("handmethat1", 30),
    "handmethat2": case("handmethat2", 150),
    "objectnav": case("objectnav", 200),
    "teach": case("teach", 40),
    "teach-houses": "teach --scenes houses:0-19 --episodes 6 --seed 1",
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
_COMMAND = re.compile(r"^  ([a-z][a-z-]*) {2,}\S", re.MULTILINE)


def commands(*lines: str, files: Sequence[str] = (), typed: str = "") -> Make:
    """Return what runs commands one after the other and gives what they say, and the files in some folders.

    ``{NAME}`` in a line is the folder of the dataset of this name.
    """

    def make(work: Workspace) -> Outputs:
        filled = [re.sub(r"\{([\w-]+)\}", lambda named: work.dataset(named[1]), line) for line in lines]
        said = "\n".join(work.run(line, typed) for line in filled)
        found: dict[str, bytes] = {"commands.txt": said.encode()}
        for name in files:
            found |= work.files(name)
        return found

    return make


def _dataset(name: str) -> Make:
    def make(work: Workspace) -> Outputs:
        return work.files(work.dataset(name)) | {"commands.txt": work.made[name].encode()}

    return make


def _sentences(*names: str) -> Make:
    """Return what gives all sentences of datasets, with their levels."""

    def make(work: Workspace) -> Outputs:
        return {f"{name}.txt": "\n".join(_said(work.dataset(name))).encode() for name in names}

    return make


def _said(folder: str) -> Iterator[str]:
    for episode in cw.Dataset(folder):
        yield f"== {episode.index} {episode.task}"
        for each in episode.instructions:
            yield f"{each.level} {each.annotation} {each.segment}: {each.text}"


def _of_dataset(group: str, count: int) -> Iterator[Item]:
    """Yield what every dataset is asked: its files, pages, pictures and exports."""
    needs = ("pybullet",) if group == "calvin" else ()
    quick = group in ("blocks", "objectnav")
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
        "replay": commands(
            f"replay {{{group}}} --render rgb,depth,instances --size 60 --episode 0 --workers 0",
            files=[f"{group}/frames"],
        ),
    }
    made["say"] = commands(f"say {{{group}}}", f"say {{{group}}} 0 --json --annotators 5 --seed 3")
    for name, make in made.items():
        yield Item(f"{group}/{name}", make, needs, quick or (group == "alfred" and name in ("dataset", "show")))
    for name in sorted(entry_points(group="chorewright.exporters").names):
        line = f"export {{{group}}} --format {name} --out out-{name}"
        make = commands(line, files=[f"out-{name}"])
        yield Item(f"{group}/export-{name}", make, (*needs, *_NEEDS.get(name, ())), quick and name in ("chat", "eai"))


def _copied(*names: str) -> Callable[[Make], Make]:
    """Return what has folders of the corpus copied before an item is made."""

    def wrap(make: Make) -> Make:
        def first(work: Workspace) -> Outputs:
            for name in names:
                shutil.copytree(CORPUS / name, work.folder / Path(name).name, dirs_exist_ok=True)
            return make(work)

        return first

    return wrap


def _written(**texts: str) -> Callable[[Make], Make]:
    """Return what writes files of the workspace before an item is made; ``_`` in a name is a dot."""

    def wrap(make: Make) -> Make:
        def first(work: Workspace) -> Outputs:
            for name, text in texts.items():
                (work.folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
            return make(work)

        return first

    return wrap


def _help(work: Workspace) -> Outputs:
    """Give the help of all verbs, and of the formats of ``export``."""
    pages: dict[str, bytes] = {}

    def read(words: str) -> None:
        page = work.run(f"{words} --help".strip())
        pages[f"{words.replace(' ', '-') or 'chorewright'}.txt"] = page.encode()
        if "COMMAND [ARGS]" in page:
            for name in _COMMAND.findall(page):
                read(f"{words} {name}".strip())

    read("")
    for name in sorted(entry_points(group="chorewright.exporters").names):
        read(f"export --format {name}")
    return pages | {"first.txt": work.run("").encode()}


def _task_pages(work: Workspace) -> Outputs:
    """Give the list of tasks, the page of each, and the kinds."""
    listed = work.run("tasks --json")
    value = json.loads(listed.partition("\n")[2].rpartition("exit code")[0])
    names = sorted(set(_names(value)))
    lines = ["tasks", "tasks --list sets", "tasks --list kinds", *(f"tasks {name}" for name in names)]
    return {"list.json": listed.encode(), "tasks.txt": "\n".join(map(work.run, lines)).encode()}


def _names(value: object) -> Iterator[str]:
    """Yield the values of all keys ``name`` that are names of tasks."""
    if isinstance(value, Mapping):
        name = value.get("name")
        if isinstance(name, str) and "/" in name:
            yield name
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _names(each)


def _ipc(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return domain and smallest problem of folders of competition problems, as their copies lie."""
    found = []
    for name in names:
        folder = CORPUS / "reference" / "ipc" / name
        files = sorted(folder.glob("*.pddl"), key=lambda path: (path.stat().st_size, path.name))
        problem = next(path for path in files if "domain" not in path.name)
        own = folder / f"{problem.stem}-domain.pddl"
        domain = own if own.exists() else folder / "domain.pddl"
        found.append((f"ipc/{name}/{domain.name}", f"ipc/{name}/{problem.name}"))
    return found


IPC = _ipc(path.name for path in sorted((CORPUS / "reference" / "ipc").iterdir()))
BLOCKS = IPC[[path.name for path in sorted((CORPUS / "reference" / "ipc").iterdir())].index("blocks")]
NUMERIC = [(f"numeric/{path.name}/domain.pddl", f"numeric/{path.name}/p1.pddl")
           for path in sorted((CORPUS / "numeric").iterdir())]  # fmt: skip
CAPS = "--evaluations 4000 --improve 400"
SEARCHES = (
    "--search astar", "--search astar --heuristic lmcut", "--search lazy", "--search wastar --weight 3",
    "--search ehc", "--heuristic add", "--heuristic goal-count --queues novelty", "--queues landmarks",
    "--engine pyperplan",
)  # fmt: skip


def _plans(problems: Sequence[tuple[str, str]], folder: str) -> Make:
    lines = [f"plan {pair[0]} {pair[1]} {CAPS} -o {folder}/{number}.plan" for number, pair in enumerate(problems)]
    lines += [f"plan {pair[0]} {pair[1]} {CAPS} --json" for pair in problems[:4]]
    checks = [f"validate -v {pair[0]} {pair[1]} {folder}/{number}.plan" for number, pair in enumerate(problems)]
    return commands(*lines, *checks, files=[folder])


PLANNING = (
    Item("plan/ipc", _copied("reference/ipc")(_plans(IPC, "ipc-plans"))),
    Item("plan/numeric", _copied("numeric")(_plans(NUMERIC, "numeric-plans"))),
    Item("plan/searches", _copied("reference/ipc")(commands(
        *(f"plan {BLOCKS[0]} {BLOCKS[1]} --evaluations 4000 {words}" for words in SEARCHES),
    )), quick=True),
    Item("plan/temporal", _written(domain_pddl=DOMAIN, dinner_pddl=PROBLEM, good_plan=GOOD,
                                   bad_plan=GOOD.replace("[5]", "[4]"))(commands(
        "validate -v domain.pddl dinner.pddl good.plan", "validate domain.pddl dinner.pddl bad.plan --json",
        "validate domain.pddl dinner.pddl bad.plan --format junit", "plan domain.pddl dinner.pddl",
        "check domain.pddl dinner.pddl", "fmt domain.pddl dinner.pddl --diff",
    )), quick=True),
    Item("plan/questions", _copied("reference/ipc")(commands(
        *(f"questions {domain} {problem} -o q-{number} --seed 3" for number, (domain, problem) in enumerate(IPC[2:6])),
        files=[f"q-{number}" for number in range(4)],
    ))),
    Item("plan/compare", _copied("reference/ipc")(commands(
        f"compare --domain {BLOCKS[0]} {BLOCKS[1]} {BLOCKS[1]}",
        f"compare --domain {BLOCKS[0]} {BLOCKS[1]} ipc/blocks/probBLOCKS-4-2.pddl --json",
        f"compare --domain {BLOCKS[0]} ipc/blocks/probBLOCKS-4-1.pddl ipc/blocks/probBLOCKS-4-2.pddl",
    )), quick=True),
)  # fmt: skip

READING = (
    Item("files/check", _copied("pddl", "forms", "authoring")(commands(
        "check pddl", "check forms", "check authoring", "check pddl --json",
        *(f"check pddl --format {name}" for name in ("github", "junit", "sarif")),
    )), quick=True),
    Item("files/fmt", _copied("pddl", "forms", "numeric")(commands(
        "fmt forms --check", "fmt pddl --diff", "fmt forms", "fmt numeric", files=["forms", "numeric"],
    )), quick=True),
)  # fmt: skip

TASKS = (
    Item("tasks/pages", _task_pages, quick=True),
    Item("tasks/compile", commands(
        "compile alfred/pick_and_place_simple --slot object=Mug --slot receptacle=Shelf --scene FloorPlan10 --out a",
        "compile alfred/pick_heat_then_place_in_recep --slot object=Mug --slot receptacle=CoffeeMachine"
        " --scene FloorPlan10 --seed 3 --out b",
        "compile alfred/pick_and_place_simple --slot object=Mug --slot receptacle=Shelf --scene house:7 --out h",
        "compile teach/coffee --scene FloorPlan10 --out c", "compile teach/sandwich --scene FloorPlan5 --strict --out d",
        "compile teach/put-all-x-on-y Fork on Tables --any-objects --out e",
        "compile handmethat/cleaning-shoes --slot footwear=shoe --seed 2 --out f",
        "compile handmethat/cleaning-bathrooms --out g --json",
        "compile tabletop/open_drawer --out i", "compile tabletop/turn_on_led --scene led=0,drawer=open --out j",
        "plan b/domain.pddl b/problem.pddl -o b/mug.plan", "validate -v b/domain.pddl b/problem.pddl b/mug.plan",
        "say b/mug.plan --task alfred/pick_heat_then_place_in_recep --slot object=Mug --slot receptacle=CoffeeMachine"
        " --scene FloorPlan10 --scene-seed 3 --annotators 5",
        files=list("abcdefghij"),
    ), quick=True),
    Item("tasks/check-task", _copied("authoring")(commands(
        *(f"check-task authoring/{name}.task --rooms 3" for name in
          ("all-off", "coffee-away", "hot-and-cold", "pour-over", "wash-the-cup", "books-from-bed")),
        "check-task teach/coffee --rooms 2", "check-task handmethat/cleaning-shoes --rooms 2",
        "check-task alfred/look_at_obj_in_light --rooms 2 --json",
    ))),
    Item("tasks/new", commands(
        "new-task set-the-table --out n", "new-task my-table --domain tabletop --out n", "new-domain parcels --out n",
        "check-task n/set-the-table.task --rooms 2", "check-domain n/parcels -n 6", "init project",
        files=["n", "project"],
    )),
    Item("tasks/scenes", _copied("houses")(commands(
        "check-scene FloorPlan10", "check-scene house:7", "check-scene houses/three_rooms.json --json",
        "check-scene houses/three_rooms_0_0_1.json --picture map/map.png", files=["map"],
    ))),
)  # fmt: skip

DOMAINS = (
    Item("domains/check", commands(
        "check-domain", *(f"check-domain {name} -n 6 --seed 2 --out {name}-problems" for name in CLASSIC),
        files=[f"{name}-problems" for name in CLASSIC],
    )),
    Item("domains/sentences", _sentences(*(f"many-{name}" for name in CLASSIC))),
    Item("domains/new", commands(
        *(f"new-domain mine --like {name} --out like-{name}" for name in CLASSIC),
        files=[f"like-{name}" for name in CLASSIC],
    ), quick=True),
)  # fmt: skip

HOUSES = (
    Item("houses/rich", commands("houses -n 8 --workers 0 -o rich", files=["rich"])),
    Item("houses/procthor", commands("houses -n 8 --workers 0 --style procthor --rooms 2-4 -o plain --seed 40 --json",
                                     files=["plain"])),
    Item("chains/draws", commands(
        "chains -n 250 --say --seed 5", "chains -n 50 --say --json", "chains -n 20 --json --concrete --scene B",
        "chains --compatible -n 40", "chains --any-category -n 20 --length 3", "chains --goal '(lit led)' --out goal",
        "chains --from led=1,drawer=open,red_block=drawer -n 10", files=["goal"],
    ), quick=True),
    Item("help/pages", _help, quick=True),
)  # fmt: skip

VARIANTS = (
    "alfred --seed 7", "alfred --tasks authoring/coffee-away.task", "alfred --annotations 5 --splits valid_seen",
    "alfred --tasks alfred/pick_and_place_simple --fillings object=Mug", "alfred --split-share train=8",
    "alfred --scenes FloorPlan10 --demonstrations 1", "teach --tasks Coffee --embodied",
    "teach --tasks 'Put All X On Y' --params 'Fork on Tables'", "teach --scenes FloorPlan3 --splits train",
    "handmethat --version 1 --seed 4", "handmethat --costs satisficing",
    "handmethat --tasks handmethat/cleaning-shoes", "behavior --version 100", "behavior --hands 2 --distractors 5",
    "objectnav --targets Mug --least-metres 2", "objectnav --scenes houses:0-3 --annotations 2",
    "pddl --domain gripper --band easy --optimal", "pddl --domain hanoi --wordings 6 --seed 3",
    "pddl --domain ferry --shard-size 1", "pddl --domain tiles --tries 1 --evaluations 50",
)  # fmt: skip
"""Twenty runs with other options; what their datasets hold, manifests included."""

MANIFESTS = tuple(
    Item(f"manifests/{number:02}-{words.split()[0]}", _copied("authoring")(commands(
        f"generate {words} --episodes 2 --workers 0 --out m{number}", files=[f"m{number}"],
    )))
    for number, words in enumerate(VARIANTS)
)  # fmt: skip

ALFRED_INFOS = ("admissible_commands", "won", "goal_conditions", "facts", "reason", "extra.expert_plan")
PDDL_INFOS = ("admissible_commands", "won", "score", "cost", "goal", "goal_conditions", "reason", "expert_command")
TYPED = "look\nhelp\ninventory\ngo to desk 1\nx\nquit\n"


def _problems(*names: str) -> Callable[[Workspace], Mapping[str, Any]]:
    """Return what makes the problems of the last of some shipped domains, and their domain."""

    def make(work: Workspace) -> Mapping[str, Any]:
        [name] = names
        work.run(f"new-domain mine --like {name} --out game-{name}")
        work.run(f"check-domain game-{name}/mine -n 12 --seed 9 --out game-{name}/problems")
        return {"domain": f"game-{name}/mine/domain.pddl", "problems": f"game-{name}/problems"}

    return make


GAMES = (
    Item("alfred/games", transcripts(
        "ALFWorld-v0", lambda work: {"games": work.dataset("many-alfred"), "reasons": True}, ALFRED_INFOS)),
    Item("alfred/games-drawn", transcripts("ALFWorld-v0", lambda work: {"shuffle_names": True}, ALFRED_INFOS, 40)),
    Item("alfred-houses/games", transcripts(
        "ALFWorld-v0", lambda work: {"games": work.dataset("many-alfred-houses")}, ALFRED_INFOS)),
    *(
        Item(f"{name}/games", transcripts(
            f"HandMeThat-v{name[-1]}",
            lambda work, name=name: {"tasks": work.dataset(f"many-{name}")},
            ("admissible_commands", "score", "won", "lost", "objective", "facts", "policy_commands")))
        for name in ("handmethat1", "handmethat2")
    ),
    Item("behavior/games", transcripts("BEHAVIOR-v0", lambda work: {"dataset": work.dataset("many-behavior")},
                                       PDDL_INFOS, expert_in=10)),
    *(
        Item(f"domains/games-{name}", transcripts("PDDL-v0", _problems(name), PDDL_INFOS, 50))
        for name in ("blocks", "gripper", "sokoban", "household")
    ),
)  # fmt: skip

PLAYING = (
    Item("alfred/play", commands("play alfred {alfred}", "play alfred {alfred} 1", typed=TYPED)),
    Item("behavior/play", commands("play behavior {behavior} 0", typed=TYPED)),
    Item("handmethat2/play", commands("play handmethat {handmethat2} 0", typed=TYPED)),
    Item("alfred/evaluate", commands(
        "evaluate alfred {many-alfred} --agent planner -n 12 --workers 0",
        "evaluate alfred {many-alfred} --agent exploring -n 12 --workers 0 --json")),
    Item("handmethat2/evaluate", commands(*(
        f"evaluate handmethat {{many-handmethat2}} --agent {name} -n 6 --workers 0"
        for name in ("random", "heuristic", "planner", "inferring", "oracle")))),
    Item("objectnav/evaluate", commands(*(
        f"evaluate objectnav {{objectnav}} --agent {name} --workers 0"
        for name in ("random", "exploring", "shortest-path")))),
    Item("teach/evaluate", commands("evaluate teach --agents planner --sessions 1 --tasks Coffee --workers 0")),
)  # fmt: skip


def _states(work: Workspace) -> Outputs:
    """Say how far tasks are done at the end of TEACh's game files."""
    work.run(f"export {work.dataset('teach')} --format teach --out states")
    games = sorted(path.relative_to(work.folder).as_posix() for path in (work.folder / "states").rglob("*.game.json"))
    lines = [
        f"check-state {task} --state {game}" for game in games[:6] for task in ("teach/coffee", "teach/toast --json")
    ]
    return {"commands.txt": "\n".join(map(work.run, lines)).encode()}


ITEMS: tuple[Item, ...] = (
    *(item for group, words in FEW.items() for item in _of_dataset(group, int(words.split("--episodes ")[1].split()[0]))),
    *(Item(f"{group}/sentences", _sentences(f"many-{group}")) for group in MANY),
    *GAMES, *PLAYING, Item("teach/check-state", _states),
    *PLANNING, *READING, *TASKS, *DOMAINS, *HOUSES, *MANIFESTS,
)  # fmt: skip
"""All that is frozen."""

__all__ = ["DATASETS", "ITEMS", "LOOSE", "Item"]
