"""Planning many problems of one domain by one command: the process starts once, and a failure stops nothing."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from chorewright.commands.shell import errors_json, fail, printable, readable, write_text
from chorewright.errors import ChorewrightError, ExitCode, UsageError, render
from chorewright.files.english import say_count
from chorewright.files.plugins import Origin
from chorewright.files.processes import resident_megabytes
from chorewright.files.signals import Terminated, exit_code

if TYPE_CHECKING:
    from chorewright.domains.pddl.syntax import Domain, Problem
    from chorewright.planner.plan import Answer, Limits, OutOfLimits, Plan, Planner, Unsolvable
    from chorewright.planner.search.configuration import Configuration


@dataclass(frozen=True, slots=True)
class Batch:
    """What is the same for all problems.

    ``engine`` is another planner's name as a person typed it, or None for our own with ``configuration``; ``folder``
    gets the plans.
    """

    domain_file: Path
    configuration: Configuration
    engine: str | None
    limits: Limits
    folder: Path | None


@dataclass(frozen=True, slots=True)
class BatchResult:
    """A problem's outcome: one line, the JSON record, the exit code, and what is wrong in full if anything is."""

    line: str
    record: dict[str, object]
    code: int
    error: str | None = None


def plan_batch(batch: Batch, problem_files: Sequence[Path], workers: int, as_json: bool) -> int:
    """Plan all problems, and print one line, or one JSON record, for each in their order.

    Returns:
        The worst exit code (see ``severity``).

    Raises:
        UsageError: The domain cannot be read, or two plans would go to one file or over an input.
    """
    readable(batch.domain_file)
    if batch.folder is not None:
        _check_targets(batch.folder, (batch.domain_file, *problem_files))
    codes: list[int] = []
    if as_json:
        print("[", end="", flush=True)
    separator = ""
    results = _alone(batch, problem_files) if workers == 1 else _together(batch, problem_files, workers)
    try:
        for result in results:
            codes.append(result.code)
            if result.error is not None:
                print(printable(result.error), file=sys.stderr)
            if as_json:
                print(f"{separator}\n  {json.dumps(result.record)}", end="", flush=True)
                separator = ","
            else:
                print(printable(result.line), flush=True)
    except KeyboardInterrupt as stop:
        results.close()
        if as_json:
            print("\n]", flush=True)
        fail(
            ChorewrightError("terminated" if isinstance(stop, Terminated) else "interrupted"),
            exit_code(stop),
            as_json=False,
        )
    if as_json:
        print("\n]")
    return max(codes, key=severity)


def severity(code: int) -> tuple[bool, bool, int]:
    """Order exit codes from best to worst: solved, no plan, limits, then what cannot be read, then errors."""
    return code >= ExitCode.INTERNAL, code == ExitCode.USAGE, code


def describe(answer: Unsolvable | OutOfLimits, limits: Limits, unstarted: str | None) -> tuple[str, str, ExitCode]:
    """Say why there is no plan.

    Args:
        answer: The planner's answer.
        limits: The limits that the user gave.
        unstarted: What took the time if the search did not even begin.

    Returns:
        The status, the reason and the exit code.
    """
    from chorewright.planner.plan import Unsolvable

    if isinstance(answer, Unsolvable):
        return "unsolvable", answer.reason, ExitCode.UNSOLVABLE
    limit = answer.limit.value
    within = {
        "time": f"{limits.seconds:g} s" if limits.seconds is not None else "the time limit",
        "processor time": f"{limits.cpu_seconds} s of processor time",
        "memory": f"{limits.megabytes} MB" if limits.megabytes is not None else "the machine's memory",
    }.get(limit, f"{limits.evaluations} evaluations")
    spent = f" ({answer.evaluated} evaluations)" if limit != "evaluations" else ""
    if limit == "memory" and limits.megabytes is not None and limits.megabytes <= resident_megabytes():
        spent = f": the planner itself takes {resident_megabytes()} MB"
    reason = f"no plan was found within {within}{spent}"
    if limit in ("time", "processor time") and unstarted is not None:
        reason = f"{within} went by before the search began: {unstarted}"
    codes = {"time": ExitCode.OUT_OF_TIME, "processor time": ExitCode.OUT_OF_TIME, "memory": ExitCode.OUT_OF_MEMORY}
    return f"out of {limit}", reason, codes.get(limit, ExitCode.INCOMPLETE)


def record_of(plan: Plan, status: str = "solved") -> dict[str, object]:
    """Return a plan as a JSON value."""
    return {
        "status": status,
        "cost": plan.cost,
        "steps": len(plan.actions),
        "optimal": plan.optimal,
        "planner": plan.planner,
        "configuration": plan.configuration,
        "evaluated": plan.evaluated,
        "plan": [str(action) for action in plan.actions],
    }


def _target(folder: Path, problem_file: Path) -> Path:
    return folder / f"{problem_file.stem}.plan"


def _check_targets(folder: Path, inputs: Sequence[Path]) -> None:
    """Make the folder; refuse plans that would go to one file, or over an input."""
    first: dict[str, Path] = {}
    for path in inputs[1:]:
        name = _target(folder, path).name
        other = first.setdefault(name.casefold(), path)
        if other is not path:
            hint = "plan them by two commands, to two folders"
            raise UsageError(f"the plans of {other} and {path} would both be {folder / name}", hint=hint)
        for given in inputs:
            with suppress(OSError, ValueError):
                if (folder / name).samefile(given):
                    raise UsageError(f"the plan would overwrite {given}", hint="give --out the name of another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        hint = "with several problems, --out is a folder"
        raise UsageError(f"cannot make the folder {folder}: {error}", hint=hint) from error


@dataclass(slots=True)
class _Line:
    """One process's line of work: it plans one problem after the other."""

    batch: Batch
    ready: bool = field(default=False)

    def plan(self, problem_file: Path) -> BatchResult:
        """Plan a problem; whatever goes wrong is its result, not an error."""
        try:
            return self._plan(problem_file)
        except ChorewrightError as error:
            return _failure_of(problem_file, error)
        except MemoryError:
            return _failure_of(problem_file, ChorewrightError("out of memory"), ExitCode.OUT_OF_MEMORY)
        except Exception as error:
            words = f"{type(error).__name__}: {error}".splitlines()[0]
            return _failure_of(problem_file, ChorewrightError(f"internal error: {words}"))

    def _plan(self, problem_file: Path) -> BatchResult:
        from chorewright.domains.pddl.parser import load_task
        from chorewright.planner.grounding.joins.derivation import Stopped
        from chorewright.planner.plan import Limit, OutOfLimits, Plan
        from chorewright.planner.plan_files import write_plan
        from chorewright.planner.planning import LadderPlanner
        from chorewright.planner.search.interruption import Alarm, promptly
        from chorewright.planner.warming import ensure_compiled, warm

        batch, limits = self.batch, self.batch.limits
        own = batch.engine is None
        if own and not self.ready and (limits.seconds, limits.cpu_seconds) != (None, None):
            ensure_compiled()
        if own and not self.ready and limits.megabytes is not None:
            warm()  # loaded kernels take memory
        self.ready = True
        started = time.monotonic()
        task: tuple[Domain, Problem] | None = None
        answer: Answer
        with Alarm.of(limits) if own else Alarm(limits.seconds, limits.cpu_seconds) as alarm:
            try:
                with promptly():
                    task = load_task(batch.domain_file, readable(problem_file))
                left = _limits_left(limits, time.monotonic() - started)
                if own:
                    answer = LadderPlanner(batch.configuration, alarm=alarm).solve(*task, left)
                else:
                    with promptly():
                        answer = self._other().solve(*task, replace(left, cpu_seconds=None))
            except Stopped:
                answer = OutOfLimits(alarm.limit or Limit.TIME, 0)
        if not isinstance(answer, Plan):
            unstarted = f"reading the files took {time.monotonic() - started:.2f} s" if task is None else None
            status, reason, code = describe(answer, limits, unstarted)
            record: dict[str, object] = {"problem": str(problem_file), "status": status, "reason": reason}
            return BatchResult(f"{problem_file}: {status}: {reason}", {**record, "exit_code": int(code)}, int(code))
        if batch.folder is not None and task is not None:
            text = write_plan(answer.actions, answer.cost, *task)
            write_text(_target(batch.folder, problem_file), text)
        line = f"{problem_file}: solved: {say_count(len(answer.actions), 'step')}, cost {answer.cost:g}"
        return BatchResult(line, {"problem": str(problem_file), **record_of(answer), "exit_code": 0}, 0)

    def _other(self) -> Planner:
        from chorewright.planner.engines.lookup import find_engine

        assert self.batch.engine is not None
        return find_engine(self.batch.engine, Origin.PERSON)


def _limits_left(limits: Limits, spent: float) -> Limits:
    """What a problem may use when it has been read."""
    return limits if limits.seconds is None else replace(limits, seconds=max(limits.seconds - spent, 1e-3))


def _failure_of(problem_file: Path, error: ChorewrightError, code: ExitCode | None = None) -> BatchResult:
    number = int(error.exit_code if code is None else code)
    record: dict[str, object] = {"problem": str(problem_file), "status": "error", "errors": errors_json(error)}
    where = "" if error.location is not None else f"{problem_file}: "
    line = f"{problem_file}: error (exit code {number})"
    return BatchResult(line, {**record, "exit_code": number}, number, f"{where}{render(error)}")


def _alone(batch: Batch, problem_files: Sequence[Path]) -> Generator[BatchResult, None, None]:
    """Plan in this process."""
    line = _Line(batch)
    for problem_file in problem_files:
        yield line.plan(problem_file)


def _together(batch: Batch, problem_files: Sequence[Path], workers: int) -> Generator[BatchResult, None, None]:
    """Plan with several processes; a problem whose process dies is tried once more, alone."""
    from chorewright.generator.production.pool import in_order, processes

    remaining, alone = list(problem_files), False
    while remaining:
        now = remaining[:1] if alone else list(remaining)
        try:
            with processes(min(workers, len(now)), "planning") as pool:
                for result in in_order(pool, partial(_work, batch), now):
                    del remaining[0]
                    yield result
        except ChorewrightError:  # a process died
            if alone:
                hint = "the memory may not suffice"
                lost = ChorewrightError("the process that planned it was ended from outside", hint=hint)
                yield _failure_of(remaining.pop(0), lost)
            alone = not alone
        else:
            alone = False


_line: _Line | None = None
"""This worker's line of work."""


def _work(batch: Batch, problem_file: Path) -> BatchResult:
    global _line
    _line = _line or _Line(batch)
    return _line.plan(problem_file)


__all__ = ["Batch", "BatchResult", "describe", "plan_batch", "record_of", "severity"]
