"""``verifaible setup``, ``doctor`` and ``profile``: this machine, and who one is on the web."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import click

from verifaible.console.options import json_option, read_settings
from verifaible.console.output import say, show, show_json
from verifaible.errors import ConfigError, InfrastructureError, UserError

if TYPE_CHECKING:
    from pathlib import Path

    from verifaible.browser.page.session import Helper
    from verifaible.config import Settings


@click.command()
@json_option
@click.pass_context
def doctor(context: click.Context, /, as_json: bool) -> None:
    """Print what was found on this machine, and what is missing.

    \b
    Example:
      verifaible doctor
    """
    from verifaible.doctor import diagnose, render

    findings = asyncio.run(diagnose(read_settings()))
    if as_json:
        show_json([finding.model_dump(mode="json") for finding in findings])
    else:
        show(render(findings))
    if any(finding.required and not finding.ok for finding in findings):
        context.exit(1)


@click.command()
@click.option("--system", is_flag=True, help="Install packages of the system too (Debian, Ubuntu; as root).")
@json_option
@click.pass_context
def setup(context: click.Context, /, *, system: bool, as_json: bool) -> None:
    """Find a Chromium that works; where there is none, have Playwright download its own.

    \b
    Example:
      verifaible setup
    """
    from verifaible.browser.chromium.setup import BY_HAND, set_up

    try:
        probe = set_up(read_settings(), say, system=system)
    except (UserError, InfrastructureError) as error:
        say(f"{error}\n\n{BY_HAND}")
        context.exit(1)
    if as_json:
        found = {"path": str(probe.found.path), "version": probe.version, "chinese": probe.chinese}
        show_json(found, indent=None)
    else:
        show(f"Chromium {probe.version} works: {probe.found.path} ({probe.seconds:.1f} s)")


@click.command()
@click.argument("name")
@click.argument("url")
@json_option
def profile(name: str, url: str, as_json: bool) -> None:
    """Open URL in a window, where you log in, accept or pass a check; keep that as the profile NAME.

    Cookies and storage are kept in a file that only you may read, and used by --profile NAME for pages of the
    same sites. Nothing else writes it: each page gets a copy.

    \b
    Examples:
      verifaible profile press https://news.example.com/login
      verifaible cite https://news.example.com/story --quote "..." --profile press
    """
    from verifaible.browser.page.session import ByKeyboard

    path = asyncio.run(keep(_named(read_settings(), name), url, ByKeyboard()))
    if as_json:
        show_json({"profile": name, "path": str(path)})
    else:
        show(path)


def _named(settings: Settings, name: str) -> Settings:
    """Settings with this profile.

    Raises:
        ConfigError: the name is none of a file.
    """
    try:
        return type(settings).model_validate({**settings.model_dump(), "profile": name})
    except ConfigError as error:
        raise ConfigError(
            f"A profile cannot be named {name!r}. Use letters, digits, dots, dashes and underscores."
        ) from error


async def keep(settings: Settings, url: str, helper: Helper, *, headed: bool = True) -> Path:
    """Open an address, let a person do what they want there, and keep what the browser stores.

    Raises:
        ConfigError: there is no screen, or the profile cannot be written.
        ToolError: the page cannot be opened.
    """
    from verifaible.browser.page.profiles import load, profile_file, save, with_other_sites
    from verifaible.browser.warm import Browser
    from verifaible.errors import PageBlocked, PageNotLoaded
    from verifaible.net.web import Web

    again = profile_file(settings, settings.profile).exists()
    own = settings if again else settings.model_copy(update={"profile": ""})
    async with Browser(own, offline=False, headed=headed) as browser, browser.page(Web.live(own)) as session:
        try:
            await session.open(url)
        except (PageBlocked, PageNotLoaded) as error:
            if not session.page.url.startswith("http"):
                raise
            say(error)  # what it shows is what the person is here for
        await helper(session.page, "Sign in, accept, or pass the check.")
        state: dict[str, Any] = dict(await session.context.storage_state())
    if again:
        state = with_other_sites(state, load(settings, settings.profile), url)
    return save(settings, settings.profile, state)
