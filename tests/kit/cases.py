"""Rows of a suite as the parameters of a test."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kit import suites


def cases(name: str, kind: str, *, tuples: bool = False) -> pytest.MarkDecorator:
    """Run a test once for each row of that kind; its arguments are the keys of ``input`` and ``expect``.

    The text of a ``file`` is called ``page``. Lists become tuples where ``tuples`` says so.
    """
    rows = suites.load(name, kind=kind)
    given = [_arguments(row) for row in rows]
    names = tuple(given[0])
    parameters = []
    for row, values in zip(rows, given, strict=True):
        if set(values) != set(names):
            raise suites.SuiteError(f"{name}: row {row.id!r} has not the keys {names}")
        parameters.append(
            pytest.param(*(_tuples(values[each]) if tuples else values[each] for each in names), id=row.id)
        )
    return pytest.mark.parametrize(names, parameters)


def _arguments(row: suites.Row) -> dict[str, Any]:
    given = row.input | row.expect
    if "file" in given:
        page = (suites.ROOT / given.pop("file")).read_text(encoding="utf-8")
        return {"page": page, **given}
    return given


def _tuples(value: Any) -> Any:
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value
