"""A citation for each row of a table, in one browser."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

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

#: A row of a table, or a line of the output, by its columns.
Row: TypeAlias = dict[str, str]


class Cites(Protocol):
    """Who makes a citation of a request: the client."""

    async def collect(self, request: CiteRequest) -> Collected:
        """The citation with its check."""
        ...


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
        out: CSV; default: ``TABLE.cited.csv``.
        resume: go on with that file; what is cited in it stays.
        progress: told how many rows are done, and of how many.

    Raises:
        ConfigError: the table cannot be read, or the output is there or cannot be written.
        BrowserMissing, StoreError: no row could be cited.
    """
    columns, rows = _read(table)
    output = _Output(out or table.with_name(f"{table.stem}.cited.csv"), [_NUMBER, *columns, *_RESULT])
    if output.path.suffix.lower() in (".json", ".jsonl"):
        raise ConfigError(f"{output.path}: the output is CSV. Name a .csv file with --output.")
    if output.path.exists() and not resume:
        raise ConfigError(
            f"{output.path} already exists. Continue it with --resume, or name another with --output."
        )
    done = _kept(rows, output.lines() if resume else [])
    output.write(done)
    await _cite_all(client, rows, done, output, progress or (lambda *_: None))
    done.sort(key=lambda line: int(line[_NUMBER]))
    output.write(done)
    failed = {int(line[_NUMBER]): line["error"] for line in done if not line["id"]}
    return CitedTable(output.path, len(done), failed)


def _read(path: Path) -> tuple[list[str], list[Row]]:
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
    unknown = ", ".join(repr(name) for name in columns if name not in COLUMNS)
    wrong = [f"it has {unknown}"] if unknown else []
    wrong += ["it has no url"] if "url" not in columns else []
    wrong += ["a row has more cells than the header"] if any("" in row for row in rows) else []
    if wrong:
        raise ConfigError(
            f"--from {path}: {'; '.join(wrong)}. The columns are url and any of {', '.join(COLUMNS)}."
        )
    if not rows:
        raise ConfigError(f"--from {path}: has no rows. Write one below the header.")
    return columns, rows


def _kept(rows: Sequence[Row], before: Sequence[Row]) -> list[Row]:
    """What an earlier output has a citation for, wherever its row is in the table now."""
    cited: dict[tuple[str, ...], list[Row]] = {}
    for line in before:
        if line.get("id"):
            cited.setdefault(tuple(line.get(name, "") for name in rows[0]), []).append(line)
    kept = []
    for number, row in enumerate(rows, 1):
        if lines := cited.get(tuple(row.values())):
            line = lines.pop(0) if len(lines) > 1 else lines[0]
            kept.append({_NUMBER: str(number), **row, **{name: line.get(name, "") for name in _RESULT}})
    return kept


async def _cite_all(
    client: Cites, rows: Sequence[Row], done: list[Row], output: _Output, progress: Callable[[int, int], None]
) -> None:
    """Cite the rows that are not done, and add their lines to those that are."""
    places = asyncio.Semaphore(CONCURRENCY)
    kept, total = {line[_NUMBER] for line in done}, len(rows)
    left = [(str(number), row) for number, row in enumerate(rows, 1) if str(number) not in kept]
    stopped: list[VerifaibleError] = []

    async def one(number: str, row: Row) -> None:
        async with places:
            if stopped:
                return
            try:
                line = {_NUMBER: number, **row, **await _cited(client, row)}
                output.add(line)
            except VerifaibleError as error:  # no other row would fare better
                stopped.append(error)
                return
            done.append(line)
            progress(len(done) - len(kept), total - len(kept))

    await asyncio.gather(*(one(number, row) for number, row in left))
    if stopped:
        raise stopped[0]


async def _cited(client: Cites, row: Row) -> Row:
    """The result of one row; whatever goes wrong with it costs no other."""
    from verifaible.evidence.request import cite_request

    arguments: dict[str, Any] = {COLUMNS[name]: cell for name, cell in row.items() if cell.strip()}
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
    """The CSV file with a line for each row."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self.path = path
        self._columns = columns

    def lines(self) -> list[Row]:
        """The lines that are there, but for one that a kill cut off."""
        try:
            whole = self.path.read_bytes().rpartition(b"\n")[0].decode("utf-8-sig")
            return list(csv.DictReader(io.StringIO(whole, newline=""), restval=""))
        except FileNotFoundError:
            return []
        except (OSError, ValueError, csv.Error) as error:
            raise ConfigError(
                f"{self.path} is not output of `cite --from` ({error}). Name another."
            ) from error

    def write(self, lines: Sequence[Row]) -> None:
        """Put these lines in the place of what is there, whole."""
        head = dict(zip(self._columns, self._columns, strict=True))
        temporary = self.path.with_name(f".{self.path.name}.new")
        with self._told():
            temporary.write_text("".join(map(self._csv, [head, *lines])), encoding="utf-8", newline="")
            temporary.replace(self.path)

    def add(self, line: Row) -> None:
        """One more line."""
        with self._told(), self.path.open("a", encoding="utf-8", newline="") as file:
            file.write(self._csv(line))

    def _csv(self, line: Row) -> str:
        text = io.StringIO(newline="")
        csv.DictWriter(text, self._columns, lineterminator="\n").writerow(line)
        return text.getvalue()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ConfigError(
                f"{self.path} cannot be written ({error.strerror}). Name another file with --output."
            ) from error
