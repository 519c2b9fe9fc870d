"""A verified contract, what was found in it, and how far the analysis came."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

from pydantic import Field

from verifaible.schema.base import Record

Impact: TypeAlias = Literal["High", "Medium", "Low", "Informational", "Optimization"]
#: How the analysis of the source ended: ``done``, or why there is none.
Ended: TypeAlias = Literal[
    "done",
    "no_slither",
    "no_node",
    "no_compiler",
    "not_solidity",
    "unsafe_source",
    "compile_error",
    "limit",
    "failed",
]


class SourceFile(Record):
    """A file of a verified source.

    Attributes:
        path: its name as it was verified.
        content: its text.
        pointer: the JSON Pointer in the sealed answer to the text that holds it.
    """

    path: str
    content: str
    pointer: str


class VerifiedContract(Record):
    """A contract whose source was verified by somebody who compiled it and compared the bytecode.

    Attributes:
        chain: its number (EIP-155).
        address: with ``0x``.
        provider: who verified it.
        source: the mark of the sealed answer.
        match: how well the bytecode agrees, in the provider's word.
        verified_at: when, where the provider says.
        name: of the contract in its source.
        language: ``Solidity``, ``Vyper`` or another.
        compiler: version that it was compiled with, without the commit.
        settings: of the compiler.
        files: the source.
        proxy: whether the provider says that it is a proxy.
        implementations: addresses that the proxy hands its calls to, as the provider resolved them.
    """

    chain: int
    address: str
    provider: str
    source: str
    match: str = ""
    verified_at: datetime | None = None
    name: str = ""
    language: str = "Solidity"
    compiler: str = ""
    settings: dict[str, Any] = Field(default_factory=dict)
    files: tuple[SourceFile, ...]
    proxy: bool = False
    implementations: tuple[str, ...] = ()


class Place(Record):
    """Lines of a source file.

    Attributes:
        path: the file, as verified.
        start: the first line, from 1.
        end: the last line, included.
        kind: what stands there, in Slither's words: ``node``, ``function``, ``variable``, ``contract``.
        name: its name or its text.
        source: the mark of the sealed answer that holds the file.
        pointer: the JSON Pointer to its text there.
        lines: the JSON Pointer of the list of the lines in the sealed result of Slither.
    """

    path: str
    start: int
    end: int
    kind: str = ""
    name: str = ""
    source: str = ""
    pointer: str = ""
    lines: str = ""


class Doubt(Record):
    """A model's reason to think that a finding is no fault; it removes nothing.

    Attributes:
        reason: in a sentence.
        path: the file that the quote stands in.
        line: where the quote begins, from 1.
        quote: the words of the source that the reason rests on.
    """

    reason: str
    path: str
    line: int
    quote: str


class Finding(Record):
    """Something that a detector of Slither reports.

    Attributes:
        id: ``F1``, ``F2`` and so on, the gravest first.
        detector: its name, such as ``reentrancy-eth``.
        impact: how grave it is, by the detector.
        confidence: how sure the detector is: ``High``, ``Medium`` or ``Low``.
        description: its words.
        places: the lines; the narrowest first.
        pointer: the JSON Pointer of the finding in Slither's sealed result.
        doubt: set where the review calls it likely false.
    """

    id: str
    detector: str
    impact: Impact
    confidence: str
    description: str
    places: tuple[Place, ...]
    pointer: str
    doubt: Doubt | None = None


class Detection(Record):
    """What Slither said of a source, or why it said nothing.

    Attributes:
        ended: how it went.
        message: what to know or do, in sentences.
        findings: those of impact High and Medium.
        first_lines: of each impact, for each finding, the pointer of its first line in the sealed result;
            empty where it has none.
        compiler: the version that compiled the source here.
        slither: the version of Slither.
        network_off: whether the programs ran without a network.
        recorded: whether the result was recorded before.
        source: the mark of Slither's sealed result.
    """

    ended: Ended
    message: str = ""
    findings: tuple[Finding, ...] = ()
    first_lines: dict[Impact, tuple[str, ...]] = Field(default_factory=dict)
    compiler: str = ""
    slither: str = ""
    network_off: bool = False
    recorded: bool = False
    source: str = ""
