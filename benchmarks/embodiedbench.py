"""EB-ALFRED's and LoTa-Bench's skills on our service: recorded demonstrations and generated episodes, by our expert.

    python -m benchmarks.embodiedbench [--recorded 300] [--generated 300] [--demos FILE] [--save] [--json FILE]

The two connectors are retyped, around our service in the place of AI2-THOR 2.1.0; an episode of EB-ALFRED's has 30
skills, of which ten may fail. The expert sees what comes of each skill; a script is the exported one, said without
looking; a scripted model says to LoTa-Bench's evaluator, retyped too, what the expert said, up to its 20 skills.
LoTa-Bench leaves out tasks with two objects. Tasks whose skills are not among those that a model may choose
are counted, and not played: the export leaves them out. All times are CPU seconds.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.alfred_env import episodes, recorded
from benchmarks.command import benchmark_parser, from_rich, given_path, keep
from benchmarks.corpora.reference import DATA
from benchmarks.originals.connectors import Played, play
from benchmarks.originals.lota_bench import MOST_STEPS, Planner, ScriptedModel, Task, evaluate
from benchmarks.originals.thor_env import Json
from benchmarks.results import Figure, Report, Target
from chorewright.generator.alfred.export.embodiedbench import start_objects
from chorewright.generator.alfred.export.embodiedbench_expert import script
from chorewright.generator.alfred.export.embodiedbench_skills import SkillDialect, choices, dialect, interactions
from chorewright.generator.alfred.export.exporter import trajectory

Way = Callable[[Json], Played]


def told(traj: Json, instruction: str) -> Json:
    """Return a trajectory with another instruction, after which it is called."""
    return {**traj, "task_id": instruction, "turk_annotations": {"anns": [{"task_desc": instruction}]}}


def can_be_chosen(traj: Json, spoken: SkillDialect) -> bool:
    """Return whether a model may choose every skill that a trajectory takes."""
    objects = start_objects(traj)
    return choices(spoken, objects).issuperset(script(interactions(traj), objects, spoken))


def _scripted(traj: Json) -> Played:
    said = tuple(script(interactions(traj), start_objects(traj), dialect("eb-alfred")))
    return play(traj, said, apart=True)


WAYS: dict[str, Way] = {
    "EB-ALFRED, expert": lambda traj: play(traj, None, apart=True),
    "EB-ALFRED, exported script": _scripted,
    "LoTa-Bench, expert": lambda traj: play(traj, None, apart=False),
}


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--recorded", type=int, default=300, help="recorded demonstrations, spread over the file")
    parser.add_argument("--generated", type=int, default=300, help="generated episodes")
    parser.add_argument("--demos", type=given_path, default=DATA / "alfred" / "demos-train.jsonl.gz")
    arguments = parser.parse_args()
    console = Console()
    groups: dict[str, Sequence[Json]] = {}
    if arguments.recorded:
        groups["recorded"] = [traj for _, traj in islice(recorded(arguments.demos, arguments.recorded),
                                                         arguments.recorded)]  # fmt: skip
    if arguments.generated:
        groups["generated"] = [trajectory(each) for each in episodes(arguments.generated)]
    table = Table("skills", "tasks", "n", "succeed", "%", "skills an episode", "CPU s an episode")
    figures = []
    for group, trajs in groups.items():
        suited = {}
        for bench in ("EB-ALFRED", "LoTa-Bench"):
            spoken = dialect(bench.lower())
            asked = [traj for traj in trajs if spoken.apart or traj["task_type"] != "pick_two_obj_and_place"]
            suited[bench] = [traj for traj in asked if can_be_chosen(traj, spoken)]
            label = f"{group} tasks whose skills {bench} offers a model"
            name = f"{group}_offered_{bench.lower().replace('-', '_')}"
            figures.append(Figure(name, label, len(suited[bench]), of=len(asked)))
        for way, run in WAYS.items():
            chosen = suited[way.partition(",")[0]]
            if not chosen:
                continue
            began = time.process_time()
            played = [run(traj) for traj in chosen]
            seconds = (time.process_time() - began) / len(chosen)
            won = sum(each.won for each in played)
            steps = sum(len(each.skills) for each in played) / len(played)
            table.add_row(way, group, str(len(played)), str(won), f"{100 * won / len(played):.1f}", f"{steps:.1f}",
                          f"{seconds:.2f}")  # fmt: skip
            name = f"{group}_{way.lower().replace('-', '_').replace(', ', '_').replace(' ', '_')}"
            aim = Target("at least", 95.0) if way == "EB-ALFRED, expert" else None
            figures.append(Figure(name, f"{group} tasks that succeed: {way}", won, of=len(played), target=aim))
            if way.startswith("LoTa"):
                scripts = {f"task {number}": each.skills[:MOST_STEPS] for number, each in enumerate(played)}
                tasks = [Task(told(traj, name)) for traj, name in zip(chosen, scripts, strict=True)]
                with tempfile.TemporaryDirectory() as folder:
                    planner = Planner(ScriptedModel(scripts), "")
                    results = evaluate(tasks, planner, Path(folder), blind=True)
                pairs = zip(chosen, scripts.values(), strict=True)
                again = [play(traj, script, apart=False) for traj, script in pairs]
                same = sum(one["success"] == other.won for one, other in zip(results, again, strict=True))
                label = f"{group} tasks in which the evaluator's outcome is the script's"
                aim = Target("at least", 100.0)
                figures.append(Figure(f"{group}_lota_bench_model", label, same, of=len(played), target=aim))
    console.print(table)
    for figure in figures:
        console.print(f"{figure.label}: {figure.value} of {figure.of}")
    keep(arguments, Report(
        name="embodiedbench",
        group="ALFRED",
        title="EB-ALFRED and LoTa-Bench on the stand-in",
        explanation="The skills of both, retyped, around our service in the place of AI2-THOR 2.1.0.",
        figures=tuple(figures),
        tables=(from_rich(table),),
    ))  # fmt: skip


if __name__ == "__main__":
    main()
