"""The tamper suite's cases: what is done to a healthy store, and what must be said of it."""

# ruff: noqa: E501 - rows of a table
from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from scripts.accuracy import tamper_captures
from scripts.accuracy.tamper_store import Place
from verifaible.schema.citation import Citation
from verifaible.store import annotation
from verifaible.store.entries import HEAD, CustodyEntry, CustodyItem, file_of, item
from verifaible.store.sealed import citation_file, picture_files

#: Who has to find it. ``citation``: verifying the citation, and both audits. ``audit``: both audits,
#: the citation being as it was. ``outside``: it is not listed nor given, and both audits.
#: ``index``: as ``audit``, and making the index again cures it. ``remark``: allowed, but both the
#: check and the audits say so. ``kept head``: an audit that is given a head kept elsewhere.
Found: TypeAlias = Literal["citation", "audit", "outside", "index", "remark", "kept head"]

#: May give the citation that is to be verified where it is not the victim; else what it gives is unused.
Tamper: TypeAlias = Callable[[Place], object]


@dataclass(frozen=True, slots=True)
class Case:
    """One tamper. ``said``: texts that all must occur; ``{capture}`` and the like are the store's names."""

    kind: str
    name: str
    tamper: Tamper
    said: tuple[str, ...]
    found: Found = "citation"


# --- citations and pictures


def _record(change: Callable[[dict[str, Any]], None], *, refit: bool = False) -> Tamper:
    """Change a citation's record; ``refit``: make the id inside it fit again."""

    def tamper(place: Place) -> None:
        name = citation_file(place.victim.id)
        record = json.loads(place.path(name).read_bytes())["verifaible"]
        change(record)
        if refit:
            record["id"] = annotation._id_of(record)
        data = annotation.canonical(annotation._annotation(record))
        place.edit(name, lambda _: data)

    return tamper


def _words(old: bytes, new: bytes) -> Tamper:
    return lambda place: place.edit(citation_file(place.victim.id), lambda data: data.replace(old, new))


def _set(**values: object) -> Callable[[dict[str, Any]], None]:
    return lambda record: record.update(values)


def _anchor(**values: object) -> Callable[[dict[str, Any]], None]:
    return lambda record: record["anchor"].update(values)


def _renamed(place: Place) -> None:
    """The citation's file under another citation's id."""
    shutil.copy(place.path(citation_file(place.shared.id)), place.path(citation_file(place.victim.id)))


def _added_past_the_log(place: Place) -> Citation:
    return place.forged(claim="The rate was 5.38%")[0]


def _delete(name: Callable[[Place], str]) -> Tamper:
    return lambda place: place.path(name(place)).unlink()


def _citation(place: Place) -> str:
    return citation_file(place.victim.id)


def _picture(place: Place) -> str:
    return next(iter(picture_files(place.victim)))


CITATIONS = (
    Case("citation: claim", "in the annotation alone", _words(b'"value":"The rate was 5.33%"', b'"value":"No"'), ("{id}", "was changed")),
    Case("citation: claim", "with the annotation", _record(_set(claim="The rate was 5.38%")), ("{id}", "was changed")),
    Case("citation: claim", "with a new id inside", _record(_set(claim="The rate was 5.38%"), refit=True), ("{id}", "was changed")),
    Case("citation: quote", "other words", _record(_anchor(text="The rate was 5.38% in February.")), ("{id}", "was changed")),
    Case("citation: offsets", "one further", _record(_anchor(start=12, end=43)), ("{id}", "was changed")),
    Case("citation: address", "another host", _record(_set(final_url="https://other.example/")), ("{id}", "was changed")),
    Case("citation: time", "a year earlier", _record(_set(created_at="2025-03-02T08:00:00Z")), ("{id}", "was changed")),
    Case("citation: capture", "of another citation", lambda p: _record(_set(capture=p.table.capture.model_dump(mode="json")))(p), ("{id}", "was changed")),
    Case("citation: white space", "a line end behind it", lambda p: p.edit(_citation(p), lambda data: data + b"\n"), ("{id}", "was changed")),
    Case("citation: white space", "printed with indents", lambda p: p.edit(_citation(p), lambda d: json.dumps(json.loads(d), indent=1).encode()), ("{id}", "was changed")),
    Case("citation: white space", "an escaped letter", lambda p: p.edit(_citation(p), lambda d: d.replace(b"rate was", b"r\\u0061te was", 1)), ("{id}", "was changed")),
    Case("citation: exchanged", "for another of the store", _renamed, ("{id}", "was changed")),
    Case("citation: torn", "half of it", lambda p: p.edit(_citation(p), lambda data: data[: len(data) // 2]), ("{id}", "damaged")),
    Case("citation: deleted", "its file", _delete(_citation), ("citations/{id}.json", "missing")),
    Case("citation: added", "past the log", _added_past_the_log, ("citations/{new}.json", "no custody entry"), "outside"),
    Case("picture: exchanged", "other bytes", lambda p: p.edit(_picture(p), lambda data: b"another picture"), ("pictures/", ".webp was changed")),
    Case("picture: exchanged", "for that of another citation", lambda p: p.edit(_picture(p), lambda d: p.path(next(iter(picture_files(p.shared)))).read_bytes()), ("pictures/", ".webp was changed")),
    Case("picture: deleted", "its file", _delete(_picture), ("pictures/", "missing")),
    Case("picture: marks", "none any more", _record(lambda record: record["picture"].update(marks=[])), ("{id}", "was changed")),
)  # fmt: skip


# --- checks


def _check_file(place: Place) -> str:
    folder = f"checks/{place.victim.id}"
    return f"{folder}/{next(place.path(folder).iterdir()).name}"


def _forged_check(place: Place) -> None:
    path = place.path(_check_file(place))
    forged = path.read_bytes().replace(b'"self"', b'"live"')
    path.with_name("20260401T000000.000000-00000000.json").write_bytes(forged)


def _moved_check(place: Place) -> None:
    """A check of another citation in the victim's history."""
    other = next(place.path(f"checks/{place.table.id}").iterdir())
    shutil.copy(other, place.path(f"checks/{place.victim.id}") / other.name)


CHECKS = (
    Case("check: changed", "its verdict", lambda p: p.edit(_check_file(p), lambda d: d.replace(b'"verified"', b'"gone"')), ("checks/{id}/", "was changed"), "audit"),
    Case("check: changed", "its time", lambda p: p.edit(_check_file(p), lambda d: d.replace(b"2026-03", b"2026-08")), ("checks/{id}/", "was changed"), "audit"),
    Case("check: deleted", "its file", _delete(_check_file), ("checks/{id}/", "was deleted"), "audit"),
    Case("check: deleted", "the whole history", lambda p: shutil.rmtree(p.path(f"checks/{p.victim.id}")), ("checks/{id}/", "was deleted"), "audit"),
    Case("check: added", "past the log", _forged_check, ("checks/{id}/20260401", "no custody entry"), "audit"),
    Case("check: added", "from another citation", _moved_check, ("checks/{id}/", "no custody entry"), "audit"),
)  # fmt: skip


# --- the custody log


def _entry(change: Callable[[CustodyEntry], CustodyEntry], *, by_forger: bool = False) -> Tamper:
    def tamper(place: Place) -> None:
        number = place.entry_of(place.victim)
        entry = change(place.entry(number))
        if by_forger:
            place.put_entry(entry, place.forger)
        else:
            place.path(file_of(number)).write_bytes(entry.to_bytes())

    return tamper


def _other_hash(entry: CustodyEntry) -> CustodyEntry:
    items = [each.model_copy(update={"sha256": "0" * 64}) for each in entry.items]
    return entry.model_copy(update={"items": tuple(items)})


def _earlier_time(entry: CustodyEntry) -> CustodyEntry:
    return entry.model_copy(update={"at": entry.at.replace(year=2025)})


def _cut(count: int, *, head: bool = False) -> Tamper:
    def tamper(place: Place) -> None:
        last = place.last()
        for number in range(last - count + 1, last + 1):
            place.path(file_of(number)).unlink()
        if head:
            place.path(HEAD).unlink()

    return tamper


def _reordered(place: Place) -> None:
    one, two = place.path(file_of(2)), place.path(file_of(3))
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)


def _entry_of_a_branch(place: Place) -> None:
    """A rightly signed entry of a copy of the store that went on by itself."""
    branch = place.copy(place.folder.with_name(f"{place.folder.name}-branch"))
    shutil.rmtree(branch.folder)
    shutil.copytree(place.earlier, branch.folder)
    store = branch.store()
    store.custody.append([CustodyItem(kind="check", name="checks/x/y.json", sha256="0" * 64)])
    number = store.custody.last_number()
    shutil.copy(branch.path(file_of(number)), place.path(file_of(number)))


def _log_by_forger(origin: str, *, endorsed: str = "", start: int = 1) -> Tamper:
    """The victim's claim forged, and the log made anew from an entry on by another key."""

    def tamper(place: Place) -> Citation:
        by = {"": None, "foreign": place.foreign, "forger": place.forger}[endorsed]
        key = place.put_key(place.forger, origin, by)
        citation, named = place.forged(claim="The rate was 5.38%")
        begin = start or place.last()

        def change(entry: CustodyEntry) -> CustodyEntry:
            items = entry.items
            if entry.number == begin:
                items = (item("key", key.file, key.to_bytes()), named, *items)
            return entry.model_copy(update={"items": items})

        place.remake_log(place.forger, begin, change)
        place.path("index.sqlite").unlink()  # or the forged citation would not be listed
        return citation

    return tamper


def _log_by_unknown(place: Place) -> object:
    citation = _log_by_forger("first")(place)
    place.path(_key_of(place.forger)).unlink()
    return citation


def _head(change: Callable[[bytes], bytes]) -> Tamper:
    return lambda place: place.edit(HEAD, change)


LOG = (
    Case("custody: entry changed", "a hash in it", _entry(_other_hash), ("{entry} was changed",)),
    Case("custody: entry changed", "its time", _entry(_earlier_time), ("{entry} was changed",)),
    Case("custody: entry changed", "and signed by another key", _entry(_earlier_time, by_forger=True), ("no key",)),
    Case("custody: entry changed", "torn", lambda p: p.edit(file_of(p.entry_of(p.victim)), lambda d: d[:60]), ("{entry} is damaged",)),
    Case("custody: entry removed", "in the middle", lambda p: p.path(file_of(2)).unlink(), ("gap", "entry 2"), "audit"),
    Case("custody: entry removed", "the victim's", lambda p: p.path(file_of(p.entry_of(p.victim))).unlink(), ("gap", "{entry} is missing")),
    Case("custody: end cut off", "two entries", _cut(2), ("cut off", "custody/head.json"), "audit"),
    Case("custody: end cut off", "with the head", _cut(2, head=True), ("custody/head.json is missing",), "audit"),
    Case("custody: reordered", "entries 2 and 3", _reordered, ("custody/000000002.json was changed",), "audit"),
    Case("custody: exchanged", "for one of a copy that went on", _entry_of_a_branch, ("chain",), "audit"),
    Case("custody: added", "a file that is no entry", lambda p: p.path(file_of(p.last() + 1)).write_bytes(b"{}"), ("is damaged",), "audit"),
    Case("custody: head", "speaks of an earlier end", _head(lambda d: d.replace(b'"number":', b'"number":-')), ("custody/head.json", "signature"), "audit"),
    Case("custody: head", "signed by another key", lambda p: p.put_head(p.forger, p.last()), ("custody/head.json", "no key"), "audit"),
    Case("custody: head", "signed by an imported key", lambda p: p.put_head(p.foreign, p.last()), ("custody/head.json", "another store"), "audit"),
    Case("custody: head", "no longer JSON", _head(lambda d: d[1:]), ("custody/head.json is damaged",), "audit"),
    Case("custody: head", "deleted", lambda p: p.path(HEAD).unlink(), ("custody/head.json is missing",), "audit"),
    Case("log made anew", "by a key that is nowhere", _log_by_unknown, ("no key",)),
    Case("log made anew", "by a second first key", _log_by_forger("first"), ("first key",)),
    Case("log made anew", "by a key that endorses itself", _log_by_forger("rotated", endorsed="forger"), ("{forger}", "was changed or is damaged")),
    Case("log made anew", "by a key that an imported one endorses", _log_by_forger("rotated", endorsed="foreign"), ("{forger}", "was changed or is damaged")),
    Case("log made anew", "by a key that says it was imported", _log_by_forger("imported"), ("{forger} is of another store",)),
    Case("log made anew", "by a key for a lost one, from the first entry on", _log_by_forger("lost"), ("{forger} says", "made anew")),
    Case("log made anew", "by a key for a lost one, its last entry", _log_by_forger("lost", start=0), ("did not endorse", "endorsed"), "remark"),
)  # fmt: skip


# --- keys and the description


def _other_id(data: bytes) -> bytes:
    return annotation.canonical({**json.loads(data), "id": "0" * 32})


def _key_of(signer: Any) -> str:
    from verifaible.store.keys import key_id

    return f"keys/{key_id(signer.public_key)}.json"


def _first_says_lost(place: Place) -> None:
    place.edit(_key_of(place.first), lambda data: data.replace(b'"first"', b'"lost"'))


KEYS = (
    Case("key: exchanged", "the first for another's", lambda p: p.edit(_key_of(p.first), lambda d: p.path(_key_of(p.foreign)).read_bytes()), ("{first}", "was changed")),
    Case("key: changed", "its origin", _first_says_lost, ("{first}", "was changed"), "audit"),
    Case("key: changed", "its time", lambda p: p.edit(_key_of(p.current), lambda d: d.replace(b'"created":"20', b'"created":"19')), ("{current}", "was changed"), "audit"),
    Case("key: deleted", "the first", lambda p: p.path(_key_of(p.first)).unlink(), ("{first_id}",)),
    Case("key: added", "as a second first", lambda p: p.put_key(p.forger, "first"), ("{forger} was put into the store past",), "audit"),
    Case("key: added", "as a rotated one, endorsed by itself", lambda p: p.put_key(p.forger, "rotated", p.forger), ("{forger}", "was changed or is damaged"), "audit"),
    Case("key: added", "as an imported one", lambda p: p.put_key(p.forger, "imported"), ("{forger} was put into the store past",), "audit"),
    Case("key: signing key", "exchanged", lambda p: p.path("keys/signing.pem").write_bytes(p.forger.private_bytes()), ("not one this store knows",), "audit"),
    Case("store.json", "the store's id", lambda p: p.edit("store.json", _other_id), ("belongs to another store",), "audit"),
    Case("key: signing key", "deleted", lambda p: p.path("keys/signing.pem").unlink(), ("keys/signing.pem", "is gone"), "audit"),
)  # fmt: skip


# --- the index


def _sql(statement: str) -> Tamper:
    def tamper(place: Place) -> None:
        with sqlite3.connect(place.path("index.sqlite")) as database:
            changed = database.execute(statement, {"id": place.victim.id, "other": place.table.id}).rowcount
            assert changed > 0, statement
        database.close()

    return tamper


def _copied_row(place: Place) -> None:
    with sqlite3.connect(place.path("index.sqlite")) as database:
        database.row_factory = sqlite3.Row
        row = database.execute(
            "SELECT * FROM verifaible_citations WHERE id = ?", [place.victim.id]
        ).fetchone()
        copied = [*{**dict(row), "id": "ffff0000ffff0000ffff"}.values()]
        marks = ", ".join("?" * len(copied))
        database.execute(f"INSERT INTO verifaible_citations VALUES ({marks})", copied)  # noqa: S608
    database.close()


_ROW = "UPDATE verifaible_citations SET {} WHERE id = :id"
INDEX = (
    Case("index: text", "other words", _sql(_ROW.format("text = 'The rate was 5.38%'")), ("The index says", "{id}", "text"), "index"),
    Case("index: claim", "other words", _sql(_ROW.format("claim = 'The rate was 5.38%'")), ("The index says", "{id}", "claim"), "index"),
    Case("index: verdict", "another", _sql(_ROW.format("verdict = 'gone'")), ("The index says", "{id}", "verdict"), "index"),
    Case("index: row", "deleted", _sql("DELETE FROM verifaible_citations WHERE id = :id"), ("index lacks citation {id}",), "index"),
    Case("index: row", "added", _copied_row, ("The index lists citation ffff0000ffff0000ffff",), "index"),
    Case("index: state", "another capture", _sql("UPDATE verifaible_captures SET reference = (SELECT reference FROM verifaible_captures ORDER BY sha256 LIMIT 1)"), ("The index names", "state"), "index"),
)  # fmt: skip


# --- what the store's own files can not show


def _put_back(place: Place) -> None:
    shutil.rmtree(place.folder)
    shutil.copytree(place.earlier, place.folder)


def _put_back_log(place: Place) -> None:
    """The log of an earlier copy, without what was added since: citations, checks and captures."""
    _put_back(place)
    place.path("index.sqlite").unlink()


BEYOND = (
    Case("put back as a whole", "to an earlier copy", _put_back, ("earlier copy", "head"), "kept head"),
    Case("put back as a whole", "and without its index", _put_back_log, ("earlier copy", "head"), "kept head"),
)  # fmt: skip

CASES: tuple[Case, ...] = (
    *(Case(kind, name, tamper, said) for kind, name, tamper, said in tamper_captures.parts()),
    *(Case(kind, name, tamper, said) for kind, name, tamper, said in tamper_captures.WHOLE),
    *CITATIONS,
    *CHECKS,
    *LOG,
    *KEYS,
    *INDEX,
)
