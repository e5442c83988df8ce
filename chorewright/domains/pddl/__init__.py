"""The PDDL language: PDDL 2.1 level 1 with ADL, action costs and derived predicates.

``parse_*`` and ``load_*`` return checked values of ``syntax``, or raise ``InputErrors`` with every error that was
found. ``write_*`` is their inverse. ``docs/pddl.md`` says what the language has and lacks.
"""

from chorewright.domains.pddl.parser import (
    load_domain,
    load_problem,
    load_task,
    parse_domain,
    parse_formula,
    parse_problem,
)
from chorewright.domains.pddl.subformulas import Hierarchy, hierarchy, is_subtype, types_below
from chorewright.domains.pddl.writer import write_domain, write_formula, write_problem

__all__ = [
    "Hierarchy",
    "hierarchy",
    "is_subtype",
    "load_domain",
    "load_problem",
    "load_task",
    "parse_domain",
    "parse_formula",
    "parse_problem",
    "types_below",
    "write_domain",
    "write_formula",
    "write_problem",
]
