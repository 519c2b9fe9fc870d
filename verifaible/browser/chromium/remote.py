"""A browser that somebody else started: connected to, and made to use our proxy before anything else.

What the arguments of an own browser do is not in our hands here. The contexts are our own, with the
proxy as their way out; whether the browser keeps to it is proved before it is used. WebRTC, which
goes past proxies, is taken away from its pages. Not guarded: that the browser asks a name server for
names that a page wants to be looked up ahead of need.
"""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from verifaible.browser import driver
from verifaible.browser.chromium.addresses import shown
from verifaible.browser.chromium.launch import way_out
from verifaible.browser.scripts import init_script
from verifaible.errors import ConfigError
from verifaible.net.proxy import EgressProxy

CONNECT_TIMEOUT_S = 15.0
PROBE_TIMEOUT_S = 10.0
#: Neither may be opened: the proxy has to be asked for both, and to refuse them. A low port would not do:
#: browsers refuse many of these by themselves.
_PROBES = ("http://guarded.invalid/", "http://127.0.0.1:65534/")


async def connect(playwright: driver.Playwright, url: str) -> driver.Browser:
    """Connect to a running browser.

    Args:
        playwright: what connects.
        url: an address of :func:`~verifaible.browser.chromium.addresses.addresses`: ``http://host:port`` or
            ``ws://host:port/devtools/...`` of a Chromium that was started with ``--remote-debugging-port``;
            any other ``ws://`` address is one of a Playwright server.

    Raises:
        ConfigError: nothing answers there, or what answers is no Chromium.
    """
    parts = urlsplit(url)
    is_server = parts.scheme in {"ws", "wss"} and not parts.path.startswith("/devtools/")
    try:
        if is_server:
            return await playwright.chromium.connect(url, timeout=CONNECT_TIMEOUT_S * 1000)
        return await playwright.chromium.connect_over_cdp(url, timeout=CONNECT_TIMEOUT_S * 1000)
    except driver.Error as error:
        raise ConfigError(
            f"No browser answers at VERIFAIBLE_CONNECT={shown(url)} ({shown(driver.first_line(error))}). "
            "Start it, correct the address, or unset the variable to use a browser of this machine."
        ) from None  # it has the whole address


async def require_guarded(browser: driver.Browser, proxy: EgressProxy) -> None:
    """Make sure that contexts of a browser reach the web through our proxy and in no other way.

    Raises:
        ConfigError: it cannot reach the proxy, or goes past it.
    """
    admission = proxy.admit()
    try:
        context = await browser.new_context(service_workers="block", proxy=way_out(proxy, admission))
        try:
            page = await context.new_page()
            for url in _PROBES:
                before = len(admission.refused)
                try:
                    await page.goto(url, timeout=PROBE_TIMEOUT_S * 1000)
                except driver.Error:
                    # Of this very host: the one before may have been asked for twice.
                    host = repr(urlsplit(url).hostname)
                    if any(host in str(each) for each in admission.refused[before:]):
                        continue
                raise ConfigError(
                    f"The browser at VERIFAIBLE_CONNECT does not use the proxy at {proxy.url}, so nothing "
                    "would guard what it opens. Use a browser that reaches this machine directly, without "
                    "NAT in between, or unset VERIFAIBLE_CONNECT."
                )
        finally:
            await asyncio.wait_for(context.close(), PROBE_TIMEOUT_S)
    finally:
        proxy.dismiss(admission)


async def without_peers(context: driver.BrowserContext) -> None:
    """Take WebRTC away from the pages of a context."""
    await context.add_init_script(init_script("no_peers", ""))
