"""The pages, list fragments and viewer documents of www.gongsi.example."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scripts.replicas.common import Exchange
from scripts.replicas.gongsi_example.filings import HERE, Company, Filing, companies, filings, nodes

ORIGIN = "https://www.gongsi.example"
HTML = "text/html; charset=UTF-8"
FORM = "application/x-www-form-urlencoded"
PAGE_SIZE = 10
KINDS = ("정기", "수시", "공정", "지분")
OLD_VIEWER = "/report/viewer_old.do?rcpNo=20091112000187"
ASSETS = (
    ("/css/gongsi.css", "gongsi.css", "text/css"),
    ("/css/viewer.css", "viewer.css", "text/css"),
    ("/css/doc.css", "doc.css", "text/css"),
    ("/js/search.js", "search.js", "application/javascript; charset=utf-8"),
    ("/js/viewer.js", "viewer.js", "application/javascript; charset=utf-8"),
    ("/images/logo.svg", "logo.svg", "image/svg+xml"),
)


def _data(name: str) -> Any:
    return json.loads((HERE / "data" / name).read_text(encoding="utf-8"))


def exchanges() -> Iterator[Exchange]:
    """Every exchange but the PDF, in a fixed order."""
    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    known, listed = companies(), filings()
    shared = {"companies": tuple(known.values()), "kinds": KINDS, "recent": listed[:12]}
    for path, template, title in (
        ("/", "home.html", "오늘의 공시"),
        ("/disclosure/list.do", "list.html", "공시서류검색"),
        ("/corp/list.do", "corps.html", "상장법인 현황"),
        ("/info/guide.do", "guide.html", "공시제도 안내"),
    ):
        html = env.get_template(template).render(title=title, **shared)
        yield Exchange(ORIGIN + path, html.encode(), HTML, page_title=f"{title} | 기업공시정보센터")
    for company in ("", *known):
        for kind in ("", *KINDS):
            yield from _results(env, listed, company, kind)
    for filing in listed:
        yield from _report(env, filing, known[filing.company], listed)
    # Only the meta element declares the charset, as on pages of that age.
    old = env.get_template("old.html").render(rows=_data("documents.json")["old"]).encode("euc-kr")
    yield Exchange(ORIGIN + OLD_VIEWER, old, "text/html", page_title="다솜뜰식품 증권발행실적보고서 (2009)")
    for path, name, content_type in ASSETS:
        yield Exchange(ORIGIN + path, (HERE / "static" / name).read_bytes(), content_type)


def _results(env: Environment, listed: Sequence[Filing], company: str, kind: str) -> Iterator[Exchange]:
    found = [one for one in listed if company in ("", one.company) and kind in ("", one.kind)]
    pages = max(1, -(-len(found) // PAGE_SIZE))
    for page in range(1, pages + 1):
        first = (page - 1) * PAGE_SIZE
        rows = [
            {"number": len(found) - first - offset, **_fields(one)}
            for offset, one in enumerate(found[first : first + PAGE_SIZE])
        ]
        html = env.get_template("fragment.html").render(
            rows=rows, page=page, pages=pages, total=len(found), company=company
        )
        asked = {"currentPage": page, "maxResults": PAGE_SIZE, "corpName": company, "reportKind": kind}
        yield Exchange(
            f"{ORIGIN}/disclosure/search.ax",
            html.encode(),
            HTML,
            method="POST",
            request_body=urlencode(asked).encode(),
            request_content_type=FORM,
        )


def _fields(filing: Filing) -> dict[str, str]:
    names = ("company", "market", "title", "filer", "note", "day", "url")
    return {name: str(getattr(filing, name)) for name in names}


def _report(
    env: Environment, filing: Filing, company: Company, listed: Sequence[Filing]
) -> Iterator[Exchange]:
    """The viewer of a filing, and each page that its frame can show.

    None has a title: search engines do not reach behind the list's POST requests.
    """
    contents = nodes(filing)
    bare = filing.title.removeprefix("[기재정정]")
    family = [
        one
        for one in listed
        if one.company == filing.company and one.title.removeprefix("[기재정정]") == bare
    ]
    corrected = len(family) > 1 and any("정정" in one.title for one in family) and filing.kind != "지분"
    html = env.get_template("viewer.html").render(
        f=filing, nodes=contents, family=family if corrected else ()
    )
    yield Exchange(ORIGIN + filing.url, html.encode(), HTML)
    texts = _data("documents.json")
    values = {
        "f": filing,
        "c": company,
        "s": _data("statements.json"),
        "sales": _data("sales.json"),
        "flash": texts.get(filing.document, []),
        **texts["contracts"].get(filing.document, {"contract": None, "correction": None}),
    }
    for node in contents:
        body = env.get_template("doc.html").render(node=node, **values)
        url = f"{ORIGIN}/report/viewer.do?rcpNo={filing.receipt}&eleId={node.ele}"
        yield Exchange(url, body.encode(), HTML)
