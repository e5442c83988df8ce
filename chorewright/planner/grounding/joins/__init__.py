"""Joins: rules over predicates, evaluated bottom-up by compiled loops over hash tables of atoms.

``rules`` compiles symbols into flat arrays, ``tables`` hold what is derived, ``evaluation`` is the compiled loop,
``derivation`` runs it with enough memory and says from what an atom was derived. ``demand`` derives only what a goal
asks for.
"""
