"""What the hashes and signatures of an export prove, what they do not, and how to check them by hand."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from verifaible.evidence.export import bundle
from verifaible.evidence.observing.links import link_of
from verifaible.evidence.stamps.records import TimeStamp
from verifaible.evidence.stamps.stamping import stamped_entries
from verifaible.schema.check import State
from verifaible.schema.citation import Citation
from verifaible.store.keys import KeyRecord
from verifaible.store.store import Store


@dataclass(frozen=True, slots=True)
class Stamps:
    """The first stamps that cover a citation.

    Attributes:
        entries: the entries of the log after the citation's own, up to the stamped one: bytes by name.
        tokens: each stamp by the name of its file.
        last: the name of the stamped entry in the export.
    """

    entries: dict[str, bytes]
    tokens: dict[str, TimeStamp]
    last: str

    def files(self) -> dict[str, bytes]:
        """What the export holds of them."""
        return self.entries | {name: stamp.der() for name, stamp in self.tokens.items()}

    def said(self) -> tuple[str, ...]:
        """Who stamped, and when, a sentence each."""
        return tuple(
            f"{name}: {each.authority}, {each.stamped_at:%Y-%m-%d %H:%M:%S} UTC"
            for name, each in self.tokens.items()
        )

    def commands(self) -> tuple[str, ...]:
        """Shell commands: the log leads to the stamped entry, and each token is over that one.

        A token is checked with the certificate in it: whose that is, only a root of the authority tells.
        """
        links = (
            f"before={bundle.ENTRY}; for next in {' '.join(self.entries)}; do "
            'grep -qF "\\"previous\\":\\"$(sha256sum < "$before" | cut -c 1-64)\\"" "$next" || exit 1; '
            'before="$next"; done',
        )
        return (links if self.entries else ()) + tuple(
            f"openssl pkcs7 -inform DER -in {name} -print_certs | openssl ts -verify -data {self.last} "
            f"-token_in -in {name} -partial_chain -attime {int(each.stamped_at.timestamp())} "
            "-CAfile /dev/stdin"
            for name, each in self.tokens.items()
        )

    def with_roots(self) -> tuple[str, ...]:
        """Commands for who has the authorities' roots, in roots.pem."""
        return tuple(
            f"openssl ts -verify -data {self.last} -token_in -in {name} -CAfile roots.pem "
            f"-attime {int(each.stamped_at.timestamp())}"
            for name, each in self.tokens.items()
        )


def stamps_of(store: Store, number: int) -> Stamps | None:
    """The earliest stamps at or after the custody entry of this number; None if there are none.

    Raises:
        IntegrityError: a file of stamps, or an entry up to the stamped one, is damaged.
    """
    covering = [each for each in stamped_entries(store) if each.entry >= number]
    if not covering:
        return None
    first = min(each.entry for each in covering)
    tokens = {
        f"timestamps/{Path(each.file).stem}-{place}.tst": one
        for each in covering
        if each.entry == first
        for place, one in enumerate(each.stamps, 1)
    }
    entries = {bundle.entry_file(each): store.custody.read(each)[1] for each in range(number + 1, first + 1)}
    return Stamps(entries, tokens, bundle.entry_file(first) if entries else bundle.ENTRY)


#: The text that a signature of ours is over: the name of the hash, and the hash in hexadecimal.
_HEX = "cut -c 1-64"


@dataclass(frozen=True, slots=True)
class ByHand:
    """One thing to check without our code: what it shows, the shell commands that show it, and the
    files for readers that they need.
    """

    title: str
    shows: str
    commands: tuple[str, ...]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Signed:
    """The keys behind an export: of the capture, of the custody entry, and of the export itself.

    ``keys`` are these and all that endorsed them, each once; ``stamps`` the time stamps on the log, if any.
    """

    capture: KeyRecord
    entry: KeyRecord
    export: KeyRecord
    keys: tuple[KeyRecord, ...]
    stamps: Stamps | None = None

    @property
    def rotated(self) -> tuple[KeyRecord, ...]:
        """Those that another key endorsed."""
        return tuple(record for record in self.keys if record.origin == "rotated")


def proven(citation: Citation) -> tuple[str, ...]:
    """What the hashes and signatures show, a sentence each."""
    return (
        "The capture, the citation and the picture are, bit for bit, the ones that were sealed: any later "
        "change would give other hashes.",
        "Whoever holds the private keys named here sealed them, and entered the citation into a log in which "
        "each entry holds the hash of the one before.",
        f"The cited {_WHAT[citation.evidence_type]} in the captured {_WHERE[citation.evidence_type]}, at the "
        "place shown. This was checked again when this export was made.",
    )


_WHAT = {
    "text": "words stand",
    "table": "cells stand",
    "pdf": "words stand",
    "video": "words stand",
    "image": "image stands",
}
_WHERE = {"text": "page", "table": "page", "pdf": "document", "video": "captions", "image": "page"}


def not_proven(citation: Citation, stamped: bool) -> tuple[str, ...]:
    """What they do not show, a sentence each."""
    replica = (
        "That the real site says, or ever said, the same: a replica was captured, which was written by hand.",
    )
    signed_in = ("That others may read it: it was captured in a signed-in session.",)
    return (
        *(replica if citation.capture.synthetic else ()),
        *(signed_in if citation.capture.signed_in else ()),
        "That the source told the truth, or that it supports the claim: the claim is its author's reading.",
        "That others saw the same: a server may answer differently by place, time or account.",
        "When it was captured: the time is that of the capturing machine's own clock, and "
        + (
            "what outside parties have stamped is a later time by which it was there."
            if stamped
            else "no outside party has confirmed it."
        ),
        "Who holds the key: compare its fingerprint with one that the keeper of the store gave you.",
        "That the holder of the key did not make up all of it.",
    )


def by_hand(citation: Citation, signed: Signed, present: Collection[str]) -> tuple[ByHand, ...]:
    """The checks of an export, in order, for a POSIX shell in the export's folder.

    Each command fails (exits with another status than 0) if what it checks does not hold.

    Args:
        citation: what was exported.
        signed: the keys.
        present: the files for readers that the export has; what needs another one is left out.
    """
    checks = (
        _the_files(),
        _the_citation(citation),
        _the_capture(),
        _the_entry(citation, signed.entry),
        *([_the_stamps(signed.stamps)] if signed.stamps else []),
        _the_key(signed),
    )
    return tuple(check for check in checks if set(check.needs) <= set(present))


def _the_files() -> ByHand:
    return ByHand(
        "The files",
        f"Every file of this folder is as it was exported; the exporting store's key signed {bundle.SUMS}.",
        (
            f"sha256sum --check --quiet {bundle.SUMS}",
            _dgst("export-key.pem", "SHA256SUMS.sig.der", bundle.SUMS),
        ),
    )


def _the_citation(citation: Citation) -> ByHand:
    commands = [f'grep -oF "captures/$({_sum(bundle.CAPTURE)}).wacz" {bundle.CITATION}']
    pictures = tuple(bundle.picture_files(citation))
    commands += [
        f'grep -oF "\\"sha256\\":\\"$({_sum(name)})\\"" {bundle.CITATION} | tail -n 1 | grep .'
        for name in pictures
    ]
    return ByHand(
        "The citation",
        "It names this capture"
        + (" and this picture by their SHA-256" if pictures else " by its SHA-256")
        + " (what it says of them is printed).",
        tuple(commands),
        needs=(bundle.CITATION, bundle.CAPTURE, *pictures),
    )


def _the_capture() -> ByHand:
    package = "unzip -p capture.wacz datapackage.json"
    digest = "unzip -p capture.wacz datapackage-digest.json"
    listed = """awk -F '"' '$2 == "path" { p = $4 } $2 == "hash" { print substr($4, 8) "  " p }'"""
    return ByHand(
        "The capture",
        "Its list of contents (datapackage.json) is the one that was signed, and each of its files has the "
        "hash that the list gives.",
        (
            f'printf %s "sha256:$({package} | sha256sum | {_HEX})" | cmp - signatures/capture.txt',
            f'{digest} | grep -F "\\"hash\\": \\"$(cat signatures/capture.txt)\\"" | head -n 1 | grep .',
            _dgst("capture-key.pem", "capture.sig.der", "signatures/capture.txt"),
            f'{digest} | sed -n \'s/.*"publicKey": "\\([^"]*\\)".*/\\1/p\' | base64 -d '
            "| openssl pkey -pubin -inform DER | cmp - signatures/capture-key.pem",
            'unpacked=$(mktemp -d) && unzip -q capture.wacz -d "$unpacked"',
            f'(cd "$unpacked" && {listed} datapackage.json | sha256sum --check --quiet -)',
        ),
        needs=(bundle.CAPTURE,),
    )


def _the_entry(citation: Citation, key: KeyRecord) -> ByHand:
    named = (
        f'{{\\"kind\\":\\"citation\\",\\"name\\":\\"citations/{citation.id}.json\\",'
        f'\\"sha256\\":\\"$({_sum(bundle.CITATION)})\\"}}'
    )
    return ByHand(
        "The custody entry",
        "The store entered this citation into its log; the signature is over everything else in the entry.",
        (
            f'grep -oF "{named}" {bundle.ENTRY}',
            _signed_json(bundle.ENTRY, "signatures/custody-entry.txt"),
            _dgst("custody-key.pem", "custody-entry.sig.der", "signatures/custody-entry.txt"),
            f'grep -oF "\\"key\\":\\"{key.id}\\"" {bundle.ENTRY}',
            _has_fingerprint("custody-key.pem", key),
        ),
        needs=(bundle.CITATION,),
    )


def _the_stamps(stamps: Stamps) -> ByHand:
    return ByHand(
        "The time stamps",
        f"The log leads from the citation's entry to {stamps.last}, which outside parties have stamped: by "
        f"then the citation was there. {'. '.join(stamps.said())}. Each token (RFC 3161) is checked with the "
        "certificate in it; whose that is, a published root tells: see the commands at the end.",
        stamps.commands(),
        needs=(bundle.CITATION,),
    )


def _the_key(signed: Signed) -> ByHand:
    commands = [_has_fingerprint("export-key.pem", signed.export)]
    for record in signed.rotated:
        stem = f"key-{record.id}"
        commands += [
            _signed_json(record.file, f"signatures/{stem}.txt"),
            _dgst(f"key-{record.endorsed_by}.pem", f"{stem}.sig.der", f"signatures/{stem}.txt"),
        ]
    return ByHand(
        "The keys",
        "The exporting key has the fingerprint below"
        + (", and each new key was signed by the one before it." if signed.rotated else "."),
        tuple(commands),
    )


def _sum(name: str) -> str:
    return f"sha256sum < {name} | {_HEX}"


def _dgst(key: str, signature: str, signed: str) -> str:
    return f"openssl dgst -sha256 -verify signatures/{key} -signature signatures/{signature} {signed}"


def _signed_json(name: str, text: str) -> str:
    """The signature is the last field of the canonical JSON; what it is over is the rest."""
    rest = f'sed \'s/,"signature":"[^"]*"}}$/}}/\' {name} | tr -d \'\\n\''
    return f'printf %s "sha256:$({rest} | sha256sum | {_HEX})" | cmp - {text}'


def _has_fingerprint(pem: str, key: KeyRecord) -> str:
    outer = f"openssl pkey -pubin -in signatures/{pem} -outform DER | sha256sum"
    return f"{outer} | grep {bundle.fingerprint(key.public_key)}"


def instructions(citation: Citation, signed: Signed, present: Collection[str], state: State) -> str:
    """``VERIFY.txt``: lines that begin with four blanks are commands, so nothing of the page may stand in it.

    Arguments are those of :func:`by_hand`; ``state`` is what was known when it was exported.
    """
    lines = [
        f"How to check the citation {citation.id} without verifaible",
        "",
        "You need a POSIX shell, openssl, unzip and sha256sum (on macOS put `shasum -a 256` in the place of",
        "sha256sum). Unpack the folder, go into it, and give the commands that are indented by four blanks,",
        "or all of them at once:",
        "",
        "  grep '^    ' VERIFY.txt | sh -e && echo 'all of it holds'",
        "",
        'A signature that holds prints "Verified OK". "differ", "FAILED" or "Verification failure", or',
        "nothing where grep should print what it found, says that something was changed.",
        "",
    ]
    for number, check in enumerate(by_hand(citation, signed, present), 1):
        lines += [f"{number}. {check.title}", "", f"   {check.shows}", ""]
        lines += [f"    {command}" for command in check.commands]
        lines.append("")
    lines += ["Keys", ""]
    lines += [f"  {words}: {bundle.fingerprint(key.public_key)}" for words, key in _named(signed)]
    lines += [
        "",
        "  (SHA-256 of the SubjectPublicKeyInfo. Compare it with the one that the keeper of the store gave",
        "  you in another way: a folder made anew with another key would pass every command above.)",
        "",
        "What was known when this was exported",
        "",
        f"  {state.said}",
        f"  {citation.graded}",
        "",
        "What this proves",
        "",
        *_listed(proven(citation)),
        "",
        "What this does not prove",
        "",
        *_listed(not_proven(citation, signed.stamps is not None)),
        "",
        "To look at the capture itself, open capture.wacz with ReplayWeb.page (https://replayweb.page). To",
        "see quoted words marked there, put this into its address bar once the page is shown:",
        "",
        f"  {link_of(citation)}",
        "",
    ]
    if signed.stamps is not None:
        lines += [
            "With the roots of the authorities in roots.pem, for the time stamps:",
            "",
        ]
        lines += [f"  {command}" for command in signed.stamps.with_roots()] + [""]
    return "\n".join(lines)


def _named(signed: Signed) -> Sequence[tuple[str, KeyRecord]]:
    return (
        ("sealed the capture", signed.capture),
        ("signed the custody entry", signed.entry),
        ("signed this export", signed.export),
    )


def _listed(sentences: Sequence[str]) -> list[str]:
    return [f"  - {sentence}" for sentence in sentences]
