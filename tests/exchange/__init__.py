"""The real libraries read what we write. Not part of the gate: ``requirements.txt`` pins them, ``check`` is the job."""
