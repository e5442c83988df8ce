"""That the Follower sees what it clicks on: where things lie (``outlook``), and where it stands (``standing``).

What the task is about is scattered where it is seen. What is hidden later, by what was put down since, is handled
from another pose.
"""
