"""Commands that the help of each verb shows."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Mapping

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "demo": ("demo", "demo my-folder --episodes 50"),
    "init": ("init my-project",),
    "doctor": ("doctor", "doctor --warm"),
    "completion": ('eval "$(chorewright completion bash)"',),
    "tasks": ("tasks", "tasks alfred/pick_and_place_simple", "tasks --search coffee"),
    "new-task": ("new-task set-the-table",),
    "check-task": ("check-task set-the-table.task --rooms 4",),
    "compile": (
        "compile alfred/pick_and_place_simple --slot object=Mug --slot receptacle=Shelf --scene FloorPlan10 --out mug",
    ),
    "plan": (
        "plan domain.pddl problem.pddl -o problem.plan",
        "plan domain.pddl problem.pddl --search astar",
        "plan domain.pddl p1.pddl p2.pddl p3.pddl -o plans --workers 2",
    ),
    "validate": ("validate domain.pddl problem.pddl problem.plan", "validate d.pddl p.pddl p.plan --format github"),
    "compare": ("compare mine.pddl reference.pddl",),
    "check": ("check domain.pddl problem.pddl", "check . --format sarif"),
    "lsp": ("lsp",),
    "fmt": ("fmt domain.pddl", "fmt . --check", "fmt - < domain.pddl"),
    "verify": ("verify demo", "verify demo --remake 3"),
    "show": ("show demo", "show demo 0"),
    "view": ("view demo -o demo.html", "view demo 3 -o episode.html", "view demo 3 --beside mine:0 -o two.html"),
    "replay": ("replay demo --render rgb,depth,instances", "replay demo --video --episode 3"),
    "export": ("export demo --format alfred --out json", "export demo --format lerobot --help"),
    "new-domain": ("new-domain lamps", "new-domain lamps --like blocks"),
    "check-domain": ("check-domain lamps",),
    "check-scene": ("check-scene room.json",),
    "questions": ("questions domain.pddl problem.pddl -o asked",),
    "houses": ("houses -o houses -n 10 --rooms 2-4",),
    "say": ("say demo 0", "say traj_data.json"),
    "chains": ("chains -n 5", "chains --from led=1,drawer=open"),
    "check-state": ("check-state teach/Coffee --state state.json",),
    "generate alfred": (
        "generate alfred --out demo -n 100",
        "generate alfred --out mine -n 20 --task set-the-table.task",
    ),
    "generate behavior": ("generate behavior --out activities -n 20",),
    "generate calvin": ("generate calvin --out chains -n 20",),
    "generate handmethat": ("generate handmethat --out requests -n 100",),
    "generate objectnav": ("generate objectnav --out ways -n 100",),
    "generate pddl": ("generate pddl --out blocks-data -n 100 --domain blocks",),
    "generate teach": ("generate teach --out sessions -n 100",),
    "data filter": ("data filter demo --where 'length < 40' --out short",),
    "data merge": ("data merge demo mine --out both",),
    "data relabel": ("data relabel demo --to validation --room FloorPlan10 --out other",),
    "data sample": ("data sample demo -n 10 --out some",),
    "data split": ("data split demo --into train=0.8 --into test=0.2 --out parts",),
    "evaluate alfred": ("evaluate alfred demo --agent exploring",),
    "evaluate calvin": ("evaluate calvin --policy expert -n 10 --rollouts 0",),
    "evaluate descriptions": ("evaluate descriptions described answers.jsonl",),
    "evaluate eai": ("evaluate eai asked --answers answers.json",),
    "evaluate handmethat": ("evaluate handmethat requests --agent heuristic",),
    "evaluate objectnav": ("evaluate objectnav ways --agent exploring",),
    "evaluate questions": ("evaluate questions asked answers.jsonl",),
    "evaluate teach": ("evaluate teach teach-data", "evaluate teach --agent planner --sessions 2"),
    "play alfred": ("play alfred", "play alfred --episode demo 0"),
    "play behavior": ("play behavior --seed 1",),
    "play handmethat": ("play handmethat --seed 7",),
    "play pddl": ("play pddl domain.pddl problem.pddl",),
    "rewards": ("rewards plan --out tasks -n 100",),
    "data import": ("data import json_2.1.0 --format alfred --out recordings",),
    "serve openenv": ("serve openenv --env pddl:blocks",),
}
"""Commands that a verb's help shows."""


def epilog(verb: str) -> str | None:
    """Return the examples of a verb as the end of its help; None if it has none."""
    found = EXAMPLES.get(verb)
    if found is None:
        return None
    lines = [each if each.startswith("eval ") else f"chorewright {each}" for each in found]
    columns = shutil.get_terminal_size().columns - 4  # where help is indented
    return "\b\n" + "\n".join(["Examples:", *(_break_line(line, columns) for line in lines)])


_WORD = re.compile(r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+")


def _break_line(line: str, columns: int) -> str:
    """Return a command in lines of so many columns, as a shell reads it; quoted words stay whole."""
    whole = _WORD.sub(lambda word: word[0].replace(" ", "\0"), line)
    parts = textwrap.wrap(whole, columns - 4, break_long_words=False, break_on_hyphens=False)
    return " \\\n".join(f"{'    ' if number else '  '}{part}" for number, part in enumerate(parts)).replace("\0", " ")
