"""First-order logic over states in one place: evaluation, derived predicates and rewriting."""

from chorewright.domains.axioms import axiom_levels, derive
from chorewright.domains.evaluation import Binding, Question, holds, satisfying
from chorewright.domains.facts import Facts
from chorewright.domains.pddl.counting import expanded
from chorewright.domains.rewriting import (
    conjunction,
    conjuncts,
    free_variables,
    mentioned_predicates,
    mentioned_types,
    needed_copies,
    rename_types,
    substitute,
)
from chorewright.domains.support import GroundLiteral, support
from chorewright.domains.universe import Universe, supertypes

__all__ = [
    "Binding",
    "Facts",
    "GroundLiteral",
    "Question",
    "Universe",
    "axiom_levels",
    "conjunction",
    "conjuncts",
    "derive",
    "expanded",
    "free_variables",
    "holds",
    "mentioned_predicates",
    "mentioned_types",
    "needed_copies",
    "rename_types",
    "satisfying",
    "substitute",
    "supertypes",
    "support",
]
