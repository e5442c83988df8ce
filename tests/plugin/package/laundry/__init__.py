"""A laundry for chorewright: a world, a benchmark, an export format, an engine and a verb."""
