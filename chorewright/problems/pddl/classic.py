"""The domains that come with problem templates and wordings: classic ones, and the household."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from chorewright.domains.library import domain_names, shipped_domain
from chorewright.domains.pddl.parser import load_domain
from chorewright.domains.pddl.syntax import Domain
from chorewright.errors import UsageError
from chorewright.files.spelling import did_you_mean
from chorewright.problems.pddl.rules import ProblemTemplate
from chorewright.problems.pddl.template_files import SUFFIX, load_template

FOLDER = Path(str(files("chorewright.domains"))) / "classic"


@lru_cache(maxsize=1)
def classic_names() -> tuple[str, ...]:
    """Return the names of the shipped domains that have a problem template."""
    return tuple(sorted(path.stem for path in FOLDER.glob(f"*{SUFFIX}")))


@lru_cache(maxsize=64)
def classic_domain(name: str) -> Domain:
    """Return a domain by its name.

    Raises:
        UsageError: There is none.
    """
    if (FOLDER / f"{name}.pddl").is_file():
        return load_domain(FOLDER / f"{name}.pddl")
    if name in domain_names():
        return shipped_domain(name)
    hint = did_you_mean(name, classic_names()) or f"domains that come with a template: {', '.join(classic_names())}"
    raise UsageError(f"there is no domain {name!r}", hint=hint)


@lru_cache(maxsize=64)
def classic_template(name: str) -> ProblemTemplate:
    """Return the template of a domain.

    Raises:
        UsageError: There is none.
    """
    if name not in classic_names():
        hint = did_you_mean(name, classic_names()) or f"templates: {', '.join(classic_names())}"
        raise UsageError(f"there is no problem template {name!r}", hint=hint)
    return load_template(FOLDER / f"{name}{SUFFIX}", classic_domain(name))


def wordings_path(name: str) -> Path | None:
    """Return the file of a shipped domain's wordings; None if there is none."""
    path = FOLDER / f"{name}.say"
    return path if path.is_file() else None
