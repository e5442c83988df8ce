"""Verbs for authors of domains: ``check-domain`` draws problems, solves and says them, ``new-domain`` writes files to
start from, ``questions`` asks about problems, and ``compare`` says whether two problems are the same.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands import shell
from chorewright.commands.common import DomainPath, OutFolder, ProblemPaths, TimeLimit
from chorewright.errors import ExitCode, UsageError
from chorewright.files.english import say_count

if TYPE_CHECKING:
    from chorewright.generator.dataset.episode import Episode

IN_PYTHON, UNCOMPILED = 0.2, 20.0
"""Seconds that Python may take for the kernels of a check, and besides where nothing has been compiled."""


@shell.verb
def check_domain(
    domain: Annotated[str | None, typer.Argument()] = None,
    template: Annotated[str | None, typer.Option("--template", metavar="FILE")] = None,
    problems: Annotated[list[Path] | None, typer.Option("--problems", metavar="FOLDER")] = None,
    count: Annotated[int, typer.Option("--count", "-n")] = 20,
    bands: Annotated[list[str] | None, typer.Option("--band", metavar="BAND")] = None,
    optimal: Annotated[bool, typer.Option("--optimal")] = False,
    seed: int = 0,
    out: Annotated[Path | None, typer.Option("--out", metavar="FOLDER")] = None,
    as_json: shell.AsJson = False,
) -> None:
    """Try a domain: draw problems, solve them, say what is rejected and why, and how one sounds.

    Exit code 1 if no problem is accepted.

    Args:
        domain: A domain's folder or .pddl file, or a shipped one; without it, list those.
        template: Its problem template; by default the one beside it.
        problems: Problems instead of a template.
        count: How many problems to try.
        bands: A band, or NAME=LOW-HIGH; may be repeated.
        optimal: Prove plans to be optimal; bands go by their costs.
        seed: Other problems.
        out: Write the accepted problems and their plans there.
    """
    from chorewright.commands.progress import counting
    from chorewright.generator.dataset.options import configure
    from chorewright.generator.pddl.problem_benchmark import ProblemBenchmark, try_problems
    from chorewright.jit.kernels import interpreting

    if domain is None and template is None:
        _list(as_json)
        return
    if count < 1 or seed < 0:
        raise UsageError("--count must be at least 1, and --seed not negative")
    benchmark = ProblemBenchmark()
    files = [str(each) for each in problems or ()]
    given = {"domain": domain, "template": template, "problems": files, "bands": bands, "optimal": optimal}
    config = configure(benchmark, benchmark.name, count, given, seed=seed)
    with counting("check-domain") as tell, interpreting(IN_PYTHON, UNCOMPILED):
        made = try_problems(benchmark, config, lambda done: tell(done, count))
    accepted = [each for each in made if each.outcome.accepted]
    written = [] if out is None else _write(accepted, out)
    if as_json:
        shell.print_json(_json(made, accepted, written))
    else:
        _print(made, accepted)
        if out is not None:
            plans = "its plan" if len(written) == 1 else "their plans"
            print(shell.printable(f"{out}: {say_count(len(written), 'problem')} with {plans}"))
    shell.exit_unless(bool(accepted))


def _list(as_json: bool) -> None:
    """List the shipped domains that have a template."""
    from rich.table import Column, Table

    from chorewright.problems.pddl.template_files import classic_names, classic_template

    found = {name: classic_template(name) for name in classic_names()}
    if as_json:
        rows = [
            {"name": name, "documentation": each.documentation, "bands": [str(band) for band in each.bands]}
            for name, each in found.items()
        ]
        shell.print_json(rows)
        return
    table = Table("domain", Column("problems", overflow="fold"), Column("bands by plan cost", overflow="fold"))
    for name, each in found.items():
        table.add_row(name, each.documentation, ", ".join(str(band) for band in each.bands))
    shell.console().print(table)


def _bands(made: Sequence[Episode]) -> dict[str, list[Episode]]:
    """Return the episodes of each band, in order."""
    from chorewright.generator.pddl.problem_benchmark import band_of

    found: dict[str, list[Episode]] = {}
    for each in made:
        found.setdefault(band_of(each) or "any", []).append(each)
    return found


def _reasons(made: Sequence[Episode]) -> dict[str, int]:
    """Return why problems were rejected, most frequent first."""
    counts = Counter(str(reason) for each in made for reason in each.rejections)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _print(made: Sequence[Episode], accepted: Sequence[Episode]) -> None:
    from statistics import median

    from rich.table import Column, Table

    table = Table("band", *(Column(head, justify="right") for head in ("accepted", "least", "median", "most cost")))
    for name, episodes in _bands(made).items():
        costs = _costs(episodes)
        ends = (f"{min(costs):g}", f"{median(costs):g}", f"{max(costs):g}") if costs else ("-", "-", "-")
        table.add_row(name, f"{len(costs)} of {len(episodes)}", *ends)
    shell.console().print(table)
    reasons = _reasons(made)
    total = sum(reasons.values())
    counts = f"{len(accepted)} of {say_count(len(made), 'problem')} accepted; {say_count(total, 'attempt')} rejected"
    print(shell.printable(counts + ":" * bool(total)))
    for reason, times in list(reasons.items())[:12]:
        print(shell.printable(f"  {times:>4}  {reason}"))
    if accepted:
        said = accepted[0].instructions
        for level in ("state", "goal", "step", "change"):
            text = next((each.text for each in said if each.level == level), "")
            print(shell.printable(f'  {level:<6} "{text}"'))


def _costs(episodes: Sequence[Episode]) -> list[float]:
    return [each.plan_cost for each in episodes if each.outcome.accepted]


def _json(made: Sequence[Episode], accepted: Sequence[Episode], written: list[str]) -> dict[str, object]:
    return {
        "episodes": len(made),
        "accepted": len(accepted),
        "bands": {
            name: {"episodes": len(episodes), "costs": sorted(_costs(episodes))}
            for name, episodes in _bands(made).items()
        },
        "rejections": _reasons(made),
        "sentences": [each.text for each in accepted[0].instructions] if accepted else [],
        "files": written,
    }


def _write(accepted: Sequence[Episode], folder: Path) -> list[str]:
    """Write the accepted problems with their plans; return the problems' files."""
    from chorewright.generator.pddl.sources import PROBLEM, SCENE

    shell.make_folder(folder)
    written = []
    for each in accepted:
        path = folder / f"{Path(each.extra(SCENE)).stem}.pddl"
        shell.write_text(path, each.extra(PROBLEM))
        lines = [str(action) for action in each.plan]
        shell.write_text(path.with_suffix(".plan"), "\n".join((*lines, f"; cost = {each.plan_cost:g}", "")))
        written.append(str(path))
    return written


# The verb ``new-domain``: a folder with a small domain, its wordings and its problem template.


NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
ENDINGS = (".pddl", ".say", ".template")
START = "delivery"
"""The domain that new ones start from."""


@shell.verb
def new_domain(
    name: str,
    out: Path = Path(),
    like: Annotated[str | None, typer.Option("--like", metavar="DOMAIN")] = None,
    as_json: shell.AsJson = False,
) -> None:
    """Write a domain with its wordings and its problem template, to start from.

    The folder NAME gets domain.pddl, domain.say (English) and domain.template (problems). They work as they are.

    Args:
        name: The domain's name: letters, digits, '-' and '_'.
        out: Where to make the folder NAME.
        like: Start from a shipped domain; see check-domain.
    """
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name of a domain", hint="use letters, digits, '-' and '_', a letter first")
    texts = _texts(like)
    folder = out / name.lower()
    shell.make_folder(folder)
    written = []
    for ending, text in texts.items():
        path = folder / f"domain{ending}"
        shell.write_text(path, _rename_definition(text, name.lower()), fresh=True)
        written.append(str(path))
    line = f"{', '.join(written)}: edit them, then run: chorewright check-domain {folder}"
    shell.answer(as_json, {"domain": name.lower(), "files": written}, line)


def _texts(like: str | None) -> dict[str, str]:
    """Return the texts to start from, by the endings of their files."""
    if like is None:
        data = files("chorewright.problems") / "data"
        return {ending: (data / f"{START}{ending}").read_text("utf-8") for ending in ENDINGS}
    from chorewright.domains.pddl.writer import write_domain
    from chorewright.files.text import read_text
    from chorewright.problems.pddl.template_files import FOLDER, classic_domain, classic_template

    classic_template(like)
    own = FOLDER / f"{like}.pddl"
    found = {".pddl": read_text(own) if own.is_file() else write_domain(classic_domain(like))}
    return found | {ending: read_text(FOLDER / f"{like}{ending}") for ending in ENDINGS[1:]}


def _rename_definition(text: str, name: str) -> str:
    """Return a definition under another name of its domain."""
    text = re.sub(r"\(define\s+\((domain|wordings|template)\s+[^\s()]+\)", rf"(define (\1 {name})", text, count=1)
    return re.sub(r"\(:domain\s+[^\s()]+\)", f"(:domain {name})", text, count=1)


# The verb that makes questions of a user's domain and problems.


@shell.verb
def questions(
    domain_file: DomainPath,
    problem_files: ProblemPaths,
    out: OutFolder,
    words_file: Annotated[Path | None, typer.Option("--say", "--wordings", metavar="FILE")] = None,
    each: Annotated[int, typer.Option("--each", min=1, max=100)] = 2,
    kinds: Annotated[list[str] | None, typer.Option("--kind")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 0,
    evaluations: Annotated[int, typer.Option("--evaluations", min=1)] = 50_000,
    time_per_question: Annotated[float | None, typer.Option("--time-per-question", min=0.01)] = None,
    time_limit: TimeLimit = None,
    as_json: shell.AsJson = False,
) -> None:
    """Make questions about problems of a domain, each with its answer; problems without a plan are left out.

    What is made is kept problem by problem in OUT.partial: after an interruption or the time limit, the same command
    goes on. At the time limit the questions so far are written (exit code 23).

    Args:
        words_file: A .say file; else the one beside the domain's.
        each: So many of each kind for a problem: pairs, or choices.
        kinds: Only this kind, as next-state; may be repeated.
        seed: Another seed, other questions.
        evaluations: What the planner may evaluate for a problem's plan.
        time_per_question: Leave out a question that takes more seconds.
    """
    from chorewright.commands.progress import counting
    from chorewright.domains.pddl import load_domain, load_problem
    from chorewright.files.stopping import Stopped
    from chorewright.generator.measuring.questions import export
    from chorewright.generator.measuring.questions.making import QuestionTime
    from chorewright.generator.pddl.sources import StoredProblem
    from chorewright.generator.training.exporter import ExportFolder
    from chorewright.replay.games.game import wordings_beside

    domain = load_domain(shell.readable(domain_file))
    words = wordings_beside(domain, domain_file, words_file)
    style = export.style_of(export.QuestionOptions(each, tuple(kinds or ()), seed))
    problems = {path.stem: load_problem(shell.readable(path), domain) for path in problem_files}
    if len(problems) < len(problem_files):
        raise UsageError("two problems' files have the same name", hint="their names are those of the questions")
    export.require_same_problems(out, domain, problems)
    limit = QuestionTime(time_per_question, time_limit)
    files = export.QuestionFiles(ExportFolder(out, "questions"), style, limit)
    kept = export.KeptQuestions.of(out.with_name(f"{out.name}.partial"))
    left_out: list[str] = []
    stopped = False
    with counting("questions: problems") as tell:
        for number, (name, problem) in enumerate(problems.items()):
            try:
                if not files.ask(name, StoredProblem(domain, problem, words), evaluations, kept):
                    left_out.append(name)
            except Stopped:
                stopped = True
                break
            tell(number + 1, len(problems))
    changed = files.close()
    if not stopped:
        kept.forget()
    told = {"folder": str(out), "problems": files.problems, "questions": files.questions}
    asked = f"{say_count(files.questions, 'question')} about {say_count(files.problems, 'problem')}"
    lines = [f"{out}: {asked} ({say_count(changed, 'file')} written)"]
    if left_out:
        lines.append(shell.fold(f"left out, as no plan of a step or more was found: {', '.join(left_out)}"))
    if limit.left_out:
        lines.append(f"left out, as they took too long: {say_count(limit.left_out, 'question')}")
    if stopped:
        lines.append(f"out of time: {len(problems)} problems were asked for; the same command goes on")
    more = {"left_out": left_out, "too_long": limit.left_out, "out_of_time": stopped, "files_changed": changed}
    shell.answer(as_json, {**told, **more}, *lines)
    if stopped:
        sys.exit(ExitCode.OUT_OF_TIME)


# The verb that says whether two problems are the same.


@shell.verb
def compare(
    first: Annotated[Path, typer.Argument(metavar="A.pddl")],
    second: Annotated[Path, typer.Argument(metavar="B.pddl")],
    domain_file: Annotated[Path | None, typer.Option("--domain", metavar="FILE")] = None,
    evaluations: Annotated[int, typer.Option("--evaluations", min=1)] = 50_000,
    time_limit: TimeLimit = None,
    as_json: shell.AsJson = False,
) -> None:
    """Say whether two problems are the same but for names: their starts, and their goals in all reachable states.

    Exit code 0 equivalent, 1 different, 12 not decided within limits.

    Args:
        first: A PDDL problem file.
        second: Another problem file of the same domain.
        domain_file: Their domain; by default domain.pddl beside the first.
        evaluations: What each search for a difference may evaluate.
    """
    from chorewright.commands.progress import counting
    from chorewright.domains.pddl import load_domain, load_problem
    from chorewright.planner.equivalence import Likeness, compare_problems
    from chorewright.planner.plan import Limits
    from chorewright.planner.validation import require_plain

    beside = shell.readable(first).parent / "domain.pddl"
    if domain_file is None and not beside.is_file():
        raise UsageError(f"there is no {beside}", hint="give the problems' domain with --domain FILE")
    domain = load_domain(shell.readable(domain_file or beside))
    problems = [load_problem(shell.readable(path), domain) for path in (first, second)]
    for each in problems:
        require_plain(domain, each)
    limits = Limits(seconds=time_limit, evaluations=evaluations)
    with counting("compare") as watch:
        found = compare_problems(domain, problems[0], problems[1], limits, watch=watch)
    lines = [f"{found.likeness.value}: {found.reason}"]
    if found.relation:
        lines.append(f"the first goal is {found.relation}")
    changed = [f"{old} = {new}" for old, new in found.renaming if old != new]
    if changed and found.likeness is Likeness.EQUIVALENT:
        lines.append(f"renaming: {', '.join(changed)}")
    if found.holds_in:
        steps = " ".join(map(str, found.witness)) or "the start"
        lines.append(f"only the {'first' if found.holds_in == 1 else 'second'} goal holds after: {steps}")
    told = {
        "verdict": found.likeness.value,
        "reason": found.reason,
        "relation": found.relation or None,
        "renaming": dict(found.renaming),
        "witness": [str(step) for step in found.witness],
        "holds_in": found.holds_in or None,
    }
    shell.answer(as_json, told, *map(shell.fold, lines))
    codes = {Likeness.EQUIVALENT: ExitCode.OK, Likeness.DIFFERENT: ExitCode.NEGATIVE}
    sys.exit(int(codes.get(found.likeness, ExitCode.INCOMPLETE)))
