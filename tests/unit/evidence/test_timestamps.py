"""RFC 3161 time stamps, from local authorities that run the real openssl over real HTTP."""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from asn1crypto import tsp
from asn1crypto.cms import ContentInfo
from asn1crypto.core import ObjectIdentifier
from asn1crypto.x509 import GeneralName, Name
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID

from tests.servers.tsa_server import (
    TST_INFO,
    Holder,
    TimeStampAuthority,
    altered,
    certify,
    sign,
    time_stamp_authority,
    tst_info,
)
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.evidence.timestamp import (
    AUTHORITIES,
    StampingFailed,
    TimeStamp,
    check,
    read_roots,
    stamp,
)
from verifaible.evidence.timestamp_token import TimeStampError
from verifaible.net.client import HttpClient, live_client
from verifaible.net.guard import UrlGuard

DIGEST = hashlib.sha256(b"a sealed capture").hexdigest()
OTHER = hashlib.sha256(b"another capture").hexdigest()
STAMPING, CLIENT = ExtendedKeyUsageOID.TIME_STAMPING, ExtendedKeyUsageOID.CLIENT_AUTH


@pytest.fixture(scope="module")
def servers(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[TimeStampAuthority, TimeStampAuthority]]:
    folder = tmp_path_factory.mktemp("authorities")
    rsa_key = rsa.generate_private_key(65537, 2048)
    with (
        time_stamp_authority(folder / "alpha", "Alpha", rsa_key) as alpha,
        time_stamp_authority(folder / "beta", "Beta") as beta,
    ):
        yield alpha, beta


@pytest.fixture
def two(
    servers: tuple[TimeStampAuthority, TimeStampAuthority], monkeypatch: pytest.MonkeyPatch
) -> tuple[TimeStampAuthority, TimeStampAuthority]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for server in servers:
        server.status, server.change_query, server.change_reply = 200, bytes, bytes
        server.asked.clear()
    return servers


def client(*hosts: str) -> HttpClient:
    return live_client(Settings(), UrlGuard(hosts or ("127.0.0.1",)))


def authorities(*servers: TimeStampAuthority) -> tuple[str, ...]:
    return tuple(server.url for server in servers)


async def stamps_of(*servers: TimeStampAuthority) -> tuple[TimeStamp, ...]:
    async with client() as http:
        return await stamp(DIGEST, authorities(*servers), http)


async def failure_of(bad: TimeStampAuthority, good: TimeStampAuthority) -> str:
    """The words about one authority that fails beside one that does not."""
    with pytest.raises(StampingFailed) as caught:
        await stamps_of(bad, good)
    error = caught.value
    assert [kept.authority for kept in error.stamps] == [good.url]
    assert check(error.stamps[0], DIGEST).state == "signed"
    assert list(error.failures) == [bad.url]
    assert bad.url in str(error)
    assert "is kept" in str(error)
    assert "name another authority" in str(error)
    return error.failures[bad.url]


def signed_data(token: bytes) -> Any:
    return ContentInfo.load(token)["content"]


def record(token: bytes, digest: str = DIGEST) -> TimeStamp:
    """What would be stored if this token were taken without a look."""
    info = tsp.TSTInfo.load(bytes(signed_data(token)["encap_content_info"]["content"]))
    return TimeStamp(
        authority="https://forged.example/",
        digest=digest,
        token=base64.b64encode(token).decode(),
        stamped_at=info["gen_time"].native,
        serial=f"{info['serial_number'].native:x}",
    )


#: What is said of each kind of fault.
SAID = {
    "digest": "other bytes",
    "content": "content was changed",
    "signature": "signature is not that",
    "algorithm": "rests on|critical extensions",
    "certificate": "names another certificate|not for time stamps alone",
    "validity": "certificate was valid",
    "chain": "does not lead to a given root",
    "record": "is not the token's",
    "malformed": "not a time-stamp token|not base64",
}


def kinds(found: TimeStamp, roots: tuple[x509.Certificate, ...] = (), digest: str = DIGEST) -> list[str]:
    result = check(found, digest, roots)
    if result.state != "failed":
        assert result.state == ("trusted" if roots else "signed")
        return []
    assert result.statement.startswith("This time stamp proves nothing. ")
    (kind,) = (kind for kind, words in SAID.items() if re.search(words, result.statement))
    return [kind]


async def test_two_authorities_stamp_and_the_result_holds_offline(
    two: tuple[TimeStampAuthority, TimeStampAuthority],
) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    stamps = await stamps_of(*two)

    assert [item.authority for item in stamps] == [server.url for server in two]
    for item, server in zip(stamps, two, strict=True):
        assert item.stamped_at is not None
        assert before <= item.stamped_at <= datetime.now(UTC)
        assert int(item.serial, 16) > 0x1000
        assert server.content_types[-1] == "application/timestamp-query"
        assert bytes.fromhex(DIGEST) in server.asked[0]
        assert TimeStamp.model_validate_json(item.model_dump_json()) == item
        signed = check(item, DIGEST)
        assert (signed.state, signed.stamped_at) == ("signed", item.stamped_at)
        assert "nobody vouches for" in signed.statement
        trusted = check(item, DIGEST, [server.root.certificate])
        assert trusted.state == "trusted"
        assert trusted.signer == server.signer.certificate.subject.rfc4514_string()
        assert "Whether the certificate was revoked was not checked" in trusted.statement


async def test_no_two_requests_have_the_same_nonce(
    two: tuple[TimeStampAuthority, TimeStampAuthority],
) -> None:
    await stamps_of(*two)
    await stamps_of(*two)
    assert len({query for server in two for query in server.asked}) == 4


async def test_only_a_given_root_makes_an_authority_trusted(
    two: tuple[TimeStampAuthority, TimeStampAuthority],
) -> None:
    alpha, beta = two
    first, second = await stamps_of(alpha, beta)
    assert kinds(first, (beta.root.certificate,)) == ["chain"]
    assert kinds(second, (alpha.root.certificate,)) == ["chain"]
    both = read_roots(alpha.root.pem + beta.root.pem)
    assert [check(item, DIGEST, both).state for item in (first, second)] == ["trusted", "trusted"]


def test_a_file_without_certificates_gives_no_roots() -> None:
    with pytest.raises(TimeStampError, match="no PEM certificate"):
        read_roots(b"nothing")


async def test_one_authority_is_not_enough(
    two: tuple[TimeStampAuthority, TimeStampAuthority],
) -> None:
    alpha, beta = two
    same_host = (*authorities(alpha), alpha.url + "/other")
    async with client() as http:
        for named in (authorities(alpha), same_host, ()):
            with pytest.raises(ConfigError, match="Name more"):
                await stamp(DIGEST, named, http)
    assert alpha.asked == beta.asked == []


@pytest.mark.parametrize("digest", ["", "ab", DIGEST.upper(), DIGEST + "00", "g" * 64])
async def test_what_is_no_sha256_is_refused_before_anything_is_sent(
    two: tuple[TimeStampAuthority, TimeStampAuthority], digest: str
) -> None:
    async with client() as http:
        with pytest.raises(TimeStampError, match="64 lower-case hexadecimal digits"):
            await stamp(digest, authorities(*two), http)
    assert two[0].asked == two[1].asked == []


async def test_an_authority_that_is_down(two: tuple[TimeStampAuthority, TimeStampAuthority]) -> None:
    with socket.socket() as held:  # bound, and so nobody else's, but not listening
        held.bind(("127.0.0.1", 0))
        down = f"http://127.0.0.1:{held.getsockname()[1]}/"
        async with client() as http:
            with pytest.raises(StampingFailed, match="no connection") as caught:
                await stamp(DIGEST, (*authorities(two[0]), down), http)
    assert [kept.authority for kept in caught.value.stamps] == [two[0].url]
    assert str(caught.value).startswith(f"{down} gave no usable time stamp")


async def test_when_every_authority_fails_nothing_is_said_to_be_kept(
    two: tuple[TimeStampAuthority, TimeStampAuthority],
) -> None:
    two[0].status = two[1].status = 503
    with pytest.raises(StampingFailed, match="No other authority answered") as caught:
        await stamps_of(*two)
    assert (caught.value.stamps, len(caught.value.failures)) == ((), 2)


async def test_an_authority_that_the_guard_refuses(
    two: tuple[TimeStampAuthority, TimeStampAuthority],
) -> None:
    async with client("elsewhere.example") as http:
        with pytest.raises(StampingFailed, match="VERIFAIBLE_ALLOW_HOSTS"):
            await stamp(DIGEST, authorities(*two), http)
    assert two[0].asked == two[1].asked == []


def _same(data: bytes) -> bytes:
    return data


#: What an authority is asked, what it answers, and what is said of it.
ANSWERS: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes], str]] = {
    "nothing": (_same, lambda _: b"", "is not a time-stamp reply"),
    "a page": (_same, lambda _: b"<html>Sign in</html>", "is not a time-stamp reply"),
    "a number": (_same, lambda _: b"\x30\x03\x02\x01\x00", "is not a time-stamp reply"),
    "cut": (_same, lambda _: b"\x30\x82\xff\xff", "is not a time-stamp reply"),
    "granted, and no token": (_same, lambda _: bytes.fromhex("30053003020100"), "is not a time-stamp reply"),
    "bytes behind it": (_same, lambda reply: reply + b"\0", "is not a time-stamp reply"),
    "a token that is none": (
        _same,
        lambda _: bytes.fromhex("3009300302010030020500"),
        "not a time-stamp token",
    ),
    "refused in its words": (
        lambda query: altered(query, req_policy="1.2.3.4.9"),
        _same,
        r"refused the request \(rejection.*policy",
    ),
    "refused with a token": (
        _same,
        lambda reply: reply.replace(b"\x02\x01\x00", b"\x02\x01\x02", 1),
        r"refused the request \(rejection\)",
    ),
    "another nonce": (lambda query: altered(query, nonce=12345), _same, "the nonce differs"),
    "other bytes stamped": (
        lambda query: query.replace(bytes.fromhex(DIGEST), bytes.fromhex(OTHER)),
        _same,
        "stamps other bytes",
    ),
    "no certificate": (
        lambda query: altered(query, cert_req=False),
        _same,
        "certificate of its signer is not in it",
    ),
    "changed on its way": (
        _same,
        lambda reply: reply[:-1] + bytes((reply[-1] ^ 1,)),
        "signature is not that of its certificate",
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
async def test_an_answer_that_is_no_stamp(
    two: tuple[TimeStampAuthority, TimeStampAuthority], name: str
) -> None:
    two[0].change_query, two[0].change_reply, said = ANSWERS[name]
    assert re.search(said, await failure_of(*two))


@pytest.mark.parametrize("status", [404, 429, 500])
async def test_an_http_error(two: tuple[TimeStampAuthority, TimeStampAuthority], status: int) -> None:
    two[0].status = status
    assert f"HTTP status {status}" in await failure_of(*two)


async def test_a_stamp_proves_nothing_about_another_digest(
    two: tuple[TimeStampAuthority, TimeStampAuthority],
) -> None:
    item = (await stamps_of(*two))[0]
    assert kinds(item, digest=OTHER) == ["digest"]
    mislabelled = item.model_copy(update={"digest": OTHER})
    assert kinds(mislabelled, digest=OTHER) == kinds(mislabelled, digest=DIGEST) == ["digest"]


async def test_a_record_that_says_otherwise_than_its_token(
    two: tuple[TimeStampAuthority, TimeStampAuthority],
) -> None:
    item = (await stamps_of(*two))[0]
    assert item.stamped_at is not None
    earlier = item.stamped_at - timedelta(days=400)
    for changed in ({"stamped_at": earlier}, {"serial": "1"}):
        assert kinds(item.model_copy(update=changed)) == ["record"]
    assert kinds(item.model_copy(update={"token": "not base64!"})) == ["malformed"]
    assert kinds(item.model_copy(update={"token": base64.b64encode(b"hello").decode()})) == ["malformed"]


async def test_every_tampering_with_what_is_signed_is_caught(
    two: tuple[TimeStampAuthority, TimeStampAuthority],
) -> None:
    alpha = two[0]
    item = (await stamps_of(*two))[0]
    token = base64.b64decode(item.token)
    signed = signed_data(token)
    signer = signed["signer_infos"][0]
    parts = {
        "info": bytes(signed["encap_content_info"]["content"]),
        "attributes": signer["signed_attrs"].contents,
        "signature": signer["signature"].native,
    }
    for name, part in parts.items():
        start = token.index(part)
        for place in range(start, start + len(part), 5):
            changed = bytearray(token)
            changed[place] ^= 1
            forged = item.model_copy(update={"token": base64.b64encode(changed).decode()})
            assert kinds(forged, (alpha.root.certificate,)), (name, place - start)


@pytest.mark.filterwarnings("ignore:Parsed a serial number")
async def test_no_damage_escapes_as_another_error(two: tuple[TimeStampAuthority, TimeStampAuthority]) -> None:
    item = (await stamps_of(*two))[1]
    token = base64.b64decode(item.token)
    for place in range(0, len(token), 3):
        changed = bytearray(token)
        changed[place] ^= 0x80
        check(item.model_copy(update={"token": base64.b64encode(changed).decode()}), DIGEST)
        cut = item.model_copy(update={"token": base64.b64encode(token[:place]).decode()})
        assert kinds(cut) == ["malformed"]


class Forge:
    """Makes tokens with certificates of its own authority."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = certify("Forge Root", ca=True)
        self.now = datetime.now(UTC).replace(microsecond=0)

    def token(self, signer: Holder, *options: str, at: datetime | None = None, **more: Any) -> TimeStamp:
        info = tst_info(bytes.fromhex(DIGEST), at or self.now, **more)
        return record(sign(info, signer, self.folder, *options))

    def kinds(self, found: TimeStamp) -> list[str]:
        return kinds(found, (self.root.certificate,))


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    return Forge(tmp_path)


@pytest.mark.parametrize(
    ("key", "options"),
    [
        (lambda: ec.generate_private_key(ec.SECP256R1()), ()),
        (lambda: ec.generate_private_key(ec.SECP384R1()), ()),
        (lambda: rsa.generate_private_key(65537, 2048), ()),
        (lambda: rsa.generate_private_key(65537, 2048), ("-keyopt", "rsa_padding_mode:pss")),
        (lambda: ec.generate_private_key(ec.SECP256R1()), ("-keyid",)),
    ],
    ids=["P-256", "P-384", "RSA", "RSA-PSS", "named by key identifier"],
)
def test_the_signatures_that_authorities_use(
    forge: Forge, key: Callable[[], ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey], options: tuple[str, ...]
) -> None:
    signer = certify("Stamps", forge.root, key=key())
    found = forge.token(signer, *options)
    assert forge.kinds(found) == []
    damaged = bytearray(base64.b64decode(found.token))
    damaged[-3] ^= 1
    assert forge.kinds(found.model_copy(update={"token": base64.b64encode(damaged).decode()})) == [
        "signature"
    ]


def test_a_certificate_that_was_not_valid_at_the_stamped_time(forge: Forge) -> None:
    ended = forge.now - timedelta(days=2)
    expired = certify("Stamps", forge.root, valid=(ended - timedelta(days=90), ended))
    assert kinds(forge.token(expired)) == forge.kinds(forge.token(expired)) == ["validity"]
    early = certify("Stamps", forge.root)
    assert kinds(forge.token(early, at=forge.now - timedelta(days=300))) == ["validity"]


def test_a_stamp_outlives_the_certificates_that_made_it(forge: Forge) -> None:
    old = (forge.now - timedelta(days=900), forge.now - timedelta(days=300))
    root = certify("Old Root", ca=True, valid=old)
    signer = certify("Old Stamps", root, valid=old)
    found = forge.token(signer, at=forge.now - timedelta(days=400))
    assert check(found, DIGEST, [root.certificate]).state == "trusted"


#: What an issuer between root and signer is, and whether the chain holds.
ISSUERS: dict[str, tuple[dict[str, Any], bool]] = {
    "expired": ({"ca": True, "valid": (-92, -2)}, False),
    "no authority": ({"ca": False, "may_sign": True, "usages": ()}, False),
    "may not sign": ({"ca": True, "may_sign": False}, False),
    "for something else": ({"ca": True, "usages": (CLIENT,)}, False),
    "missing": ({"ca": True, "carried": False}, False),
    "for time stamps alone": ({"ca": True, "usages": (STAMPING,)}, True),
}


@pytest.mark.parametrize("name", ISSUERS)
def test_an_issuer_between_root_and_signer(forge: Forge, name: str) -> None:
    kind, holds = dict(ISSUERS[name][0]), ISSUERS[name][1]
    carried = kind.pop("carried", True)
    if days := kind.pop("valid", None):
        kind["valid"] = tuple(forge.now + timedelta(days=each) for each in days)
    middle = certify("Middle", forge.root, **kind)
    info = tst_info(bytes.fromhex(DIGEST), forge.now)
    signer = certify("Stamps", middle)
    found = record(sign(info, signer, forge.folder, chain=[middle] if carried else []))
    assert kinds(found) == []
    assert forge.kinds(found) == ([] if holds else ["chain"])


@pytest.mark.parametrize(
    ("usages", "critical"),
    [((), True), ((STAMPING,), False), ((CLIENT,), True), ((STAMPING, CLIENT), True)],
    ids=["none", "not critical", "another", "two"],
)
def test_a_certificate_that_is_not_for_time_stamps_alone(
    forge: Forge, usages: tuple[x509.ObjectIdentifier, ...], critical: bool
) -> None:
    signer = certify("Stamps", forge.root, usages=usages, critical=critical)
    assert forge.kinds(forge.token(signer)) == ["certificate"]


def test_a_certificate_put_in_place_of_the_one_that_was_signed_for(forge: Forge) -> None:
    """Same key, name and serial number, but another certificate: only its signed hash tells."""
    key = ec.generate_private_key(ec.SECP256R1())
    valid = (forge.now - timedelta(days=1), forge.now + timedelta(days=1))
    longer = (valid[0], valid[1] + timedelta(days=30))
    genuine = certify("Stamps", forge.root, key=key, serial=77, valid=valid)
    while True:  # ECDSA signatures differ in length; the exchange has to keep every length in the token
        swapped = certify("Stamps", forge.root, key=key, serial=77, valid=longer)
        if len(der(swapped)) == len(der(genuine)):
            break
    token = base64.b64decode(forge.token(genuine).token)
    assert forge.kinds(record(token)) == []
    assert forge.kinds(record(token.replace(der(genuine), der(swapped)))) == ["certificate"]


def malformed(found: TimeStamp) -> str:
    """Why it is no token that can be checked."""
    assert kinds(found) == ["malformed"]
    return check(found, DIGEST).statement


def der(holder: Holder) -> bytes:
    return holder.certificate.public_bytes(Encoding.DER)


def directory_name(holder: Holder) -> GeneralName:
    return GeneralName(name="directory_name", value=Name.load(holder.certificate.subject.public_bytes()))


def test_a_token_names_its_authority_by_one_of_its_names(forge: Forge) -> None:
    signer, other = certify("Stamps", forge.root, host="stamps.example"), certify("Someone else", forge.root)
    named = {host: GeneralName(name="dns_name", value=host) for host in ("stamps.example", "other.example")}
    for name, expected in (
        (directory_name(signer), []),
        (named["stamps.example"], []),
        (directory_name(other), ["certificate"]),
        (named["other.example"], ["certificate"]),
    ):
        assert forge.kinds(forge.token(signer, tsa=name)) == expected


@pytest.mark.parametrize("options", [(), ("-keyid",)])
def test_the_certificate_of_the_signer_is_found_among_others(forge: Forge, options: tuple[str, ...]) -> None:
    """Whatever their order: some have its issuer, some its serial number."""
    serial = x509.random_serial_number()  # as long as the others', so that their names decide the order
    signer = certify("Stamps", forge.root, serial=serial)
    names = ["A", "Another", "Another that is longer", "Another that is longer than all of the others"]
    others = [certify(name, forge.root) for name in names] + [certify(name, serial=serial) for name in names]
    info = tst_info(bytes.fromhex(DIGEST), forge.now)
    assert forge.kinds(record(sign(info, signer, forge.folder, *options, chain=others))) == []


def test_bytes_behind_a_token_or_its_content(forge: Forge) -> None:
    signer = certify("Stamps", forge.root)
    info = tst_info(bytes.fromhex(DIGEST), forge.now)
    assert malformed(record(sign(info, signer, forge.folder) + b"\0"))
    assert malformed(record(sign(info + b"\0", signer, forge.folder)))


def test_a_certificate_that_is_only_carried_along_spoils_nothing(forge: Forge) -> None:
    signer, stranger = certify("Stamps", forge.root), certify("Stranger", ca=True)
    info = tst_info(bytes.fromhex(DIGEST), forge.now)
    token = sign(info, signer, forge.folder, chain=[stranger])
    assert forge.kinds(record(token)) == []
    damaged = der(stranger)[:20] + b"\0" * 20 + der(stranger)[40:]
    assert forge.kinds(record(token.replace(der(stranger), damaged))) == []


def test_a_token_with_a_critical_extension(forge: Forge) -> None:
    signer = certify("Stamps", forge.root)
    extension = {"extn_id": "1.2.3.4.5", "critical": True, "extn_value": b"\x05\x00"}
    assert forge.kinds(forge.token(signer, extensions=[extension])) == ["algorithm"]
    assert forge.kinds(forge.token(signer, extensions=[{**extension, "critical": False}])) == []


def test_a_token_signed_over_sha1(forge: Forge) -> None:
    signer = certify("Stamps", forge.root, key=rsa.generate_private_key(65537, 2048))
    token = sign(tst_info(bytes.fromhex(DIGEST), forge.now), signer, forge.folder, digest="sha1")
    assert forge.kinds(record(token)) == ["algorithm"]


def test_signed_content_of_another_type(forge: Forge) -> None:
    """A signature made for something else does not become a time stamp by a change of its label."""
    signer = certify("Stamps", forge.root)
    info, archive = tst_info(bytes.fromhex(DIGEST), forge.now), "1.2.840.113549.1.9.16.1.5"
    labelled = sign(info, signer, forge.folder, content_type=archive)
    assert "content is not a TSTInfo" in malformed(record(labelled))
    of_archive, of_stamps = (ObjectIdentifier(kind).dump() for kind in (archive, TST_INFO))
    assert "another type of content" in malformed(record(labelled.replace(of_archive, of_stamps, 1)))


def test_a_token_with_two_signers(forge: Forge) -> None:
    first, second = certify("Stamps", forge.root), certify("More stamps", forge.root)
    (forge.folder / "more").write_bytes(second.pem + second.key_pem)
    more = ("-signer", f"{forge.folder}/more", "-inkey", f"{forge.folder}/more")
    token = sign(tst_info(bytes.fromhex(DIGEST), forge.now), first, forge.folder, *more)
    assert "not exactly one signer" in malformed(record(token))


def test_a_digest_of_another_kind(forge: Forge) -> None:
    signer = certify("Stamps", forge.root)
    imprint = {"hash_algorithm": {"algorithm": "sha512"}, "hashed_message": bytes.fromhex(DIGEST)}
    assert forge.kinds(forge.token(signer, message_imprint=imprint)) == ["digest"]


def openssl_commands(stamp: TimeStamp, *, token_file: str, roots_file: str) -> str:
    """What a person gives to check a stamp without this code; by today's date a certificate has expired."""
    token, at = shlex.quote(token_file), int(stamp.stamped_at.timestamp())
    verify = f"openssl ts -verify -digest {stamp.digest} -token_in -in {token}"
    return f"openssl ts -reply -token_in -in {token} -text\n{verify} -CAfile {roots_file} -attime {at}\n"


def run(commands: str, folder: Path) -> list[subprocess.CompletedProcess[str]]:
    """Run each line of a shell text; what is a comment runs nothing."""
    return [
        subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
        for line in commands.splitlines()
        if not line.startswith("#")
    ]


async def test_openssl_comes_to_the_same_result_without_this_code(
    two: tuple[TimeStampAuthority, TimeStampAuthority], tmp_path: Path
) -> None:
    for item, server, other in zip(await stamps_of(*two), two, reversed(two), strict=True):
        (tmp_path / "the token.tst").write_bytes(base64.b64decode(item.token))
        (tmp_path / "roots.pem").write_bytes(server.root.pem)
        commands = openssl_commands(item, token_file="the token.tst", roots_file="roots.pem")
        shown, verified = run(commands, tmp_path)
        assert [done.returncode for done in (shown, verified)] == [0, 0]
        assert f"Serial number: 0x{item.serial.upper()}" in shown.stdout
        assert verified.stdout.strip() == "Verification: OK"

        (tmp_path / "roots.pem").write_bytes(other.root.pem)
        assert run(commands, tmp_path)[1].returncode != 0


async def test_openssl_refuses_what_check_refuses(
    two: tuple[TimeStampAuthority, TimeStampAuthority], tmp_path: Path
) -> None:
    item, server = (await stamps_of(*two))[0], two[0]
    (tmp_path / "roots.pem").write_bytes(server.root.pem)
    token = base64.b64decode(item.token)
    for forged, digest in ((token[:-1] + bytes((token[-1] ^ 1,)), DIGEST), (token, OTHER)):
        (tmp_path / "t").write_bytes(forged)
        found = item.model_copy(update={"digest": digest, "token": base64.b64encode(forged).decode()})
        commands = openssl_commands(found, token_file="t", roots_file="roots.pem")
        assert run(commands, tmp_path)[1].returncode != 0
        assert kinds(found, (server.root.certificate,), digest)


def test_openssl_is_told_the_stamped_time(forge: Forge) -> None:
    old = (forge.now - timedelta(days=900), forge.now - timedelta(days=300))
    root = certify("Old Root", ca=True, valid=old)
    found = forge.token(certify("Old Stamps", root, valid=old), at=forge.now - timedelta(days=400))
    (forge.folder / "t").write_bytes(base64.b64decode(found.token))
    (forge.folder / "r").write_bytes(root.pem)
    commands = openssl_commands(found, token_file="t", roots_file="r")
    assert run(commands, forge.folder)[1].stdout.strip() == "Verification: OK"
    without = commands[: commands.index(" -attime")]
    assert run(without, forge.folder)[1].returncode != 0


async def test_without_the_library_the_person_is_told_what_to_install(
    two: tuple[TimeStampAuthority, TimeStampAuthority], monkeypatch: pytest.MonkeyPatch
) -> None:
    (found, _) = await stamps_of(*two)
    monkeypatch.setitem(sys.modules, "asn1crypto", None)
    needed = r'pip install "verifaible\[timestamps\]"'
    with pytest.raises(ConfigError, match=needed):
        await stamps_of(*two)
    with pytest.raises(ConfigError, match=needed):
        check(found, DIGEST)
    assert [len(server.asked) for server in two] == [1, 1]


def test_the_known_authorities_are_of_different_operators() -> None:
    assert len({urlsplit(url).netloc.split(".", 1)[1] for url in AUTHORITIES}) == len(AUTHORITIES) >= 2
