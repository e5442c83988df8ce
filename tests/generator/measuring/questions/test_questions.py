"""Questions: 500 answers found again by brute force, balance, files, the marker, and the verbs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from chorewright.domains.pddl import load_domain, parse_domain, parse_problem, write_domain, write_problem
from chorewright.errors import ExitCode, InputError, UnsupportedError
from chorewright.files.stopping import Stopped
from chorewright.generator.measuring.questions import KINDS, ProblemQuestion, QuestionStyle, export, questions_of
from chorewright.generator.measuring.questions.export import (
    KeptQuestions,
    QuestionFiles,
    QuestionOptions,
    by_kind,
    mark,
    prompt_of,
    read_questions,
    style_of,
)
from chorewright.generator.measuring.questions.making import QuestionTime
from chorewright.generator.measuring.questions.rules import rules_text
from chorewright.generator.measuring.questions.situation import Situation, situation_of
from chorewright.generator.pddl.sources import StoredProblem
from chorewright.generator.training.exporter import ExportFolder
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.planning import solve
from chorewright.problems.pddl.rules import NumberRange
from chorewright.problems.pddl.scenes import NoScene
from chorewright.problems.pddl.template_files import FOLDER, classic_domain, classic_names, classic_template, draw
from chorewright.rsa.words.files import load_wordings
from tests.command import chorewright
from tests.generator.measuring.questions.brute_force import BruteForce

CORPUS = Path(__file__).parents[3] / "corpus"
DOMAINS = classic_names()

SMALL = ("blocks", "ferry", "gripper", "hanoi", "logistics", "sokoban", "tiles")
"""Domains whose smallest problems have so few states that brute force gets through them."""

MOST = 150
"""States of these problems."""

WANTED = 500


def situations(name: str, count: int, smallest: bool) -> Iterator[Situation]:
    domain, template = classic_domain(name), classic_template(name)
    numbers = tuple(NumberRange(each.name, each.low, each.low) for each in template.numbers) if smallest else ()
    if not smallest and template.bands:
        numbers = template.bands[0].numbers
    found = 0
    for seed in range(60):
        if found == count:
            return
        try:
            problem = draw(template, domain, (seed, 20), numbers)
        except NoScene:
            continue
        answer = solve(domain, problem, Limits(evaluations=5000))
        if not isinstance(answer, Plan) or not answer.actions:
            continue
        made = situation_of(domain, problem, answer.actions, load_wordings(FOLDER / f"{domain.name}.say", domain))
        if smallest and (made.space is None or len(made.space.states) > MOST):
            continue
        found += 1
        yield made


def row_of(question: ProblemQuestion) -> dict[str, object]:
    return {
        "kind": question.kind,
        "options": list(question.options),
        "answer": question.answer,
        "formal": json.loads(json.dumps(dict(question.formal))),
    }


def test_500_answers_are_found_again_by_brute_force() -> None:
    places: Counter[str] = Counter()
    checked: Counter[str] = Counter()
    for name in SMALL:
        for number, made in enumerate(situations(name, 6, smallest=True)):
            brute = BruteForce(write_domain(made.domain), write_problem(made.problem))
            assert made.space is not None
            assert len(brute.edges) == len(made.space.states)
            for question in questions_of(made, f"{name}-{number}", QuestionStyle(each=4), places):
                row = row_of(question)
                assert brute.answer(row) == question.answer, row
                assert question.answer in question.options
                checked[question.kind] += 1
    assert sum(checked.values()) >= WANTED, checked
    assert set(checked) == set(KINDS)


def test_there_are_questions_about_12_domains_and_answers_are_balanced() -> None:
    places: Counter[str] = Counter()
    made = [
        (name, question)
        for name in DOMAINS
        for situation in situations(name, 1, smallest=False)
        for question in questions_of(situation, name, QuestionStyle(), places)
    ]
    assert {name for name, _ in made} == set(DOMAINS)
    assert len(DOMAINS) >= 12
    for kind in KINDS:
        told = [question for _, question in made if question.kind == kind]
        assert told, kind
        if told[0].options == ("yes", "no"):
            assert Counter(each.answer for each in told)["yes"] * 2 == len(told)
        else:
            assert all(len(set(each.options)) == 4 for each in told)
            counts = Counter(each.options.index(each.answer) for each in told)
            assert max(counts[place] for place in range(4)) - min(counts[place] for place in range(4)) <= 1
    texts = [question.told + question.asked for _, question in made]
    assert len(set(texts)) == len(texts)


def test_large_and_listed_problems_get_the_same_answers() -> None:
    """The planner decides where there are many states: its answers are those of all states."""
    for name in ("blocks", "gripper", "sokoban"):
        for made in situations(name, 2, smallest=True):
            blind = Situation(made.domain, made.problem, made.plan, made.wordings, most_states=1)
            assert made.space is not None
            assert blind.space is None
            assert blind.fewest_steps() == made.fewest_steps()
            rng = np.random.default_rng(3)
            atoms = [atom for atom in made.atoms if atom not in made.states[0]]
            for _ in range(4):
                one, other = (atoms[int(rng.integers(len(atoms)))] for _ in range(2))
                assert blind.reachable((one, other)) in (None, made.reachable((one, other)))
                assert blind.needed(one) in (None, made.needed(one))


def test_the_same_problem_gives_the_same_questions() -> None:
    made = next(situations("blocks", 1, smallest=False))
    one, two = (list(questions_of(made, "p", QuestionStyle(), Counter())) for _ in range(2))
    assert one == two
    other = list(questions_of(made, "p", QuestionStyle(seed=1), Counter()))
    assert other != one
    only = list(questions_of(made, "p", style_of(QuestionOptions(kinds=("next-state",))), Counter()))
    assert {each.kind for each in only} == {"next state"}


TELL_THE_GOAL = {"plan validity", "first wrong step", "landmark", "justification", "optimal cost"}


def test_the_state_is_told_and_the_goal_with_what_is_asked_about_it_but_not_as_the_answer() -> None:
    asked: set[str] = set()
    for name in ("hanoi", "logistics"):
        made = next(situations(name, 1, smallest=True))
        goal = f"The task: {made.says.goal(made.problem.goal)}"
        for question in questions_of(made, "p", QuestionStyle(), Counter()):
            atoms = json.loads(json.dumps(question.formal.get("state", [list(atom) for atom in made.states[0]])))
            assert question.told.startswith(made.says.state(frozenset(map(tuple, atoms)) | {*made.constants}))
            assert question.told.endswith(goal) == (question.kind in TELL_THE_GOAL), question
            asked.add(question.kind)
    assert asked == set(KINDS)


def test_a_prompt_has_rules_state_question_and_options() -> None:
    question = ProblemQuestion("optimal cost", "The light is off.", "How many?", ("1", "2", "3", "4"), "2")
    assert prompt_of(question, "You can press it.").endswith("How many?\nA) 1\nB) 2\nC) 3\nD) 4")


def test_answers_are_marked() -> None:
    rows = [
        {"id": "a", "kind": "x", "options": ["yes", "no"], "answer": "yes"},
        {"id": "b", "kind": "x", "options": ["yes", "no"], "answer": "no"},
        {"id": "c", "kind": "y", "options": ["3", "4", "5", "6"], "answer": "5"},
        {"id": "d", "kind": "y", "options": ["3", "4", "5", "6"], "answer": "3"},
    ]
    answers = {"a": " Yes. ", "b": "yes", "c": "C)", "d": "a"}
    assert by_kind([mark(each, answers) for each in rows]) == {
        "x": {"asked": 2, "answered": 2, "right": 1, "accuracy": 0.5, "chance": 0.5},
        "y": {"asked": 2, "answered": 2, "right": 2, "accuracy": 1.0, "chance": 0.25},
    }
    assert not any(mark(each, {}).right for each in rows)


@pytest.mark.parametrize("options", [[], ["no", "maybe"], "yes"])
def test_a_question_needs_its_answer_among_its_options(tmp_path: Path, options: object) -> None:
    rows = [{"id": each, "kind": "k", "options": ["yes", "no"], "answer": "yes"} for each in "ab"]
    rows[1]["options"] = options
    file = tmp_path / "train.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    with pytest.raises(InputError, match=r"train\.jsonl:2"):
        list(read_questions(file))


DERIVED = {
    "power": """(define (problem p) (:domain power)
      (:objects n0 n1 n2 n3 - node a b c - line)
      (:init (plant n0) (ends a n0 n1) (ends b n1 n2) (ends c n0 n3) (lamp n2) (lamp n3) (closed b) (closed c)
        (broken b) (= (total-cost) 0) (= (work a) 1) (= (work b) 2) (= (work c) 1))
      (:goal (and (checked n3) (fed n2))) (:metric minimize (total-cost)))""",
    "network": """(define (problem p) (:domain network)
      (:objects m1 m2 m3 - machine plans notes - file)
      (:init (cable m1 m2) (cable m3 m2) (up m2) (stored plans m1) (stored notes m3) (secret plans) (guest m3))
      (:goal (and (stored plans m2) (not (stored plans m1)) (reaches m2 m3))))""",
}


def derived(name: str) -> Situation:
    """A problem of a domain with derived predicates."""
    domain = load_domain(CORPUS / "planning" / f"{name}.pddl")
    problem = parse_problem(DERIVED[name], domain)
    answer = solve(domain, problem, Limits(evaluations=5000))
    assert isinstance(answer, Plan)
    return situation_of(domain, problem, answer.actions, None)


@pytest.mark.parametrize("name", sorted(DERIVED))
def test_answers_about_what_is_derived_are_found_again_by_brute_force(name: str) -> None:
    made = derived(name)
    brute = BruteForce(write_domain(made.domain), write_problem(made.problem))
    assert made.space is not None
    assert set(made.space.states) == set(brute.edges)
    heads = {axiom.head.name for axiom in made.domain.axioms}
    checked: Counter[str] = Counter()
    about = 0
    for seed in range(4):
        for question in questions_of(made, f"{name}-{seed}", QuestionStyle(each=4, seed=seed), Counter()):
            row = row_of(question)
            assert brute.answer(row) == question.answer, row
            checked[question.kind] += 1
            about += any(f'"{head}"' in json.dumps({**row["formal"], "state": ()}) for head in heads)  # type: ignore[dict-item]
    assert about > 8
    assert len(checked) >= len(KINDS) - 1, checked


@pytest.mark.parametrize("name", sorted(DERIVED))
def test_the_planner_and_all_states_agree_on_what_is_derived(name: str) -> None:
    made = derived(name)
    blind = Situation(made.domain, made.problem, made.plan, most_states=1)
    assert made.space is not None
    assert blind.space is None
    assert blind.fewest_steps() == made.fewest_steps()
    false = [atom for atom in made.atoms if atom not in made.states[0]]
    decided = 0
    for atom in false:
        assert blind.reachable((atom,)) in (None, made.reachable((atom,)))
        needed = blind.needed(atom)
        assert needed in (None, made.needed(atom))
        decided += needed is not None
    assert decided > len(false) // 2


def test_what_is_derived_is_said_among_the_rules() -> None:
    text = rules_text(derived("power").domain, None)
    assert text.splitlines()[-3].startswith("A is dark (where a is a node) exactly if")


def test_rules_say_the_types_of_what_is_not_named_by_it() -> None:
    text = rules_text(derived("network").domain, None)
    assert text.splitlines()[2].startswith(
        "You can copy f to a to b (where f is a file, a is a machine, and b is a machine)"
    )


def test_durative_actions_are_refused() -> None:
    domain = parse_domain("""(define (domain d) (:requirements :durative-actions) (:predicates (p))
      (:durative-action wait :parameters () :duration (= ?duration 1) :condition (and) :effect (at end (p))))""")
    problem = parse_problem("(define (problem p) (:domain d) (:init) (:goal (p)))", domain)
    with pytest.raises(UnsupportedError, match="durative actions"):
        situation_of(domain, problem, (), None)


def test_from_files_to_marks(tmp_path: Path) -> None:
    made = list(situations("blocks", 2, smallest=False))
    (tmp_path / "domain.pddl").write_text(write_domain(made[0].domain))
    for number, each in enumerate(made):
        (tmp_path / f"p{number}.pddl").write_text(write_problem(each.problem))
    words = ("questions", tmp_path / "domain.pddl", tmp_path / "p0.pddl", tmp_path / "p1.pddl", "--out")
    done = chorewright(*words, tmp_path / "out", "--json")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out" / "data" / "train-00000.jsonl").read_text().splitlines()]
    assert json.loads(done.stdout)["questions"] == len(rows) > 30
    told = {row["id"]: row for row in map(json.loads, (tmp_path / "out" / "problems.jsonl").read_text().splitlines())}
    assert set(told) == {"p0", "p1"} == {row["problem"] for row in rows}
    again = chorewright(*words, tmp_path / "out")
    assert "(0 files written)" in again.stdout
    fewer = chorewright(*words[:2], tmp_path / "p1.pddl", "--out", tmp_path / "out")
    assert fewer.returncode == ExitCode.STORAGE
    assert "questions about other problems, such as 'p0'" in fewer.stderr
    assert chorewright("verify", tmp_path / "out").returncode == 0
    answers = "".join(json.dumps({"id": row["id"], "answer": row["answer"]}) + "\n" for row in rows)
    (tmp_path / "answers.jsonl").write_text(answers)
    done = chorewright("evaluate", "questions", tmp_path / "out", tmp_path / "answers.jsonl")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].endswith("100.0 %")
    (tmp_path / "answers.jsonl").write_text(answers.splitlines()[0] + "\nyes\n")
    done = chorewright("evaluate", "questions", tmp_path / "out", tmp_path / "answers.jsonl")
    assert done.returncode == ExitCode.BAD_INPUT
    assert "answers.jsonl:2" in done.stderr
    done = chorewright(*words, tmp_path / "out2", "--kind", "next-stat")
    assert done.returncode == ExitCode.USAGE
    assert "did you mean 'next-state'" in done.stderr


def test_an_interrupted_run_goes_on_with_what_it_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [StoredProblem(each.domain, each.problem, None) for each in situations("blocks", 2, smallest=False)]
    style, partial = QuestionStyle(1), tmp_path / "kept"

    def files(name: str) -> QuestionFiles:
        return QuestionFiles(ExportFolder(tmp_path / name, "questions"), style)

    whole = files("whole")
    for number, each in enumerate(made):
        assert whole.ask(f"p{number}", each, 10_000, KeptQuestions(tmp_path / "other"))
    whole.close()
    files("broken").ask("p0", made[0], 10_000, KeptQuestions.of(partial))
    with partial.open("a") as file:
        file.write('{"key": "torn')
    kept, again = KeptQuestions.of(partial), files("broken")
    with monkeypatch.context() as patch:
        patch.setattr(export, "solve", None)
        assert again.ask("p0", made[0], 10_000, kept)
    again.ask("p1", made[1], 10_000, kept)
    again.close()
    data = Path("data", "train-00000.jsonl")
    assert (tmp_path / "broken" / data).read_bytes() == (tmp_path / "whole" / data).read_bytes()
    kept.forget()
    assert not partial.exists()


def test_a_question_that_takes_too_long_is_left_out() -> None:
    def endless() -> None:
        while True:
            pass

    limit = QuestionTime(each=0.02)
    assert limit.give(endless) is None
    assert (limit.give(lambda: 1), limit.left_out) == (1, 1)
    over = QuestionTime(total=0.02)
    with pytest.raises(Stopped):
        over.give(endless)


LAMPS = """(define (domain lamps) (:requirements :strips :typing) (:types lamp)
  (:predicates (lit ?x - lamp) (dark ?x - lamp))
  (:action press :parameters (?x - lamp) :precondition (dark ?x) :effect (and (lit ?x) (not (dark ?x)))))"""

WORDS = """(define (wordings lamps) (:domain lamps)
  (:say predicate (lit ?x) "?x shines brightly") (:say action (press ?x) "tap ?x twice"))"""

TEMPLATE = """(define (template lamps) (:domain lamps) (:numbers (?n 3 5)) (:objects (lamp ?n))
  (:init (forall (?x - lamp) (one-of (lit ?x) (dark ?x)))) (:goal (forall (?x - lamp) (lit ?x))))"""


@pytest.mark.parametrize(
    ("form", "flags"),
    [
        ("questions", ("--format=questions", "--each", "1", "--json")),
        ("descriptions", ("--level", "atoms", "--format", "descriptions", "--json")),
    ],
)
def test_exports_use_the_wordings_that_the_episodes_hold(tmp_path: Path, form: str, flags: tuple[str, ...]) -> None:
    for suffix, text in (("pddl", LAMPS), ("say", WORDS), ("template", TEMPLATE)):
        (tmp_path / f"domain.{suffix}").write_text(text)
    words = ("--domain", tmp_path / "domain.pddl", "--episodes", "4", "--workers", "1", "--out", tmp_path / "made")
    made = chorewright("generate", "pddl", *words)
    assert made.returncode == 0, made.stderr
    (tmp_path / "domain.say").unlink()
    done = chorewright("export", tmp_path / "made", *flags, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    written = sum(path.suffix == ".jsonl" for path in (tmp_path / "out").rglob("*.*"))
    assert json.loads(done.stdout)["files_changed"] == written > 0
    texts = [path.read_text() for path in sorted((tmp_path / "out" / "data").iterdir())]
    rows = [json.loads(line) for text in texts for line in text.splitlines()]
    assert rows
    for row in rows:
        rules = row["prompt"] if form == "questions" else row["rules"]
        assert "tap" in rules
        assert "twice" in rules
        assert "press" not in rules
        assert "brightly" in (rules if form == "questions" else row["text"])


def test_questions_of_files_use_the_wordings_beside_the_domain(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(LAMPS)
    (tmp_path / "domain.say").write_text(WORDS)
    (tmp_path / "p.pddl").write_text(
        "(define (problem p) (:domain lamps) (:objects a b - lamp) (:init (dark a) (dark b)) (:goal (lit a)))"
    )
    done = chorewright("questions", tmp_path / "domain.pddl", tmp_path / "p.pddl", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "shines brightly" in (tmp_path / "out" / "data" / "train-00000.jsonl").read_text()


def test_numbers_that_never_change_are_told() -> None:
    """Without them nobody can tell whether a van can drive."""
    for made in situations("courier", 2, smallest=False):
        told = {question.told for question in questions_of(made, "p", QuestionStyle(), Counter())}
        assert told
        for value in made.problem.values:
            if value.function in ("distance", "tank"):
                names = " and ".join(made.says.name(each) for each in value.objects)
                assert all(f"he {value.function} of {names} is {value.value:g}." in each for each in told)


def test_costs_are_not_told() -> None:
    domain = parse_domain(
        """(define (domain walk) (:types town) (:predicates (at ?t - town)) (:functions (far ?a ?b - town) (total-cost))
     (:action go :parameters (?a ?b - town) :precondition (at ?a)
      :effect (and (not (at ?a)) (at ?b) (increase (total-cost) (far ?a ?b)))))"""
    )
    problem = parse_problem(
        """(define (problem p) (:domain walk) (:objects x y - town) (:init (at x) (= (far x y) 2)) (:goal (at y))
     (:metric minimize (total-cost)))""",
        domain,
    )
    assert situation_of(domain, problem, (), None).constants == ()
