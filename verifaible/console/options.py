"""Options that several commands have, and the settings that come of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from verifaible.config import Settings
    from verifaible.schema.action import ActionStep

#: Of every program, for click; what is below a program inherits it.
SHORT_HELP: Final[dict[str, Any]] = {"help_option_names": ["-h", "--help"]}
#: Under this name a command keeps the settings that its options say.
_CHOSEN: Final = "verifaible.settings"
_AGE: Final = re.compile(r"(\d{1,6})\s*([smhd])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
CommandT = TypeVar("CommandT", bound=Callable[..., Any])


# --- settings


def read_settings(base_url: str | None = None) -> Settings:
    """The settings of this process; ``base_url`` goes before the one of the environment.

    Raises:
        ConfigError: a ``VERIFAIBLE_*`` variable holds what it cannot; names each.
    """
    from verifaible.config import Settings

    context = click.get_current_context(silent=True)
    said = dict(context.meta.get(_CHOSEN, {})) if context is not None else {}
    return Settings.model_validate({**({"base_url": base_url} if base_url else {}), **said})


def choose(context: click.Context, option: click.Parameter, value: Any) -> None:
    """Have an option say the setting of its name (a callback)."""
    if value is not None:
        context.meta.setdefault(_CHOSEN, {})[option.name] = value


def live_options(command: CommandT) -> CommandT:
    """Options of a command that opens live pages; each is a setting, and goes before the environment."""

    def keep(context: click.Context, option: click.Parameter, value: Any) -> None:
        if value:
            choose(context, option, value)
            if option.name == "pause_on_block":
                context.meta[_CHOSEN]["headed"] = True

    hidden: dict[str, Any] = {"callback": keep, "expose_value": False}
    for option in (
        click.option(
            "--profile", metavar="NAME", help="Sign in with what verifaible profile has kept.", **hidden
        ),
        click.option(
            "--pause-on-block",
            is_flag=True,
            help="Show the browser, and wait for you where a page is blocked.",
            **hidden,
        ),
        click.option("--headed", is_flag=True, help="Show the browser.", **hidden),
    ):
        command = option(command)
    return command


# --- kinds of values


class Amount(click.FloatRange):
    """A positive, finite number: ``nan`` and ``inf`` would be limits that never end anything."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number, or a usage error."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class Folder(click.Path):
    """A folder on this machine: ``s3://bucket`` would otherwise become a folder of that name."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, or a usage error."""
        if "://" in str(value):
            self.fail(f"{value} is an address. Give a folder on this machine, and copy it there.", param, ctx)
        return super().convert(value, param, ctx)


class Age(click.ParamType[timedelta]):
    """How long ago: ``30m``, ``24h``, ``7d``."""

    name = "age"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """The time.

        Raises:
            ConfigError: it names none.
        """
        if isinstance(value, timedelta):
            return value
        match = _AGE.fullmatch(str(value).strip().lower())
        if match is None:
            option = param.opts[0] if param is not None else "The age"
            raise ConfigError(f"{option} {value}: give a number and s, m, h or d, such as 24h.")
        return timedelta(**{_UNITS[match[2]]: int(match[1])})


def age_text(age: timedelta) -> str:
    """An age as :class:`Age` reads it: in the largest unit that it is a whole number of."""
    seconds = int(age.total_seconds())
    unit = next((each for each in (86_400, 3_600, 60) if seconds and seconds % each == 0), 1)
    return f"{seconds // unit}{ {86_400: 'd', 3_600: 'h', 60: 'm', 1: 's'}[unit] }"


class Day(click.ParamType[datetime]):
    """A day or a time, told in UTC; one that names no zone is in UTC."""

    name = "day"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The time in UTC.

        Raises:
            ConfigError: it is none.
        """
        try:
            moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            option = "/".join(param.opts) if param is not None else "The day"
            raise ConfigError(
                f"{option} {value}: give a day as 2026-03-02, or a time as 2026-03-02T08:00."
            ) from error


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


# --- options


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
web_option = click.option(
    "--web",
    type=click.Choice(["live", "offline"]),
    default="live",
    show_default=True,
    help="The internet, or the archives in snapshots/sites.",
)
base_url_option = click.option("--base-url", help="OpenAI-compatible endpoint instead of OpenRouter.")
api_option = click.option(
    "--api", type=click.Choice(["responses", "chat"]), help="API to ask in. Default: by the catalogue."
)
steps_option = click.option(
    "--steps",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="JSON file with action steps to play first.",
)
_executor = click.option(
    "--executor",
    default="local",
    show_default=True,
    metavar="local|ray|ray:ADDRESS",
    help="Where the work is done: in this process, or on the workers of a Ray cluster.",
)
_workers = click.option(
    "--workers",
    type=click.IntRange(0),
    default=0,
    help="Workers of the cluster; 0: all it has room for.",
)


def executor_options(command: CommandT) -> CommandT:
    """``--executor`` and ``--workers``, which ``executor_of`` reads."""
    return _executor(_workers(command))


def limit_options(rounds: str, what: str = "") -> Callable[[CommandT], CommandT]:
    """``--max-rounds``, ``--max-tokens``, ``--max-seconds`` and ``--max-cost``.

    Args:
        rounds: what a round is, for its help.
        what: of what they are limits, such as ``a trial``.
    """
    of = f" {what}" if what else ""
    options = (
        click.option("--max-rounds", type=click.IntRange(1, 500), default=30, show_default=True, help=rounds),
        click.option("--max-tokens", type=click.IntRange(1), help=f"Tokens{of}, input and output together."),
        click.option("--max-seconds", type=Amount(), help=f"Seconds{of}."),
        click.option("--max-cost", type=Amount(), help=f"US dollars{of}."),
    )

    def decorate(command: CommandT) -> CommandT:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
