"""Templates to pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scripts.replicas.common import Exchange
from scripts.replicas.gesetze_example.figures import HOST, RECORDED_AT

HERE = Path(__file__).parent
_ENVIRONMENT = Environment(
    loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)


def render(template: str, title: str, *, charset: str = "utf-8", **values: Any) -> bytes:
    """A page's bytes in its charset."""
    html = _ENVIRONMENT.get_template(template).render(title=title, charset=charset, **values)
    return html.encode("cp1252" if charset == "ISO-8859-1" else charset)


def html_exchange(path: str, template: str, title: str, *, charset: str = "utf-8", **values: Any) -> Exchange:
    """A page that is asked for by GET and that search finds; other charsets are named in the page only."""
    return Exchange(
        HOST + path,
        render(template, title, charset=charset, **values),
        "text/html; charset=utf-8" if charset == "utf-8" else "text/html",
        page_title=f"{title} - Landesrecht Nordmark",
        recorded_at=RECORDED_AT,
    )
