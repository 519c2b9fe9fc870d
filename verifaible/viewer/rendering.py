"""Pages of the viewer: templates, everything that is not ours escaped."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, Response

from verifaible.evidence.bundle import utc
from verifaible.evidence.report import SIGNS, TELLING, language_of
from verifaible.evidence.shown import clock
from verifaible.judge.results import LABELS
from verifaible.reporting.pages import templates_of

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.requests import Request

#: The style sheets of the viewer, in this order: that of all evidence pages, and its own.
_STYLES = (
    ("verifaible.reporting", "templates/page.css"),
    ("verifaible.evidence", "templates/marks.css"),
    ("verifaible.viewer", "static/viewer.css"),
    ("verifaible.viewer", "static/runs.css"),
    ("verifaible.viewer", "static/judged.css"),
    ("verifaible.viewer", "static/graphs.css"),
    ("verifaible.viewer", "static/chat.css"),
)
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_YEAR_S = 31_536_000


def page(request: Request, template: str, /, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page from ``templates/<template>``.

    A template has ``here`` (the address with other query values), and what all evidence pages have:
    ``utc``, ``clock``, ``signs``, ``telling``, ``language_of``.
    """
    text = part(request, template, **values)
    # The name of a file may hold halves of characters, which no page can show.
    return HTMLResponse(text.encode(errors="replace"), status)


def part(request: Request, template: str, /, **values: Any) -> str:
    """What ``templates/<template>`` draws; see :func:`page`."""

    def here(**changed: object) -> str:
        query = {**request.query_params, **changed}
        kept = {name: value for name, value in query.items() if value not in (None, "")}
        return f"{request.url.path}?{urlencode(kept)}" if kept else request.url.path

    return (
        _environment()
        .get_template(template)
        .render(
            here=here,
            path=request.url.path,
            styles=asset_address("viewer.css"),
            scripts=asset_address("viewer.js"),
            icon=asset_address("icon.svg"),
            **values,
        )
    )


def asset_address(name: str) -> str:
    """The address of a file of ours, which changes with its content."""
    return f"/static/{name}?v={hashlib.sha256(_asset(name)).hexdigest()[:12]}"


async def asset(request: Request) -> Response:
    """A style sheet, script or icon of ours."""
    name = request.path_params["name"]
    try:
        data = _asset(name)
    except FileNotFoundError:
        return Response(status_code=404)
    kind = _TYPES.get(name[name.rfind(".") :], "application/octet-stream")
    kept = f"public, max-age={_YEAR_S}, immutable" if "v" in request.query_params else "no-cache"
    return Response(data, media_type=kind, headers={"Cache-Control": kept})


@cache
def _asset(name: str) -> bytes:
    if name == "viewer.css":
        return b"\n".join(files(package).joinpath(path).read_bytes() for package, path in _STYLES)
    folder = files("verifaible.viewer") / "static"
    for entry in folder.iterdir():
        if entry.name == name:
            return entry.read_bytes()
    raise FileNotFoundError(name)


@cache
def _environment() -> Environment:
    environment = templates_of("verifaible.viewer", "verifaible.evidence")
    environment.filters["size"] = size
    environment.globals.update(
        utc=utc,
        clock=clock,
        language_of=language_of,
        signs=SIGNS,
        telling=TELLING,
        labels=LABELS,
    )
    return environment


def size(count: int) -> str:
    """A number of bytes for people."""
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:.0f} KiB" if count < 1024**2 else f"{count / 1024**2:.1f} MiB"
