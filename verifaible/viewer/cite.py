"""``/cite``: a form that makes a citation, and the bookmark that fills it in from a page one reads.

A link fills the form in and does nothing more; the citation is made by its button, which only a page of this
viewer can press (:class:`verifaible.access.ViewerAccess`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from verifaible.errors import VerifaibleError
from verifaible.viewer.respond import html, viewer_of

if TYPE_CHECKING:
    from starlette.requests import Request

#: What the form asks for; the names are those of :meth:`verifaible.client.Verifaible.cite`.
FIELDS = ("url", "quote", "claim", "near")


def cite_routes() -> list[Route]:
    """The routes of the form."""
    return [Route("/cite", form, name="cite"), Route("/cite", cite, methods=["POST"])]


async def form(request: Request) -> Response:
    """The form, filled in with what the address gives."""
    return _form(request, {name: request.query_params.get(name, "") for name in FIELDS})


async def cite(request: Request) -> Response:
    """Make the citation and show it; else the form again, with the sentence that says why there is none."""
    async with request.form() as given:
        asked = {name: str(given.get(name, "")).strip() for name in FIELDS}
    viewer = viewer_of(request)
    try:
        async with viewer.browsing:
            made = await viewer.client.cite(
                asked["url"], quote=asked["quote"], claim=asked["claim"], near=asked["near"]
            )
    except VerifaibleError as error:
        return _form(request, asked, str(error))
    return RedirectResponse(f"/citations/{made.id}", 303)


def _form(request: Request, asked: dict[str, str], fault: str = "") -> Response:
    here = f"{request.url.scheme}://{request.url.netloc}/cite"
    bookmark = (
        f"javascript:open('{here}?url='+encodeURIComponent(location.href)"
        "+'&quote='+encodeURIComponent(getSelection()))"
    )
    shown = {"given": asked, "fault": fault, "bookmark": bookmark}
    return html(request, "cite.html", shown, status=422 if fault else 200)
