"""Houses of our own."""
