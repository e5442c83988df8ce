"""The kinds of things, domains and scenes that a configuration holds: texts of a user's files, by their names."""

from __future__ import annotations

from chorewright.domains.library import Library
from chorewright.generator.dataset.config import GenerateConfig

KINDS, DOMAINS, SCENES = "kinds/", "domains/", "scenes/"
"""What the names of such files begin with in a configuration."""


def library_of(config: GenerateConfig) -> Library:
    """Return the library that a configuration's files make: nothing of the machine's search path is in it."""
    kinds = tuple(each for each in config.task_files if each[0].startswith(KINDS))
    domains = tuple(each for each in config.task_files if each[0].startswith(DOMAINS))
    return Library(kinds=kinds, domains=domains)
