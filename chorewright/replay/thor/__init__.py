"""thor."""
