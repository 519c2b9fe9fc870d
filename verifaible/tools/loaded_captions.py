"""Captions that a page's scripts bring: tracks added to the document, files that a player loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from verifaible.extract.captions import UNDETERMINED, looks_like_captions, read_page
from verifaible.net.captions import captions_of
from verifaible.schema.transcript import CaptionTrack, Transcript

if TYPE_CHECKING:
    from verifaible.net.client import HttpClient
    from verifaible.schema.web import WebExchange
    from verifaible.tools.context import ToolContext


async def loaded_captions(
    context: ToolContext, url: str, client: HttpClient, languages: Sequence[str], *, only_these: bool
) -> Transcript:
    """The captions of a page as it stands once its scripts have run.

    Raises:
        NoTranscript, PageNotLoaded, UrlRefused, OfflineMiss: as
            :func:`verifaible.net.captions.fetch_captions`.
    """
    async with context.browser.page(context.web) as session:
        await session.open(url)
        page = read_page(await session.html(), session.page.url)
        await session.traffic.drain()
        loaded = [_track(exchange) for exchange in session.traffic.exchanges if _is_captions(exchange)]
    named = {track.url for track in page.tracks}
    tracks = (*page.tracks, *(track for track in loaded if track.url not in named))
    # A file that a player has loaded says nothing of its language: it is taken as it is.
    return await captions_of(
        url, replace(page, tracks=tracks), client, languages, only_these=only_these and bool(page.tracks)
    )


def _is_captions(exchange: WebExchange) -> bool:
    answer = exchange.response
    return (
        exchange.request.method == "GET"
        and answer.status == 200
        and looks_like_captions(answer.body[:2000].decode("utf-8", "replace"))
    )


def _track(exchange: WebExchange) -> CaptionTrack:
    return CaptionTrack(language=UNDETERMINED, name="loaded by the player", url=exchange.request.url)
