"""Dialogues of Commander and Follower about a household plan that the Follower carries out.

The Commander knows the task and where things are; the Follower acts. ``sentences`` reads the words,
``task_wordings`` says a task, ``deeds`` sums up what is done at one place, ``speech`` names things and fills lines, and
``dialogue`` lets both agents talk.
"""

from chorewright.rsa.teach.deeds import SpokenPart, SpokenTurn, Talk, Trouble
from chorewright.rsa.teach.sentences import (
    COMMANDER,
    FOLLOWER,
    DialogueSentences,
    parse_sentences,
    sentences,
    several_wordings,
    task_wordings,
)
from chorewright.rsa.teach.speakers import dialogue

__all__ = [
    "COMMANDER",
    "FOLLOWER",
    "DialogueSentences",
    "SpokenPart",
    "SpokenTurn",
    "Talk",
    "Trouble",
    "dialogue",
    "parse_sentences",
    "sentences",
    "several_wordings",
    "task_wordings",
]
