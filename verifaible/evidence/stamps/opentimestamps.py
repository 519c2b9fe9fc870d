"""OpenTimestamps proofs: read, write and complete them. The format has no text but its readers' code.

A ``.ots`` file (version 1) is a magic, a version, the digest of a file, and a tree of operations on
that digest whose leaves are attestations. A node is a run of items; every item but the last has 0xff
before it. An item is 0x00 with an attestation, or an operation with the node that follows from it.
The library of the format's authors is not used: it reads by recursion, asks the network past the URL
guard, and brings 12 MB of Bitcoin and Keccak along, for two operations and a hash.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from verifaible.evidence.stamps.records import BlockAnchor, TimeStampError

MAGIC = b"\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94"
#: Far more than a proof has (a few kilobytes), little enough to read at once.
MAX_PROOF_BYTES = 100_000
_HEAD = MAGIC + b"\x01\x08"  # version 1, SHA-256 of the file
_PENDING = bytes.fromhex("83dfe30d2ef90c8e")
_BITCOIN = bytes.fromhex("0588960d73d71901")
_MAX_MESSAGE = 4096
_MAX_PAYLOAD = 8192
_MAX_URI = 1000
_URI_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._/:")
_ATTESTATION, _SHA256, _APPEND, _PREPEND, _REVERSE, _HEXLIFY, _FORK = 0x00, 0x08, 0xF0, 0xF1, 0xF2, 0xF3, 0xFF
_REFUSED = {0x02: "SHA-1", 0x03: "RIPEMD-160", 0x67: "Keccak-256"}


@dataclass(frozen=True, slots=True)
class Pending:
    """A calendar's promise: ask ``uri`` for what became of ``commitment``; ``offset`` is its place."""

    uri: str
    commitment: bytes
    offset: int


@dataclass(frozen=True, slots=True)
class Proof:
    """A tree of operations that was followed to its leaves.

    ``last_item`` is the offset of the root's last item; ``unknown`` counts attestations of other kinds.
    """

    pending: tuple[Pending, ...]
    blocks: tuple[BlockAnchor, ...]
    unknown: int
    last_item: int


def commitment(digest: bytes, nonce: bytes) -> bytes:
    """What a calendar is given: a hash from which it cannot learn the digest."""
    return hashlib.sha256(digest + nonce).digest()


def detached(digest: bytes, nonce: bytes, answer: bytes) -> bytes:
    """The ``.ots`` file of a digest whose commitment (32 bytes) a calendar answered."""
    return _HEAD + digest + bytes((_APPEND, len(nonce))) + nonce + bytes((_SHA256,)) + answer


def read_detached(proof: bytes) -> tuple[bytes, Proof]:
    """The digest that a ``.ots`` file is about, and where its operations lead; offsets are the file's.

    Raises:
        TimeStampError: the bytes are no such proof, or rest on an operation that is not accepted.
    """
    if not proof.startswith(_HEAD):
        raise TimeStampError(
            "The bytes are not an OpenTimestamps proof (version 1) of a SHA-256 digest. "
            "Use an untouched copy."
        )
    digest = proof[len(_HEAD) : len(_HEAD) + 32]
    return digest, read_tree(proof, digest, len(_HEAD) + 32)


def read_tree(data: bytes, message: bytes, offset: int = 0) -> Proof:
    """Follow the tree at ``data[offset:]``, to its end, from ``message``; offsets count from ``data[0]``.

    Raises:
        TimeStampError: as for :func:`read_detached`.
    """
    reader = _Reader(data, offset)
    pending: list[Pending] = []
    blocks: list[BlockAnchor] = []
    unknown, last_item = 0, -1
    open_nodes = [message]  # a node stays until its last item was read
    while open_nodes:
        start, depth = reader.at, len(open_nodes)
        current, tag = open_nodes[-1], reader.byte()
        if tag == _FORK:
            tag = reader.byte()
        else:
            open_nodes.pop()
            # The first node to be closed at the bottom is the root.
            last_item = start if depth == 1 and last_item < 0 else last_item
        if tag != _ATTESTATION:
            open_nodes.append(_applied(tag, current, reader))
            continue
        kind, payload = reader.take(8), reader.sized(_MAX_PAYLOAD)
        if kind == _PENDING:
            pending.append(Pending(_uri(payload), current, start))
        elif kind == _BITCOIN:
            blocks.append(_block(payload, current))
        else:
            unknown += 1
    reader.end()
    return Proof(tuple(pending), tuple(blocks), unknown, last_item)


def completed(proof: bytes, promise: Pending, answer: bytes) -> bytes:
    """A ``.ots`` file with a calendar's later answer put beside its promise, which stays.

    Raises:
        TimeStampError: the answer is no tree of operations.
    """
    last = read_tree(answer, promise.commitment).last_item
    fork = bytes((_FORK,))
    return proof[: promise.offset] + answer[:last] + fork + answer[last:] + proof[promise.offset :]


class _Reader:
    """Bytes read in order; past their end, or before it, a TimeStampError."""

    def __init__(self, data: bytes, offset: int) -> None:
        if len(data) > MAX_PROOF_BYTES:
            raise _unreadable(f"it has more than {MAX_PROOF_BYTES} bytes")
        self._data = data
        self.at = offset

    def take(self, count: int) -> bytes:
        taken = self._data[self.at : self.at + count]
        if len(taken) != count:
            raise _unreadable("it ends too soon")
        self.at += count
        return taken

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        """A little-endian number in groups of seven bits (LEB128), at most 32 bits here."""
        value = 0
        for shift in range(0, 35, 7):
            group = self.byte()
            value |= (group & 0x7F) << shift
            if group < 0x80:
                return value
        raise _unreadable("a number in it is too large")

    def sized(self, limit: int) -> bytes:
        count = self.number()
        if count > limit:
            raise _unreadable("a field in it is too long")
        return self.take(count)

    def end(self) -> None:
        if self.at != len(self._data):
            raise _unreadable("bytes follow its end")


def _unreadable(reason: str) -> TimeStampError:
    return TimeStampError(f"The OpenTimestamps proof cannot be read: {reason}. Use an untouched copy.")


def _applied(tag: int, message: bytes, reader: _Reader) -> bytes:
    if tag == _SHA256:
        return hashlib.sha256(message).digest()
    if tag in {_APPEND, _PREPEND}:
        argument = reader.sized(_MAX_MESSAGE)
        if not argument:
            raise _unreadable("an operation in it does nothing")
        result = message + argument if tag == _APPEND else argument + message
    elif tag in {_REVERSE, _HEXLIFY}:
        result = message[::-1] if tag == _REVERSE else message.hex().encode()
    elif tag in _REFUSED:
        raise TimeStampError(
            f"The OpenTimestamps proof rests on {_REFUSED[tag]}, which is not accepted as evidence here. "
            "Stamp the digest anew."
        )
    else:
        raise _unreadable(f"it has an operation 0x{tag:02x} that is not known")
    if len(result) > _MAX_MESSAGE:
        raise _unreadable("a message in it grows too long")
    return result


def _uri(payload: bytes) -> str:
    reader = _Reader(payload, 0)
    text = reader.sized(_MAX_URI).decode("ascii", "replace")
    reader.end()
    if not text or not set(text) <= _URI_CHARACTERS:
        raise _unreadable("the address of a calendar in it is not valid")
    return text


def _block(payload: bytes, message: bytes) -> BlockAnchor:
    reader = _Reader(payload, 0)
    height = reader.number()
    reader.end()
    if len(message) != 32:
        raise _unreadable("what it calls a Merkle root is not 32 bytes")
    # Block explorers and nodes print hashes with the last byte first.
    return BlockAnchor(height=height, merkle_root=message[::-1].hex())
