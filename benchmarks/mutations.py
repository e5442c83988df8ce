"""Small faults that can be put into the package, and which of them a seed draws.

A mutant changes one expression: a comparison, a sign, a bound, a condition, a constant, an argument or a boolean
operator. Left alone are docstrings, annotations, decorators, assertions, f-strings, what errors and notes say,
``__repr__`` and ``__str__``.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path

PACKAGE = "chorewright"
OTHER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
SIGNS: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(), ast.Sub: ast.Add(), ast.Mult: ast.Div(), ast.Div: ast.Mult(), ast.FloorDiv: ast.Mult(),
}  # fmt: skip
TELLING = {"note", "tell", "warn", "warning", "info", "debug", "print", "Option", "Argument", "Typer"}
TYPING = {"cast", "TypeVar", "NewType", "ParamSpec", "isinstance", "issubclass"}
SAYING = {"message", "hint", "help", "metavar", "rich_help_panel"}
SKIPPED_FIELDS = {"annotation", "returns", "decorator_list", "bases", "pattern", "exc", "cause"}
SKIPPED = (ast.JoinedStr, ast.Assert, ast.Import, ast.ImportFrom)
TEXTS = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one expression.

    Attributes:
        path: The module's file, relative to the root of the tree.
        line: The line on which the expression begins.
        function: The function's qualified name; empty on the level of the module.
        kind: What kind of change it is.
        before: The source of the whole expression.
        after: What stands there instead.
        place: The first byte of the expression in the file.
        turn: How many changes of the same words come before it in the function.
    """

    path: str
    line: int
    function: str
    kind: str
    before: str
    after: str
    place: int
    turn: int = 0

    @property
    def key(self) -> str:
        """What tells it from other mutants while its function moves in the file."""
        return _digest(self.path, self.function, self.kind, self.before, self.after, self.turn)[:12]

    def applied(self, source: bytes) -> bytes:
        """Return the module's source with the change."""
        return source[: self.place] + self.after.encode() + source[self.place + len(self.before.encode()) :]

    def diff(self, source: bytes) -> str:
        """Return the lines that change, with their signs."""
        before, after = (text.decode().splitlines() for text in (source, self.applied(source)))
        return "\n".join(line for line in list(unified_diff(before, after, n=0, lineterm=""))[3:])


def draw(root: Path, seed: int, count: int, only: str = "") -> list[Mutant]:
    """Draw mutants over all rooms, in proportion to their lines of code.

    The draw depends on the seed and on each line's own text: a change elsewhere leaves most of it as it was, and a
    larger count holds almost all of a smaller one.

    Args:
        root: The root of the tree that holds the package.
        seed: The number of the draw.
        count: How many are wanted; fewer where there are not so many lines to change.
        only: The beginning of the paths that are drawn from.

    Returns:
        At most one mutant for each line, in an order by chance.
    """
    lines: defaultdict[str, int] = defaultdict(int)
    choices: defaultdict[str, list[tuple[str, Mutant]]] = defaultdict(list)
    for path in sorted((root / PACKAGE).rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if name.startswith(only):
            source = path.read_bytes()
            tree = ast.parse(source)
            room = room_of(name)
            lines[room] += len({node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt | ast.expr)})
            choices[room] += _one_each_line(mutants(name, source, tree), seed)
    drawn: list[tuple[str, Mutant]] = []
    for room, share in _shares(lines, count).items():
        drawn += sorted(choices[room], key=lambda each: each[0])[:share]
    return [mutant for _, mutant in sorted(drawn, key=lambda each: each[0])]


def room_of(path: str) -> str:
    """Return the room that a module's path is in; the module itself where it stands in none."""
    return path.split("/")[1].removesuffix(".py")


def _one_each_line(found: Iterable[Mutant], seed: int) -> Iterator[tuple[str, Mutant]]:
    """Yield one mutant for each line, with its place in the draw.

    Each kind on the line has the same chance; arguments change only where nothing else can, for most such mutants
    fail at once.
    """
    of_line: defaultdict[int, list[Mutant]] = defaultdict(list)
    for mutant in found:
        of_line[mutant.line].append(mutant)
    for group in of_line.values():
        ranks = {kind: _digest(seed, kind, group[0].key) for kind in {each.kind for each in group}}
        chosen = min(group, key=lambda each: (each.kind == "argument", ranks[each.kind], _digest(seed, each.key)))
        yield _digest(seed, "line", chosen.key), chosen


def _shares(lines: dict[str, int], count: int) -> dict[str, int]:
    """Divide a count by lines of code; the largest remainders get what is left."""
    total = max(1, sum(lines.values()))
    shares = {room: count * each // total for room, each in lines.items()}
    rest = sorted(lines, key=lambda room: (-(count * lines[room] % total), room))
    for room in rest[: count - sum(shares.values())]:
        shares[room] += 1
    return shares


def mutants(path: str, source: bytes, tree: ast.Module) -> Iterator[Mutant]:
    """Yield all mutants of a module."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    turns: Counter[str] = Counter()
    for function, node, kind, after in _changes(tree, ""):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        first, last = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        mutant = Mutant(path, node.lineno, function, kind, source[first:last].decode(), after, first)
        turns[mutant.key] += 1
        yield replace(mutant, turn=turns[mutant.key] - 1)


def _changes(node: ast.AST, function: str) -> Iterator[tuple[str, ast.expr | ast.AugAssign, str, str]]:
    """Yield what may be changed below a node: the function, the expression, the kind and the new text."""
    if isinstance(node, SKIPPED) or _says(node):
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        function = f"{function}.{node.name}".lstrip(".")
    if isinstance(node, ast.expr | ast.AugAssign):
        for kind, new in _of_expression(node):
            yield function, node, kind, _text(new)
    for test in _conditions(node):
        yield function, test, "condition", f"not ({ast.unparse(test)})"
    for bound, new in _bounds(node):
        yield function, bound, "bound", ast.unparse(new)
    for name, value in ast.iter_fields(node):
        if name not in SKIPPED_FIELDS:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _changes(child, function)


def _text(new: ast.expr | ast.AugAssign) -> str:
    text = ast.unparse(new)
    return text if isinstance(new, ast.AugAssign | ast.Constant | ast.Name | ast.Call) else f"({text})"


def _says(node: ast.AST) -> bool:
    """Whether a node is a text for people, a matter of types, or no code of the product."""
    if isinstance(node, ast.FunctionDef):
        return node.name in ("__repr__", "__str__")
    if isinstance(node, ast.keyword):
        return node.arg in SAYING
    if isinstance(node, ast.Call):
        name = _name(node.func)
        return name in TELLING or name in TYPING or name.endswith("Error")
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in ("TYPE_CHECKING", "__name__ == '__main__'")
    if isinstance(node, ast.Subscript):
        return _name(node.value) in ("Literal", "Annotated")
    return False


def _name(function: ast.expr) -> str:
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _of_expression(node: ast.expr | ast.AugAssign) -> Iterator[tuple[str, ast.expr | ast.AugAssign]]:
    """Yield an expression's changes, with their kinds."""
    new = copy.copy(node)
    if isinstance(new, ast.Compare):
        new.ops = list(new.ops)
        for place, operator in enumerate(new.ops):
            new.ops[place] = OTHER[type(operator)]()
            yield "comparison", new
            new.ops[place] = operator
    elif isinstance(new, ast.BoolOp):
        new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
        yield "boolean", new
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.Not | ast.USub):
        yield "boolean" if isinstance(new.op, ast.Not) else "sign", new.operand
    elif isinstance(new, ast.AugAssign) or (isinstance(new, ast.BinOp) and not _is_text(new)):
        if type(new.op) in SIGNS:
            new.op = SIGNS[type(new.op)]
            yield "sign", new
    elif isinstance(new, ast.Constant) and isinstance(new.value, bool | int | float):
        new.value = not new.value if isinstance(new.value, bool) else new.value + 1
        yield "constant", new
    elif isinstance(new, ast.Call):
        yield from (("argument", each) for each in _arguments(new))


def _is_text(node: ast.expr) -> bool:
    """Whether a sum is seen to be of texts or lists, of which nothing can be subtracted."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add) and (_is_text(node.left) or _is_text(node.right))
    return isinstance(node, TEXTS) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _arguments(call: ast.Call) -> Iterator[ast.Call]:
    """Yield a call with its first two arguments swapped, and without each of its named ones."""
    first = call.args[:2]
    differ = len({ast.dump(each) for each in first}) == 2
    if differ and not any(isinstance(each, ast.Starred) for each in first):
        yield ast.Call(call.func, [first[1], first[0], *call.args[2:]], call.keywords)
    for keyword in call.keywords:
        if keyword.arg is not None and keyword.arg not in SAYING:
            yield ast.Call(call.func, call.args, [each for each in call.keywords if each is not keyword])


def _conditions(node: ast.AST) -> Sequence[ast.expr]:
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        return (node.test,)
    return node.ifs if isinstance(node, ast.comprehension) else ()


def _bounds(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the bounds of slices and ranges that are no constants, and what is off by one."""
    found: list[tuple[ast.expr | None, ast.operator]] = []
    if isinstance(node, ast.Slice):
        found = [(node.lower, ast.Add()), (node.upper, ast.Sub())]
    elif isinstance(node, ast.Call) and _name(node.func) == "range" and not node.keywords:
        found = [(node.args[min(1, len(node.args) - 1)], ast.Sub())]
    for bound, sign in found:
        if bound is not None and not isinstance(bound, ast.Constant | ast.Starred):
            yield bound, ast.BinOp(bound, sign, ast.Constant(1))


def _digest(*parts: object) -> str:
    return sha256("\n".join(map(str, parts)).encode()).hexdigest()


__all__ = ["PACKAGE", "Mutant", "draw", "mutants", "room_of"]
