"""Grounding: from a domain and a problem to an integer-encoded task.

Read in the order in which data flows: ``normal_form`` and ``lifting`` prepare the domain, ``numbering`` the problem;
``goal_atoms`` and ``relevance`` choose the objects; ``joins`` derives what can be reached (``reachability``);
``conditions``, ``literals`` and ``alternatives`` instantiate the actions; ``encoding`` makes the ``Task`` (``task``).
``grounding.ground`` runs all of it.
"""
