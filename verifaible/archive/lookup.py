"""The offline web: which recorded exchange answers a request.

In this order, and the first archive given wins inside each step:

1. **exact**: the same URL (``urls.exact_key``) and, for methods with a body, a body that means
   the same;
2. **normalised**: the same URL without cache-busters, query order, the JSONP callback's name
   and the difference of http and https (``urls.normalise``); a recorded callback's name is
   replaced by the one asked for. Of both schemes, the one asked for is preferred;
3. **fuzzy**, only for methods with a body: the same normalised URL and the most similar body
   (``bodies.similarity``), at ``bodies.THRESHOLD`` or above; of equals, the first recorded;
4. else OfflineMiss.

Repeated requests are answered in recorded order, the last answer again and again. A HEAD
request without a recording of its own is answered by the GET without its body. A 304 answers
only a conditional request, and a 206 only the same range: alone they show an empty page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from verifaible.archive.bodies import THRESHOLD, BodyShape, shape, similarity
from verifaible.archive.cdxj import IndexEntry
from verifaible.archive.jsonp import rename_callback
from verifaible.archive.package import ArchivedPage
from verifaible.archive.reader import WaczReader
from verifaible.archive.urls import Normalised, exact_key, normalise
from verifaible.errors import OfflineMiss
from verifaible.schema.citation import Match
from verifaible.schema.web import WebAnswer, WebRequest, WebResponse, header

_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


@dataclass(frozen=True, slots=True, eq=False)
class _Recorded:
    """One recorded exchange: where it is, and its keys."""

    reader: WaczReader
    entry: IndexEntry
    exact: str
    normalised: Normalised


class Archive:
    """Several WACZ files behind one look-up. Only their indexes are in memory."""

    def __init__(self, readers: Sequence[WaczReader]) -> None:
        self._readers = tuple(readers)
        self._exact: dict[tuple[str, str], list[_Recorded]] = defaultdict(list)
        self._normalised: dict[tuple[str, str], list[_Recorded]] = defaultdict(list)
        self._shapes: dict[_Recorded, BodyShape] = {}
        self._synthetic = {reader: reader.metadata.synthetic for reader in self._readers}
        for reader in self._readers:
            for entry in reader.entries():
                recorded = _Recorded(reader, entry, exact_key(entry.url), normalise(entry.url))
                self._exact[entry.method, recorded.exact].append(recorded)
                self._normalised[entry.method, recorded.normalised.key].append(recorded)

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

    @classmethod
    def from_readers(cls, readers: Iterable[WaczReader]) -> Archive:
        """An archive over readers that are open already."""
        return cls(tuple(readers))

    def close(self) -> None:
        """Close every file."""
        for reader in self._readers:
            reader.close()

    def player(self) -> Player:
        """A fresh look-up, which has answered nothing yet: one for each browser context."""
        return Player(self)

    def pages(self) -> Iterator[ArchivedPage]:
        """Every page of every archive that lists pages, for search."""
        for reader in self._readers:
            if "pages/pages.jsonl" in reader.names():
                yield from reader.pages()

    def urls(self) -> Iterator[str]:
        """The URL of every recorded GET, in recorded order."""
        for (method, _), found in self._exact.items():
            if method == "GET":
                yield found[0].entry.url

    def nearest(self, url: str) -> str:
        """The recorded page address most like ``url``, or an empty string where no page is recorded."""
        from rapidfuzz import fuzz, process

        pages = list(dict.fromkeys(page.url for page in self.pages()))
        found = process.extractOne(url, pages, scorer=fuzz.ratio)
        return found[0] if found else ""

    def exact(self, method: str, key: str) -> list[_Recorded]:
        """What was recorded under an exact key."""
        return self._exact.get((method, key), [])

    def normalised(self, method: str, key: Normalised) -> list[_Recorded]:
        """What was recorded under a normalised key: of the same scheme, if there is any."""
        found = self._normalised.get((method, key.key), [])
        return [one for one in found if one.normalised.scheme == key.scheme] or found

    def body_shape(self, recorded: _Recorded) -> BodyShape:
        """The shape of a recorded request's body; the body itself is not kept."""
        if recorded not in self._shapes:
            request = recorded.reader.exchange(recorded.entry).request
            self._shapes[recorded] = shape(request.body, header(request.headers, "content-type"))
        return self._shapes[recorded]

    def is_synthetic(self, reader: WaczReader) -> bool:
        """Whether an archive is a replica."""
        return self._synthetic[reader]


class Player:
    """Answers requests from an archive, and remembers how often each was asked."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._asked: dict[tuple[str, tuple[int, ...]], int] = defaultdict(int)

    def find(self, request: WebRequest) -> WebAnswer:
        """The recorded answer to a request; see the head of this module for the order of look-up.

        Raises:
            OfflineMiss: nothing recorded answers it.
            IntegrityError: what was recorded is damaged.
        """
        method = request.method.upper()
        exact, key = exact_key(request.url), normalise(request.url)
        if method in _WITHOUT_BODY:
            found = self._without_body(request, method, exact, key)
        else:
            found = self._with_body(request, method, exact, key)
        if found is None:
            raise OfflineMiss(request.url, method)
        recorded, match = found
        response, recorded_at = recorded.reader.answer(recorded.entry)
        if match != "exact":
            response = _with_callback(response, recorded.normalised.callback, key.callback)
        if method == "HEAD":
            response = WebResponse(response.status, response.headers, b"")
        return WebAnswer(
            url=recorded.entry.url,
            response=response,
            match=match,
            recorded_at=recorded_at,
            archive=recorded.reader.name,
            synthetic=self._archive.is_synthetic(recorded.reader),
        )

    def _without_body(
        self, request: WebRequest, method: str, exact: str, key: Normalised
    ) -> tuple[_Recorded, Match] | None:
        methods = (method, "GET") if method == "HEAD" else (method,)
        for one in methods:
            found = self._next(method, _fit(request, self._archive.exact(one, exact)))
            if found is not None:
                return found, "exact"
        for one in methods:
            found = self._next(method, _fit(request, self._archive.normalised(one, key)))
            if found is not None:
                return found, "normalised"
        return None

    def _with_body(
        self, request: WebRequest, method: str, exact: str, key: Normalised
    ) -> tuple[_Recorded, Match] | None:
        wanted = shape(request.body, header(request.headers, "content-type"))
        shaped = [(one, self._archive.body_shape(one)) for one in self._archive.normalised(method, key)]
        equal = [one for one, body in shaped if (body.kind, body.same) == (wanted.kind, wanted.same)]
        found = self._next(method, [one for one in equal if one.exact == exact])
        if found is not None:
            return found, "exact"
        steady = [one for one, body in shaped if (body.kind, body.steady) == (wanted.kind, wanted.steady)]
        found = self._next(method, equal or steady)
        if found is not None:
            return found, "normalised"
        scored = [(similarity(wanted, body), one, body) for one, body in shaped]
        best = max(scored, key=lambda item: item[0], default=None)  # the first of equals
        if best is None or best[0] < THRESHOLD:
            return None
        found = self._next(method, [one for _, one, body in scored if body.same == best[2].same])
        return None if found is None else (found, "fuzzy")

    def _next(self, method: str, candidates: Sequence[_Recorded]) -> _Recorded | None:
        """The next answer in recorded order, from the first archive that has any."""
        if not candidates:
            return None
        group = [one for one in candidates if one.reader is candidates[0].reader]
        asked = method, tuple(id(one) for one in group)
        index = min(self._asked[asked], len(group) - 1)
        self._asked[asked] += 1
        return group[index]


def _fit(request: WebRequest, candidates: Sequence[_Recorded]) -> list[_Recorded]:
    """The candidates whose status this request can have been answered with."""
    conditional = header(request.headers, "if-none-match") or header(request.headers, "if-modified-since")
    wanted = header(request.headers, "range")
    fit: list[_Recorded] = []
    for one in candidates:
        if one.entry.status == HTTPStatus.NOT_MODIFIED and not conditional:
            continue
        if one.entry.status == HTTPStatus.PARTIAL_CONTENT:
            recorded = one.reader.exchange(one.entry).request
            if not wanted or header(recorded.headers, "range") != wanted:
                continue
        fit.append(one)
    return fit


def _with_callback(response: WebResponse, recorded: str, wanted: str) -> WebResponse:
    body = rename_callback(response.body, recorded, wanted) if recorded and wanted else response.body
    if body == response.body:
        return response
    size = str(len(body))
    headers = tuple(
        (name, size if name.lower() == "content-length" else value) for name, value in response.headers
    )
    return WebResponse(response.status, headers, body)
