"""The words that all families share: English for any PDDL domain, nouns, small grammar.

Read ``guesses`` (what names tell where the domain's author says nothing), ``files`` (the author's ``.say`` file), and
``verbaliser``, which says goals, states, plans, steps and failures. Phrases with slots are in ``domains.phrases``, any
formula as a clause in ``domains.clauses``: sentences of goal templates need them, too. ``lexicon`` has nouns of kinds,
``grammar`` the weighted grammar that sentences are built with. Articles, plurals and lists are in ``files.english``.
"""
