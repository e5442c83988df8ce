"""Grounding: from a domain and a problem to an integer-encoded task.

Read in the order in which data flows: ``normal_form`` and ``lifting`` prepare the domain, ``numbering`` and
``type_sets`` the problem; ``relevance`` and ``symmetric_objects`` choose the objects; ``joins`` derives what
can be reached (``reachability``); ``conditions``, ``literals`` and ``alternatives`` instantiate the actions;
``pruning`` and ``encoding`` make the ``Task``. ``grounding.ground`` runs all of it.
"""
