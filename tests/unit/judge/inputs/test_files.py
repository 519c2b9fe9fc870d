from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from verifaible.claims.markers import marks_of
from verifaible.errors import ConfigError, RunError, UnknownModel
from verifaible.evidence.sources import SourceTexts
from verifaible.judge.load import read_input
from verifaible.schema.analyst import AnalystAnswer, Source
from verifaible.store.store import Store


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(
            content if isinstance(content, str) else json.dumps(content), encoding="utf-8", newline=""
        )
    return path


def cites(answer: AnalystAnswer) -> list[tuple[str, ...]]:
    return [
        each.resolved.cites or tuple(f"!{name}" for name in each.resolved.broken) for each in marks_of(answer)
    ]


# --- Markdown


def test_the_title_of_a_text_is_its_query_else_its_name(tmp_path: Path, store: Store) -> None:
    rule = "---\nIt is 5.\n---\nAnd 6.\n"
    (found,) = read_input(write(tmp_path / "rule.md", rule), store=store).answers
    assert (found.answer, found.query) == (rule, "rule")
    with pytest.raises(UnknownModel):
        read_input(tmp_path / "rule.md", store=store, models=["other"])


def test_an_answer_with_addresses_alone_knows_no_sources(tmp_path: Path, store: Store) -> None:
    text = "It is 5 [1] and [6](https://b.example/y).\n\n[1]: https://a.example/x\n"
    (found,) = read_input(write(tmp_path / "a.md", text), store=store).answers
    assert (found.sources, found.sources_known) == ((), False)
    assert cites(found) == [("!1",), ("!https://b.example/y",)]


def test_a_folder_of_sources_named_by_id(tmp_path: Path, store: Store) -> None:
    folder = tmp_path / "sources"
    write(folder / "src_1.txt", "The price is $5.")
    write(folder / "src_2.json", '{"usd": 6.50}')
    write(folder / "src_3.html", "<html><p>Seven <b>7</b></p>")
    write(folder / "src_4.pdf", b"%PDF-1.4 no")
    write(folder / "5.md", "# Eight 8")
    path = write(tmp_path / "a.txt", "It is 5 [src_1][2] (src_3) [src_4] [5] [src_9].")
    (found,) = read_input(path, store=store, sources=folder).answers
    assert found.sources_known
    assert cites(found) == [("src_1",), ("src_2",), ("src_3",), ("src_4",), ("5",), ("!src_9",)]
    texts = SourceTexts(store)
    by_id = {source.id: source for source in found.sources}
    assert texts.text(by_id["src_3"]) == "Seven 7"
    assert json.loads(texts.text(by_id["src_2"])) == {"usd": 6.5}
    assert [fault.code for fault in found.faults] == ["source_unreadable"]
    assert "src_4" in found.faults[0].message


def test_a_list_of_sources(tmp_path: Path, store: Store) -> None:
    write(tmp_path / "s" / "page.txt", "From a file.")
    listed = [
        {"id": "1", "url": "https://a.example/x", "title": "A", "text": "The price is $5."},
        {"id": 2, "file": "page.txt"},
        {"id": "3", "url": "https://c.example"},
        {"id": "5", "data": {"usd": 6}},
        {"id": "1", "text": "Another with that id."},
    ]
    path = write(tmp_path / "a.md", "A [1], B [2], C [3], D [4], E [5], F [a](https://a.example/x/).")
    for where in (write(tmp_path / "s" / "sources.json", listed), tmp_path / "s"):
        (found,) = read_input(path, store=store, sources=where).answers
        assert cites(found) == [("1", "1#2"), ("2",), ("!3",), ("!4",), ("5",), ("1",)]
    write(tmp_path / "s" / "sources.json", {"1": {"text": "Words"}, "2": {"text": "More"}})
    (found,) = read_input(path, store=store, sources=tmp_path / "s").answers
    assert [source.id for source in found.sources] == ["1", "2"]


@pytest.mark.parametrize("content", ["{", "", '[{"id": "4", "file": "../../secret"}]'])
def test_a_list_of_sources_that_is_none(tmp_path: Path, store: Store, content: str) -> None:
    path = write(tmp_path / "a.md", "A [1].")
    with pytest.raises(ConfigError, match=r"no list of sources|no file beside"):
        read_input(path, store=store, sources=write(tmp_path / "sources.json", content))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="no sources"):
        read_input(path, store=store, sources=tmp_path / "empty")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_markdown_in_other_encodings(tmp_path: Path, store: Store, encoding: str) -> None:
    text = "比特币的价格是多少？锁仓量为50亿美元。"
    (found,) = read_input(write(tmp_path / "a.md", text.encode(encoding)), store=store).answers
    assert (found.answer, found.faults) == (text, ())


def test_an_empty_file_and_a_long_one(tmp_path: Path, store: Store) -> None:
    (found,) = read_input(write(tmp_path / "a.md", ""), store=store).answers
    assert [fault.code for fault in found.faults] == ["empty_answer"]
    long = "The price is $5 <context> [1]. " * 20_000
    (found,) = read_input(write(tmp_path / "b.md", long), store=store).answers
    assert found.answer == long


# --- JSON


def test_records_one_a_line(tmp_path: Path, store: Store) -> None:
    records = [
        {
            "query": "q1",
            "model": "A",
            "answer": "It is 5 [1] [src_2].",
            "answered_at": "2025-11-16T08:00:00Z",
            "tags": ["T"],
            "cost": 3,
            "sources": [
                {"id": "1", "url": "https://a.example", "text": "It is 5."},
                {"id": "src_2", "text": "Six"},
            ],
        },
        {
            "question": "q2",
            "model": "b",
            "response": "No sources.",
            "sources": [{"id": "1", "url": "https://a.example"}],
        },
        {
            "query": "q3",
            "model": "b",
            "answer": "C [src_1]",
            "context": "[src_1] From [https://a.example]:\nWords",
        },
    ]
    lines = "\n".join(json.dumps(record) for record in records)
    expected = read_input(write(tmp_path / "a.jsonl", lines), store=store)
    first, second, third = expected.answers
    assert (first.query, first.model, first.tags, first.columns["cost"]) == ("q1", "A", ("T",), "3")
    assert first.answered_at == datetime(2025, 11, 16, 8, tzinfo=UTC)
    assert cites(first) == [("1",), ("src_2",)]
    assert (second.answer, second.sources, second.sources_known) == ("No sources.", (), False)
    assert cites(third) == [("src_1",)]
    assert [each.sources_known for each in expected.answers] == [True, False, True]
    as_list = read_input(write(tmp_path / "a.json", records), store=store).answers
    assert [each.id for each in as_list] == [each.id for each in expected.answers]
    assert len(read_input(tmp_path / "a.jsonl", store=store, models=["b"]).answers) == 2


def test_a_record_of_json_has_no_trace(tmp_path: Path, store: Store) -> None:
    record = {
        "query": "q",
        "answer": "It is 5.",
        "chat_id": "c1",
        "sources": [{"id": "1", "text": "It is 5."}],
    }
    (found,) = read_input(write(tmp_path / "a.json", record), store=store).answers
    assert (found.faults, found.sources_known, found.columns) == ((), True, {"chat_id": "c1"})


def test_a_line_that_is_no_record_costs_no_other(tmp_path: Path, store: Store) -> None:
    lines = '{"query": "q", "answer": "One."}\n{"query": \n[1]\n\n{"query": "r", "answer": "Two.", "sources": 7}\n'
    found = read_input(write(tmp_path / "a.jsonl", lines), store=store)
    assert [each.answer for each in found.answers] == ["One.", "Two."]
    assert len(found.faults) == 2
    assert "line 2" in found.faults[0].message
    with pytest.raises(RunError, match="no answers"):
        read_input(write(tmp_path / "b.jsonl", "\n{\n"), store=store)


def test_half_pairs_in_an_answer(tmp_path: Path, store: Store) -> None:
    path = write(
        tmp_path / "a.jsonl",
        '{"query": "q\\ud83d", "answer": "x \\ud83d y", "sources": [{"text": "\\ud83d words"}]}',
    )
    (found,) = read_input(path, store=store).answers
    assert found.answer == "x \ufffd y"
    assert "encoding" in {fault.code for fault in found.faults}
    assert SourceTexts(store).text(found.sources[0]).endswith("words")


@pytest.mark.parametrize(
    "source", [{"id": 1, "text": "It is 5.", "kind": {"a": 1}}, "It is 5.", {"at": "soon"}, None]
)
def test_sources_of_another_form_are_a_fault(tmp_path: Path, store: Store, source: object) -> None:
    record = {"query": "q", "answer": "It is 5 [1].", "sources": [source], "answered_at": 10**400}
    (found,) = read_input(write(tmp_path / "a.jsonl", record), store=store).answers
    assert [fault.code for fault in found.faults] == ["source_unreadable"]
    assert (found.sources, found.sources_known, found.answered_at) == ((), False, None)


def test_sources_without_words_are_none(tmp_path: Path, store: Store) -> None:
    record = {
        "query": "q",
        "answer": "It is 5 [1].",
        "sources": [{"id": 1, "text": ""}, {"id": 2, "text": " "}],
    }
    (found,) = read_input(write(tmp_path / "a.jsonl", record), store=store).answers
    assert (found.sources, found.sources_known) == ((), False)


def test_utf32_with_its_mark(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path / "a.md", "Der Kurs beträgt 5 € — 价格 [1].".encode("utf-32"))
    (found,) = read_input(path, store=store).answers
    assert found.answer == "Der Kurs beträgt 5 € — 价格 [1]."


# --- our own form


def test_answers_in_our_own_form_keep_their_captures(tmp_path: Path, store: Store) -> None:
    made = AnalystAnswer(
        id="a1",
        origin="trial",
        model="m1",
        query="Where is HYPE?",
        answer="HYPE is at $33.46 [src_1].",
        sources=(Source(id="src_1", kind="api", capture="ab" * 32),),
        sources_known=True,
    )
    line = made.model_dump_json()
    found = read_input(write(tmp_path / "a.jsonl", f"{line}\n\n{line[:40]}\n{line}\n"), store=store)
    assert found.answers == (made, made.model_copy(update={"id": "a1-2"}))
    assert ["line 3" in fault.message for fault in found.faults] == [True]
    with pytest.raises(UnknownModel, match="m1"):
        read_input(tmp_path / "a.jsonl", store=store, models=["m2"])
    write(tmp_path / "harness.json", "{}")
    with pytest.raises(RunError, match="Let it go on"):
        read_input(tmp_path, store=store)
    write(tmp_path / "answers.jsonl", line)
    assert read_input(tmp_path, store=store).answers == (made,)
