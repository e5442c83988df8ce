"""BDDL's names as PDDL's and back: PDDL names have no dots and no asterisks.

``cup.n.01`` becomes ``cup-n-01`` and its instance ``cup.n.01_2`` becomes ``cup-n-01_2``. The asterisk of
``cup.n.01_*``, which stands for all further instances, becomes ``any``.
"""

from __future__ import annotations

import re

_DOTTED = re.compile(r"(.+)\.([a-z])\.(\d+)(?:_(\d+|\*))?\Z")
_DASHED = re.compile(r"(.+)-([a-z])-(\d+)(?:_(\d+|any))?\Z")


def pddl_name(name: str) -> str:
    """Return a BDDL name as a PDDL name; names without dots, as of rooms, stay as they are."""
    match = _DOTTED.match(name)
    if match is None:
        return name
    word, part, sense, number = match.groups()
    instance = "" if number is None else "_any" if number == "*" else f"_{number}"
    return f"{word}-{part}-{sense}{instance}"


def bddl_name(name: str) -> str:
    """Return the BDDL name that ``pddl_name`` makes this name of."""
    match = _DASHED.match(name)
    if match is None:
        return name
    word, part, sense, number = match.groups()
    instance = "" if number is None else "_*" if number == "any" else f"_{number}"
    return f"{word}.{part}.{sense}{instance}"


def synset_word(synset: str) -> str:
    """Return the word of a synset, ``jelly jar`` of ``jelly__jar.n.01``."""
    match = _DOTTED.match(synset)
    return (match.group(1) if match else synset).replace("__", " ").replace("_", " ")
