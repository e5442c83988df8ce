"""Which parenthesis is missing or too many: evidence from keywords, atoms and indentation, and the repair."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from chorewright.domains.pddl.source import Findings, Source
from chorewright.domains.pddl.syntax import TRAJECTORIES

# Indentation as evidence: how well the lines of a section agree with its parentheses.


MAX_COMPARISONS = 400_000


def disagreements(steps: Iterable[tuple[int, bool | None]], source: Source) -> int:
    """Count the lines that do not start where their parentheses say.

    A line starts deeper than the line that opened the list around it, and level with the earlier lines that
    start in the same list.

    Args:
        steps: offsets in their order, each with whether a list opens (True) or closes (False) there; None for
            words and lists without lists.
        source: the source of the offsets.
    """
    count = 0
    line = column = 0
    stack: list[tuple[int, int]] = []  # the column where the opener's line starts, and that of the lines inside
    for offset, opens in steps:
        position = source.position(offset)
        if position.line != line:
            line, column = position.line, position.column
            if stack and opens is not False:
                around, inside = stack[-1]
                count += column <= around or inside not in (0, column)
                stack[-1] = (around, inside or column)
        if opens is True:
            stack.append((column, 0))
        elif opens is False and stack:
            stack.pop()
    return count


def least_disagreeing(
    steps: Sequence[tuple[int, bool | None]], candidates: Sequence[int], source: Source
) -> int | None:
    """The step whose removal makes the lines agree best; of several equally good ones, the last.

    None where there is too much to compare.
    """
    if len(steps) * len(candidates) > MAX_COMPARISONS:
        return None
    best: tuple[int, int] | None = None
    for candidate in candidates:
        count = disagreements((step for index, step in enumerate(steps) if index != candidate), source)
        if best is None or count <= best[0]:
            best = (count, candidate)
    return best[1] if best else None


_LOGIC = frozenset(["and", "or", "not", "imply", "forall", "exists", "at-least", "when", "either", "="])
_NUMERIC = frozenset(["<", ">", "<=", ">=", "+", "-", "*", "/", "minimize", "maximize"])
_CHANGES = frozenset(["increase", "decrease", "assign", "scale-up", "scale-down"])
_OTHERS = frozenset([*TRAJECTORIES, "preference", "over", "oneof", "probabilistic"])
LIST_HEADS = _LOGIC | _NUMERIC | _CHANGES | _OTHERS
"""First words of lists that may hold lists; whatever else a list starts with is an atom or declares one."""

_TIMED = re.compile(r"at\s+(?:start|end|[\d.]+)\s*\Z", re.IGNORECASE)
"""The words before the list in ``(at start (...))`` and ``(at 5 (...))``: no atom of a predicate ``at``."""

_DOMAIN = frozenset([":requirements", ":types", ":constants", ":predicates", ":functions", ":action", ":derived"])
_PROBLEM = frozenset([":domain", ":objects", ":init", ":goal", ":metric", ":durative-action", ":constraints"])
_TASK = frozenset([":documentation", ":slots", ":where", ":rooms", ":needs", ":defaults", ":conditions", ":say"])
_TEMPLATE = frozenset([":tags", ":number", ":effort", ":start", ":numbers", ":scratch", ":require", ":bands"])
SECTION_NAMES = _DOMAIN | _PROBLEM | _TASK | _TEMPLATE
"""Keywords that begin a section; the others are parts of one."""

MAX_GUESSES = 4
MAX_FAULTS = 10
_FIRST_WORD = re.compile(r"[^\s();:]*")


class TextPiece(NamedTuple):
    """A token of the text: its kind as the grammar names it, its text, and its offset."""

    kind: str
    text: str
    offset: int


class _Fault(NamedTuple):
    """What is wrong with a sequence of pieces: at which piece, and which piece showed it (None: the end)."""

    what: str  # unclosed, early, extra, unopened
    piece: TextPiece
    seen: TextPiece | None
    closes: TextPiece | None = None


class _Open(NamedTuple):
    piece: TextPiece
    atom: bool = False


_STEPS = {"DEFINE": True, "SECTION": True, "OPEN": True, "CLOSE": False}
_OPENERS = frozenset(["DEFINE", "SECTION", "OPEN"])


def repair(pieces: list[TextPiece], findings: Findings) -> list[TextPiece]:
    """Report unbalanced parentheses and return the pieces with parentheses added or left out.

    A guess from atoms ("(at ?x (in ..." cannot be) or from indentation is believed if it explains everything;
    otherwise the keywords decide: what is open where a keyword stands that it cannot contain was not closed.
    """
    source = findings.source
    assert source is not None
    guesses: list[Callable[[list[TextPiece], Source], list[tuple[int, TextPiece]]]] = [
        _find_unclosed_atoms,
        _find_unclosed_by_indentation,
    ]
    for guess in guesses:
        insertions = guess(pieces, source)
        if not 0 < len(insertions) <= MAX_GUESSES:
            continue
        repaired = _insert(pieces, insertions)
        if not _walk(repaired)[1]:
            faults: list[_Fault] = []
            for index, opener in insertions:
                seen = pieces[index] if index < len(pieces) else None
                faults.append(_Fault("unclosed", opener, seen))
            _report(faults, pieces, findings)
            return repaired
    repaired, faults = _walk(pieces)
    if len(faults) == 1 and (better := _without_extra(pieces, faults[0], source)) is not None:
        repaired, faults = better
    _report(faults[:MAX_FAULTS], pieces, findings)
    if len(faults) > MAX_FAULTS:
        more = f"{len(faults) - MAX_FAULTS} more parentheses do not match; the first mistake may explain them"
        findings.error(faults[MAX_FAULTS].piece.offset, more)
        findings.mute(0, len(source.text) + 1)
    return repaired


def _without_extra(
    pieces: list[TextPiece], fault: _Fault, source: Source
) -> tuple[list[TextPiece], list[_Fault]] | None:
    """Where one parenthesis is too many, look for the line in which it is, by its section's indentation."""
    if fault.what not in ("early", "extra"):
        return None
    end = next((index for index, piece in enumerate(pieces) if piece == fault.seen), len(pieces))
    last = pieces.index(fault.piece)
    openings = [index for index, piece in enumerate(pieces[:last]) if piece.kind == "SECTION"]
    if not openings:
        return None
    start = openings[-1]
    if fault.what == "early":
        # The section goes on behind the mistake, up to the next one.
        following = (index for index in range(end + 1, len(pieces)) if pieces[index].kind == "SECTION")
        end = next(following, len(pieces)) if fault.seen and fault.seen.kind == "KEYWORD" else end
    section = pieces[start:end]
    closing = {
        source.position(piece.offset).line: index for index, piece in enumerate(section) if piece.kind == "CLOSE"
    }
    steps = [(piece.offset, _STEPS.get(piece.kind)) for piece in section]
    found = least_disagreeing(steps, [index for index in closing.values() if start + index <= last], source)
    if found is None:
        return None
    repaired = pieces[: start + found] + pieces[start + found + 1 :]
    if _walk(repaired)[1]:
        return None
    extra = pieces[start + found]
    return repaired, [_Fault(fault.what, extra, fault.seen, fault.closes)]


def _insert(pieces: list[TextPiece], insertions: list[tuple[int, TextPiece]]) -> list[TextPiece]:
    """Put a closing parenthesis before each of the given indices."""
    result: list[TextPiece] = []
    at = 0
    for index, _ in sorted(insertions, key=lambda pair: pair[0]):
        result.extend(pieces[at:index])
        result.append(_close_before(pieces, index))
        at = index
    return result + pieces[at:]


def _close_before(pieces: list[TextPiece], index: int) -> TextPiece:
    if index == 0 or not pieces:
        return TextPiece("CLOSE", ")", 0)
    last = pieces[index - 1]
    return TextPiece("CLOSE", ")", last.offset + len(last.text.rstrip()))


def _heads(pieces: list[TextPiece], index: int) -> str:
    """The first word of the list that opens at this index."""
    if index + 1 < len(pieces) and pieces[index + 1].kind == "WORDS":
        match = _FIRST_WORD.match(pieces[index + 1].text)
        return match.group().lower() if match else ""
    return ""


def _starts_atom(pieces: list[TextPiece], index: int) -> bool:
    """Whether what opens at this index starts as an atom, which can hold no list."""
    head = _heads(pieces, index) if pieces[index].kind == "OPEN" else ""
    return head not in ("", *LIST_HEADS) and not _TIMED.match(pieces[index + 1].text)


def _find_unclosed_atoms(pieces: list[TextPiece], source: Source) -> list[tuple[int, TextPiece]]:
    """Atoms that hold a list: each was left open before that list."""
    found: list[tuple[int, TextPiece]] = []
    stack: list[_Open] = []
    for index, piece in enumerate(pieces):
        if piece.kind in ("OPEN", "FLAT") and stack:
            top = stack[-1]
            inner = piece.text[1:].split(None, 1)[:1] if piece.kind == "FLAT" else [_heads(pieces, index)]
            if top.atom and inner != ["either"]:
                found.append((index, top.piece))
                stack.pop()
        if piece.kind in _OPENERS:
            stack.append(_Open(piece, _starts_atom(pieces, index)))
        elif piece.kind == "CLOSE" and stack:
            stack.pop()
    return found


def _find_unclosed_by_indentation(pieces: list[TextPiece], source: Source) -> list[tuple[int, TextPiece]]:
    """Lists left open before a line that is indented no deeper than the line of their parenthesis."""
    found: list[tuple[int, TextPiece]] = []
    stack: list[tuple[TextPiece, int, int]] = []
    last_line = 0
    indentation = 0
    for index, piece in enumerate(pieces):
        position = source.position(piece.offset)
        if position.line != last_line:
            last_line, indentation = position.line, position.column
            slack = 1 if piece.kind == "CLOSE" else 0
            while stack and stack[-1][1] < position.line and position.column <= stack[-1][2] - slack:
                found.append((index, stack.pop()[0]))
        if piece.kind in _OPENERS:
            stack.append((piece, position.line, indentation))
        elif piece.kind == "CLOSE" and stack:
            stack.pop()
    return found + [(len(pieces), opener) for opener, _, _ in reversed(stack)]


def _walk(pieces: list[TextPiece]) -> tuple[list[TextPiece], list[_Fault]]:
    """Check the structure of define, sections and lists; return repaired pieces and the faults."""
    result: list[TextPiece] = []
    faults: list[_Fault] = []
    stack: list[_Open] = []
    # Closed define and sections: the index of their ")" in result, and what they stand in.
    closed: list[tuple[int, _Open, _Open | None]] = []

    def close_down_to(kinds: tuple[str, ...], seen: TextPiece | None) -> None:
        while stack and stack[-1].piece.kind not in kinds:
            faults.append(_Fault("unclosed", stack.pop().piece, seen))
            result.append(_close_before(result, len(result)))

    def reopen(kind: str, seen: TextPiece) -> bool:
        for position in range(len(closed) - 1, -1, -1):
            at, opened, parent = closed[position]
            if opened.piece.kind == kind:
                if parent is not None and parent not in stack and not reopen("DEFINE", seen):
                    return False
                while stack and stack[-1] != parent:
                    faults.append(_Fault("unclosed", stack.pop().piece, seen))
                    result.append(_close_before(result, len(result)))
                faults.append(_Fault("early", result[at], seen, opened.piece))
                del result[at]
                del closed[position:]
                stack.append(opened)
                return True
        return False

    for piece in pieces:
        if piece.kind == "DEFINE" and stack:
            close_down_to((), piece)
        elif piece.kind == "SECTION":
            close_down_to(("DEFINE",), piece)
            if not stack:
                reopen("DEFINE", piece)
        elif piece.kind == "KEYWORD":
            if any(opened.piece.kind == "SECTION" for opened in stack):
                close_down_to(("SECTION",), piece)
            elif piece.text.lower() in SECTION_NAMES or not reopen("SECTION", piece):
                close_down_to(("DEFINE",), piece)
                if not stack:
                    reopen("DEFINE", piece)
                faults.append(_Fault("unopened", piece, None))
                piece = TextPiece("SECTION", piece.text, piece.offset)
        elif piece.kind == "CLOSE":
            if not stack:
                faults.append(_Fault("extra", piece, None))
                continue
            opened = stack.pop()
            if opened.piece.kind != "OPEN":
                closed.append((len(result), opened, stack[-1] if stack else None))
        if piece.kind in _OPENERS:
            stack.append(_Open(piece))
        result.append(piece)
    close_down_to((), None)
    return result, faults


def _report(faults: list[_Fault], pieces: list[TextPiece], findings: Findings) -> None:
    """Record all faults, then mute their sections."""
    early = {fault.closes for fault in faults if fault.what == "early"}
    for fault in faults:
        if fault.what == "unclosed" and fault.seen is None and fault.piece in early:
            continue  # it was closed too early: that is told
        _report_one(fault, pieces, findings)
    for fault in faults:
        _mute(fault, pieces, findings)


def _report_one(fault: _Fault, pieces: list[TextPiece], findings: Findings) -> None:
    source = findings.source
    assert source is not None
    piece, seen = fault.piece, fault.seen
    if fault.what == "unclosed":
        opening = _name(piece, pieces)
        if seen is None:
            message, hint = f"{opening} is not closed: the text ends", "add the missing ')'"
        else:
            line = source.position(seen.offset).line
            message = f"{opening} is not closed before {_name(seen, pieces)} in line {line}"
            hint = f"a ')' is missing before line {line}"
            if line == source.position(piece.offset).line:
                hint = f"a ')' is missing before {_name(seen, pieces)}"
    elif fault.what == "early":
        assert seen is not None
        assert fault.closes is not None
        line, before = source.position(fault.closes.offset).line, source.position(seen.offset).line
        message = f"a ')' too many: {_name(fault.closes, pieces)} of line {line} ends"
        message += f" before {_name(seen, pieces)} in line {before}"
        hint = "remove a ')' here or shortly before"
    elif fault.what == "extra":
        message, hint = "a ')' too many: the text is over before its last ')'", "remove a ')' here or before"
    else:
        message, hint = f"'{piece.text}' stands outside of any section", f"write '({piece.text}'"
    findings.error(piece.offset, message, hint)


def _name(piece: TextPiece, pieces: list[TextPiece]) -> str:
    """How a message calls a piece: an opening parenthesis with the word behind it."""
    if piece.kind == "OPEN":
        try:
            return f"'({_heads(pieces, pieces.index(piece))}'"
        except ValueError:
            return "'('"
    if piece.kind in ("DEFINE", "SECTION"):
        return "'(" + piece.text.split("(")[-1].split("\n")[-1].strip() + "'"
    first = piece.text.split(None, 1)
    return f"'{first[0]}'" if first else f"'{piece.text}'"


def _mute(fault: _Fault, pieces: list[TextPiece], findings: Findings) -> None:
    """Mute the section of the fault, up to the next section."""
    start, end = 0, len(findings.source.text) + 1 if findings.source else 1
    last = fault.seen.offset if fault.seen else fault.piece.offset
    for piece in pieces:
        if piece.kind == "SECTION":
            if piece.offset <= fault.piece.offset:
                start = piece.offset
            elif piece.offset >= last:
                end = piece.offset
                break
    findings.mute(start, end)
