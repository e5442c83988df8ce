"""A vocabulary as rows that people and programs read: its sets with their members, its kinds with what is known."""

from __future__ import annotations

from collections.abc import Mapping

from chorewright.domains.vocabulary import Vocabulary

Row = Mapping[str, str | list[str]]


def set_rows(vocabulary: Vocabulary) -> Mapping[str, Row]:
    """Return each set's name and members, by name."""
    return {name: {"name": name, "members": list(vocabulary.sets[name])} for name in sorted(vocabulary.sets)}


def kind_rows(vocabulary: Vocabulary) -> Mapping[str, Row]:
    """Return what is known of each kind, by name: its type, nouns, sets, relations both ways, and pieces."""
    return {name: _row(vocabulary, name) for name in sorted(vocabulary.kinds)}


def _row(vocabulary: Vocabulary, name: str) -> Row:
    kind = vocabulary.kinds[name]
    sets = sorted(each for each, members in vocabulary.sets.items() if name in members)
    row: dict[str, str | list[str]] = {
        "name": name,
        "type": kind.pddl_type,
        "nouns": list(kind.nouns),
        "sets": sets,
        "pieces": f"{kind.pieces.count} {kind.pieces.kind}" if kind.pieces else "",
    }
    for relation, pairs in sorted(vocabulary.relations.items()):
        row[relation] = sorted(second for first, second in pairs if first == name)
        row[f"{relation} of"] = sorted(first for first, second in pairs if second == name)
    return row
