"""The real libraries read what we write. Not part of the gate: ``requirements*.txt`` pin them, ``job`` is the job."""
