"""The words that CLDR does not have, out of ``words.toml``."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any, Final

DATA: Final[dict[str, Any]] = tomllib.loads(
    files("verifaible.text").joinpath("words.toml").read_text("utf-8")
)


def by_word(section: str) -> dict[str, str]:
    """What each word of a section means."""
    table: dict[str, str] = DATA[section]
    return {word.replace("_", " "): meaning for meaning, words in table.items() for word in words.split()}


def powers(section: str) -> dict[str, int]:
    """The power of ten of each word of a section."""
    return {word: int(power) for word, power in by_word(section).items()}


def any_of(section: str, name: str, *, spaced: bool = False) -> str:
    """A pattern for any of a section's words; ``spaced``: they stand as words of their own."""
    words = "|".join(DATA[section][name])
    return rf"\b(?:{words})\b" if spaced else f"(?:{words})"
