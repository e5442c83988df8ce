"""What an editor asks of PDDL files: where names are declared and used, and what they are."""
