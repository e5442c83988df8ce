"""pddl."""
