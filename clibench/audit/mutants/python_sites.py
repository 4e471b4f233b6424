"""Where defects can be put into Python: found in the syntax tree, made in the text.

Left alone: docstrings, annotations, what stands inside f-strings (before Python 3.12 their positions are wrong), `__name__` checks, and
files that are not UTF-8 or that the Python here can't parse.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from typing import Final

from clibench.audit.mutants.edit import Edit, Kind
from clibench.audit.mutants.literals import is_message, more, other_default, other_text

_SWAPS: Final[dict[type[ast.AST], tuple[bytes, bytes]]] = {
    ast.Lt: (rb"<", b"<="),
    ast.LtE: (rb"<=", b"<"),
    ast.Gt: (rb">", b">="),
    ast.GtE: (rb">=", b">"),
    ast.Eq: (rb"==", b"!="),
    ast.NotEq: (rb"!=", b"=="),
    ast.In: (rb"\bin\b", b"not in"),
    ast.NotIn: (rb"\bnot\s+in\b", b"in"),
    ast.Is: (rb"\bis\b", b"is not"),
    ast.IsNot: (rb"\bis\s+not\b", b"is"),
    ast.And: (rb"\band\b", b"or"),
    ast.Or: (rb"\bor\b", b"and"),
}
_WRITES: Final = re.compile(
    r"_?(write|print|echo|secho|dump|append|extend|add|insert|update|setdefault|remove|unlink|rmtree|rmdir|mkdir|makedirs|rename|replace"
    r"|copy|move|symlink|chmod|touch|sort|reverse|pop|clear|truncate|emit|output|log|info|warn|error)"
)
_PRINTS: Final = re.compile(r"_?(write|print|echo|secho|fail|error|exit|warn|info|log|format|abort)|.*(Error|Exception|Exit|Usage)$")
_LOOKUPS: Final = frozenset({"get", "getattr", "pop", "setdefault", "getenv"})

_Scope = tuple[int, int]


def python_sites(file: str, source: bytes) -> list[Edit]:
    """All defects that can be put into one file, in the order of their places; none for a file that can't be read."""
    try:
        source.decode("utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return _Finder(file, source).find(tree)


class _Finder:
    def __init__(self, file: str, source: bytes) -> None:
        self._file, self._source = file, source
        self._lines = [0, *(match.end() for match in re.finditer(rb"\r\n|\r|\n", source))]
        self._found: dict[tuple[int, int, bytes], Edit] = {}
        self._defaults: set[int] = set()
        """Start of literals that are a default: no other kind takes them."""

    def find(self, tree: ast.Module) -> list[Edit]:
        self._body(tree.body)
        return sorted(self._found.values(), key=lambda edit: (edit.start, edit.end, edit.replacement))

    def _body(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue  # a docstring
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        """The parts of a statement that run when it does are found with its own lines as the trigger, its blocks on their own."""
        blocks: list[list[ast.stmt]] = []
        parts: list[ast.AST] = []
        for name, value in ast.iter_fields(statement):
            if name in ("annotation", "returns", "type_comment", "type_params"):
                continue
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                blocks.append(value)
            elif isinstance(value, list):
                parts += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST):
                parts.append(value)
        first = statement
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and statement.decorator_list:
            start = self._at(statement.decorator_list[0].lineno, 0)
        else:
            start = self._at(first.lineno, 0)
        end = self._at(blocks[0][0].lineno, blocks[0][0].col_offset) if blocks else self._end(statement)
        if isinstance(statement, ast.Try):
            end = start
        scope = (start, max(start + 1, end))
        if isinstance(statement, ast.If | ast.While):
            if "__name__" not in (ast.get_source_segment(self._source.decode(), statement.test) or ""):
                self._condition(statement.test, scope)
                self._expression(statement.test, scope)
        else:
            self._write(statement, scope)
            for part in parts:
                self._part(part, scope)
        for block in blocks:
            self._body(block)

    def _part(self, part: ast.AST, scope: _Scope) -> None:
        """Arguments, handlers, with-items and match cases hold statements or expressions of their own."""
        if isinstance(part, ast.ExceptHandler | ast.match_case):
            for inner in ast.iter_child_nodes(part):
                if isinstance(inner, ast.expr):
                    self._expression(inner, scope)
            self._body(part.body)
        elif isinstance(part, ast.arguments):
            for default in (*part.defaults, *part.kw_defaults):
                if default is not None:
                    self._default(default, scope)
                    self._expression(default, scope)
        else:
            self._expression(part, scope)

    def _expression(self, root: ast.AST, scope: _Scope) -> None:
        for node in _walk(root):
            match node:
                case ast.Compare():
                    sides = [node.left, *node.comparators]
                    for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
                        self._swap(operator, left, right, scope)
                case ast.BoolOp():
                    for left, right in zip(node.values, node.values[1:], strict=False):
                        self._swap(node.op, left, right, scope)
                    if isinstance(node.op, ast.Or):
                        self._default(node.values[-1], scope)
                case ast.IfExp():
                    self._condition(node.test, scope)
                case ast.comprehension():
                    for test in node.ifs:
                        self._condition(test, scope)
                case ast.Call():
                    self._call(node, scope)
                case ast.Lambda():
                    for default in node.args.defaults:
                        self._default(default, scope)
                case ast.Constant() | ast.JoinedStr():
                    self._constant(node, scope)

    def _swap(self, operator: ast.AST, left: ast.expr, right: ast.expr, scope: _Scope) -> None:
        start, end = self._end(left), self._start(right)
        pattern, replacement = _SWAPS[type(operator)]
        found = list(re.finditer(pattern, self._source[start:end]))
        if len(found) == 1 and b"#" not in self._source[start:end]:
            self._add(Kind.COMPARISON, start + found[0].start(), start + found[0].end(), replacement, scope)

    def _condition(self, test: ast.expr, scope: _Scope) -> None:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            word = re.compile(rb"not\s*").match(self._source, self._start(test))
            assert word is not None  # noqa: S101 - as the tree says
            self._add(Kind.FLAG, word.start(), word.end(), b"", scope)
            return
        for part in test.values if isinstance(test, ast.BoolOp) else (test,):
            if isinstance(part, ast.Name | ast.Attribute | ast.Subscript):
                self._add(Kind.FLAG, self._start(part), self._end(part), b"False", scope)

    def _default(self, value: ast.expr, scope: _Scope) -> None:
        if isinstance(value, ast.Constant) and isinstance(value.value, str | int):
            start, end = self._start(value), self._end(value)
            replacement = other_default(self._source[start:end])
            self._defaults.add(start)
            if replacement is not None:
                self._add(Kind.DEFAULT, start, end, replacement, scope)

    def _call(self, call: ast.Call, scope: _Scope) -> None:
        name = _name(call.func)
        if name in _LOOKUPS and len(call.args) > 1:
            self._default(call.args[-1], scope)
        for keyword in call.keywords:
            if keyword.arg == "default":
                self._default(keyword.value, scope)
            elif isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, bool):
                start, end = self._start(keyword.value), self._end(keyword.value)
                self._add(Kind.FLAG, start, end, other_default(self._source[start:end]) or b"False", scope)
        if _PRINTS.match(name):
            for argument in call.args:
                for node in _walk(argument):
                    if isinstance(node, ast.Constant | ast.JoinedStr):
                        self._text(node, scope)

    def _constant(self, node: ast.Constant | ast.JoinedStr, scope: _Scope) -> None:
        start, end = self._start(node), self._end(node)
        if start in self._defaults:
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
            replacement = more(self._source[start:end])
            if replacement is not None:
                self._add(Kind.OFF_BY_ONE, start, end, replacement, scope)
        elif is_message(self._source[start:end]):
            self._text(node, scope)

    def _text(self, node: ast.Constant | ast.JoinedStr, scope: _Scope) -> None:
        start, end = self._start(node), self._end(node)
        literal = self._source[start:end]
        if start in self._defaults or literal[-1:] not in (b'"', b"'"):
            return
        change = other_text(literal, quote=3 if literal.endswith((b'"""', b"'''")) else 1)
        if change is not None:
            place, inserted = change
            self._add(Kind.MESSAGE, start + place, start + place, inserted, scope)

    def _write(self, statement: ast.stmt, scope: _Scope) -> None:
        start, end = self._start(statement), self._end(statement)
        if isinstance(statement, ast.Expr):
            call = statement.value.value if isinstance(statement.value, ast.Await) else statement.value
            if isinstance(call, ast.Call) and _WRITES.match(_name(call.func)):
                self._add(Kind.WRITE, start, end, b"None", scope)
        elif isinstance(statement, ast.Assign) and all(isinstance(target, ast.Subscript) for target in statement.targets):
            self._add(Kind.WRITE, start, end, b"None", scope)

    def _add(self, kind: Kind, start: int, end: int, replacement: bytes, scope: _Scope) -> None:
        self._found.setdefault((start, end, replacement), Edit(self._file, kind, start, end, replacement, scope))

    def _at(self, line: int, column: int) -> int:
        return self._lines[line - 1] + column

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._at(node.lineno, node.col_offset)

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None  # noqa: S101 - parsed, not made
        return self._at(node.end_lineno, node.end_col_offset)


def _walk(root: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it, outermost first; f-strings are not entered."""
    yield root
    if isinstance(root, ast.JoinedStr):
        return
    for child in ast.iter_child_nodes(root):
        yield from _walk(child)


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
