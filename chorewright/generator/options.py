"""The options that recipes have in common: which there are, rooms, goal templates."""

from __future__ import annotations

from collections.abc import Sequence

from chorewright.domains.library import find_template, shipped_domain, shipped_vocabulary
from chorewright.domains.templates.goal_templates import GoalTemplate
from chorewright.domains.templates.parser import parse_template
from chorewright.errors import UsageError
from chorewright.generator.recipe import GenerateConfig
from chorewright.problems.thor.rooms import room_names


def check_option_names(config: GenerateConfig, known: Sequence[str]) -> None:
    """Check that a recipe has the options that it is given.

    Raises:
        UsageError: It lacks one.
    """
    for name, _ in config.options:
        if name not in known:
            raise UsageError(
                f"the recipe {config.recipe} has no option {name!r}",
                hint=f"its options are {', '.join(known)}",
            )


def asked_rooms(config: GenerateConfig) -> tuple[str, ...]:
    """Return the rooms of ``--scenes``, in their own order; all of them if none is named.

    Raises:
        UsageError: There is no such room.
    """
    asked = config.option("scenes")
    known = room_names()
    for name in asked:
        if name not in known:
            raise UsageError(f"there is no room {name!r}", hint="rooms are FloorPlan1-30, 201-230, 301-330 and 401-430")
    return tuple(name for name in known if not asked or name in asked)


def asked_templates(config: GenerateConfig, domain: str) -> tuple[GoalTemplate, ...]:
    """Return the goal templates that a dataset is to be made of: the user's files, then the named ones.

    Raises:
        UsageError: There is no such template, or it is of another domain, or has slots over objects.
        InputErrors: A file has errors.
    """
    language, vocabulary = shipped_domain(domain), shipped_vocabulary(domain)
    found = [parse_template(text, language, vocabulary, path=name) for name, text in config.task_files]
    found += [find_template(name) for name in config.option("tasks")]
    for template in found:
        if template.domain != domain:
            raise UsageError(f"{template.name} is a task of the domain {template.domain}, not of the {domain}")
        if any(slot.over_objects for slot in template.slots):
            raise UsageError(f"{template.name} has slots over objects; data can be made of slots over kinds only")
    return tuple(found)
