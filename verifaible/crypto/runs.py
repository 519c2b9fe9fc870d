"""What runs over many questions share: the files they read, the folder that they go on in, their report."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import Field

from verifaible.config import Settings
from verifaible.errors import ConfigError, KeyRejected, ModelNotThere, NoCredit, RunError
from verifaible.extract.charset import decode_html
from verifaible.llm.budget import Budget
from verifaible.llm.catalogue import BUILT_IN, Api
from verifaible.llm.opening import OpenedModel, open_model
from verifaible.reporting.tables import Table, drawn, markdown_page
from verifaible.runs.folder import held, read_info
from verifaible.runs.lines import Lines, usable, write_whole
from verifaible.schema.base import Record
from verifaible.schema.chat import Usage
from verifaible.version import __version__

#: The form of the folders that this version writes, and reads.
FORMAT: Final = 2
#: Errors of a model that the next question would meet as well.
HOPELESS: Final = frozenset({KeyRejected.code, NoCredit.code, ModelNotThere.code})
#: The largest field of a CSV, in code points; :mod:`csv` stops at 131,072 by itself.
_LARGEST_FIELD: Final = 50_000_000


def read_bytes(path: Path) -> bytes:
    """The bytes of a file that a person names.

    Raises:
        RunError: it is not there, is a folder, or cannot be read.
    """
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RunError(f"{path} cannot be read ({reason}). Check the name and its permissions.") from error


def read_csv(path: Path, needs: str = "") -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The header of a CSV in whatever encoding, and its rows: the line that each ends in, and its cells.

    Args:
        path: the file.
        needs: a column; commas, semicolons and tabs are tried until the header has it.

    Raises:
        RunError: it cannot be read, is empty or damaged, lacks the column, has one twice, or a row has not a
            cell for each column.
    """
    text = decode_html(read_bytes(path), "text/plain").text.removeprefix("\ufeff")
    if not text.strip():
        raise RunError(f"{path} is empty. Give a CSV with a row of headings.")
    csv.field_size_limit(_LARGEST_FIELD)
    for delimiter in ",;\t":
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        try:
            header = [name.strip() for name in next(lines, [])]
            if not needs or needs in header:
                rows = [(lines.line_num, cells) for cells in lines if any(map(str.strip, cells))]
                break
        except csv.Error as error:
            raise RunError(
                f"{path} is damaged at line {lines.line_num} ({error}). Close the quote, or double one "
                "that is a part of the text."
            ) from error
    else:
        raise RunError(f"{path} has no column {needs}. Give a CSV with a row of headings.")
    if twice := [name for name in header if name and header.count(name) > 1]:
        raise RunError(f"{path} has the column {twice[0]} twice. Rename one.")
    for line, cells in rows:
        if len(cells) != len(header):
            raise RunError(
                f"{path}, line {line}: {len(cells)} cells in {len(header)} columns. Quote cells that hold a "
                "comma."
            )
    return header, [(line, dict(zip(header, cells, strict=True))) for line, cells in rows]


class Report(Record):
    """Tables with what a reader must know first; ``figures`` is what they say, for programs."""

    title: str
    tables: tuple[Table, ...]
    warnings: tuple[str, ...] = ()
    figures: Mapping[str, Any] = Field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Write ``report.md`` and ``tables.json``.

        Raises:
            RunError: the folder cannot be written.
        """
        with usable(folder):
            folder.mkdir(parents=True, exist_ok=True)
        text = markdown_page(self.title, (), self.warnings, self.tables, source=self._source)
        write_whole(folder / "report.md", text)
        write_whole(folder / "tables.json", self._json())

    def show(self, *, as_json: bool) -> None:
        """Print it."""
        if as_json:
            print(self._json(), end="")
            return
        from rich.console import Console

        console = Console()
        if not console.is_terminal:
            console = Console(width=160)
        for part in (*drawn(self.tables, self.warnings), self._source):
            console.print(part)

    @property
    def _source(self) -> str:
        """Where published rows are from; empty where there are none."""
        return next((each.source for each in self.tables if each.source), "")

    def _json(self) -> str:
        told = {**self.figures, "warnings": self.warnings, "tables": [each.as_json() for each in self.tables]}
        return json.dumps(told, ensure_ascii=False, indent=1) + "\n"


class RunInfo(Record):
    """What a run is made of; it goes on only with the same model and the same ``locked``."""

    format: int = FORMAT
    model: str
    started_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    version: str = __version__
    locked: dict[str, Any]


class Result(Record):
    """A line of a run.

    Attributes:
        row: the number of its question, from 1.
        error: why the question has no result; empty where it has one.
    """

    row: int
    error: str = ""
    error_code: str = ""
    usage: Usage = Field(default_factory=Usage)


ResultT = TypeVar("ResultT", bound=Result)


@asynccontextmanager
async def opened(
    name: str, settings: Settings, api: Api | None = None, *, limited: bool, temperature: float | None = None
) -> AsyncIterator[OpenedModel]:
    """A model that can be asked, closed in the end.

    Args:
        name: as for ``--model``.
        settings: keys and endpoints.
        api: to ask in; default by the catalogue.
        limited: whether there is a limit of cost.
        temperature: of its answers; default the endpoint's.

    Raises:
        ConfigError: it answers only the bench's cases, or nobody knows what it costs and there is a limit.
        UnknownModel: there is no such model.
        MissingKey: its endpoint needs a key that is not set.
    """
    if name in BUILT_IN:
        raise ConfigError(f"{name} answers only the bench's cases. Name a model, such as glm-5.")
    model = open_model(name, settings, api, temperature=temperature)
    try:
        if limited and not model.priced:
            raise ConfigError(
                f"What {name} costs is not known here, so a limit of cost would never end anything. Leave "
                "it out."
            )
        yield model
    finally:
        await model.client.aclose()


def folder_name(model: str) -> str:
    """A model's name as columns and folders have it: letters, digits, ``-``, ``_`` and ``.``."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", model).strip("-.") or "model"


def begin(path: Path, info: RunInfo) -> None:
    """Write what a run is made of, or hold the run against the one that is there.

    Raises:
        RunError: the folder has a run with other settings, or of another version.
    """
    with usable(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        there = path.is_file()
    if not there:
        write_whole(path, info.model_dump_json(indent=1) + "\n")
        return
    before = read_info(path, RunInfo, FORMAT, "Name another folder, or update verifaible.")
    differing = sorted(name for name, value in info.locked.items() if before.locked.get(name) != value)
    differing += ["model"] if before.model != info.model else []
    if differing:
        raise RunError(
            f"{path.parent} has a run that differs in: {', '.join(differing)}. Continue with the same, or "
            "name another folder."
        )


async def fill(
    lines: Lines[ResultT],
    ask: Mapping[int, Callable[[float | None], Awaitable[ResultT]]],
    *,
    at_once: int = 1,
    most_cost_usd: float | None = None,
    told: Callable[[ResultT, int, int], None] = lambda result, done, of: None,
) -> dict[int, ResultT]:
    """Ask what has no result yet; a line is written the moment a question is done.

    Args:
        lines: the results so far; each new one is added.
        ask: asks the question of each row, given how many US dollars are left; None: no limit.
        at_once: questions under way at once.
        most_cost_usd: no question begins once all, those of earlier attempts too, have cost so much.
        told: told of each result, how many of those asked for there are, and of how many.

    Returns:
        The last result of each row that has one, in their order.

    Raises:
        RunError: the folder is in use or cannot be written, or the model would refuse every question.
    """
    with held(lines.path.parent):
        earlier = tuple(lines)
        last = {each.row: each for each in earlier}
        costs = [each.usage.cost_usd or 0.0 for each in earlier]
        budget = Budget(most_cost_usd, spent_usd=sum(costs), dearest_usd=max(costs, default=0.0))
        places = asyncio.Semaphore(at_once)
        hopeless = ""

        async def one(row: int) -> None:
            nonlocal hopeless
            async with places, budget.turn() as why:
                if why or hopeless:
                    return
                left = None if most_cost_usd is None else max(most_cost_usd - budget.spent_usd, 1e-9)
                last[row] = made = await ask[row](left)
                await asyncio.to_thread(lines.add, made, durable=True)
                budget.pay(made.usage)
                hopeless = made.error if made.error_code in HOPELESS else hopeless
            told(made, len(ask.keys() & last.keys()), len(ask))

        async with asyncio.TaskGroup() as group:
            for row in ask:
                if row not in last or last[row].error:
                    group.create_task(one(row))
    if hopeless:
        raise RunError(f"The run was stopped, since every question would meet the same: {hopeless}")
    return {row: last[row] for row in sorted(last)}
