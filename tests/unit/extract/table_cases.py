"""Tables whose Markdown must be complete and aligned: a generated suite of spans, heads, feet and nests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableCase:
    """Markup of a table, and the grid that a reader sees: rows of words, spanned ones repeated."""

    name: str
    html: str
    grid: tuple[tuple[str, ...], ...]


def _rows(*rows: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row.split()) for row in rows)


_HEAD = "<tr><th>Name<th>One<th>Two<th>Three"
#: Body rows by markup, and the grid below the heads Name, One, Two, Three.
_BODIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "plain": ("<tr><td>a<td>1<td>2<td>3<tr><td>b<td>4<td>5<td>6", ("a 1 2 3", "b 4 5 6")),
    "rowspan": ("<tr><td rowspan=2>a<td>1<td>2<td>3<tr><td>4<td>5<td>6", ("a 1 2 3", "a 4 5 6")),
    "rowspan 3": (
        "<tr><td rowspan=3>a<td>1<td>2<td>3<tr><td>4<td>5<td>6<tr><td>7<td>8<td>9",
        ("a 1 2 3", "a 4 5 6", "a 7 8 9"),
    ),
    "rowspan last": ("<tr><td>a<td>1<td>2<td rowspan=2>3<tr><td>b<td>4<td>5", ("a 1 2 3", "b 4 5 3")),
    "rowspan middle": ("<tr><td>a<td rowspan=2>1<td>2<td>3<tr><td>b<td>5<td>6", ("a 1 2 3", "b 1 5 6")),
    "rowspan zero": ("<tr><td rowspan=0>a<td>1<td>2<td>3<tr><td>4<td>5<td>6", ("a 1 2 3", "a 4 5 6")),
    "rowspan too long": ("<tr><td rowspan=99>a<td>1<td>2<td>3<tr><td>4<td>5<td>6", ("a 1 2 3", "a 4 5 6")),
    "colspan": ("<tr><td>a<td colspan=2>1<td>3<tr><td>b<td>4<td>5<td>6", ("a 1 1 3", "b 4 5 6")),
    "colspan all": ("<tr><td colspan=4>note<tr><td>b<td>4<td>5<td>6", ("note note note note", "b 4 5 6")),
    "both": (
        "<tr><td rowspan=2 colspan=2>a<td>2<td>3<tr><td>5<td>6<tr><td>c<td>7<td>8<td>9",
        ("a a 2 3", "a a 5 6", "c 7 8 9"),
    ),
    "stairs": (
        "<tr><td rowspan=2>a<td>1<td>2<td>3<tr><td rowspan=2>4<td>5<td>6<tr><td>c<td>8<td>9",
        ("a 1 2 3", "a 4 5 6", "c 4 8 9"),
    ),
    "two groups": (
        "<tbody><tr><td rowspan=5>a<td>1<td>2<td>3<tr><td>4<td>5<td>6<tbody><tr><td>b<td>7<td>8<td>9",
        ("a 1 2 3", "a 4 5 6", "b 7 8 9"),
    ),
    "row heads": (
        "<tr><th scope=row>a<td>1<td>2<td>3<tr><th scope=row>b<td>4<td>5<td>6",
        ("a 1 2 3", "b 4 5 6"),
    ),
    "marked words": (
        "<tr><td><b>a</b><td>1<i></i><td><a href=/x></a>2<td><span>3</span><tr><td>b<td>4<td>5<td>6",
        ("a 1 2 3", "b 4 5 6"),
    ),
    "breaks": ("<tr><td>a<br><td>1<td>\n 2 \n<td><p>3</p><tr><td>b<td>4<td>5<td>6", ("a 1 2 3", "b 4 5 6")),
    "hidden row": (
        "<tr><td>a<td>1<td>2<td>3<tr hidden><td>x<td>x<td>x<td>x<tr><td>b<td>4<td>5<td>6",
        ("a 1 2 3", "b 4 5 6"),
    ),
    "three cells": ("<tr><td rowspan=2>a<td>1<td rowspan=2>2<td>3<tr><td>4<td>6", ("a 1 2 3", "a 4 2 6")),
    "signs": ("<tr><td>a<td>−1.5%<td>¥2<td>3*<tr><td>b<td>(4)<td>5†<td>~6", ("a −1.5% ¥2 3*", "b (4) 5† ~6")),
}
#: How the head is written, and what stands above each column.
_HEADS: dict[str, tuple[str, str]] = {
    "th": (_HEAD, "Name One Two Three"),
    "thead": (
        "<thead><tr><td>Name<td>One<td>Two<td>Three</thead>",
        "Name One Two Three",
    ),
    "two levels": (
        "<thead><tr><th rowspan=2>Name<th colspan=2>Old<th>New<tr><th>One<th>Two<th>Three</thead>",
        "Name Old/One Old/Two New/Three",
    ),
    "three levels": (
        "<thead><tr><th rowspan=3>Name<th colspan=3>All<tr><th colspan=2>Old<th>New<tr><th>One<th>Two<th>Three</thead>",
        "Name All/Old/One All/Old/Two All/New/Three",
    ),
}


def cases() -> list[TableCase]:
    """Every head with every body."""
    return [
        TableCase(
            f"{head}, {body}",
            f"<table>{head_html}{body_html}</table>",
            _rows(heads, *rows),
        )
        for head, (head_html, heads) in _HEADS.items()
        for body, (body_html, rows) in _BODIES.items()
    ]
