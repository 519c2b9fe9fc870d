from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.kit.public import PUBLIC, needs_public
from verifaible.errors import RunError, UnknownModel
from verifaible.judge.load import read_input
from verifaible.judge.records import moment_of, tags_of
from verifaible.store.store import Store

FILES = PUBLIC / "cryptoanalystbench"


def table(path: Path, *rows: list[str], encoding: str = "utf-8", delimiter: str = ",") -> Path:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows(rows)
    path.write_bytes(out.getvalue().encode(encoding))
    return path


HEADER = ["query", "tags", "A_response", "b_response"]


def test_a_row_gives_an_answer_of_each_model(tmp_path: Path, store: Store) -> None:
    path = table(
        tmp_path / "in.csv", HEADER, ["q1", "T", "one", "two"], ["q2", "['T', 'U']", "three", "four"]
    )
    found = read_input(path, store=store).answers
    assert [(each.query, each.model, each.answer) for each in found] == [
        ("q1", "A", "one"),
        ("q1", "b", "two"),
        ("q2", "A", "three"),
        ("q2", "b", "four"),
    ]
    assert found[2].tags == ("T", "U")
    assert {each.origin for each in found} == {"csv"}
    assert not any(each.sources_known or each.faults or each.sources for each in found)
    assert read_input(path, store=store, models=["b"]).answers == found[1::2]
    with pytest.raises(UnknownModel, match="A, b"):
        read_input(path, store=store, models=["B"])


def test_a_reference_beside_the_answers_of_models_is_a_column(tmp_path: Path, store: Store) -> None:
    header = ["query", "tags", "answer", "glm-5_response", "kimi_response"]
    path = table(tmp_path / "in.csv", header, ["q1", "T", "the reference", "one", ""])
    found = read_input(path, store=store).answers
    assert [(each.model, each.answer) for each in found] == [("glm-5", "one"), ("kimi", "")]
    assert {each.columns["answer"] for each in found} == {"the reference"}
    path = table(tmp_path / "tall.csv", ["query", "model", "answer", "b_response"], ["q1", "A", "one", "two"])
    (one,) = read_input(path, store=store).answers
    assert (one.model, one.answer, one.columns) == ("A", "one", {"b_response": "two"})


@pytest.mark.parametrize("answers", [{"answer": "It is 5."}, {"A_response": "It is 5."}])
def test_columns_of_a_table_are_no_evidence(answers: dict[str, str], tmp_path: Path, store: Store) -> None:
    more = {"sources": "Reuters", "context": "[src_1] From [https://a.example]:\nWords"}
    path = table(tmp_path / "in.csv", ["query", *answers, *more], ["q", *answers.values(), *more.values()])
    (found,) = read_input(path, store=store).answers
    assert (found.columns, found.sources, found.sources_known, found.faults) == (more, (), False, ())


def test_ids_are_the_same_in_every_run_and_apart_in_one(tmp_path: Path, store: Store) -> None:
    rows = [["q", "T", "one", "one"], ["q", "T", "one", "two"], ["q", "T", "one", "two"]]
    path = table(tmp_path / "in.csv", HEADER, *rows)
    found = read_input(path, store=store).answers
    assert len({each.id for each in found}) == len(found) == 6
    assert read_input(path, store=store).answers == found
    only = read_input(table(tmp_path / "one.csv", HEADER, rows[1]), store=store).answers
    assert only[0].id == found[0].id
    assert only[1].id == found[3].id


def test_other_columns_are_kept_and_a_date_is_read(tmp_path: Path, store: Store) -> None:
    header = ["query", "tags", "note", "date", "A_response", "A_answered_at", "A_cost", "b_response"]
    row = ["q", "T", "n", "2025-11-16", "x", "2025-11-17T10:00:00+02:00", "3", "y"]
    first, second = read_input(table(tmp_path / "in.csv", header, row), store=store).answers
    assert first.answered_at == datetime(2025, 11, 17, 8, tzinfo=UTC)
    assert second.answered_at == datetime(2025, 11, 16, tzinfo=UTC)
    assert first.columns["note"] == second.columns["note"] == "n"
    assert first.columns["A_cost"] == "3"
    assert "b_response" not in first.columns
    assert "A_answered_at" not in second.columns


def test_a_table_of_one_answer_a_row(tmp_path: Path, store: Store) -> None:
    path = table(tmp_path / "in.csv", ["query", "model", "answer"], ["q", "A", "x"], ["q", "b", "y"])
    assert [(each.model, each.answer) for each in read_input(path, store=store).answers] == [
        ("A", "x"),
        ("b", "y"),
    ]


TEXT = "比特币的价格是多少？锁仓量为50亿美元。"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(tmp_path: Path, store: Store, encoding: str) -> None:
    path = table(tmp_path / "in.csv", HEADER, [TEXT, "T", TEXT * 3, "x"], encoding=encoding)
    first = read_input(path, store=store).answers[0]
    assert (first.query, first.answer, first.faults) == (TEXT, TEXT * 3, ())


@pytest.mark.parametrize("text", ["Le café coûte 5 € à l’été", "“Quoted” – it’s £5", "Zürich über 3 %"])
def test_windows_1252(tmp_path: Path, store: Store, text: str) -> None:
    path = table(tmp_path / "in.csv", HEADER, [text, "T", f"{text}, {text}", "x"], encoding="cp1252")
    first = read_input(path, store=store).answers[0]
    assert (first.query, first.answer, first.faults) == (text, f"{text}, {text}", ())


def test_of_mixed_encodings_the_row_is_kept_and_told(tmp_path: Path, store: Store) -> None:
    good = table(tmp_path / "a.csv", HEADER, *([f"{TEXT}{n}", "T", TEXT, "x"] for n in range(5))).read_bytes()
    for encoding, bad in (("gb18030", "坏的一行"), ("cp1252", "Le café coûte cher")):
        path = tmp_path / "mixed.csv"
        path.write_bytes(
            good + f"{bad},T,{bad},last\r\n".encode(encoding) + f"{TEXT},T,{TEXT},x\r\n".encode()
        )
        found = read_input(path, store=store).answers
        assert len(found) == 14
        assert [each.faults[0].code for each in found if each.faults] == ["encoding", "encoding"]
        assert "\ufffd" in found[10].answer
        assert found[11].answer == "last"
        assert found[12].answer == TEXT


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_delimiters(tmp_path: Path, store: Store, delimiter: str) -> None:
    path = table(tmp_path / "in.csv", HEADER, ["a, b", "T", "x, y", "z"], delimiter=delimiter)
    assert [each.answer for each in read_input(path, store=store).answers] == ["x, y", "z"]


def test_a_long_answer_and_odd_characters(tmp_path: Path, store: Store) -> None:
    long = "The price is $5 <context> [1]. " * 20_000
    odd = 'NUL \x00, a "quote", <context>x</context>, \u2028 and\r\nmore'
    path = table(tmp_path / "in.csv", HEADER, ["q", "T", long, odd])
    first, second = read_input(path, store=store).answers
    assert first.answer == long
    assert second.answer == odd


def test_rows_that_are_ragged_or_empty(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "in.csv"
    path.write_text("query,tags,A_response,b_response\nq1,T,one\n\n,,,\nq2,T,two,three,four,five\n")
    found = read_input(path, store=store).answers
    assert [(each.query, each.answer, [fault.code for fault in each.faults]) for each in found] == [
        ("q1", "one", []),
        ("q1", "", ["empty_answer"]),
        ("q2", "two", []),
        ("q2", "three", []),
    ]
    assert (found[2].columns["column 5"], found[2].columns["column 6"]) == ("four", "five")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is empty"),
        ("\n\n", "no column query|is empty"),
        ("Query,tags,A_response\nq,T,x\n", "no column query"),
        ("q1,T,x\nq2,T,y\n", "no column query"),
        ("query,tags\nq,T\n", "queries but no answers"),
        ("query,A_response,A_response\nq,x,y\n", "several columns called A_response"),
        ('query,tags,A_response\nq,T,"an answer that never ends\nq2,T,x\n', "never be closed"),
    ],
)
def test_tables_that_cannot_be_used(tmp_path: Path, store: Store, content: str, told: str) -> None:
    path = tmp_path / "in.csv"
    path.write_text(content)
    with pytest.raises(RunError, match=told):
        read_input(path, store=store)


def test_what_is_not_there_or_a_folder(tmp_path: Path, store: Store) -> None:
    with pytest.raises(RunError, match="cannot be read"):
        read_input(tmp_path / "none.csv", store=store)
    (tmp_path / "folder.csv").mkdir()
    for path in (tmp_path, tmp_path / "folder.csv"):
        with pytest.raises(RunError, match="is a folder"):
            read_input(path, store=store)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("A & B", ("A & B",)),
        ("A / B, C", ("A / B, C",)),
        ("['A', \"B\"]", ("A", "B")),
        ('["A","B"]', ("A", "B")),
        ("A\nB\r\nA", ("A", "B")),
        ("[not a list", ("[not a list",)),
    ],
)
def test_tags(text: str, expected: tuple[str, ...]) -> None:
    assert tags_of(text) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2025-11-16", datetime(2025, 11, 16, tzinfo=UTC)),
        ("2025-11-16T08:09:10Z", datetime(2025, 11, 16, 8, 9, 10, tzinfo=UTC)),
        ("2025-11-16 08:09:10 UTC", datetime(2025, 11, 16, 8, 9, 10, tzinfo=UTC)),
        ("2025-11-16 10:09:10+02:00", datetime(2025, 11, 16, 8, 9, 10, tzinfo=UTC)),
        ("1763280550", datetime(2025, 11, 16, 8, 9, 10, tzinfo=UTC)),
        (1763280550000, datetime(2025, 11, 16, 8, 9, 10, tzinfo=UTC)),
        (1763280550000000000, datetime(2025, 11, 16, 8, 9, 10, tzinfo=UTC)),
        ("Sun, 16 Nov 2025 08:09:10 GMT", datetime(2025, 11, 16, tzinfo=UTC)),
        ("November 16, 2025", datetime(2025, 11, 16, tzinfo=UTC)),
        ("2025年11月16日", datetime(2025, 11, 16, tzinfo=UTC)),
        ("", None),
        ("soon", None),
        ("12", None),
        (True, None),
        (None, None),
        ("02/03/2025", None),
        ("20251116", datetime(2025, 11, 16, tzinfo=UTC)),
        (20251116, datetime(2025, 11, 16, tzinfo=UTC)),
        ("Nov 16, 2025 5:00 PM", datetime(2025, 11, 16, tzinfo=UTC)),
        (10**400, None),
        (float("inf"), None),
        (float("nan"), None),
        ([2025], None),
    ],
)
def test_times(value: object, expected: datetime | None) -> None:
    assert moment_of(value) == expected


@needs_public("cryptoanalystbench")
def test_the_public_files(store: Store) -> None:
    found = read_input(FILES / "sample_input.csv", store=store).answers
    assert [each.model for each in found] == ["Sentient", "gpt5", "grok4", "pplx"]
    assert not any(each.faults or each.sources_known for each in found)


def test_a_model_whose_name_begins_anothers_has_nothing_of_it(tmp_path: Path, store: Store) -> None:
    path = table(
        tmp_path / "in.csv",
        ["query", "gpt_response", "gpt_5_response", "gpt_5_chat_id", "gpt_5_date", "gpt_note"],
        ["q", "one $5", "two $6", "", "2025-10-03", "n"],
    )
    short, long = read_input(path, store=store).answers
    assert (short.model, short.columns, short.answered_at) == ("gpt", {"gpt_note": "n"}, None)
    assert (long.model, long.answered_at) == ("gpt_5", datetime(2025, 10, 3, tzinfo=UTC))


def test_a_table_of_one_answer_a_row_needs_no_model(tmp_path: Path, store: Store) -> None:
    path = table(tmp_path / "in.csv", ["query", "answer"], ["q", "It is $5."])
    (found,) = read_input(path, store=store).answers
    assert (found.model, found.query, found.answer) == ("", "q", "It is $5.")
