"""The library: templates found by their names, the user's own first, and vocabularies that users extend."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from chorewright.domains.library import (
    find_template,
    household_domain,
    household_vocabulary,
    load_shipped_library,
    user_library,
)
from chorewright.domains.pddl.writer import write_domain
from chorewright.domains.templates.goal_templates import instantiate, parse_binding
from chorewright.domains.templates.parser import load_template, parse_template
from chorewright.domains.vocabulary_files import parse_vocabulary
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


@pytest.mark.parametrize("name", ["alfred", "calvin", "alfre"])
def test_a_collection_is_all_its_templates_by_their_numbers(name: str) -> None:
    expected = [find_template(each) for each in user_library().template_names() if each.partition("/")[0] == name]
    found = user_library().collection(name)
    assert {each.full_name for each in found} == {each.full_name for each in expected}
    assert len(found) == len(expected)
    assert bool(found) == (name != "alfre")
    numbered = [each.number for each in found if each.number is not None]
    assert numbered == sorted(numbered)
    assert [each.number for each in found[: len(numbered)]] == numbered
    assert [each.name for each in found[len(numbered) :]] == sorted(each.name for each in found[len(numbered) :])


def test_unknown_templates_are_named_with_a_hint() -> None:
    with pytest.raises(UsageError) as caught:
        find_template("pick_and_place_simpel")
    assert "pick_and_place_simple" in (caught.value.hint or "")
    with pytest.raises(UsageError, match="cannot read"):
        find_template("no/such/file.task")


def test_the_users_templates_come_first(tmp_path: Path) -> None:
    folder = tmp_path
    (folder / "look-at-obj-in-light.task").write_text(user_library().scaffold("look-at-obj-in-light"))
    assert find_template("look_at_obj_in_light", search=[folder]).path == str(folder / "look-at-obj-in-light.task")
    assert find_template("alfred/look_at_obj_in_light", search=[folder]).collection == "alfred"


@pytest.mark.parametrize("domain", ["household", "handmethat", "tabletop"])
def test_a_misspelt_domain_is_the_only_error(tmp_path: Path, domain: str) -> None:
    path = tmp_path / "mine.task"
    path.write_text(
        user_library().scaffold("mine", domain).replace(f"(:domain {domain})", f"(:domain {domain[:2]}{domain[3:]})")
    )
    with pytest.raises(InputErrors) as caught:
        find_template(str(path))
    (error,) = caught.value.errors
    assert error.hint == f"did you mean '{domain}'?"


def test_the_scaffold_is_a_template_that_works() -> None:
    template = parse_template(user_library().scaffold("My-Task_2"), household_domain(), household_vocabulary())
    assert template.name == "my-task_2"
    binding = parse_binding(template, ["object=Mug", "receptacle=Desk"], household_vocabulary())
    assert instantiate(template, binding, household_vocabulary()).sentences[0] == "Put a mug on the desk."
    for name in ("", "../x", "a b", "1st", "näme", "a\0b"):
        with pytest.raises(UsageError, match="cannot name a task"):
            user_library().scaffold(name)


@pytest.mark.parametrize("name", user_library().template_names())
def test_shipped_files_carry_the_names_of_their_tasks(name: str) -> None:
    template = find_template(name)
    assert template.path is not None
    assert template.full_name == name
    domain, vocabulary = (
        load_shipped_library().domain(template.domain),
        load_shipped_library().vocabulary(template.domain),
    )
    assert load_template(template.path, domain, vocabulary, template.collection) == template
    # A copy of the user's is read with the domain that it names.
    assert replace(find_template(str(template.path)), collection=template.collection) == template


def test_a_user_extends_the_vocabulary(tmp_path: Path) -> None:
    path = tmp_path / "kinds.json"
    path.write_text(
        '{"Thermos": {"affordances": ["pickupable", "fillable"], "fits": ["Desk"], "sets": ["flask"]},'
        ' "Mug": {"sets": ["flask"]}}'
    )
    domain, vocabulary = (library := user_library([path])).domain("household"), library.vocabulary("household")
    assert vocabulary.set_members("flask") == ("Mug", "Thermos")
    assert vocabulary.is_a("Thermos", "item")
    assert vocabulary.fits("Mug", "Desk")
    text = '(define (task t) (:say "T.") (:slots ?o in flask) (:goal (exists (?x - ?o ?d - desk) (in ?x ?d))))'
    template = parse_template(text, domain, vocabulary)
    assert instantiate(template, {"o": "thermos"}, vocabulary).binding == (("o", "Thermos"),)


LAUNDRY = """(define (domain laundry) (:requirements :typing) (:types sock basket - object)
  (:predicates (clean ?s - sock) (lies-in ?s - sock ?b - basket))
  (:action wash :parameters (?s - sock) :effect (clean ?s)))"""

WASH = """(define (task wash) (:domain laundry) (:slots ?what in sock) (:say "Wash {a what}.")
  (:goal (exists (?s - ?what) (clean ?s))))"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the search path with a domain, a template, and more kinds of the household."""
    folder = tmp_path / "own"
    tasks = folder / "domains" / "laundry" / "tasks" / "chores"
    tasks.mkdir(parents=True)
    (folder / "kinds").mkdir()
    (folder / "domains" / "laundry" / "domain.pddl").write_text(LAUNDRY)
    (folder / "domains" / "laundry" / "new_task.task.in").write_text(WASH.replace("task wash", "task @NAME@"))
    (tasks / "wash.task").write_text(WASH)
    (folder / "kinds" / "thermos.json").write_text('{"Thermos": {"affordances": ["pickupable"], "fits": ["Desk"]}}')
    monkeypatch.setenv("CHOREWRIGHT_PATH", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    return folder


def test_a_users_folder_is_searched(own: Path, tmp_path: Path) -> None:
    assert user_library().domain_names() == (
        "behavior",
        "calvin-compatible",
        "handmethat",
        "household",
        "laundry",
        "tabletop",
    )
    assert user_library().domain("laundry").actions[0].name == "wash"
    template = find_template("chores/wash")
    assert (template.domain, template.collection, template.path) == (
        "laundry",
        "chores",
        str(own / "domains" / "laundry" / "tasks" / "chores" / "wash.task"),
    )
    assert "chores/wash" in user_library().template_names()
    assert instantiate(template, {"what": "sock"}, user_library().vocabulary("laundry")).sentences == ("Wash a sock.",)
    mine = tmp_path / "mine.task"
    mine.write_text(user_library().scaffold("mine", "laundry"))
    assert find_template(str(mine)).domain == "laundry"
    assert user_library().vocabulary("household").fits("thermos", "desk")
    assert "thermos" in {typed.name for typed in user_library().domain("household").types}
    assert "Thermos" not in household_vocabulary().kinds
    library = user_library()
    assert pickle.loads(pickle.dumps(library)) == library
    assert library.domain_file("laundry") == (str(own / "domains" / "laundry" / "domain.pddl"), LAUNDRY)
    assert library.domain_file("household") is None


def test_the_settings_folder_is_searched_too(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = own.parent / "settings"
    settings.mkdir()
    own.rename(settings / "chorewright")
    monkeypatch.setenv("CHOREWRIGHT_PATH", "")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(settings))
    assert "laundry" in user_library().domain_names()


def test_a_search_path_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHOREWRIGHT_PATH", "/no/such/folder")
    with pytest.raises(UsageError, match="CHOREWRIGHT_PATH names '/no/such/folder'"):
        user_library().domain_names()


@pytest.mark.parametrize(
    ("added", "text"),
    [
        ("domains/household/domain.pddl", LAUNDRY),
        ("domains/laundry/tasks/alfred/mine.task", WASH),
        ("domains/second/tasks/chores/wash.task", WASH),
    ],
)
def test_clashing_names_are_told_with_both_places(own: Path, added: str, text: str) -> None:
    path = own / added
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        user_library().domain_names(), user_library().template_names()
    assert caught.value.location is not None
    assert str(own) in str(caught.value.location.path)
    assert "is the name of" in caught.value.message


def test_an_unknown_domain_is_one_error_with_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "mine.task"
    path.write_text(WASH)
    with pytest.raises(InputErrors) as caught:
        find_template(str(path))
    (error,) = caught.value.errors
    assert error.message == "there is no domain 'laundry'"
    assert error.location is not None
    assert (error.location.path, error.location.line, error.location.column) == (str(path), 1, 30)
    assert "domains/NAME/domain.pddl" in (error.hint or "")


def test_errors_in_a_users_domain_are_told_with_their_place(own: Path) -> None:
    path = own / "domains" / "laundry" / "domain.pddl"
    path.write_text(LAUNDRY.replace("(clean ?s)))", "(cleen ?s)))"))
    with pytest.raises(InputError) as caught:
        find_template("chores/wash")
    assert caught.value.location is not None
    assert (caught.value.location.path, caught.value.location.line) == (str(path), 3)


def test_a_users_household_must_have_what_rooms_are_told_with(tmp_path: Path) -> None:
    path = tmp_path / "household.pddl"
    shipped = write_domain(household_domain())
    path.write_text(shipped.replace("(:predicates", "(:predicates (mine ?x - thing)"))
    own_household = user_library(domain=path).domain("household")
    assert {each.name for each in own_household.predicates} - {each.name for each in household_domain().predicates} == {
        "mine"
    }
    path.write_text(LAUNDRY.replace("laundry", "household"))
    with pytest.raises(InputError, match="the household lacks the type"):
        user_library(domain=path).domain("household")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('{"size": [1, 2]}', "expected width, height and depth"),
        ('{"size": [0.1, 0.1, true]}', r"size\[2\]: expected a number from .* found true"),
        ('{"size": [0.1, 0.1, 9]}', "expected width, height and depth"),
        ('{"rooms": ["attic"]}', r'rooms\[0\]: expected "kitchen" or .* found "attic"'),
        ('{"rooms": "kitchen"}', "expected a list of kitchen"),
    ],
)
def test_sizes_and_rooms_of_kinds_are_checked(entry: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_vocabulary(f'{{"Thermos": {entry}}}', base=household_vocabulary())


def test_new_items_are_in_all_rooms_unless_said_otherwise() -> None:
    text = (
        '{"Thermos": {"affordances": ["pickupable"], "size": [0.1, 0.25, 0.1]}, "Shelfing": {},'
        ' "Towel": {"affordances": ["pickupable"], "rooms": ["bathroom"]}, "Mug": {"sets": ["flask"]}}'
    )
    kinds = parse_vocabulary(text, base=household_vocabulary()).kinds
    assert kinds["Thermos"].size == (0.1, 0.25, 0.1)
    assert [len(kinds[name].rooms) for name in ("Thermos", "Shelfing", "Towel", "Mug")] == [4, 0, 1, 0]
