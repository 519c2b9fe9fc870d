"""The store: ids, beginnings of ids, damage, and the custody chain."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from verifaible.archive.signing import Signer
from verifaible.errors import CitationNotFound, IntegrityError, StoreError
from verifaible.evidence import annotation
from verifaible.evidence.capture import Evidence, write_capture
from verifaible.evidence.store import Store
from verifaible.schema.citation import Anchor, Check, Citation

NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


def add(store: Store, claim: str = "A claim") -> Citation:
    anchor = Anchor(evidence_type="text", text="words", start=0, end=5, css_path="p")
    evidence = Evidence(
        url="http://a.test/", final_url="http://a.test/", title=claim, anchor=anchor, exchanges=(), web="live",
        match="live", synthetic=False, files={"text.txt": b"words"},
    )  # fmt: skip
    path = store.scratch() / "capture.wacz"
    sha256 = write_capture(path, evidence, captured_at=NOW, signer=store.signer)
    draft = Citation.model_validate(
        {
            "id": "draft",
            "created_at": NOW,
            "claim": claim,
            "source_url": "http://a.test/",
            "final_url": "http://a.test/",
            "request": {"quote": "words"},
            "anchor": anchor,
            "capture": {
                "sha256": sha256,
                "size_bytes": path.stat().st_size,
                "captured_at": NOW,
                "web": "live",
            },
        }
    )
    return store.add(draft.model_dump(mode="json", exclude={"id"}), path)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_a_citation_comes_back_as_it_was(store: Store) -> None:
    citation = add(store)
    assert store.get(citation.id) == citation
    assert store.get(citation.id[:4]) == citation
    assert annotation.from_bytes(annotation.to_bytes(citation), citation.id) == citation
    with store.open_capture(citation) as reader:
        assert reader.read("evidence/text.txt") == b"words"
        assert reader.verify(public_key=store.signer.public_key) == []


def test_equal_citations_have_equal_ids_and_others_do_not() -> None:
    fields: dict[str, Any] = {"b": 1.0, "a": "x"}
    assert annotation.citation_id(fields) == annotation.citation_id({"a": "x", "b": 1, "id": "any"})
    assert annotation.citation_id(fields) != annotation.citation_id({"a": "y", "b": 1})


@pytest.mark.parametrize("wanted", ["", "abc", "nothing-here", "../../etc", "deadbeef", "*", "????"])
def test_what_is_not_there(store: Store, wanted: str) -> None:
    add(store)
    with pytest.raises(CitationNotFound):
        store.get(wanted)


def test_an_ambiguous_beginning(store: Store) -> None:
    citation = add(store)
    path = store.folder / "citations" / f"{citation.id}.json"
    path.with_name(f"{citation.id[:6]}zz.json").write_bytes(path.read_bytes())
    with pytest.raises(CitationNotFound, match="2 citations"):
        store.get(citation.id[:6])


@pytest.mark.parametrize("damage", ["cut", "empty", "renamed", "text", "other"])
def test_damaged_citations_are_refused(store: Store, damage: str) -> None:
    citation = add(store)
    path = store.folder / "citations" / f"{citation.id}.json"
    data = path.read_bytes()
    name = citation.id
    if damage == "renamed":
        name = "0" * 20
        path.rename(path.with_name(f"{name}.json"))
    else:
        path.write_bytes(
            {
                "cut": data[:-20],
                "empty": b"",
                "text": data.replace(b'"words"', b'"WORDS"'),
                "other": b'{"verifaible": []}',
            }[damage]
        )
    with pytest.raises(IntegrityError):
        store.get(name)


def test_the_annotation_around_the_record_belongs_to_it(store: Store) -> None:
    """What a reader of the W3C fields sees is what the id vouches for."""
    citation = add(store)
    path = store.folder / "citations" / f"{citation.id}.json"
    record = json.loads(path.read_bytes())
    record["body"]["value"] = "Another claim"
    path.write_bytes(annotation.canonical(record))
    with pytest.raises(IntegrityError):
        store.get(citation.id)


def test_the_custody_chain(store: Store) -> None:
    citations = [add(store, f"claim {number}") for number in range(3)]
    path = store.folder / "custody.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    assert [json.loads(line)["kind"] for line in lines] == ["capture", "citation"] * 3
    assert {json.loads(line)["name"] for line in lines} >= {citation.id for citation in citations}
    assert store.custody_faults() == []
    path.write_bytes(b"".join(lines[:2] + lines[3:]))
    assert store.custody_faults() == ["custody.jsonl line 3: the chain is broken"]
    path.write_bytes(b"".join([lines[0].replace(b"capture", b"kapture"), *lines[1:]]))
    assert store.custody_faults() == ["custody.jsonl line 2: the chain is broken"]
    path.write_bytes(b"".join([*lines, b"not json\n"]))
    assert store.custody_faults() == ["custody.jsonl line 7: the chain is broken"]


def test_the_chain_goes_on_after_a_line_that_a_kill_cut_off(store: Store) -> None:
    """The cut line never was whole: it goes, and what follows continues the chain."""
    add(store)
    path = store.folder / "custody.jsonl"
    with path.open("ab") as file:
        file.write(b'{"at":"2026' + b"x" * 9000)
    second = add(store, "second")
    lines = path.read_bytes().splitlines()
    assert json.loads(lines[-1])["name"] == second.id
    assert len(lines) == 4
    assert store.custody_faults() == []


def test_checks_are_appended_and_a_cut_line_is_left_out(store: Store) -> None:
    citation = add(store)
    check = Check(citation_id=citation.id, at=NOW, kind="rehash", verdict="verified", message="m")
    assert store.checks(citation.id) == ()
    store.add_check(check)
    path = store.folder / "checks" / f"{citation.id}.jsonl"
    with path.open("a") as file:
        file.write('{"citation_id": "x')
    assert store.checks(citation.id) == (check,)
    store.add_check(check)
    assert store.checks(citation.id) == (check, check)


def test_a_capture_that_is_gone_or_changed(store: Store) -> None:
    citation = add(store)
    path = store.capture_path(citation.capture.sha256)
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(IntegrityError, match="was changed"):
        store.open_capture(citation)
    path.unlink()
    with pytest.raises(IntegrityError, match="missing"):
        store.open_capture(citation)


def test_a_store_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError, match="VERIFAIBLE_STORE"):
        Store(tmp_path / "file" / "store").scratch()


def test_two_stores_have_two_keys(tmp_path: Path) -> None:
    keys = {Store(tmp_path / name).signer.public_key for name in ("a", "b")}
    assert len(keys) == 2
    assert isinstance(Store(tmp_path / "a").signer, Signer)
    assert Store(tmp_path / "a").signer.public_key in keys
