"""``verifaible_cite``: a claim bound to the exact place that supports it."""

from __future__ import annotations

import json
import re
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from verifaible.errors import StepFailed
from verifaible.evidence.make.collect import CiteRequest, Collected
from verifaible.evidence.observing.sentence import told
from verifaible.schema.action import KnownActionSteps
from verifaible.schema.citation import Anchor, AnchorRequest
from verifaible.schema.run import ToolReply, TrialCitation
from verifaible.tools.context import ToolContext
from verifaible.tools.presenting import delimited, shorten
from verifaible.tools.step_reports import failure_reply
from verifaible.tools.toolbox import Tool

#: Characters of cells, with the rest of their row, that are shown; a sentence is shown whole.
_SHOWN = 1_000

DESCRIPTION = (
    "Create a citation: the page is opened afresh, action_steps are played, the evidence is found, sealed "
    "and replayed. Returns N for the marker [@v:N], or refuses and says what is there instead. text: "
    "quoted_text, the page's exact words. table: row_anchor and col_anchor, the headers from outer to inner. "
    "pdf: quoted_text and page_number (from 1); source_url is the PDF, or a page whose action_steps open it. "
    "video: quoted_text from video_transcript, and at. image: element_selector, element_alt or "
    "element_position."
)


def _texts(value: object) -> object:
    """One text or several; models also send the list as a JSON string."""
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("["):
            try:
                value = json.loads(text)
            except ValueError:
                value = [text]
        else:
            value = [text] if text else []
    if isinstance(value, int | float):
        value = [value]
    # A header such as 2024 comes as a number from models that see one.
    return (
        [str(each) if isinstance(each, int | float) else each for each in value]
        if isinstance(value, list | tuple)
        else value
    )


def _moment(value: object) -> object:
    """Seconds, or m:ss, or h:mm:ss."""
    if value is None or value == "":
        return None
    if isinstance(value, int | float):
        return value
    text = str(value).strip().removesuffix("s").strip()
    if not re.fullmatch(r"\d+(\.\d+)?|(\d+:)?\d{1,2}:\d{2}(\.\d+)?", text):
        raise ValueError("must be seconds such as 247.9, or a time such as 4:07 or 1:02:03")
    seconds = 0.0
    for part in text.split(":"):
        seconds = seconds * 60 + float(part)
    return seconds


def _point(value: object) -> object:
    """Two numbers, "x,y"; models also send them as a list."""
    if value is None or value == "":
        return None
    given = value.strip(" ()[]") if isinstance(value, str) else value
    parts = re.split(r"[,;\s]+", given) if isinstance(given, str) else given
    try:
        x, y = (float(str(part).removesuffix("px")) for part in parts)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise ValueError('must be two numbers such as "640,1220"') from None
    if not (0 <= x < 1e7 and 0 <= y < 1e7):
        raise ValueError("must count from the top left of the page, so neither number is negative")
    return x, y


Texts: TypeAlias = Annotated[
    tuple[str, ...],
    BeforeValidator(_texts, json_schema_input_type=list[str]),
]


class CiteArguments(BaseModel):
    """What ``verifaible_cite`` takes."""

    model_config = ConfigDict(extra="forbid")

    claim: str = Field(min_length=1, description="What it proves.")
    source_url: str = Field(min_length=1)
    quoted_text: str = ""
    evidence_type: Literal["text", "table", "pdf", "video", "image"] = "text"
    anchor: str = Field("", description="Text beside a quote that stands there twice.")
    action_steps: KnownActionSteps = Field(default_factory=list, description="As in test_action_steps.")
    row_anchor: Texts = ()
    col_anchor: Texts = ()
    table_selector: str = Field("", description="If several match.")
    element_selector: str = ""
    element_alt: str = ""
    element_position: Annotated[
        tuple[float, float] | None, BeforeValidator(_point, json_schema_input_type=str)
    ] = Field(None, description='"x,y", in pixels of the page.')
    page_number: int | None = Field(None, ge=1)
    at: Annotated[float | None, BeforeValidator(_moment, json_schema_input_type=str)] = Field(
        None, description="4:07, or seconds."
    )
    language: str = Field("", description="Of the captions.")
    source_title: str = ""

    @model_validator(mode="before")
    @classmethod
    def _with_own_names(cls, given: object) -> object:
        """``timestamp`` and ``video_id``, which the published tools took, under the names they have here."""
        if not isinstance(given, dict):
            return given
        own = dict(given)
        if (moment := own.pop("timestamp", None)) is not None:
            own.setdefault("at", moment)
        if video := str(own.pop("video_id", None) or "").strip():
            own["source_url"] = own.get("source_url") or f"https://www.youtube.com/watch?v={video}"
        return own

    def request(self) -> CiteRequest:
        """The same for the evidence floor."""
        return CiteRequest(
            claim=self.claim,
            url=self.source_url.strip(),
            steps=tuple(self.action_steps),
            anchor=AnchorRequest(
                evidence_type=self.evidence_type,
                quote=self.quoted_text,
                near=self.anchor,
                row=self.row_anchor,
                column=self.col_anchor,
                selector=self.table_selector if self.evidence_type == "table" else self.element_selector,
                alt=self.element_alt,
                position=self.element_position,
                page_number=self.page_number,
                at_s=self.at,
                language=self.language,
            ),
        )


def cite(context: ToolContext) -> Tool[CiteArguments]:
    """The tool; the numbers of its citations count from 1 in each session."""
    made: list[str] = []

    async def handle(arguments: CiteArguments) -> ToolReply:
        try:
            collected = await context.collector.collect(arguments.request())
        except StepFailed as failed:
            return failure_reply(arguments.source_url, failed)
        made.append(collected.citation.id)
        number = len(made)
        return ToolReply(
            text=_confirmation(number, collected),
            citation=TrialCitation(
                number=number,
                id=collected.citation.id,
                evidence_type=collected.citation.evidence_type,
                source_url=collected.citation.source_url,
                text=collected.citation.anchor.text,
            ),
        )

    return Tool("verifaible_cite", DESCRIPTION, CiteArguments, handle)


def _confirmation(number: int, collected: Collected) -> str:
    """What was highlighted is the page's words, headers of a table included: it stands between delimiters."""
    citation = collected.citation
    anchor = citation.anchor
    shown, marked = told(anchor), ""
    if anchor.table is not None:
        shown = shorten(shown, _SHOWN, f"… ({len(shown)} characters in all)")
    elif shown != anchor.text:
        marked = " in its sentence, between ⟦ and ⟧"
    source = citation.document_url or citation.final_url
    return (
        f"Citation {number} is verified and stored ({citation.id}). Write [@v:{number}] behind the claim."
        f"{f' It is {citation.capture.remark}.' if citation.capture.signed_in else ''}\n"
        + delimited(source, f"Highlighted {where(anchor)}{marked}:\n{shown}")
    )


def where(anchor: Anchor) -> str:
    """In words, what an anchor highlights."""
    table = anchor.table
    if table is not None:
        row, column = " › ".join(table.row_path), " › ".join(table.column_path)
        if table.mode == "crosshair" and len(table.cells) > 1:
            return f"{len(table.cells)} cells, at rows “{row}” and columns “{column}”,"
        named = {
            "crosshair": f"the cell at row “{row}”, column “{column}”",
            "row": f"the row “{row}”",
            "column": f"the column “{column}”",
            "table": "the whole table (row_anchor and col_anchor would point at a value)",
        }
        return named[table.mode]
    if anchor.time is not None:
        return f"the captions from {anchor.time.start_s:.1f} to {anchor.time.end_s:.1f} s"
    if anchor.page_number is not None:
        scan = " (text layer of a scan: compare it with the picture)" if anchor.scanned else ""
        return f"the passage on page {anchor.page_number}{scan}"
    return "the image" if anchor.image is not None else "the passage"
