"""Hardness levels: which reasoning an utterance asks of the robot (section 3.3)."""

from __future__ import annotations

from chorewright.rsa.meanings import Context, Extent, Meaning, included, intersection


def hardness(
    context: Context, useful: Extent, meaning: Meaning, utterance: Meaning, understood: Meaning
) -> int | None:
    """Return the first level whose condition holds, or None.

    1: A(m) = A(u), grounding alone. 2: A(m) = A(u) ∩ A(G), the goal must be known. 3: A(m) = A(r), pragmatic
    reasoning, too. 4: A(m) ⊂ A(r), ambiguous even so. None: pragmatic reasoning leads astray, A(m) ⊄ A(r).

    Args:
        context: The things at the time of the request.
        useful: A(G), the useful grounded subgoals of the request's type.
        meaning: m.
        utterance: u.
        understood: r, the listener's most probable meaning.
    """
    meant = context.extent(meaning)
    said = context.extent(utterance)
    if meant == said:
        return 1
    if meant == intersection(said, useful):
        return 2
    taken = context.extent(understood)
    if meant == taken:
        return 3
    return 4 if included(meant, taken) else None
