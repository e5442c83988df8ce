"""From forms to typed lists and formulas: what each list means, and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf, isfinite
from sys import intern

from chorewright.domains.pddl.forms import Form, Item, Word
from chorewright.domains.pddl.source import Findings
from chorewright.domains.pddl.syntax import (
    TRUE,
    And,
    AtLeast,
    Atom,
    Equals,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Typed,
)

TOTAL_COST = "total-cost"

_NAME = re.compile(r"[^?,'`\[\]{}\\=<>]+\Z")
_VARIABLE = re.compile(r"\?[^?,'`\[\]{}\\=<>]+\Z")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\Z")
_COMPARISONS = frozenset(["<", ">", "<=", ">="])
_PREFERENCES = frozenset(["preference"])
_TRAJECTORIES = frozenset(
    [
        "always",
        "sometime",
        "within",
        "at-most-once",
        "sometime-after",
        "sometime-before",
        "always-within",
        "hold-during",
    ]
)
UNCERTAIN = frozenset(["oneof", "probabilistic", "unknown"])


def number(text: str) -> float | None:
    """The finite number that a word is, or None."""
    value = float(text) if _NUMBER.match(text) else inf
    return value if isfinite(value) else None


def show(item: Item) -> str:
    """How a message quotes an item: short, on one line."""
    if isinstance(item, Form):
        names = " ".join(show(inner) for inner in item.items[:4])
        return f"({names}{' ...' if len(item.items) > 4 else ''})"
    return item.text if isinstance(item, Word) else f'"{item.text}"'


def is_name(item: Item) -> bool:
    """Whether an item is a word that may name something (not a variable, number-sign or keyword)."""
    return (
        isinstance(item, Word)
        and item.text != "-"
        and _NAME.match(item.text) is not None
        and item.text[0] != ":"
    )


def name(item: Item, what: str, findings: Findings) -> str | None:
    """The name that an item is; anything else is reported as not being ``what``."""
    if is_name(item):
        assert isinstance(item, Word)
        return intern(item.text)
    shown = show(item)
    hint = None
    if isinstance(item, Word) and "," in item.text:
        hint = "PDDL lists have no commas"
    elif isinstance(item, Word) and item.text.startswith("?"):
        hint = f"only variables start with '?': write '{item.text[1:]}'"
    findings.error(item.offset, f"{what} is expected here, not '{shown}'", hint)
    return None


def typed_list(items: Sequence[Item], findings: Findings, what: str) -> tuple[Typed, ...]:
    """``a b - t c - (either t u) d``: names with their types; ``object`` where none is given.

    Args:
        items: the words and lists.
        findings: where errors go.
        what: "variable", "object", "constant" or "type"; variables start with a question mark.
    """
    result: list[Typed] = []
    pending: list[Word] = []
    at = 0
    while at < len(items):
        item = items[at]
        at += 1
        if not (isinstance(item, Word) and item.text == "-"):
            if (word := _listed(item, findings, what)) is not None:
                pending.append(word)
            continue
        if not pending:
            findings.error(item.offset, f"'-' needs a {what} before it and a type behind it")
        if at == len(items):
            findings.error(item.offset, "a type is missing behind '-'")
            break
        types = type_names(items[at], findings)
        at += 1
        result.extend(Typed(intern(word.text), types, findings.position(word.offset)) for word in pending)
        pending = []
    result.extend(Typed(intern(word.text), ("object",), findings.position(word.offset)) for word in pending)
    return tuple(result)


def _listed(item: Item, findings: Findings, what: str) -> Word | None:
    if what != "variable":
        return item if name(item, f"a {what}", findings) is not None and isinstance(item, Word) else None
    if isinstance(item, Word) and _VARIABLE.match(item.text):
        return item
    hint = None
    meant = item.text.strip(",") if isinstance(item, Word) else ""
    if is_name(item):
        hint, meant = f"variables start with '?': write '?{show(item)}'", f"?{meant}"
    elif isinstance(item, Word) and "," in item.text:
        hint = "PDDL lists have no commas"
    findings.error(item.offset, f"a variable is expected here, not '{show(item)}'", hint)
    # Go on with what was meant, so that its uses are not errors as well.
    return Word(meant, item.offset) if _VARIABLE.match(meant) else None


def type_names(item: Item, findings: Findings) -> tuple[str, ...]:
    """A type name or ``(either t u ...)``."""
    if isinstance(item, Word):
        # A slot of a goal template may stand for a type.
        if item.text[0] == "?":
            return (intern(item.text),)
        found = name(item, "a type", findings)
        return (found,) if found else ("object",)
    if isinstance(item, Form) and item.head == "either" and len(item.items) > 1:
        names: list[str] = []
        for inner in item.items[1:]:
            if isinstance(inner, Word) and inner.text[0] == "?":
                names.append(intern(inner.text))
            elif (found := name(inner, "a type", findings)) is not None:
                names.append(found)
        return tuple(dict.fromkeys(names)) or ("object",)
    findings.error(
        item.offset, f"a type is expected here, not '{show(item)}'", "write a name or (either a b)"
    )
    return ("object",)


def variables(item: Item | None, after: int, findings: Findings, what: str) -> tuple[Typed, ...] | None:
    """The parenthesised variables of an action or quantifier, or None where they are missing."""
    if isinstance(item, Form):
        return typed_list(item.items, findings, "variable")
    at = item.offset if item else after
    findings.error(at, f"{what} needs its variables in parentheses", "for example (?x - object)")
    return None


def formula(item: Item, findings: Findings) -> Formula | None:
    """A condition. None where it was too broken to go on; then the reason has been recorded."""
    if not isinstance(item, Form):
        hint = f"write ({show(item)})" if is_name(item) else None
        findings.error(item.offset, f"a condition in parentheses is expected here, not '{show(item)}'", hint)
        return None
    items = item.items
    if not items:
        return TRUE
    head, rest = item.head, items[1:]
    if head in ("and", "or"):
        operands = _formulas(rest, findings)
        if operands is None:
            return None
        return And(operands) if head == "and" else Or(operands)
    if head in ("not", "imply"):
        count = 1 if head == "not" else 2
        if len(rest) != count:
            findings.error(
                item.offset, f"'{head}' takes {count} condition{'s' * (count > 1)}, not {len(rest)}"
            )
            return None
        operands = _formulas(rest, findings)
        if operands is None:
            return None
        return Not(operands[0]) if head == "not" else Imply(*operands)
    if head in ("forall", "exists"):
        return _quantified(item, findings)
    if head == "at-least" and (len(rest) == 3 or any(isinstance(inner, Form) for inner in rest)):
        return _at_least(item, findings)
    if head == "=":
        return _equals(item, findings)
    if (feature := _unsupported(head, rest)) is not None:
        findings.unsupported(item.offset, f"{feature} are not supported: '({head} ...'")
        return None
    return atom(item, findings)


def _formulas(items: Sequence[Item], findings: Findings) -> tuple[Formula, ...] | None:
    """Read all operands, so that each reports its own errors; None if one of them failed."""
    found = [formula(item, findings) for item in items]
    operands = tuple(operand for operand in found if operand is not None)
    return operands if len(operands) == len(found) else None


def _unsupported(head: str, rest: Sequence[Item]) -> str | None:
    """The name of the unsupported feature that a condition with this head uses."""
    if head in _COMPARISONS:
        return "numeric conditions"
    if head in _PREFERENCES:
        return "preferences"
    if head in _TRAJECTORIES and any(isinstance(item, Form) for item in rest):
        return "trajectory constraints"
    if head in UNCERTAIN and any(isinstance(item, Form) for item in rest):
        return "non-deterministic features"
    return None


def _quantified(item: Form, findings: Findings) -> Formula | None:
    head, rest = item.head, item.items[1:]
    bound = variables(rest[0] if rest else None, item.offset, findings, f"'{head}'")
    if bound is None:
        return None
    if len(rest) != 2:
        at = rest[2].offset if len(rest) > 2 else item.offset
        hint = "join several with (and ...)" if len(rest) > 2 else None
        findings.error(at, f"'{head}' takes one condition after its variables, not {len(rest) - 1}", hint)
        return None
    body = formula(rest[1], findings)
    if body is None:
        return None
    return Forall(bound, body) if head == "forall" else Exists(bound, body)


def _at_least(item: Form, findings: Findings) -> Formula | None:
    rest = item.items[1:]
    count = rest[0] if rest else None
    if not (isinstance(count, Word) and count.text.isascii() and count.text.isdigit()) or len(rest) != 3:
        findings.error(
            item.offset,
            "'at-least' takes a whole number, variables and a condition",
            "(at-least 2 (?x - type) (...))",
        )
        return None
    if len(count.text) > 9:
        findings.error(count.offset, f"'at-least' with {count.text[:12]}... bindings is out of range")
        return None
    bound = variables(rest[1], item.offset, findings, "'at-least'")
    body = formula(rest[2], findings)
    if bound is None or body is None:
        return None
    if not bound:
        findings.error(rest[1].offset, "'at-least' needs at least one variable")
        return None
    return AtLeast(int(count.text), bound, body, findings.position(item.offset))


def _equals(item: Form, findings: Findings) -> Formula | None:
    rest = item.items[1:]
    if any(isinstance(side, Form) for side in rest):
        findings.unsupported(
            item.offset,
            "numeric conditions are not supported: '=' compares objects here",
            "use predicates instead",
        )
        return None
    if len(rest) != 2:
        findings.error(item.offset, f"'=' takes 2 terms, not {len(rest)}")
        return None
    left, right = term(rest[0], findings), term(rest[1], findings)
    if left is None or right is None:
        return None
    return Equals(left, right, findings.position(item.offset))


def term(item: Item, findings: Findings) -> str | None:
    """A variable or an object's name."""
    if isinstance(item, Word) and _VARIABLE.match(item.text):
        return intern(item.text)
    if isinstance(item, Form):
        hint = "is a ')' missing before it?" if item.items else None
        findings.error(item.offset, f"a variable or object is expected here, not '{show(item)}'", hint)
        return None
    if isinstance(item, Word) and is_name(item):
        return intern(item.text)
    hint = "PDDL lists have no commas" if isinstance(item, Word) and "," in item.text else None
    findings.error(item.offset, f"a variable or object is expected here, not '{show(item)}'", hint)
    return None


def atom(item: Form, findings: Findings) -> Atom | None:
    """``(predicate term ...)``."""
    items = item.items
    if not items or not isinstance(items[0], Word):
        shown = show(items[0]) if items else "()"
        findings.error(item.offset, f"a predicate is expected behind '(', not '{shown}'")
        return None
    predicate = name(items[0], "a predicate", findings)
    terms = [term(inner, findings) for inner in items[1:]]
    known = tuple(found for found in terms if found is not None)
    if predicate is None or len(known) != len(terms):
        return None
    return Atom(predicate, known, findings.position(item.offset))
