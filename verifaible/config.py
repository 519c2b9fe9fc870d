"""Settings, read once at the entry point and passed down."""

from __future__ import annotations

import re
from collections.abc import Collection
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from verifaible.errors import ConfigError

#: Some four screens: what a reader needs around the evidence, and a fiftieth of a long page.
PICTURE_HEIGHT_PX = 4096
#: Publishers of crypto news with a public feed.
NEWS_FEEDS = (
    "https://www.coindesk.com/arc/outboundfeeds/rss/",
    "https://cointelegraph.com/rss",
    "https://decrypt.co/feed",
    "https://www.theblock.co/rss.xml",
    "https://blockworks.co/feed",
)
_PACKAGE_PARENT = Path(__file__).resolve().parent.parent
_PREFIX = "VERIFAIBLE_"
#: What a proxy may speak.
PROXY_SCHEMES = ("http", "https", "socks5", "socks5h")
#: ``HOST=PROXY``; a proxy for all hosts begins with its scheme.
_FOR_HOST = re.compile(r"([^=/:@]+(?::\d+)?)=(.*)", re.DOTALL)


def _default_home() -> Path:
    """The current folder if it holds a store or cases, else the source tree, else the user's own folder."""
    here = Path.cwd()
    if (here / "snapshots" / "store").is_dir() or any(here.glob("cases/*.json")):
        return here
    in_source = (_PACKAGE_PARENT / "cases").is_dir()
    return _PACKAGE_PARENT if in_source else user_data_path("verifaible", appauthor=False)


def _packaged(name: str) -> Path | None:
    """A folder of the distribution ``verifaible-cases``, if that is installed."""
    found = find_spec("verifaible_cases")
    return Path(found.origin).with_name(name) if found and found.origin else None


class Settings(BaseSettings):
    """Everything that can be set, from ``VERIFAIBLE_*`` variables; paths are relative to ``home``.

    Attributes:
        home: folder that holds ``cases/``, ``snapshots/`` and ``runs/``; default: the current folder if it
            holds a store or cases, else one folder per user.
        browser: path of a Chromium to use instead of the one that ``setup`` finds.
        browser_args: more command-line arguments for Chromium, comma separated; they may contain commas.
        headless: the Chromium that opens pages without a window: ``shell``, the headless shell, which is
            faster; ``full``, a whole Chromium, for sites that tell them apart.
        headed: show the browser window.
        pause_on_block: with ``headed``, wait for you when a page is blocked.
        user_agent: user agent of the browser and the HTTP client; default: that of the Chromium in use,
            without "Headless".
        language: language to ask sites for, as a BCP 47 tag; default: a case's, else ``en-US``.
        timezone: time zone of pages, as an IANA name.
        profile: profile whose cookies and storage pages are opened with.
        proxy: proxies, comma separated: one for all hosts, or ``HOST=PROXY`` for one host, where HOST may be
            ``*.example`` and PROXY an ``http``, ``https`` or ``socks5`` address, or ``direct``.
        host_delay_s: least time in seconds between two requests for pages or files of one host.
        host_connections: requests for pages or files of one host at a time.
        robots: who obeys robots.txt: recording and scheduled checks (``scheduled``), everything
            (``always``) or nothing (``never``). Whatever does not obey it does not request it.
        transcripts: sources of YouTube captions, tried in order: ``library``, ``file``.
        transcript_file: a file of captions, or a folder of files named by video id, for ``file``.
        store: folder or URL (``s3://bucket/name``) of the evidence store; default: ``snapshots/store`` in
            ``home``.
        runs: folder of the bench's runs; default: ``runs`` in ``home``.
        replies: folder of models' replies to judges and extractors, to share between runs; default: beside
            their results.
        index: ``postgresql://user@host/name`` of a shared store's log and index, which a store at a URL
            needs; default: both are in the store's folder.
        signing_key: file of the store's private key; default: in the store.
        allow_hosts: private or local hosts that may be opened, comma separated.
        local_endpoints: private or local hosts of models and SearXNG, comma separated; ``localhost`` is this
            machine under any of its names.
        base_url: endpoint of an OpenAI-compatible API; default: OpenRouter.
        api_key: key for ``base_url``; default: ``OPENROUTER_API_KEY``.
        models: file with your own models and endpoints; default: ``models.json`` in ``home``, if it exists.
        nli_model: the local judge: a folder with a cross-encoder in ONNX, or a Hugging Face repository.
        nli_revision: commit hash of that repository.
        retry_s: how many seconds a failing, busy or unreachable endpoint is retried; in a run of the bench, a
            store too.
        page_timeout_s: longest time in seconds that a page may take to load.
        settle_timeout_s: longest time in seconds to wait for a loaded live page to come to rest.
        max_body_bytes: largest response that is read, in bytes.
        picture_height: height of the picture around the evidence, in CSS pixels; ``full`` for the whole page,
            0 for no picture.
        search_engines: engines of the live web search, comma separated: ``searxng``, ``tavily``, ``brave``,
            ``exa``, ``duckduckgo``, ``mojeek``, ``startpage``, or ``keyless`` for the last three; default:
            all that have a URL or a key, else ``keyless``.
        searxng_url: address of a SearXNG instance that returns JSON.
        tavily_api_key: key for Tavily.
        brave_api_key: key for Brave Search.
        exa_api_key: key for Exa.
        news_feeds: addresses of feeds (RSS, Atom) that the crypto analyst reads news from, comma separated.
        coingecko_api_key: key (demo) for CoinGecko; without one it answers less often.
        slither: the program Slither, which looks for faults in contracts; default: the one on the path.
        solc_modules: folder ``node_modules`` with compilers of Solidity (``solc``); default: that in
            ``home``.
        etherscan_api_key: key for Etherscan.
        eth_rpc: address of an Ethereum node (JSON-RPC), with its key where that is part of it; default:
            a public node without a key, which keeps little history.
        large_transfer_usd: from which value on a transfer is a large one, in US dollars at its time's price.
    """

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, enable_decoding=False, extra="ignore", validate_default=True
    )

    home: Path = Field(default_factory=_default_home)
    browser: str = ""
    browser_args: tuple[str, ...] = ()
    headless: Literal["full", "shell"] = "shell"
    headed: bool = False
    pause_on_block: bool = False
    user_agent: str = ""
    language: str = Field("", pattern=r"^([A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$")
    timezone: str = "UTC"
    profile: str = Field("", pattern=r"^([A-Za-z0-9][A-Za-z0-9_.-]{0,79})?$")
    proxy: SecretStr | None = None
    host_delay_s: float = Field(0.0, ge=0)
    host_connections: int = Field(6, gt=0)
    robots: Literal["scheduled", "always", "never"] = "scheduled"
    transcripts: tuple[Literal["library", "file"], ...] = ("library", "file")
    transcript_file: Path | None = None
    store: str = ""
    runs: Path | None = None
    replies: Path | None = None
    index: str = ""
    signing_key: Path | None = None
    allow_hosts: tuple[str, ...] = ()
    local_endpoints: tuple[str, ...] = ("localhost",)
    base_url: str = ""
    api_key: str = ""
    models: Path | None = None
    nli_model: str = ""
    nli_revision: str = ""
    retry_s: float = Field(240.0, ge=0)
    page_timeout_s: float = Field(30.0, gt=0)
    settle_timeout_s: float = Field(8.0, gt=0)
    max_body_bytes: int = Field(64 * 1024 * 1024, gt=0)
    picture_height: Annotated[int, Field(ge=0)] | Literal["full"] = PICTURE_HEIGHT_PX
    search_engines: tuple[str, ...] = ()
    searxng_url: str = ""
    tavily_api_key: SecretStr | None = None
    brave_api_key: SecretStr | None = None
    exa_api_key: SecretStr | None = None
    news_feeds: tuple[str, ...] = NEWS_FEEDS
    coingecko_api_key: SecretStr | None = None
    slither: str = ""
    solc_modules: Path | None = None
    etherscan_api_key: SecretStr | None = None
    eth_rpc: SecretStr | None = None
    large_transfer_usd: Decimal = Field(Decimal(1_000_000), gt=0)

    def __init__(self, **given: Any) -> None:
        """Read the environment below what is given.

        Raises:
            ConfigError: a setting holds what it cannot; names each by its variable, and holds no password.
        """
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise ConfigError(f"{'; '.join(map(_told, error.errors(include_url=False)))}.") from None

    @field_validator(
        "home", "runs", "replies", "store", "models", "transcript_file", "signing_key", mode="after"
    )
    @classmethod
    def _writable_name(cls, value: Path | str | None) -> Path | str | None:
        try:
            str(value).encode()
        except UnicodeEncodeError:
            raise ValueError(
                "is a name with characters that this locale does not know; set PYTHONUTF8=1, or choose one "
                "in ASCII"
            ) from None
        return value

    @field_validator("proxy")
    @classmethod
    def _usable_proxies(cls, value: SecretStr | None) -> SecretStr | None:
        for _, url in proxy_entries(value.get_secret_value() if value is not None else ""):
            if url is not None and (fault := address_fault(url, PROXY_SCHEMES)):
                raise ValueError(f"names a proxy whose address {fault}")
        return value

    @field_validator(
        *("user_agent", "api_key", "tavily_api_key", "brave_api_key", "exa_api_key"),
        *("coingecko_api_key", "etherscan_api_key"),
    )
    @classmethod
    def _sendable(cls, value: str | SecretStr | None) -> str | SecretStr | None:
        said = value.get_secret_value() if isinstance(value, SecretStr) else value or ""
        if not (said.strip().isascii() and said.strip().isprintable()):
            raise ValueError("has a character that no HTTP header can hold; copy it again")
        return value

    @field_validator("searxng_url", "base_url")
    @classmethod
    def _usable_address(cls, value: str) -> str:
        if value.strip() and (fault := address_fault(value.strip(), ("http", "https"))):
            raise ValueError(fault)
        return value

    @field_validator("index", "store")
    @classmethod
    def _readable_address(cls, value: str) -> str:
        if "://" in value and (fault := address_fault(value)):
            raise ValueError(fault)
        return value

    @field_validator("eth_rpc")
    @classmethod
    def _usable_node(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            cls._usable_address(value.get_secret_value())
        return value

    @field_validator("browser_args", mode="before")
    @classmethod
    def _split_arguments(cls, value: object) -> object:
        if isinstance(value, str):  # a user agent or a list of features has commas of its own
            return tuple(part.strip() for part in re.split(r",\s*(?=--)", value.strip(" ,")) if part.strip())
        return value

    @field_validator(
        "allow_hosts", "local_endpoints", "news_feeds", "search_engines", "transcripts", mode="before"
    )
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("runs", "replies", mode="before")
    @classmethod
    def _on_this_machine(cls, value: object) -> object:
        if "://" in str(value):
            raise ValueError("is an address; give a folder on this machine")
        return value or None

    @field_validator("timezone")
    @classmethod
    def _known(cls, value: str) -> str:
        try:
            return value if value == "UTC" else ZoneInfo(value).key
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError("is not the name of a time zone, such as Europe/Berlin") from error

    @property
    def secrets(self) -> tuple[str, ...]:
        """The keys and passwords among the settings: nothing that is written may hold them."""
        values = [getattr(self, name) for name in type(self).model_fields]
        found = [each.get_secret_value() for each in values if isinstance(each, SecretStr)]
        if self.proxy is not None:
            found = [*found, *_passwords(self.proxy.get_secret_value())]
        found.append(unquote(urlsplit(self.searxng_url.strip()).password or ""))
        return tuple(secret.strip() for secret in (self.api_key, *found) if secret.strip())

    @property
    def home_source(self) -> str:
        """Why ``home`` is what it is, for people."""
        if "home" in self.model_fields_set:
            return "named by --home or VERIFAIBLE_HOME"
        if self.home == Path.cwd():
            return "the current folder, which holds a store or cases"
        return "the source tree" if self.home == _PACKAGE_PARENT else "your own, used from every folder"

    @property
    def own_cases_dir(self) -> Path:
        """Where new case files are written."""
        return self.home / "cases"

    @property
    def cases_dir(self) -> Path:
        """Where case files are read: the home's own, else those of ``verifaible-cases``."""
        packaged = None if self.own_cases_dir.is_dir() else _packaged("cases")
        return packaged or self.own_cases_dir

    @property
    def sites_dir(self) -> Path:
        """Where archives of the offline web are written."""
        return self.home / "snapshots" / "sites"

    @property
    def archives(self) -> tuple[Path, ...]:
        """The archives of the offline web: the home's own, and of ``verifaible-cases`` what it has not."""
        folders = filter(None, (_packaged("sites"), self.sites_dir))
        found = {path.name: path for folder in folders for path in folder.glob("*.wacz")}
        return tuple(found[name] for name in sorted(found))

    def require_archives(self) -> None:
        """Make sure that there is an offline web.

        Raises:
            ConfigError: there is no archive; says where they come from.
        """
        if not self.archives:
            raise ConfigError(
                f"There is no archive in {self.sites_dir}. Install verifaible-cases, set VERIFAIBLE_HOME to "
                "the folder that holds snapshots/ (or run from it), or use the live web."
            )

    @property
    def store_location(self) -> Path | str:
        """Where citations and captures are kept: a folder, or a URL."""
        if not self.store:
            return self.home / "snapshots" / "store"
        return self.store if "://" in self.store else Path(self.store)

    @property
    def models_file(self) -> Path:
        """Where the person's own models and endpoints are described; the file need not be there."""
        return self.models or self.home / "models.json"

    @property
    def profiles_dir(self) -> Path:
        """Where the profiles of signed-in sessions are kept."""
        return self.home / "profiles"

    @property
    def runs_dir(self) -> Path:
        """Where run folders are written."""
        return self.runs or self.home / "runs"

    @property
    def conversations_dir(self) -> Path:
        """Where conversations of `verifaible crypto chat` are kept."""
        return self.home / "conversations"

    @property
    def judged_dir(self) -> Path:
        """Where the folders of judging are written."""
        return self.home / "judged"


def _told(fault: Any) -> str:
    """A fault of a setting as a sentence without a full stop; of a secret, and in an address, no password."""
    field = str(fault["loc"][0]) if fault["loc"] else ""
    secret = "key" in field or field in ("proxy", "eth_rpc")
    value = "" if secret else f"={re.sub('//.*@', '//', str(fault['input']), flags=re.DOTALL)!r}"
    said = str(fault["msg"]).removeprefix("Value error, ")
    return f"{_PREFIX}{field.upper()}{value}: {said[:1].upper()}{said[1:]}. Correct or unset it"


def proxy_entries(said: str) -> list[tuple[str, str | None]]:
    """Host pattern (``*`` for all hosts) and address of each proxy of the setting; None: directly."""
    entries: list[tuple[str, str | None]] = []
    for part in filter(None, (each.strip() for each in said.split(","))):
        names_host = not part.startswith("direct") and "://" not in part.partition("=")[0]
        found = _FOR_HOST.match(part) if names_host else None
        pattern, way = (found[1].strip().lower(), found[2].strip()) if found else ("*", part)
        entries.append((pattern, None if way == "direct" else way))
    return entries


def address_fault(url: str, schemes: Collection[str] = ()) -> str:
    """What is wrong with the address of a server, as the end of a sentence; empty where nothing is.

    Args:
        url: the address.
        schemes: those that it may have; none: any, and no host is needed.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "has no valid host or port"
    if schemes and parts.scheme.lower() not in schemes:
        return f"does not begin with {', '.join(f'{each}://' for each in schemes)}"
    return "has no valid host or port" if (schemes and not parts.hostname) or port == 0 else ""


def _passwords(proxies: str) -> list[str]:
    """The passwords in addresses of proxies, as they are written and as they are meant."""
    written = re.findall(r"://[^/@,\s]*?:([^/@,\s]+)@", proxies)
    return [*written, *map(unquote, written)]
