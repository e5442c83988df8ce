"""Problems of the shipped domains: drawn, solved, told apart, and shared among bands of difficulty.

    python -m benchmarks.domain_problems [--problems N] [--small N] [--domain NAME] [--rows FILE] [--save] [--json FILE]

Of each template so many problems are made as ``generate pddl`` makes them, in equal parts of its bands. Plans are
checked by the validator once more. Problems that are equal but for names are looked for among all by a test of
isomorphism from networkx. Small problems, of the first band, are timed.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import networkx as nx
from networkx.algorithms.isomorphism import categorical_node_match
from rich.console import Console

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Table, Target
from chorewright.domains.pddl.subformulas import conjuncts
from chorewright.domains.pddl.syntax import Atom, Problem
from chorewright.domains.pddl.writer import write_formula
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import configure
from chorewright.generator.pddl.problem_benchmark import ProblemBenchmark, band_of, try_problems
from chorewright.generator.pddl.sources import read_problem
from chorewright.planner.validation import validate
from chorewright.problems.pddl.template_files import classic_domain, classic_names, classic_template

RATE = 50
"""Small problems that a core shall make in a second."""

ROUNDS = 12
"""How far around a node its hash looks; an object's neighbour is four edges away."""


@dataclass(frozen=True, slots=True)
class Done:
    """One domain.

    Attributes:
        name: The domain.
        problems: How many problems were asked for.
        accepted: How many were made.
        valid: How many plans the validator accepts.
        duplicates: How many problems are equal to another but for names.
        bands: Accepted problems of each band.
        rejections: Rejected draws by stage.
        seconds: CPU seconds of a problem, on average over the bands.
        rate: Small problems in a CPU second.
    """

    name: str
    problems: int
    accepted: int
    valid: int
    duplicates: int
    bands: dict[str, int]
    rejections: dict[str, int]
    seconds: float
    rate: float


def measure(name: str, problems: int, small: int) -> Done:
    """Make the problems of a domain."""
    domain, bands = classic_domain(name), [each.name for each in classic_template(name).bands]
    _try(name, bands, len(bands), 1)  # compiled code is loaded before the clock starts
    started = time.process_time()
    episodes = _try(name, bands, problems, 0)
    seconds = time.process_time() - started
    started = time.process_time()
    little = _try(name, bands[:1], small, 2)
    rate = sum(each.outcome.accepted for each in little) / (time.process_time() - started)
    made = [(read_problem(each).problem, each.plan) for each in episodes if each.outcome.accepted]
    return Done(
        name,
        problems,
        len(made),
        sum(validate(domain, problem, plan).valid for problem, plan in made),
        duplicates([problem for problem, _ in made]),
        {band: sum(each.outcome.accepted for each in episodes if band_of(each) == band) for band in bands},
        dict(Counter(reason.split(":")[0] for each in episodes for reason in each.rejections)),
        seconds / problems,
        rate,
    )


def _try(name: str, bands: Sequence[str], count: int, seed: int) -> list[Episode]:
    benchmark = ProblemBenchmark()
    given = {"domain": name, "bands": list(bands)}
    return try_problems(benchmark, configure(benchmark, benchmark.name, count, given, seed=seed))


def duplicates(problems: Sequence[Problem]) -> int:
    """Count problems that are isomorphic to an earlier one, by networkx.

    Nodes are matched by the hash of what is around them: isomorphisms keep it, and few candidates are left.
    """
    groups: dict[tuple[str, ...], list[nx.Graph]] = defaultdict(list)
    found = 0
    for problem in problems:
        graph = graph_of(problem)
        hashes = nx.weisfeiler_lehman_subgraph_hashes(graph, node_attr="label", iterations=ROUNDS)
        around = {node: each[-1] for node, each in hashes.items()}
        nx.set_node_attributes(graph, around, "around")
        alike = groups[tuple(sorted(around.values()))]
        if any(nx.is_isomorphic(graph, each, categorical_node_match("around", "")) for each in alike):
            found += 1
        alike.append(graph)
    return found


def graph_of(problem: Problem) -> nx.Graph:
    """Return a problem as a graph: nodes for objects, for facts, and for the places of facts."""
    graph: nx.Graph = nx.Graph()
    for each in problem.objects:
        graph.add_node(each.name, label=f"object {each.types}")
    facts = [(f"start {atom[0]}", atom[1:]) for atom in problem.init]
    facts += [(f"value {each.function} {each.value}", each.objects) for each in problem.values]
    for part in conjuncts(problem.goal):
        if not isinstance(part, Atom):
            raise ValueError(f"a goal that is no conjunction of atoms: {write_formula(part)}")
        facts.append((f"goal {part.predicate}", part.terms))
    for number, (label, terms) in enumerate(facts):
        graph.add_node((number,), label=label)
        for place, term in enumerate(terms):
            graph.add_node((number, place), label=f"{label} {place}")
            graph.add_edges_from((((number,), (number, place)), ((number, place), term)))
    return graph


def figures_of(done: Sequence[Done]) -> list[Figure]:
    """Return the figures over all domains."""
    asked, slowest = sum(each.problems for each in done), min(done, key=lambda each: each.rate)
    shares = [min(each.bands.values()) / (each.problems / len(each.bands)) for each in done]
    return [
        Figure("domains", "shipped domains that are measured", len(done), of=len(classic_names())),
        Figure(
            "accepted",
            "episodes that got a problem in their band",
            sum(each.accepted for each in done),
            of=asked,
            digits=2,
            target=Target("at least", 99.0),
        ),
        Figure(
            "valid",
            "accepted problems whose plan the validator accepts",
            sum(each.valid for each in done),
            of=sum(each.accepted for each in done),
            target=Target("at least", 100.0),
        ),
        Figure(
            "duplicates",
            "accepted problems that are equal to another but for names",
            sum(each.duplicates for each in done),
            target=Target("at most", 0),
        ),
        Figure(
            "least_band",
            "the worst filled band of any domain",
            100 * min(shares),
            "%",
            digits=1,
            target=Target("at least", 95.0),
        ),
        Figure(
            "slowest_rate",
            f"small problems a CPU second, the slowest domain ({slowest.name})",
            slowest.rate,
            digits=0,
            target=Target("at least", RATE),
        ),
        Figure(
            "median_rate", "the same, median of the domains", sorted(e.rate for e in done)[len(done) // 2], digits=0
        ),
    ]


def main() -> None:
    """Measure, and print or save the figures."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--problems", type=int, default=1000, help="of each domain, over its bands")
    parser.add_argument("--small", type=int, default=100, help="timed problems of each domain's first band")
    parser.add_argument("--domain", action="append", choices=classic_names(), help="only this one; may be repeated")
    parser.add_argument("--rows", type=Path, help="keep what is done there, and go on from it")
    asked = parser.parse_args()
    console = Console()
    known = json.loads(asked.rows.read_text("utf-8")) if asked.rows and asked.rows.is_file() else {}
    done = []
    for name in asked.domain or classic_names():
        if name not in known:
            known[name] = asdict(measure(name, asked.problems, asked.small))
            if asked.rows:
                asked.rows.write_text(json.dumps(known, indent=1), encoding="utf-8")
        done.append(Done(**known[name]))
        console.print(str(done[-1]))
    figures = figures_of(done)
    for figure in figures:
        console.print(f"{figure.label}: {figure.text}")
    rows = tuple(
        (
            each.name,
            f"{each.accepted} of {each.problems}",
            ", ".join(f"{band} {count}" for band, count in each.bands.items()),
            str(each.duplicates),
            ", ".join(f"{stage} {count}" for stage, count in sorted(each.rejections.items())),
            f"{1000 * each.seconds:.0f}",
            f"{each.rate:.0f}",
        )
        for each in done
    )
    heads = ("domain", "accepted", "bands", "duplicates", "rejected draws", "CPU ms a problem", "small ones a CPU s")
    explanation = (
        "Problems are drawn, planned, carried out and said as generate pddl does it, in equal parts of the bands."
    )
    title = "Problems of the shipped domains"
    tables = (Table(heads, rows, "By domain"),)
    keep(asked, Report("domain_problems", "Any PDDL domain", title, explanation, tuple(figures), tables))


if __name__ == "__main__":
    main()
