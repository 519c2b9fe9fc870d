"""The six tools, in the order the model sees them."""

from __future__ import annotations

from verifaible.tools.action_steps import action_steps
from verifaible.tools.analyze_page import analyze_page
from verifaible.tools.cite import cite
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Toolbox
from verifaible.tools.video_transcript import video_transcript
from verifaible.tools.web_fetch import web_fetch
from verifaible.tools.web_search import web_search


def toolbox(context: ToolContext) -> Toolbox:
    """The tools of one session; citation numbers start at 1 in each."""
    return Toolbox(
        (
            web_search(context),
            web_fetch(context),
            analyze_page(context),
            action_steps(context),
            cite(context),
            video_transcript(context),
        )
    )
