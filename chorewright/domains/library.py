"""The library: finds domains, vocabularies and goal templates, shipped ones and the user's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path

from chorewright.domains.handmethat.object_space import object_space
from chorewright.domains.pddl.parser import load_domain
from chorewright.domains.pddl.source import closest, did_you_mean
from chorewright.domains.pddl.syntax import Domain
from chorewright.domains.templates.goal_templates import GoalTemplate
from chorewright.domains.templates.parser import load_template, template_domain
from chorewright.domains.vocabulary import Vocabulary, extend_domain
from chorewright.domains.vocabulary_files import (
    load_vocabulary,
    vocabulary_of_domain,
    vocabulary_of_space,
)
from chorewright.errors import UsageError

SUFFIX = ".task"

_DOMAINS = Path(str(files("chorewright.domains")))
_HOUSEHOLD = "household"


@lru_cache(maxsize=1)
def domain_names() -> tuple[str, ...]:
    """Return the names of the shipped domains: the folders that have a ``domain.pddl``."""
    return tuple(sorted(path.parent.name for path in _DOMAINS.glob("*/domain.pddl")))


@cache
def shipped_domain(name: str) -> Domain:
    """Return a shipped domain by name; it is parsed once.

    Raises:
        UsageError: There is none of this name.
    """
    if name not in domain_names():
        hint = did_you_mean(name, domain_names()) or f"the domains are {', '.join(domain_names())}"
        raise UsageError(f"there is no domain {name!r}", hint=hint)
    return load_domain(_DOMAINS / name / "domain.pddl")


@cache
def shipped_vocabulary(name: str) -> Vocabulary:
    """Return the vocabulary of a shipped domain, the domain's types among the sets.

    It is that of the domain's ``object_types.json`` or ``object_space.json``, else of the types themselves.

    Raises:
        UsageError: There is no domain of this name.
    """
    domain = shipped_domain(name)
    kinds = _DOMAINS / name / "object_types.json"
    if kinds.exists():
        return load_vocabulary(kinds).with_types(domain)
    if (_DOMAINS / name / "object_space.json").exists():
        return vocabulary_of_space(object_space()).with_types(domain)
    return vocabulary_of_domain(domain)


def household_domain() -> Domain:
    """Return the shipped household domain."""
    return shipped_domain(_HOUSEHOLD)


def household_vocabulary() -> Vocabulary:
    """Return the shipped vocabulary of the household."""
    return shipped_vocabulary(_HOUSEHOLD)


def handmethat_domain() -> Domain:
    """Return the shipped domain of HandMeThat."""
    return shipped_domain("handmethat")


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


def collection(name: str) -> tuple[GoalTemplate, ...]:
    """Return the templates of a collection by their numbers, those without one behind by their names."""
    found = [_shipped(each) for each in template_names() if each.startswith(f"{name}/")]
    return tuple(sorted(found, key=lambda each: (each.number is None, each.number or 0, each.name)))


@lru_cache(maxsize=1)
def _paths() -> Mapping[str, Path]:
    """The files of the shipped templates by full name."""
    found = {f"{path.parent.name}/{path.stem}": path for path in _DOMAINS.glob(f"*/tasks/*/*{SUFFIX}")}
    return {name: found[name] for name in sorted(found)}


def template_names() -> tuple[str, ...]:
    """Return the full names of the shipped templates, for example ``alfred/pick_and_place_simple``."""
    return tuple(_paths())


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
        domain: the domain of a user's file; by default the shipped one that the file names, else the
            household.
        vocabulary: its vocabulary; by default that of the shipped domain.

    Raises:
        UsageError: There is no such template, or several have this name.
        InputError: Its file cannot be read or has errors.
    """
    if name.endswith(SUFFIX):
        return _load(name, domain, vocabulary)
    own = {path.stem: path for folder in search for path in sorted(Path(folder).glob(f"*{SUFFIX}"), reverse=True)}
    wanted = _folded(name)
    for stem, path in sorted(own.items()):
        if _folded(stem) == wanted:
            return _load(path, domain, vocabulary)
    found = [each for each in template_names() if wanted in (_folded(each), _folded(each.split("/")[1]))]
    if len(found) == 1:
        return _shipped(found[0])
    if found:
        raise UsageError(f"several tasks are called {name!r}", hint=f"write one of {', '.join(found)}")
    if Path(name).is_file():
        raise UsageError(f"{name!r} is not a task file", hint=f"the name of a task file ends in {SUFFIX}")
    stems = [each.split("/")[1] for each in template_names()]
    hint = did_you_mean(name.lower(), [*own, *template_names(), *stems])
    raise UsageError(f"there is no task {name!r}", hint=hint or "'chorewright tasks' lists them")


def _load(path: str | Path, domain: Domain | None, vocabulary: Vocabulary | None) -> GoalTemplate:
    if domain is None:
        named = template_domain(path)
        meant = closest(named, domain_names()) if named is not None else None  # a misspelt one is reported
        domain = shipped_domain(meant or _HOUSEHOLD)
    if vocabulary is None:
        vocabulary = shipped_vocabulary(domain.name if domain.name in domain_names() else _HOUSEHOLD)
    return load_template(path, domain, vocabulary)


@cache
def _shipped(name: str) -> GoalTemplate:
    path = _paths()[name]
    domain = path.parents[2].name
    return load_template(path, shipped_domain(domain), shipped_vocabulary(domain), path.parent.name)


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")


def scaffold(name: str, domain: str = _HOUSEHOLD) -> str:
    """Return the text of a commented template file for a new task in a shipped domain.

    Raises:
        UsageError: The name cannot name a task, or there is no such domain to start one in.
    """
    if (
        not name
        or not name[0].isalpha()
        or not all(each.isascii() and (each.isalnum() or each in "-_") for each in name)
    ):
        raise UsageError(f"{name!r} cannot name a task", hint="use letters, digits, '-' and '_', a letter first")
    known = {each.name: each / "new_task.task.in" for each in _DOMAINS.iterdir() if each.is_dir()}
    known = {each: path for each, path in known.items() if path.is_file()}
    if domain not in known:
        raise UsageError(f"no task can be started in {domain!r}", hint=f"domains: {', '.join(sorted(known))}")
    text = known[domain].read_text(encoding="utf-8")
    return text.replace("@NAME@", name.lower())
