"""Measuring: trials of agents, and of answers to questions about problems.

``trial`` says what a trial is, ``evaluation`` plays one: in several processes, with a log. Each benchmark's own
``evaluation`` says what its agents play and what their scores are. ``questions`` asks about the states, actions and
plans of any problem, ``eai`` poses the Embodied Agent Interface's questions, ``descriptions`` describes problems in
English; answers to all of them are measured as agents are.
"""
