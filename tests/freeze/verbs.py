"""What verbs say and write that need no dataset: plans, files, tasks, domains, houses, chains, help; other options."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import entry_points
from itertools import groupby

from tests.freeze.datasets import CLASSIC
from tests.freeze.item import CORPUS, Item, commands, copied, written
from tests.freeze.workspace import Make, Outputs, Workspace
from tests.planner.test_durative_validation import DOMAIN, GOOD, PROBLEM

_COMMAND = re.compile(r"^  ([a-z][a-z-]*) {2,}\S", re.MULTILINE)


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
    """Give the list of tasks, the pages of seventy of each set, and the kinds."""
    listed = work.run("tasks --json")
    value = json.loads(listed.partition("\n")[2].rpartition("exit code")[0])
    by_set = groupby(sorted(set(_names(value))), key=lambda name: name.partition("/")[0])
    names = [name for _, found in by_set for name in _spread(list(found))]
    lines = ["tasks", "tasks --list sets", "tasks --list kinds", *(f"tasks {name}" for name in names)]
    return {"list.json": listed.encode(), "tasks.txt": "\n".join(map(work.run, lines)).encode()}


def _spread(names: list[str], count: int = 70) -> list[str]:
    """Return so many names at most, from all of a list."""
    return names[:: -(-len(names) // count)]


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
    "--search ehc", "--heuristic add", "--heuristic goal-count", "--queues novelty", "--queues landmarks",
)  # fmt: skip


def _plans(problems: Sequence[tuple[str, str]], folder: str) -> Make:
    """Return what plans problems, writes the plans into a folder, and checks them."""
    lines = [f"plan {pair[0]} {pair[1]} {CAPS} -o {folder}/{number}.plan" for number, pair in enumerate(problems)]
    lines += [f"plan {pair[0]} {pair[1]} {CAPS} --json" for pair in problems[:4]]
    checks = [f"validate -v {pair[0]} {pair[1]} {folder}/{number}.plan" for number, pair in enumerate(problems)]
    run = commands(*lines, *checks, files=[folder])

    def make(work: Workspace) -> Outputs:
        (work.folder / folder).mkdir()
        return run(work)

    return make


PLANNING = (
    Item("plan/ipc", copied("reference/ipc")(_plans(IPC, "ipc-plans"))),
    Item("plan/numeric", copied("numeric")(_plans(NUMERIC, "numeric-plans"))),
    Item("plan/searches", copied("reference/ipc")(commands(
        *(f"plan {BLOCKS[0]} {BLOCKS[1]} --evaluations 4000 {words}" for words in SEARCHES),
        f"plan {BLOCKS[0]} {BLOCKS[1]} --engine pyperplan",
    )), quick=True),
    Item("plan/temporal", written(domain_pddl=DOMAIN, dinner_pddl=PROBLEM, good_plan=GOOD,
                                   bad_plan=GOOD.replace("[5]", "[4]"))(commands(
        "validate -v domain.pddl dinner.pddl good.plan", "validate domain.pddl dinner.pddl bad.plan --json",
        "validate domain.pddl dinner.pddl bad.plan --format junit", "plan domain.pddl dinner.pddl",
        "check domain.pddl dinner.pddl", "fmt domain.pddl dinner.pddl --diff",
    )), quick=True),
    Item("plan/questions", copied("reference/ipc")(commands(
        *(f"questions {domain} {problem} -o q-{number} --seed 3" for number, (domain, problem) in enumerate(IPC[2:6])),
        files=[f"q-{number}" for number in range(4)],
    ))),
    Item("plan/compare", copied("reference/ipc")(commands(
        f"compare --domain {BLOCKS[0]} {BLOCKS[1]} {BLOCKS[1]}",
        f"compare --domain {BLOCKS[0]} {BLOCKS[1]} ipc/blocks/probBLOCKS-4-2.pddl --json",
        f"compare --domain {BLOCKS[0]} ipc/blocks/probBLOCKS-4-1.pddl ipc/blocks/probBLOCKS-4-2.pddl",
    )), quick=True),
)  # fmt: skip

READING = (
    Item("files/check", copied("pddl", "forms", "authoring")(commands(
        "check pddl", "check forms", "check authoring", "check pddl --json",
        *(f"check pddl --format {name}" for name in ("github", "junit", "sarif")),
    )), quick=True),
    Item("files/fmt", copied("pddl", "forms", "numeric")(commands(
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
        "compile teach/coffee --scene FloorPlan10 --out c",
        "compile teach/sandwich --params 1 2 --scene FloorPlan5 --strict --out d",
        "compile teach/put-all-x-on-y --params Fork on Tables --any-objects --out e",
        "compile handmethat/cleaning-shoes --slot footwear=shoe --seed 2 --out f",
        "compile handmethat/cleaning-bathrooms --out g --json",
        "compile calvin/open_drawer --out i", "compile calvin/turn_on_led --scene led=0,drawer=open --out j",
        "plan b/domain.pddl b/problem.pddl -o b/mug.plan", "validate -v b/domain.pddl b/problem.pddl b/mug.plan",
        "say b/mug.plan --task alfred/pick_heat_then_place_in_recep --slot object=Mug --slot receptacle=CoffeeMachine"
        " --scene FloorPlan10 --scene-seed 3 --annotators 5",
        files=list("abcdefghij"),
    ), quick=True),
    Item("tasks/check-task", copied("authoring")(commands(
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
    Item("tasks/scenes", copied("houses")(commands(
        "check-scene FloorPlan10", "check-scene house:7", "check-scene houses/three_rooms.json --json",
        "check-scene houses/three_rooms_0_0_1.json --picture map/map.png", files=["map"],
    ))),
)  # fmt: skip

DOMAINS = (
    Item("domains/check", commands(
        "check-domain", *(f"check-domain {name} -n 6 --seed 2 --out {name}-problems" for name in CLASSIC),
        files=[f"{name}-problems" for name in CLASSIC],
    )),
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
    "objectnav --targets Television --least-metres 2", "objectnav --scenes houses:0-3 --annotations 2",
    "pddl --domain gripper --band easy --optimal", "pddl --domain hanoi --wordings 6 --seed 3",
    "pddl --domain ferry --shard-size 1", "pddl --domain tiles --tries 1 --evaluations 50",
)  # fmt: skip
"""Twenty runs with other options; what their datasets hold, manifests included."""

MANIFESTS = tuple(
    Item(f"manifests/{number:02}-{words.split()[0]}", copied("authoring")(commands(
        f"generate {words} --episodes 2 --workers 0 --out m{number}", files=[f"m{number}"],
    )))
    for number, words in enumerate(VARIANTS)
)  # fmt: skip

OF_VERBS = (*PLANNING, *READING, *TASKS, *DOMAINS, *HOUSES, *MANIFESTS)

__all__ = ["BLOCKS", "OF_VERBS"]
