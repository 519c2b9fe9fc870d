"""What `verify` finds wrong with one citation, whatever the rest of its store says."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from pydantic import ValidationError

from scripts.accuracy.tamper_store import packed, resign, unpacked
from tests.unit.evidence.samples import QUOTE, add, draft_of, evidence, material
from verifaible.archive.signing import Signer
from verifaible.errors import ConfigError
from verifaible.evidence.served import unsent
from verifaible.evidence.verify import verify
from verifaible.schema.action import ExecJs, Type
from verifaible.schema.anchor import TableAnchor
from verifaible.schema.citation import Citation
from verifaible.schema.web import WebExchange, WebRequest, WebResponse
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


NUMBERS = b"<button>Total</button><p>-5.6 and 12.5 of 2,430</p>"


def cell(citation: Citation, text: str, *steps: ExecJs | Type) -> Citation:
    """The citation as one of a single cell without heads, after some steps."""
    table = TableAnchor(mode="crosshair", cells=((0, 0),))
    anchor = citation.anchor.model_copy(update={"text": text, "evidence": text, "table": table})
    return citation.model_copy(update={"anchor": anchor, "steps": steps})


@pytest.mark.parametrize(
    ("text", "sent"),
    [("-5.6", True), ("5.6", False), ("12.5", True), ("-12.5", False), ("2.43 thousand", False)],
)
def test_a_number_is_sent_with_its_sign(store: Store, text: str, *, sent: bool) -> None:
    citation = add(store)
    response = WebResponse(200, (("content-type", "text/html"),), NUMBERS)
    answer = WebExchange(WebRequest(citation.final_url), response, citation.created_at)
    made = cell(citation, text, ExecJs(type="exec_js", code="1"))
    assert (unsent(made, [answer]) == "") is sent


@pytest.mark.parametrize("value", ["12.5%", "9,999,999"])
def test_what_was_typed_into_a_cell_is_no_evidence_unless_the_site_has_it(store: Store, value: str) -> None:
    citation = add(store)
    typed = Type(type="type", selector="#q", value=value)
    with store.open_capture(citation) as reader:
        exchanges = list(reader.exchanges())
    assert unsent(cell(citation, value, typed), exchanges) == value
    assert unsent(cell(citation, "5.33", typed), exchanges) == ""


def test_a_pdf_whose_reader_is_not_there_is_one_error(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    citation = add(store)

    def lacking(*_: object) -> None:
        raise ConfigError("Reading PDFs needs the extra pdf.")

    monkeypatch.setattr("verifaible.evidence.verify.find_sealed", lacking)
    assert said(citation, store) == ("error", "Reading PDFs needs the extra pdf.")


def test_a_reason_is_one_line(store: Store) -> None:
    """It stands among commands in VERIFY.txt."""
    given = add(store).model_dump() | {"replay": "snapshot", "replay_reason": "x\n    echo gone"}
    with pytest.raises(ValidationError, match="no single line"):
        Citation.model_validate(given)


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
