"""The callback's name in a JSONP answer."""

from __future__ import annotations

import re

_PRELUDE = rb"(?:\xef\xbb\xbf)?(?:\s|;|/\*.*?\*/|//[^\n]*\n)*"


def calls(body: bytes, name: str) -> bool:
    """Whether a body is a JSONP answer that calls the function of that name."""
    return bool(name) and _call(body, name) is not None


def rename_callback(body: bytes, recorded: str, wanted: str) -> bytes:
    """The body with its call of ``recorded`` made a call of ``wanted``.

    Only a body that begins with that call is changed: after white space, comments, and guards
    on the same name (``/**/cb && cb(``, ``typeof cb === 'function' && cb(``, ``try{cb(``).
    Every other body, and every later mention of the name, stays as it was recorded.
    """
    if not recorded or recorded == wanted:
        return body
    found = _call(body, recorded)
    if found is None:
        return body
    # A function, so that no character of the new name is read as a group reference.
    head = re.sub(_name(recorded), lambda _: wanted.encode("utf-8"), found[2])
    return found[1] + head + body[found.end() :]


def _name(name: str) -> bytes:
    return rb"(?<![\w$])" + re.escape(name.encode("utf-8")) + rb"(?![\w$])"


def _call(body: bytes, called: str) -> re.Match[bytes] | None:
    name = _name(called)
    test = (
        rb"typeof\s*\(?\s*(?:window\.)?" + name + rb"\s*\)?\s*={2,3}\s*['\"]function['\"]"
        rb"|(?:window\.)?" + name
    )
    guard = rb"(?:(?:" + test + rb")\s*&&\s*|if\s*\(\s*(?:" + test + rb")\s*\)\s*\{?\s*|try\s*\{\s*)*"
    call = rb"(?:window\.)?" + name + rb"\s*\("
    return re.match(rb"(" + _PRELUDE + rb")(" + guard + call + rb")", body, re.DOTALL)
