"""Whether a page's markup is only a shell that scripts have yet to fill."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree

from verifaible.extract.visible import visible_text
from verifaible.schema.table import RawTable

#: Below this many visible characters a page with scripts is taken to build itself with them;
#: shells of single-page applications seen have 0 to 120, short real pages some 300.
SPARSE_CHARACTERS = 200

_APP_ROOTS = frozenset({"root", "app", "__next", "__nuxt", "react-root", "app-root", "main-app"})
_NOTICE = re.compile(
    r"(?:enable|requires?|without|turn on|activate)\W+(?:\w+\W+){0,3}javascript"
    r"|javascript\W+(?:\w+\W+){0,4}(?:enabled?|required|disabled)"
    r"|(?:启用|开启|打开|支持|允许)[^。]{0,8}javascript|javascript[^。]{0,6}(?:启用|开启|打开|支持|禁用)",
    re.IGNORECASE,
)
_WAITING = re.compile(r"(?:loading|please wait|正在加载|加载中|数据加载)[\s.…。]*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ScriptSigns:
    """Taken before scripts are stripped: how many there are, and what hints at a shell."""

    scripts: int
    empty_root: bool
    notice: bool
    empty_tables: int


def script_signs(root: etree._Element) -> ScriptSigns:
    """Read the signs off an unstripped tree."""
    scripts = [
        node
        for node in root.iter("script")
        if (node.get("type") or "text/javascript").lower()
        in {"text/javascript", "module", "application/javascript"}
    ]
    roots = [node for node in root.iter("div", "main") if node.get("id") in _APP_ROOTS]
    notices = ("".join(str(part) for part in node.itertext()) for node in root.iter("noscript"))
    return ScriptSigns(
        scripts=len(scripts),
        empty_root=any(not visible_text(node) for node in roots),
        notice=any(_NOTICE.search(text) for text in notices),
        empty_tables=sum(1 for node in root.iter("tbody", "table") if _is_unfilled(node)),
    )


def _is_unfilled(node: etree._Element) -> bool:
    """A table body without any data cell that has text, and not just a spacer without an id."""
    if node.tag == "table" and next(node.iter("tbody", "td"), None) is not None:
        return False
    texts = [visible_text(cell) for cell in node.iter("td")]
    if any(text and not _WAITING.match(text) for text in texts):
        return False
    if texts:
        return any(texts)
    return not any(visible_text(cell) for cell in node.iter("th")) or node.tag == "table"


def needs_javascript(signs: ScriptSigns, lines: Sequence[str], tables: Sequence[RawTable]) -> bool:
    """Whether the markup alone lacks what the page shows once its scripts have run.

    ``lines`` is the visible text. True for little text beside scripts, an empty application
    root, a sparse page with a notice to turn scripts on, or tables that wait for their rows.
    """
    if not signs.scripts:
        return False
    characters = sum(len(line) for line in lines)
    if characters < SPARSE_CHARACTERS or signs.empty_root:
        return True
    if any(_WAITING.match(line) for line in lines):
        return True
    if signs.notice and characters < 5 * SPARSE_CHARACTERS:
        return True
    return signs.empty_tables > 0 and signs.empty_tables >= len(tables) / 2
