"""Connections that stay open, as records of an archive."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest

from verifaible.archive.lookup import Archive
from verifaible.archive.reader import WaczReader
from verifaible.archive.streams import WEBSOCKET, Frame, Stream, stream_of
from verifaible.archive.validate import faults as faults_of
from verifaible.archive.wacz import WaczWriter
from verifaible.errors import IntegrityError
from verifaible.schema.web import WebRequest

AT = datetime(2026, 1, 2, 3, 4, 5, 250_000, tzinfo=UTC)
FRAMES = (
    Frame(0.001, "page", "ask “five”\u2028"),
    Frame(0.25, "server", b"\x00\xff"),
    Frame(1.5, "server", "5.33%", "rate", "7"),
)


def packed(*streams: Stream) -> WaczReader:
    file = io.BytesIO()
    with WaczWriter(file, title="t", created=AT) as writer:
        for stream in streams:
            writer.add_exchange(stream.exchange())
        writer.add_page("https://a.test/", "t", AT)
    return WaczReader(file.getvalue())


def test_a_record_gives_back_what_was_kept() -> None:
    stream = Stream(WEBSOCKET, "wss://a.test/feed?x=1", AT, FRAMES, accepted=True, ended=True)
    with packed(stream) as reader:
        assert faults_of(reader) == []
        kinds = [record.kind for record in reader.records(reader.warc_names()[0])]
        assert kinds == ["warcinfo", "resource"]
        found = Archive([reader]).player().find(WebRequest(stream.url, WEBSOCKET))
        assert stream_of(WEBSOCKET, stream.url, found.response.body, found.recorded_at) == stream


@pytest.mark.parametrize("body", [b"", b"[]", b'{"frames": [{}]}', b'{"frames": [], "ended": 1}'])
def test_a_damaged_record_says_so(body: bytes) -> None:
    with pytest.raises(IntegrityError, match=r"wss://a\.test/feed cannot be read"):
        stream_of(WEBSOCKET, "wss://a.test/feed", body, AT)
