"""Whatever an engine sends, the outcome is hits that can be shown, or EngineFailed."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.servers.search_servers import ENGINES, SearchServers
from tests.unit.search.conftest import engine
from verifaible.net.client import offline_client
from verifaible.schema.web import WebAnswer, WebRequest, WebResponse
from verifaible.search.base import EngineFailed, iso_date, page_url, parse_query, plain
from verifaible.search.live import LiveSearch

odd_text = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [
            "http://[::1",
            "https://[bad]/",
            "https://a\nb/",
            "//x",
            "https://\ud800/",
            "https://e.org/\ud800?\x00",
            "https://ü.example/é",
            "http://",
            "HTTPS://USER:P@E.org:99999/",
            "2026-02-30",
            "Tue, 99 Foo 99999999999 00:00:00 +9999",
            "<b",
            "<script>alert(1)</script>",
        ]
    ),
)
anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(allow_nan=False), st.integers(), odd_text),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(odd_text, inner, max_size=3)),
    max_leaves=6,
)
record = st.fixed_dictionaries(
    {},
    optional={
        name: st.one_of(odd_text, anything)
        for name in (
            "url",
            "title",
            "content",
            "description",
            "highlights",
            "publishedDate",
            "published_date",
            "page_age",
        )
    },
)
answer = st.one_of(
    st.builds(
        lambda found: json.dumps({"results": found, "web": {"results": found}}).encode(),
        st.lists(record, max_size=3),
    ),
    st.builds(lambda found: json.dumps(found).encode(), anything),
    st.binary(max_size=60),
)
item = st.builds(
    lambda href, text: (
        f'<div class="result"><li class="b_algo"><ul class="results-standard"><li><h2><a class="result__a title" href="{href}">{text}</a></h2>'
        f'<p class="s result__snippet result__extras">{text}'
    ),
    odd_text,
    odd_text,
)
page = st.builds(lambda items: "".join(items).encode("utf-8", "surrogatepass"), st.lists(item, max_size=3))


class Sends:
    def __init__(self, body: bytes) -> None:
        self.body = body

    def find(self, request: WebRequest, /) -> WebAnswer:
        return WebAnswer(
            request.url, WebResponse(200, (), self.body), "exact", datetime(2026, 1, 1, tzinfo=UTC)
        )


NOWHERE = SearchServers(url="https://engines.example")


@pytest.mark.parametrize("name", sorted(ENGINES))
@given(body=st.one_of(answer, page))
async def test_any_answer_ends_well(name: str, body: bytes) -> None:
    async with offline_client(Sends(body)) as client:
        try:
            hits = await engine(name, NOWHERE).find(parse_query("words", 5), client)
        except EngineFailed:
            return
    for hit in hits:
        assert hit.url.startswith(("http://", "https://", "HTTP"))
        assert "\n" not in hit.title + hit.snippet + hit.url
        hit.model_dump_json().encode()
    if hits:
        search = LiveSearch([engine(name, NOWHERE)], lambda _: offline_client(Sends(body)))
        assert len(await search.search("words", 5)) <= 5


@given(odd_text)
def test_helpers_take_any_text(text: str) -> None:
    plain(text).encode()
    assert len(iso_date(text)) in {0, 10}
    assert "\n" not in page_url(text)
