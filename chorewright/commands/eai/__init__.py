"""Verbs for the Embodied Agent Interface.

``evaluation`` is ``evaluate eai``: questions about planning problems written, and answers to them marked.
"""
