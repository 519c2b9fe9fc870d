"""A citation for each row of a table, in one browser."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from verifaible.errors import BrowserMissing, ConfigError, StoreError, VerifaibleError, worded

if TYPE_CHECKING:
    from verifaible.evidence.cite import Collected
    from verifaible.evidence.request import CiteRequest

#: The columns of the table, and the argument of the API that each is.
COLUMNS: Final = {
    "url": "url",
    "quote": "quote",
    "claim": "claim",
    "near": "near",
    "row": "row",
    "column": "column",
    "page": "page_number",
    "at": "at",
    "selector": "selector",
    "alt": "alt",
    "position": "position",
    "type": "evidence_type",
    "steps": "steps",
}
#: What the output has before and behind the columns of the table.
_NUMBER, _RESULT = "number", ("id", "verdict", "code", "error")
#: As in ``replay --all``: more at once is not quicker on two cores.
CONCURRENCY = 4


class Cites(Protocol):
    """Who makes a citation of a request: the client."""

    async def collect(self, request: CiteRequest) -> Collected:
        """The citation with its check."""
        ...


@dataclass(frozen=True, slots=True)
class _Done:
    """A row of the table, from 1, and what came of it."""

    number: int
    given: dict[str, str]
    result: dict[str, str]

    def record(self) -> dict[str, Any]:
        return {_NUMBER: self.number, **self.given, **self.result}


@dataclass(frozen=True, slots=True)
class CitedTable:
    """What came of a table: the file that has it, how many rows, and why some have no citation, by row."""

    path: Path
    rows: int
    failed: dict[int, str]


async def cite_rows(
    client: Cites,
    table: Path,
    out: Path | None = None,
    *,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> CitedTable:
    """Cite each row; the output takes a line the moment a row is done, and is in order at the end.

    Args:
        client: within its context.
        table: CSV; its columns are :data:`COLUMNS`.
        out: ``.csv``, ``.json`` or ``.jsonl``; default: ``TABLE.cited.csv``.
        resume: go on with that file; what is cited in it stays.
        progress: told how many rows are done, and of how many.

    Raises:
        ConfigError: the table cannot be read, or the output is there or cannot be written.
        BrowserMissing, StoreError: no row could be cited.
    """
    columns, rows = _read(table)
    output = _Output(out or table.with_name(f"{table.stem}.cited{table.suffix or '.csv'}"), columns)
    before = output.before() if resume else []
    if output.path.exists() and not resume:
        raise ConfigError(
            f"{output.path} already exists. Continue it with --resume, or name another with --output."
        )
    kept = _kept(rows, before)
    output.write(kept)
    left = [(number, row) for number, row in enumerate(rows, 1) if number not in {d.number for d in kept}]
    done = [*kept, *await _cite_all(client, left, output, progress or (lambda *_: None))]
    done.sort(key=lambda each: each.number)
    output.write(done)
    failed = {each.number: each.result["error"] for each in done if not each.result["id"]}
    return CitedTable(output.path, len(done), failed)


def _read(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """The header of a table, and its rows."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"--from {path}: cannot be read ({error.strerror}). Name another file.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"--from {path}: is not UTF-8 text ({error}). Save it as UTF-8.") from error
    reader = csv.DictReader(io.StringIO(text, newline=""), restkey="", restval="")
    try:
        rows = [row for row in reader if any(row.values())]
    except csv.Error as error:
        raise ConfigError(
            f"--from {path}: line {reader.line_num} is not CSV ({error}). Correct it."
        ) from error
    columns = list(reader.fieldnames or ())
    unknown = [name for name in columns if name not in COLUMNS]
    if "url" not in columns or unknown or any("" in row for row in rows):
        what = (
            f"it has {', '.join(map(repr, unknown))}" if unknown else "a row has more cells than the header"
        )
        what = "it has no url" if "url" not in columns else what
        raise ConfigError(f"--from {path}: {what}. The columns are url and any of {', '.join(COLUMNS)}.")
    if not rows:
        raise ConfigError(f"--from {path}: has no rows. Write one below the header.")
    return columns, rows


def _kept(rows: Sequence[dict[str, str]], before: Sequence[dict[str, str]]) -> list[_Done]:
    """What an earlier output has a citation for, wherever its row is in the table now."""
    cited: dict[tuple[str, ...], list[dict[str, str]]] = {}
    columns = list(rows[0])
    for line in before:
        if line.get("id"):
            cited.setdefault(tuple(line.get(name, "") for name in columns), []).append(line)
    kept = []
    for number, row in enumerate(rows, 1):
        if lines := cited.get(tuple(row.values())):
            result = {name: lines[0].get(name, "") for name in _RESULT}
            kept.append(_Done(number, row, result))
            if len(lines) > 1:
                lines.pop(0)
    return kept


async def _cite_all(
    client: Cites,
    rows: Sequence[tuple[int, dict[str, str]]],
    output: _Output,
    progress: Callable[[int, int], None],
) -> list[_Done]:
    places = asyncio.Semaphore(CONCURRENCY)
    done: list[_Done] = []
    stopped: list[VerifaibleError] = []

    async def one(number: int, row: dict[str, str]) -> None:
        async with places:
            if stopped:
                return
            try:
                done.append(_Done(number, row, await _cited(client, row)))
                output.add(done[-1])
                progress(len(done), len(rows))
            except VerifaibleError as error:  # no other row would fare better
                stopped.append(error)

    await asyncio.gather(*(one(number, row) for number, row in rows))
    if stopped:
        raise stopped[0]
    return done


async def _cited(client: Cites, row: dict[str, str]) -> dict[str, str]:
    """The result of one row; whatever goes wrong with it costs no other."""
    from verifaible.evidence.request import cite_request

    arguments: dict[str, Any] = {COLUMNS[name]: cell for name, cell in row.items() if cell.strip()}
    code, message = "", ""
    try:
        url = arguments.pop("url", "").strip()
        if not url:
            raise ConfigError("There is no address in the column url. Write one.")
        with worded({argument: column for column, argument in COLUMNS.items()}):
            collected = await client.collect(cite_request(url, **arguments))
        return dict(zip(_RESULT, (collected.citation.id, collected.check.verdict, "", ""), strict=True))
    except (BrowserMissing, StoreError):
        raise
    except VerifaibleError as error:
        code, message = error.code, str(error)
    except Exception as error:  # a fault of ours, or a page like no other
        code, message = "unexpected", f"{type(error).__name__}: {error}. Report it with the row."
    return dict(zip(_RESULT, ("", "", code, " ".join(message.split())), strict=True))


class _Output:
    """The file with a line for each row: CSV, or for ``.json`` and ``.jsonl`` one JSON object a line."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self.path = path
        self._names = [_NUMBER, *columns, *_RESULT]
        self._json = path.suffix.lower() in (".json", ".jsonl")

    def before(self) -> list[dict[str, str]]:
        """The lines that are there, but for one that a kill cut off."""
        try:
            whole = self.path.read_bytes().rpartition(b"\n")[0].decode("utf-8-sig")
            if not self._json:
                return list(csv.DictReader(io.StringIO(whole, newline=""), restval=""))
            return [json.loads(line) for line in whole.split("\n") if line]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, csv.Error) as error:
            raise ConfigError(
                f"{self.path} is not output of `cite --from` ({error}). Name another."
            ) from error

    def write(self, done: Sequence[_Done]) -> None:
        """Put these lines in the place of what is there, whole."""
        head = "" if self._json else self._csv(dict(zip(self._names, self._names, strict=True)))
        temporary = self.path.with_name(f".{self.path.name}.new")
        with self._told():
            temporary.write_text(head + "".join(map(self._line, done)), encoding="utf-8", newline="")
            temporary.replace(self.path)

    def add(self, done: _Done) -> None:
        """One more line."""
        with self._told(), self.path.open("a", encoding="utf-8", newline="") as file:
            file.write(self._line(done))

    def _line(self, done: _Done) -> str:
        record = done.record()
        return json.dumps(record, ensure_ascii=False) + "\n" if self._json else self._csv(record)

    def _csv(self, record: dict[str, Any]) -> str:
        text = io.StringIO(newline="")
        csv.DictWriter(text, self._names, lineterminator="\n").writerow(record)
        return text.getvalue()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ConfigError(
                f"{self.path} cannot be written ({error.strerror}). Name another file with --output."
            ) from error
