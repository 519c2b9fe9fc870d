"""Profiles: the cookies and storage of a person who has signed in, for pages of the same sites.

A profile is one file that only its owner may read. Contexts get a copy of what belongs to the site that they
open; what a page makes of it is forgotten with the context. Only ``verifaible profile`` writes it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from verifaible.archive.urls import site_of
from verifaible.browser import driver
from verifaible.config import Settings
from verifaible.errors import ConfigError

_ONLY_MINE, _ONLY_MY_FOLDER = 0o600, 0o700


def profile_file(settings: Settings, name: str) -> Path:
    """The file of a profile; it need not be there."""
    return settings.profiles_dir / f"{name}.json"


def save(settings: Settings, name: str, state: Any) -> Path:
    """Keep what a browser stores, for its owner alone.

    Raises:
        ConfigError: the file cannot be written.
    """
    path = profile_file(settings, name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=_ONLY_MY_FOLDER)
        new = path.with_suffix(".new")
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _ONLY_MINE), "w") as file:
            json.dump(state, file)
        new.replace(path)
    except OSError as error:
        raise ConfigError(
            f"The profile {name} cannot be written to {path} ({error.strerror}). Free the place, or set "
            "VERIFAIBLE_HOME to another folder."
        ) from error
    return path


def load(settings: Settings, name: str) -> dict[str, Any]:
    """What a profile holds.

    Raises:
        ConfigError: there is none, or its file is damaged or may be read by others.
    """
    path = profile_file(settings, name)
    try:
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise ConfigError(f"Others may read the profile {path}. Run: chmod 600 {path}")
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(
            f"There is no profile {name} in {path.parent}. Make it with: verifaible profile {name} URL"
        ) from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"The profile {path} cannot be read ({error}). Make it anew.") from error
    if not isinstance(found, dict):
        raise ConfigError(f"The profile {path} is damaged. Make it anew.")
    return found


def of_site(state: dict[str, Any], url: str) -> driver.StorageState:
    """The part of a profile that belongs to the site of an address."""
    site = site_of(url)
    return _part(state, lambda each: each == site)


def with_other_sites(state: dict[str, Any], stored: dict[str, Any], url: str) -> dict[str, Any]:
    """What a browser has now, with what a profile has of other sites than that of an address.

    Of what both have that of the browser: a person may have gone on to another site in it.
    """
    site = site_of(url)
    others = _part(stored, lambda each: each != site)
    cookies = {(each["name"], each["domain"], each["path"]): each for each in others["cookies"]}
    cookies |= {(each["name"], each["domain"], each["path"]): each for each in state["cookies"]}
    origins = {each["origin"]: each for each in (*others["origins"], *state["origins"])}
    return {"cookies": list(cookies.values()), "origins": list(origins.values())}


def _part(state: dict[str, Any], wanted: Callable[[str], bool]) -> driver.StorageState:
    cookies, origins = state.get("cookies", []), state.get("origins", [])
    return {
        "cookies": [each for each in cookies if wanted(site_of(f"http://{each['domain'].lstrip('.')}/"))],
        "origins": [each for each in origins if wanted(site_of(each["origin"]))],
    }


async def sign_in(context: driver.BrowserContext, settings: Settings, url: str) -> bool:
    """Give a new context what the chosen profile has of a site; whether it has anything.

    Raises:
        ConfigError: the profile cannot be used.
    """
    part = of_site(load(settings, settings.profile), url) if settings.profile else None
    if part is None or not (part["cookies"] or part["origins"]):
        return False
    await context.set_storage_state(part)
    return True
