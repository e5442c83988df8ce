"""The library: finds domains, vocabularies and goal templates, shipped ones and the user's."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path

from chorewright.domains.goal_templates import GoalTemplate
from chorewright.domains.pddl.parser import load_domain
from chorewright.domains.pddl.source import did_you_mean
from chorewright.domains.pddl.syntax import Domain
from chorewright.domains.template_parser import load_template
from chorewright.domains.vocabulary import Vocabulary, extend_domain
from chorewright.domains.vocabulary_files import load_vocabulary
from chorewright.errors import UsageError

SUFFIX = ".task"

_HOUSEHOLD = Path(str(files("chorewright.domains") / "household"))


@lru_cache(maxsize=1)
def household_domain() -> Domain:
    """Return the shipped household domain; it is parsed once."""
    return load_domain(_HOUSEHOLD / "domain.pddl")


@lru_cache(maxsize=1)
def household_vocabulary() -> Vocabulary:
    """Return the shipped vocabulary of the household, its domain's types among the sets."""
    return load_vocabulary(_HOUSEHOLD / "object_types.json").with_types(household_domain())


def extended_household(path: str | Path) -> tuple[Domain, Vocabulary]:
    """Return the household domain and vocabulary with the kinds of a user's JSON file added.

    Raises:
        InputError: The file cannot be read, is not JSON or not of the right shape.
    """
    vocabulary = load_vocabulary(path, household_vocabulary())
    domain = extend_domain(household_domain(), vocabulary)
    return domain, vocabulary.with_types(domain)


def templates() -> tuple[GoalTemplate, ...]:
    """Return all shipped templates, by collection and name."""
    return tuple(_shipped(name) for name in template_names())


@lru_cache(maxsize=1)
def template_names() -> tuple[str, ...]:
    """Return the full names of the shipped templates, for example ``alfred/pick_and_place_simple``."""
    paths = sorted((_HOUSEHOLD / "tasks").glob(f"*/*{SUFFIX}"))
    return tuple(f"{path.parent.name}/{path.stem}" for path in paths)


def find_template(
    name: str,
    search: Iterable[str | Path] = (),
    domain: Domain | None = None,
    vocabulary: Vocabulary | None = None,
) -> GoalTemplate:
    """Find a template by the path of its file or by its name.

    Args:
        name: a path that ends in ``.task``; or ``collection/name`` or ``name`` alone, in any case and with
            hyphens or underscores.
        search: folders with ``.task`` files of the user's, looked through before the shipped ones.
        domain: the domain of a user's file; the household by default.
        vocabulary: its vocabulary; the household's by default.

    Raises:
        UsageError: There is no such template, or several have this name.
        InputError: Its file cannot be read or has errors.
    """
    domain = domain or household_domain()
    vocabulary = vocabulary or household_vocabulary()
    if name.endswith(SUFFIX):
        return load_template(name, domain, vocabulary)
    own = {
        path.stem: path for folder in search for path in sorted(Path(folder).glob(f"*{SUFFIX}"), reverse=True)
    }
    wanted = _folded(name)
    for stem, path in sorted(own.items()):
        if _folded(stem) == wanted:
            return load_template(path, domain, vocabulary)
    found = [each for each in template_names() if wanted in (_folded(each), _folded(each.split("/")[1]))]
    if len(found) == 1:
        return _shipped(found[0])
    if found:
        raise UsageError(f"several tasks are called {name!r}", hint=f"write one of {', '.join(found)}")
    if Path(name).is_file():
        raise UsageError(f"{name!r} is no task file", hint=f"the name of a task file ends in {SUFFIX}")
    stems = [each.split("/")[1] for each in template_names()]
    hint = did_you_mean(name.lower(), [*own, *template_names(), *stems])
    raise UsageError(f"there is no task {name!r}", hint=hint or "'chorewright tasks' lists them")


@cache
def _shipped(name: str) -> GoalTemplate:
    collection, _, stem = name.partition("/")
    path = _HOUSEHOLD / "tasks" / collection / f"{stem}{SUFFIX}"
    return load_template(path, household_domain(), household_vocabulary(), collection)


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")


def scaffold(name: str) -> str:
    """Return the text of a commented template file for a new task.

    Raises:
        UsageError: The name cannot name a task.
    """
    if (
        not name
        or not name[0].isalpha()
        or not all(each.isascii() and (each.isalnum() or each in "-_") for each in name)
    ):
        raise UsageError(
            f"{name!r} cannot name a task", hint="use letters, digits, '-' and '_', a letter first"
        )
    text = (_HOUSEHOLD / "new_task.task.in").read_text(encoding="utf-8")
    return text.replace("@NAME@", name.lower())
