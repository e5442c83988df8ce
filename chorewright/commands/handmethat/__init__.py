"""HandMeThat's verbs: ``play handmethat`` and ``evaluate handmethat``, and what ``verify`` says of its files."""
