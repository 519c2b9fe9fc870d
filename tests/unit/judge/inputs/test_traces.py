from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from verifaible.claims.markers import marks_of
from verifaible.errors import RunError
from verifaible.evidence.audit import audit
from verifaible.evidence.sources import SourceTexts
from verifaible.judge.load import read_input
from verifaible.schema.analyst import AnalystAnswer
from verifaible.store.store import Store

CONTEXT = """Answer the query.

**From [https://a.example/x]:**
HYPE trades at $36.36.

[src_2] From [https://b.example/y]:
TVL is $5.1B.

HYPE jumps... It rose 5% on Monday. Source: https://news.example/1
"""
ANSWER = 'HYPE trades at $36.36 [1] <Citation id="src_2" />.'
FLAT = {
    "name": "Cyrpto Final Response",
    "context.span_id": "s1",
    "span_kind": "LLM",
    "parent_id": "p1",
    "start_time": "2025-11-16T08:00:00Z",
    "end_time": "2025-11-16T08:01:00Z",
    "attributes.input.value": {
        "messages": [{"role": "system", "content": "no"}, {"role": "user", "content": CONTEXT}]
    },
    "attributes.output.value": {"choices": [{"message": {"content": ANSWER}}]},
}


def session(*spans: dict[str, Any]) -> dict[str, Any]:
    return {
        "session_id": "chat",
        "traces": [
            {"trace_id": "t0", "spans": [{"name": "Other"}]},
            {"trace_id": "t1", "spans": list(spans)},
        ],
    }


def put(
    folder: Path, trace: Any, *, chat: str = "chat-1", response: str | None = ANSWER, model: str = "A"
) -> Path:
    """A table with one answer, and its trace where the public scripts put it."""
    traces = folder / "output" / model / "traces"
    traces.mkdir(parents=True, exist_ok=True)
    if trace is not None:
        data = trace if isinstance(trace, bytes) else json.dumps(trace).encode()
        (traces / "chat-1.json").write_bytes(data)
    path = folder / "in.csv"
    header = ["query", "tags", f"{model}_chat_id"] + ([f"{model}_response"] if response is not None else [])
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, ["q", "T", chat] + ([response] if response is not None else [])])
    return path


def one(path: Path, store: Store, **options: Any) -> AnalystAnswer:
    (found,) = read_input(path, store=store, **options).answers
    return found


def test_a_trace_gives_the_context_the_date_and_the_ids(tmp_path: Path, store: Store) -> None:
    found = one(put(tmp_path, session(FLAT)), store)
    assert (found.origin, found.sources_known, found.faults) == ("trace", True, ())
    assert found.answered_at == datetime(2025, 11, 16, 8, 1, tzinfo=UTC)
    assert found.span.model_dump() == {
        "session_id": "chat",
        "trace_id": "t1",
        "span_id": "s1",
        "span_name": "Cyrpto Final Response",
        "span_kind": "LLM",
        "parent_id": "p1",
    }
    assert [(each.id, each.kind) for each in found.sources] == [
        ("https://a.example/x", "page"),
        ("src_2", "page"),
        ("https://news.example/1", "snippet"),
        ("context", "context"),
    ]
    texts = SourceTexts(store)
    assert "$36.36" in texts.text(found.sources[0])
    assert "Answer the query." in texts.text(found.sources[3])
    assert [(each.resolved.cites, each.resolved.broken) for each in marks_of(found)] == [
        ((), ("1",)),
        (("src_2",), ()),
    ]
    assert audit(store).ok
    assert one(tmp_path / "in.csv", store) == found
    assert store.custody.count() == 1


@pytest.mark.parametrize(
    "span",
    [
        {**FLAT, "name": "Crypto Final Response"},
        {
            **FLAT,
            "attributes.input.value": json.dumps(FLAT["attributes.input.value"]),
            "attributes.output.value": json.dumps(FLAT["attributes.output.value"]),
        },
        {**FLAT, "attributes.input.value": CONTEXT, "attributes.output.value": ANSWER},
        {
            **FLAT,
            "attributes.input.value": {
                "messages": [{"role": "user", "content": [{"type": "text", "text": CONTEXT}]}]
            },
        },
        {
            "name": "Cyrpto Final Response",
            "context": {"span_id": "s1"},
            "span_kind": "LLM",
            "parent_id": "p1",
            "start_time": "2025-11-16T08:00:00Z",
            "end_time": "2025-11-16T08:01:00+00:00",
            "attributes": {
                "input": {"value": FLAT["attributes.input.value"]},
                "output": {"value": FLAT["attributes.output.value"]},
            },
        },
        {
            **{key: FLAT[key] for key in ("name", "context.span_id", "span_kind", "parent_id")},
            "end_time_unix_nano": "1763280060000000000",
            "attributes": {"input.value": json.dumps(FLAT["attributes.input.value"]), "output.value": ANSWER},
        },
    ],
)
def test_traces_in_other_forms_say_the_same(tmp_path: Path, store: Store, span: dict[str, Any]) -> None:
    found = one(put(tmp_path, session(span), response=None), store)
    assert (found.answer, found.sources_known, found.faults) == (ANSWER, True, ())
    assert found.answered_at == datetime(2025, 11, 16, 8, 1, tzinfo=UTC)
    assert (found.span.session_id, found.span.trace_id, found.span.span_id) == ("chat", "t1", "s1")
    assert [each.id for each in found.sources] == [
        "https://a.example/x",
        "src_2",
        "https://news.example/1",
        "context",
    ]


def test_the_tables_answer_comes_before_that_of_the_trace(tmp_path: Path, store: Store) -> None:
    found = one(put(tmp_path, session(FLAT), response="Another answer."), store)
    assert found.answer == "Another answer."
    assert found.sources_known
    empty = one(put(tmp_path, session(FLAT), response=""), store)
    assert (empty.answer, empty.faults) == (ANSWER, ())


def test_of_several_spans_the_one_of_this_answer_counts(tmp_path: Path, store: Store) -> None:
    earlier = {
        **FLAT,
        "context.span_id": "s0",
        "attributes.output.value": "Something else.",
        "attributes.input.value": "No sources.",
    }
    assert one(put(tmp_path, session(earlier, FLAT)), store).span.span_id == "s1"
    assert one(put(tmp_path, session(earlier, FLAT), response="Neither."), store).span.span_id == "s0"


def test_results_of_tools_before_the_last_message_are_sources(tmp_path: Path, store: Store) -> None:
    messages = [
        {"role": "user", "content": "q"},
        {"role": "tool", "content": json.dumps({"hyperliquid": {"usd": 36.36, "usd_market_cap": 9.9e9}})},
        {"role": "user", "content": "Answer now."},
    ]
    found = one(put(tmp_path, session({**FLAT, "attributes.input.value": {"messages": messages}})), store)
    assert [each.kind for each in found.sources] == ["api", "context"]
    assert json.loads(SourceTexts(store).text(found.sources[0])) == {
        "hyperliquid": {"usd": 36.36, "usd_market_cap": 9.9e9}
    }


@pytest.mark.parametrize(
    ("trace", "code"),
    [
        (None, "trace_missing"),
        (b"", "trace_unreadable"),
        (b'{"traces": [', "trace_unreadable"),
        (b"[" * 200_000, "trace_unreadable"),
        ({"session_id": "x", "traces": []}, "span_missing"),
        (session({**FLAT, "name": "Final Response"}), "span_missing"),
        ([], "span_missing"),
        ("words", "span_missing"),
    ],
)
def test_a_trace_that_cannot_be_used_is_a_fault_of_an_answer_that_stays(
    tmp_path: Path, store: Store, trace: Any, code: str
) -> None:
    found = one(put(tmp_path, trace), store)
    assert (found.answer, found.sources_known, found.sources) == (ANSWER, False, ())
    assert [fault.code for fault in found.faults] == [code]
    assert str(tmp_path) not in found.faults[0].message


@pytest.mark.parametrize(
    "chat",
    ["../../../secret", "..", ".", "/etc/passwd", "a/b", "a\\b", "x\x00y", "n" * 5000, "../A/traces/chat-1"],
)
def test_a_chat_id_leads_nowhere_else(tmp_path: Path, store: Store, chat: str) -> None:
    (tmp_path / "secret.json").write_text(json.dumps(session(FLAT)))
    found = one(put(tmp_path, session(FLAT), chat=chat), store)
    assert [fault.code for fault in found.faults] == ["trace_unreadable"]
    assert not found.sources


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path, store: Store) -> None:
    path = put(tmp_path, None)
    (tmp_path / "secret.json").write_text(json.dumps(session(FLAT)))
    (tmp_path / "output" / "A" / "traces" / "chat-1.json").symlink_to(tmp_path / "secret.json")
    assert [fault.code for fault in one(path, store).faults] == ["trace_unreadable"]


def test_a_span_without_input_says_nothing_of_the_sources(tmp_path: Path, store: Store) -> None:
    span = {key: value for key, value in FLAT.items() if key != "attributes.input.value"}
    values: list[Any] = [None, "", "  ", {"messages": []}, {"messages": [{"role": "user", "content": None}]}]
    for value in values:
        given = span if value is None else {**span, "attributes.input.value": value}
        found = one(put(tmp_path, session(given)), store)
        assert (found.sources_known, found.sources) == (False, ()), value
        assert [fault.code for fault in found.faults] == ["span_missing"], value
        assert found.answered_at is not None


def parts(*given: dict[str, Any], role: str = "user") -> dict[str, Any]:
    return {"messages": [{"role": role, "content": list(given)}, {"role": "user", "content": "Answer."}]}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            parts({"type": "tool_result", "content": [{"type": "text", "text": "TVL is $5.1B."}]}),
            ["TVL is $5.1B."],
        ),
        (parts({"type": "tool_result", "content": "TVL is $5.1B."}), ["TVL is $5.1B."]),
        (
            parts(
                {"type": "tool_result", "content": "As follows.", "structured": {"price_usd": [36.36, 36.4]}}
            ),
            ["As follows.", "36.36"],
        ),
        (
            {
                "messages": [
                    {
                        "role": "tool",
                        "content": [{"type": "text", "text": "As follows."}],
                        "structuredContent": {"price": {"usd": 36.36, "cny": 258.9}},
                    },
                    {"role": "user", "content": "Answer."},
                ]
            },
            ["As follows.", "36.36", "258.9"],
        ),
        (json.dumps(json.dumps(parts({"type": "text", "text": "no"}))), ["Answer."]),
        (json.dumps([{"role": "user", "content": "TVL is $5.1B."}]), ["TVL is $5.1B."]),
        (
            [{"role": "user", "content": "no"}, {"role": "user", "content": "TVL is $5.1B."}],
            ["TVL is $5.1B."],
        ),
    ],
    ids=[
        "parts in a part",
        "a part",
        "data in a part",
        "data in a message",
        "twice JSON",
        "a list",
        "a bare list",
    ],
)
def test_results_of_tools_in_any_form_lose_no_word(
    tmp_path: Path, store: Store, value: object, words: list[str]
) -> None:
    found = one(put(tmp_path, session({**FLAT, "attributes.input.value": value})), store)
    reader = SourceTexts(store)
    texts = "\n".join(reader.text(source) for source in found.sources)
    assert [word for word in words if word not in texts] == []
    assert '"messages"' not in texts
    assert found.sources_known


def test_neither_an_answer_nor_one_in_the_trace(tmp_path: Path, store: Store) -> None:
    outputs: list[Any] = [{"choices": []}, {"choices": [{"message": {"content": None}}]}, "", None]
    for output in outputs:
        found = one(put(tmp_path, session({**FLAT, "attributes.output.value": output}), response=""), store)
        assert [fault.code for fault in found.faults] == ["empty_answer"], output
        assert found.sources_known


def test_bytes_that_are_no_utf8_and_halves_of_pairs(tmp_path: Path, store: Store) -> None:
    data = json.dumps(session(FLAT)).encode().replace(b"HYPE trades", b"HYPE \\ud83d tr\xff\xfeades")
    found = one(put(tmp_path, data, response=None), store)
    assert {fault.code for fault in found.faults} >= {"encoding"}
    assert "$36.36" in SourceTexts(store).text(found.sources[0])
    assert "\ufffd" in found.answer


def test_a_named_folder_of_traces(tmp_path: Path, store: Store) -> None:
    path = put(tmp_path, session(FLAT))
    (tmp_path / "output").rename(tmp_path / "elsewhere")
    assert [fault.code for fault in one(path, store).faults] == ["trace_missing"]
    assert one(path, store, traces=tmp_path / "elsewhere").sources_known
    with pytest.raises(RunError, match="not a folder"):
        read_input(path, store=store, traces=tmp_path / "none")


def test_a_context_of_two_megabytes_with_context_tags_inside(tmp_path: Path, store: Store) -> None:
    long = CONTEXT.replace("HYPE trades at $36.36.", "<context>HYPE trades at $36.36.</context> " * 50_000)
    found = one(put(tmp_path, session({**FLAT, "attributes.input.value": long})), store)
    assert SourceTexts(store).text(found.sources[0]).count("$36.36") == 50_000
