"""The offline web: which recorded exchange answers a request.

In this order, and the first archive given wins inside each step:

1. **exact**: the same URL (``urls.exact_key``) and a body that means the same;
2. **normalised**: the same URL, and the same body, but for what is made up for each request
   (``archive.volatile``), query order and the difference of http and https (``matching.normalise``); of
   both schemes, the one asked for is preferred;
3. **JSONP**: one parameter differs, and the recorded body calls the function that it names; the call is
   made one of the function that was asked for;
4. else OfflineMiss.

In each step the headers have to allow the answer (``matching.fit``), and those that are equal in
all that selects go before the others. Repeated requests are answered in recorded order, the
last answer again and again. A HEAD request without a recording of its own is answered by the GET
without its body.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from time import time
from typing import Literal

from verifaible.archive.cdxj import IndexEntry
from verifaible.archive.matching import (
    Body,
    Normalised,
    body_of,
    fit,
    is_js_name,
    normalise,
    rename_callback,
)
from verifaible.archive.reader import RecordedPage, WaczReader
from verifaible.archive.urls import exact_key
from verifaible.archive.volatile import Moment, Pair, same_but_for_time
from verifaible.errors import OfflineMiss
from verifaible.schema.web import WebAnswer, WebExchange, WebRequest, WebResponse, header

#: Shorter values stand in many an answer by accident.
MIN_GIVEN = 6


class _Recorded:
    """One recorded exchange: where it is, its keys, and, once it is read, all of it but its bodies."""

    def __init__(self, reader: WaczReader, entry: IndexEntry) -> None:
        self.reader, self.entry = reader, entry
        self.exact, self.normalised = exact_key(entry.url), normalise(entry.url)

    @cached_property
    def moment(self) -> Moment:
        """When it was recorded, for comparing time stamps."""
        moment = datetime.strptime(self.entry.timestamp[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        return Moment(moment.timestamp(), trusted=not self.reader.metadata.synthetic)

    @cached_property
    def read(self) -> tuple[WebExchange, Body]:
        """The exchange without its bodies, and what the request's body says."""
        whole = self.reader.exchange(self.entry)
        bare = WebExchange(
            replace(whole.request, body=b""), replace(whole.response, body=b""), whole.recorded_at
        )
        return bare, body_of(whole.request.body, header(whole.request.headers, "content-type"))


class Archive:
    """Several WACZ files behind one look-up. Only their indexes are in memory.

    Args:
        readers: the files, open; ``close`` closes them.
    """

    def __init__(self, readers: Iterable[WaczReader]) -> None:
        self._readers = tuple(readers)
        self._by_key: dict[tuple[str, str], list[_Recorded]] = defaultdict(list)
        self._by_place: dict[tuple[str, str], list[_Recorded]] = defaultdict(list)
        for reader in self._readers:
            for entry in reader.entries():
                one = _Recorded(reader, entry)
                self._by_key[entry.method, one.normalised.key].append(one)
                self._by_place[entry.method, one.normalised.place].append(one)

    @classmethod
    def open(cls, paths: Iterable[Path]) -> Archive:
        """Open files; StoreError or IntegrityError (both name the file) where one is unusable."""
        readers: list[WaczReader] = []
        try:
            readers.extend(WaczReader(path) for path in paths)
            return cls(readers)
        except BaseException:
            for reader in readers:
                reader.close()
            raise

    def close(self) -> None:
        """Close every file."""
        for reader in self._readers:
            reader.close()

    def player(self) -> Player:
        """A fresh look-up, which has answered nothing yet: one for each browser context."""
        return Player(self)

    def pages(self) -> Iterator[RecordedPage]:
        """Every page of every archive that lists pages, for search."""
        for reader in self._readers:
            if "pages/pages.jsonl" in reader.names():
                yield from reader.pages()

    def urls(self) -> Iterator[str]:
        """The URL of every recorded GET, in recorded order."""
        recorded = (one for (method, _), found in self._by_key.items() if method == "GET" for one in found)
        yield from {one.exact: one.entry.url for one in recorded}.values()

    def same_key(self, method: str, key: Normalised) -> list[_Recorded]:
        """What was recorded under a normalised key."""
        return self._by_key.get((method, key.key), [])

    def at_place(self, method: str, key: Normalised) -> list[_Recorded]:
        """What was recorded of a method at the same host and path, whatever the query."""
        return self._by_place.get((method, key.place), [])


@dataclass(frozen=True, slots=True)
class _Found:
    """Recorded answers to one request, and how they were found."""

    all: Sequence[_Recorded]
    how: Literal["exact", "normalised", "jsonp"]


class Player:
    """Answers requests from an archive, and remembers how often each was asked."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._asked: dict[tuple[str, tuple[int, ...]], int] = defaultdict(int)
        self._given: list[bytes] = []

    def find(self, request: WebRequest, *, again: bool = True) -> WebAnswer:
        """The recorded answer to a request; see the head of this module for the order of look-up.

        Args:
            request: what is asked.
            again: whether the last of several differing answers may be given once more. Not so
                where a page would take it for a further one: a list that its session pages through.

        Raises:
            OfflineMiss: nothing recorded answers it.
            IntegrityError: what was recorded is damaged.
        """
        method = request.method.upper()
        found = self._found(request, method)
        recorded = self._next(method, found.all, again) if found else None
        if found is None or recorded is None:
            raise OfflineMiss(request.url, method, self._unlike(method, normalise(request.url)))
        response, recorded_at = recorded.reader.answer(recorded.entry)
        self._given.append(response.body)
        if found.how == "jsonp" and (body := self._called(normalise(request.url), recorded)):
            response = _with_body(response, body)
        if method == "HEAD":
            response = replace(response, body=b"")
        return WebAnswer(
            url=recorded.entry.url,
            response=response,
            match="exact" if found.how == "exact" else "normalised",
            recorded_at=recorded_at,
            archive=recorded.reader.name,
            synthetic=recorded.reader.metadata.synthetic,
        )

    def knows(self, request: WebRequest) -> bool:
        """Whether ``find`` would answer the request, ``again`` given; nothing is used up by asking."""
        return self._found(request, request.method.upper()) is not None

    def _found(self, request: WebRequest, method: str) -> _Found | None:
        body = body_of(request.body, header(request.headers, "content-type"))
        methods = (method, "GET") if method == "HEAD" else (method,)
        for found in (each for one in methods for each in self._candidates(request.url, one, body)):
            if fitting := self._fitting(request, found.all):
                return replace(found, all=fitting)
        return None

    def _candidates(self, url: str, method: str, body: Body) -> Iterator[_Found]:
        exact, key = exact_key(url), normalise(url)
        known = self._archive.same_key(method, key)
        yield _Found([one for one in known if one.exact == exact and one.read[1].same == body.same], "exact")
        known = [one for one in known if one.normalised.scheme == key.scheme] or known
        alike = [one for one in known if self._same_time(one, key.volatile, one.normalised.volatile)]
        equal = [one for one in alike if one.read[1].same == body.same]
        counts = [len(set(key.volatile) & set(one.normalised.volatile)) for one in equal]
        yield _Found(
            [one for one, count in zip(equal, counts, strict=True) if count == max(counts)], "normalised"
        )
        steady = [one for one in alike if one.read[1].steady == body.steady]
        yield _Found(
            [one for one in steady if self._same_time(one, body.aside, one.read[1].aside)], "normalised"
        )
        places = [one for one in self._archive.at_place(method, key) if self._called(key, one) is not None]
        yield _Found([one for one in places if one.read[1].same == body.same], "jsonp")

    def _same_time(self, one: _Recorded, asked: Sequence[Pair], recorded: Sequence[Pair]) -> bool:
        return same_but_for_time(asked, recorded, one.moment, time(), self._is_given)

    def _is_given(self, value: str) -> bool:
        """Whether a value stands in what was answered so far."""
        sought = value.encode()
        return len(sought) >= MIN_GIVEN and any(sought in body for body in self._given)

    def _called(self, key: Normalised, one: _Recorded) -> bytes | None:
        """A recorded JSONP answer, calling what is asked for; None where more differs than its name."""
        mine, others = key.pairs, one.normalised.pairs
        if [name for name, _ in mine] != [name for name, _ in others]:
            return None
        differing = [(name, its, my) for (name, my), (_, its) in zip(mine, others, strict=True) if my != its]
        if len(differing) != 1 or not self._same_time(one, key.volatile, one.normalised.volatile):
            return None
        name, its, my = differing[0]
        if not is_js_name(its) or not is_js_name(my):
            return None
        body = one.reader.answer(one.entry)[0].body
        # An empty answer calls nothing, whatever the name.
        return rename_callback(body, its, my) if body or "callback" not in name.lower() else b""

    def _fitting(self, request: WebRequest, candidates: Sequence[_Recorded]) -> list[_Recorded]:
        """Those that the headers of the request allow: the ones that are equal in all, if there are any."""
        fits = [(one, fit(request, one.read[0])) for one in candidates]
        return [one for one, how in fits if how == "same"] or [one for one, how in fits if how == "open"]

    def _next(self, method: str, candidates: Sequence[_Recorded], again: bool) -> _Recorded | None:
        """The next answer in recorded order, from the first archive that has any."""
        reader = candidates[0].reader
        group = [one for one in candidates if one.reader is reader]
        asked = method, tuple(map(id, group))
        spent = self._asked[asked] >= len(group)
        changing = len({one.entry.digest for one in group}) > 1
        if spent and not again and changing and not reader.metadata.synthetic:
            return None
        index = min(self._asked[asked], len(group) - 1)
        self._asked[asked] += 1
        return group[index]

    def _unlike(self, method: str, key: Normalised) -> str:
        """In what a request that was not found differs from the most similar one that was recorded."""
        mine = {*key.pairs, *key.volatile}
        known = [
            mine ^ {*one.normalised.pairs, *one.normalised.volatile}
            for one in self._archive.at_place(method, key)
        ]
        if not known:
            return ""
        names = [name or "without a name" for name, _ in sorted(sorted(known, key=len)[0])]
        said = ", ".join(f"“{name}”" for name in list(dict.fromkeys(names))[:3])
        if not said:
            return "its body or headers differ from the recorded ones"
        return f"the parameter {said} differs from the recorded one"


def _with_body(response: WebResponse, body: bytes) -> WebResponse:
    headers = tuple(
        (name, str(len(body)) if name.lower() == "content-length" else value)
        for name, value in response.headers
    )
    return WebResponse(response.status, headers, body)
