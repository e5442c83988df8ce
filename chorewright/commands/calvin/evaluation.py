"""The verb that measures a policy at CALVIN's table as its paper does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.common import code_path
from chorewright.commands.shell import AsJson, console, print_json, printable, readable, verb

if TYPE_CHECKING:
    from rich.table import Table

    from chorewright.generator.calvin.evaluation import Result


@verb
def evaluate(
    policy: Annotated[
        str,
        typer.Option("--policy", help="expert, or module:Class of your own with reset() and step(obs, goal)."),
    ],
    chains: Annotated[
        int, typer.Option("--chains", "-n", help="So many of the published chains of five tasks.")
    ] = 1000,
    first: Annotated[int, typer.Option("--first", help="The number of the first of these chains, from 0.")] = 0,
    rollouts: Annotated[
        int, typer.Option("--rollouts", help="So many starts of each task by itself; 0 for none.")
    ] = 10,
    scene: Annotated[str, typer.Option("--scene", help="The table: A, B, C or D.")] = "D",
    pictures: Annotated[
        bool, typer.Option("--pictures/--no-pictures", help="Whether the policy is shown pictures.")
    ] = True,
    seed: Annotated[int, typer.Option("--seed", help="Of the starts of single tasks.")] = 0,
    workers: Annotated[
        int | None,
        typer.Option("--workers", help="Processes, each with a policy; by default 0, for expert all cores."),
    ] = None,
    instructions: Annotated[
        Path | None,
        typer.Option(
            "--instructions",
            help="What the policy is told instead of our sentences: a YAML file in CALVIN's format, of which "
            "the first sentence of each task is said.",
        ),
    ] = None,
    calvin_env: Annotated[
        str | None,
        typer.Option(
            "--calvin-env",
            metavar="PATH",
            help="Drive CALVIN's own environment, from this checkout.",
            parser=code_path,
        ),
    ] = None,
    retreat: Annotated[
        bool,
        typer.Option(
            "--retreat",
            help="For expert: begin the next task of a chain when the hand has drawn back, not at the instant at "
            "which the task before is seen done, as CALVIN does.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Let a policy do tasks at CALVIN's table: one by one (MTLC), and chains of five (LH-MTLC)."""
    from chorewright.commands.progress import counting
    from chorewright.generator.calvin.evaluation import Evaluation
    from chorewright.generator.calvin.evaluation import evaluate as run

    goals = None
    if instructions is not None:
        from chorewright.rsa.calvin.instructions import load_sentences

        goals = {task: said[0] for task, said in load_sentences(readable(instructions)).items()}
    asking = Evaluation(policy, scene, chains, rollouts, pictures, seed, first, calvin_env, goals, retreat)
    with counting("evaluate") as watch:
        result = run(asking, workers, watch)
    if as_json:
        print_json(
            {
                "policy": policy,
                "scene": scene,
                "world": "ours" if calvin_env is None else "calvin_env",
                "counted_from": "retreat" if retreat else "detection",
                "lh_mtlc": {
                    "chains": len(result.lengths),
                    "success": {str(count): result.at_least(count) for count in range(1, 6)},
                    "average_length": result.average_length,
                    "lengths": list(result.lengths),
                }
                if result.lengths
                else None,
                "mtlc": {
                    "success": result.task_success,
                    "tasks": {task: {"done": done, "rollouts": count} for task, done, count in result.tasks},
                }
                if result.tasks
                else None,
                "steps": result.steps,
            }
        )
        return
    if result.lengths:
        console().print(_chain_table(policy, scene, result))
    if result.tasks:
        console().print(_task_table(result))


def _chain_table(policy: str, scene: str, result: Result) -> Table:
    from rich.table import Table

    title = f"LH-MTLC, scene {scene}: {len(result.lengths)} chains, percent with so many tasks in a row"
    table = Table(title=printable(title), title_justify="left")
    table.add_column("", overflow="fold")
    for heading in ("1", "2", "3", "4", "5", "average"):
        table.add_column(heading, justify="right", no_wrap=True)
    shares = [f"{100 * result.at_least(count):.1f}" for count in range(1, 6)]
    table.add_row(printable(policy), *shares, f"{result.average_length:.3f}")
    return table


def _task_table(result: Result) -> Table:
    from rich.table import Table

    title = f"MTLC: {100 * result.task_success:.1f} percent in the mean over tasks"
    table = Table(title=printable(title), title_justify="left")
    table.add_column("task", overflow="fold")
    for heading in ("done", "rollouts"):
        table.add_column(heading, justify="right", no_wrap=True)
    for task, done, count in result.tasks:
        table.add_row(printable(task), str(done), str(count))
    return table
