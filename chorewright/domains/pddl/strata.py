"""Stratification of axioms: no derived predicate may depend on its own negation."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from chorewright.domains.pddl.source import Findings
from chorewright.domains.pddl.subformulas import signed_atoms
from chorewright.domains.pddl.syntax import Axiom


def check_strata(axioms: Sequence[Axiom], findings: Findings) -> None:
    """Record each axiom whose head is used negatively, directly or through others, to derive itself."""
    derived = frozenset(axiom.head.name for axiom in axioms)
    uses: dict[str, dict[str, None]] = {}
    for axiom in axioms:
        for atom, _ in signed_atoms(axiom.body):
            if atom.predicate in derived:
                uses.setdefault(axiom.head.name, {})[atom.predicate] = None
    for axiom in axioms:
        for atom, positive in signed_atoms(axiom.body):
            if positive or atom.predicate not in derived:
                continue
            path = _path(uses, atom.predicate, axiom.head.name)
            if path is not None:
                shown = " needs ".join(f"'{name}'" for name in (path if len(path) > 1 else (*path, *path)))
                at = findings.term(atom.position, 0)
                message = f"the axioms are not stratified: '{axiom.head.name}' needs not '{atom.predicate}'"
                findings.error(at, message, f"and {shown}" if len(path) > 1 else "an axiom cannot negate its own head")


def _path(uses: dict[str, dict[str, None]], start: str, goal: str) -> tuple[str, ...] | None:
    """The shortest chain of uses from one derived predicate to another; one name where they are the same."""
    before: dict[str, str] = {start: start}
    queue = deque([start])
    while queue:
        name = queue.popleft()
        if name == goal:
            chain = [name]
            while chain[-1] != start:
                chain.append(before[chain[-1]])
            return tuple(reversed(chain))
        for used in uses.get(name, ()):
            if used not in before:
                before[used] = name
                queue.append(used)
    return None
