"""Verbs that plan and validate PDDL files."""

from __future__ import annotations

import re
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright import STARTED
from chorewright.commands import shell
from chorewright.commands.common import DomainPath, Lenient, ProblemPaths, TimeLimit, amount
from chorewright.commands.plan_batch import Batch, SeveralPlans, describe, plan_batch
from chorewright.errors import ChorewrightError, InputError, UsageError
from chorewright.files.plugins import Origin
from chorewright.files.processes import resident_megabytes
from chorewright.files.stopping import Alarm, Stopped, exit_code, promptly
from chorewright.files.text import tell, verbose

if TYPE_CHECKING:
    from chorewright.domains.pddl.syntax import Domain, Problem
    from chorewright.planner.plan import Answer, Course, Limit, Limits, OutOfLimits, Plan, Unsolvable
    from chorewright.planner.search.configuration import Configuration


IN_PYTHON, UNCOMPILED = 0.2, 15.0
"""Processor seconds for kernels that Python runs: a small problem needs less than numba takes to be loaded. In a fresh
installation, where numba would compile for a minute, there are more."""

# The process as the machine sees it: how long it runs.


def age() -> float:
    """Seconds since the process was started as this program, as far as its import tells."""
    return time.monotonic() - STARTED


@shell.verb
def plan(
    domain_file: DomainPath,
    problem_files: ProblemPaths,
    out: Annotated[Path | None, typer.Option("--out", "-o")] = None,
    workers: Annotated[int, typer.Option("--workers", min=1)] = 1,
    time_limit: TimeLimit = None,
    cpu_limit: float | None = None,
    memory_limit: int | None = None,
    evaluations: int | None = None,
    search: str = "greedy",
    heuristic: str | None = None,
    queues: str = "turns",
    weight: int | None = None,
    improve: Annotated[str | None, typer.Option("--improve", metavar="N|Nx", parser=amount)] = None,
    no_improvement: float | None = None,
    series: Annotated[bool, typer.Option("--series")] = False,
    several: Annotated[int | None, typer.Option("--plans", metavar="K", min=1)] = None,
    diverse: Annotated[bool, typer.Option("--diverse")] = False,
    engine: str = "chorewright",
    lenient: Lenient = False,
    as_json: shell.AsJson = False,
) -> None:
    """Find a plan, or one for each of several problems.

    The first plan is written to --out at once, and replaced by cheaper ones. Whatever ends the process, the best
    plan so far is in the file. --verbose says when each plan was there.

    Exit code 0 found, 10 there is none, 12, 22 or 23 a limit was met first. Limits count from the start of the program,
    compiling included. Several problems are planned by one process
    that starts once, or by --workers N. Each gets one line, or one record in a list with --json. Limits hold for each.
    A problem that fails does not stop the rest. The exit code is the worst: errors (30 and more) come before files that
    are not there (2), limits (23, 22, 12) and problems without a plan (10).

    Args:
        out: Write the plan to this file; with several problems, each to <its name>.plan in this folder.
        workers: Processes that plan several problems at the same time.
        cpu_limit: Seconds of processor time; none by default.
        memory_limit: Megabytes; none by default.
        evaluations: Heuristic evaluations: a limit that is the same anywhere.
        search: greedy, ehc (enforced hill-climbing), lazy or wastar (weighted A*), astar (optimal with max, lmcut or
            blind), or anytime (improves until a limit, Ctrl-C, or a proof).
        heuristic: ff, add, max, lmcut, goal-count or blind; max for astar by default, else ff. lazy and anytime take ff
            only, ehc all but blind, the others all.
        queues: Besides ff's: turns (of none and all), ff (none), goal-count, landmarks, or novelty (all).
        weight: The heuristic's weight in lazy and wastar; 5 by default.
        improve: What may go into cheaper plans: so many times the work of the first one, counted in evaluations, or
            half a second's; 3x by default, no bound for anytime, nothing for astar. N without x: so many evaluations
            for each plan.
        no_improvement: Stop improving after so many seconds without a cheaper plan.
        series: Keep every plan, from the first one on, as FILE.1, FILE.2, ... of --out.
        several: The K cheapest plans of a small problem, as FILE.1, FILE.2, ... of --out.
        diverse: With --plans: among more of the cheapest, K that have little in common.
        engine: chorewright, pyperplan, fast-downward, kairos, module:attribute, or one of unified-planning.
    """
    from chorewright.planner.plan import NAME, Course, Limits, Plan
    from chorewright.planner.search.configuration import THOROUGH, WEIGHTED, Configuration

    effort, times = read_improvement(improve)
    limits = Limits(time_limit, memory_limit, evaluations, cpu_limit, no_improvement)
    if series and (out is None or len(problem_files) > 1):
        raise UsageError("--series is for one problem, and needs the name of a file", hint="give --out")
    if len(problem_files) == 1 and out is not None:
        _spare(out, domain_file, *problem_files)
    if weight is not None and search not in WEIGHTED:
        raise UsageError(f"--weight is an option of --search {' and '.join(WEIGHTED)}, not of {search}")
    configuration = Configuration.usual(search, heuristic, weight, effort, queues, times)
    if several is not None:
        usual = configuration == THOROUGH and (improve, no_improvement, evaluations) == (None, None, None)
        if not usual or engine != NAME or series or len(problem_files) > 1:
            message = "--plans is for one problem, and takes no options of searches"
            raise UsageError(message, hint="it lists all reachable states; --time-limit and --memory-limit bound that")
        own = limits if time_limit is None else replace(limits, seconds=max(time_limit - age(), 1e-3))
        sys.exit(SeveralPlans(domain_file, problem_files[0], own, out, lenient).write(several, diverse, as_json))
    if diverse:
        raise UsageError("--diverse is for --plans K")
    other = None if engine == NAME else engine
    if other is not None and (configuration != THOROUGH or (improve, no_improvement) != (None, None)):
        raise UsageError(f"--search and the options of searches are those of the engine {NAME}, not of {engine}")
    if len(problem_files) > 1:
        batch = Batch(domain_file, configuration, other, limits, out, lenient)
        sys.exit(plan_batch(batch, problem_files, workers, as_json))
    [problem_file] = problem_files
    watched = verbose() or search == "anytime" or sys.stderr.isatty()
    outcome = _Outcome(problem_file, limits, out, as_json, watched, series, lenient, Course(age))
    try:
        answer = _solve(domain_file, outcome, configuration, other)
    except KeyboardInterrupt as stop:
        if outcome.course.best is None:
            raise
        outcome.show(outcome.course.best, "interrupted")
        sys.exit(exit_code(stop))
    if isinstance(answer, Plan):
        outcome.show(answer, "solved")
    else:
        sys.exit(outcome.explain(answer))


def _solve(domain_file: Path, outcome: _Outcome, configuration: Configuration, engine: str | None) -> Answer:
    """Read the files and solve the problem, within limits and open to signals from the first moment to the last.

    The limits are the whole process's. Another engine, by its name as a person typed it, counts its memory itself.
    """
    from chorewright.domains.pddl.parser import task_with_remarks
    from chorewright.domains.pddl.source import LENIENT
    from chorewright.jit.kernels import interpreting
    from chorewright.planner.engines import lookup
    from chorewright.planner.plan import Limit, OutOfLimits
    from chorewright.planner.stages import solve_with_parts

    limits = outcome.limits
    left, spent = limits.seconds, time.process_time()
    if left is not None:
        left = max(left - age(), 1e-3)
    cpu = None if limits.cpu_seconds is None else max(limits.cpu_seconds - spent, 1e-3)

    def others() -> Limits:
        """Return what another engine may use from now on."""
        remaining = None if limits.seconds is None else max(limits.seconds - age(), 1e-3)
        return replace(limits, seconds=remaining, cpu_seconds=None)

    with Alarm(left, cpu, limits.megabytes if engine is None else None, outcome.give_up) as alarm:
        try:
            with promptly():
                other = None if engine is None else lookup.find_engine(engine, Origin.PERSON)
            files = shell.readable(domain_file), shell.readable(outcome.problem_file)
            try:
                with promptly():
                    outcome.domain, outcome.problem, remarks = task_with_remarks(*files, outcome.lenient)
            except InputError as error:
                if other is None:
                    raise
                outcome.searched = True
                with promptly():
                    return lookup.solve_unread(other, files, error, others())
            shell.show_remarks(each for each in remarks if each.rule == LENIENT)
            task = outcome.domain, outcome.problem
            if limits.seconds is not None and age() >= limits.seconds:
                return OutOfLimits(Limit.TIME, 0)  # the alarm's thread may be late
            outcome.searched = True
            if other is None:
                free = None if limits.megabytes is None else limits.megabytes - resident_megabytes()
                if free is not None and free <= 0:
                    return OutOfLimits(Limit.MEMORY, 0)
                own = replace(limits, seconds=left, megabytes=free, cpu_seconds=cpu)
                with interpreting(IN_PYTHON, UNCOMPILED):
                    return solve_with_parts(*task, own, configuration, outcome.hear, alarm)
            with promptly():
                return other.solve(*task, others())
        except Stopped:
            return OutOfLimits(alarm.limit or Limit.TIME, 0)


_TIMES = re.compile(r"(?P<times>[0-9]+(\.[0-9]+)?)x")


def read_improvement(text: str | None) -> tuple[int | None, float | None]:
    """Return the evaluations and the times of ``--improve``: of ``4000`` and of ``3x``; None for what is not given.

    Raises:
        UsageError: It is neither.
    """
    if text is None or (text.isascii() and text.isdecimal()):
        return None if text is None else int(text), None
    times = _TIMES.fullmatch(text)
    if times is None:
        hint = "write evaluations (--improve 4000), or how many times the work of the first plan (--improve 3x)"
        raise UsageError(f"{text!r} is no effort of improvement", hint=hint)
    return None, float(times["times"])


@dataclass(slots=True)
class _Outcome:
    """What ``plan`` writes: plans as they come, to the file if there is one, and the answer.

    ``watched`` says whether plans are told as they come; ``lenient`` says how the files are read, ``searched`` whether
    they were read in time; ``course`` has the plans so far.
    """

    problem_file: Path
    limits: Limits
    out: Path | None
    as_json: bool
    watched: bool
    series: bool
    lenient: bool
    course: Course
    domain: Domain | None = None
    problem: Problem | None = None
    searched: bool = False

    def hear(self, plan: Plan) -> None:
        """Keep a plan that has just been found: the first one, or a cheaper one."""
        self.course.add(plan)
        if self.out is not None and (self.out.is_file() or not self.out.exists()):  # a pipe gets one plan, at the end
            self._write(plan)
        if self.watched:
            tell(self.course.tell_last() if verbose() else plan.summary)

    def _write(self, plan: Plan) -> None:
        if self.out is None:
            return
        text = self.text(plan)
        shell.write_text(self.out, text)
        if self.series:
            shell.write_text(self._file_of(len(self.course.plans)), text)
            if len(self.course.plans) == 1:
                self._forget_others()

    def _file_of(self, number: int) -> Path:
        assert self.out is not None
        return self.out.with_name(f"{self.out.name}.{number}")

    def _forget_others(self) -> None:
        """Remove the further plans of an earlier run."""
        for path in takewhile(Path.is_file, map(self._file_of, count(2))):
            path.unlink()

    def text(self, plan: Plan) -> str:
        """Return a plan as its file holds it."""
        from chorewright.planner.plan import write_plan

        return write_plan(plan.steps, plan.cost, self.domain, self.problem)

    def show(self, plan: Plan, status: str) -> None:
        """Print a plan, or write it to its file."""
        if self.course.best is None or self.course.best.actions != plan.actions:
            self.course.add(plan)
        self._write(plan)
        if plan.note:
            tell(f"note: {plan.note}")
        if verbose():
            tell(self.course.tell_end())
        if self.as_json:
            shell.print_json({**plan.record(status), **self.course.record()})
        elif self.out is None:
            print(shell.printable(self.text(plan)), end="")
        else:
            print(shell.printable(f"{self.out}: {plan.summary}"))

    def explain(self, answer: Unsolvable | OutOfLimits) -> int:
        """Say why there is no plan, and return the exit code; a limit may have been met before the search."""
        began = f"starting, reading the files and loading the planner took {age():.2f} s"
        status, reason, code = describe(answer, self.limits, None if self.searched else began)
        unlimited = (self.limits.seconds, self.limits.cpu_seconds, self.limits.megabytes) == (None, None, None)
        if status == "unsolvable" and unlimited and self.domain is not None and self.problem is not None:
            from chorewright.planner.explanation import say_why

            why = say_why(self.domain, self.problem)
            reason += f"; {why}" if why else ""
        shell.show_failure(self.problem_file, status, reason, self.as_json)
        return int(code)

    def give_up(self, limit: Limit | None, number: int | None) -> int:
        """Say what ends the process by force, a limit or a signal, and return the exit code."""
        from chorewright.planner.plan import Limit, OutOfLimits

        if self.course.best is not None:
            self.show(self.course.best, "solved" if number is None else "interrupted")
            return 0 if number is None else 128 + number
        if number is None:
            return self.explain(OutOfLimits(limit or Limit.TIME, 0))
        message = "interrupted" if number == signal.SIGINT else "terminated"
        print(message, file=sys.stderr)
        if self.as_json:
            error = ChorewrightError(message)
            shell.print_json({"status": "error", "errors": shell.errors_json(error), "exit_code": 128 + number})
        return 128 + number


def _spare(out: Path, *inputs: Path) -> None:
    """Refuse to write over what is read."""
    for path in inputs:
        with suppress(OSError, ValueError):
            if out.samefile(path):
                raise UsageError(f"the plan would overwrite {path}", hint="give --out the name of another file")
