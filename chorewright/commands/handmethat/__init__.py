"""HandMeThat's verbs.

``playing`` is ``play handmethat``, ``evaluation`` is ``evaluate handmethat``; ``verification`` is what ``verify``
says of the reference's files.
"""
