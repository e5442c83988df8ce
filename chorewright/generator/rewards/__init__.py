"""Rewards that are computed: tasks for language models without end, each with a judge.

``task`` has what a task and its score are, ``answers`` finds the answer in what a model wrote, ``drawing`` makes
problems of a split. ``plans``, ``asking``, ``formalising`` and ``playing`` are the kinds of tasks; ``judging`` has
all of them by name, makes tasks and scores answers. ``chorewright.rewards`` is the public page.
"""
