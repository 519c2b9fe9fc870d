"""Recognising pages that are not the content: nothing of them may become evidence."""

from __future__ import annotations

import re

from verifaible.errors import PageBlocked
from verifaible.evidence.material import PageMaterial

#: Above this many characters a page has content of its own beside any banner.
#: Calibrated on the replicas (shortest content page: 380 characters) and common block pages.
_SHORT = 1_200

_SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "a captcha or bot check",
        re.compile(
            r"captcha|verify (that )?you are (a )?human|are you a robot|unusual traffic|checking your browser"
            r"|just a moment\.\.\.|attention required|安全验证|人机验证|请完成验证|滑动验证|访问过于频繁",
            re.IGNORECASE,
        ),
    ),
    (
        "a login page",
        re.compile(
            r"(sign|log) ?in to (continue|view|see)|please (sign|log) ?in|login "
            r"required|请先?登录|登录后(查看|可见)",
            re.IGNORECASE,
        ),
    ),
    (
        "a consent page",
        re.compile(
            r"before you continue|we (use|value) (cookies|your privacy)[\s\S]{0,300}(accept|agree)"
            r"|accept (all )?cookies to continue",
            re.IGNORECASE,
        ),
    ),
    (
        "an error page",
        re.compile(
            r"\b(404|410)\b.{0,40}(not found|gone)|page (was |could )?(not|n't) (be )?found|access denied"
            r"|页面不存在|您访问的页面(不存在|已删除|找不到)|服务器(错误|繁忙)|502 bad gateway|503 service",
            re.IGNORECASE,
        ),
    ),
)


def why_blocked(material: PageMaterial) -> str:
    """What the page is instead of content, or an empty string where it is content."""
    text = material.page.text.strip()
    if not text and not material.images:
        return "an empty page"
    if len(text) > _SHORT:
        return ""
    shown = f"{material.title}\n{text}"
    return next((name for name, pattern in _SIGNS if pattern.search(shown)), "")


def refuse_blocked(material: PageMaterial) -> None:
    """Raise if the page is not content.

    Raises:
        PageBlocked: names what the page is instead.
    """
    reason = why_blocked(material)
    if reason:
        raise PageBlocked(
            f"{material.url} shows {reason}, not the content, so it cannot be evidence. Use another source, "
            "or action steps that lead past it."
        )
