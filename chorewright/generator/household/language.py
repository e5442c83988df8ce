"""A user's kinds of things and household domain as options of a benchmark: their texts are in the configuration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chorewright.domains.library import HOUSEHOLD, user_library
from chorewright.errors import UsageError
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.kinds import DOMAINS, KINDS, library_of
from chorewright.generator.dataset.options import Loaded, option
from chorewright.problems.household.kinds import Kinds, kinds_of


def kinds_option() -> Any:  # see ``option``
    """Declare the option ``--kinds``."""
    help = "Your own kinds of things (JSON), besides those on the search path; may be repeated."
    return option((), help, metavar="FILE", load=load_kinds, always=True)


def domain_option() -> Any:  # see ``option``
    """Declare the option ``--domain``."""
    return option((), "Your own household domain (PDDL) in place of ours.", metavar="FILE", load=load_domain)


def load_kinds(words: Sequence[str]) -> Loaded:
    """Read files of kinds, those on the search path first.

    Raises:
        InputError: A file cannot be read, or has errors.
        UsageError: Two files have the same name.
    """
    library = user_library(kinds=words)
    library.vocabulary(HOUSEHOLD)  # errors name the files as the user does
    return _loaded(KINDS, library.kinds)


def load_domain(words: Sequence[str]) -> Loaded:
    """Read a PDDL domain.

    Raises:
        InputError: The file cannot be read, or has errors.
        UsageError: There are several.
    """
    if len(words) > 1:
        raise UsageError("--domain is given more than once")
    library = user_library(domain=words[0] if words else None)
    library.domain(HOUSEHOLD)  # errors name the file as the user does
    return _loaded(DOMAINS, library.domains)


def _loaded(prefix: str, files: Sequence[tuple[str, str]]) -> Loaded:
    named = [(f"{prefix}{Path(path).name}", text) for path, text in files]
    twice = {name for number, (name, _) in enumerate(named) if name in [each for each, _ in named[:number]]}
    if twice:
        raise UsageError(f"two files are called {min(twice).removeprefix(prefix)!r}", hint="rename one of them")
    return Loaded((), tuple(named))


def configured_kinds(config: GenerateConfig) -> Kinds:
    """Return what can be named and done in the rooms of a configuration.

    Raises:
        InputErrors: A file of the user's has errors.
    """
    return kinds_of(library_of(config))
