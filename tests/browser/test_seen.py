"""Words that nobody sees, or reads in a row, are no evidence, however they are hidden; words that are seen are."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Site
from tests.kit.marks import nightly
from verifaible.browser.page import watched
from verifaible.browser.page.session import PageSession
from verifaible.browser.warm import Browser
from verifaible.errors import NotReproducible, PageNotLoaded
from verifaible.evidence.mark import draw
from verifaible.evidence.observe import Observed, observe
from verifaible.evidence.place import place
from verifaible.net.web import Web
from verifaible.schema.anchor import AnchorRequest, Rect

QUOTE = "The vacancy rate was 5.33% in May."
FILLER = "<p>" + "Other words stand here. " * 8 + "</p>"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 80)


async def looked_at(session: PageSession, url: str, quote: str) -> tuple[str, ...]:
    """The words of a quote that nobody sees."""
    request = AnchorRequest(quote=quote)
    return await looked_again(session, await observe(session, url, (), request), request)


async def looked_again(session: PageSession, observed: Observed, request: AnchorRequest) -> tuple[str, ...]:
    """The same on a page that is open."""
    found = place(observed.material, request)
    assert found.verdict == "verified", found
    _, drawn = await draw(session, observed.material, found)
    assert drawn.words is not None
    return (await drawn.words.unseen()).hidden


@pytest.mark.parametrize(
    "kinds",
    [
        ("mask", "blend", "clamp", "blur", "plain", "turning", "painted", "scrolled"),
        nightly(("gradient", "discs", "dark", "small")),
    ],
    ids=["each way", "other forms"],
)
async def test_hidden_words_are_found_and_shown_ones_are_not(
    site: Site, browser: Browser, live_web: Web, kinds: tuple[str, ...]
) -> None:
    parts = {
        "mask": ("mask-image:linear-gradient(transparent,transparent)", False),
        "blend": ("background:#fff;color:#fff;mix-blend-mode:lighten", False),
        "gradient": ("background:linear-gradient(90deg,#36c,#36c);color:#36c", False),
        "clamp": ("height:1.2em;overflow:hidden;padding-top:0;line-height:3.4em;width:500px", False),
        "blur": ("filter:blur(14px)", False),
        "discs": ("-webkit-text-security:disc", False),
        "plain": ("", True),
        "dark": ("background:#000;color:#fff", True),
        "small": ("font-size:11px;color:#555", True),
        "turning": ("animation:b 1s infinite alternate", True),
        "painted": ("background:linear-gradient(#c00,#900);background-clip:text;color:transparent", True),
    }
    style = "<style>@keyframes b {from {color:#000} to {color:#060}} p {font:16px/1.4 sans-serif}</style>"
    boxes = "".join(
        f'<p style="{css}">Of kind {name} the rate was 5.33% then.</p>{FILLER}'
        for name, (css, _) in parts.items()
        if name in kinds
    )
    scrolled = (
        f'<div style="height:60px;width:300px;overflow:auto">{FILLER * 3}'
        "<p>Of kind scrolled the rate was 5.33% then.</p></div>"
    )
    url = site.html("/page", style + boxes + scrolled)
    parts["scrolled"] = ("", True)
    shown = {}
    async with browser.page(live_web) as session:
        for name in kinds:
            try:
                hidden = await looked_at(session, url, f"Of kind {name} the rate was 5.33% then.")
            except AssertionError:  # it is not even read
                hidden = (name,)
            shown[name] = not hidden
    assert shown == {name: parts[name][1] for name in kinds}


async def test_a_frame_of_no_opacity_hides_its_words(site: Site, browser: Browser, live_web: Web) -> None:
    site.html("/inner", f"<p>{QUOTE}</p>")
    url = site.html("/page", f'{FILLER}<iframe src="/inner" style="opacity:0;width:600px"></iframe>')
    async with browser.page(live_web) as session:
        observed = await observe(session, url, (), AnchorRequest(quote=QUOTE))
        if place(observed.material, AnchorRequest(quote=QUOTE)).verdict == "verified":
            assert await looked_again(session, observed, AnchorRequest(quote=QUOTE))


@pytest.mark.parametrize(
    ("body", "apart"),
    [
        pytest.param(
            '<p style="display:flex"><span>The rate was </span><span style="order:2">not 5.33%</span>'
            '<span style="order:1;width:400px">high: </span><span style="order:3">in May.</span></p>',
            True, id="flex-order",
        ),
        pytest.param(
            '<p style="display:grid"><span style="grid-row:9">The rate was </span>'
            '<span style="grid-row:1">not 5.33%</span><span>high: </span><span>in May.</span></p>',
            True, id="grid-order",
        ),
        pytest.param(
            "<p><span>The rate was </span><b>not 5.33%</b><span>high: </span><i>in May.</i></p>",
            False, id="inline",
        ),
        pytest.param(
            '<p style="display:flex;flex-direction:row-reverse;gap:6px;justify-content:flex-end"><span>The rate was</span>'
            "<span>not high</span><span>in May.</span></p>",
            True, id="reversed",
        ),
        pytest.param(
            '<p>The rate was <bdo dir="rtl">91</bdo> in May.</p>',
            True, id="written backwards",
        ),
        pytest.param(
            '<p dir="rtl">The rate was <span>5.33</span> in May.</p>',
            False, id="a paragraph that runs to the left",
        ),
    ],
)  # fmt: skip
async def test_words_torn_apart_are_told(
    site: Site, browser: Browser, live_web: Web, body: str, apart: bool
) -> None:
    url = site.html("/page", FILLER + body)
    async with browser.page(live_web) as session:
        observed = await observe(session, url, (), AnchorRequest())
        words = await session.page.evaluate("document.querySelector('p:last-of-type').textContent")
        found = place(observed.material, AnchorRequest(quote=words))
        assert (found.verdict != "verified") == apart
        if not apart:
            assert await looked_again(session, observed, AnchorRequest(quote=words)) == ()


@pytest.mark.parametrize("fault", ["late", "unreadable"])
async def test_what_could_not_be_looked_at_is_not_accepted(
    site: Site, browser: Browser, live_web: Web, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    async def screenshot(session: PageSession, part: Rect, window: Rect | None = None) -> bytes:
        if fault == "late":
            raise PageNotLoaded("The screenshot did not answer within 30 s.")
        return b""

    monkeypatch.setattr(PageSession, "screenshot", screenshot)
    url = site.html("/page", f"<p>{QUOTE}</p>")
    async with browser.page(live_web) as session:
        with pytest.raises(PageNotLoaded if fault == "late" else NotReproducible):
            await looked_at(session, url, QUOTE)


@pytest.mark.parametrize(
    ("after", "hidden"),
    [
        pytest.param("<p>{quote}</p>", (), id="the same"),
        pytest.param('<p style="opacity:.01">{quote}</p>', ("all",), id="hidden"),
        pytest.param("<p>Other words now.</p>", None, id="other"),
    ],
)
async def test_words_that_are_drawn_anew_are_looked_at_anew(
    site: Site, browser: Browser, live_web: Web, after: str, hidden: tuple[str, ...] | None
) -> None:
    url = site.html("/page", f"<main><p>{QUOTE}</p></main>")
    async with browser.page(live_web) as session:
        observed = await observe(session, url, (), AnchorRequest(quote=QUOTE))
        _, drawn = await draw(
            session, observed.material, place(observed.material, AnchorRequest(quote=QUOTE))
        )
        assert drawn.words is not None
        await session.page.evaluate(
            "body => { document.querySelector('main').innerHTML = body }", after.format(quote=QUOTE)
        )
        if hidden is None:
            with pytest.raises(NotReproducible, match="could not be looked at"):
                await drawn.words.unseen()
        else:
            try:
                found = (await drawn.words.unseen()).hidden
            except NotReproducible:  # what is not read at all is not found anew
                found = ("all",)
            assert bool(found) is bool(hidden)


def drawing(inner: str) -> str:
    svg = f"%3Csvg xmlns='http://www.w3.org/2000/svg' width='60' height='20'%3E{inner}%3C/svg%3E"
    return f'src="data:image/svg+xml,{svg}"'


CELLS = {
    "Berth": ("<img alt=Larch {word}>", ()),
    "Flag": ("<img alt=Norway {corner}>", ()),
    "Blank": ("<img alt=Rowan {blank}>", ("[picture: Rowan]",)),
    "Beside": ("<img alt='' {blank}>Hazel", ()),
    "Paid": ("<input type=checkbox checked>", ()),
    "Wet": ("<input type=radio>", ()),
    "Note": ("<input>", ()),
    "Covered": ("<b><input type=checkbox><i></i></b>", ("[not checked]",)),
}


async def test_what_a_cell_shows_by_a_picture_or_a_field_is_seen(
    site: Site, browser: Browser, live_web: Web
) -> None:
    pictures = {
        "word": drawing("%3Ctext y='15'%3ELarch%3C/text%3E"),
        "corner": drawing("%3Crect width='6' height='6'/%3E"),
        "blank": drawing(""),
    }
    rows = "".join(f"<tr><th>{name}<td>{cell.format(**pictures)}" for name, (cell, _) in CELLS.items())
    style = "<style>b{position:relative}i{position:absolute;inset:-4px;background:#fff}</style>"
    url = site.html("/page", f"{style}<table><tr><th>Item<th>Shown{rows}</table>{FILLER}")
    told = {}
    async with browser.page(live_web) as session:
        for name in CELLS:
            request = AnchorRequest(evidence_type="table", row=(name,))
            told[name] = await looked_again(session, await observe(session, url, (), request), request)
    assert told == {name: hidden for name, (_, hidden) in CELLS.items()}
