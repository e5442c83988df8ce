"""The verb that makes questions of a user's domain and problems."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chorewright.commands.shell import AsJson, fold, print_json, printable, readable, verb
from chorewright.errors import UsageError
from chorewright.files.english import say_count


@verb
def questions(
    domain_file: Annotated[Path, typer.Argument(metavar="DOMAIN", help="A PDDL domain file.")],
    problem_files: Annotated[list[Path], typer.Argument(metavar="PROBLEM...", help="PDDL problem files.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="A new folder, or one written to before.")],
    words_file: Annotated[
        Path | None,
        typer.Option("--say", "--wordings", metavar="FILE", help="A .say file; else the one beside the domain's."),
    ] = None,
    each: Annotated[
        int, typer.Option("--each", min=1, max=100, help="So many of each kind for a problem: pairs, or choices.")
    ] = 2,
    kinds: Annotated[
        list[str] | None, typer.Option("--kind", help="Only this kind, as next-state; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another seed, other questions.")] = 0,
    evaluations: Annotated[
        int, typer.Option("--evaluations", min=1, help="What the planner may evaluate for a problem's plan.")
    ] = 50_000,
    as_json: AsJson = False,
) -> None:
    """Make questions about problems of a domain, each with its answer; problems without a plan are left out."""
    from chorewright.domains.pddl import load_domain, load_problem
    from chorewright.generator.measuring.questions.export import QuestionFiles, QuestionOptions, style_of
    from chorewright.generator.pddl.sources import StoredProblem
    from chorewright.generator.training.exporter import ExportFolder
    from chorewright.planner.plan import Limits, Plan
    from chorewright.planner.planning import solve
    from chorewright.replay.games.game import wordings_beside

    domain = load_domain(readable(domain_file))
    words = wordings_beside(domain, domain_file, words_file)
    style = style_of(QuestionOptions(each, tuple(kinds or ()), seed))
    problems = {path.stem: load_problem(readable(path), domain) for path in problem_files}
    if len(problems) < len(problem_files):
        raise UsageError("two problems' files have the same name", hint="their names are those of the questions")
    files = QuestionFiles(ExportFolder(out, "questions"), style)
    left_out = []
    for name, problem in problems.items():
        answer = solve(domain, problem, Limits(evaluations=evaluations))
        if isinstance(answer, Plan) and answer.actions:
            files.add(name, StoredProblem(domain, problem, words), answer.actions, "train")
        else:
            left_out.append(name)
    changed = files.close()
    if as_json:
        told = {"folder": str(out), "problems": files.problems, "questions": files.questions}
        print_json({**told, "left_out": left_out, "files_changed": changed})
        return
    asked = f"{say_count(files.questions, 'question')} about {say_count(files.problems, 'problem')}"
    print(printable(f"{out}: {asked} ({say_count(changed, 'file')} written)"))
    if left_out:
        print(printable(fold(f"left out, as no plan of a step or more was found: {', '.join(left_out)}")))
