"""The time stamps that go along with an export, and the log from the citation's entry to the stamped one."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from verifaible.evidence.export import bundle
from verifaible.evidence.stamps.records import TimeStamp, token_bytes
from verifaible.evidence.stamps.stamping import stamped_entries
from verifaible.evidence.store.entries import file_of
from verifaible.evidence.store.store import Store

_SUFFIXES = {"rfc3161": "tst", "opentimestamps": "ots"}


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
        return self.entries | {name: token_bytes(stamp) for name, stamp in self.tokens.items()}

    def said(self) -> tuple[str, ...]:
        """Who stamped, and when, a sentence each."""
        return tuple(
            f"{name}: {each.authority}, "
            + (f"{each.stamped_at:%Y-%m-%d %H:%M:%S} UTC" if each.stamped_at else each.status)
            for name, each in self.tokens.items()
        )

    def commands(self) -> tuple[str, ...]:
        """Shell commands: the log leads to the stamped entry, and each RFC 3161 token is over that one.

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
            if each.stamped_at is not None
        )

    def with_roots(self) -> tuple[str, ...]:
        """Commands for who has more: the authorities' roots in roots.pem, or a Bitcoin node."""
        return tuple(
            f"openssl ts -verify -data {self.last} -token_in -in {name} -CAfile roots.pem "
            f"-attime {int(each.stamped_at.timestamp())}"
            if each.stamped_at is not None
            else f"ots verify -f {shlex.quote(self.last)} {name}"
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
        f"timestamps/{Path(each.file).stem}-{place}.{_SUFFIXES[one.kind]}": one
        for each in covering
        if each.entry == first
        for place, one in enumerate(each.stamps, 1)
    }
    entries = {file_of(each): store.custody.read(each)[1] for each in range(number + 1, first + 1)}
    return Stamps(entries, tokens, file_of(first) if entries else bundle.ENTRY)
