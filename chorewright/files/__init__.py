"""Files as every room handles them: written whole or not at all, and a user's own code found by its name."""
