"""``verifaible profile``: a window in which a person signs in, and what it keeps."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import click

from verifaible.bench.environment import read_settings
from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from verifaible.browser.page.session import Helper
    from verifaible.config import Settings


@click.command()
@click.argument("name")
@click.argument("url")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
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

    settings = named(read_settings(), name)
    path = asyncio.run(keep(settings, url, ByKeyboard()))
    if as_json:
        click.echo(json.dumps({"profile": name, "path": str(path)}, ensure_ascii=False, indent=2))
    else:
        click.echo(str(path))


def named(settings: Settings, name: str) -> Settings:
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
    from verifaible.browser.page.profiles import joined, load, of_other_sites, profile_file, save
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
            click.echo(f"{error}", err=True)  # what it shows is what the person is here for
        await helper(session.page, "Sign in, accept, or pass the check.")
        state: dict[str, Any] = dict(await session.context.storage_state())
    if again:
        state = joined(state, of_other_sites(load(settings, settings.profile), url))
    return save(settings, settings.profile, state)
