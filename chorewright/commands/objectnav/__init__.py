"""ObjectNav's verbs.

``evaluation`` is ``evaluate objectnav``: it lets an agent find things in episodes, and prints success and SPL.
"""
