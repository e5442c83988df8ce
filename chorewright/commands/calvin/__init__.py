"""CALVIN's verbs: ``chains`` and ``evaluate calvin``, and what ``verify`` says of its layout."""
