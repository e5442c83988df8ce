"""HandMeThat's domain: its PDDL, its object space, and its goal templates.

``object_space`` reads the hierarchy of categories with their properties and positions (the paper's Tables 7 to 11).
"""
