"""The library: templates found by their names, the user's own first, and vocabularies that users extend."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chorewright.domains.library import (
    extended_household,
    find_template,
    household_domain,
    household_vocabulary,
    scaffold,
    shipped_domain,
    shipped_vocabulary,
    template_names,
)
from chorewright.domains.templates.goal_templates import instantiate, parse_binding
from chorewright.domains.templates.parser import load_template, parse_template
from chorewright.errors import InputError, InputErrors, UsageError


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("alfred/pick_and_place_simple", "alfred/pick_and_place_simple"),
        ("ALFRED/Pick-And-Place-Simple", "alfred/pick_and_place_simple"),
        ("look_at_obj_in_light", "alfred/look_at_obj_in_light"),
    ],
)
def test_templates_are_found_by_name(name: str, expected: str) -> None:
    assert find_template(name).full_name == expected


def test_unknown_templates_are_named_with_a_hint() -> None:
    with pytest.raises(UsageError) as caught:
        find_template("pick_and_place_simpel")
    assert "pick_and_place_simple" in (caught.value.hint or "")
    with pytest.raises(InputError, match="cannot read"):
        find_template("no/such/file.task")


def test_the_users_templates_come_first(tmp_path: Path) -> None:
    folder = tmp_path
    (folder / "look-at-obj-in-light.task").write_text(scaffold("look-at-obj-in-light"))
    assert find_template("look_at_obj_in_light", search=[folder]).path == str(folder / "look-at-obj-in-light.task")
    assert find_template("alfred/look_at_obj_in_light", search=[folder]).collection == "alfred"


@pytest.mark.parametrize("domain", ["household", "handmethat", "tabletop"])
def test_a_misspelt_domain_is_the_only_error(tmp_path: Path, domain: str) -> None:
    path = tmp_path / "mine.task"
    path.write_text(scaffold("mine", domain).replace(f"(:domain {domain})", f"(:domain {domain[:2]}{domain[3:]})"))
    with pytest.raises(InputErrors) as caught:
        find_template(str(path))
    (error,) = caught.value.errors
    assert error.hint == f"did you mean '{domain}'?"


def test_the_scaffold_is_a_template_that_works() -> None:
    template = parse_template(scaffold("My-Task_2"), household_domain(), household_vocabulary())
    assert template.name == "my-task_2"
    binding = parse_binding(template, ["object=Mug", "receptacle=Desk"], household_vocabulary())
    assert instantiate(template, binding, household_vocabulary()).sentences[0] == "Put a mug on the desk."
    for name in ("", "../x", "a b", "1st", "näme", "a\0b"):
        with pytest.raises(UsageError, match="cannot name a task"):
            scaffold(name)


@pytest.mark.parametrize("name", template_names())
def test_shipped_files_carry_the_names_of_their_tasks(name: str) -> None:
    template = find_template(name)
    assert template.path is not None
    assert template.full_name == name
    domain, vocabulary = shipped_domain(template.domain), shipped_vocabulary(template.domain)
    assert load_template(template.path, domain, vocabulary, template.collection) == template
    # A copy of the user's is read with the domain that it names.
    assert replace(find_template(str(template.path)), collection=template.collection) == template


def test_a_user_extends_the_vocabulary(tmp_path: Path) -> None:
    path = tmp_path / "kinds.json"
    path.write_text(
        '{"Thermos": {"affordances": ["pickupable", "fillable"], "fits": ["Desk"], "sets": ["flask"]},'
        ' "Mug": {"sets": ["flask"]}}'
    )
    domain, vocabulary = extended_household(path)
    assert vocabulary.set_members("flask") == ("Mug", "Thermos")
    assert vocabulary.is_a("Thermos", "item")
    assert vocabulary.fits("Mug", "Desk")
    text = '(define (task t) (:say "T.") (:slots ?o in flask) (:goal (exists (?x - ?o ?d - desk) (in ?x ?d))))'
    template = parse_template(text, domain, vocabulary)
    assert instantiate(template, {"o": "thermos"}, vocabulary).binding == (("o", "Thermos"),)
