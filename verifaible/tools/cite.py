"""``verifaible_cite``: a claim bound to the exact place that supports it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from verifaible.errors import AnchorNotFound, StepFailed, worded
from verifaible.evidence.cite import Collected
from verifaible.evidence.request import CiteRequest, Moment, PageNumber, Point, Texts
from verifaible.evidence.shown import reading
from verifaible.schema.action import KnownActionSteps
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.run import ToolReply, TrialCitation
from verifaible.text.delimited import delimited, shorten
from verifaible.tools.context import ToolContext
from verifaible.tools.step_reports import failure_reply
from verifaible.tools.toolbox import Tool

#: Characters of cells, from the first one cited, that are shown; a sentence is shown whole.
_SHOWN = 1_000

DESCRIPTION = (
    "Create a citation: the page is opened afresh, action_steps are played, the evidence is found, sealed "
    "and replayed. Returns N for the marker [@v:N], or refuses and says what is there instead. text: "
    "quoted_text, the page's exact words. table: row_anchor and col_anchor, the headers from outer to inner. "
    "pdf: quoted_text and page_number (from 1); source_url is the PDF, or a page whose action_steps open it. "
    "video: quoted_text from video_transcript, and at. image: element_selector, element_alt or "
    "element_position."
)


#: What a model calls the fields of a request.
_NAMES = {
    "url": "source_url",
    "steps": "action_steps",
    "evidence_type": "evidence_type",
    "quote": "quoted_text",
    "near": "anchor",
    "row": "row_anchor",
    "column": "col_anchor",
    "page_number": "page_number",
    "selector": "element_selector",
    "alt": "element_alt",
    "position": "element_position",
}


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
    element_position: Point = Field(None, description='"x,y", in pixels of the page.')
    page_number: PageNumber = None
    at: Moment = Field(None, description="4:07, or seconds.")
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

    def names(self) -> dict[str, str]:
        """What the fields of the request are called here."""
        return {**_NAMES, "selector": "table_selector"} if self.evidence_type == "table" else _NAMES

    def request(self) -> CiteRequest:
        """The same for the evidence floor."""
        names = self.names()
        fields = AnchorRequest.model_fields.keys() - {"at_s"}
        anchor = {field: getattr(self, names.get(field, field)) for field in fields}
        return CiteRequest(
            claim=self.claim,
            url=self.source_url.strip(),
            steps=tuple(self.action_steps),
            anchor=AnchorRequest(at_s=self.at, **anchor),
        )


def cite(context: ToolContext) -> Tool[CiteArguments]:
    """The tool; the numbers of its citations count from 1 in each session."""
    made: list[str] = []

    async def handle(arguments: CiteArguments) -> ToolReply:
        try:
            with worded(arguments.names()):
                collected = await context.collector.collect(arguments.request())
        except StepFailed as failed:
            return failure_reply(arguments.source_url, failed)
        except AnchorNotFound as error:
            if arguments.evidence_type == "table":
                error.args = (f"{error} test_action_steps with verify_type table shows the tables.",)
            raise
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
                shown=collected.citation.anchor.in_full.shortened(_SHOWN),
            ),
        )

    return Tool("verifaible_cite", DESCRIPTION, CiteArguments, handle)


def _confirmation(number: int, collected: Collected) -> str:
    """What was highlighted is the page's words, headers of a table included: it stands between delimiters."""
    citation = collected.citation
    anchor = citation.anchor
    shown = reading(anchor, _NAMES)
    if anchor.table is not None:
        most = max(0, shown.find("⟦")) + _SHOWN  # a long row is shown as far as the cell at least
        shown = shorten(shown, most, f"… ({len(shown)} characters in all)")
    source = citation.document_url or citation.final_url
    return (
        f"Citation {number} is verified and stored ({citation.id}). Write [@v:{number}] behind the claim."
        f"{f' It is {citation.capture.remark}.' if citation.capture.signed_in else ''}"
        f"{f' {citation.graded}' if citation.replay == 'snapshot' else ''}\n" + delimited(source, shown)
    )
