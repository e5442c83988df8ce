"""What can be done: the PDDL language, formulas, goal templates, and the domains as data files.

``pddl`` reads and writes domains and problems. ``formulas`` evaluates first-order logic over states: goals,
progress, derived predicates. A goal template (``templates``) is a goal with slots that range over the kinds of a
``vocabulary``. ``clauses`` says any formula in English. ``library`` finds what is shipped, and the user's own files.

A name is imported when it is used first: who reads PDDL needs no templates.
"""

from typing import TYPE_CHECKING

from chorewright.files.lazily import importer

if TYPE_CHECKING:
    from chorewright.domains.formulas import Facts, Universe, derive, holds, satisfying
    from chorewright.domains.library import find_template, household_domain, household_vocabulary
    from chorewright.domains.templates.goal_templates import Goal, GoalTemplate, candidates, instantiate, parse_binding
    from chorewright.domains.vocabulary import Kind, Vocabulary
else:
    __getattr__ = importer(
        __name__,
        {
            "Facts": "chorewright.domains.formulas",
            "Goal": "chorewright.domains.templates.goal_templates",
            "GoalTemplate": "chorewright.domains.templates.goal_templates",
            "Kind": "chorewright.domains.vocabulary",
            "Universe": "chorewright.domains.formulas",
            "Vocabulary": "chorewright.domains.vocabulary",
            "candidates": "chorewright.domains.templates.goal_templates",
            "derive": "chorewright.domains.formulas",
            "find_template": "chorewright.domains.library",
            "holds": "chorewright.domains.formulas",
            "household_domain": "chorewright.domains.library",
            "household_vocabulary": "chorewright.domains.library",
            "instantiate": "chorewright.domains.templates.goal_templates",
            "parse_binding": "chorewright.domains.templates.goal_templates",
            "satisfying": "chorewright.domains.formulas",
        },
    )

__all__ = [
    "Facts",
    "Goal",
    "GoalTemplate",
    "Kind",
    "Universe",
    "Vocabulary",
    "candidates",
    "derive",
    "find_template",
    "holds",
    "household_domain",
    "household_vocabulary",
    "instantiate",
    "parse_binding",
    "satisfying",
]
