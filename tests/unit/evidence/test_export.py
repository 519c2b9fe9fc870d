"""Exports: what is in them, that they are checked by hand with openssl, and that nothing in them is trusted."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from collections.abc import Callable
from datetime import timedelta
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from tests.unit.evidence.samples import NOW, QUOTE, URL, add, check
from verifaible.anchoring.evidence import text_link
from verifaible.cli.library import export as export_command
from verifaible.config import Settings
from verifaible.console.options import SHORT_HELP
from verifaible.errors import IntegrityError, StoreError
from verifaible.evidence import bundle
from verifaible.evidence.bundle import proof_of
from verifaible.evidence.export import ALL, Exported, Format, export
from verifaible.evidence.shown import link_of
from verifaible.schema.anchor import Shown
from verifaible.schema.citation import Citation
from verifaible.store.keys import key_id
from verifaible.store.root import Root
from verifaible.store.sealed import capture_file, citation_file, picture_files
from verifaible.store.store import Store

#: All that needs no browser.
PLAIN: tuple[Format, ...] = ("wacz", "jsonld", "picture", "html", "csl")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def folder(store: Store) -> Path:
    assert isinstance(store.files, Root)
    return store.files.folder


def exported(store: Store, citation: Citation, out: Path, formats: tuple[Format, ...] = PLAIN) -> Exported:
    return asyncio.run(export(citation, store, None, out, formats=formats))  # type: ignore[arg-type]


def sections(out: Exported) -> list[str]:
    """The commands of each section of VERIFY.txt, as a shell would be given them."""
    text = (out.folder / "VERIFY.txt").read_text()
    parts = re.split(r"(?m)^\d\. ", text)[1:]
    return ["\n".join(re.findall(r"(?m)^    (.*)$", part)) for part in parts]


def shell(commands: str, where: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-e"], input=commands, cwd=where, capture_output=True, text=True, timeout=300, check=False
    )


# --- what an export holds


def test_the_stores_own_bytes(store: Store, tmp_path: Path) -> None:
    citation = add(store)
    out = exported(store, citation, tmp_path / "out")
    assert out.folder == tmp_path / "out" / f"verifaible-{citation.id}"
    for name, original in (
        ("capture.wacz", capture_file(citation.capture.sha256)),
        ("citation.jsonld", citation_file(citation.id)),
        ("picture.webp", next(iter(picture_files(citation)))),
    ):
        assert (out.folder / name).read_bytes() == store.files.read(original)
    assert (out.folder / "custody-entry.json").read_bytes() == store.custody.read(1)[1]
    assert {
        "VERIFY.txt",
        "evidence.html",
        "export.json",
        "SHA256SUMS",
        f"keys/{store.keys.current.id}.json",
    } <= {*out.files}
    there = {str(path.relative_to(out.folder)) for path in out.folder.rglob("*") if path.is_file()}
    assert there == set(out.files)
    assert [path.name for path in (tmp_path / "out").iterdir()] == [out.folder.name]


def test_the_annotation_uses_terms_of_the_w3c_context(store: Store, tmp_path: Path) -> None:
    out = exported(store, add(store), tmp_path)
    annotation = json.loads((out.folder / "citation.jsonld").read_bytes())
    assert annotation["@context"] == "http://www.w3.org/ns/anno.jsonld"
    # https://www.w3.org/TR/annotation-vocab/: the terms that its context defines, and our own record.
    words = "id type motivation created body value purpose target source selector state sourceDate cached"
    defined = {
        "@context",
        "verifaible",
        *words.split(),
        "exact",
        "prefix",
        "suffix",
        "start",
        "end",
        "conformsTo",
    }
    types = {
        "Annotation",
        "TextualBody",
        "TextQuoteSelector",
        "TextPositionSelector",
        "CssSelector",
        "TimeState",
    }

    def seen(part: Any) -> None:
        if isinstance(part, list):
            for each in part:
                seen(each)
        elif isinstance(part, dict):
            assert set(part) <= defined
            assert part.get("type", "Annotation") in types
            for name, each in part.items():
                if name != "verifaible":
                    seen(each)

    seen(annotation)


def test_checks_come_along(store: Store, tmp_path: Path) -> None:
    citation = add(store)
    store.add_checks((check(citation), check(citation, "changed", NOW + timedelta(days=1))))
    out = exported(store, citation, tmp_path / "out")
    checks = [name for name in out.files if name.startswith("checks/")]
    assert len(checks) == 2
    assert shell("\n".join(sections(out)), out.folder).returncode == 0


def test_a_part_of_it(store: Store, tmp_path: Path) -> None:
    citation = add(store)
    out = exported(store, citation, tmp_path, ("html",))
    assert {"evidence.html", "VERIFY.txt"} <= set(out.files)
    assert "capture.wacz" not in out.files
    # What is not there is not checked either.
    text = (out.folder / "VERIFY.txt").read_text()
    assert not re.search(r"(?m)^    .*(capture\.wacz|citation\.jsonld)", text)
    done = shell("\n".join(sections(out)), out.folder)
    assert (done.returncode, done.stdout.count("Verified OK")) == (0, 1)


def test_a_folder_that_is_there_is_not_touched(store: Store, tmp_path: Path) -> None:
    citation = add(store)
    out = exported(store, citation, tmp_path)
    with pytest.raises(StoreError, match="already exists"):
        exported(store, citation, tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        exported(store, citation, tmp_path / "file")
    assert set(out.files) == {str(p.relative_to(out.folder)) for p in out.folder.rglob("*") if p.is_file()}


def test_what_does_not_verify_is_not_exported(store: Store, tmp_path: Path) -> None:
    citation = add(store)
    path = folder(store) / next(iter(picture_files(citation)))
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(IntegrityError, match=r"pictures/[0-9a-f]+\.webp was changed"):
        exported(store, citation, tmp_path / "out")
    assert not (tmp_path / "out").exists()


# --- by hand


def test_openssl_verifies_it(store: Store, tmp_path: Path) -> None:
    out = exported(store, add(store), tmp_path / "a folder with blanks")
    done = shell("grep '^    ' VERIFY.txt | sh -e && echo 'all of it holds'", out.folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Verified OK") == 3
    assert done.stdout.endswith("all of it holds\n")
    assert (
        f"captures/{json.loads((out.folder / 'citation.jsonld').read_bytes())['verifaible']['capture']['sha256']}"
        in (done.stdout)
    )


def test_words_of_the_page_are_no_commands(store: Store, tmp_path: Path) -> None:
    lines = ("On the first line", "\u2003   touch evil; exit 1", "    touch evil; exit 1")
    citation = add(store, "    touch evil", title="\n    touch evil\n", quote="line", body="\n".join(lines))
    shown = Shown(text="\n".join(lines), words=((13, 17),))
    anchor = citation.anchor.model_copy(update={"shown": shown})
    out = exported(store, citation, tmp_path / "out")
    data = (out.folder / "VERIFY.txt").read_text()
    assert "  | On the first ⟦line⟧\n" in data
    with store.open_capture(citation) as reader:
        seal = bundle.seal_of(reader)
    proof = proof_of(citation.model_copy(update={"anchor": anchor}), store, seal, check(citation))
    for text in (data, proof.instructions(out.files)):
        assert not [line for line in text.split("\n") if line.startswith("    ") and "touch" in line]
        assert not [each for each in text if each != "\n" and not each.isprintable()]


def test_openssl_verifies_every_key_up_to_the_first(store: Store, tmp_path: Path) -> None:
    citation = add(store)
    first = store.keys.current
    second, third = store.rotate_key(), store.rotate_key()
    out = exported(store, citation, tmp_path)
    assert {f"keys/{each.id}.json" for each in (first, second, third)} <= set(out.files)
    done = shell("\n".join(sections(out)), out.folder)
    assert (done.returncode, done.stdout.count("Verified OK")) == (0, 5)
    path = out.folder / second.file
    path.write_bytes(path.read_bytes().replace(b'"rotated"', b'"Rotated"'))
    failed = shell(sections(out)[4], out.folder)
    assert failed.returncode != 0
    assert "differ" in failed.stdout


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def replaced(old: bytes, new: bytes) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        data = path.read_bytes()
        assert old in data
        path.write_bytes(data.replace(old, new, 1))

    return change


TAMPERS = {
    # name of the tamper: file, change, sections of VERIFY.txt that find it
    "a byte of the capture": ("capture.wacz", flipped, {1, 2}),
    "the claim": ("citation.jsonld", replaced(b"A claim", b"B claim"), {1, 4}),
    "the picture": ("picture.webp", flipped, {1, 2}),
    "the entry's time": ("custody-entry.json", replaced(b'"at":"2', b'"at":"3'), {1, 4}),
    "the page": ("evidence.html", replaced(b"A claim", b"B claim"), {1}),
    "the capture's signature": ("signatures/capture.sig.der", flipped, {1, 3}),
    "the entry's signature": ("signatures/custody-entry.sig.der", flipped, {1, 4}),
    "the list's signature": ("signatures/SHA256SUMS.sig.der", flipped, {1}),
    "the list": ("SHA256SUMS", replaced(b"evidence.html", b"evidence.htm_"), {1}),
    "what the capture's signature is over": ("signatures/capture.txt", flipped, {1, 3}),
}


@pytest.mark.parametrize("name", TAMPERS)
def test_openssl_finds_what_was_changed(name: str, store: Store, tmp_path: Path) -> None:
    out = exported(store, add(store), tmp_path)
    path, change, expected = TAMPERS[name]
    change(out.folder / path)
    found = {
        number for number, each in enumerate(sections(out), 1) if shell(each, out.folder).returncode != 0
    }
    assert found >= expected
    assert 5 not in found  # the keys were not touched
    assert shell("grep '^    ' VERIFY.txt | sh -e", out.folder).returncode != 0


def test_openssl_finds_another_key(store: Store, tmp_path: Path) -> None:
    """Somebody who signs everything anew has another fingerprint than VERIFY.txt and the reports name."""
    citation = add(store)
    out = exported(store, citation, tmp_path / "out")
    other = Store(tmp_path / "other")
    add(other)
    (out.folder / "signatures/export-key.pem").write_bytes(bundle.pem_of(other.signer.public_key))
    assert shell(sections(out)[4], out.folder).returncode != 0
    assert bundle.fingerprint(store.signer.public_key).startswith(key_id(store.signer.public_key))
    assert bundle.fingerprint(store.signer.public_key) in (out.folder / "evidence.html").read_text()


# --- the page


def test_the_page_says_everything(store: Store, tmp_path: Path) -> None:
    citation = add(store, "The rate was 5.33 percent.")
    store.add_check(check(citation, "changed", NOW + timedelta(days=3)))
    page = (exported(store, citation, tmp_path).folder / "evidence.html").read_text()
    for wanted in (
        "The rate was 5.33 percent.",
        f"<mark>{QUOTE}</mark>",
        citation.id,
        citation.capture.sha256,
        bundle.fingerprint(store.signer.public_key),
        "2026-03-02 08:00:00 UTC",
        "2026-03-05 08:00:00 UTC",
        'class="badge changed"',
        "What they do not prove",
        "no outside party has confirmed",
        "openssl dgst -sha256 -verify signatures/capture-key.pem",
        f'href="{URL}#:~:text=The%20rate%20was%205.33%25%20in%20February."',
    ):
        assert wanted in page, wanted


def test_the_page_marks_the_quote_in_its_sentence(store: Store, tmp_path: Path) -> None:
    citation = add(store, quote="The rate was 5.33%", body="One. The rate was 5.33% in May. Two.")
    folder = exported(store, citation, tmp_path).folder
    for name in ("evidence.html",):
        assert "<mark>The rate was 5.33%</mark> in May.</blockquote>" in (folder / name).read_text()


def test_the_page_runs_and_loads_nothing(store: Store, tmp_path: Path) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)> \" onmouseover='alert(3)' {{ 7 * 7 }}"
    citation = add(store, evil, title=evil, quote=f"5.33% {evil}", url='https://evil.example/"><script>')
    page = (exported(store, citation, tmp_path).folder / "evidence.html").read_text()
    assert "default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-" in page
    assert "<script" not in page
    assert "<img src=x" not in page
    assert "{{ 7 * 7 }}" in page  # shown, not computed
    # Nothing is loaded: every address that an element would fetch is a data: URL or in the page itself.
    fetched = re.findall(
        r"<(?:img|image|use|link|iframe|script|source)[^>]*?(?:src|href)=\"([^\"]{0,20})", page
    )
    assert fetched
    assert all(each.startswith(("data:image/webp", "#")) for each in fetched)
    assert "url(" not in page
    assert "@import" not in page


def test_a_replica_is_called_one(store: Store, tmp_path: Path) -> None:
    from tests.unit.evidence.samples import material

    parts = material(store)
    capture = parts["draft"].capture.model_copy(update={"synthetic": True})
    parts["draft"] = parts["draft"].model_copy(update={"capture": capture})
    out = exported(store, store.add(**parts), tmp_path)
    assert "A replica was captured, not the real site." in (out.folder / "evidence.html").read_text()
    assert "a replica was captured, which was written by hand" in (out.folder / "VERIFY.txt").read_text()


def test_the_link(store: Store) -> None:
    citation = add(store)
    assert link_of(citation) == f"{URL}#:~:text=The%20rate%20was%205.33%25%20in%20February."
    assert link_of(citation.model_copy(update={"final_url": "javascript:alert(1)"})) == ""
    video = citation.anchor.model_copy(update={"evidence_type": "video", "text_fragment": f"{URL}#t=1.0,2.0"})
    assert link_of(citation.model_copy(update={"anchor": video})) == f"{URL}#t=1.0,2.0"


LONG = "The member voting against it was Michelle W. Bowman, who would rather have brought the range down by a quarter "
LONG += "of a percentage point at this meeting."


@pytest.mark.parametrize(
    ("text", "directive"),
    [
        ("non-farm, 5%", "non%2Dfarm%2C%205%25"),
        (
            LONG,
            "The%20member%20voting%20against%20it%20was%20Michelle%20W.%20Bowman%2C%20who,"
            "down%20by%20a%20quarter%20of%20a%20percentage%20point%20at%20this%20meeting.",
        ),
        ("First block\n\nsecond block", "First%20block,second%20block"),
        ("x" * 130, "x" * 130),
        (" \n ", None),
    ],
)
def test_a_directive_names_whole_words_of_one_block(text: str, directive: str | None) -> None:
    expected = "https://a.example/b" + ("" if directive is None else f"#:~:text={directive}")
    assert text_link("https://a.example/b#c" if directive else "https://a.example/b", text) == expected


def test_the_command_prints_the_link_alone(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    citation = add(store)
    monkeypatch.setenv("VERIFAIBLE_STORE", str(folder(store)))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(export_command, [citation.id[:6], "--format", "link"], **SHORT_HELP)
    assert (done.exit_code, done.stdout.strip()) == (0, link_of(citation))
    assert not (tmp_path / f"verifaible-{citation.id}").exists()
    done = CliRunner().invoke(
        export_command, [citation.id, "--format", "jsonld", "--format", "link", "--json"], **SHORT_HELP
    )
    told = json.loads(done.stdout)
    assert (told["link"], told["folder"]) == (link_of(citation), f"verifaible-{citation.id}")
    assert "citation.jsonld" in told["files"]


def test_the_command_knows_every_format() -> None:
    option = next(each for each in export_command.params if each.name == "formats")
    assert isinstance(option.type, click.Choice)
    assert set(option.type.choices) == {*ALL, "link"}


def test_the_documentation_names_every_file(store: Store, tmp_path: Path) -> None:
    citation = add(store)
    store.add_check(check(citation))
    flattened = exported(store, citation, tmp_path / "a", ("png",)).files
    written = {*exported(store, citation, tmp_path / "b").files, *flattened, "report.pdf"}
    text = (Path(__file__).parents[3] / "docs" / "viewer.md").read_text().partition("## Hand over")[2]
    rows = re.findall(r"(?m)^\| (`.+?`) \|", text.partition("\n\nTo run")[0])
    named = [re.sub(r"/$", "/*", code) for row in rows for code in re.findall(r"`([^`]+)`", row)]
    for pattern in named:
        assert any(fnmatch(name, pattern) for name in written), pattern
    for name in written:
        assert any(fnmatch(name, pattern) for pattern in named), name


def test_secrets_are_named_and_refused_if_wanted(store: Store, tmp_path: Path) -> None:
    token = "q7ZkP0x2mVbT9rLw4sYd"
    shared, plain = (
        add(store, url=f"https://statistics.example/release?access={token}"),
        add(store, "B", title="B"),
    )
    (warning,) = exported(store, shared, tmp_path).warnings
    assert "'access'" in warning
    assert token not in warning
    assert exported(store, plain, tmp_path).warnings == ()
    with pytest.raises(
        StoreError, match="not exported: its capture contains secrets: the parameter 'access'"
    ):
        asyncio.run(export(shared, store, Settings(), tmp_path / "b", formats=PLAIN, refuse_secrets=True))
    assert not (tmp_path / "b").exists()
    environment = {"VERIFAIBLE_HOME": str(tmp_path), "VERIFAIBLE_STORE": str(folder(store))}
    words = [shared.id, "--out", str(tmp_path / "c"), "--format", "wacz"]
    done = CliRunner().invoke(export_command, words, env=environment, **SHORT_HELP)
    assert done.exit_code == 0, done.output
    assert "'access'" in done.stderr
