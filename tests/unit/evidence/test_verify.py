"""What `verify` finds wrong with one citation, whatever the rest of its store says."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from scripts.accuracy.tamper_store import packed, resign, unpacked
from tests.unit.evidence.samples import QUOTE, add, draft_of, evidence, material
from verifaible.archive.signing import Signer
from verifaible.evidence.served import unsent
from verifaible.evidence.verify import verify
from verifaible.schema.action import ExecJs
from verifaible.schema.citation import Citation
from verifaible.store import annotation
from verifaible.store.entries import CustodyItem
from verifaible.store.keys import KeyRecord, key_id
from verifaible.store.sealed import citation_file
from verifaible.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def said(citation: Citation, store: Store) -> tuple[str, str]:
    found = verify(citation, Store(Path(store.location))).check
    return found.verdict, found.message


def test_a_citation_that_its_entry_names_with_another_hash(store: Store) -> None:
    """It is whole, and signed by nobody: the entry speaks of other bytes."""
    first = add(store)
    draft = draft_of(evidence(), first.capture, "Another claim", QUOTE)
    citation = Citation.model_validate({**draft.model_dump(), "id": annotation.citation_id(draft)})
    name = citation_file(citation.id)
    store.files.create(name, annotation.to_bytes(citation))
    store.log([CustodyItem(kind="citation", name=name, sha256="1" * 64)])
    verdict, message = said(citation, store)
    assert verdict == "error"
    assert "is not the one that custody entry 2 names" in message


def test_a_store_with_a_second_first_key(store: Store) -> None:
    citation = add(store)
    forger = Signer.new()
    record = KeyRecord(
        id=key_id(forger.public_key),
        public_key=forger.public_key,
        created=citation.created_at,
        origin="first",
    )
    store.files.create(record.file, record.to_bytes())
    verdict, message = said(citation, store)
    assert verdict == "error"
    assert "several first keys" in message


def forged(store: Store, *names: str, signed: bool) -> Citation:
    """A citation whose capture had another figure in files of the evidence when it was sealed."""
    parts = material(store)
    files = unpacked(parts["capture"].read_bytes())
    for name in names:
        before = files[name]
        files[name] = before.replace(b"5.33", b"5.38")
        assert files[name] != before
    if signed:
        resign(files, store.signer)
    data = packed(files)
    parts["capture"].write_bytes(data)
    reference = parts["draft"].capture.model_copy(
        update={"sha256": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}
    )
    draft = parts["draft"].model_copy(update={"capture": reference})
    return store.add(draft, capture=parts["capture"], tiles=parts["tiles"])


@pytest.mark.parametrize("name", ["evidence/text.txt", "evidence/snapshot.json", "evidence/dom.html"])
def test_a_capture_whose_inside_does_not_fit_its_own_hashes(store: Store, name: str) -> None:
    """Its bytes are those that were sealed: they were wrong when they were."""
    verdict, message = said(forged(store, name, signed=False), store)
    assert verdict == "error"
    assert "The capture is not whole" in message
    assert name in message


def test_a_forged_snapshot_whose_hashes_and_signature_fit_holds_no_evidence(store: Store) -> None:
    citation = forged(store, "evidence/text.txt", "evidence/snapshot.json", "evidence/dom.html", signed=True)
    verdict, message = said(citation, store)
    assert verdict == "changed"
    assert "the evidence is changed in them" in message


def test_words_that_only_a_script_of_the_citation_can_have_written(store: Store) -> None:
    """They are found where the citation ran a script and no answer of its site holds them."""
    sent = add(store)
    script = (ExecJs(type="exec_js", code="document.title"),)
    with store.open_capture(sent) as reader:
        scripted = sent.model_copy(update={"steps": script})
        assert unsent(scripted, reader.exchanges()) == ""
        words = "The rate was 5.38% in February."
        forged = scripted.model_copy(
            update={"anchor": sent.anchor.model_copy(update={"text": words, "evidence": words})}
        )
        assert unsent(forged, reader.exchanges()) == words
        assert unsent(forged.model_copy(update={"steps": ()}), reader.exchanges()) == "", (
            "without a script nothing can"
        )


def test_a_sentence_that_was_sealed_otherwise_is_changed_word_by_word(store: Store) -> None:
    given = material(
        store, quote="The rate was 5.33%", body="Before it. The rate was 5.33% in February. After."
    )
    anchor = given["draft"].anchor.model_copy(update={"evidence": "The rate was 5.33% in March."})
    made = store.add(**{**given, "draft": given["draft"].model_copy(update={"anchor": anchor})})
    check = verify(made, store).check
    assert (check.verdict, check.found) == ("changed", "The rate was 5.33%")
    differs = [(each.op, each.text, each.kind) for each in check.difference if each.op != "same"]
    assert differs == [("removed", "March", "word"), ("added", "February", "word")]
