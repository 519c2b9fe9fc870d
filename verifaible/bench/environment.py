"""The settings of a process, read once where it is entered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from verifaible.config import Settings


def read_settings(base_url: str | None = None) -> Settings:
    """The settings of this process; ``base_url`` goes before the one of the environment.

    Raises:
        ConfigError: a ``VERIFAIBLE_*`` variable holds what it cannot; names each.
    """
    from pydantic import ValidationError

    from verifaible.config import Settings

    try:
        return Settings(base_url=base_url) if base_url else Settings()
    except ValidationError as error:
        faults = "; ".join(
            f"VERIFAIBLE_{str(fault['loc'][0]).upper()}={fault['input']!r}: {fault['msg']}"
            for fault in error.errors(include_url=False)
        )
        raise ConfigError(f"{faults}. Correct or unset it.") from error
