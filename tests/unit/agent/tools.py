"""A toolbox for tests of agents: one tool that reads, one that cites, one whose machine breaks."""

from __future__ import annotations

from verifaible.errors import AnchorNotFound, InfrastructureError
from verifaible.schema.base import Record
from verifaible.schema.run import ToolReply, TrialCitation
from verifaible.tools.toolbox import Tool, Toolbox


class FetchArguments(Record):
    """Arguments of ``web_fetch``."""

    url: str


class CiteArguments(Record):
    """Arguments of ``verifaible_cite``."""

    url: str
    quote: str


class BreakArguments(Record):
    """Arguments of ``break_machine``."""


def toolbox(page: str = "Zhengzhou: 90.9") -> Toolbox:
    """A session on one page; a quote that is not in ``page`` is refused."""
    made: list[str] = []

    async def fetch(arguments: FetchArguments) -> ToolReply:
        return ToolReply(text=f"{arguments.url}: {page}")

    async def cite(arguments: CiteArguments) -> ToolReply:
        if arguments.quote not in page:
            raise AnchorNotFound(f"{arguments.quote!r} is not on the page. The nearest text is {page!r}.")
        made.append(arguments.quote)
        number = len(made)
        return ToolReply(
            text=f"Cited as [@v:{number}].",
            citation=TrialCitation(
                number=number,
                id=f"c{number}",
                evidence_type="text",
                source_url=arguments.url,
                text=arguments.quote,
            ),
        )

    async def break_machine(arguments: BreakArguments) -> ToolReply:
        raise InfrastructureError("The browser crashed. Start the run again.")

    return Toolbox(
        [
            Tool("web_fetch", "Reads a page.", FetchArguments, fetch),
            Tool("verifaible_cite", "Makes a citation.", CiteArguments, cite),
            Tool("break_machine", "Breaks.", BreakArguments, break_machine),
        ]
    )
