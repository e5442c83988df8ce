"""Rewards for language models: tasks without end whose answers a judge scores, never by likeness of text.

from chorewright.rewards import score, tasks

for task in tasks("plan", 100, seed=7, domain="blocks"):
    print(score(task, model(task.messages)).reward)
"""

from chorewright.generator.rewards.judging import kinds, score, tasks
from chorewright.generator.rewards.task import RewardTask as Task
from chorewright.generator.rewards.task import Score

__all__ = ["Score", "Task", "kinds", "score", "tasks"]
