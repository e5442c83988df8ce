"""The Embodied Agent Interface: episodes as its planning problems and its four kinds of questions.

``exporter`` writes the folder; what a question is, and what an answer is worth, is in ``generator.eai``.
"""
