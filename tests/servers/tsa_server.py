"""A local RFC 3161 authority over real HTTP, for tests: `openssl ts -reply` behind a web server.

Its certificates are made when it starts: a root, a certificate authority below it, and the one that
stamps. `sign` makes tokens that no honest authority would, by `openssl cms`.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from asn1crypto import tsp
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

TST_INFO = "1.2.840.113549.1.9.16.1.4"

_CONFIG = """
[tsa]
default_tsa = here
[here]
serial = {folder}/serial
crypto_device = builtin
signer_digest = sha256
default_policy = 1.2.3.4.1
other_policies = 1.2.3.4.2
digests = sha256
accuracy = secs:1
ordering = no
tsa_name = yes
ess_cert_id_chain = no
ess_cert_id_alg = sha256
"""


@dataclass(frozen=True)
class Holder:
    """A certificate and its private key."""

    certificate: x509.Certificate
    key: Key

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )


def certify(
    name: str,
    issuer: Holder | None = None,
    *,
    key: Key | None = None,
    ca: bool = False,
    usages: Sequence[x509.ObjectIdentifier] | None = None,
    critical: bool = True,
    valid: tuple[datetime, datetime] | None = None,
    serial: int | None = None,
    may_sign: bool | None = None,
    host: str = "",
) -> Holder:
    """A certificate made now; without an issuer it signs itself. `may_sign`, whether it may sign others, is
    as `ca` unless given; the default usage is left out where it is an authority; `host` is a second name.
    """
    may_sign = ca if may_sign is None else may_sign
    usages = (() if ca else (ExtendedKeyUsageOID.TIME_STAMPING,)) if usages is None else usages
    key = key or ec.generate_private_key(ec.SECP256R1())
    signer = issuer.key if issuer else key
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    start, end = valid or (now - timedelta(days=1), now + timedelta(days=30))
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(serial or x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca, None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        )
        .add_extension(
            x509.KeyUsage(not may_sign, False, False, False, False, may_sign, may_sign, False, False),
            critical=True,
        )
    )
    if host:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    if usages:
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=critical)
    return Holder(builder.sign(signer, hashes.SHA256()), key)


def sign(
    info: bytes,
    holder: Holder,
    folder: Path,
    *options: str,
    chain: Sequence[Holder] = (),
    digest: str = "sha256",
    content_type: str = TST_INFO,
) -> bytes:
    """A token over any TSTInfo, by any certificate; `options` go to `openssl cms -sign`."""
    files = {
        "info": info,
        "signer": holder.pem,
        "key": holder.key_pem,
        "chain": b"".join(link.pem for link in chain),
    }
    for name, content in files.items():
        (folder / f"forged.{name}").write_bytes(content)
    certificates = ["-certfile", f"{folder}/forged.chain"] if chain else []
    return _openssl(
        *("cms", "-sign", "-binary", "-nodetach", "-cades", "-outform", "DER", "-md", digest, "-nosmimecap"),
        *("-econtent_type", content_type, "-in", f"{folder}/forged.info"),
        *("-signer", f"{folder}/forged.signer", "-inkey", f"{folder}/forged.key", *certificates, *options),
    )


def tst_info(digest: bytes, gen_time: datetime, *, nonce: int = 7, **fields: Any) -> bytes:
    """A TSTInfo as somebody might write it."""
    imprint = {"hash_algorithm": {"algorithm": "sha256"}, "hashed_message": digest}
    given = {"version": "v1", "policy": "1.2.3.4.1", "message_imprint": imprint, "serial_number": 99}
    return bytes(tsp.TSTInfo({**given, "gen_time": gen_time, "nonce": nonce, **fields}).dump())


def _openssl(*arguments: str) -> bytes:
    done = subprocess.run(["openssl", *arguments], capture_output=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr.decode())
    return done.stdout


def altered(query: bytes, **fields: Any) -> bytes:
    """A TimeStampReq with other fields."""
    request = tsp.TimeStampReq.load(query)
    for name, value in fields.items():
        request[name] = value
    return bytes(request.dump(force=True))


@dataclass
class TimeStampAuthority:
    """What runs: `asked` are the queries as they came; `change_query` and `change_reply` bend them."""

    folder: Path
    root: Holder
    middle: Holder
    signer: Holder
    url: str = ""
    status: int = 200
    asked: list[bytes] = field(default_factory=list)
    content_types: list[str] = field(default_factory=list)
    change_query: Callable[[bytes], bytes] = bytes
    change_reply: Callable[[bytes], bytes] = bytes
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, query: bytes) -> bytes:
        """What openssl answers; to what is no query it answers with a rejection."""
        with self.lock:
            (self.folder / "query").write_bytes(self.change_query(query))
            return _openssl(
                *("ts", "-reply", "-config", f"{self.folder}/tsa.cnf", "-section", "here"),
                *("-queryfile", f"{self.folder}/query", "-signer", f"{self.folder}/signer.pem"),
                *("-inkey", f"{self.folder}/key.pem", "-chain", f"{self.folder}/middle.pem"),
            )


@contextmanager
def time_stamp_authority(folder: Path, name: str, key: Key | None = None) -> Iterator[TimeStampAuthority]:
    """Run an authority until the block ends; its files are in `folder`."""
    root = certify(f"{name} Root", ca=True, key=ec.generate_private_key(ec.SECP384R1()))
    middle = certify(f"{name} CA", root, ca=True)
    signer = certify(f"{name} Stamps", middle, key=key)
    folder.mkdir(parents=True)
    (folder / "tsa.cnf").write_text(_CONFIG.format(folder=folder))
    (folder / "serial").write_text("1000\n")
    for file, content in {
        "signer": signer.pem,
        "key": signer.key_pem,
        "middle": middle.pem,
        "root": root.pem,
    }.items():
        (folder / f"{file}.pem").write_bytes(content)
    authority = TimeStampAuthority(folder, root, middle, signer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            query = self.rfile.read(int(self.headers.get("content-length") or 0))
            authority.asked.append(query)
            authority.content_types.append(self.headers.get("content-type", ""))
            body = (
                authority.change_reply(authority.reply(query)) if authority.status == 200 else b"out of order"
            )
            self.send_response(authority.status)
            self.send_header("content-type", "application/timestamp-reply")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    authority.url = f"http://127.0.0.1:{server.server_port}/tsr"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield authority
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
