"""Answers: what a page shows is read once; a template draws it, and behind ``.json`` it is data."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast
from urllib.parse import quote, urlencode

from markupsafe import Markup
from pydantic_core import to_jsonable_python
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from verifaible.client import Verifaible
from verifaible.config import Settings
from verifaible.evidence.bundle import utc
from verifaible.evidence.report import SIGNS, TELLING
from verifaible.evidence.shown import clock
from verifaible.reporting.pages import templates_of
from verifaible.store.store import Store
from verifaible.text.language import language_of
from verifaible.viewer.claims import LOOKS, MAX_DRAWN_CHARS, figure, shares_of
from verifaible.viewer.marked import NUMBERS
from verifaible.viewer.text import size, visible, web_link

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.requests import Request

T = TypeVar("T")
#: Reads what a page shows: records by the names that the template has for them, which are those of the JSON.
#: It runs in a thread, over the store as it is at one time.
Reader: TypeAlias = "Callable[[Viewer, Request], Mapping[str, object]]"

#: The style sheets of the viewer, in this order: that of all evidence pages, and its own.
_STYLES = (
    ("verifaible.reporting", "templates/page.css"),
    ("verifaible.evidence", "templates/marks.css"),
    *(("verifaible.viewer", f"static/{name}.css") for name in ("viewer", "runs", "judged", "graphs", "chat")),
)
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_MOST_DIGITS = 9


@dataclass(slots=True)
class Viewer:
    """What the pages work with.

    Attributes:
        settings: limits and paths.
        store: where the citations are.
        client: what the buttons do.
        browsing: held by whoever uses a browser, of which there is one.
    """

    settings: Settings
    store: Store
    client: Verifaible
    browsing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))


def viewer_of(request: Request) -> Viewer:
    """The viewer that a request is served from."""
    return cast(Viewer, request.app.state.viewer)


async def read(viewer: Viewer, work: Callable[[], T]) -> T:
    """Do what reads the store or runs, without holding up other readers; it sees the store as it is now."""

    def working() -> T:
        with viewer.store.at_one_time():
            return work()

    return await asyncio.to_thread(working)


def page(path: str, template: str, reader: Reader, *, name: str = "") -> list[Route]:
    """The routes of a page: drawn, and as data."""

    async def shown(request: Request) -> Mapping[str, object]:
        viewer = viewer_of(request)
        return await read(viewer, lambda: reader(viewer, request))

    async def drawn(request: Request) -> Response:
        return html(request, template, await shown(request), has_data=True)

    async def data(request: Request) -> Response:
        return JSONResponse(as_data(await shown(request)))

    return [Route(f"{path if path != '/' else '/home'}.json", data), Route(path, drawn, name=name or None)]


def as_data(shown: object) -> Any:
    """What a page shows as JSON: fields by their names, times in ISO 8601, decimal numbers as texts."""
    return to_jsonable_python(shown, inf_nan_mode="null", fallback=str)


def html(
    request: Request,
    template: str,
    shown: Mapping[str, object] = MappingProxyType({}),
    *,
    status: int = 200,
    has_data: bool = False,
) -> HTMLResponse:
    """A page from ``templates/<template>``, whose variables are what it shows.

    It also has ``here`` (this address with other query values), and what all evidence pages have: ``utc``,
    ``clock``, ``signs``, ``telling``, ``language_of``; and the tables of how claims and numbers stand.
    """
    path, own = request.url.path, quote(request.url.path)

    def here(**changed: object) -> str:
        return address(own, {**request.query_params, **changed})

    text = (
        _environment()
        .get_template(template)
        .render(
            here=here,
            path=path,
            asked=request.query_params,
            data=address(f"{path if path != '/' else '/home'}.json", request.query_params)
            if has_data
            else "",
            **shown,
        )
    )
    return HTMLResponse(text, status)


def address(path: str, query: Mapping[str, object]) -> str:
    """A path with those values of a query that are not empty."""
    kept = {name: value for name, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(kept)}" if kept else path


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """A page of a list: its items, the number of all, how many come before it, and how many fit on it."""

    items: tuple[T, ...]
    total: int
    start: int
    most: int

    @classmethod
    def of(cls, request: Request, found: Sequence[T], most: int) -> Part[T]:
        """The page that an address asks for with ``from``."""
        start = whole_number(request.query_params.get("from", ""))
        return cls(tuple(found[start : start + most]), len(found), start, most)

    def made(self, make: Callable[[T], Any]) -> Part[Any]:
        """The same with each item made into another."""
        return Part(tuple(map(make, self.items)), self.total, self.start, self.most)


def whole_number(text: str) -> int:
    """The number that an address or a form gives in digits; 0 for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0


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
    kept = "public, max-age=31536000, immutable" if "v" in request.query_params else "no-cache"
    return Response(data, media_type=kind, headers={"Cache-Control": kept})


@cache
def _asset(name: str) -> bytes:
    if name == "viewer.css":
        return b"\n".join(files(package).joinpath(path).read_bytes() for package, path in _STYLES)
    for entry in (files("verifaible.viewer") / "static").iterdir():
        if entry.name == name:
            return entry.read_bytes()
    raise FileNotFoundError(name)


@cache
def _environment() -> Environment:
    environment = templates_of("verifaible.viewer", "verifaible.evidence")
    # Whatever a page is given of others: nothing in it is obeyed.
    environment.finalize = lambda value: (
        visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
    )
    environment.filters.update(size=size, number="{:,}".format, web_link=web_link, visible=visible)
    environment.globals.update(
        utc=utc,
        clock=clock,
        language_of=partial(language_of, ""),
        signs=SIGNS,
        telling=TELLING,
        asset=asset_address,
        looks=LOOKS,
        status_names={status: name for status, (_, _, name) in LOOKS.items()},
        numbers=NUMBERS,
        figure=figure,
        shares_of=shares_of,
        most_drawn=MAX_DRAWN_CHARS,
    )
    return environment
