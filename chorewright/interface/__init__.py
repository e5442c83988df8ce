"""What ``import chorewright`` offers: a few functions that do what most people want, each over the rooms below.

``chorewright/__init__.py`` lists the names and imports a module of this room when one of its names is used first.
Read ``problems`` (load, compile, plan, validate), ``datasets`` (generate, verify, export), ``worlds`` (worlds and
environments) and ``drawing`` (pictures, films, and how values look in a notebook); ``language_server`` is for editors.
"""
