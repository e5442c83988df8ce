"""Answers to tasks for language models: right, spoilt in one place, swapped, with errors at a rate, and random ones."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.planner.plan_files import parse_plan
from chorewright.planner.validation import validate
from chorewright.rewards import Task

FAMILIES = ("household", "clarify")
GAMES = (*FAMILIES, "domain-game")
PLANS = ("plan", "optimal-plan")


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


def swap(task: Task, rng: np.random.Generator) -> str:
    """Return a right plan with two neighbouring steps swapped, which many plans stand."""
    lines = answer_of(task)
    at = int(rng.integers(max(1, len(lines) - 1)))
    lines[at : at + 2] = lines[at : at + 2][::-1]
    return marked(lines)


def is_valid(task: Task, answer: str) -> bool:
    """Whether a spoilt plan is valid all the same."""
    if task.kind not in PLANS:
        return False
    domain = parse_domain(task.facts["domain"])
    lines = answer.splitlines()[1:-1]
    problem = parse_problem(task.facts["problem"], domain)
    return bool(lines) and validate(domain, problem, parse_plan("\n".join(lines)).actions).valid


def err(task: Task, rate: float, rng: np.random.Generator) -> str:
    """Return the right plan with each step replaced by another of its steps at some rate."""
    lines = answer_of(task)
    made = [lines[int(rng.integers(len(lines)))] if rng.random() < rate else line for line in lines]
    return marked(made)


def random_answer(task: Task, rng: np.random.Generator) -> str:
    """Return words of the prompt and the answer in any order, with marks."""
    words = [*task.prompt.split()[:80], *task.gold.split(), "<answer>", "</answer>", "```", "(", ")", "\n", ";", "\x00"]
    return " ".join(words[int(each)] for each in rng.integers(len(words), size=int(rng.integers(1, 40))))
