"""The report on a contract, as Markdown: what was found, what a model doubts, what was not looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verifaible.crypto.contracts.slither import Detection, Finding, Impact, Place
from verifaible.crypto.contracts.source import VerifiedContract
from verifaible.reporting.tables import escaped
from verifaible.tools.presenting import one_line

#: Lines of the source that are quoted of a finding.
_QUOTED = 8
_LIMITS = (
    "Slither looks for known patterns in the code. It does not see what a function should have forbidden, "
    "who holds the keys of its owners, the economics of the token, prices from oracles, or the contracts "
    "that this one calls. A source without findings is not thereby free of faults."
)


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that is known of a contract.

    Attributes:
        asked: what the person named.
        contract: whose source was analysed.
        proxy: in front of it, where that is another contract.
        detection: what Slither said.
        review: a sentence about the review.
        counts: how many findings there are of each impact, with the mark of that value.
        left: further contracts that were not looked at, a sentence each.
        synthetic: whether the source is from a replica.
    """

    asked: str
    contract: VerifiedContract
    proxy: VerifiedContract | None
    detection: Detection
    review: str
    counts: Mapping[Impact, str]
    left: Sequence[str] = ()
    synthetic: bool = False


def report(analysis: Analysis) -> str:
    """The report; words of a stranger in it are escaped."""
    contract, detection = analysis.contract, analysis.detection
    parts = [f"# Contract of {_plain(analysis.asked)}: {_plain(contract.name) or 'no name'}"]
    parts.append("\n".join(f"- {line}" for line in _facts(analysis)))
    parts.append("## Findings")
    if not detection.done:
        parts.append(f"The source was not analysed: {_plain(detection.message)}")
    else:
        parts.append(_counted(analysis))
        if detection.findings:
            parts.append(_table(detection.findings))
        files = {file.path: file.content.split("\n") for file in contract.files}
        parts += [_finding(each, files, detection.source) for each in detection.findings]
    left = [*analysis.left, *([_LIMITS] if detection.done else [])]
    parts += ["## Not looked at", "\n".join(f"- {line}" for line in left)] if left else []
    return "\n\n".join(parts) + "\n"


def _facts(analysis: Analysis) -> list[str]:
    contract, proxy, detection = analysis.contract, analysis.proxy, analysis.detection
    verified = f"{contract.verified_at:%Y-%m-%d}" if contract.verified_at else "a day that is not told"
    lines = [
        f"Address: `{contract.address}` on chain {contract.chain} (EIP-155).",
        f"Source: verified by {contract.provider} ({_plain(contract.match)}) on {verified}, "
        f"{contract.language} {contract.compiler} [{contract.source}].",
    ]
    if analysis.synthetic:
        lines.insert(0, "Made up: a replica stands in for the provider, and its source is no real token's.")
    if proxy:
        behind = f"({_plain(proxy.name)}) hands its calls to `{contract.address}`"
        lines.insert(0, f"Proxy: `{proxy.address}` {behind}; that can be another one later [{proxy.source}].")
    if contract.proxy:
        lines.append(f"`{contract.address}` is a proxy itself; the contract behind it was not analysed.")
    if detection.done:
        how = "recorded before, not run now" if detection.recorded else "run now"
        network = "" if detection.recorded or detection.network_off else " with the network not cut off"
        lines.append(
            f"Analysis: Slither {_plain(detection.slither)}, {how}{network}; compiled with Solidity "
            f"{_plain(detection.compiler)} [{detection.source}]."
        )
        lines.append(f"Review: {_plain(analysis.review)}")
    return lines


def _counted(analysis: Analysis) -> str:
    told = [
        f"{analysis.counts[each]} of impact {each}" for each in ("High", "Medium") if each in analysis.counts
    ]
    more = [f"{count} {each}" for each, count in analysis.counts.items() if each not in ("High", "Medium")]
    grave = " and ".join(told) or "nothing of impact High or Medium"
    said = f"Slither reports {grave}."
    return f"{said} Not listed: {', '.join(more)}." if more else said


def _table(findings: Sequence[Finding]) -> str:
    lines = ["| | impact | confidence | detector | where | review |", "|---|---|---|---|---|---|"]
    for each in findings:
        where = _where(each.places[0]) if each.places else "the whole source"
        review = "likely false" if each.doubt else ""
        cells = (each.id, each.impact, _plain(each.confidence), _plain(each.detector), where, review)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _finding(finding: Finding, files: Mapping[str, Sequence[str]], source: str) -> str:
    parts = [f"### {finding.id}: {_plain(finding.detector)} ({finding.impact})"]
    parts.append(f"{_plain(finding.description)} [{source}]")
    for place in finding.places[:1]:
        lines = files[place.path][place.start - 1 : place.end]
        text = "\n".join(f"{number}: {line}" for number, line in enumerate(lines[:_QUOTED], place.start))
        more = "" if len(lines) <= _QUOTED else f" The first {_QUOTED} lines are quoted."
        fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
        parts.append(f"{_where(place)} [{place.source}].{more}\n\n{fence}\n{text}\n{fence}")
    if doubt := finding.doubt:
        parts.append(
            f"A model calls this likely false: {_plain(doubt.reason)} It quotes {_plain(doubt.path)}, "
            f"line {doubt.line}: “{_plain(doubt.quote)}”"
        )
    return "\n\n".join(parts)


def _where(place: Place) -> str:
    lines = f"line {place.start}" if place.start == place.end else f"lines {place.start} to {place.end}"
    return f"{_plain(place.path)}, {lines}"


def _plain(text: str) -> str:
    return escaped(one_line(text, 600)).replace("|", "\\|")
