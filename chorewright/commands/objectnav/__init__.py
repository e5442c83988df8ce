"""ObjectNav's verbs: agents measured."""
