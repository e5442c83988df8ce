"""The wordings that come with domains: whole, and natural where a machine can tell."""

from __future__ import annotations

import re

import pytest

from chorewright.domains.facts import supertypes
from chorewright.domains.pddl.syntax import Domain
from chorewright.generator.measuring.questions.rules import forms_text, rules_text
from chorewright.planner.plan import GroundAction
from chorewright.problems.pddl.scenes import NoScene
from chorewright.problems.pddl.template_files import (
    classic_domain,
    classic_names,
    classic_template,
    draw,
    wordings_path,
)
from chorewright.rsa.words.files import load_wordings
from chorewright.rsa.words.verbaliser import Verbaliser


def test_there_are_the_domains_that_are_promised() -> None:
    wanted = "barman blocks depot ferry grid gripper hanoi household logistics rovers satellite sokoban tiles"
    assert set(wanted.split()) <= set(classic_names())


@pytest.mark.parametrize("name", classic_names())
def test_everything_is_said(name: str) -> None:
    domain = classic_domain(name)
    path = wordings_path(name)
    assert path is not None
    wordings = load_wordings(path, domain)
    assert set(wordings.actions) == {each.name for each in domain.actions}
    if name != "household":  # guesses serve for what only its author sees
        assert set(wordings.predicates) == {each.name for each in domain.predicates}
    assert wordings.goals


@pytest.mark.parametrize("name", classic_names())
def test_sentences_hold_all_objects_and_no_slots(name: str) -> None:
    domain, template = classic_domain(name), classic_template(name)
    path = wordings_path(name)
    assert path is not None
    made = 0
    for seed in range(12):
        try:
            problem = draw(template, domain, (seed,))
        except NoScene:
            continue
        made += 1
        says = Verbaliser.of(domain, problem.objects, load_wordings(path, domain))
        assert len(set(says.names.values())) == len(says.names)
        texts = [says.goal(problem.goal), says.state(problem.init)]
        for atom in problem.init[:40]:
            yes, no = says.atom(atom), says.atom(atom, affirmed=False)
            assert yes != no
            assert "it is not true that" not in no, no
            texts += [yes, no]
        for action in domain.actions:
            arguments = [
                next(each.name for each in problem.objects if _fits(domain, each.types, parameter.types))
                for parameter in action.parameters
                if any(_fits(domain, each.types, parameter.types) for each in problem.objects)
            ]
            if len(arguments) == len(action.parameters):
                texts.append(says.step(GroundAction(action.name, tuple(arguments))))
        for text in texts:
            assert "?" not in text
            assert "  " not in text
            assert " the the " not in text
    assert made >= 8


def _fits(domain: Domain, given: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return bool(set(supertypes(domain, given)) & set(wanted))


@pytest.mark.parametrize("name", classic_names())
def test_rules_repeat_no_word_and_no_clause(name: str) -> None:
    """Variables are not named ``from`` and ``to``, and a predicate and the opposite of another one are told apart."""
    domain, path = classic_domain(name), wordings_path(name)
    assert path is not None
    text = rules_text(domain, load_wordings(path, domain))
    assert not re.search(r"\b(\w+) \1\b", text), text
    assert not re.search(r"not have (?:been|\w+ed)\b|there is not (?!an?)", text), text
    for line in text.splitlines() if name != "household" else ():
        clauses = re.split(r", and |, | and ", line.rpartition("Then ")[2].rstrip("."))
        assert len(set(clauses)) == len(clauses), line
    for action, form in zip(domain.actions, forms_text(domain).splitlines(), strict=True):
        assert len(set(form.strip("()").split()[1:])) == len(action.parameters), form
    says = Verbaliser.of(domain, (), load_wordings(path, domain))
    for each in domain.predicates:
        atom = (each.name, *"xyz"[: len(each.parameters)])
        assert not re.search(r"not have (?:been|\w+ed)\b|what is not|\bno not\b", says.atom(atom, affirmed=False))
