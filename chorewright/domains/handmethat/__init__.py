"""HandMeThat's domain: its PDDL, its object space, and its goal templates."""
