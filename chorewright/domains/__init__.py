"""What can be done: the PDDL language, formulas, goal templates, and the domains as data files.

``pddl`` reads and writes domains and problems. ``formulas`` evaluates first-order logic over states: goals,
progress, derived predicates. A goal template (``templates``) is a goal with slots that range over the kinds of a
``vocabulary``. ``library`` finds what is shipped, and the user's own files.
"""

from chorewright.domains.formulas import Facts, Universe, derive, holds, satisfying
from chorewright.domains.library import find_template, household_domain, household_vocabulary, templates
from chorewright.domains.templates.goal_templates import (
    Goal,
    GoalTemplate,
    candidates,
    instantiate,
    parse_binding,
)
from chorewright.domains.vocabulary import Kind, Vocabulary

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
    "templates",
]
