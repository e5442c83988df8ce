"""The words that all families share: English for any PDDL domain, nouns, small grammar.

Read ``phrases`` (a wording with slots, nouns, all wordings of a domain), ``guesses`` (what names tell where the
domain's author says nothing), ``files`` (the author's ``.say`` file), ``clauses`` (any formula as a clause), and
``verbaliser``, which says goals, states, plans, steps and failures. ``lexicon`` has nouns of kinds, ``grammar``
the weighted grammar that sentences are built with. Articles, plurals and lists are in
``files.english``.
"""
