"""Engines: other planners behind our protocol, and ours behind that of others.

``external`` runs pyperplan, Fast Downward and unified-planning's engines; ``unified`` makes chorewright one of
unified-planning's engines, by the conversions in ``unified_conversion``.
"""
