"""Data that benchmarks and tests both read, and sets of tasks that both go through.

``reference`` says where the reference data lie; ``demonstrations`` are ALFRED's of them, ``planning_tasks`` the
planning competitions'. ``games`` are drawn.
"""
