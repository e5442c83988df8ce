"""Files from anybody: what they may not do."""
