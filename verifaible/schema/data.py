"""Values of data that were fetched, and values computed from them: each at a place in sealed bytes."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Literal

from pydantic import Field

from verifaible.schema.base import Record, StorableText


class Facets(Record):
    """What a number counts: a number with other facets is another number.

    Attributes:
        asset: whose it is: a ticker, a contract's address, or a market such as ``BTCUSDT``; empty for the
            whole market.
        field: what is counted: ``price``, ``volume_24h``, ``change_24h``, ``rsi``.
        unit: a currency's code, a ticker, ``per cent``, ``s``; empty for a pure number.
        at: the time that the value is of, where the data or the way of computing say so.
    """

    asset: str = ""
    field: str = ""
    unit: str = ""
    at: datetime | None = None


class DataPoint(Facets):
    """A number in the bytes of a sealed source.

    Attributes:
        source: the source's mark in its answer, such as ``src_3``.
        pointer: the JSON Pointer (RFC 6901) of the number in the source's JSON.
        value: the number there, in all its digits.
    """

    source: str
    pointer: str
    value: Decimal


class Operand(Record):
    """What a computation reads: a value, or the list of values that a pointer with ``*`` in it means.

    Attributes:
        source: a source's mark, or that of another computed value.
        pointer: a JSON Pointer; a part ``*`` means each element of a list, in order. Empty for a computed
            value.
    """

    source: str
    pointer: str = ""


class Computed(Facets):
    """A value computed from sealed data, so that anybody can compute it again.

    Attributes:
        id: its mark in the answer, such as ``calc_1``.
        function: the name of the function.
        version: of the function: the same version gives the same result for ever.
        inputs: what it read, by the name of the function's parameter.
        parameters: its other parameters.
        result: what came out.
    """

    id: str
    function: str
    version: int
    inputs: dict[str, tuple[Operand, ...]]
    parameters: dict[str, str] = Field(default_factory=dict)
    result: Decimal


class Display(Record):
    """Something that a person sees beside a tool's reply; the model has the reply's text.

    Attributes:
        kind: a chart, a table or a report.
        title: what it shows.
        sources: the marks of the data that it is made from.
        markdown: a table or a report.
        png_base64: the picture of a chart, for people and for models that read pictures.
        alt: what the picture shows, for those who do not see it.
    """

    kind: Literal["chart", "table", "report"]
    title: StorableText
    sources: tuple[str, ...] = ()
    markdown: StorableText = ""
    png_base64: str = ""
    alt: StorableText = ""


class NumberEvidence(Record):
    """A number of the answer and what it rests on.

    Attributes:
        start: where it begins in the answer's text, in code points.
        end: where it ends.
        status: ``resolved``: the data say it; ``wrong``: what it points to says another; ``none``: it
            points to nothing.
        mark: of the source or the computed value.
        pointer: the JSON Pointer in the source.
        reason: why it is not resolved, in a sentence; empty where it is.
    """

    start: int
    end: int
    status: Literal["resolved", "wrong", "none"]
    mark: str = ""
    pointer: str = ""
    reason: str = ""


class Exchange(Record):
    """What was asked of a provider and how it answered, without secrets; the body stands beside it.

    Attributes:
        method: of the request.
        url: with its query; keys are left out.
        request_body: what a POST sent.
        status: of the answer.
        headers: of the answer, those that say what it is, of what time, and what the provider still allows.
        fetched_at: when it came, or was recorded.
        server_time: what the provider's clock said (``Date``).
        adapter: which reader of the provider asked, such as ``coingecko``.
        adapter_version: of that reader: another one may ask or read otherwise.
        synthetic: whether a replica answered.
    """

    method: str
    url: str
    request_body: str = ""
    status: int
    headers: dict[str, str] = Field(default_factory=dict)
    fetched_at: datetime
    server_time: datetime | None = None
    adapter: str
    adapter_version: int = 1
    synthetic: bool = False
