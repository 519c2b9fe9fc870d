"""A process as a program: its settings, read once where it is entered, and how its errors are told."""

from __future__ import annotations

import ctypes
import errno
import gc
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from verifaible.errors import BadArguments, ConfigError, UserError, VerifaibleError

if TYPE_CHECKING:
    import click

    from verifaible.config import Settings
    from verifaible.schema.action import ActionStep

#: Of every program, for click; what is below a program inherits it.
SHORT_HELP: Final[dict[str, Any]] = {"help_option_names": ["-h", "--help"]}


def read_settings(base_url: str | None = None) -> Settings:
    """The settings of this process; ``base_url`` goes before the one of the environment.

    Raises:
        ConfigError: a ``VERIFAIBLE_*`` variable holds what it cannot; names each.
    """
    from verifaible.config import Settings

    return Settings.model_validate({**({"base_url": base_url} if base_url else {}), **_of_the_command()})


def steps_of(path: Path) -> tuple[ActionStep, ...]:
    """The action steps of a JSON file.

    Raises:
        ConfigError: it holds none; names each fault.
    """
    from pydantic import TypeAdapter, ValidationError

    from verifaible.schema.action import ActionSteps

    try:
        return tuple(TypeAdapter(ActionSteps).validate_python(path.read_bytes().decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise ConfigError(f"--steps {path}: is not UTF-8 text ({error}). Save it as UTF-8.") from error
    except ValidationError as error:
        faults = "; ".join(
            ": ".join(filter(None, (".".join(map(str, fault["loc"])), fault["msg"])))
            for fault in error.errors(include_url=False)
        )
        raise ConfigError(f"--steps {path}: {faults}. Correct these steps.") from error


#: Under this name a command keeps the settings that its options say.
_CHOSEN = "verifaible.settings"


def choose(context: click.Context, option: click.Parameter, value: Any) -> None:
    """Have an option say the setting of its name (a callback)."""
    if value is not None:
        context.meta.setdefault(_CHOSEN, {})[option.name] = value


def live_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of a command that opens live pages; they go before the environment."""
    import click

    def keep(context: click.Context, option: click.Parameter, value: Any) -> None:
        if value:
            choose(context, option, value)
            if option.name == "pause_on_block":
                context.meta[_CHOSEN]["headed"] = True

    def option(name: str, **named: Any) -> None:
        nonlocal command
        # Each is a setting: no function has to hand it on.
        command = click.option(name, callback=keep, expose_value=False, **named)(command)

    option("--profile", metavar="NAME", help="Sign in with what verifaible profile has kept.")
    option(
        "--pause-on-block", is_flag=True, help="Show the browser, and wait for you where a page is blocked."
    )
    option("--headed", is_flag=True, help="Show the browser.")
    return command


def _of_the_command() -> dict[str, Any]:
    """The settings that options of the running command say."""
    import click

    context = click.get_current_context(silent=True)
    return dict(context.meta.get(_CHOSEN, {})) if context is not None else {}


def guarded(command: click.Command) -> None:
    """Run a command as a program: an error becomes a sentence on standard error; wrong use exits with 2."""
    import click

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
        click.echo("Stopped.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except VerifaibleError as error:
        click.echo(f"{error}", err=True)
        sys.exit(2 if isinstance(error, UserError | BadArguments) else 1)
    except UnicodeEncodeError:
        if not any(map(_is_no_text, sys.argv)):
            raise
        click.echo("An argument holds bytes that are no UTF-8 text. Correct it.", err=True)
        sys.exit(2)
    except OSError as error:
        if _is_of_an_argument(error):
            click.echo(f"{error.filename}: cannot be used ({error.strerror}). Name another path.", err=True)
            sys.exit(2)
        click.echo(f"The machine failed ({error}). Check the disk and permissions, then try again.", err=True)
        _drop_what_cannot_be_written()
        sys.exit(1)


#: Objects made before the collector looks, by default 700: a tenth of each start went into imported ones.
_COLLECT_AFTER = (50_000, 20, 10)
#: ``M_ARENA_MAX`` of glibc's malloc.h, and how many heaps are enough for threads that take turns anyway.
_ARENA_MAX, _ARENAS = -8, 2


def _share_memory_between_threads() -> None:
    """Let all threads use two heaps, where the C library is glibc; else each has one of its own.

    Pictures are decoded in threads, and what one gives back to its heap no other could use.
    """
    if "MALLOC_ARENA_MAX" not in os.environ:
        with suppress(OSError, AttributeError):  # another C library has no such function
            ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)


def _show_warning(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
    import click

    if category.__module__.startswith("verifaible.") or category is UserWarning:
        click.echo(str(message), err=True)


def _drop_what_cannot_be_written() -> None:
    """Python would try it again at its end, and end with another status."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError), Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


#: What no other path would mend.
_OF_THE_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EIO, errno.ENOMEM}


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
