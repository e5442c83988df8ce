"""TEACh's verbs: ``check`` and ``evaluate teach``."""
