"""Lint: what is doubtful in domains and problems that are well-formed. Read ``remarks`` (the rules, and how they are
chosen), ``uses`` (which names a domain reads and changes, which parts of the language it needs), ``rules`` (what each
says)."""
