"""Many problems planned by one command: the process starts once, a failure stops nothing. And many plans of one."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from chorewright.commands import shell
from chorewright.errors import ChorewrightError, ExitCode, InputError, UsageError, first_line, render
from chorewright.files.english import say_count
from chorewright.files.plugins import Origin
from chorewright.files.processes import resident_megabytes
from chorewright.files.stopping import Alarm, Stopped, promptly
from chorewright.files.text import tell, verbose

if TYPE_CHECKING:
    from chorewright.domains.pddl.syntax import Domain, Problem
    from chorewright.planner.plan import Answer, Limits, OutOfLimits, Plan, Unsolvable
    from chorewright.planner.search.configuration import Configuration


@dataclass(frozen=True, slots=True)
class Batch:
    """What is the same for all problems.

    ``engine`` is another planner's name as a person typed it, or None for our own with ``configuration``; ``folder``
    gets the plans; ``lenient`` says how the files are read.
    """

    domain_file: Path
    configuration: Configuration
    engine: str | None
    limits: Limits
    folder: Path | None
    lenient: bool = False


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
    from chorewright.files.pool import carry_out

    shell.readable(batch.domain_file)
    if batch.folder is not None:
        _check_targets(batch.folder, (batch.domain_file, *problem_files))
    codes: list[int] = []
    if as_json:
        print("[", end="", flush=True)
    separator = ""
    processes = 0 if workers == 1 else min(workers, len(problem_files))
    try:
        for result in carry_out(_Line(batch).plan, problem_files, processes, "planning", _lost):
            codes.append(result.code)
            if result.error is not None:
                print(shell.printable(result.error), file=sys.stderr)
            if as_json:
                print(f"{separator}\n  {json.dumps(result.record)}", end="", flush=True)
                separator = ","
            else:
                print(shell.printable(result.line), flush=True)
    except KeyboardInterrupt as stop:
        if as_json:
            print("\n]", flush=True)
        shell.fail_stopped(stop, as_json=False)
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
    }.get(limit, "the engine's bounds" if limits.evaluations is None else say_count(limits.evaluations, "evaluation"))
    spent = f" ({say_count(answer.evaluated, 'evaluation')})" if limit != "evaluations" else ""
    if limit == "memory" and limits.megabytes is not None and limits.megabytes <= resident_megabytes():
        spent = f": the planner itself takes {resident_megabytes()} MB"
    reason = f"no plan was found within {within}{spent}"
    if limit in ("time", "processor time") and unstarted is not None:
        reason = f"{within} went by before the search began: {unstarted}"
    codes = {"time": ExitCode.OUT_OF_TIME, "processor time": ExitCode.OUT_OF_TIME, "memory": ExitCode.OUT_OF_MEMORY}
    return f"out of {limit}", reason, codes.get(limit, ExitCode.INCOMPLETE)


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
            return _failure_of(problem_file, ChorewrightError(f"internal error: {first_line(error)}"))

    def _plan(self, problem_file: Path) -> BatchResult:
        from chorewright.domains.pddl.parser import task_with_remarks
        from chorewright.planner.engines.lookup import find_engine, solve_unread
        from chorewright.planner.plan import Course, Limit, OutOfLimits, Plan, write_plan
        from chorewright.planner.stages import solve_with_parts
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
        read, course = False, Course(lambda: time.monotonic() - started)

        def hear(plan: Plan) -> None:
            course.add(plan)
            if batch.folder is not None:
                shell.write_text(_target(batch.folder, problem_file), write_plan(plan.steps, plan.cost, *(task or ())))
            if verbose():
                tell(shell.printable(f"{problem_file}: {course.tell_last()}"))

        with limits.alarm() if own else Alarm(limits.seconds, limits.cpu_seconds) as alarm:
            try:
                with promptly():
                    files = batch.domain_file, shell.readable(problem_file)
                    other = None if batch.engine is None else find_engine(batch.engine, Origin.PERSON)
                    try:
                        task = task_with_remarks(*files, batch.lenient)[:2]
                    except InputError as error:
                        if other is None:
                            raise
                        unread = error  # there is no task
                left = replace(limits, seconds=limits.seconds and max(limits.seconds - course.clock(), 1e-3))
                read = True
                if other is None:
                    assert task is not None
                    answer = solve_with_parts(*task, left, batch.configuration, hear, alarm)
                else:
                    left = replace(left, cpu_seconds=None)
                    with promptly():
                        answer = other.solve(*task, left) if task else solve_unread(other, files, unread, left)
            except Stopped:
                answer = OutOfLimits(alarm.limit or Limit.TIME, 0)
        if not isinstance(answer, Plan):
            unstarted = f"reading the files took {time.monotonic() - started:.2f} s" if not read else None
            status, reason, code = describe(answer, limits, unstarted)
            record: dict[str, object] = {"problem": str(problem_file), "status": status, "reason": reason}
            record["exit_code"] = int(code)
            return BatchResult(f"{problem_file}: {status}: {reason}", record, int(code))
        if course.best is None or course.best.actions != answer.actions:
            hear(answer)
        record = {"problem": str(problem_file), **answer.record(), **course.record(), "exit_code": 0}
        noted = f" ({answer.note})" if answer.note else ""
        return BatchResult(f"{problem_file}: solved: {answer.summary}{noted}", record, 0)


def _failure_of(problem_file: Path, error: ChorewrightError, code: ExitCode | None = None) -> BatchResult:
    number = int(error.exit_code if code is None else code)
    record: dict[str, object] = {"problem": str(problem_file), "status": "error", "errors": shell.errors_json(error)}
    where = "" if error.location is not None else f"{problem_file}: "
    line = f"{problem_file}: error (exit code {number})"
    return BatchResult(line, {**record, "exit_code": number}, number, f"{where}{render(error)}")


def _lost(problem_file: Path) -> BatchResult:
    error = ChorewrightError("the process that planned it was ended from outside", hint="the memory may not suffice")
    return _failure_of(problem_file, error)


# Several plans of one problem.


@dataclass(frozen=True, slots=True)
class SeveralPlans:
    """A small problem of which several plans are asked for: its files, limits, and where the plans go."""

    domain_file: Path
    problem_file: Path
    limits: Limits
    out: Path | None
    lenient: bool

    def write(self, count: int, diverse: bool, as_json: bool) -> int:
        """Find the plans, print them or write their files, and return the exit code.

        Args:
            count: How many.
            diverse: Whether they are to differ.
            as_json: Print one JSON value.
        """
        from chorewright.domains.pddl.parser import task_with_remarks
        from chorewright.domains.pddl.source import LENIENT
        from chorewright.planner.equivalence.cheapest_plans import cheapest_plans, different_plans
        from chorewright.planner.plan import Limit, OutOfLimits, Unsolvable, write_plan

        limits = self.limits
        with Alarm(limits.seconds, limits.cpu_seconds, limits.megabytes) as alarm:
            try:
                with promptly():
                    files = shell.readable(self.domain_file), shell.readable(self.problem_file)
                    domain, problem, remarks = task_with_remarks(*files, self.lenient)
                    shell.show_remarks(each for each in remarks if each.rule == LENIENT)
                    plans = cheapest_plans(domain, problem, alarm)
                    chosen = different_plans(plans, count) if diverse else list(islice(plans, count))
            except Stopped:
                return self._fail(OutOfLimits(alarm.limit or Limit.TIME, 0), as_json)
        if not chosen:
            return self._fail(Unsolvable("all reachable states were visited"), as_json)
        texts = [write_plan(each.actions, each.cost, domain, problem) for each in chosen]
        if self.out is not None:
            for number, text in enumerate(texts, 1):
                shell.write_text(self.out.with_name(f"{self.out.name}.{number}"), text)
        if as_json:
            shell.print_json({"status": "solved", "plans": [each.record() for each in chosen]})
        elif self.out is None:
            print(shell.printable("\n".join(texts)), end="")
        else:
            for number, each in enumerate(chosen, 1):
                print(shell.printable(f"{self.out}.{number}: {each.summary}"))
        if len(chosen) < count:
            tell(f"note: there are no more plans than {len(chosen)}")
        return 0

    def _fail(self, answer: Unsolvable | OutOfLimits, as_json: bool) -> int:
        status, reason, code = describe(answer, self.limits, None)
        shell.show_failure(self.problem_file, status, reason, as_json)
        return int(code)
