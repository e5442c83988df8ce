"""English for any PDDL domain: what holds, what shall hold, what is done, and why something cannot be done.

Read ``phrases`` (a wording with slots, and small grammar), ``wordings`` (all wordings of a domain), ``guesses`` (what
names tell where the domain's author says nothing), ``files`` (the author's ``.say`` file), ``names`` (what objects are
called), ``clauses`` (any formula as a clause), and ``verbaliser``, which says goals, states, plans, steps and failures.
"""
