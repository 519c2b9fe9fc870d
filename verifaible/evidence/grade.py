"""Why a page cannot be re-executed to the evidence that it showed, in a sentence."""

from __future__ import annotations

from verifaible.archive.streams import STREAM_TYPE
from verifaible.evidence.capture import Evidence
from verifaible.evidence.replay import STARVED
from verifaible.schema.check import Check
from verifaible.schema.citation import ValueSource

#: So many addresses are named, and so many characters of each.
_NAMED = 3
_LONGEST = 300


def why_not_page(evidence: Evidence, source: ValueSource, check: Check) -> str:
    """The reason for the grade ``snapshot``: what feeds the page, what no capture holds, or what differed.

    Args:
        evidence: what is sealed.
        source: where the cited words came from.
        check: the replay that did not show them.
    """
    said = _why(evidence, source, check)
    return " ".join("".join(char if char.isprintable() else " " for char in said).split())


def _why(evidence: Evidence, source: ValueSource, check: Check) -> str:
    # No words of the page: models are told the reason beside what is marked as the page's.
    missing = " ".join("".join(check.message.partition(STARVED)[1:]).split())[:_LONGEST]
    unlike = f"Re-executed, the evidence was {check.verdict}. {missing}".rstrip()
    lacking = evidence.provenance.get("not_replayable")
    without = f"No capture can hold {_some(lacking)}." if lacking else ""
    if source.kind == "frame":
        return f"The words came over {_streams(evidence)}: streams are recorded and not played."
    if source.kind == "script" and without:
        return without
    if source.kind == "script" and _streams(evidence):
        return f"The page is fed over {_streams(evidence)}: streams are recorded and not played."
    if source.kind == "script":
        return f"The page's script makes up these words, or a part of them, each time it runs. {unlike}"
    return f"It does not show the same each time. {unlike} {without}".rstrip()


def may_fail(evidence: Evidence, check: Check) -> bool:
    """Whether a page may well fail to open again: it is fed by streams, or asks for what no capture holds.

    ``check``: the replay that failed; it names what the page asked for in vain.
    """
    fed = evidence.provenance.get("not_replayable") or _streams(evidence)
    return bool(fed) or STARVED in check.message


def _streams(evidence: Evidence) -> str:
    """The connections that stayed open, by address."""
    found = [each.request.url for each in evidence.exchanges if each.response.content_type == STREAM_TYPE]
    return _some(list(dict.fromkeys(found)))


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{'; '.join(' '.join(each.split())[:_LONGEST] for each in names[:_NAMED])}{more}"
