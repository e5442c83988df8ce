"""Dialogues of Commander and Follower about a household plan that the Follower carries out.

The Commander knows the task and where things are; the Follower acts. ``sentences`` reads the words
and says a task, ``deeds`` sums up what is done at one place, ``speech`` names things and fills lines, and
``speakers`` lets both agents talk.
"""
