"""The viewer's words in English, Chinese and Japanese, and which of them a reader gets."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request

#: The languages of the viewer, by their own names.
LANGUAGES = {"en": "English", "zh": "中文", "ja": "日本語"}
#: The cookie that keeps a reader's choice.
COOKIE = "verifaible_language"


class Words:
    """The words of one language.

    Args:
        language: ``en``, ``zh`` or ``ja``.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._texts = texts(language)

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of that name, with values in the places that it has for them.

        Raises:
            KeyError: there is no such text: a fault of a template.
        """
        return self._texts[key].format(**values) if values else self._texts[key]


@cache
def texts(language: str) -> dict[str, str]:
    """All texts of a language, by name, from the files of its folder."""
    found: dict[str, str] = {}
    for source in (files("verifaible.serve") / "words" / language).iterdir():
        found |= json.loads(source.read_text(encoding="utf-8"))
    return found


def language_of_reader(request: Request) -> str:
    """The language asked for in the address, kept in a cookie, or preferred by the browser; else English."""
    for chosen in (request.query_params.get("lang", ""), request.cookies.get(COOKIE, "")):
        if chosen in LANGUAGES:
            return chosen
    return _preferred(request.headers.get("accept-language", ""))


def _preferred(header: str) -> str:
    """The first of our languages in an Accept-Language header (RFC 9110, 12.5.4), by its weights."""
    weighed: list[tuple[float, int, str]] = []
    for position, part in enumerate(header.split(",")):
        name, _, weight = part.strip().partition(";")
        language = name.strip().lower().partition("-")[0]
        if language in LANGUAGES:
            weighed.append((-_weight(weight), position, language))
    return min(weighed)[2] if weighed else "en"


def _weight(parameter: str) -> float:
    try:
        return float(parameter.strip().removeprefix("q=")) if parameter.strip() else 1.0
    except ValueError:
        return 0.0
