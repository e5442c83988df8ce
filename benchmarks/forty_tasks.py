"""docs/forty_tasks.md: each authored template with one room from above, one plan, and its sentences.

python -m benchmarks.forty_tasks [--out docs]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from chorewright.domains.library import household_domain, household_vocabulary
from chorewright.domains.templates.goal_templates import GoalTemplate, instantiate
from chorewright.domains.templates.parser import parse_template
from chorewright.generator.alfred.benchmark import world_for_alfred
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.moments import HouseholdMoments
from chorewright.generator.household.spawning import room_of
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.replay.household.pixels.map_view import map_view
from chorewright.replay.household.pixels.renderer import Renderer

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "corpus" / "authoring"
PICTURES = Path("pictures") / "tasks"
SIZE, QUALITY = 220, 70
INTRODUCTION = """# Forty tasks

This page is made by `python -m benchmarks.forty_tasks` from the templates in `tests/corpus/authoring`; do not edit it.
They use all that [a task file can hold](task_files.md): starts, sets, numbers, negation, liquids, stacks,
several appliances. Each is shown in one room that suits it: the map with the agent's path, what the annotators may say,
and the plan without its walks. Three templates cannot be solved, and say why.
"""


def page(out: Path) -> str:
    """Draw the pictures into a folder, and return the page."""
    fails = json.loads((FOLDER / "expected.json").read_text("utf-8"))["fails"]
    parts = [INTRODUCTION]
    for path in sorted(FOLDER.glob("*.task")):
        text = path.read_text("utf-8")
        template = parse_template(text, household_domain(), household_vocabulary(), path.name)
        parts.append("\n".join(section(template, text, fails.get(path.stem), out)))
    return "\n".join(parts)


def section(template: GoalTemplate, text: str, fails: str | None, out: Path) -> Iterator[str]:
    """Yield the lines of a template."""
    name = template.name
    yield f"## {name}\n"
    if fails is not None:
        yield f"[{name}.task](../tests/corpus/authoring/{name}.task) fails: `{fails}`.\n"
        return
    made = episode(name, text)
    goal = instantiate(template, made.parameters, household_vocabulary())
    picture = PICTURES / f"{name}.jpg"
    draw(made, out / picture)
    filled = ", ".join(f"{slot} {value}" for slot, value in made.parameters)
    yield f"![{name} in {made.room.name}]({picture.as_posix()})\n"
    where = f"[{name}.task](../tests/corpus/authoring/{name}.task) in {made.room.name}"
    yield f"{where}{f' with {filled}' if filled else ''}: {' '.join(goal.sentences)}\n"
    steps = [f"{each.name} {' '.join(each.arguments[:-1])}".strip() for each in made.plan if each.name != "go-to"]
    yield f"Plan: {', '.join(f'`{step}`' for step in steps)}.\n"


def episode(name: str, text: str) -> Episode:
    """Return the first accepted episode of a template."""
    config = GenerateConfig("alfred", 1, 0, task_files=((f"{name}.task", text),), options=(("demonstrations", 1),))
    benchmark = BENCHMARKS.find("alfred")
    for assignment in benchmark.assign(config, 5):
        made = benchmark.episode(assignment.index, config, assignment)
        if made.outcome.accepted:
            return made
    raise SystemExit(f"{name}: none of the first five episodes is accepted")


def draw(made: Episode, path: Path) -> None:
    """Write the map with the agent's path and the places of what it handled."""
    seen = [moment.world.scene for moment in HouseholdMoments(world_for_alfred).moments(made)]
    told = " ".join(step.arguments for step in made.steps)
    marks = {thing.object_id: thing.centre for thing in room_of(made).objects if f'"{thing.object_id}"' in told}
    view = map_view(Renderer(), seen[0], 2 * SIZE, [scene.agent for scene in seen], marks)[: 2 * SIZE]
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(view).resize((SIZE, SIZE), Image.Resampling.BOX).save(path, "JPEG", quality=QUALITY)


def main() -> None:
    """Write the page and its pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs", help="the folder of the page")
    arguments = parser.parse_args()
    text = page(arguments.out)
    (arguments.out / "forty_tasks.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
