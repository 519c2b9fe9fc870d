"""``verifaible_web_search``: pages for a query."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from pydantic import Field, model_validator

from verifaible.schema.base import Record
from verifaible.schema.run import ToolReply
from verifaible.search.base import EngineFault, SearchAnswer, SearchHit
from verifaible.text.delimited import delimited
from verifaible.tools.presenting import one_line
from verifaible.tools.toolbox import Tool

if TYPE_CHECKING:
    from verifaible.tools.context import ToolContext

#: Characters of a snippet that are shown; half of it where they are wide.
SNIPPET_CHARACTERS = 320
#: Arguments of other search tools that models send out of habit; they change nothing here.
_TOLERATED = frozenset({"search_depth", "include_answer"})


class WebSearchArguments(Record):
    """Arguments of ``verifaible_web_search``."""

    query: str = Field(
        min_length=1,
        description='"Quoted words" stand together; site:example.org keeps to one site.',
    )
    max_results: int = Field(5, ge=1, le=10)

    @model_validator(mode="before")
    @classmethod
    def _without_tolerated(cls, values: object) -> object:
        if isinstance(values, dict):
            return {name: value for name, value in values.items() if name not in _TOLERATED}
        return values


def web_search(context: ToolContext) -> Tool[WebSearchArguments]:
    """The tool, bound to the session's search backend."""

    async def handle(arguments: WebSearchArguments) -> ToolReply:
        hits = await context.search.search(arguments.query, arguments.max_results)
        answered, faults = (hits.answered, hits.faults) if isinstance(hits, SearchAnswer) else ((), ())
        by = f" by {', '.join(answered)}" if answered else ""
        missing = "".join(f"\n{_fault(fault)}" for fault in faults)
        if not hits:
            return ToolReply(
                text=f"No page found for {arguments.query!r}{by}. Try fewer or other words, or the language "
                f"of the source.{missing}"
            )
        listed = "\n".join(_hit(number, hit) for number, hit in enumerate(hits, start=1))
        note = f"{len(hits)} results{by}. Snippets are cut: open a page before you rely on it.{missing}"
        return ToolReply(text=f"{note}\n{delimited(f'the search for {arguments.query!r}', listed)}")

    return Tool(
        "verifaible_web_search",
        "Search for web pages. Gives titles, addresses and snippets, best first. Read or analyze a page "
        "before citing it: a snippet is no evidence.",
        WebSearchArguments,
        handle,
    )


def _fault(fault: EngineFault) -> str:
    return f"Not from {fault.engine}: {fault.reason}."


def _hit(number: int, hit: SearchHit) -> str:
    lines = [f"{number}. {one_line(hit.title, 160)}", f"   {hit.url}"]
    if hit.published:
        lines.append(f"   published {hit.published}")
    if hit.snippet:
        lines.append(f"   {one_line(hit.snippet, _snippet_characters(hit.snippet))}")
    return "\n".join(lines)


def _snippet_characters(snippet: str) -> int:
    """How much of a snippet is shown: as much of Chinese as of English, in tokens and for a reader."""
    wide = sum(east_asian_width(letter) in "WF" for letter in snippet)
    return SNIPPET_CHARACTERS // 2 if wide > len(snippet) / 3 else SNIPPET_CHARACTERS
