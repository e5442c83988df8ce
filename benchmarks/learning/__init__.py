"""Learners: do policies learn from the generated data? Training code knows no chorewright, only exported files."""
