"""When two request bodies ask for the same thing, and how alike two others are."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar
from urllib.parse import parse_qsl

from verifaible.archive.volatile import Pair, leaf_text, looks_made_up, set_aside, set_aside_in

#: Least similarity of a body that is answered at all. Set by hand on bodies of JSON APIs, so
#: that a request with two leaves of which one differs is answered and one with none alike is not.
THRESHOLD = 0.6
_PATH_WEIGHT = 0.3  # same leaves at all; the rest of the weight is on the same values

# A value under such a name says what is asked for: an answer to another value is another answer.
_IDENTIFYING = re.compile(
    r"(?:^|[_\-.])(?:code|symbol|ticker|slug|page|pageNo|pageNum|offset|cursor|continuation|date|start|end|from|"
    r"to|query|q|keywords?|search|url|operationName|type|year|month)$"
    r"|[a-z](?:Code|Symbol|Ticker|Slug|Page|PageNo|Offset|Cursor|Date|Start|End|From|To|Query|Keywords?|Url|URL|"
    r"Type|Year|Month)$|ids?$|I[dD]s?$"
)
# A value under such a name is made up for each request, whatever it looks like.
_VOLATILE = re.compile(
    r"(?:session|request|trace|correlation|visitor|client|device|span|message|event)_?-?id$|visitordata|nonce|"
    r"csrf|xsrf|(?:access|auth|csrf|session)_?token$|timestamp|(?:^|_)(?:ts|rnd|rand|random|_)$|"
    r"clientversion|signature$",
    re.IGNORECASE,
)
_FORM = re.compile(rb"[^\s=&{}<>\"]+=[^\s{}<>\"]*", re.DOTALL)

Kind: TypeAlias = Literal["empty", "json", "form", "text", "binary"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BodyShape:
    """A body as it is compared.

    ``same`` is equal for bodies that mean the same (JSON key order and white space, form
    encoding, multipart boundaries aside); ``steady`` also leaves out the volatile fields, which
    stand in ``aside`` as (name, value). ``pairs`` are its leaves as (path, value), or its words.
    """

    kind: Kind
    same: str
    steady: str
    pairs: tuple[Pair, ...]
    aside: tuple[Pair, ...] = ()


def shape(body: bytes, content_type: str) -> BodyShape:
    """The shape of a request body; what it is, is read from its type and its first bytes."""
    if not body:
        return BodyShape("empty", "", "", ())
    media = content_type.partition(";")[0].strip().lower()
    if "json" in media or body.lstrip()[:1] in {b"{", b"["}:
        found = _json_shape(body)
        if found is not None:
            return found
    if media.startswith("multipart/"):
        pairs = _multipart(body, content_type)
        if pairs:
            return _shape("form", pairs)
    if media == "application/x-www-form-urlencoded" or (not media and _FORM.fullmatch(body)):
        text = body.decode("ascii", "surrogateescape")
        return _shape("form", parse_qsl(text, keep_blank_values=True, encoding="latin-1"))
    try:
        words = re.findall(r"\w+", body.decode("utf-8"))
    except UnicodeDecodeError:
        digest = hashlib.sha256(body).hexdigest()
        return BodyShape("binary", digest, digest, ())
    digest = hashlib.sha256(body.strip()).hexdigest()
    return BodyShape("text", digest, digest, tuple(("", word) for word in words))


def similarity(left: BodyShape, right: BodyShape) -> float:
    """From 0 to 1: how alike two bodies are.

    Forms and JSON: 0.3 of the Dice coefficient of their leaf names plus 0.7 of that of their
    leaves with values, where values made for each request (nonces, time stamps, session ids)
    count as equal. It is 0 where a value that says what is asked for (an id, a code, a page, a
    date, a query), or any value that does not look made up, differs: a wrong answer is worse than
    none. Text: the same for its words. Binary bodies are equal or nothing.
    """
    if left.kind != right.kind:
        return 0.0
    if left.same == right.same:
        return 1.0
    if left.kind == "binary" or _identity(left) != _identity(right) or not _alike(left, right):
        return 0.0
    names = _dice(Counter(path for path, _ in left.pairs), Counter(path for path, _ in right.pairs))
    values = _dice(Counter(map(_masked, left.pairs)), Counter(map(_masked, right.pairs)))
    return _PATH_WEIGHT * names + (1 - _PATH_WEIGHT) * values


def _alike(left: BodyShape, right: BodyShape) -> bool:
    """Whether two unequal bodies differ only in values that look made up, not in order or type."""
    if [path for path, _ in left.pairs] != [path for path, _ in right.pairs]:
        return False
    differing = [both for both in zip(left.pairs, right.pairs, strict=True) if both[0] != both[1]]
    return bool(differing) and all(_may_differ(one) and _may_differ(other) for one, other in differing)


def _may_differ(pair: Pair) -> bool:
    return bool(_VOLATILE.search(_leaf(pair[0]))) or looks_made_up(pair[1])


def _shape(kind: Kind, pairs: list[Pair]) -> BodyShape:
    aside: list[Pair] = []
    kept = [(name, set_aside_in(name, value, aside)) for name, value in pairs]
    steady = [(name, value) for name, value in kept if value is not None]
    # Sorted by name only: repeated fields keep the order of their values.
    return BodyShape(
        kind, _hash(_by_name(pairs)), _hash(_by_name(steady)), tuple(_by_name(pairs)), tuple(aside)
    )


def _by_name(pairs: list[Pair]) -> list[Pair]:
    return sorted(pairs, key=lambda pair: pair[0])


def _hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _json_shape(body: bytes) -> BodyShape | None:
    try:
        root = json.loads(body)
        same = _hash(root)
        aside: list[Pair] = []
        steady = _hash(set_aside(root, aside))
    except (ValueError, RecursionError):
        return None
    leaves: list[Pair] = []
    stack: list[tuple[str, object]] = [("", root)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict) and value:
            stack.extend((f"{path}.{key}" if path else str(key), item) for key, item in value.items())
        elif isinstance(value, list) and value:
            stack.extend((f"{path}[]", item) for item in value)
        else:
            leaves.append((path, leaf_text(value)))
    return BodyShape("json", same, steady, tuple(_by_name(leaves)), tuple(sorted(aside)))


def _multipart(body: bytes, content_type: str) -> list[Pair]:
    found = re.search(r"boundary=\"?([^\";,]+)", content_type, re.IGNORECASE)
    if found is None:
        return []
    pairs: list[Pair] = []
    for part in body.split(b"--" + found[1].strip().encode())[1:]:
        head, _, data = part.partition(b"\r\n\r\n")
        name = re.search(rb"[; ]name=\"([^\"]*)\"", head)
        if name is not None:
            pairs.append((name[1].decode("latin-1"), data.removesuffix(b"\r\n").decode("latin-1")))
    return pairs


def _leaf(path: str) -> str:
    return path.rpartition(".")[2].removesuffix("[]")


def _is_identifying(path: str) -> bool:
    leaf = _leaf(path)
    return bool(_IDENTIFYING.search(leaf)) and not _VOLATILE.search(leaf)


def _identity(body: BodyShape) -> Counter[Pair]:
    return Counter(pair for pair in body.pairs if _is_identifying(pair[0]))


def _masked(pair: Pair) -> Pair:
    path, value = pair
    if _VOLATILE.search(_leaf(path)) or (not _is_identifying(path) and looks_made_up(value)):
        return path, "\0"
    return pair


def _dice(left: Counter[T], right: Counter[T]) -> float:
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 1.0
