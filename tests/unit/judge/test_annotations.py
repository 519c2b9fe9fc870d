"""Annotations: what people write is kept, what cannot be used is told line by line."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.judge.made import MOMENT, answer, claim, claims, folder
from verifaible.errors import ConfigError, RunError
from verifaible.judge.annotations import AnnotationStore
from verifaible.judge.folder import JudgeFolder

HEAD = "answer,annotator,kind,claim,value,note,at\n"


@pytest.fixture
def judged(tmp_path: Path) -> JudgeFolder:
    return folder(tmp_path, [answer("m1", "q", claims(["direct/exact", "missing/fabricated"]))])


def write(judged: JudgeFolder, text: str | bytes) -> AnnotationStore:
    store = AnnotationStore(judged)
    store.path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return store


def test_what_is_added_is_read(judged: JudgeFolder) -> None:
    store = AnnotationStore(judged)
    assert store.read().rows == ()
    made = store.add(
        answer="m1:q",
        annotator="Ann",
        kind="citations",
        claim="c1",
        value="incorrect",
        note='a "b", c',
        at=MOMENT,
    )
    store.add(answer="m1:q", annotator="Bo", kind="depth", value="7")
    store.add(answer="m1:q", annotator="Bo", kind="shallow_synthesis", value="1")
    found = AnnotationStore(judged).read()
    assert found.faults == ()
    assert found.rows[0] == made
    assert [(each.kind, each.value) for each in found.rows[1:]] == [
        ("depth", "7"),
        ("shallow_synthesis", "1"),
    ]
    assert found.rows[1].score == 7.0


def test_the_last_word_of_an_annotator_counts_and_can_be_taken_back(judged: JudgeFolder) -> None:
    store = AnnotationStore(judged)
    for value in ("7", "4"):
        store.add(answer="m1:q", annotator="Ann", kind="depth", value=value)
    store.add(answer="m1:q", annotator="Bo", kind="depth", value="9")
    assert [(each.annotator, each.value) for each in store.read().rows] == [("Ann", "4"), ("Bo", "9")]
    store.add(answer="m1:q", annotator="Ann", kind="depth", value="")
    assert [(each.annotator, each.value) for each in store.read().rows] == [("Bo", "9")]
    assert store.path.read_text().count("Ann") == 3  # nothing that was written goes


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"value": "11"}, "1 to 10"),
        ({"value": "0"}, "1 to 10"),
        ({"value": "7.5"}, "whole number"),
        ({"value": "nan"}, "whole number"),
        ({"value": "good"}, "whole number"),
        ({"kind": "beauty"}, "Take one of"),
        ({"kind": "overconfident_prediction", "value": "2"}, "0 to 1"),
        ({"kind": "citations", "claim": "c1", "value": "exact"}, "direct"),
        ({"kind": "hallucination", "claim": "c9", "value": "exact"}, "no claim"),
        ({"kind": "hallucination", "claim": "", "value": "exact"}, "no claim"),
        ({"claim": "c1"}, "Leave claim empty"),
        ({"answer": "nobody"}, "No answer"),
        ({"annotator": " "}, "Fill in"),
    ],
)
def test_bad_values_are_refused_and_nothing_is_written(
    judged: JudgeFolder, changes: dict[str, str], said: str
) -> None:
    store = AnnotationStore(judged)
    good = {"answer": "m1:q", "annotator": "Ann", "kind": "depth", "value": "5"}
    with pytest.raises(ConfigError, match=said):
        store.add(**(good | changes))  # type: ignore[arg-type]
    assert not store.path.exists()


def test_faults_have_their_line_and_the_others_are_read(judged: JudgeFolder) -> None:
    store = write(
        judged,
        HEAD
        + "m1:q,Ann,depth,,5,,\n"
        + 'm1:q,Ann,depth,,99,"two\nlines",\n'
        + "m1:q,Ann,relevance,,6,,yesterday\n"
        + "\n"
        + "who,Ann,relevance,,6,,\n"
        + "m1:q,Ann,relevance,,6\n"
        + "m1:q,Ann,relevance,,6,,,,\n"
        + "m1:q,Ann,relevance,,6,fine,2026-02-21T08:00:00\n",
    )
    found = store.read()
    assert [(each.kind, each.value) for each in found.rows] == [("depth", "5"), ("relevance", "6")]
    assert [(each.line, each.code) for each in found.faults] == [
        (3, "value"),
        (5, "time"),
        (7, "unknown_answer"),
        (8, "row"),
        (9, "row"),
    ]
    assert all(each.message.endswith((".", "+00:00.")) for each in found.faults)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_spreadsheets_of_every_kind(judged: JudgeFolder, mark: str, end: str, bom: str) -> None:
    lines = [["Value", "kind", "annotator", "answer"], ["8", "depth", "Änn 李", "m1:q"]]
    store = write(judged, bom + end.join(mark.join(line) for line in lines))
    found = store.read()
    assert [(each.annotator, each.value) for each in found.rows] == [("Änn 李", "8")]


def test_a_whole_file_that_cannot_be_used_is_one_fault(judged: JudgeFolder) -> None:
    (fault,) = write(judged, "who,what\na,b\n").read().faults
    assert (fault.code, fault.line) == ("columns", 1)
    (fault,) = write(judged, (HEAD + "m1:q,Bj\u00f6rn,depth,,5,,\n").encode("latin-1")).read().faults
    assert (fault.code, fault.line) == ("encoding", 2)
    assert write(judged, "").read().rows == ()


def test_adding_to_a_file_from_a_spreadsheet_keeps_its_order(judged: JudgeFolder) -> None:
    store = write(judged, "at;note;value;claim;kind;annotator;answer\n;;5;;depth;Ann;m1:q")
    store.add(answer="m1:q", annotator="Bo", kind="relevance", value="6", note="a;b")
    assert [(each.annotator, each.value, each.note) for each in store.read().rows] == [
        ("Ann", "5", ""),
        ("Bo", "6", "a;b"),
    ]
    with pytest.raises(RunError, match="claim"):
        write(judged, "answer,annotator,kind,value\n").add(
            answer="m1:q", annotator="Bo", kind="relevance", value="6"
        )


@pytest.mark.parametrize("cut", range(1, 40))
def test_half_a_line_is_a_fault_and_takes_no_other_along(judged: JudgeFolder, cut: int) -> None:
    store = AnnotationStore(judged)
    store.add(answer="m1:q", annotator="Ann", kind="depth", value="5")
    store.add(answer="m1:q", annotator="Ann", kind="depth", value="10", note='so, "so"', at=MOMENT)
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[:-cut])
    store.add(answer="m1:q", annotator="Bo", kind="depth", value="6")
    found = store.read()
    by = {each.annotator: each.value for each in found.rows}
    assert by["Bo"] == "6"
    assert by["Ann"] in ("5", "10")
    assert len(found.faults) <= 1


def test_a_spreadsheet_runs_nothing_that_was_written(judged: JudgeFolder) -> None:
    store = AnnotationStore(judged)
    notes = ['=HYPERLINK("http://x")', "+1", "-1", "@SUM(A1)", "'=x", "''", "'tis"]
    for note in notes:
        store.add(answer="m1:q", annotator=f"={note[:2]}", kind="depth", value="5", note=note)
    lines = store.path.read_text().splitlines()[1:]
    for line in lines:
        assert not any(cell.strip('"').startswith(("=", "+", "-", "@")) for cell in line.split(","))
    assert [each.note for each in store.read().rows] == notes


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    note=st.text(st.characters(codec="utf-8")), annotator=st.text(st.characters(codec="utf-8"), min_size=1)
)
def test_any_words_come_back(judged: JudgeFolder, note: str, annotator: str) -> None:
    store = AnnotationStore(judged)
    store.path.unlink(missing_ok=True)
    if not annotator.strip():
        return
    store.add(answer="m1:q", annotator=annotator, kind="depth", value="5", note=note)
    (row,) = store.read().rows
    assert row.annotator == annotator.strip()
    assert row.note == " ".join(note.split())


def test_many_write_at_once(judged: JudgeFolder) -> None:
    store = AnnotationStore(judged)

    def work(name: str) -> None:
        for value in range(1, 11):
            store.add(answer="m1:q", annotator=f"{name}{value}", kind="depth", value=str(value))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = store.read()
    assert len(found.rows) == 40
    assert found.faults == ()


def test_an_answer_that_came_later_is_known(judged: JudgeFolder) -> None:
    store = AnnotationStore(judged)
    with pytest.raises(ConfigError):
        store.add(answer="m2:q", annotator="Ann", kind="depth", value="5")
    later, _ = answer("m2", "q")
    judged.add_claim(claim("m2:q", 1))
    judged.add_answer(later)
    store.add(answer="m2:q", annotator="Ann", kind="depth", value="5")
    store.add(answer="m2:q", annotator="Ann", kind="citations", claim="c1", value="direct")
    assert len(store.read().rows) == 2
