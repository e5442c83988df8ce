"""Files as every room handles them, a user's own code found by its name, and the English words of messages."""
