"""The household in English: plans cut into subgoals, and phrases for places, walks and what is done.

``segments`` cuts a plan into ALFRED's subgoals, ``directives`` words it as several people would: a goal sentence, and
one sentence a subgoal. ``nouns`` tells the things of a room apart, ``relations`` finds what is true of their places,
``mentions`` words both. ``walks`` and ``deeds`` build the sentences of a plan. ``layout`` follows a plan and its paths.
"""
