"""PDDL laid out in one way: the words, their order and all comments stay, spaces and line breaks change.

Read ``tokens`` (text to nested lists that keep their comments), then ``layout`` (nested lists to lines). What
``write_domain`` and ``write_problem`` write is laid out in this way already.
"""

from chorewright.domains.pddl.formatting.layout import format_pddl

__all__ = ["format_pddl"]
