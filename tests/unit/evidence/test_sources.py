from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.evidence.samples import QUOTE, add
from verifaible.archive.reader import WaczReader
from verifaible.archive.validate import faults as faults_of
from verifaible.errors import IntegrityError
from verifaible.evidence.audit import audit
from verifaible.evidence.sources import (
    SourceDraft,
    SourceKeeper,
    SourceOrigin,
    SourceTexts,
    citation_source,
    keep_sources,
)
from verifaible.schema.analyst import Source
from verifaible.schema.verdict import Passage
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store
from verifaible.text.json_pointer import read_json, value_spans

ORIGIN = SourceOrigin(kind="trace", name="chat-1.json", sha256="ab" * 32)
TEXT = "The price of HYPE is $36.36.\r\n价格 5 €\x00 end "
DATA = '{"a/b": [1, {"usd": 36.36, "note": "caf\\u00e9 36.36 \\"x\\""}], "m~n": 1.50e9, "a/b2": null}'


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def draft(body: bytes | str = TEXT, name: str = "src_1", **fields: object) -> SourceDraft:
    data = body.encode() if isinstance(body, str) else body
    return SourceDraft.model_validate({"id": name, "kind": "page", "body": data, **fields})


def keep(store: Store, *drafts: SourceDraft) -> tuple[Source, ...]:
    return keep_sources(store, drafts, origin=ORIGIN)


def reader(store: Store, source: Source) -> WaczReader:
    return WaczReader(store.files.read(capture_file(source.capture)))


def passage(source: Source, text: str, quote: str, pointer: str = "") -> Passage:
    start = text.index(quote)
    return Passage(
        source=source.id,
        capture=source.capture,
        file=source.file,
        start=start,
        end=start + len(quote),
        quote=quote,
        pointer=pointer,
    )


def test_a_text_is_kept_to_the_byte_in_a_whole_signed_archive(store: Store) -> None:
    (source,) = keep(store, draft(url="https://a.example/x", title="T", aliases=("1",)))
    assert (source.id, source.url, source.title, source.aliases) == (
        "src_1",
        "https://a.example/x",
        "T",
        ("1",),
    )
    assert source.file == "evidence/source.txt"
    with reader(store, source) as archive:
        assert archive.read(source.file) == TEXT.encode()
        assert faults_of(archive, store.signer.public_key) == []
        said = archive.read_json("evidence/provenance.json")
    assert said["given_by"] == {"kind": "trace", "name": "chat-1.json", "sha256": "ab" * 32}
    assert (said["url"], said["kind"], said["given_at"]) == ("https://a.example/x", "page", "")
    assert "do not prove that the site" in str(said["what_it_proves"])
    assert SourceTexts(store).text(source) == TEXT


@pytest.mark.parametrize(
    ("body", "fields", "file", "text"),
    [
        (DATA.encode(), {"kind": "api"}, "evidence/source.json", DATA),
        (b"[1]", {"media_type": "application/json"}, "evidence/source.json", "[1]"),
        (b"# Head", {"media_type": "text/markdown"}, "evidence/source.md", "# Head"),
        (
            "价格 5".encode("gb18030"),
            {"media_type": "text/plain; charset=gbk"},
            "evidence/text.txt",
            "价格 5",
        ),
        ("café".encode("utf-16"), {}, "evidence/text.txt", "café"),
        (
            "Le café coûte cher à l'été".encode("cp1252"),
            {},
            "evidence/text.txt",
            "Le café coûte cher à l'été",
        ),
        (
            b"<!doctype html><title>T</title><script>no()</script><p>Price <b>5</b></p>",
            {},
            "evidence/text.txt",
            "T\n\nPrice 5",
        ),
        (
            "<html><meta charset=gbk><p>价格</p><table><tr><th>A<th>B<tr><td>1<td>2</table>".encode("gbk"),
            {"media_type": "text/html"},
            "evidence/text.txt",
            "**价格**\n\n| A | B |\n| --- | --- |\n| 1 | 2 |",
        ),
        (b"", {}, "evidence/source.txt", ""),
        ("价格 5 € \ud83d".encode("utf-8", "surrogatepass"), {}, "evidence/text.txt", "价格 5 € \ufffd"),
        (
            '{"价格": "5 € \ud83d"}'.encode("utf-8", "surrogatepass"),
            {"media_type": "application/json"},
            "evidence/text.txt",
            '{"价格": "5 € \ufffd"}',
        ),
        (
            "<html><p>价格 5 € \ud83d</p>".encode("utf-8", "surrogatepass"),
            {"media_type": "text/html"},
            "evidence/text.txt",
            "价格 5 € \ufffd",
        ),
    ],
)
def test_what_is_no_plain_text_has_the_text_that_is_searched_beside_it(
    store: Store, body: bytes, fields: dict[str, str], file: str, text: str
) -> None:
    (source,) = keep(store, draft(body, **fields))
    assert source.file == file
    assert SourceTexts(store).text(source) == text
    with reader(store, source) as archive:
        names = [name for name in archive.names() if name.startswith("evidence/source.")]
        assert archive.read(names[0]) == body


@pytest.mark.parametrize(
    ("body", "fields", "told"),
    [
        (b"%PDF-1.4 broken", {}, "PDF cannot be read"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00", {"media_type": "image/png"}, "no text that can be searched"),
        (b'{"a": 1', {"media_type": "application/json"}, "is none"),
        (("价格" * 20).encode() + b" \xff ok", {"media_type": "text/plain; charset=utf-8"}, "U+FFFD"),
    ],
)
def test_what_cannot_be_read_is_kept_and_told(
    store: Store, body: bytes, fields: dict[str, str], told: str
) -> None:
    with SourceKeeper(store) as keeper:
        (kept,) = keeper.add([draft(body, **fields)], origin=ORIGIN)
    assert told in kept.fault
    with reader(store, kept.source) as archive:
        names = [name for name in archive.names() if name.startswith("evidence/source.")]
        assert archive.read(names[0]) == body
    SourceTexts(store).text(kept.source)


def test_a_batch_is_one_entry_and_what_is_there_is_not_written_again(store: Store) -> None:
    drafts = [draft(f"Words {number}", f"src_{number}") for number in range(20)]
    first = keep(store, *drafts, drafts[0].model_copy(update={"id": "again"}))
    assert store.custody.count() == 1
    assert first[20].capture == first[0].capture
    other = Store(Path(store.location))
    assert keep(other, *drafts) == first[:20]
    assert other.custody.count() == 1
    more = keep(other, drafts[0], draft("New words"))
    assert more[0] == first[0]
    assert other.custody.count() == 2
    assert [item.name for item in other.custody.entry(2).items] == [capture_file(more[1].capture)]
    assert keep(other) == ()
    assert other.custody.count() == 2


def test_another_description_time_or_origin_is_another_capture(store: Store) -> None:
    moment = datetime(2025, 11, 16, 12, tzinfo=UTC)
    drafts = [
        draft(),
        draft(url="https://a.example"),
        draft(title="T"),
        draft(at=moment),
        draft(kind="snippet"),
    ]
    captures = {source.capture for source in keep(store, *drafts)}
    captures |= {keep_sources(store, [draft()], origin="a run")[0].capture}
    assert len(captures) == 6
    with reader(store, keep(store, draft(at=moment))[0]) as archive:
        assert archive.metadata.created == "2025-11-16T12:00:00Z"


def test_what_a_kill_left_unnamed_is_named_the_next_time(store: Store) -> None:
    keeper = SourceKeeper(store)
    (kept,) = keeper.add([draft()], origin=ORIGIN)  # never committed
    assert store.custody.count() == 0
    assert keep(store, draft()) == (kept.source,)
    assert capture_file(kept.source.capture) in {item.name for item in store.custody.entry(1).items}
    assert audit(store).ok


def test_a_block_that_fails_puts_nothing_into_the_store(store: Store) -> None:
    with pytest.raises(KeyError), SourceKeeper(store) as keeper:
        keeper.add([draft()], origin=ORIGIN)
        raise KeyError("something else")
    assert store.custody.count() == 0


def test_odd_characters_of_descriptions_are_kept_where_utf8_can(store: Store) -> None:
    (source,) = keep(
        store,
        draft("\ud83d half".encode("utf-8", "surrogatepass"), url="https://a.example/\ud83d", title="\ud83d"),
    )
    assert source.title == "\ufffd"
    assert SourceTexts(store).text(source).endswith("half")


# --- reading back


def test_passages_hold_only_where_they_stand(store: Store) -> None:
    (source,) = keep(store, draft())
    texts = SourceTexts(store)
    good = passage(source, TEXT, "$36.36")
    assert texts.holds(good)
    for change in ({"start": good.start + 1}, {"end": good.end + 1}, {"quote": "$36.37"}, {"start": -1}):
        assert not texts.holds(good.model_copy(update=change)), change
    assert texts.holds(passage(source, TEXT, "价格 5 €"))
    assert not texts.holds(good.model_copy(update={"end": len(TEXT) + 9, "quote": TEXT[good.start :]}))
    assert not texts.holds(good.model_copy(update={"end": good.start, "quote": ""}))
    assert not texts.holds(good.model_copy(update={"pointer": "/a"}))


def test_a_pointer_must_name_the_value_that_stands_there(store: Store) -> None:
    (source,) = keep(store, draft(DATA, kind="api"))
    texts = SourceTexts(store)
    price = passage(source, DATA, "36.36", "/a~1b/1/usd")
    assert texts.holds(price)
    assert not texts.holds(price.model_copy(update={"pointer": "/a~1b/1/note"}))
    assert not texts.holds(price.model_copy(update={"pointer": "/a~1b/1"}))
    assert not texts.holds(price.model_copy(update={"pointer": "/nowhere"}))
    assert texts.holds(passage(source, DATA, "1.50e9", "/m~0n"))
    assert texts.holds(passage(source, DATA, '"caf\\u00e9 36.36 \\"x\\""', "/a~1b/1/note"))
    inside = DATA.rindex("36.36")
    part = Passage(
        source="x",
        capture=source.capture,
        file=source.file,
        start=inside,
        end=inside + 5,
        quote="36.36",
        pointer="/a~1b/1/note",
    )
    assert texts.holds(part)
    assert not texts.holds(part.model_copy(update={"pointer": "/a~1b/1/usd"}))
    # a part of a number is another number
    assert not texts.holds(passage(source, DATA, "36.3", "/a~1b/1/usd"))


def test_a_changed_or_missing_capture_is_refused(store: Store) -> None:
    (source,) = keep(store, draft())
    path = Path(store.location) / capture_file(source.capture)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"x")
    with pytest.raises(IntegrityError, match="was changed"):
        SourceTexts(store).text(source)
    assert any("was changed" in fault for fault in audit(store).faults)
    keep(Store(Path(store.location)), draft())  # its name follows from its content: it is mended
    assert path.read_bytes() == whole
    assert audit(store).ok
    path.unlink()
    with pytest.raises(IntegrityError, match="missing"):
        SourceTexts(store).text(source)
    assert any("was deleted" in fault for fault in audit(store).faults)


def test_more_texts_than_are_held_are_read_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifaible.evidence.sources._CACHED", 2)
    sources = keep(store, *(draft(f"{number} " * 20, f"s{number}") for number in range(5)))
    texts = SourceTexts(store)
    for _ in range(2):
        assert [texts.text(each)[:1] for each in sources] == list("01234")


def test_a_citation_is_a_source(store: Store) -> None:
    citation = add(store)
    source = citation_source(citation, "@v:1")
    assert citation.id in source.aliases
    text = SourceTexts(store).text(source)
    assert SourceTexts(store).holds(passage(source, text, QUOTE))


def test_a_store_with_sources_is_as_sound_as_any(store: Store) -> None:
    citation = add(store)
    keep(store, draft(), draft(DATA, kind="api"))
    found = audit(store)
    assert (found.verified, found.faults, found.notes) == (1, (), ())
    assert store.reindex() == 1
    assert store.get(citation.id[:8]) == citation
    assert audit(Store(Path(store.location))).ok


# --- places in JSON

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=30,
)


@settings(deadline=None)
@given(_JSON, st.sampled_from([None, 1]), st.booleans())
def test_every_value_stands_where_its_pointer_says(
    value: object, indent: int | None, ascii_only: bool
) -> None:
    text = " " + json.dumps(value, indent=indent, ensure_ascii=ascii_only) + "\n"
    spans = value_spans(text)

    def walk(each: object, pointer: str) -> int:
        start, end = spans[pointer]
        assert json.loads(text[start:end]) == each
        inner = each.items() if isinstance(each, dict) else enumerate(each) if isinstance(each, list) else ()
        return 1 + sum(
            walk(one, f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}") for key, one in inner
        )

    assert walk(value, "") == len(spans)


def test_of_a_key_that_is_there_twice_the_last_counts() -> None:
    text = '{"a": 1, "a": 22}'
    assert read_json(text) == {"a": 22}
    start, end = value_spans(text)["/a"]
    assert text[start:end] == "22"


@pytest.mark.parametrize("text", ["", "{", "nothing", "[" * 100_000, '{"a": }'])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        value_spans(text)
