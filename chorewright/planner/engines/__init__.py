"""Engines: other planners behind our ``Planner`` protocol, and ours behind unified-planning's.

``lookup`` finds an engine by its name. ``processes`` runs pyperplan and Fast Downward within limits and checks plans;
``unified_planning`` has all engines that it knows, and translates tasks and plans both ways. The other way round,
``unified`` makes chorewright one of unified-planning's engines.
"""
