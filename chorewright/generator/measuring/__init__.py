"""Measuring: questions about problems, answers that are marked, and plays that are counted and logged.

``questions`` asks about the states, actions and plans of any problem, ``eai`` poses the Embodied Agent Interface's
questions, ``descriptions`` describes problems in English. ``playing`` lets agents play in several processes and
``play_log`` keeps what they did.
"""
