"""Finding and starting a Chromium."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from verifaible.browser import driver
from verifaible.config import Settings
from verifaible.errors import BrowserMissing, ConfigError, InfrastructureError
from verifaible.net.egress import Admission

#: The window of every page.
VIEWPORT: driver.ViewportSize = {"width": 1280, "height": 900}
#: Looked for on the PATH in this order. The headless shell starts and loads pages in half the time; where
#: pages should see what people use, it comes last.
PATH_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
)
#: Such a one has no window to show.
_WINDOWLESS = "headless-shell"

#: Nothing of the browser's own may go out, and the same page must look the same everywhere.
ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    "--autofill-server-url=about:blank",  # it would be asked about each form
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--hide-scrollbars",
    # A snapshot tells of one process: sandboxed frames, and those of other sites, would have their own.
    "--disable-site-isolation-trials",
    # The languages of no machine's owner; a context may have another one.
    "--lang=en-US",
    "--accept-lang=en-US,en",
)

#: Offline, no name resolves: what the archive does not answer cannot leave the machine.
OFFLINE_ARGUMENTS = ("--host-resolver-rules=MAP * ~NOTFOUND",)

#: Live, everything goes through the proxy, loopback too. The browser itself resolves no name (prefetching
#: would tell a name server what a page made up) and sends no datagram (WebRTC goes past proxies).
#: The headless shell knows the second name of the policy, the whole browser the first.
PROXIED_ARGUMENTS = (
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)

INSTALL_HINT = (
    "Install one with `playwright install chromium`; on Debian or Ubuntu with "
    "`apt-get install chromium fonts-noto-cjk`; or set VERIFAIBLE_BROWSER to the path of a Chromium."
)


@dataclass(frozen=True, slots=True)
class FoundBrowser:
    """A Chromium: its path, and where it was found (``setting``, ``playwright`` or ``path``)."""

    path: Path
    source: str


def find_browser(
    settings: Settings,
    playwright_path: str,
    environment: Mapping[str, str] = os.environ,
    *,
    headed: bool = False,
) -> FoundBrowser:
    """The Chromium to use: the setting, Playwright's own, then the PATH.

    Args:
        settings: ``browser`` wins where it is set; where ``headless`` is ``full``, the headless shell is
            used only where there is nothing else.
        playwright_path: where Playwright would look for its own.
        environment: where ``PATH`` is read.
        headed: it must be able to show a window.

    Raises:
        BrowserMissing: none was found; says what to install.
    """
    if settings.browser:
        chosen = Path(settings.browser)
        wrong = "" if chosen.is_file() else "is not a file. Correct or unset it."
        if not wrong and headed and _WINDOWLESS in chosen.name.replace("_", "-"):
            wrong = "cannot show a window. Name a full Chromium."
        if wrong:
            raise BrowserMissing(f"VERIFAIBLE_BROWSER names {chosen}, which {wrong} {INSTALL_HINT}")
        return FoundBrowser(chosen, "setting")
    own, whole = Path(playwright_path), settings.headless == "full"
    shell = None if headed or whole else _own_shell(own)
    if shell is not None or own.is_file():
        return FoundBrowser(shell or own, "playwright")
    for name in sorted(PATH_NAMES, key=lambda name: whole and _WINDOWLESS in name):
        found = shutil.which(name, path=environment.get("PATH"))
        if found and not (headed and _WINDOWLESS in name):
            return FoundBrowser(Path(found), "path")
    raise BrowserMissing(f"No Chromium was found. {INSTALL_HINT}")


def _own_shell(chromium: Path) -> Path | None:
    """The headless shell that Playwright installed where its Chromium is, or would be; None if it did not."""
    folder = next((each for each in chromium.parents if each.name.startswith("chromium-")), None)
    if folder is None:
        return None
    name = folder.name.replace("chromium-", "chromium_headless_shell-")
    shells = sorted(folder.parent.glob(f"{name}/*/*headless*shell*"))
    return next((each for each in shells if each.is_file() and os.access(each, os.X_OK)), None)


def require_screen(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> None:
    """Make sure that there is a screen to show a window on.

    Raises:
        ConfigError: there is none; says what to do.
    """
    has_one = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    if platform.startswith(("linux", "freebsd")) and not has_one:
        raise ConfigError(
            "There is no screen for a browser window: neither DISPLAY nor WAYLAND_DISPLAY is set. Run this "
            "in a desktop session or under xvfb-run, or leave out --headed; --out writes a page of pictures."
        )


async def launch(
    playwright: driver.Playwright,
    settings: Settings,
    *,
    offline: bool,
    headed: bool = False,
    proxy_url: str = "",
) -> driver.Browser:
    """Start Chromium.

    Args:
        playwright: what starts it.
        settings: which one, and its further arguments.
        offline: it must not reach anything.
        headed: show a window.
        proxy_url: its only way out when it is not offline; without one it has none. Contexts bring
            their own credentials for it; what the browser does by itself has none, and is refused.

    Raises:
        BrowserMissing: none was found.
        ConfigError: a window is asked for, and there is no screen.
        InfrastructureError: it was found but does not start.
    """
    if headed:
        require_screen()
    path = playwright.chromium.executable_path
    found = await asyncio.to_thread(find_browser, settings, path, headed=headed)
    way_out = (
        OFFLINE_ARGUMENTS if offline or not proxy_url else (f"--proxy-server={proxy_url}", *PROXIED_ARGUMENTS)
    )
    # Of an argument that is given twice the last one counts: no setting opens another way out.
    arguments = [*ARGUMENTS, *settings.browser_args, *way_out]
    try:
        return await playwright.chromium.launch(
            executable_path=found.path,
            args=arguments,
            headless=not headed,
            chromium_sandbox=os.name == "posix" and os.geteuid() != 0,
        )
    except driver.Error as error:
        raise InfrastructureError(
            f"{found.path.name} was found but did not start: {driver.first_line(error)} "
            "Run `verifaible doctor` to see what is missing."
        ) from error


def way_out(admission: Admission) -> driver.ProxySettings:
    """The proxy as the only way out of a context, this machine's own addresses included."""
    return {"server": admission.url, "bypass": "<-loopback>"}
