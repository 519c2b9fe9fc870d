"""A request to a data provider and its JSON answer: what may be seen of both, and which answers are refused.

Numbers keep their own digits, and every value shown has its JSON Pointer.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from email.utils import parsedate_to_datetime
from typing import Final, TypeAlias
from urllib.parse import urlencode

from verifaible.archive.redaction import without_secrets
from verifaible.errors import PageBlocked, PageError, PageNotLoaded, WrongContent
from verifaible.net.client import REDIRECTS
from verifaible.schema.data import Exchange
from verifaible.schema.web import WebAnswer, WebRequest, WebResponse
from verifaible.tools.fetch_status import check_status, named
from verifaible.tools.presenting import one_line

#: Most characters of data that one reply shows the model; the capture has all of them.
SHOWN_CHARACTERS: Final = 6_000
#: A longer text in a cell is shortened for the model.
_CELL_CHARACTERS: Final = 160
_MILLISECONDS_FROM: Final = Decimal(10) ** 11


class Number(str):
    """A number of a JSON text in the digits it was sent in; no float comes between."""

    __slots__ = ()

    @property
    def decimal(self) -> Decimal:
        """Its value."""
        return Decimal(self)


#: What a JSON text holds; numbers are :class:`Number`.
Json: TypeAlias = "bool | str | Number | list[Json] | dict[str, Json] | None"
#: Keys and indexes from the root to a value.
Path: TypeAlias = tuple[str | int, ...]


def parse(body: bytes, name: str) -> Json:
    """The data of an answer.

    Args:
        body: as it came.
        name: what an error calls it.

    Raises:
        WrongContent: it is not JSON (RFC 8259) in UTF-8.
    """
    try:
        data: Json = json.loads(
            body.decode("utf-8-sig"), parse_int=Number, parse_float=Number, parse_constant=_no_constant
        )
    except (ValueError, RecursionError) as error:
        raise WrongContent(
            f"{name} did not answer with JSON ({one_line(str(error), 120)}). Nothing of it was kept. Use "
            "another tool, or a page that says the same."
        ) from error
    return data


def _no_constant(text: str) -> Json:
    raise ValueError(f"{text} is no JSON")


def pointer(path: Path) -> str:
    """The JSON Pointer of a path (RFC 6901)."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


def at(data: Json, path: Path) -> Json:
    """The value at a path; None where there is none."""
    for part in path:
        if isinstance(data, dict) and isinstance(part, str):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int) and -len(data) <= part < len(data):
            data = data[part]
        else:
            return None
    return data


def decimal_at(data: Json, path: Path) -> Decimal | None:
    """The number at a path; None where there is no number."""
    value = at(data, path)
    if isinstance(value, str):  # a Number is one, too
        try:
            number = Decimal(value)
        except InvalidOperation:
            return None
        return number if number.is_finite() else None
    return None


def text_at(data: Json, path: Path) -> str:
    """The text at a path; empty where there is none."""
    value = at(data, path)
    return value if isinstance(value, str) else ""


def moment_at(data: Json, path: Path) -> datetime | None:
    """The time at a path: ISO 8601, or seconds or milliseconds since 1970; None where there is none."""
    value = at(data, path)
    try:
        if isinstance(value, Number):
            seconds = value.decimal / 1000 if value.decimal >= _MILLISECONDS_FROM else value.decimal
            return datetime.fromtimestamp(float(seconds), UTC)
        if isinstance(value, str) and value:
            moment = datetime.fromisoformat(value)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, ArithmeticError, OSError):
        pass
    return None


def rows_of(data: Json, path: Path, name: str) -> list[tuple[Path, dict[str, Json]]]:
    """The objects of the list at a path, each with its own path.

    Raises:
        WrongContent: there is no list of objects.
    """
    found = at(data, path)
    if not isinstance(found, list):
        raise surprise(name, f"no list at {pointer(path) or 'its root'}")
    return [((*path, place), row) for place, row in enumerate(found) if isinstance(row, dict)]


def surprise(name: str, what: str) -> WrongContent:
    """The error for an answer of another form than the provider documents."""
    return WrongContent(
        f"{name} answered in another form than it documents: {what}. Nothing of it was kept. Use another "
        "tool, or a page that says the same."
    )


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: where its value stands below a row, and a note on its unit."""

    path: Path
    unit: str = ""

    @property
    def head(self) -> str:
        """The head: the pointer below the row, and the unit."""
        name = pointer(self.path).removeprefix("/")
        return f"{name} ({self.unit})" if self.unit else name


def columns(names: str, units: Mapping[str, str] | None = None) -> tuple[Column, ...]:
    """Columns by pointers below a row, with blanks between them (``market_cap item/data/price``).

    ``units`` has for each unit the last keys of the columns that are in it.
    """
    told = {name: unit for unit, each in (units or {}).items() for name in each.split()}
    paths = (tuple(name.split("/")) for name in names.split())
    return tuple(Column(path, told.get(path[-1], "")) for path in paths)


def table(rows: Sequence[tuple[Path, Json]], shown: Sequence[Column], *, of: int | None = None) -> str:
    """Rows as Markdown, each led by its JSON Pointer, as many as fit.

    A column that no row has is left out. The pointer of a value is that of its row, a slash, and the head of
    its column.

    Args:
        rows: each with its path.
        shown: the columns.
        of: how many rows the answer has in all, where that is more.
    """
    kept = [column for column in shown if any(at(row, column.path) is not None for _, row in rows)]
    lines = [f"| row | {' | '.join(column.head for column in kept)} |", f"|{'---|' * (len(kept) + 1)}"]
    size, count = sum(map(len, lines)), 0
    for path, row in rows:
        line = f"| {pointer(path)} | {' | '.join(_cell(at(row, column.path)) for column in kept)} |"
        size += len(line) + 1
        if size > SHOWN_CHARACTERS and count:
            break
        lines.append(line)
        count += 1
    total = max(of or 0, len(rows))
    if count < total:
        lines.append(
            f"({count} of {total} rows are shown; the source holds all. Narrow the call to see others.)"
        )
    return "\n".join(lines)


def facts(data: Json, paths: Sequence[tuple[Path, str]]) -> str:
    """Values of one object, a line each: pointer, value, unit; what is missing is left out."""
    lines = []
    for path, unit in paths:
        value = at(data, path)
        if value is None or value in ("", [], {}):
            continue
        lines.append(f"{pointer(path)}: {_cell(value)}{f' ({unit})' if unit else ''}")
    return "\n".join(lines)


def matching(rows: Sequence[tuple[Path, Mapping[str, Json]]], **wanted: str) -> list[tuple[Path, Json]]:
    """The rows whose fields have these words, whatever their case; a list must hold an equal one."""
    kept: list[tuple[Path, Json]] = []
    for path, row in rows:
        if all(_fits(row.get(name), word) for name, word in wanted.items() if word.strip()):
            kept.append((path, dict(row)))
    return kept


def _fits(value: Json, word: str) -> bool:
    sought = word.strip().casefold()
    if isinstance(value, list):
        return any(isinstance(each, str) and each.casefold() == sought for each in value)
    return isinstance(value, str) and sought == value.casefold()


def _cell(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return one_line(value, _CELL_CHARACTERS).replace("|", "\\|")
    return one_line(json.dumps(value, ensure_ascii=False), _CELL_CHARACTERS).replace("|", "\\|")


JSON: Final = "application/json"
#: What is sealed of an answer's headers: what the body is, of when, which copy of it, and what the provider
#: still allows. All others speak of the connection or of the visitor.
_HEADERS: Final = frozenset({"age", "content-type", "date", "etag", "last-modified", "retry-after"})
_HTTP_LOGGERS: Final = ("httpx2", "httpcore2")
_LIMIT_HEADERS: Final = ("x-ratelimit-", "ratelimit", "x-mbx-used-weight")
_REASON: Final = re.compile(r"(\brevert(?:ed)?\b).*", re.IGNORECASE)
_REFUSED: Final = {
    401: "{} (HTTP 401). Tell the person to check the key's setting, and use another tool.",
    403: "{} or does not serve this address (HTTP 403). Use another tool.",
    418: "has shut this address out for too many requests (HTTP 418). Use another tool, and ask less often.",
    451: "does not serve the country that this is asked from (HTTP 451). Use another provider.",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: ``address`` and ``content`` are what may be seen of it."""

    provider: str
    address: str
    secret_query: Mapping[str, str] = field(default_factory=dict, repr=False)
    secret_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secret_path: str = field(default="", repr=False)
    method: str = "GET"
    content: str = ""
    accept: str = JSON
    version: int = 1

    @property
    def secrets(self) -> tuple[str, ...]:
        """Everything that may be seen nowhere."""
        values = (*self.secret_query.values(), *self.secret_headers.values(), self.secret_path)
        return tuple(value for value in values if value)

    def public(self, words: str) -> str:
        """Words without the secrets."""
        return without_secrets(words, self.secrets)

    @contextmanager
    def unlogged(self) -> Iterator[None]:
        """Keep the secrets out of what the HTTP libraries log while a request is under way."""

        def public(record: logging.LogRecord) -> bool:
            record.msg, record.args = self.public(record.getMessage()), ()
            return True

        names = [name for name in logging.root.manager.loggerDict if name.startswith(_HTTP_LOGGERS)]
        loggers = [logging.getLogger(name) for name in names if self.secrets]
        for logger in loggers:
            logger.addFilter(public)
        try:
            yield
        finally:
            for logger in loggers:
                logger.removeFilter(public)

    def request(self, *, with_secrets: bool) -> WebRequest:
        """The request as it is sent; an archive was recorded without keys and is asked without them."""
        address, headers = self.address, [("accept", self.accept)]
        if self.content:
            headers.append(("content-type", JSON))
        if with_secrets:
            headers += self.secret_headers.items()
            address += self.secret_path
            if self.secret_query:
                address += ("&" if "?" in address else "?") + urlencode(self.secret_query)
        return WebRequest(address, self.method, tuple(headers), self.content.encode())


def check(asked: Asked, response: WebResponse, waited: float) -> None:
    """Refuse an HTTP error, in the words of a data provider."""
    if response.status in _REFUSED:
        told = _REFUSED[response.status].format(
            "refuses the key that is set" if asked.secrets else "asks for a key"
        )
        raise PageBlocked(f"{asked.provider} ({named(asked.address)}) {told}", status=response.status)
    if asked.secrets and response.status in REDIRECTS:
        raise PageNotLoaded(
            f"{asked.provider} ({named(asked.address)}) leads elsewhere (HTTP {response.status}), "
            "and a key goes to no other address. Use another tool.",
            status=response.status,
        )
    try:
        check_status(asked.address, response)
    except PageError as error:
        later = f" (Waited {waited:g} s in all before this was said.)" if waited else ""
        error.args = (f"{asked.provider}: {error}{later}",)
        raise


def refuse_said_errors(data: Json, name: str) -> None:
    """Refuse an error that came with status 200: CoinGecko's, or one of JSON-RPC 2.0."""
    for path in (("status", "error_message"), ("error", "message")):
        if isinstance(data, dict) and isinstance(said := at(data, path), str):
            raise WrongContent(f"{name} refused: {own_words(said)} Change the call, or use another tool.")


def own_words(said: str) -> str:
    """A provider's error in one line, without a contract's reason to revert, which are anybody's words."""
    return _REASON.sub(r"\1", one_line(said, 200))


def exchange(asked: Asked, answer: WebAnswer) -> Exchange:
    """Request and answer as they are sealed: without secrets and without the body."""
    headers = {
        name.lower(): asked.public(value)
        for name, value in answer.response.headers
        if name.lower() in _HEADERS or name.lower().startswith(_LIMIT_HEADERS)
    }
    try:
        server_time = parsedate_to_datetime(headers["date"]) if "date" in headers else None
    except ValueError:
        server_time = None
    return Exchange(
        method=asked.method,
        url=asked.address,
        request_body=asked.content,
        status=answer.response.status,
        headers=dict(sorted(headers.items())),
        fetched_at=answer.recorded_at.astimezone(UTC),
        server_time=server_time,
        adapter=asked.provider.casefold(),
        adapter_version=asked.version,
        synthetic=answer.synthetic,
    )


def places_by_time(data: Json, key: str) -> dict[datetime, int]:
    """Where a list of (time, value) at a key has the value of each time: of two lists one may lack a time."""
    rows = at(data, (key,))
    count = len(rows) if isinstance(rows, list) else 0
    return {moment: place for place in range(count) if (moment := moment_at(data, (key, place, 0)))}
