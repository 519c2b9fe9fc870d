"""The one handler of all endpoints: it asks, filters, sorts, shows, and declares each number it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from verifaible.crypto.assets.names import Names
from verifaible.crypto.assets.resolver import folded
from verifaible.crypto.providers.coins import resolve
from verifaible.crypto.providers.endpoint import (
    Endpoint,
    Lookup,
    Part,
    Places,
    Where,
    arguments_of,
    endpoints,
    words_at,
)
from verifaible.crypto.providers.json_values import (
    TIME,
    Field,
    Json,
    Row,
    at,
    decimal_at,
    facts,
    filled,
    known,
    moment_at,
    path_of,
    pointer,
    rows_of,
    surprise,
    table,
    text_at,
)
from verifaible.crypto.providers.session import Api, ApiAnswer
from verifaible.errors import BadArguments, DataNotAvailable, OfflineMiss, PageNotLoaded
from verifaible.schema.base import Record
from verifaible.schema.data import DataPoint, Display
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Tool

#: Of a long history so many rows are shown, evenly thinned.
_SERIES_ROWS: Final = 32
_NEAREST: Final = 5
#: The words of a call: its arguments, and what was found for them.
Words: TypeAlias = dict[str, str]
#: Further words of a call, which no table has.
Hook: TypeAlias = Callable[[Any, Api], Words]


def tools_of(
    provider: str, api: Api, places: Places, hooks: Mapping[str, Hook] | None = None
) -> tuple[Tool[Any], ...]:
    """A tool over one session for each endpoint of a provider's file.

    Args:
        provider: the name of the file.
        api: the session.
        places: where the providers are.
        hooks: by tool, what adds words to a call.
    """

    def tool(endpoint: Endpoint) -> Tool[Any]:
        async def handle(arguments: Record) -> ToolReply:
            return await ask(api, places, endpoint, arguments, (hooks or {}).get(endpoint.tool))

        return Tool(endpoint.tool, endpoint.about, arguments_of(endpoint.tool, provider), handle)

    return tuple(map(tool, endpoints(provider).values()))


async def ask(
    api: Api, places: Places, endpoint: Endpoint, arguments: Record | Words, hook: Hook | None = None
) -> ToolReply:
    """What an endpoint answers, sealed, shown and declared.

    Raises:
        AmbiguousAsset: an asset's name means several.
        BadArguments: nothing fits the arguments; the message names the nearest.
        DataNotAvailable: an earlier time is asked about, of which the provider has nothing.
        ToolError: as of :meth:`Api.get`.
    """
    if endpoint.live_only:
        api.live_only(endpoint.live_only)
    given = arguments.items() if isinstance(arguments, dict) else arguments
    words = {name: "" if value is None else _word(value) for name, value in given}
    for name in endpoint.lower:
        words[name] = folded(words[name])
        words[name.upper()] = words[name].upper()
    if endpoint.coins:
        words |= await _coins(api, places, words[endpoint.coins], endpoint.coins)
        if "{market}" in "".join(endpoint.query.values()) and not words["market"]:
            raise DataNotAvailable(
                f"No market of {words['name']} in USDT is known at {endpoint.provider}. Use another source."
            )
    if endpoint.lookup:
        words |= await _looked_up(api, places, endpoint, endpoint.lookup, words[endpoint.lookup.argument])
    words |= hook(arguments, api) if hook else {}
    for name, choices in endpoint.words.items():
        value = words.get(choices.get("of", ""), "")
        words[name] = filled(choices.get(value, choices.get("any", "")), words)
    try:
        return await replied(api, await fetched(api, places, endpoint, words), endpoint, words)
    except OfflineMiss:
        several = words[endpoint.coins].split(",") if endpoint.coins else []
        if len(several) < 2:
            raise
    # an archive has the coins that were asked for when it was made, be it each by itself
    calls = [words | {endpoint.coins: each} for each in several]
    answers = [(await fetched(api, places, endpoint, each), each) for each in calls]
    return joined([await replied(api, answer, endpoint, each) for answer, each in answers])


async def fetched(api: Api, places: Places, endpoint: Endpoint, words: Words) -> ApiAnswer:
    """The answer of an endpoint's address.

    Raises:
        BadArguments: the provider does not know what is asked for.
        ToolError: as of :meth:`Api.get`.
    """
    path = filled(endpoint.path, {name: quote(value, safe="") for name, value in words.items()})
    query = {name: value for name, each in endpoint.query.items() if (value := filled(each, words))}
    url = getattr(places, endpoint.place).rstrip("/") + path.rstrip("/")
    try:
        return await api.get(endpoint.provider, url, query, secret_headers=endpoint.keyed(api.web.settings))
    except PageNotLoaded as error:
        if endpoint.unknown and error.status in (400, 404):
            said = f"{filled(endpoint.unknown, words)} (HTTP {error.status}). Use another source."
            raise BadArguments(said) from error
        raise


def joined(replies: Sequence[ToolReply]) -> ToolReply:
    """Several replies as one."""
    return ToolReply(
        text="\n\n".join(reply.text for reply in replies),
        displays=tuple(display for reply in replies for display in reply.displays),
    )


def _word(value: object) -> str:
    """An argument as it is compared and sent."""
    if isinstance(value, bool):
        return str(value) if value else ""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value).strip()


async def _coins(api: Api, places: Places, written: str, argument: str) -> Words:
    """The ids of assets, and how each is called: the ticker of an id is a word, too."""
    found = [await resolve(api, places.coingecko, each) for each in dict.fromkeys(written.split(","))]
    first, notes = found[0].asset, dict.fromkeys(match.note for match in found if match.note)
    tickers = {f":{match.asset.id}": match.asset.symbol for match in found}
    return tickers | {
        argument: ",".join(sorted(match.asset.id for match in found)),
        "name": first.name,
        "symbol": first.symbol,
        "market": "" if first.binance == "USDT" else first.binance,
        "note": "\n".join(notes),
    }


async def _looked_up(api: Api, places: Places, endpoint: Endpoint, lookup: Lookup, written: str) -> Words:
    """What a provider's list has of the row that bears a name; empty words where nothing was written."""
    sought = written.removeprefix("$")
    if not sought:
        return dict.fromkeys(lookup.gives, "")
    answer = await api.get(endpoint.provider, getattr(places, endpoint.place).rstrip("/") + lookup.path)
    every = rows_of(answer.data, (), answer.name)
    for key in lookup.keys:
        if alike := [row for row in every if Where(path=key, test="is", value="").fits(row[1], sought)]:
            _, row = _ordered(alike, "-tvl")[0]
            return {name: text_at(row, (field,)) for name, field in lookup.gives.items()}
    where = Where(path="|".join(lookup.keys), test="is", value=f"{{{lookup.argument}}}")
    raise _none_fits(answer.name, every, where, sought)


async def replied(api: Api, answer: ApiAnswer, endpoint: Endpoint, words: Words) -> ToolReply:
    """An answer as the model reads it, with all its numbers declared.

    Raises:
        BadArguments: none of its rows is wanted.
        WrongContent: it is of another form than the provider documents.
    """
    shown: list[str] = []
    points: list[DataPoint] = []
    seen: list[str] = []
    moments: list[datetime] = []
    among: list[Row] = []
    for part in endpoint.parts:
        every = rows_at(answer, part)
        rows = wanted_rows(answer, every, part, words)
        if not rows:
            among += every
            continue
        columns = [each.of(words) for each in part.fields]
        few = _thinned(rows) if part.kind == "series" else rows
        text = _shown(few, columns, part, of=len(rows if part.kind == "series" else every))
        shown.append(f"{part.head}:\n{text}" if part.head else text)
        times = [moment for _, row in few if part.at and (moment := moment_at(row, path_of(part.at)))]
        if times and part.kind != "events":
            moments.append(times[-1] if part.kind == "series" else min(times))
        points += [each for row in few for each in declared(row, columns, part, words)]
        if part.seen:
            told = table(few, [each for each in columns if each.path in part.seen.split()])
            seen.append(f"{part.head}:\n\n{told}" if part.head else told)
    if not shown:
        raise _none_fits(answer.name, among)
    title = " ".join(filled(endpoint.title, words).split())
    shown.append(words.get("note", ""))
    return await api.reply(
        answer,
        title,
        "\n\n".join(filter(None, shown)),
        as_of=min(moments, default=None),
        points=points,
        displays=[Display(kind="table", title=title, markdown="\n\n".join(seen))] if seen else [],
    )


def rows_at(answer: ApiAnswer, part: Part) -> list[Row]:
    """The rows of a part, each with its path; what is no row in a list is passed over.

    Raises:
        WrongContent: the answer has no such rows, and must.
    """
    path = path_of(part.rows[:-2] if part.several else part.rows)
    found = at(answer.data, path)
    listed = part.rows.endswith("/*")
    if not isinstance(found, list if listed else dict):
        if part.optional:
            return []
        raise surprise(answer.name, f"no {'list' if listed else 'object'} at {pointer(path) or 'its root'}")
    if not part.several:
        return [(path, found)]
    keys: Iterable[str | int] = found if isinstance(found, dict) else range(len(found))
    rows: list[Row] = [((*path, key), row) for key in keys if _is_row(row := at(found, (key,)), part)]
    if not rows and part.kind == "series":
        raise surprise(answer.name, f"no dated values at {pointer(path) or 'its root'}")
    return rows


def _is_row(row: Json, part: Part) -> bool:
    if part.plain:
        return decimal_at(row) is not None
    if part.kind == "series":
        return moment_at(row, path_of(part.at)) is not None
    return isinstance(row, dict)


def wanted_rows(answer: ApiAnswer, every: Sequence[Row], part: Part, words: Words) -> list[Row]:
    """The rows that are wanted, in their order; a word becomes what the provider itself writes for it.

    Raises:
        BadArguments: none fits; the message names the nearest.
    """
    rows = [row for row in every if not (part.without and part.without in str(row[0][-1]))]
    several = 0
    for each in part.where:
        wanted = filled(each.value, words)
        if not known(each.value, words) or not wanted.strip("-"):
            continue
        where = each.model_copy(update={"path": filled(each.path, words)})
        names = wanted.split(",") if each.test == "is" else [wanted]
        if each.test == "is":
            several += len(names)
            for name in names:
                if not any(where.fits(row, name) for _, row in every):
                    raise _none_fits(answer.name, every, where, name)
            _respell(words, where, every)
        rows = [row for row in rows if any(where.fits(row[1], name) for name in names)]
    order = part.order.get(words.get("order_by", ""), part.order.get("any", ""))
    rows = _ordered(rows, filled(order, words)) if order else rows
    most = filled(part.limit, words)
    count = max(int(most), several) if most else len(rows)
    return rows[:count] if part.kind == "now" else rows[-count:]


def _respell(words: Words, where: Where, every: Sequence[Row]) -> None:
    """Write the word that rows are chosen by as the provider does, whose places may have it."""
    name = where.value.strip("{}")
    sought = words.get(name, "").casefold()
    own = (word for _, row in every for word in words_at(at(row, path_of(where.path))))
    if spelt := next((word for word in own if word.casefold() == sought), ""):
        words[name] = spelt


def _ordered(rows: list[Row], order: str) -> list[Row]:
    sign = -1 if order.startswith("-") else 1
    paths = [path_of(each) for each in order.removeprefix("-").split("|")]

    def key(row: Row) -> tuple[bool, Decimal]:
        value = next((each for path in paths if (each := decimal_at(row[1], path)) is not None), None)
        return value is None, sign * (value or Decimal(0))

    return sorted(rows, key=key)


def _none_fits(name: str, every: Sequence[Row], where: Where | None = None, wanted: str = "") -> BadArguments:
    """The error where no row fits: which word is unknown, and the nearest that are known."""
    if where is None:
        return BadArguments(
            f"{name} has nothing that fits all of it, among {len(every)} rows. Widen the filters, leave one "
            "out, or search the web."
        )
    from rapidfuzz import process

    paths = [path_of(path) for path in where.path.split("|")]
    there = dict.fromkeys(word for _, row in every for path in paths for word in words_at(at(row, path)))
    near = process.extract(wanted, list(there), limit=_NEAREST, processor=str.casefold)
    listed = ", ".join(str(each[0]) for each in near)
    advice = f"Nearest: {listed}. Call again with one of these." if listed else "Leave it out."
    return BadArguments(f"{name} has no {where.value.strip('{}')} {wanted!r}. {advice}")


def _shown(rows: Sequence[Row], columns: Sequence[Field], part: Part, *, of: int) -> str:
    if not part.several or part.plain:
        return "\n".join(facts(row, columns) for row in rows)
    if part.kind != "series":
        return table(rows, columns, of=of)
    left = f"\n(The source holds all {of} of these times.)" if len(rows) < of else ""
    return table(rows, columns) + left


def _thinned(rows: Sequence[Row]) -> list[Row]:
    """Rows evenly left out where there are many, the last one always among them."""
    step = max(1, -(-len(rows) // _SERIES_ROWS))
    return [row for place, row in enumerate(reversed(rows)) if place % step == 0][::-1]


def declared(row: Row, columns: Sequence[Field], part: Part, words: Words) -> list[DataPoint]:
    """The numbers of a row as data points, without their source."""
    path, value = row
    asset = _asset(row, part, words)
    texts = value.items() if isinstance(value, dict) else ()
    own = {name: each for name, each in texts if isinstance(each, str)} | {"asset": asset}
    return [
        DataPoint(
            source="",
            pointer=pointer((*path, *path_of(each.path))),
            value=number,
            asset=asset,
            field=filled(each.name, words),
            unit=_unit(each.unit, own),
            at=moment_at(value, path_of(part.at)) if part.at else None,
        )
        for each in columns
        if each.name and each.unit != TIME and (number := decimal_at(value, path_of(each.path))) is not None
    ]


def _unit(written: str, own: Words) -> str:
    """A unit; one that stands in the row is a ticker, and none where the row lacks it."""
    if "{" not in written:
        return written
    return filled(written, own).upper() if known(written, own) else ""


def _asset(row: Row, part: Part, words: Words) -> str:
    """Whose the numbers of a row are: a ticker in capitals, or the name that the table of names has."""
    for each in filter(None, part.asset.split("|")):
        key = str(row[0][-1]) if row[0] else ""
        if each.startswith(":"):
            found = words.get(f":{key}", key)
        else:
            found = words.get(each[1:-1], "") if each.startswith("{") else text_at(row[1], path_of(each))
        if found.strip(" -"):
            return found.upper() if each.strip("{}").lower().endswith("symbol") else named(found)
    return ""


def named(written: str) -> str:
    """The name that a sentence with this name is read as: ``Uniswap V3`` speaks of Uniswap, a pool
    ``FOO / WETH 1%`` of its first token.
    """
    first, pair, _ = written.partition(" / ")
    found = Names().find(first)
    return found[0].value if found else first if pair else written
