"""The capture of a source that somebody gave: its bytes, the text that is searched, and who gave it.

A source is what a model had before it: the text of a page, an API's answer, a snippet. Nobody here fetched
it; a trace, a table or a run gave its words. So its capture proves that these are the words that were given,
and nothing of the site that they are said to be from. It is a WACZ as any capture, without a record of the
web, since nothing was asked of it:

- ``evidence/source.txt``, ``.json``, ``.html``, ``.md`` or ``.bin``: the bytes exactly as they were given;
- ``evidence/text.txt``, where those bytes are no plain UTF-8 text: the text that is searched;
- ``evidence/provenance.json``: who gave them, what they are said to be, and what this proves. Of an answer
  that a data tool fetched it has the exchange, too: request, status, headers, times, and which adapter asked.

Equal sources give equal captures (until the store's key is changed), so that none is kept twice. For that the
archive is dated by what the input says of its time, or 1980 where it says nothing; when a source was put into
the store says the custody entry that names it.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from verifaible.archive.signing import Signer
from verifaible.archive.wacz import WaczWriter
from verifaible.errors import ToolError
from verifaible.extract.charset import decode_html, is_utf8
from verifaible.schema.analyst import Origin, SourceKind
from verifaible.schema.base import Record
from verifaible.schema.data import Exchange
from verifaible.text.json_pointer import read_json

#: The form of these captures; it is all that they say of the software.
FORMAT: Final = 1
TEXT: Final = "evidence/text.txt"
PROVENANCE: Final = "evidence/provenance.json"
WHAT_IT_PROVES: Final = (
    "The hashes prove that these are the words that the input gave as its source. They do not prove that the "
    "site that is named said so, nor when."
)
WHAT_A_FETCH_PROVES: Final = (
    "The hashes prove that this program recorded this answer to this request. They do not prove that the "
    "provider sent it: an answer is not signed by who sends it."
)
_UNDATED: Final = datetime(1980, 1, 1, tzinfo=UTC)
_SURROGATE = re.compile("[\ud800-\udfff]")
_MARKUP = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!doctype html|<html[\s>])", re.IGNORECASE
)
_SUFFIX: Final = {"json": "json", "html": "html", "markdown": "md", "text": "txt"}


class SourceOrigin(Record):
    """Who gave sources: the kind of input, its name without folders, and the SHA-256 of its bytes.

    ``run`` is a run of our own, which gives them while it goes on: there is no file to hash.
    """

    kind: Origin | Literal["run", "filing"]
    name: str
    sha256: str = ""


class SourceDraft(Record):
    """A source before it is kept.

    Attributes:
        id: what the answer calls it.
        kind: what it is.
        body: its bytes, exactly as they were given.
        url: where it is said to be from.
        title: its title, or the name of the call that gave it.
        media_type: of the bytes, where it is known; else they are looked at.
        aliases: what else the answer may call it.
        at: when it was given, by the input.
        text: what is searched, where whoever gives it has read it; else the bytes are read here.
        exchange: of an answer that we fetched ourselves, the request and the rest of the answer.
    """

    id: str
    kind: SourceKind
    body: bytes
    url: str = ""
    title: str = ""
    media_type: str = ""
    aliases: tuple[str, ...] = ()
    at: datetime | None = None
    text: str = ""
    exchange: Exchange | None = None


@dataclass(frozen=True, slots=True)
class Sealed:
    """The bytes of a capture, their SHA-256, and the file in it whose text is searched."""

    data: bytes
    sha256: str
    file: str
    fault: str = ""


def seal(draft: SourceDraft, origin: SourceOrigin, signer: Signer) -> Sealed:
    """A source as a signed WACZ; equal drafts of one origin give equal bytes."""
    form = _form_of(draft)
    source = f"evidence/source.{_SUFFIX.get(form, 'bin')}"
    files = {source: draft.body}
    fault = ""
    searched = source
    if form in ("html", "pdf", "other") or not is_utf8(draft.body):
        text, fault = (draft.text, "") if draft.text else _searched_text(draft, form)
        searched = TEXT
        files[TEXT] = plain(text).encode()
    elif form == "json":
        fault = _json_fault(draft.body)
    created = _in_utc(draft.at) if draft.at else _UNDATED
    files[PROVENANCE] = _provenance(draft, origin, files, searched)
    target = io.BytesIO()
    title = plain(draft.title or draft.url or f"Source ({draft.kind})")
    with WaczWriter(
        target,
        title=title,
        description=f"A source that {plain(origin.name)} gave. "
        f"{WHAT_A_FETCH_PROVES if draft.exchange else WHAT_IT_PROVES}",
        created=created,
        software=f"verifaible source {FORMAT}",
        # Stored as they are: other compressors give other bytes, and monotonous text would look like a bomb.
        compress=False,
        signer=signer,
    ) as writer:
        for name in sorted(files):
            writer.add_file(name, files[name])
        sha256 = writer.close()
    return Sealed(target.getvalue(), sha256, searched, fault)


def _provenance(draft: SourceDraft, origin: SourceOrigin, files: dict[str, bytes], searched: str) -> bytes:
    said: dict[str, Any] = {
        "format": FORMAT,
        "made_by": "given",
        "given_by": origin.model_dump(mode="json"),
        "given_at": _in_utc(draft.at).isoformat() if draft.at else "",
        "kind": draft.kind,
        "url": draft.url,
        "title": draft.title,
        "media_type": draft.media_type,
        "searched": searched,
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())},
        **({"exchange": draft.exchange.model_dump(mode="json")} if draft.exchange else {}),
        "kept_at": "The custody entry that names this capture says when it was put into the store.",
        "what_it_proves": WHAT_A_FETCH_PROVES if draft.exchange else WHAT_IT_PROVES,
    }
    return (json.dumps(said, ensure_ascii=True, indent=1) + "\n").encode()


def plain(text: str) -> str:
    """Text that UTF-8 can hold: half surrogate pairs become U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def _in_utc(moment: datetime) -> datetime:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


def _form_of(draft: SourceDraft) -> str:
    """Which of the forms the bytes have: what is said of them counts, then what they begin with."""
    media = draft.media_type.partition(";")[0].strip().lower()
    head = draft.body[:1024]
    begins_json = draft.kind == "api" and head.lstrip()[:1] in (b"{", b"[")
    text = media.startswith("text/") or media.endswith(("xml", "javascript", "csv"))
    forms = {
        "pdf": b"%PDF-" in head or media == "application/pdf",
        "json": media.endswith(("/json", "+json")) or begins_json,
        "html": media in ("text/html", "application/xhtml+xml") or (not media and _MARKUP.match(head)),
        "markdown": media in ("text/markdown", "text/x-markdown"),
        "text": text or is_utf8(draft.body) or (not media and not _looks_binary(head)),
    }
    return next((form for form, fits in forms.items() if fits), "other")


def _looks_binary(head: bytes) -> bool:
    """NUL bytes, but not those of UTF-16, or many control characters."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return False
    return b"\0" in head or sum(byte < 9 or 13 < byte < 32 for byte in head) * 20 > len(head)


def _json_fault(data: bytes) -> str:
    try:
        read_json(data.decode())
    except ValueError as error:
        return f"It is said to be JSON and is none ({error}); it is searched as text."
    return ""


def _searched_text(draft: SourceDraft, form: str) -> tuple[str, str]:
    """The text of bytes that are no plain UTF-8 text, and what is wrong with it."""
    if form == "pdf":
        return _pdf_text(draft.body)
    if form == "other":
        return "", f"Bytes of the type {draft.media_type or 'unknown'} hold no text that can be searched."
    if half := "" if is_utf8(draft.body) else _half_pairs(draft.body):
        fault = "Half surrogate pairs are shown as U+FFFD."
        return _html_text(half, draft.url, fault) if form == "html" else (half, fault)
    decoded = decode_html(draft.body, draft.media_type or ("" if form == "html" else "text/plain"))
    fault = (
        f"{decoded.replaced} malformed sequences of bytes are shown as U+FFFD." if decoded.replaced else ""
    )
    if form != "html":
        return decoded.text, fault
    return _html_text(decoded.text, draft.url, fault)


def _half_pairs(data: bytes) -> str:
    """The text of bytes that are UTF-8 but for half surrogate pairs, as a cut emoji leaves; else empty."""
    try:
        return plain(data.decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        return ""


def _html_text(markup: str, url: str, fault: str) -> tuple[str, str]:
    """What a reader sees of a page, tables in their place."""
    from verifaible.extract.html import html_document
    from verifaible.extract.markdown import document_markdown

    try:
        page = html_document(markup, url or "about:blank")
        text = document_markdown(page).text
    except (ToolError, ValueError, RecursionError) as error:
        return (
            markup,
            f"It cannot be read as a page ({error}); its markup is searched as text. {fault}".strip(),
        )
    return f"{page.title}\n\n{text}".strip(), fault


def _pdf_text(data: bytes) -> tuple[str, str]:
    from verifaible.extract.markdown import document_markdown
    from verifaible.extract.pdf import pdf_document

    try:
        text = document_markdown(pdf_document(data)).text
    except (ToolError, RuntimeError, ValueError) as error:
        return "", f"The PDF cannot be read: {error}"
    return text, "" if text.strip() else "The PDF has no text layer, so nothing in it can be found."
