"""Instructions for CALVIN's tasks."""
