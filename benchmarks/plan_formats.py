"""Plans as twelve planners print them, right and spoilt, judged by ``validate`` and by VAL.

    python -m benchmarks.plan_formats [--val PROGRAM] [--plans N] [--problems FOLDER ...] [--spoilt N] [--seed N]
                                      [--save] [--json FILE]

The problems are drawn from the domains that ship, and two have durations. With FOLDERs, checkouts of
``aibasel/downward-benchmarks``, ``pyPMT/numeric-domains`` or ``potassco/pddl-instances``, they are instead the first of
each domain where a plan is found in five seconds, by kairos where there are durations; another result,
``plan_formats-competitions``, then says how many VAL or we do not read. Each plan is written in each format as it is,
and spoilt: a step is left out or exchanged with its neighbour, has another object, or stands elsewhere in the file;
where there are times, two steps have one time, or a step is later. VAL (KCL-Planning/VAL, ``-t 0.001``) reads the same
file; where it does not read a format (FF, unified-planning, Madagascar), the same steps without the planner's words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.command import benchmark_parser, given_path, keep
from benchmarks.competition_problems import first_problems, quick_plan
from benchmarks.results import Figure, Report, Table, Target
from benchmarks.val import BAD_PLAN, run_val, val_says
from chorewright.domains.pddl import load_task, parse_domain, parse_problem, write_domain, write_problem
from chorewright.domains.pddl.syntax import AndEffect, Domain, Problem
from chorewright.errors import ChorewrightError
from chorewright.generator.dataset.options import configure
from chorewright.generator.pddl.problem_benchmark import ProblemBenchmark, try_problems
from chorewright.generator.pddl.sources import read_problem
from chorewright.planner.durative_validation import validate_plan
from chorewright.planner.plan import TimedStep
from chorewright.planner.plan_files import parse_plan
from chorewright.problems.pddl.template_files import classic_names, classic_template

Steps = Sequence[TimedStep]


def _plain(steps: Steps) -> str:
    return "".join(f"{step.action}\n" for step in steps)


def _timed(steps: Steps, decimals: int, default: str, upper: bool = False, space: str = " ") -> str:
    """Return steps with times; ``default`` is the duration that the planner prints of actions without one."""
    lines = []
    for step in steps:
        words = " ".join((step.action.name, *step.action.arguments))
        length = default if step.duration is None else f" [{float(step.duration):.{decimals}f}]"
        lines.append(f"{float(step.time):.{decimals}f}:{space}({words.upper() if upper else words}){length}\n")
    return "".join(lines)


def _over_lines(steps: Steps) -> str:
    return "".join(
        f"{number} : ( {step.action.name}\n   {' '.join(step.action.arguments)} )  [1]\n"
        for number, step in enumerate(steps)
    )


def _calls(steps: Steps, start: str = "    ") -> str:
    return "".join(f"{start}{step.action.name}({', '.join(step.action.arguments)})\n" for step in steps)


def _ff(steps: Steps) -> str:
    lines = [f"{n:11}: {' '.join((s.action.name, *s.action.arguments)).upper()}" for n, s in enumerate(steps)]
    plan = "\n".join(lines).replace("          0:", "step    0:", 1)
    return f"\nff: found legal plan as follows\n\n{plan}\n\ntime spent:    0.00 seconds instantiating 8 easy\n"


def _madagascar(steps: Steps) -> str:
    return "".join(f"STEP {n}:{_calls([step], ' ').replace(', ', ',')}" for n, step in enumerate(steps))


def _spaced(steps: Steps, by: str) -> Steps:
    """Return a sequence with times as far apart as a planner puts them."""
    return [replace(step, time=Fraction(by) * number) for number, step in enumerate(steps)]


@dataclass(frozen=True, slots=True)
class Format:
    """How a planner prints plans.

    Attributes:
        name: The planner.
        write: Prints steps.
        apart: By how much times of steps without duration differ; nothing where it prints none.
        timed: Whether the planner makes plans with durations.
        by_val: Whether VAL reads it.
    """

    name: str
    write: Callable[[Steps], str]
    apart: str = ""
    timed: bool = False
    by_val: bool = True


FORMATS = (
    Format("Fast Downward", lambda steps: f"{_plain(steps)}; cost = {len(steps)} (unit cost)\n"),
    Format(
        "LPG",
        lambda steps: "; Version LPG-td-1.0\n; Seed 1\nTime 0.10\n" + _timed(steps, 4, " [1.0000]", True, "   "),
        "1",
        True,
    ),
    Format("POPF", lambda steps: "; Time 0.00\n" + _timed(steps, 3, "  [0.001]"), "0.001", True),
    Format("OPTIC", lambda steps: "; Cost: 3.000\n" + _timed(steps, 3, "  [0.001]"), "0.001", True),
    Format("TFD", lambda steps: _timed(steps, 8, " [1.00000000]"), "1.001", True),
    Format("Kairos", lambda steps: "; cost = 3\n" + _timed(steps, 9, ""), "0.000999999", True),
    Format("ENHSP", lambda steps: _timed(steps, 1, ""), "1"),
    Format("PDDL4J", lambda steps: _timed(steps, 0, " [0]").replace("(", "(            "), "1"),
    Format("YAHSP", _over_lines),
    Format("FF", _ff, by_val=False),
    Format("unified-planning", lambda steps: "SequentialPlan:\n" + _calls(steps), by_val=False),
    Format("Madagascar", _madagascar, by_val=False),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A problem and a plan that solves it, with the texts of its files as VAL reads them."""

    name: str
    domain: Domain
    problem: Problem
    steps: tuple[TimedStep, ...]
    texts: tuple[str, str]

    @property
    def timed(self) -> bool:
        """Whether its actions have durations."""
        return bool(self.domain.durative_actions)


def drawn(plans: int) -> Iterator[Case]:
    """Yield problems of the domains that ship, with the planner's plans."""
    names = [name for name in classic_names() if name != "household"]
    benchmark = ProblemBenchmark()
    for number in range(plans):
        name = names[number % len(names)]
        given = {"domain": name, "bands": [classic_template(name).bands[0].name]}
        made = try_problems(benchmark, configure(benchmark, benchmark.name, 8, given, seed=number))
        episode = next(each for each in made if each.outcome.accepted and len(each.plan) > 1)
        stored = read_problem(episode)
        steps = tuple(TimedStep(place, action) for place, action in enumerate(episode.plan, 1))
        yield Case(name, stored.domain, stored.problem, steps, _for_val(stored.domain, stored.problem))


CELLAR = (
    """(define (domain cellar) (:requirements :typing :durative-actions) (:types match fuse)
 (:predicates (unused ?m - match) (bright) (mended ?f - fuse) (hand-free) (open) (tidy))
 (:durative-action strike :parameters (?m - match) :duration (= ?duration 5)
  :condition (and (at start (unused ?m)) (at start (open)))
  :effect (and (at start (not (unused ?m))) (at start (bright)) (at end (not (bright)))))
 (:durative-action mend :parameters (?f - fuse) :duration (= ?duration 2)
  :condition (and (at start (hand-free)) (over all (bright)))
  :effect (and (at start (not (hand-free))) (at end (hand-free)) (at end (mended ?f))))
 (:action unlock :parameters () :precondition (not (open)) :effect (open))
 (:action tidy-up :parameters () :precondition (hand-free) :effect (tidy)))""",
    """(define (problem p) (:domain cellar) (:objects m1 m2 - match f1 f2 f3 - fuse)
 (:init (unused m1) (unused m2) (hand-free)) (:goal (and (mended f1) (mended f2) (mended f3) (tidy))))""",
    """0: (unlock)\n0.001: (strike m1) [5]\n0.01: (mend f1) [2]\n2.02: (mend f2) [2]\n5.01: (strike m2) [5]
5.02: (mend f3) [2]\n7.03: (tidy-up)""",
)
BUS = (
    """(define (domain bus) (:requirements :typing :durative-actions :numeric-fluents :duration-inequalities)
 (:types person place bus)
 (:predicates (at ?b - bus ?p - place) (waits ?x - person ?p - place) (in ?x - person ?b - bus) (paid ?x - person))
 (:functions (minutes ?a ?b - place) (seats ?b - bus))
 (:action pay :parameters (?x - person) :precondition (not (paid ?x)) :effect (paid ?x))
 (:durative-action drive :parameters (?b - bus ?f ?t - place) :duration (= ?duration (minutes ?f ?t))
  :condition (at start (at ?b ?f)) :effect (and (at start (not (at ?b ?f))) (at end (at ?b ?t))))
 (:durative-action board :parameters (?x - person ?b - bus ?p - place)
  :duration (and (>= ?duration 1) (<= ?duration 2))
  :condition (and (at start (waits ?x ?p)) (at start (paid ?x)) (over all (at ?b ?p)) (at start (>= (seats ?b) 1)))
  :effect (and (at start (not (waits ?x ?p))) (at start (decrease (seats ?b) 1)) (at end (in ?x ?b))))
 (:durative-action leave :parameters (?x - person ?b - bus ?p - place) :duration (= ?duration 1)
  :condition (and (at start (in ?x ?b)) (over all (at ?b ?p)))
  :effect (and (at start (not (in ?x ?b))) (at end (increase (seats ?b) 1)) (at end (waits ?x ?p)))))""",
    """(define (problem p) (:domain bus) (:objects ann bob - person home town - place van - bus)
 (:init (at van home) (waits ann home) (waits bob home) (= (seats van) 2)
  (= (minutes home town) 4) (= (minutes town home) 3) (= (minutes home home) 1) (= (minutes town town) 1))
 (:goal (and (waits ann town) (waits bob town) (at van home))))""",
    """0: (pay ann)\n0.5: (pay bob)\n1: (board ann van home) [1]\n1.01: (board bob van home) [1.5]
3.02: (drive van home town) [4]\n7.03: (leave ann van town) [1]\n7.04: (leave bob van town) [1]
9.05: (drive van town home) [3]""",
)


def durative() -> Iterator[Case]:
    """Yield the problems with durations."""
    for text, asked, plan in (CELLAR, BUS):
        domain = parse_domain(text)
        problem = parse_problem(asked, domain)
        yield Case(domain.name, domain, problem, parse_plan(plan).steps, _for_val(domain, problem))


def of_competitions(folders: Sequence[Path], unread: list[str]) -> Iterator[Case]:
    """Yield the first problem of each domain of checkouts, where it gets a plan; list the files that we refuse.

    A plan of one step counts for none: there is too little in it to spoil.
    """
    for folder in folders:
        for name, domain, problem in first_problems(folder.resolve()):
            try:
                task = load_task(domain, problem)
            except ChorewrightError as error:
                unread.append(f"{name}: {str(error).splitlines()[0]}")
                continue
            if len(steps := quick_plan(domain, problem, task[0])) > 1:
                texts = (path.read_text(errors="replace").lower() for path in (domain, problem))
                yield Case(name, *task, steps, (next(texts), next(texts)))  # VAL tells capital letters apart


def spoilt(case: Case, form: Format, seed: int) -> Iterator[list[TimedStep]]:
    """Yield a plan in the order of its file: as it is, then changed in one place again and again."""
    rng = np.random.default_rng(seed)
    start = list(case.steps) if case.timed or not form.apart else list(_spaced(case.steps, form.apart))
    objects = [each.name for each in case.problem.objects or case.domain.constants]
    yield start
    while True:
        plan = list(start)
        at = int(rng.integers(len(plan)))
        step = plan[at]
        match int(rng.integers(6)):
            case 0 if len(plan) > 1:
                del plan[at]
            case 1 if at:
                plan[at - 1], plan[at] = replace(step, time=plan[at - 1].time), replace(plan[at - 1], time=step.time)
            case 2 if step.action.arguments:
                arguments = list(step.action.arguments)
                arguments[int(rng.integers(len(arguments)))] = str(rng.choice(objects))
                plan[at] = replace(step, action=replace(step.action, arguments=tuple(arguments)))
            case 3 if form.apart:
                plan[at] = replace(step, time=plan[at - 1].time if at else plan[-1].time)
            case 4 if form.apart:
                plan = [plan[int(place)] for place in rng.permutation(len(plan))]
            case 5 if form.apart and case.timed:
                plan[at] = replace(step, time=step.time + Fraction(int(rng.integers(0, 4000)), 1000))
            case _:
                continue
        yield plan


def _for_val(domain: Domain, problem: Problem) -> tuple[str, str]:
    """Return the texts of a task as VAL reads it: no effect of an action is a number's alone."""
    actions = tuple(
        each if isinstance(each.effect, AndEffect) else replace(each, effect=AndEffect((each.effect,)))
        for each in domain.actions
    )
    asked = write_problem(problem, expand_at_least=True)
    return write_domain(replace(domain, actions=actions), expand_at_least=True), asked


def with_equal_for_greater(case: Case) -> tuple[Domain, Problem]:
    """Return a task whose strict comparisons also hold of equal numbers, as VAL takes them (to allow for rounding)."""
    texts = write_domain(case.domain), write_problem(case.problem)
    domain, problem = (text.replace("(> ", "(>= ").replace("(< ", "(<= ") for text in texts)
    parsed = parse_domain(domain)
    return parsed, parse_problem(problem, parsed)


@dataclass(slots=True)
class Count:
    """Plans judged, those that are valid, and verdicts that differ from VAL's."""

    plans: int = 0
    valid: int = 0
    differ: int = 0

    def add(self, valid: bool, differs: bool) -> None:
        """Count a plan."""
        self.plans += 1
        self.valid += valid
        self.differ += differs


@dataclass(slots=True)
class Verdicts:
    """Our verdicts beside VAL's.

    Attributes:
        program: VAL's Validate; None to count our verdicts only.
        by_format: The plans of each planner's format.
        by_kind: Those of problems with durations, with numbers, and of others.
        equals: Verdicts that differ only as VAL takes equal numbers for greater or less ones.
        unread: Problems that we do not read.
        beyond_val: Problems and plans that VAL does not read.
    """

    program: Path | None
    by_format: dict[str, Count] = field(default_factory=lambda: {form.name: Count() for form in FORMATS})
    by_kind: defaultdict[str, Count] = field(default_factory=lambda: defaultdict(Count))
    equals: int = 0
    unread: list[str] = field(default_factory=list)
    beyond_val: list[str] = field(default_factory=list)

    def judge(self, case: Case, plans: int, seed: int) -> None:
        """Judge a plan in each format: as it is, and spoilt."""
        with TemporaryDirectory() as name:
            folder = Path(name)
            for file, text in zip(("domain.pddl", "problem.pddl"), case.texts, strict=True):
                (folder / file).write_text(text)
            forms = [form for form in FORMATS if form.timed or not case.timed]
            if self.program:
                right = forms[0].write(case.steps)
                if BAD_PLAN in (run_val(self.program, folder, right) or BAD_PLAN):
                    self.beyond_val.append(case.name)
                    return
            for form in forms:
                variants = spoilt(case, form, seed + FORMATS.index(form))
                for steps in islice(variants, plans):
                    self._judge(case, form, steps, folder)

    def _judge(self, case: Case, form: Format, steps: Steps, folder: Path) -> None:
        text = form.write(steps)
        plan = parse_plan(text)
        verdict = validate_plan(case.domain, case.problem, plan)
        differs = False
        if self.program:
            said = val_says(self.program, folder, text if form.by_val else _plain(steps))
            if said is None:
                self.beyond_val.append(f"{case.name}, {form.name}")
                return
            differs = said != verdict.valid
            if differs and validate_plan(*with_equal_for_greater(case), plan).valid == said:
                self.equals += 1
                differs = False
            if differs:
                print(f"{form.name}, {case.name}: {verdict.valid} ({verdict.message})\n{text}", flush=True)
        kind = "with durations" if case.timed else "with numbers" if case.domain.functions else "classical"
        for count in (self.by_format[form.name], self.by_kind[kind]):
            count.add(verdict.valid, differs)

    def report(self, of_competitions: bool) -> Report:
        """Return the figures and the tables."""
        counts = self.by_kind.values()
        whole = Count(*(sum(getattr(each, name) for each in counts) for name in ("plans", "valid", "differ")))
        figures = [
            Figure("plans", "plans judged", whole.plans),
            Figure("valid", "of which are valid", whole.valid, of=whole.plans),
        ]
        if self.program is not None:
            label = "verdicts that differ from VAL's"
            figures.append(Figure("differ", label, whole.differ, target=Target("at most", 0)))
            label = "verdicts in which VAL takes a number for greater or less than an equal one"
            figures.append(Figure("equals", label, self.equals))
            figures.append(Figure("beyond_val", "problems and plans that VAL does not read", len(self.beyond_val)))
        if of_competitions:
            figures.append(Figure("unread", "problems that we do not read", len(self.unread)))
        shown = 4 if self.program else 3
        columns = ("plans", "valid", "differ from VAL")
        tables = [
            Table(
                (of, *columns)[:shown],
                tuple((name, *map(str, (each.plans, each.valid, each.differ)))[:shown] for name, each in rows.items()),
            )
            for of, rows in (("planner", self.by_format), ("problems", self.by_kind))
        ]
        of = " of competition problems" * of_competitions
        return Report(
            "plan_formats" + "-competitions" * of_competitions,
            "Planner",
            f"Any planner's plan file{of}",
            f"Plans{of} as twelve planners print them, right and spoilt, judged by validate and by VAL.",
            tuple(figures),
            tuple(tables),
        )


def main() -> None:
    """Print each verdict that differs, and the counts."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--val", type=given_path, metavar="PROGRAM", help="VAL's Validate; else verdicts are counted")
    parser.add_argument("--plans", type=int, default=20)
    parser.add_argument("--problems", type=given_path, nargs="+", default=[], metavar="FOLDER", help="checkouts")
    parser.add_argument("--spoilt", type=int, default=4, help="spoilt plans of each plan and format")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    verdicts = Verdicts(arguments.val.resolve() if arguments.val else None)
    others = of_competitions(arguments.problems, verdicts.unread) if arguments.problems else drawn(arguments.plans)
    for number, case in enumerate((*durative(), *others)):
        verdicts.judge(case, arguments.spoilt + 1, arguments.seed + 100 * number)
    for line in (*verdicts.unread, *(f"{name}: VAL does not read it" for name in verdicts.beyond_val)):
        print(line)
    report = verdicts.report(bool(arguments.problems))
    for figure in report.figures:
        print(f"{figure.label}: {figure.text}")
    keep(arguments, report)


if __name__ == "__main__":
    main()
