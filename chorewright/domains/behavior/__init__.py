"""BDDL, the language of BEHAVIOR's activities: objects, an initial state, and a goal; no actions.

Read ``syntax`` (an activity and its conditions, and these as first-order formulas, which also defines what they mean
here) and ``reader`` (from text, with every error at its place).
"""
