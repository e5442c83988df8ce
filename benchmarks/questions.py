"""Questions about problems of the shipped domains: how many, how balanced, how fast.

    python -m benchmarks.questions [--questions N] [--each N] [--save] [--json FILE]

Problems are drawn from the easy bands of the shipped templates, domain by domain in turn, until there are so many
questions.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Target
from chorewright.generator.measuring.questions import KINDS, ProblemQuestion, QuestionStyle, questions_of
from chorewright.generator.measuring.questions.situation import Situation, situation_of
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.planning import solve
from chorewright.problems.pddl.scenes import NoScene
from chorewright.problems.pddl.template_files import FOLDER, classic_domain, classic_names, classic_template, draw
from chorewright.rsa.words.files import load_wordings


def situations(name: str) -> Iterator[Situation]:
    """Yield problems of a domain with their plans, without end."""
    domain, template = classic_domain(name), classic_template(name)
    numbers = template.bands[0].numbers if template.bands else ()
    seed = 0
    while True:
        seed += 1
        try:
            problem = draw(template, domain, (seed, 5), numbers)
        except NoScene:
            continue
        answer = solve(domain, problem, Limits(evaluations=5000))
        if isinstance(answer, Plan) and answer.actions:
            yield situation_of(domain, problem, answer.actions, load_wordings(FOLDER / f"{domain.name}.say", domain))


def make(count: int, each: int) -> tuple[dict[str, list[ProblemQuestion]], float]:
    """Return so many questions by domain, and the CPU seconds that they took, without the problems' plans."""
    names = classic_names()
    sources = {name: situations(name) for name in names}
    places: Counter[str] = Counter()
    found: dict[str, list[ProblemQuestion]] = {name: [] for name in names}
    spent = 0.0
    number = 0
    while sum(map(len, found.values())) < count:
        for name, source in sources.items():
            situation = next(source)
            begun = time.process_time()
            found[name] += questions_of(situation, f"{name}-{number}", QuestionStyle(each), places)
            spent += time.process_time() - begun
        number += 1
    return found, spent


def imbalance(questions: list[ProblemQuestion]) -> float:
    """Return by how much the most frequent answer (or place of it) of a kind is above its fair share, at most."""
    worst = 0.0
    for kind in KINDS:
        of = [each for each in questions if each.kind == kind]
        counts = Counter(each.options.index(each.answer) for each in of)
        if of:
            worst = max(worst, max(counts.values()) / len(of) - 1 / len(of[0].options))
    return worst


def main() -> None:
    """Print the numbers by domain and kind."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--each", type=int, default=3)
    arguments = parser.parse_args()
    found, spent = make(arguments.questions, arguments.each)
    every = [question for questions in found.values() for question in questions]
    for name, questions in found.items():
        print(f"{name:12} {len(questions)}")
    kinds = Counter(question.kind for question in every)
    for kind in KINDS:
        print(f"{kind:18} {kinds[kind]}")
    worst = 100 * imbalance(every)
    print(f"{len(every)} questions in {spent:.0f} CPU s; an answer is at most {worst:.2f} % too frequent")
    figures = (
        Figure("questions", "questions", len(every), target=Target("at least", arguments.questions)),
        Figure("domains", "domains", sum(1 for each in found.values() if each), target=Target("at least", 12)),
        Figure("kinds", "kinds of questions", len(kinds)),
        Figure("imbalance", "most frequent answer of a kind above its share", worst, "%", digits=2,
               target=Target("at most", 2.0)),
        Figure("speed", "questions a CPU second", len(every) / spent, digits=0),
    )  # fmt: skip
    explanation = "Questions about easy problems of shipped domains; answers by the planner and all reachable states."
    keep(arguments, Report("questions", "Planner", "Questions about any domain", explanation, figures))


if __name__ == "__main__":
    main()
