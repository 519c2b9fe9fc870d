"""The viewer's words in English, Chinese and Japanese, and which of them a reader gets."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from verifaible.reporting.tables import PUBLISHED, Row

if TYPE_CHECKING:
    from starlette.requests import Request

    from verifaible.reporting.tables import Cell, Table

#: The languages of the viewer, by their own names.
LANGUAGES = {"en": "English", "zh": "中文", "ja": "日本語"}
#: The cookie that keeps a reader's choice.
COOKIE = "verifaible_language"
#: Stands behind the name of a model whose figures were printed elsewhere.
_PUBLISHED = f" ({PUBLISHED})"


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


class Terms:
    """The words of reports in one language; what has none, such as a name, stays.

    Args:
        language: ``en``, ``zh`` or ``ja``.
        room: ``run`` or ``judged``: whose words they are.
    """

    def __init__(self, language: str, room: str) -> None:
        self._texts = texts(language)
        self._room = room
        self.words = Words(language)

    def __call__(self, text: str) -> str:
        """A word of a report; behind a name may stand that its figures were published."""
        if text.endswith(_PUBLISHED):
            return self.words("run.published_name", name=text.removesuffix(_PUBLISHED))
        return self._texts.get(f"{self._room}.term.{text}", text)

    def note(self, table: Table, **values: object) -> str:
        """What stands below a table; beside published rows there may be more to say."""
        if not table.note:
            return ""
        name = f"{self._room}.note.{table.name or table.title}"
        beside = self._texts.get(f"{name}.published") if table.source else None
        return (beside or self._texts.get(name, "{note}")).format(note=table.note, **values)

    def table(self, table: Table, *, names: bool = True, **values: object) -> Table:
        """A table of a report; its figures stay the report's own.

        Args:
            table: in English.
            names: whether the rows are named in words of ours.
            values: what its note names, besides its figures.
        """

        def said(cell: Cell) -> Cell:
            return cell.model_copy(update={"text": self(cell.text)})

        def told(row: Row) -> Row:
            name, *others = row.cells
            return Row(cells=(said(name) if names else name, *map(said, others)), published=row.published)

        update = {
            "name": table.name or table.anchor,
            "title": self(table.title),
            "columns": tuple(map(self, table.columns)),
            "rows": tuple(map(told, table.rows)),
            "note": self.note(table, **values),
        }
        return table.model_copy(update=update)


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
