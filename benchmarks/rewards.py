"""Rewards for language models: right, spoilt and random answers of all kinds, a model that errs, the speed of games.

    python -m benchmarks.rewards [--tasks N] [--random N] [--steps N] [--save] [--json FILE]

Easy problems of shipped domains, rooms and requests are drawn, so many tasks of each kind.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Target
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.planner.plan_files import parse_plan
from chorewright.planner.validation import validate
from chorewright.rewards import Task, kinds, score, tasks
from chorewright.rewards.trl import environment, rows

FAMILIES = ("household", "clarify")
GAMES = (*FAMILIES, "domain-game")
PLANS = ("plan", "optimal-plan")
RATES = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0)
BANDS = ("easy", "medium", "hard")
SESSIONS = 64
SEED = 35


def drawn(kind: str, count: int, band: str = "easy") -> Iterator[Task]:
    return tasks(kind, count, SEED, **({} if kind in FAMILIES else {"band": band}))


def answer_of(task: Task) -> list[str]:
    """Return the lines of the right answer, without the marks."""
    return task.gold.splitlines()[1:-1]


def marked(lines: Sequence[str]) -> str:
    return "\n".join(("<answer>", *lines, "</answer>"))


def spoil(task: Task, rng: np.random.Generator) -> str:
    """Return a right answer with one fault: a line left out, or another option, verdict or atom."""
    lines = answer_of(task)
    if task.kind in (*PLANS, *GAMES):
        del lines[int(rng.integers(len(lines)))]
        return marked(lines)
    if "options" in task.facts:
        others = [each for each in task.facts["options"] if each != task.facts["answer"]]
        return marked([others[int(rng.integers(len(others)))]])
    if task.kind == "validate":
        return marked(["valid" if lines[0].startswith("invalid") else "invalid: step 1"])
    text = "\n".join(lines)
    goal = text.index("(:goal")
    atoms = [each for each in re.finditer(r"\([a-z][^()?]*\)", text) if each.start() > goal or "(:init" in text]
    atom = atoms[int(rng.integers(len(atoms)))]
    return marked([text[: atom.start()] + text[atom.end() :]])


def is_valid(task: Task, answer: str) -> bool:
    """Whether a spoilt plan is valid all the same."""
    if task.kind not in PLANS:
        return False
    domain = parse_domain(task.facts["domain"])
    lines = answer.splitlines()[1:-1]
    return (
        bool(lines)
        and validate(domain, parse_problem(task.facts["problem"], domain), parse_plan("\n".join(lines)).actions).valid
    )


def err(task: Task, rate: float, rng: np.random.Generator) -> str:
    """Return the right plan with each step replaced by another of its steps at some rate."""
    lines = answer_of(task)
    made = [lines[int(rng.integers(len(lines)))] if rng.random() < rate else line for line in lines]
    return marked(made)


def random_answer(task: Task, rng: np.random.Generator) -> str:
    """Return words of the prompt and the answer in any order, with marks."""
    words = [*task.prompt.split()[:80], *task.gold.split(), "<answer>", "</answer>", "```", "(", ")", "\n", ";", "\x00"]
    return " ".join(words[int(each)] for each in rng.integers(len(words), size=int(rng.integers(1, 40))))


def steps_a_second(count: int) -> float:
    """Return how many commands of games in the household 64 sessions take a second through TRL's factory."""
    make, data = environment(), rows("household", SESSIONS, SEED)
    gold = [answer_of(task) for task in tasks("household", SESSIONS, SEED)]
    sessions = [make() for _ in data]
    done, begun = 0, time.perf_counter()
    while done < count:
        for session, row in zip(sessions, data, strict=True):
            session.reset(**row)
        for place in range(max(map(len, gold))):
            for session, commands in zip(sessions, gold, strict=True):
                if place < len(commands):
                    session.command(commands[place])
                    done += 1
        assert all(session.get_reward() == 1.0 for session in sessions)
    return done / (time.perf_counter() - begun)


def main() -> None:
    """Print what answers of each sort earn."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--tasks", type=int, default=625, help="tasks of each kind")
    parser.add_argument("--random", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=20_000)
    arguments = parser.parse_args()
    rng = np.random.default_rng(SEED)
    made: list[Task] = []
    speeds: dict[str, float] = {}
    for kind in kinds():
        next(drawn(kind, 1))  # domains are read and kernels loaded
        begun = time.process_time()
        made += (some := list(drawn(kind, arguments.tasks)))
        speeds[kind] = len(some) / (time.process_time() - begun)
        print(f"{kind:18} {len(some)} tasks, {speeds[kind]:.0f} a CPU second", flush=True)
    gold = sum(score(task, task.gold).reward == 1.0 for task in made)
    spoilt = [(task, spoil(task, rng)) for task in made]
    above = sum(score(task, said).reward > 0.5 and not is_valid(task, said) for task, said in spoilt)
    copies = sum(score(task, task.prompt).reward > 0 for task in made)
    guesses = [score(task, random_answer(task, rng)).reward for task in (made[int(each)] for each in
               rng.integers(len(made), size=arguments.random))]  # fmt: skip
    plans = [task for task in made if task.kind == "plan"]
    erring = [float(np.mean([score(task, err(task, rate, rng)).reward for task in plans])) for rate in RATES]
    costs = [float(np.mean([task.difficulty["cost"] for task in drawn("plan", 40, band)])) for band in BANDS]
    steps = steps_a_second(arguments.steps)
    kept = sum(one >= other for one, other in pairwise(erring))
    print(f"gold {gold} of {len(made)}, spoilt above a half {above}, copies {copies}, random {np.mean(guesses):.3f}")
    print("errors:", dict(zip(RATES, erring, strict=True)), "costs:", dict(zip(BANDS, costs, strict=True)))
    print(f"{steps:,.0f} steps/s")
    said = " to ".join(f"{value:.2f}" for value in (erring[0], erring[-1]))
    figures = (
        Figure("gold", "right answers that score 1", gold, of=len(made), target=Target("at least", 100)),
        Figure("spoilt", "spoilt answers above a half, but valid plans", above, of=len(made),
               target=Target("at most", 0)),
        Figure("copies", "copies of the prompt with any reward", copies, of=len(made), target=Target("at most", 0)),
        Figure("random", "random answers without an exception", len(guesses), target=Target("at least", 100_000)),
        Figure("erring", "mean reward of plans, from no step wrong to each exchanged", said),
        Figure("monotone", "steps to a higher error rate that do not raise the mean reward", kept, of=len(RATES) - 1,
               target=Target("at least", 100)),
        Figure("bands", "mean cost of easy, medium and hard plans", ", ".join(f"{each:.1f}" for each in costs)),
        Figure("slowest", "kinds of tasks drawn at 100 a CPU second or more",
               sum(each >= 100 for each in speeds.values()), of=len(speeds), target=Target("at least", 100)),
        Figure("steps", f"steps a second of {SESSIONS} household games through TRL's factory, one process", steps,
               digits=0, target=Target("at least", 5_000)),
    )  # fmt: skip
    explanation = "Tasks of sixteen kinds from easy bands, rooms and requests, and what their judges pay for answers."
    keep(arguments, Report("rewards", "Any PDDL domain", "Rewards for language models", explanation, figures))


if __name__ == "__main__":
    main()
