"""English: nouns and small grammar, and phrases for places, paths and legs of a plan.

``phrases`` first; ``path_phrases``, ``place_phrases`` and ``leg_phrases`` build on one another.
"""
