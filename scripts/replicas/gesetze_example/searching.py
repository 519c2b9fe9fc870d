"""The search for decisions: a form that posts its state back, as old ASP.NET sites do."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from scripts.replicas.common import Exchange
from scripts.replicas.gesetze_example.figures import COURTS, HOST, RECORDED_AT, decisions
from scripts.replicas.gesetze_example.rendering import html_exchange, render

PATH = "/Entscheidungen/Suche.aspx"
PAGE_SIZE = 8


def exchanges() -> Iterator[Exchange]:
    """The first page, then for every court the search itself and each page of its list."""
    yield html_exchange(PATH, "search.html", "Entscheidungssuche", **_values("", 1))
    keys = ("", *(court[0] for court in COURTS))
    for key in keys:
        # The button sends the state of the page it stands on: any list before, or the same.
        for before in keys:
            yield _posted({**_form(before, key), "btnSuchen": "Suchen"}, key, 1)
        for page in range(1, _pages(key) + 1):
            yield _posted(_form(key, key, "grdTreffer", f"Page${page}"), key, page)


def _form(state: str, key: str, target: str = "", argument: str = "") -> dict[str, str]:
    """What the form sends, in the order of its fields."""
    return {
        "__VIEWSTATE": _state(state),
        "__EVENTTARGET": target,
        "__EVENTARGUMENT": argument,
        "gericht": key,
    }


def _posted(form: dict[str, str], key: str, page: int) -> Exchange:
    return Exchange(
        HOST + PATH,
        render("search.html", "Entscheidungssuche", **_values(key, page)),
        "text/html; charset=utf-8",
        method="POST",
        request_body=urlencode(form).encode(),
        request_content_type="application/x-www-form-urlencoded",
        recorded_at=RECORDED_AT,
    )


def _state(key: str) -> str:
    """The hidden state: it names the court, not the page."""
    return base64.b64encode(f"/wEPDwUKLTM4{key or 'alle'}9kZGQnordmark".encode()).decode()


def _found(key: str) -> list[tuple[str, str, str, str]]:
    name = next((court for other, court in COURTS if other == key), "")
    return [
        (one.written, one.court, one.number, one.subject) for one in decisions() if name in ("", one.court)
    ]


def _pages(key: str) -> int:
    return -(-len(_found(key)) // PAGE_SIZE)


def _values(key: str, page: int) -> dict[str, Any]:
    found = _found(key)
    return {
        "state": _state(key),
        "courts": COURTS,
        "chosen": key,
        "rows": found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE],
        "total": len(found),
        "page": page,
        "pages": _pages(key),
    }
