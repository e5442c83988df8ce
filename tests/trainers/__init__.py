"""The adapters of rewards in the hands of the trainers: ``make test-trainers``; the gate tests their contracts."""
