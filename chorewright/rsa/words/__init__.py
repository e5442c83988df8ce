"""The words that all families share: English for any PDDL domain, nouns, small grammar.

Read ``guesses`` (nouns of kinds, and what names tell where the domain's author says nothing), ``files`` (the author's
file of sentences), and ``verbaliser``, which says goals, states, plans, steps and failures. Phrases with slots are in
``domains.phrases``, any formula as a clause in ``domains.clauses``: sentences of goal templates need them, too.
``grammar`` is the weighted grammar of sentences. Articles, plurals and lists are in ``files.english``.
"""
