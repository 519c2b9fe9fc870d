"""Suggested selectors: each finds its element alone, and finds it again in a new session.

The fixture pages make up ids, class names and order of counters anew on every load, as frameworks do.
Which element is which is known by its place among those of its tag, which stays the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.browser.conftest import Answer, Site
from verifaible.browser.analysis.analyze import Analysis, analyze
from verifaible.browser.analysis.controls import Control
from verifaible.browser.page.session import PageSession
from verifaible.browser.warm import Browser
from verifaible.net.web import Web


@dataclass
class Made:
    """Names that are new on every load."""

    random: random.Random

    def hashed(self, length: int = 6) -> str:
        return "".join(self.random.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(length))

    def letters(self, length: int = 7) -> str:
        return "".join(
            self.random.choice("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(length)
        )

    def order(self, count: int) -> list[int]:
        return self.random.sample(range(1, count + 1), count)


def framework_counters(made: Made) -> str:
    """Ids counted up by a framework, in another order each time; labels and names are the author's."""
    numbers = made.order(8)
    fields = "".join(
        f'<label for="input-{n}">{label}</label><input id="input-{n}" name="{name}">'
        for n, (label, name) in zip(
            numbers, [("City", "city"), ("Year", "year"), ("Month", "month"), ("Unit", "unit")], strict=False
        )
    )
    tabs = "".join(
        f'<div role="tab" id="ui-id-{n}">{text}</div>'
        for n, text in zip(numbers[4:], ["Daily", "Weekly", "Yearly"], strict=False)
    )
    return f"<form id='query'>{fields}<button id='btn-{numbers[7]}'>Query</button></form><div>{tabs}</div>"


def hashed_classes(made: Made) -> str:
    """CSS modules, styled-components, emotion, svelte."""
    row = "".join(
        f'<button class="Button_root__{made.hashed(5)} css-{made.hashed(7)}">{text}</button>'
        for text in ("Save draft", "Publish", "Discard")
    )
    links = "".join(
        f'<a href="#" class="sc-{made.letters(6)} {made.letters(6)}">{text}</a>'
        for text in ("First view", "Second view")
    )
    return f'<div class="svelte-{made.hashed(6)} toolbar">{row}</div><div class="{made.letters(8)}">{links}</div><span class="jss{made.random.randint(1, 999)}" onclick="go()">Open map</span>'


def react_ids(made: Made) -> str:
    numbers = made.order(6)
    return (
        f'<div><label id=":r{numbers[0]}:-label" for=":r{numbers[0]}:">Start</label><input id=":r{numbers[0]}:" type="text"></div>'
        f'<div><input id="react-select-{numbers[1]}-input" aria-label="Market"></div>'
        f'<div><input id="mui-{numbers[2]}" placeholder="Search by code"></div>'
        f'<button id="headlessui-menu-button-{numbers[3]}" aria-haspopup="true">Options</button>'
        f'<button id="radix-:r{numbers[4]}:" data-state="closed">Filter</button>'
        f'<div id="rc_select_{numbers[5]}" role="combobox" aria-label="Exchange">All</div>'
    )


def server_random(made: Made) -> str:
    """A server that makes up every id."""
    return "".join(
        f'<div id="{made.hashed(8)}" class="field"><span>{label}</span><input id="f{made.hashed(5)}" name="{name}"><button id="b-{made.letters(7)}" type="button">Clear {label}</button></div>'
        for label, name in (("price", "price"), ("volume", "volume"), ("turnover", "turnover"))
    )


def nameless(made: Made) -> str:
    """Nothing to hold on to but where things stand."""
    rows = "".join(
        f'<tr><td>{name}</td><td><button id="r{made.hashed(6)}">Details</button></td><td><input></td></tr>'
        for name in ("gold", "silver", "tin")
    )
    return f'<section class="holdings"><table><tbody>{rows}</tbody></table></section><p><input><input></p>'


def shadow(made: Made) -> str:
    """The same component three times, with open shadow roots, and one nested in another."""
    return f"""
<x-field data-name="open"></x-field><x-field data-name="close"></x-field><x-field id="{made.hashed(7)}"></x-field><x-outer></x-outer>
<script>
customElements.define("x-field", class extends HTMLElement {{ connectedCallback() {{
  this.attachShadow({{ mode: "open" }}).innerHTML = `<div><input class="box"><button>Pick</button></div>`; }} }});
customElements.define("x-outer", class extends HTMLElement {{ connectedCallback() {{
  this.attachShadow({{ mode: "open" }}).innerHTML = `<x-field></x-field><button class="apply">Apply</button>`; }} }});
</script>"""


def stateful(made: Made) -> str:
    """Classes that say what is active now, another one each time."""
    active = made.random.randint(0, 2)
    return (
        "<ul class='tabs'>"
        + "".join(
            f'<li class="tab{" active is-selected" if index == active else ""}" onclick="x()">{text}</li>'
            for index, text in enumerate(("Bonds", "Stocks", "Funds"))
        )
        + "</ul>"
        + "".join(
            f'<label><input type="radio" name="period" value="{value}"{" checked" if value == "week" else ""}>{value}</label>'
            for value in ("day", "week", "month")
        )
    )


def authored(made: Made) -> str:
    """Ids and test ids that an author chose."""
    token = made.hashed(24)
    return f"""<form id="login-form"><input type="hidden" name="csrf" value="{token}"><input id="user" name="user"><input id="password" type="password" name="password">
<button type="submit" data-testid="sign-in">Sign in</button></form>
<select id="market_select" data-token="{token}"><option>SH</option></select><textarea name="note"></textarea>
<div contenteditable="true" class="editor">x</div><a href="#top" class="js-top">Top</a><a href="/reports/{made.hashed(12)}">Report</a><a href="/about">About</a>"""


def utilities(made: Made) -> str:
    """Utility classes only, and the same words twice."""
    return """<div class="flex px-4"><button class="px-4 py-2 bg-blue-500">Search</button><button class="px-4 py-2 bg-gray-500">Reset</button></div>
<div class="grid mt-2"><div class="p-2"><h3>Rates</h3><button class="px-2">More</button></div><div class="p-2"><h3>News</h3><button class="px-2">More</button></div></div>"""


def built_by_script(made: Made) -> str:
    """A client-side application: nothing of it in the HTML as delivered."""
    names = [made.hashed(6) for _ in range(4)]
    return f"""<div id="app"></div><script>
document.getElementById("app").innerHTML = `
  <div class="search-panel"><input id="{names[0]}" placeholder="Keyword"><input id="v-{names[1]}"><button id="{names[2]}" class="el-button">Find</button></div>
  <div class="results"><div class="card" onclick="a()">Alpha</div><div class="card" onclick="b()">Beta</div><select id="sort-{names[3]}"><option>Date</option></select></div>`;
</script>"""


def ads(made: Made) -> str:
    """What stands before the rest is another number of boxes each time."""
    before = "".join(
        f'<div class="ad-{made.hashed(5)}"><p>Advertisement</p></div>'
        for _ in range(made.random.randint(0, 4))
    )
    return (
        before
        + """<main><form class="filter"><input name="from"><input name="to"><button>Go</button></form>
<div class="pager-bar"><span onclick="n()">Later</span></div></main>"""
    )


PAGES: list[Callable[[Made], str]] = [
    framework_counters,
    hashed_classes,
    react_ids,
    server_random,
    nameless,
    shadow,
    stateful,
    authored,
    utilities,
    built_by_script,
    ads,
]


def serve(site: Site, first_seed: int = 1) -> dict[str, str]:
    """The fixture pages, other on every load; each page's URL by name."""
    seeds = iter(range(first_seed, first_seed + 10_000))

    def answer(build: Callable[[Made], str]) -> Callable[[str, bytes], Answer]:
        def page(_: str, __: bytes) -> Answer:
            body = build(Made(random.Random(next(seeds))))
            return (
                200,
                {"content-type": "text/html; charset=utf-8"},
                f"<!doctype html><title>x</title>{body}",
            )

        return page

    for build in PAGES:
        site.pages[f"/{build.__name__}"] = answer(build)
    return {build.__name__: f"{site.url}/{build.__name__}" for build in PAGES}


async def identify(session: PageSession, selector: str) -> tuple[int, str]:
    """How many elements a selector finds, and what the one is: tag, text and name without what is made up."""
    found = session.page.locator(selector)
    count = await found.count()
    return count, await found.evaluate(IDENTITY) if count == 1 else ""


#: An element's place among those of its kind, in the order of the document, which stays the same.
IDENTITY = """(element) => {
  const all = [];
  const walk = (root) => { for (const e of root.querySelectorAll("*")) { if (e.tagName === element.tagName) all.push(e); if (e.shadowRoot) walk(e.shadowRoot); } };
  walk(document);
  const main = document.querySelector("main");
  const own = main ? all.filter((e) => main.contains(e)) : all;
  return `${element.tagName} ${own.indexOf(element)}`;
}"""


async def check(urls: dict[str, str], web: Web, browser: Browser, runs: int) -> tuple[int, list[str]]:
    """How many suggested selectors were tried in new sessions, and those that failed there."""
    total = 0
    faults: list[str] = []
    for name, url in urls.items():
        async with browser.page(web) as session:
            await session.open(url)
            suggested = [
                (element.selector, await identify(session, element.selector))
                for element in (await analyze(session)).controls.elements
            ]
        assert suggested, name
        for _ in range(runs):
            async with browser.page(web) as session:
                await session.open(url)
                for selector, (count, identity) in suggested:
                    total += 1
                    then = await identify(session, selector)
                    if count != 1 or then != (1, identity):
                        faults.append(f"{name}: {selector} {(count, identity)} then {then}")
    return total, faults


@pytest.mark.nightly
async def test_selectors_are_unique_and_alive_in_a_new_session(
    site: Site, live_web: Web, browser: Browser
) -> None:
    total, faults = await check(serve(site), live_web, browser, 2)
    assert total >= 100
    assert len(faults) <= 0.02 * total, faults


def by(analysis: Analysis, **wanted: str) -> Control:
    (one,) = [
        each
        for each in analysis.controls.elements
        if all(getattr(each, key) == value for key, value in wanted.items())
    ]
    return one


async def test_what_names_an_element_best(site: Site, live_web: Web, browser: Browser) -> None:
    async with browser.page(live_web) as session:
        await session.open(serve(site)["authored"])
        analysis = await analyze(session)
    assert by(analysis, text="Sign in").selector == '[data-testid="sign-in"]'
    assert by(analysis, kind="select").selector == "#market_select"
    assert by(analysis, text="About").address.endswith("/about")
    assert by(analysis, text="Sign in").handler == "submits form #login-form"
    (form,) = analysis.controls.forms
    assert [field.name for field in form.fields] == ["user", "password"]
    assert form.hidden == ("csrf",)


async def test_elements_in_frames_and_shadow_roots_are_found(
    site: Site, live_web: Web, browser: Browser
) -> None:
    urls = serve(site)
    url = site.html(
        "/outer", f'<iframe id="inside" src="{urls["shadow"]}" width="600" height="400"></iframe>'
    )
    async with browser.page(live_web) as session:
        await session.open(url)
        analysis = await analyze(session)
        assert len(analysis.controls.elements) >= 9
        frame = session.page.frame_locator("#inside")
        for element in analysis.controls.elements:
            assert element.frame_path == ("#inside",)
            assert await frame.locator(element.selector).count() == 1, element.selector


async def test_clickable_without_markup_is_found(site: Site, live_web: Web, browser: Browser) -> None:
    """A div that a script listens to looks like a button to a reader, because of its pointer."""
    url = site.html(
        "/pointer",
        '<style>.chip{cursor:pointer}</style><div class="chip">One week</div><p>Text</p>'
        '<script>document.querySelector(".chip").addEventListener("click", () => {})</script>'
        '<input type="checkbox" id="agree" style="display:none"><label for="agree">I agree</label>',
    )
    async with browser.page(live_web) as session:
        await session.open(url)
        analysis = await analyze(session)
    assert by(analysis, text="One week").kind == "clickable"
    assert by(analysis, text="I agree").selector == 'label[for="agree"]'
