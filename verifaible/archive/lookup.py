"""The offline web: which recorded exchange answers a request.

In this order, and the first archive given wins inside each step:

1. **exact**: the same URL (``urls.exact_key``) and, for methods with a body, a body that means
   the same;
2. **normalised**: the same URL, and the same body, but for what is made up for each request
   (``archive.volatile``), query order, the JSONP callback's name and the difference of http and
   https (``urls.normalise``); a recorded callback's name is replaced by the one asked for, and
   only a body that calls it is an answer. Of both schemes, the one asked for is preferred;
3. **JSONP by its body**: one parameter of any name differs, and the recorded body calls the
   function that it names;
4. **fuzzy**, only for methods with a body: the same normalised URL and the most similar body
   (``bodies.similarity``), at ``bodies.THRESHOLD`` or above; of equals, the first recorded;
5. else OfflineMiss.

In each step the headers have to allow the answer (``archive.fitting``), and those that are equal in
all that selects go before the others. Repeated requests are answered in recorded order, the
last answer again and again. A HEAD request without a recording of its own is answered by the GET
without its body.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import time

from verifaible.archive.bodies import THRESHOLD, BodyShape, shape, similarity
from verifaible.archive.cdxj import IndexEntry
from verifaible.archive.fitting import fit
from verifaible.archive.package import ArchivedPage
from verifaible.archive.reader import WaczReader
from verifaible.archive.urls import Normalised, exact_key, is_js_name, normalise
from verifaible.archive.visits import calls, rename_callback
from verifaible.archive.volatile import Moment, Pair, same_but_for_time
from verifaible.errors import OfflineMiss
from verifaible.schema.citation import Match
from verifaible.schema.web import WebAnswer, WebExchange, WebRequest, WebResponse, header

#: Shorter values stand in many an answer by accident.
MIN_GIVEN = 6
_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


@dataclass(frozen=True, slots=True, eq=False)
class _Recorded:
    """One recorded exchange: where it is, and its keys."""

    reader: WaczReader
    entry: IndexEntry
    exact: str
    normalised: Normalised

    def moment(self, synthetic: bool) -> Moment:
        """When it was recorded, for comparing time stamps."""
        moment = datetime.strptime(self.entry.timestamp[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        return Moment(moment.timestamp(), trusted=not synthetic)


class Archive:
    """Several WACZ files behind one look-up. Only their indexes are in memory."""

    def __init__(self, readers: Sequence[WaczReader]) -> None:
        self._readers = tuple(readers)
        self._exact: dict[tuple[str, str], list[_Recorded]] = defaultdict(list)
        self._normalised: dict[tuple[str, str], list[_Recorded]] = defaultdict(list)
        self._by_place: dict[tuple[int, str], list[_Recorded]] = defaultdict(list)
        self._by_names: dict[tuple[str, str, tuple[str, ...]], list[_Recorded]] = defaultdict(list)
        self._shapes: dict[_Recorded, BodyShape] = {}
        self._heads: dict[_Recorded, WebExchange] = {}
        self._synthetic = {reader: reader.metadata.synthetic for reader in self._readers}
        for reader in self._readers:
            for entry in reader.entries():
                recorded = _Recorded(reader, entry, exact_key(entry.url), normalise(entry.url))
                self._exact[entry.method, recorded.exact].append(recorded)
                self._normalised[entry.method, recorded.normalised.key].append(recorded)
                self._by_place[id(reader), recorded.normalised.place].append(recorded)
                self._by_names[entry.method, *_names(recorded.normalised)].append(recorded)

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

    def with_names(self, method: str, key: Normalised) -> list[_Recorded]:
        """What was recorded at the same place with parameters of the same names."""
        return self._by_names.get((method, *_names(key)), [])

    def at_place(self, method: str, key: Normalised) -> list[_Recorded]:
        """What was recorded of a method at the same host and path, whatever the query."""
        places = (self._by_place.get((id(reader), key.place), []) for reader in self._readers)
        return [one for found in places for one in found if one.entry.method == method]

    def body_shape(self, recorded: _Recorded) -> BodyShape:
        """The shape of a recorded request's body; the body itself is not kept."""
        if recorded not in self._shapes:
            request = recorded.reader.exchange(recorded.entry).request
            self._shapes[recorded] = shape(request.body, header(request.headers, "content-type"))
        return self._shapes[recorded]

    def head(self, recorded: _Recorded) -> WebExchange:
        """A recorded exchange without its bodies."""
        if recorded not in self._heads:
            whole = recorded.reader.exchange(recorded.entry)
            bare = replace(whole.request, body=b""), replace(whole.response, body=b"")
            self._heads[recorded] = WebExchange(*bare, whole.recorded_at)
        return self._heads[recorded]

    def is_synthetic(self, reader: WaczReader) -> bool:
        """Whether an archive is a replica."""
        return self._synthetic[reader]


def _names(key: Normalised) -> tuple[str, tuple[str, ...]]:
    return key.place, tuple(name for name, _ in key.pairs)


@dataclass(frozen=True, slots=True)
class _Found:
    """A recorded answer, how it was found, and the callback's name in it and in the request."""

    recorded: _Recorded
    match: Match
    callback: str = ""
    wanted: str = ""


class Player:
    """Answers requests from an archive, and remembers how often each was asked."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._asked: dict[tuple[str, tuple[int, ...]], int] = defaultdict(int)
        self._bodies: list[bytes] = []

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
        exact, key = exact_key(request.url), normalise(request.url)
        if method in _WITHOUT_BODY:
            group = self._without_body(request, method, exact, key)
        else:
            group = self._with_body(request, method, exact, key)
        found = self._next(method, group, again)
        if found is None:
            raise OfflineMiss(request.url, method, self._unlike(method, key))
        recorded = found.recorded
        response, recorded_at = recorded.reader.answer(recorded.entry)
        self._bodies.append(response.body)
        if found.callback != found.wanted:
            response = _with_callback(response, found.callback, found.wanted)
        if method == "HEAD":
            response = WebResponse(response.status, response.headers, b"")
        return WebAnswer(
            url=recorded.entry.url,
            response=response,
            match=found.match,
            recorded_at=recorded_at,
            archive=recorded.reader.name,
            synthetic=self._archive.is_synthetic(recorded.reader),
        )

    def knows(self, request: WebRequest) -> bool:
        """Whether ``find`` would answer the request, ``again`` given; nothing is used up by asking."""
        method = request.method.upper()
        exact, key = exact_key(request.url), normalise(request.url)
        find = self._without_body if method in _WITHOUT_BODY else self._with_body
        return bool(find(request, method, exact, key))

    def _unlike(self, method: str, key: Normalised) -> str:
        """In what a request that was not found differs from the most similar one that was recorded."""
        mine = {*key.pairs, *key.volatile}
        closest: set[Pair] | None = None
        for one in self._archive.at_place(method, key):
            differing = mine ^ {*one.normalised.pairs, *one.normalised.volatile}
            if closest is None or len(differing) < len(closest):
                closest = differing
        if closest is None:
            return ""
        names = dict.fromkeys(name or "without a name" for name, _ in sorted(closest))
        if not names:
            return "its body or headers differ from the recorded ones"
        said = ", ".join(f"“{name}”" for name in list(names)[:3])
        return f"the parameter {said} differs from the recorded one"

    def _without_body(self, request: WebRequest, method: str, exact: str, key: Normalised) -> list[_Found]:
        methods = (method, "GET") if method == "HEAD" else (method,)
        for one in methods:
            if found := self._fitting(
                request, [_Found(each, "exact") for each in self._archive.exact(one, exact)]
            ):
                return found
        for one in methods:
            alike = [
                _Found(each, "normalised", each.normalised.callback, key.callback)
                for each in self._archive.normalised(one, key)
                if self._same_url(key, each)
            ]
            if found := self._fitting(request, _most_equal(alike, key.volatile)):
                return found
        return self._fitting(request, self._by_its_call(method, key))

    def _same_url(self, key: Normalised, recorded: _Recorded) -> bool:
        moment = recorded.moment(self._archive.is_synthetic(recorded.reader))
        if not same_but_for_time(key.volatile, recorded.normalised.volatile, moment, time(), self._is_given):
            return False
        return recorded.normalised.callback == key.callback or self._calls(
            recorded, recorded.normalised.callback
        )

    def _is_given(self, value: str) -> bool:
        """Whether a value stands in what was answered so far."""
        sought = value.encode()
        return len(sought) >= MIN_GIVEN and any(sought in body for body in self._bodies)

    def _calls(self, recorded: _Recorded, name: str) -> bool:
        """Whether the body calls that function, or there is no body that could."""
        body = recorded.reader.answer(recorded.entry)[0].body
        return not body or calls(body, name)

    def _by_its_call(self, method: str, key: Normalised) -> list[_Found]:
        """JSONP answers whose callback stands in a parameter that no list of ours names."""
        found: list[_Found] = []
        for one in self._archive.with_names(method, key):
            pairs = zip(key.pairs, one.normalised.pairs, strict=True)
            differing = [(mine[1], other[1]) for mine, other in pairs if mine != other]
            if len(differing) != 1 or not all(map(is_js_name, differing[0])):
                continue
            wanted, recorded = differing[0]
            moment = one.moment(self._archive.is_synthetic(one.reader))
            same = same_but_for_time(key.volatile, one.normalised.volatile, moment, time(), self._is_given)
            if same and calls(one.reader.answer(one.entry)[0].body, recorded):
                found.append(_Found(one, "normalised", recorded, wanted))
        return found

    def _with_body(self, request: WebRequest, method: str, exact: str, key: Normalised) -> list[_Found]:
        wanted = shape(request.body, header(request.headers, "content-type"))
        shaped = [
            (one, self._archive.body_shape(one))
            for one in self._archive.normalised(method, key)
            if self._same_url(key, one)
        ]
        equal = [one for one, body in shaped if (body.kind, body.same) == (wanted.kind, wanted.same)]
        if found := self._fitting(request, [_Found(one, "exact") for one in equal if one.exact == exact]):
            return found
        steady = [
            one
            for one, body in shaped
            if (body.kind, body.steady) == (wanted.kind, wanted.steady) and self._same_body(wanted, body, one)
        ]
        if found := self._fitting(request, [_Found(one, "normalised") for one in equal or steady]):
            return found
        scored = [(similarity(wanted, body), one, body) for one, body in shaped]
        best = max(scored, key=lambda item: item[0], default=None)  # the first of equals
        if best is None or best[0] < THRESHOLD:
            return []
        return self._fitting(
            request, [_Found(one, "fuzzy") for _, one, body in scored if body.same == best[2].same]
        )

    def _same_body(self, wanted: BodyShape, body: BodyShape, recorded: _Recorded) -> bool:
        moment = recorded.moment(self._archive.is_synthetic(recorded.reader))
        return same_but_for_time(wanted.aside, body.aside, moment, time(), self._is_given)

    def _fitting(self, request: WebRequest, candidates: Sequence[_Found]) -> list[_Found]:
        """Those that the headers of the request allow: the ones that are equal in all, if there are any."""
        fits = [(one, fit(request, self._archive.head(one.recorded))) for one in candidates]
        for wanted in ("same", "open"):
            if found := [one for one, how in fits if how == wanted]:
                return found
        return []

    def _next(self, method: str, candidates: Sequence[_Found], again: bool) -> _Found | None:
        """The next answer in recorded order, from the first archive that has any."""
        if not candidates:
            return None
        reader = candidates[0].recorded.reader
        group = [one for one in candidates if one.recorded.reader is reader]
        asked = method, tuple(id(one.recorded) for one in group)
        spent = self._asked[asked] >= len(group)
        changing = len({one.recorded.entry.digest for one in group}) > 1
        if spent and not again and changing and not self._archive.is_synthetic(reader):
            return None
        index = min(self._asked[asked], len(group) - 1)
        self._asked[asked] += 1
        return group[index]


def _most_equal(candidates: list[_Found], asked: Sequence[Pair]) -> list[_Found]:
    """Those that have the most of the asked volatile parameters with the same values."""
    equal = [len(set(asked) & set(one.recorded.normalised.volatile)) for one in candidates]
    return [one for one, count in zip(candidates, equal, strict=True) if count == max(equal)]


def _with_callback(response: WebResponse, recorded: str, wanted: str) -> WebResponse:
    body = rename_callback(response.body, recorded, wanted) if recorded and wanted else response.body
    if body == response.body:
        return response
    size = str(len(body))
    headers = tuple(
        (name, size if name.lower() == "content-length" else value) for name, value in response.headers
    )
    return WebResponse(response.status, headers, body)
