"""``store.json``: which store a place is."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

from pydantic import ValidationError

from verifaible.errors import ConfigError, IntegrityError, StoreError
from verifaible.store.annotation import CanonicalRecord, format_of, require_format
from verifaible.store.entries import DESCRIPTION, FORMAT, RESTORE
from verifaible.store.files import Files


class StoreDescription(CanonicalRecord):
    """Which store this is, in which form, and whether PostgreSQL has its log (``shared``)."""

    format: int = FORMAT
    id: str
    created: datetime
    shared: bool = False


def describe(files: Files, *, shared: bool) -> StoreDescription:
    """The description of the store in these files; a new store gets one.

    Args:
        files: the files of the store.
        shared: PostgreSQL has the log, as the settings say.

    Raises:
        IntegrityError: it is missing, and the place holds more than a new store.
        StoreError: it is damaged or of another format.
        ConfigError: the log is not where the settings say.
    """
    try:
        data = files.read(DESCRIPTION)
    except FileNotFoundError:
        refuse_without_description(files)
        created = StoreDescription(id=uuid.uuid4().hex, created=datetime.now(UTC), shared=shared)
        files.create(DESCRIPTION, created.to_bytes())
        data = files.read(DESCRIPTION)  # another process may have been first
    require_format(f"The store {files.location} ({DESCRIPTION})", format_of(data), FORMAT)
    try:
        found = StoreDescription.model_validate_json(data)
    except ValidationError as error:
        raise StoreError(f"{DESCRIPTION} of {files.location} is damaged. {RESTORE}") from error
    if found.shared and not shared:
        raise ConfigError(
            f"The log of the store {files.location} is in PostgreSQL: set VERIFAIBLE_INDEX to its address."
        )
    if shared and not found.shared:
        raise ConfigError(
            f"The log of the store {files.location} is in its folder: unset VERIFAIBLE_INDEX, or import "
            "what is in it into a new store."
        )
    return found


def refuse_without_description(files: Files) -> None:
    """Refuse a place that holds a log or keys: it is no empty store.

    Raises:
        IntegrityError: it has lost its description, or that is a link.
    """
    used = not {"custody.jsonl", "keys"}.isdisjoint(files.at_top())
    # read last: another writer makes the description before what was just seen; and a link is named as one
    try:
        files.read(DESCRIPTION)
    except FileNotFoundError as error:
        if used:
            raise IntegrityError(f"{DESCRIPTION} of {files.location} is missing. {RESTORE}") from error
