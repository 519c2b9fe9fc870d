"""OpenTimestamps, from a local calendar over real HTTP and from proofs of the format's own library."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.servers.calendar_server import (
    FORK,
    SHA256,
    Calendar,
    append,
    bitcoin,
    calendar_server,
    pending,
    prepend,
    sha256,
)
from verifaible.config import Settings
from verifaible.evidence.stamps.check import check, openssl_commands
from verifaible.evidence.stamps.opentimestamps import (
    MAGIC,
    MAX_PROOF_BYTES,
    completed,
    read_detached,
    read_tree,
)
from verifaible.evidence.stamps.records import (
    Authority,
    BlockAnchor,
    StampingFailed,
    TimeStamp,
    TimeStampError,
)
from verifaible.evidence.stamps.timestamps import stamp, upgrade
from verifaible.net.client import HttpClient, live_client
from verifaible.net.guard import UrlGuard

DIGEST = hashlib.sha256(b"a sealed capture").hexdigest()
OTHER = hashlib.sha256(b"another capture").hexdigest()
HEAD = MAGIC + b"\x01\x08" + bytes.fromhex(DIGEST)

#: Written by opentimestamps 0.4.5: two branches, four kinds of operations, an attestation of a kind of
#: its own. The blocks and their roots beside it are what that library reads in it.
REFERENCE = bytes.fromhex(
    "004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e892940108fe8cdbc8895db8e7fe6ae9c12e641b"
    "293fe1a93b3b6cf13f93f8875a84a89d98f010000102030405060708090a0b0c0d0e0f08ff0001010101010101010"
    "56c61746572fff1046c65667408ff0083dfe30d2ef90c8e1d1c68747470733a2f2f6f6e652e63616c656e6461722e"
    "6578616d706c65f02801010101010101010101010101010101010101010101010101010101010101010101010101010"
    "101f3f20808000588960d73d7190103f7ef15f1056f7468657208ff0083dfe30d2ef90c8e1f1e68747470733a2f2f"
    "74776f2e63616c656e6461722e6578616d706c652f78f0280101010101010101010101010101010101010101010101"
    "0101010101010101010101010101010101f3f20808000588960d73d7190103d9d737"
)
REFERENCE_BLOCKS = (
    BlockAnchor(
        height=358391, merkle_root="2017af26cb510108fc1737eaea14e99a307c56e3b2b42b4d8900b09ee2c09d5e"
    ),
    BlockAnchor(
        height=912345, merkle_root="c15803283363ebe0e864909171bd374fa029951dac92d00fae5df862a248aac9"
    ),
)


@pytest.fixture
def calendar(monkeypatch: pytest.MonkeyPatch) -> Iterator[Calendar]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with calendar_server() as calendar:
        yield calendar


def client() -> HttpClient:
    return live_client(Settings(), UrlGuard(["127.0.0.1"]))


def authority(calendar: Calendar) -> Authority:
    return Authority(name="Here", url=calendar.url, kind="opentimestamps")


async def promised_by(calendar: Calendar) -> TimeStamp:
    async with client() as http:
        (item,) = await stamp(DIGEST, [authority(calendar)], http)
    return item


def record(proof: bytes, digest: str = DIGEST) -> TimeStamp:
    token = base64.b64encode(proof).decode()
    return TimeStamp(kind="opentimestamps", authority="https://c.example", digest=digest, token=token)


def kinds(found: TimeStamp, digest: str = DIGEST) -> list[str]:
    result = check(found, digest)
    assert (result.state == "failed") == bool(result.faults)
    return [fault.kind for fault in result.faults]


async def test_a_promise_proves_nothing_yet_and_says_so(calendar: Calendar) -> None:
    item = await promised_by(calendar)
    assert (item.stamped_at, item.serial, item.status) == (None, "", f"pending at {calendar.url}")
    assert TimeStamp.model_validate_json(item.model_dump_json()) == item
    found = check(item, DIGEST)
    assert (found.state, found.pending, found.blocks, found.stamped_at) == (
        "pending",
        (calendar.url,),
        (),
        None,
    )
    assert found.statement.startswith("Nothing is proved yet")


async def test_the_calendar_is_not_told_the_digest(calendar: Calendar) -> None:
    first, second = await promised_by(calendar), await promised_by(calendar)
    assert first.token != second.token
    assert len({DIGEST, *(received.hex() for received in calendar.received)}) == 3
    assert {len(received) for received in calendar.received} == {32}


async def test_nothing_to_upgrade_before_the_block_is_mined(calendar: Calendar) -> None:
    item = await promised_by(calendar)
    async with client() as http:
        assert await upgrade(item, http) == item
    assert calendar.asked[-1] == f"GET /timestamp/{calendar.promised[0].hex()}"


async def test_an_upgraded_proof_leads_to_the_merkle_root_of_the_block(calendar: Calendar) -> None:
    item = await promised_by(calendar)
    calendar.mine(912_345)
    async with client() as http:
        grown = await upgrade(item, http)
        asked = len(calendar.asked)
        assert await upgrade(grown, http) == grown
    assert len(calendar.asked) == asked  # nothing is asked about what is anchored

    found = check(grown, DIGEST)
    root = calendar.merkle_root[::-1].hex()
    assert (found.state, grown.status) == ("anchored", "in Bitcoin block 912345")
    assert found.blocks == (BlockAnchor(height=912_345, merkle_root=root),)
    assert found.pending == (calendar.url,)
    assert f"If the Merkle root of block 912345 is {root}" in found.statement
    assert "The comparison was not made here" in found.statement
    assert found.stamped_at is None


async def test_rfc3161_rules_on_numbers_do_not_hold_for_calendars(calendar: Calendar) -> None:
    async with client() as http:
        assert len(await stamp(DIGEST, [authority(calendar)], http, wanted=2)) == 1


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (500, None, "HTTP status 500"),
        (200, b"<html>Sign in</html>", "operation 0x3c"),
        (200, b"", "ends too soon"),
        (200, SHA256 + b"\x00" + b"\x01" * 8 + b"\x00", "neither attests anything nor promises to"),
        (200, SHA256 + pending("https://c.example") + b"\x00", "bytes follow its end"),
        (200, SHA256 + pending("https://c.example/?q=1"), "address of a calendar"),
    ],
)
async def test_a_calendar_that_fails_is_named_and_the_other_is_kept(
    calendar: Calendar, status: int, body: bytes | None, reason: str
) -> None:
    with calendar_server() as bad:
        bad.status, bad.body = status, body
        async with client() as http:
            with pytest.raises(StampingFailed, match=bad.url) as caught:
                await stamp(DIGEST, [authority(bad), authority(calendar)], http)
    assert reason in caught.value.failures[0].reason
    assert [check(kept, DIGEST).pending for kept in caught.value.stamps] == [(calendar.url,)]


@pytest.mark.parametrize(("status", "body"), [(500, None), (200, b"<html>"), (200, b"")])
async def test_an_upgrade_that_fails_keeps_the_promise(
    calendar: Calendar, status: int, body: bytes | None
) -> None:
    item = await promised_by(calendar)
    calendar.status, calendar.body = status, body
    async with client() as http:
        with pytest.raises(StampingFailed, match=calendar.url) as caught:
            await upgrade(item, http)
    assert caught.value.stamps == (item,)


async def test_an_upgrade_of_a_promise_to_a_promise_is_none(calendar: Calendar) -> None:
    item = await promised_by(calendar)
    calendar.body = SHA256 + pending("https://later.example")
    async with client() as http:
        assert await upgrade(item, http) == item


async def test_upgrading_asks_only_where_the_guard_lets_it(calendar: Calendar) -> None:
    item = record(HEAD + SHA256 + pending("http://169.254.169.254/latest"))
    async with client() as http:
        with pytest.raises(StampingFailed, match="refused"):
            await upgrade(item, http)
    assert calendar.asked == []


async def test_upgrading_refuses_what_is_about_something_else(calendar: Calendar) -> None:
    item = await promised_by(calendar)
    async with client() as http:
        with pytest.raises(TimeStampError, match="another digest"):
            await upgrade(item.model_copy(update={"digest": OTHER}), http)


def test_a_proof_of_the_formats_own_library() -> None:
    found = check(record(REFERENCE), DIGEST)
    assert (found.state, found.blocks) == ("anchored", REFERENCE_BLOCKS)
    assert found.pending == ("https://one.calendar.example", "https://two.calendar.example/x")
    _, tree = read_detached(REFERENCE)
    assert tree.unknown == 1


def test_a_proof_is_about_its_own_digest_only() -> None:
    assert kinds(record(REFERENCE), OTHER) == ["digest"]
    assert kinds(record(REFERENCE, OTHER), OTHER) == ["digest"]
    moved = REFERENCE.replace(bytes.fromhex(DIGEST), bytes.fromhex(OTHER))
    found = check(record(moved, OTHER), OTHER)
    assert not {block.merkle_root for block in found.blocks} & {
        block.merkle_root for block in REFERENCE_BLOCKS
    }


def test_a_record_with_a_time_that_no_proof_states() -> None:
    assert kinds(record(REFERENCE).model_copy(update={"serial": "1"})) == ["record"]


def test_no_damage_leads_to_the_same_block_by_another_way() -> None:
    genuine = {(block.height, block.merkle_root) for block in REFERENCE_BLOCKS}
    start = REFERENCE.index(b"left") - 2  # from the first branch on; what came before is not part of a path
    for place in range(start, len(REFERENCE)):
        changed = bytearray(REFERENCE)
        changed[place] ^= 1
        found = check(record(bytes(changed)), DIGEST)
        same = genuine & {(block.height, block.merkle_root) for block in found.blocks}
        uris = set(found.pending) == {"https://one.calendar.example", "https://two.calendar.example/x"}
        assert len(same) < 2 or not uris or found.state == "failed", place


def test_a_proof_that_was_cut_short_is_malformed() -> None:
    for length in range(0, len(REFERENCE), 3):
        assert kinds(record(REFERENCE[:length])) == ["malformed"]
    assert kinds(record(REFERENCE + b"\x00")) == ["malformed"]


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (b"\x02" + bitcoin(1), "SHA-1"),
        (b"\x03" + bitcoin(1), "RIPEMD-160"),
        (b"\x67" + bitcoin(1), "Keccak-256"),
        (FORK + FORK + SHA256 + bitcoin(1), "operation 0xff"),
        (append(b"") + bitcoin(1), "does nothing"),
        (append(b"more") + bitcoin(1), "not 32 bytes"),
        (append(b"x" * 4097), "too long"),
        (append(b"x" * 4065) + SHA256 + bitcoin(1), "grows too long"),
        (b"\xf3" * 8 + bitcoin(1), "grows too long"),
        (SHA256 + b"\x00" + bytes.fromhex("0588960d73d71901") + b"\x05" + b"\xff" * 5, "too large"),
        (SHA256 + b"\x00" + b"\x01" * 8 + b"\x00", "no attestation that is known"),
        (SHA256 * MAX_PROOF_BYTES, "has more than"),
    ],
)
def test_proofs_that_are_refused(tree: bytes, reason: str) -> None:
    found = check(record(HEAD + tree), DIGEST)
    assert [fault.kind for fault in found.faults] == ["malformed"]
    assert reason in found.statement


def test_a_very_deep_proof_is_read() -> None:
    message = bytes.fromhex(DIGEST)
    for _ in range(5000):
        message = sha256(message)
    found = check(record(HEAD + SHA256 * 5000 + bitcoin(5)), DIGEST)
    assert found.blocks == (BlockAnchor(height=5, merkle_root=message[::-1].hex()),)


@pytest.mark.parametrize("before", [b"", FORK + SHA256 + pending("https://a.example")])
@pytest.mark.parametrize("after", [b"", SHA256 + bitcoin(7)])
@pytest.mark.parametrize(
    "answer", [SHA256 + bitcoin(9), FORK + prepend(b"x") + SHA256 + bitcoin(8) + SHA256 + bitcoin(9)]
)
def test_an_answer_finds_its_place_in_every_kind_of_proof(before: bytes, after: bytes, answer: bytes) -> None:
    promise = pending("https://b.example")
    proof = HEAD + before + (FORK + promise + after if after else promise)
    _, tree = read_detached(proof)
    longer = completed(proof, tree.pending[-1], answer)

    _, grown = read_detached(longer)
    wanted = read_tree(answer, bytes.fromhex(DIGEST)).blocks + tree.blocks
    assert sorted(block.height for block in grown.blocks) == sorted(block.height for block in wanted)
    assert set(grown.blocks) == set(wanted)
    assert [found.uri for found in grown.pending] == [found.uri for found in tree.pending]


def test_the_offsets_of_promises_are_those_of_the_file() -> None:
    _, tree = read_detached(REFERENCE)
    assert [REFERENCE[found.offset : found.offset + 2] for found in tree.pending] == [FORK + b"\x00"] * 2
    assert all(first.offset < second.offset for first, second in pairwise(tree.pending))


def test_the_commands_for_a_person_name_the_digest_and_the_file() -> None:
    commands = openssl_commands(record(REFERENCE), token_file="my proof.ots", roots_file="unused")
    assert f"ots verify -d {DIGEST} 'my proof.ots'" in commands.splitlines()
    assert "openssl" not in commands
