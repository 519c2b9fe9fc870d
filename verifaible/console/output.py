"""What commands print, and how a process ends as a program.

Data go to standard output, everything else to standard error. Whatever was stored or fetched may hold
sequences that a terminal obeys: control characters are shown as signs and never sent.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from verifaible.errors import BadArguments, ConfigError, RunError, UserError, VerifaibleError

if TYPE_CHECKING:
    from rich.console import RenderableType

#: Columns of the widest table, unabridged, for a pipe, which has no width.
TABLE_WIDTH: Final = 160
#: Objects made before the collector looks, by default 700: a tenth of each start went into imported ones.
_COLLECT_AFTER: Final = (50_000, 20, 10)
#: ``M_ARENA_MAX`` of glibc's malloc.h, and how many heaps are enough for threads that take turns anyway.
_ARENA_MAX, _ARENAS = -8, 2
#: What no other path would mend.
_OF_THE_MACHINE: Final = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EIO, errno.ENOMEM}


# --- printing


def show(text: object) -> None:
    """Print a line of data."""
    _print(str(text), err=False)


def say(text: object) -> None:
    """Print a line for the person at the terminal, on standard error."""
    _print(str(text), err=True)


def show_json(payload: object, *, indent: int | None = 2) -> None:
    """Print data as JSON, in which control characters are escaped."""
    click.echo(json_text(payload, indent=indent))


def json_text(payload: object, *, indent: int | None = 2) -> str:
    """Data as JSON; a record is what it dumps."""
    plain = payload.model_dump(mode="json") if hasattr(payload, "model_dump") else payload
    return json.dumps(plain, ensure_ascii=False, indent=indent).replace("\x7f", "\\u007f")


def _print(text: str, *, err: bool) -> None:
    from verifaible.reporting.tables import harmless

    click.echo("\n".join(map(harmless, text.split("\n"))), err=err)


def show_tables(parts: Sequence[RenderableType]) -> None:
    """Print drawn tables: as wide as the terminal, unabridged in a pipe."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=TABLE_WIDTH)
    for part in parts:
        console.print(part)


def tables_text(parts: Sequence[RenderableType]) -> str:
    """Drawn tables as text, for a file."""
    from io import StringIO

    from rich.console import Console

    kept = Console(width=TABLE_WIDTH, file=StringIO(), record=True)
    for part in parts:
        kept.print(part)
    return kept.export_text()


def give(text: str, output: Path | None) -> None:
    """Print a whole text, or write it to a file.

    Raises:
        RunError: the file cannot be written.
    """
    if output is None:
        click.echo(text.removesuffix("\n"))
        return
    try:
        output.write_text(text.removesuffix("\n") + "\n", encoding="utf-8")
    except OSError as error:
        raise RunError(f"{output} cannot be written ({error.strerror}). Name another file.") from error
    say(f"Written: {output}")


def form_of(path: Path, forms: dict[str, str]) -> str:
    """The form of an output by the ending of its name.

    Raises:
        ConfigError: no form has it, or there is no such folder.
    """
    form = forms.get(path.suffix.lower())
    if form is None:
        raise ConfigError(f"--output {path}: unknown extension. Use {', '.join(forms)}.")
    if not path.absolute().parent.is_dir():
        raise ConfigError(f"--output {path}: its folder does not exist. Create it, or name another file.")
    return form


# --- progress


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show that something is being done; nothing where standard error is no terminal.

    Args:
        what: such as ``Opening https://example.com``.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what, spinner="dots"):
        yield


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show how many of how many are done; gives what is told both, after each.

    Args:
        what: such as ``Verifying``.
    """
    with counting_stages(what) as told:
        yield lambda done, total: told(what, done, total)


@contextmanager
def counting_stages(*begun: str) -> Iterator[Callable[[str, int, int], None]]:
    """The same of several stages side by side, each told by its name.

    Args:
        begun: those that are shown from the beginning.
    """
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        tasks = {what: shown.add_task(what, total=None) for what in begun}

        def told(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = shown.add_task(what, total=total)
            shown.update(tasks[what], completed=done, total=total)

        yield told


# --- the program


def guarded(command: click.Command) -> None:
    """Run a command as a program: an error becomes a sentence on standard error; wrong use exits with 2."""
    gc.set_threshold(*_COLLECT_AFTER)
    _share_memory_between_threads()
    try:
        with warnings.catch_warnings():
            # What a module below warns of is a sentence for the person, as its errors are.
            warnings.showwarning = _show_warning
            status = command.main(standalone_mode=False)
        if isinstance(status, int) and status:  # an Exit is returned here, not raised
            sys.exit(status)
    except click.Abort as aborted:
        if isinstance(aborted.__cause__, EOFError):  # a file ended too soon: nobody stopped the program
            raise aborted.__cause__ from None
        say("Stopped.")
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except VerifaibleError as error:
        say(error)
        sys.exit(2 if isinstance(error, UserError | BadArguments) else 1)
    except UnicodeEncodeError:
        if not any(map(_is_no_text, sys.argv)):
            raise
        say("An argument holds bytes that are no UTF-8 text. Correct it.")
        sys.exit(2)
    except OSError as error:
        if _is_of_an_argument(error):
            say(f"{error.filename}: cannot be used ({error.strerror}). Name another path.")
            sys.exit(2)
        say(f"The machine failed ({error}). Check the disk and permissions, then try again.")
        _drop_what_cannot_be_written()
        sys.exit(1)


def _share_memory_between_threads() -> None:
    """Let all threads use two heaps, where the C library is glibc; else each has one of its own.

    Pictures are decoded in threads, and what one gives back to its heap no other could use.
    """
    if "MALLOC_ARENA_MAX" not in os.environ:
        with suppress(OSError, AttributeError):  # another C library has no such function
            ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)


def _show_warning(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
    if category.__module__.startswith("verifaible.") or category is UserWarning:
        say(message)


def _drop_what_cannot_be_written() -> None:
    """Python would try it again at its end, and end with another status."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError), Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _is_of_an_argument(error: OSError) -> bool:
    """Whether it is a path of the command line, one below it or one that leads to it, that cannot be used."""
    if not isinstance(error.filename, str) or error.errno in _OF_THE_MACHINE:
        return False
    path = Path(error.filename).absolute()
    here = Path.cwd().is_relative_to(path)  # that leads to every word, were it a path
    given = (Path(each.partition("=")[2] or each).absolute() for each in sys.argv[1:])
    return any(path.is_relative_to(each) or (each.is_relative_to(path) and not here) for each in given)


def _is_no_text(argument: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in argument)
