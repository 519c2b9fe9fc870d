"""Whether a page's markup lacks what readers see once its scripts have run.

Decided before anything is rendered, from signs in the markup; a page that is taken for a shell
without need costs a moment, a shell that is taken for a page costs its content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from verifaible.extract.strip import Removed
from verifaible.extract.visible import NEVER_SHOWN, visible_text
from verifaible.schema.table import RawTable

#: Letters outside of menus below which a page with scripts is sparse; shells of applications seen
#: have 0 to 120, short real pages some 200.
SPARSE_LETTERS = 200
#: With fewer than this nothing is there at all.
BARE_LETTERS = 40
#: An empty application root, a notice or a line that says "loading" counts on pages up to this long:
#: beside more text it is a widget.
WIDGET_LETTERS = 1_000
#: A Chinese, Japanese or Korean character says as much as so many Latin letters.
WIDE_LETTER = 2.5
#: A field to fill in is worth so many letters.
FIELD_LETTERS = 60
#: This much text that only a style hides, and more than is shown, waits to be revealed.
STYLED_LETTERS = 200

#: So much of an inline script tells whether it only counts visitors.
_READ_CODE = 20_000
_APP_ROOTS = frozenset(
    {
        "root",
        "app",
        "__next",
        "__nuxt",
        "___gatsby",
        "react-root",
        "app-root",
        "main-app",
        "react-entry-point",
    }
)
_SCRIPT_TYPES = frozenset({"", "text/javascript", "module", "application/javascript", "text/ecmascript"})
_TRACKER_SOURCE = re.compile(
    r"google-?(?:tagmanager|analytics|syndication|adservices)|googletagmanager|doubleclick|hm\.baidu|cnzz|51\.la|"
    r"facebook\.net|hotjar|clarity\.ms|matomo|piwik|plausible|segment\.|cloudflareinsights|newrelic|nr-data|"
    r"cookielaw|cookiebot|onetrust|recaptcha|addthis|sharethis|bdstatic|adsbygoogle|umami|statcounter",
    re.IGNORECASE,
)
_TRACKER_CODE = re.compile(
    r"\b(?:gtag|dataLayer|_hmt|_gaq|fbq|_paq|_czc|GoogleAnalyticsObject|clarity|_linkedin_partner_id|NREUM)\b"
)
_NOTICE = re.compile(
    r"(?:enable|requires?|without|turn on|activate|need)\W+(?:\w+\W+){0,3}(?:javascript|js)\b"
    r"|javascript\W+(?:\w+\W+){0,4}(?:enabled?|required|disabled)"
    r"|(?:启用|开启|打开|支持|允许)[^。]{0,8}javascript|javascript[^。]{0,6}(?:启用|开启|打开|支持|禁用)",
    re.IGNORECASE,
)
_WAITING = re.compile(
    r"(?:(?:loading|please wait)(?:[ ,]+\w+){0,4}"
    r"|正在加载\w{0,6}|(?:数据)?加载中|数据加载\w{0,2}|请稍[候等后])"
    r"[\s.…。,!]*\Z",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"\{\{[^{}]{1,80}\}\}")
_CHROME_TAGS = frozenset({"nav", "footer", "header", "button"})
_CHROME_NAMES = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|menu|footer|breadcrumbs?|copyright|topbar)(?:$|[\s_-])", re.I
)
_SHOWING = frozenset(
    {"img", "svg", "canvas", "video", "audio", "iframe", "input", "select", "textarea", "object"}
)
_CONTAINERS = frozenset({"div", "main", "section", "article", "ul", "ol", "tbody"})
_IDLE_NAMES = re.compile(
    r"(?:^|[\s_-])(?:ads?|banner|modal|cookie|toast|overlay|popup|tooltip|comments?|disqus|share|social|clear"
    r"|clearfix|spacer|divider)(?:$|[\s_-])",
    re.IGNORECASE,
)
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class ScriptSigns:
    """What an unstripped tree says of its scripts and of places that they may fill.

    Attributes:
        builders: scripts that are not only for counting visitors.
        empty_root: an application's root element without words.
        notice: a ``noscript`` element asks to turn scripts on.
        empty_tables: table bodies without data.
        empty_places: named containers without words or pictures outside of menus.
        frames: frames that hold other documents.
    """

    builders: int
    empty_root: bool
    notice: bool
    empty_tables: int
    empty_places: int = 0
    frames: int = 0


def script_signs(root: etree._Element) -> ScriptSigns:
    """Read the signs off an unstripped tree."""
    roots = [
        node
        for node in root.iter("div", "main", "app-root")
        if node.tag == "app-root" or node.get("id") in _APP_ROOTS
    ]
    notices = ("".join(str(part) for part in node.itertext()) for node in root.iter("noscript"))
    return ScriptSigns(
        builders=sum(1 for node in root.iter("script") if _builds(node)),
        empty_root=any(not _telling(visible_text(node)) for node in roots),
        notice=any(_NOTICE.search(text) for text in notices),
        empty_tables=sum(1 for node in root.iter("tbody", "table") if _is_unfilled(node)),
        empty_places=_empty_places(root),
        frames=sum(1 for node in root.iter("frame", "iframe") if _shows_frame(node)),
    )


def _builds(script: etree._Element) -> bool:
    if (script.get("type") or "").strip().lower() not in _SCRIPT_TYPES:
        return False
    source = script.get("src") or ""
    if source:
        return not _TRACKER_SOURCE.search(source)
    code = (script.text or "")[:_READ_CODE]
    tracks = _TRACKER_CODE.search(code) or _TRACKER_SOURCE.search(code)
    return bool(code.strip()) and not tracks


def _shows_frame(frame: etree._Element) -> bool:
    source = frame.get("src") or ""
    small = any((frame.get(name) or "").strip("px") in {"0", "1"} for name in ("width", "height"))
    hidden = next(frame.iterancestors("noscript", "template"), None) is not None
    return bool(source) and not source.startswith("about:") and not small and not hidden


def _telling(text: str) -> bool:
    return bool(text) and not _WAITING.match(text)


def _empty_places(root: etree._Element) -> int:
    """Named containers, and elements of the page's own making, in which nothing stands."""
    filled: set[etree._Element] = set()
    for node in root.iter():
        if not isinstance(node.tag, str) or node.tag in NEVER_SHOWN - _SHOWING:
            continue
        if node.tag in _SHOWING or (node.text and node.text.strip()):
            _fill(node, filled)
        parent = node.getparent()
        if parent is not None and node.tail and node.tail.strip():
            _fill(parent, filled)
    return sum(1 for node in root.iter() if _is_place(node) and node not in filled and not _is_chrome(node))


def _fill(node: etree._Element, filled: set[etree._Element]) -> None:
    each: etree._Element | None = node
    while each is not None and each not in filled:
        filled.add(each)
        each = each.getparent()


def _is_place(node: etree._Element) -> bool:
    if not isinstance(node.tag, str):
        return False
    names = f"{node.get('id') or ''} {node.get('class') or ''}".strip()
    if "-" in node.tag:
        return not _IDLE_NAMES.search(f"{node.tag} {names}")
    return node.tag in _CONTAINERS and (bool(names) or node.tag == "main") and not _IDLE_NAMES.search(names)


def _is_chrome(node: etree._Element) -> bool:
    return any(_chrome(each) for each in (node, *node.iterancestors()))


def _chrome(node: etree._Element) -> bool:
    if node.tag in _CHROME_TAGS or node.get("role") == "navigation":
        return True
    names = f"{node.get('id') or ''} {node.get('class') or ''}"
    return node.tag in {"div", "ul", "section"} and _CHROME_NAMES.search(names) is not None


def content_letters(body: etree._Element | None) -> float:
    """Letters of a stripped page outside of its menus, a wide one counted for several, fields included."""
    return sum(map(_weight, _content(body))) if body is not None else 0.0


def _content(body: etree._Element) -> Iterator[str]:
    stack = [body]
    while stack:
        node = stack.pop()
        if (
            isinstance(node.tag, str)
            and node.tag not in NEVER_SHOWN
            and not (_chrome(node) and node is not body)
        ):
            yield node.text or ""
            stack.extend(node)
        if node is not body:
            yield node.tail or ""


def _weight(text: str) -> float:
    letters = "".join(text.split())
    if not letters or letters.isascii():
        return len(letters)
    return len(letters) + (WIDE_LETTER - 1) * len(_WIDE.findall(letters))


def field_count(root: etree._Element) -> int:
    """Fields of an unstripped tree that a reader can fill in; a search box is none."""
    kinds = {"text", "password", "email", "tel", "number", "date", ""}
    return sum(
        1
        for node in root.iter("input", "textarea", "select")
        if node.tag != "input"
        or (
            (node.get("type") or "").lower() in kinds
            and (node.get("name") or "").lower() not in {"q", "query", "s"}
        )
    )


def _is_unfilled(node: etree._Element) -> bool:
    """A table body without any data cell that has text, and not just a spacer without an id."""
    if node.tag == "table" and next(node.iter("tbody", "td"), None) is not None:
        return False
    texts = [visible_text(cell) for cell in node.iter("td")]
    if any(_telling(text) for text in texts):
        return False
    if texts:
        return any(texts)
    return not any(visible_text(cell) for cell in node.iter("th")) or node.tag == "table"


def needs_javascript(
    signs: ScriptSigns,
    letters: float,
    lines: Sequence[str],
    tables: Sequence[RawTable],
    removed: Removed,
) -> bool:
    """Whether the markup alone lacks what the page shows once its scripts have run.

    Args:
        signs: read before the page was stripped.
        letters: :func:`content_letters`, and :data:`FIELD_LETTERS` for each field.
        lines: the visible text.
        tables: the visible tables.
        removed: what was stripped.
    """
    if _is_shell(signs, letters):
        return True
    signs_of_a_shell = (
        letters < WIDGET_LETTERS and any(_WAITING.match(line) for line in lines),
        removed.styled >= STYLED_LETTERS and removed.styled > letters,
        letters < WIDGET_LETTERS / 3 and any(_PLACEHOLDER.search(line) for line in lines),
        signs.empty_tables > 0 and signs.empty_tables >= len(tables) / 2,
    )
    return signs.builders > 0 and any(signs_of_a_shell)


def is_shell(root: etree._Element) -> bool:
    """Whether an unstripped tree needs its scripts, whatever style sheets hide: that leaves less of it."""
    body = root.find("body")
    letters: float = FIELD_LETTERS * field_count(root)
    for text in _content(body) if body is not None else ():
        letters += _weight(text)
        if letters >= WIDGET_LETTERS:
            return False
    return _is_shell(script_signs(root), letters)


def _is_shell(signs: ScriptSigns, letters: float) -> bool:
    if signs.frames and letters < SPARSE_LETTERS:
        return True
    signs_of_a_shell = (
        (signs.empty_root or signs.notice) and letters < WIDGET_LETTERS,
        letters < BARE_LETTERS,
        signs.empty_places > 0 and letters < SPARSE_LETTERS,
    )
    return signs.builders > 0 and any(signs_of_a_shell)
