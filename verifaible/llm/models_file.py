"""The person's own models and endpoints: ``models.json``, in the form of ``catalogue.json``.

What it says of a name that is built in replaces only the fields that it gives.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.llm.catalogue import BUILT_IN, Catalogue, ModelEntry, built_in
from verifaible.schema.base import Record


class _Written(Record):
    """The outer form of the file; its entries are validated once they are merged."""

    endpoints: dict[str, dict[str, Any]] = Field(default_factory=dict)
    models: list[dict[str, Any]] = Field(default_factory=list)


def known_models(settings: Settings) -> Catalogue:
    """The built-in catalogue with the person's own file over it.

    Raises:
        ConfigError: the file that ``VERIFAIBLE_MODELS`` names is not there, or a file has faults:
            one ``path: field: message`` line for each.
    """
    path = settings.models_file
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        if settings.models is None:
            return built_in()
        raise ConfigError(f"{path}: there is no such file. Correct or unset VERIFAIBLE_MODELS.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise _faulty(path, [("", f"cannot be read ({error})")]) from error
    try:
        written = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _faulty(path, [("", f"is not JSON ({error})")]) from error
    return _merged(path, written)


def _merged(path: Path, written: object) -> Catalogue:
    base = built_in()
    try:
        mine = _Written.model_validate(written)
    except ValidationError as error:
        raise _faulty(path, _faults(error)) from error
    endpoints = {name: profile.model_dump(exclude_unset=True) for name, profile in base.endpoints.items()}
    for name, fields in mine.endpoints.items():
        endpoints[name] = {**endpoints.get(name, {}), **fields}
    known = {entry.name.lower(): entry.model_dump(exclude_unset=True) for entry in base.models}
    models = [{**known.get(str(fields.get("name")).lower(), {}), **fields} for fields in mine.models]
    own_names = {str(fields.get("name")).lower() for fields in models}
    try:
        checked = Catalogue.model_validate({"endpoints": endpoints, "models": models})
    except ValidationError as error:
        raise _faulty(path, _faults(error)) from error
    if faults := [*_name_faults(checked)]:
        raise _faulty(path, faults)
    rest = tuple(entry for entry in base.models if entry.name.lower() not in own_names)
    return Catalogue(endpoints=checked.endpoints, models=(*rest, *checked.models))


def _name_faults(mine: Catalogue) -> Iterator[tuple[str, str]]:
    """Names that stand for two things, or for nothing."""
    for name in mine.endpoints:
        if not name or set(name) & set(":/ \t\n"):
            yield f"endpoints.{name}", "a name has no colon, slash or space"
    seen: dict[str, ModelEntry] = {}
    for place, entry in enumerate(mine.models):
        where = f"models[{place}]"
        if entry.name.lower() in BUILT_IN:
            yield f"{where}.name", f"{entry.name} is the name of a built-in agent"
        if entry.name.lower() in seen:
            yield f"{where}.name", f"{entry.name} is there twice"
        seen[entry.name.lower()] = entry
        if entry.endpoint and entry.endpoint not in mine.endpoints:
            names = ", ".join(mine.endpoints)
            yield f"{where}.endpoint", f"there is no endpoint {entry.endpoint!r}; there are {names}"


def _faults(error: ValidationError) -> list[tuple[str, str]]:
    return [(_field(fault["loc"]), fault["msg"]) for fault in error.errors(include_url=False)]


def _field(loc: tuple[int | str, ...]) -> str:
    """A place in the file as ``models[0].prices.input``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".")


def _faulty(path: Path, faults: list[tuple[str, str]]) -> ConfigError:
    lines = [": ".join(part for part in (str(path), field, what) if part) for field, what in faults]
    return ConfigError("\n".join([*lines, "Correct the lines above and start again."]))
