"""Mutants of the package: one small change each, inside a function, drawn by a seed.

Not mutmut: it writes every mutant and runs all tests once before the first; a sample needs neither.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: What a comparison becomes.
_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_COMBINED: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "*",
    ast.BitOr: "&",
    ast.BitAnd: "|",
}


@dataclass(frozen=True)
class Mutant:
    """One change of one file.

    Attributes:
        path: relative to the repository.
        line: from 1.
        start, end: the bytes of the file (UTF-8) that are replaced.
        old, new: what stands there and what takes its place.
        kind: the operator, such as ``compare``.
    """

    path: str
    line: int
    start: int
    end: int
    old: str
    new: str
    kind: str

    @property
    def name(self) -> str:
        """A name that is the same in every run."""
        return f"{self.path}:{self.line}:{self.start}:{self.kind}"

    def applied(self, source: bytes) -> bytes:
        """The file with the change."""
        assert source[self.start : self.end].decode() == self.old, f"{self.name}: the file has changed"
        return source[: self.start] + self.new.encode() + source[self.end :]


def mutants_of(root: Path, path: Path) -> list[Mutant]:
    """All mutants of a file that still compile."""
    source = path.read_bytes()
    found = _Finder(source, str(path.relative_to(root)))
    found.visit(ast.parse(source))
    return [each for each in found.mutants if _compiles(each.applied(source))]


def sample(root: Path, folders: list[str], size: int, seed: int) -> list[Mutant]:
    """So many mutants of the Python files below these folders, each equally likely, in a seeded order."""
    everything = [
        mutant
        for folder in folders
        for path in sorted((root / folder).rglob("*.py") if (root / folder).is_dir() else [root / folder])
        for mutant in mutants_of(root, path)
    ]
    return random.Random(seed).sample(everything, min(size, len(everything)))  # noqa: S311 - a sample


def _compiles(source: bytes) -> bool:
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


class _Finder(ast.NodeVisitor):
    """Walks the bodies of functions; what runs at import has no test of its own."""

    def __init__(self, source: bytes, path: str) -> None:
        self._source, self._path = source, path
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self._starts = starts
        self._inside = 0
        self.mutants: list[Mutant] = []

    def _add(self, kind: str, line: int, start: int, end: int, new: str) -> None:
        old = self._source[start:end].decode()
        if old != new:
            self.mutants.append(Mutant(self._path, line, start, end, old, new, kind))

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def _text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self._span(node)
        return self._source[start:end].decode()

    def _whole(self, kind: str, node: ast.expr | ast.stmt, new: str) -> None:
        self._add(kind, node.lineno, *self._span(node), new)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._inside += 1
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        for statement in body:
            self.visit(statement)
        self._inside -= 1

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Words of messages are no behaviour, and the places inside an f-string are not those of the file."""

    def generic_visit(self, node: ast.AST) -> None:
        if self._inside:
            self._mutate(node)
        super().generic_visit(node)

    def _mutate(self, node: ast.AST) -> None:  # noqa: PLR0912 - a case an operator
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                new = f"{self._text(left)} {_COMPARED[type(operator)]} {self._text(right)}"
                self._whole("compare", node, new)
            case ast.BoolOp(op=ast.And(), values=values):
                self._whole("and", node, " or ".join(f"({self._text(value)})" for value in values))
            case ast.BoolOp(op=ast.Or(), values=values):
                self._whole("or", node, " and ".join(f"({self._text(value)})" for value in values))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._whole("not", node, f"bool({self._text(operand)})")
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _COMBINED:
                new = f"{self._text(left)} {_COMBINED[type(operator)]} {self._text(right)}"
                self._whole("arithmetic", node, new)
            case ast.Constant(value=bool() as value):
                self._whole("constant", node, str(not value))
            case ast.Constant(value=int() | float() as value):
                self._whole("constant", node, repr(value + 1))
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                self._whole("condition", test, f"not ({self._text(test)})")
            case ast.Return(value=ast.expr() as value) if not _is_none(value):
                self._whole("return", value, "None")
            case ast.Raise():
                self._whole("raise", node, "pass")
            case ast.Expr(value=ast.Call() | ast.Await()):
                self._whole("call", node, "pass")
            case ast.Continue():
                self._whole("continue", node, "break")
            case ast.Break():
                self._whole("break", node, "continue")


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def count(mutants: list[Mutant]) -> Iterator[str]:
    """A line for each operator: how many."""
    for kind in sorted({mutant.kind for mutant in mutants}):
        yield f"{kind}: {sum(mutant.kind == kind for mutant in mutants)}"
