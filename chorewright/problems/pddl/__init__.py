"""Scenes of worlds that are PDDL and nothing else: objects and atoms, from which a goal makes a problem.

``scenes`` has the scene, what kinds of things it holds, and the error of a seed for which there is none.
"""
