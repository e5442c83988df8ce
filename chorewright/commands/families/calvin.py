"""CALVIN's verb ``chains``: draw, count, check and plan chains of tasks; and ``verify`` of folders in its layout."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands import shell
from chorewright.errors import ExitCode, UsageError
from chorewright.files.english import say_count

if TYPE_CHECKING:
    import numpy as np

    from chorewright.problems.calvin.chains import Chain, ChainSpace
    from chorewright.problems.calvin.scenes import TabletopScene, TabletopState
    from chorewright.rsa.calvin.instructions import Instructions


@shell.verb
def chains(
    number: Annotated[int, typer.Option("--number", "-n")] = 10,
    length: int = 5,
    start: Annotated[list[str] | None, typer.Option("--from", metavar="STATE")] = None,
    compatible: Annotated[bool, typer.Option("--compatible")] = False,
    any_category: Annotated[bool, typer.Option("--any-category")] = False,
    seed: int | None = None,
    count: Annotated[bool, typer.Option("--count")] = False,
    check: Annotated[Path | None, typer.Option("--check", metavar="FILE")] = None,
    goal: Annotated[str | None, typer.Option("--goal", metavar="FORMULA")] = None,
    out: Path | None = None,
    say: Annotated[bool, typer.Option("--say")] = False,
    annotations: Annotated[Path | None, typer.Option("--annotations", metavar="FILE")] = None,
    with_numbers: Annotated[bool, typer.Option("--concrete")] = False,
    scene: str = "D",
    as_json: shell.AsJson = False,
) -> None:
    """Draw chains of CALVIN's tasks, count them, check those of a file, or plan one to a goal.

    Exit code 1 if a checked chain cannot be done, 10 if no chain leads to the goal.

    Args:
        number: How many chains.
        length: Tasks in a chain.
        start: Where chains start, e.g. led=1,drawer=open,red_block=drawer; may be repeated. By default the 192 initial
            states of CALVIN's evaluation, for --goal all on the table, all off.
        compatible: Use the published symbolic model, faults included. Without --from, --length, --seed and
            --any-category the published 1,000 evaluation chains come out, in their order.
        any_category: Let tasks of one category repeat in a chain.
        seed: Other chains; 0 by default.
        count: Count all chains from each initial state instead.
        check: Check the chains of a JSON file instead.
        goal: Plan a chain to a goal in PDDL instead, e.g. '(lit led)'.
        out: With --goal: a folder for domain.pddl and problem.pddl of that goal.
        say: Give each task of a chain one of its instructions.
        annotations: With --say: your own, in CALVIN's YAML format.
        with_numbers: With --json: add robot_obs and scene_obs to each chain, the numbers with which CALVIN's evaluation
            starts it.
        scene: With --concrete: the table, A, B, C or D.
    """
    if sum((count, check is not None, goal is not None)) > 1:
        raise UsageError("--count, --check and --goal exclude one another")
    if (out is not None and goal is None) or (annotations is not None and not say):
        raise UsageError("--out goes with --goal, --annotations with --say")
    if say and (count or check is not None):
        raise UsageError("--say goes with chains that are drawn or planned")
    if with_numbers and (count or check is not None or not as_json):
        raise UsageError("--concrete goes with --json and chains that are drawn or planned")
    if number < 0 or (seed is not None and seed < 0):
        raise UsageError("the number of chains and the seed must not be negative")
    from chorewright.problems.calvin import LENGTH
    from chorewright.problems.calvin.chains import ChainSpace
    from chorewright.problems.calvin.scenes import parse_state
    from chorewright.problems.calvin.scenes import scene as table_of
    from chorewright.problems.calvin.tasks import COMPATIBLE, CORRECT

    variant = COMPATIBLE if compatible else CORRECT
    starts = [parse_state(text) for text in start] if start else None
    if check is not None:
        _check(check, variant, any_category, as_json)
        return
    table = table_of(scene)
    instructions = _instructions(annotations) if say else None
    report = _Report(as_json, instructions, _rng(seed, "say"), table if with_numbers else None)
    if goal is not None:
        _plan(goal, starts, variant, out, report)
        return
    if compatible and not count and starts is None and seed is None and length == LENGTH and not any_category:
        from chorewright.problems.calvin.published import find_published_chains

        report.show(find_published_chains(number))
        return
    space = ChainSpace(starts, length, variant, any_category)
    if count:
        _count(space, as_json)
    else:
        report.show(space.sample(number, _rng(seed, "chains")))


@dataclass(frozen=True, slots=True)
class _Report:
    """How chains are shown: as JSON or text, with instructions or without, with their start's numbers on a table."""

    as_json: bool
    instructions: Instructions | None
    rng: np.random.Generator
    table: TabletopScene | None = None

    def show(self, found: Sequence[Chain]) -> None:
        if self.as_json:
            shell.print_json([self.record(chain) for chain in found])
            return
        for chain in found:
            self.tell(chain)

    def record(self, chain: Chain) -> dict[str, object]:
        from chorewright.problems.calvin.scenes import concrete

        found = chain.record()
        if self.table is not None:
            robot, table = concrete(chain.initial_state, self.table)
            found |= {"robot_obs": robot.tolist(), "scene_obs": table.tolist()}
        if self.instructions is not None:
            found["instructions"] = self._say(chain)
        return found

    def tell(self, chain: Chain) -> None:
        print(f"{chain.initial_state}\n  {', '.join(chain.sequence)}")
        for sentence in self._say(chain):
            print(shell.printable(f"    {sentence}"))

    def _say(self, chain: Chain) -> list[str]:
        if self.instructions is None:
            return []
        return [self.instructions.draw(task, self.rng) for task in chain.sequence]


def _rng(seed: int | None, purpose: str) -> np.random.Generator:
    """Return the random numbers of a seed for one purpose, so that what is said does not change chains."""
    import numpy as np

    return np.random.Generator(np.random.PCG64([seed or 0, *purpose.encode()]))


def _instructions(annotations: Path | None) -> Instructions:
    from chorewright.rsa.calvin.instructions import load_instructions, own_instructions

    return own_instructions() if annotations is None else load_instructions(shell.readable(annotations))


def _count(space: ChainSpace, as_json: bool) -> None:
    """Print the number of chains from each start."""
    total = sum(map(space.count, space.starts))
    if as_json:
        rows = [
            {"state": each.record(), "feasible_chains": space.count(each), "distinct_task_sets": space.task_sets(each)}
            for each in space.starts
        ]
        shell.print_json({"initial_states": rows, "total": total})
        return
    for start in space.starts:
        print(f"{space.count(start)} {start}")
    print(
        f"{say_count(total, 'chain')} of {say_count(space.length, 'task')} from {say_count(len(space.starts), 'state')}"
    )


def _check(path: Path, variant: str, any_category: bool, as_json: bool) -> None:
    """Say which chains of a file cannot be done, and why; exit code 1 if there are any."""
    from chorewright.problems.calvin.chains import fault, load_chains

    found = load_chains(shell.readable(path))
    faults = [fault(chain, variant, any_category) for chain in found]
    if as_json:
        rows = [{"chain": number, "valid": each is None} for number, each in enumerate(faults)]
        shell.print_json(
            [row if each is None else {**row, **asdict(each)} for row, each in zip(rows, faults, strict=True)]
        )
    else:
        for number, each in enumerate(faults):
            if each is not None:
                print(shell.fold(f"chain {number}: {each}"))
        bad = sum(each is not None for each in faults)
        print(shell.printable(f"{path}: {len(found) - bad} of {say_count(len(found), 'chain')} can be done"))
    shell.exit_unless(not any(faults))


def _plan(text: str, starts: Sequence[TabletopState] | None, variant: str, out: Path | None, report: _Report) -> None:
    """Plan a chain to a goal from each start."""
    from chorewright.domains.library import load_shipped_library
    from chorewright.domains.pddl.parser import parse_formula
    from chorewright.generator.calvin.goals import GoalChain, chain_to_goal
    from chorewright.planner.plan import Unsolvable
    from chorewright.problems.calvin.scenes import TabletopState
    from chorewright.problems.calvin.tasks import problem

    starts = starts or [TabletopState()]
    goal = parse_formula(text, load_shipped_library().domain(variant), path="--goal")
    if out is not None:
        if len(starts) > 1:
            raise UsageError("--out takes one --from")
        shell.write_task(out, load_shipped_library().domain(variant), problem(starts[0], goal, variant))
    rows: list[dict[str, object]] = []
    code = ExitCode.OK
    for start in starts:
        answer = chain_to_goal(start, goal, variant)
        if isinstance(answer, GoalChain):
            if report.as_json:
                rows.append({**report.record(answer.chain), "shortest": answer.optimal})
            else:
                report.tell(answer.chain)
            continue
        code = ExitCode.UNSOLVABLE if isinstance(answer, Unsolvable) else ExitCode.INCOMPLETE
        reason = answer.reason if isinstance(answer, Unsolvable) else "no chain was found within the limits"
        rows.append({"initial_state": start.record(), "sequence": None, "reason": reason})
        print(shell.fold(f"{start}: no chain leads to the goal: {reason}", sys.stderr), file=sys.stderr)
    if report.as_json:
        shell.print_json(rows)
    sys.exit(int(code))


# What ``verify`` says of folders in CALVIN's layout.


_SHOWN = 40


class CalvinLayout:
    """CALVIN's datasets: a folder for each split, with one file a frame."""

    def recognises(self, folder: Path) -> bool:
        """Return whether a folder looks like one of CALVIN's."""
        from chorewright.generator.calvin.layout import is_calvin

        return is_calvin(folder)

    def verify(self, folder: Path, as_json: bool) -> None:
        """Check a folder in CALVIN's layout; exit code 1 names the files that are not as they should be."""
        from chorewright.generator.calvin.layout import check_layout

        report = check_layout(folder)
        if as_json:
            rows = [{"file": file, "message": message} for file, message in report.problems]
            splits = [asdict(split) for split in report.splits]
            shell.print_json({"folder": str(folder), "ok": not rows, "splits": splits, "problems": rows})
        else:
            for file, message in report.problems[:_SHOWN]:
                print(shell.printable(f"{folder}/{file} {message}"), file=sys.stderr)
            if len(report.problems) > _SHOWN:
                print(f"{say_count(len(report.problems) - _SHOWN, 'more problem')}; --json lists all", file=sys.stderr)
            for split in report.splits:
                pictures = ", ".join(split.pictures) or "no pictures"
                embedded = " with embeddings" if split.embedded else ""
                frames = f"{say_count(split.frames, 'frame')} of {say_count(split.episodes, 'episode')}"
                told = f"{frames}, {say_count(split.annotations, 'annotation')}{embedded}, {pictures}"
                print(shell.printable(f"{folder}: {split.name}: {told}"))
        shell.exit_unless(not report.problems)
