"""Engines: other planners behind our ``Planner`` protocol, and ours behind unified-planning's.

``lookup`` finds an engine by its name. There is one module for each: ``pyperplan``, ``fast_downward`` and
``unified_planning`` (all engines that it knows); ``running`` runs processes within limits and checks plans. The other
way round, ``unified`` makes chorewright one of unified-planning's engines. ``unified_conversion`` translates both ways.
"""
