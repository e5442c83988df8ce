"""HandMeThat's scenes: what is in them, how they are sampled, and the planning problems made from them."""
