"""The household in English: phrases for places, walks and what is done.

``nouns`` tells the things of a room apart, ``relations`` finds what is true of their places, ``mentions`` words both.
``walks``, ``deeds`` and ``goals`` build the sentences of a plan. ``place_phrases`` and ``path_phrases`` follow a plan
and its paths.
"""
