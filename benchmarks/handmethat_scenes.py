"""HandMeThat's sampled scenes beside the paper's Figure 4, and how many goals there are.

    python -m benchmarks.handmethat_scenes [--scenes 1000] [--seed 0] [--instantiable 30] [--save] [--json FILE]

A goal is a template with its slots filled. Fillings that only give alike slots their kinds in another order
("one fruit in a jar, another in a second jar") are the same goal and are counted once: the number of fillings
of a template is divided by the number of orders of its slots that leave its formula as it is, up to the order
of parts and the names of variables. With `--instantiable`, that many scenes are tried per template.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from itertools import permutations
from math import prod

import numpy as np

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Peer, Report, from_markdown
from chorewright.domains.formulas import rename_types, substitute
from chorewright.domains.library import load_shipped_library, user_library
from chorewright.domains.pddl.syntax import And, Equals, Exists, Forall, Formula, Not
from chorewright.domains.templates.goal_templates import Goal, GoalTemplate
from chorewright.domains.templates.slots import count_fillings
from chorewright.problems.handmethat.goals import instantiate
from chorewright.problems.handmethat.scene import sample_scene

PAPER_OBJECTS, PAPER_CATEGORIES, PAPER_GOALS = 230, 110, 300_000


def scenes(count: int, seed: int) -> str:
    """Return a markdown table of what is in sampled scenes."""
    rng = np.random.Generator(np.random.PCG64(seed))
    objects, categories, held, most = [], [], [], 0
    for _ in range(count):
        scene = sample_scene(rng)
        objects.append(len(scene.entities))
        categories.append(len(scene.by_category))
        inner = [each for each in scene.movables if scene.by_name[each.container].category.movable]
        held.append(100 * len(inner) / len(scene.movables))
        most = max(most, *(len(each) for each in scene.by_category.values()))
    rows = [
        ("objects", figures(objects), str(PAPER_OBJECTS)),
        ("categories", figures(categories), str(PAPER_CATEGORIES)),
        ("objects of one category, most", str(most), "3"),
        ("movables in or on a receptacle", f"{statistics.mean(held):.1f} %", "-"),
    ]
    return "\n".join(
        [f"| {count} scenes | here | paper |", "|---|---|---|", *(f"| {a} | {b} | {c} |" for a, b, c in rows)]
    )


def figures(values: Sequence[int]) -> str:
    return f"{statistics.mean(values):.1f} (sd {statistics.stdev(values):.1f}, {min(values)} to {max(values)})"


def same_orders(template: GoalTemplate) -> int:
    """Return in how many ways the slots can change places without changing what the goal says."""
    ranges: dict[str, list[str]] = {}
    for slot in template.slots:
        ranges.setdefault(str(slot.range).replace(slot.variable, "?"), []).append(slot.variable)
    wanted = canonical(template.goal)
    return prod(
        sum(
            canonical(rename_types(template.goal, dict(zip(names, order, strict=True)))) == wanted
            for order in permutations(names)
        )
        for names in ranges.values()
    )


def canonical(formula: Formula) -> str:
    """Return a text that is the same for formulas with parts in another order or variables renamed."""
    match formula:
        case And(operands):
            return f"(and {' '.join(sorted(map(canonical, operands)))})"
        case Not(operand):
            return f"(not {canonical(operand)})"
        case Equals(left, right):
            return f"(= {' '.join(sorted((left, right)))})"
        case Exists(variables, body) | Forall(variables, body):
            word = type(formula).__name__.lower()
            types = " ".join(sorted(" ".join(each.types) for each in variables))
            names = [each.name for each in variables]
            kinds = {each.name: each.types for each in variables}
            texts = []
            for order in permutations(names):
                if [kinds[name] for name in order] != [kinds[name] for name in names]:
                    continue
                new: Mapping[str, str] = {name: f"_{place}_{'_'.join(kinds[name])}" for place, name in enumerate(order)}
                texts.append(canonical(substitute(body, new)))
            return f"({word} ({types}) {min(texts)})"
        case _:
            return str(formula)


def goals(tries: int, seed: int) -> str:
    """Return a markdown table of how many goals the templates have."""
    vocabulary = load_shipped_library().vocabulary("handmethat")
    templates = user_library().collection("handmethat")
    fillings = {each.full_name: count_fillings(each, vocabulary) for each in templates}
    distinct = {each.full_name: fillings[each.full_name] // same_orders(each) for each in templates}
    newer = [each.full_name for each in templates if "version-2" in each.tags]
    rows = [
        ("templates; of version 2", f"{len(templates)}; {len(newer)}", "69; 25"),
        ("fillings of their slots", f"{sum(fillings.values()):,}", "-"),
        ("distinct goals", f"{sum(distinct.values()):,}", f"more than {PAPER_GOALS:,}"),
        ("of the largest template", f"{max(distinct.values()):,}", "-"),
        ("of all but the five largest", f"{sum(sorted(distinct.values())[:-5]):,}", "-"),
        ("of version 2", f"{sum(distinct[name] for name in newer):,}", "-"),
        (
            f"templates with an instance in at least one of {tries} scenes",
            str(sum(instantiable(each, tries, seed) for each in templates)),
            "69",
        ),
    ]
    return "\n".join(["| goals | here | paper |", "|---|---|---|", *(f"| {a} | {b} | {c} |" for a, b, c in rows)])


def instantiable(template: GoalTemplate, tries: int, seed: int) -> bool:
    for number in range(tries):
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, number))))
        if isinstance(instantiate(template, sample_scene(rng), rng), Goal):
            return True
    return False


def report(scene_table: str, goal_table: str) -> Report:
    """Return the figures of both tables."""
    counted = {row[0]: row[1] for text in (scene_table, goal_table) for row in from_markdown(text).rows}
    paper = "Wan et al. 2022 (HandMeThat)"
    return Report(
        name="handmethat_scenes",
        group="HandMeThat",
        title="HandMeThat's scenes and goals",
        explanation="Sampled scenes beside the paper's Figure 4, and how many goals there are; fillings that only give "
        "alike slots their categories in another order are one goal.",
        figures=(
            Figure(
                "goals",
                "distinct goals",
                int(counted["distinct goals"].replace(",", "")),
                peers=(Peer("paper", f"more than {PAPER_GOALS:,}", paper),),
                note="most are those of packing-lunches, which has eight slots",
            ),
            Figure(
                "objects",
                "objects of a scene: mean, deviation and range",
                counted["objects"],
                peers=(Peer("paper", str(PAPER_OBJECTS), f"{paper}, Figure 4"),),
            ),
            Figure(
                "categories",
                "categories of a scene: mean, deviation and range",
                counted["categories"],
                peers=(Peer("paper", str(PAPER_CATEGORIES), f"{paper}, Figure 4"),),
            ),
        ),
        tables=(from_markdown(scene_table), from_markdown(goal_table)),
    )


def main() -> None:
    """Print both tables."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--scenes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--instantiable", type=int, default=30)
    arguments = parser.parse_args()
    scene_table = scenes(arguments.scenes, arguments.seed)
    print(scene_table)
    print()
    goal_table = goals(arguments.instantiable, arguments.seed)
    print(goal_table)
    keep(arguments, report(scene_table, goal_table))


if __name__ == "__main__":
    main()
