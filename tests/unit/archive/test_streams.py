"""Connections that stay open, as records of an archive."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest

from verifaible.archive.lookup import Archive
from verifaible.archive.reader import WaczReader
from verifaible.archive.streams import (
    CHANCE,
    EVENTSOURCE,
    WEBSOCKET,
    Frame,
    Stream,
    renamed,
    resource,
    stream_of,
)
from verifaible.archive.wacz import WaczWriter
from verifaible.errors import IntegrityError, OfflineMiss
from verifaible.schema.web import WebRequest

AT = datetime(2026, 1, 2, 3, 4, 5, 250_000, tzinfo=UTC)
FRAMES = (
    Frame(0.001, "page", "ask “five”\u2028"),
    Frame(0.25, "server", b"\x00\xff"),
    Frame(1.5, "server", "5.33%", "rate", "7", 2),
)


def packed(*streams: Stream) -> WaczReader:
    file = io.BytesIO()
    with WaczWriter(file, title="t", created=AT) as writer:
        for stream in streams:
            writer.add_exchange(stream.exchange())
        writer.add_exchange(resource(CHANCE, "https://a.test/", {"seed": "12ab"}, AT))
        writer.add_page("https://a.test/", "t", AT)
    return WaczReader(file.getvalue())


def test_a_record_gives_back_what_was_kept() -> None:
    stream = Stream(WEBSOCKET, "wss://a.test/feed?x=1", AT, FRAMES, accepted=True, ended=True)
    with packed(stream) as reader:
        assert reader.verify() == []
        kinds = [record.kind for record in reader.records(reader.warc_names()[0])]
        assert kinds == ["warcinfo", "resource", "resource"]
        found = Archive.from_readers([reader]).player().find(WebRequest(stream.url, WEBSOCKET))
        assert stream_of(WEBSOCKET, stream.url, found.response.body, found.recorded_at) == stream


def test_each_connection_to_an_address_is_given_once_and_only_as_its_kind() -> None:
    url = "https://a.test/events"
    streams = [Stream(EVENTSOURCE, url, AT, FRAMES[1:]), Stream(EVENTSOURCE, url, AT, FRAMES[1:])]
    with packed(*streams) as reader:
        player = Archive.from_readers([reader]).player()
        asked = WebRequest(url, EVENTSOURCE)
        bodies = [player.find(asked, again=False).response.body for _ in streams]
        assert bodies == [stream.exchange().response.body for stream in streams]
        for other in (asked, WebRequest(url), WebRequest(url, WEBSOCKET)):
            with pytest.raises(OfflineMiss):
                player.find(other, again=False)


@pytest.mark.parametrize(
    ("said", "recorded", "names"),
    [
        ("a", "a", {}),
        ("a", "b", None),
        (b"\x00", b"\x00", {}),
        (b"\x00", b"\x01", None),
        (b"a", "a", None),
        ('{"ask": 1}', '{"ask":1}', {}),
        ('{"ask": 1}', '{"ask": 2}', None),
        (
            '{"ask": 1, "requestId": "8c1f2d3e4a5b6c7d"}',
            '{"ask": 1, "requestId": "0123456789abcdef"}',
            {"0123456789abcdef": "8c1f2d3e4a5b6c7d"},
        ),
        ('{"ask": 2, "requestId": "8c1f2d3e4a5b6c7d"}', '{"ask": 1, "requestId": "0123456789abcdef"}', None),
    ],
)
def test_messages_are_the_same_by_content_alone(
    said: str | bytes, recorded: str | bytes, names: dict[str, str] | None
) -> None:
    assert renamed(said, Frame(0.0, "page", recorded), AT, lambda _: False) == names


def test_a_value_that_the_server_gave_was_not_made_up() -> None:
    said, recorded = (f'{{"requestId": "{each}"}}' for each in ("8c1f2d3e4a5b6c7d", "0123456789abcdef"))
    assert renamed(said, Frame(0.0, "page", recorded), AT, lambda value: value.startswith("8c")) is None


@pytest.mark.parametrize("body", [b"", b"[]", b'{"frames": [{}]}', b'{"frames": [], "ended": 1}'])
def test_a_damaged_record_says_so(body: bytes) -> None:
    with pytest.raises(IntegrityError, match=r"wss://a\.test/feed cannot be read"):
        stream_of(WEBSOCKET, "wss://a.test/feed", body, AT)
