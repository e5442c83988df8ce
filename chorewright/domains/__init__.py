"""What can be done: the PDDL language, formulas, goal templates, and the domains as data files."""
