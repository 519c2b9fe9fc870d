"""The captions that YouTube's own player asks for: JSON ("json3") and two forms of XML, without any I/O."""

from __future__ import annotations

import json
from html import unescape

from lxml import etree

from verifaible.errors import NoTranscript
from verifaible.extract.captions import looks_like_captions, parse_captions
from verifaible.schema.transcript import Caption


def parse_timedtext(body: bytes) -> tuple[Caption, ...]:
    """Captions in order of time, from what the player was answered.

    Raises:
        NoTranscript: there are none in it.
    """
    text = body.decode("utf-8", "replace").strip()
    try:
        found = _json3(text) if text.startswith("{") else _xml(body) if text.startswith("<") else None
    except (ValueError, KeyError, TypeError, etree.XMLSyntaxError) as error:
        raise NoTranscript("The player's captions cannot be understood. Try again later.") from error
    if found is None:
        if not looks_like_captions(text[:2000]):
            raise NoTranscript("The player was sent no captions. Cite another source.")
        return parse_captions(text).captions
    captions = tuple(sorted((each for each in found if each.text.strip()), key=lambda each: each.start_s))
    if not captions:
        raise NoTranscript("The player's captions are empty. Cite another source.")
    return captions


def _json3(text: str) -> list[Caption]:
    return [
        _caption(
            event["tStartMs"],
            event.get("dDurationMs", 0),
            "".join(part.get("utf8", "") for part in event["segs"]),
        )
        for event in json.loads(text)["events"]
        if "segs" in event
    ]


def _xml(body: bytes) -> list[Caption]:
    root = etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True))
    # <p t="ms" d="ms"> of the newer form, <text start="s" dur="s"> of the older one.
    newer = [_caption(each.get("t"), each.get("d", 0), _text(each)) for each in root.iter("p")]
    return newer or [
        _caption(
            float(each.get("start", "0")) * 1000, float(each.get("dur", "0")) * 1000, unescape(_text(each))
        )
        for each in root.iter("text")
    ]


def _text(element: etree._Element) -> str:
    return "".join(str(part) for part in element.itertext())


def _caption(start_ms: object, duration_ms: object, text: str) -> Caption:
    return Caption(
        start_s=float(str(start_ms)) / 1000, duration_s=float(str(duration_ms)) / 1000, text=text.strip()
    )
