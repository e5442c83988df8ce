"""TEACh's verbs.

``checking`` is ``check``: how far a task is done in a state. ``evaluation`` is ``evaluate teach``: inferences
and pairs of agents, measured as the paper does.
"""
