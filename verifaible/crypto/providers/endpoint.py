"""A provider is data: endpoints are rows of ``providers/*.toml``, read here and asked by :mod:`.handler`.

An endpoint says where it is, what it takes, and of every number in its answer whose it is, what it counts, in
which unit and of what time. A new provider is a file, or a row in one, and an attribute of :class:`Places`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from importlib import resources
from operator import ge, gt, le, lt
from typing import Any, Final, Literal

from pydantic import Field as Argument
from pydantic import create_model, field_validator

from verifaible.config import Settings
from verifaible.crypto.providers.json_values import Field, Json, at, decimal_at, fields, path_of
from verifaible.schema.base import Record

_COMPARED: Final[Mapping[str, Callable[[Decimal, Decimal], bool]]] = {">": gt, ">=": ge, "<": lt, "<=": le}
_TYPES: Final = {"string": str, "integer": int, "number": float, "boolean": bool, "date": date}
#: Keywords of JSON Schema and what pydantic calls them.
_KEYWORDS: Final = {"minimum": "ge", "maximum": "le", "maxLength": "max_length", "description": "description"}


class Places(Record):
    """Where the providers are; another address is a mirror of one's own."""

    coingecko: str = "https://api.coingecko.com/api/v3"
    geckoterminal: str = "https://api.geckoterminal.com/api/v2"
    binance: str = "https://data-api.binance.vision"
    futures: str = "https://fapi.binance.com"
    defillama: str = "https://api.llama.fi"
    stablecoins: str = "https://stablecoins.llama.fi"
    yields: str = "https://yields.llama.fi"


class Where(Record):
    """Which rows are wanted: their value at ``path`` compared with a word of the call, or a constant.

    Attributes:
        path: where the value stands below the row, with ``{words}``; of several with ``|`` one must fit.
        test: ``is`` (the same word, or an element of a list), ``part`` (one of the words between hyphens),
            ``ends``, or a comparison of numbers.
        value: what it is compared with, with ``{words}``; nothing is asked for where they are empty.
    """

    path: str
    test: Literal["is", "part", "ends", ">", ">=", "<", "<="]
    value: str

    def fits(self, row: Json, wanted: str) -> bool:
        """Whether a row has what is wanted; what it does not state fits nothing."""
        return any(self._fits(at(row, path_of(path)), wanted) for path in self.path.split("|"))

    def _fits(self, value: Json, wanted: str) -> bool:
        if self.test in _COMPARED:
            number = decimal_at(value)
            return number is not None and _COMPARED[self.test](number, Decimal(wanted))
        sought = wanted.casefold()
        if self.test == "is":
            return any(each.casefold() == sought for each in words_at(value))
        text = value.casefold() if isinstance(value, str) else ""
        if self.test == "ends":
            return text.endswith(sought)
        return sought.removeprefix("$") in text.replace("/", "-").split("-")


def words_at(value: Json) -> list[str]:
    """The texts that a value is or lists; a truth is ``True``."""
    if isinstance(value, bool):
        return [str(value)]
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]


class Part(Record):
    """Rows of an answer: an object, the elements of a list, or the members of an object.

    Attributes:
        rows: the pointer of the object; of a list with ``/*`` at its end, of members with ``/:``.
        fields: what is shown of each row, and declared of its numbers.
        head: a line above.
        asset: whose the numbers are: keys of the row or ``{words}``, the first that there is; ``:`` is the
            key of a member. What ends in ``symbol`` is a ticker.
        at: where a row says of what time it is.
        kind: rows of ``now``, a ``series`` with one for each time, or ``events`` that happened once.
        where: which rows are wanted.
        order: the pointer to sort by, with ``-`` before it the largest first, of several with ``|`` the first
            that a row has; by the call's ``order_by``, or ``any``.
        limit: most rows, with ``{words}``.
        without: members whose key has this are parts of others, and left out.
        optional: whether an answer may lack it.
        seen: fields of the table that a person sees; empty for none.
    """

    rows: str = ""
    fields: tuple[Field, ...]
    head: str = ""
    asset: str = ""
    at: str = ""
    kind: Literal["now", "series", "events"] = "now"
    where: tuple[Where, ...] = ()
    order: Mapping[str, str] = {}
    limit: str = ""
    without: str = ""
    optional: bool = False
    seen: str = ""

    @property
    def several(self) -> bool:
        """Whether there can be many rows."""
        return self.rows.endswith(("/*", "/:"))

    @property
    def plain(self) -> bool:
        """Whether the rows are values themselves."""
        return self.fields[0].path == ""


class Lookup(Record):
    """A list of the provider in which an argument's name is looked up.

    Attributes:
        argument: the argument; where it is empty, nothing is looked up.
        path: of the list's endpoint.
        keys: fields that may have the name, the surest first.
        gives: words of the call, and the fields that they are.
    """

    argument: str
    path: str
    keys: tuple[str, ...]
    gives: Mapping[str, str]


class Endpoint(Record):
    """A tool over one endpoint of a provider.

    Attributes:
        tool: the tool's name.
        about: what the model is told of it.
        provider: its name, for people.
        place: the attribute of :class:`Places` that has its address.
        path: behind that address, with ``{words}``; an empty last part is left out.
        title: what the data are, with ``{words}``.
        parts: what is read from the answer.
        arguments: of the tool, in keywords of JSON Schema.
        query: parameters with ``{words}``; one that comes out empty is not sent.
        coins: the argument that has assets.
        lookup: where another argument's name is looked up.
        lower: arguments that the provider takes in lower case; ``{NAME}`` is the word in capitals.
        words: further words by the value of the argument that is named under ``of``, or ``any``.
        live_only: what can be had of the present only, as the subject of a sentence; empty: it has a history.
        unknown: what a 400 or 404 means, with ``{words}``.
        key: the name of a setting with a key, and the header that it is sent in.
    """

    tool: str
    about: str
    provider: str
    place: str
    path: str
    title: str
    parts: tuple[Part, ...]
    arguments: Mapping[str, Mapping[str, Any]] = {}
    query: Mapping[str, str] = {}
    coins: str = ""
    lookup: Lookup | None = None
    lower: tuple[str, ...] = ()
    words: Mapping[str, Mapping[str, str]] = {}
    live_only: str = ""
    unknown: str = ""
    key: tuple[str, str] | None = None

    def keyed(self, settings: Settings) -> dict[str, str]:
        """The header with the provider's key; none where no key is set."""
        setting, header = self.key or ("", "")
        key = getattr(settings, setting) if setting else None
        return {header: key.get_secret_value()} if key else {}

    @field_validator("place")
    @classmethod
    def _known(cls, place: str) -> str:
        if place not in Places.model_fields:
            raise ValueError(f"Places has no {place}")
        return place


@cache
def endpoints(provider: str) -> Mapping[str, Endpoint]:
    """The endpoints of a provider's file by the names of their tools, in its order."""
    text = resources.files("verifaible.crypto.providers").joinpath(f"{provider}.toml").read_text("utf-8")
    data = tomllib.loads(text)
    shared: dict[str, str] = data.pop("fields", {})
    common: dict[str, Any] = data.pop("all", {})
    found = {}
    for tool, row in data.items():
        for part in row["parts"]:
            part["fields"] = fields(shared.get(part["fields"], part["fields"]))
        found[tool] = Endpoint(**{"tool": tool, **common, **row})
    return found


@cache
def arguments_of(tool: str, provider: str) -> type[Record]:
    """The pydantic model of an endpoint's arguments; without ``default`` one is required, or ``optional``."""
    made: dict[str, Any] = {}
    for name, told in endpoints(provider)[tool].arguments.items():
        default = None if told.get("optional") else told.get("default", ...)
        kind: Any = _TYPES[told.get("type", "string")]
        limits = {_KEYWORDS[word]: value for word, value in told.items() if word in _KEYWORDS}
        if "enum" in told:
            kind, default = Literal[tuple(told["enum"])], told["enum"][0]
        elif kind is str:
            limits = {"max_length": 100, "min_length": 1 if default is ... else 0} | limits
        if "maxItems" in told:
            about = {"description": told["description"], "max_length": told["maxItems"]}
            kind, limits = tuple[kind, ...], about | ({"min_length": 1} if default is ... else {})
        made[name] = (kind | None if told.get("optional") else kind, Argument(default, **limits))
    return create_model(f"{tool}_arguments", __base__=Record, __doc__=f"Arguments of ``{tool}``.", **made)
