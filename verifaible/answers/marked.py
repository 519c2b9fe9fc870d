"""The HTML of an answer: its sentences marked by their state, its markers as links to the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from verifaible.answers.check import CheckedAnswer, CheckedMarker, CheckedSentence
from verifaible.answers.markers import body_of
from verifaible.answers.words import FLAGS
from verifaible.reporting.marked import Span, marked_html


def answer_html(checked: CheckedAnswer, labels: Mapping[str, str]) -> str:
    """The answer as HTML.

    Args:
        checked: the answer.
        labels: of the citations that the page shows, by id; a marker is a link to ``#e-<id>``.
    """
    sentences = [
        Span(each.start, each.end, each.state, _flag(each))
        for each in checked.sentences
        if each.kind != "code"
    ]
    markers = [Span(each.start, each.end, "", _marker(each, labels)) for each in checked.markers]
    return marked_html(body_of(checked.answer), sentences, markers)


def _marker(marker: CheckedMarker, labels: Mapping[str, str]) -> str:
    parts = []
    for name in marker.citations:
        label = escape(labels.get(name, name[:8]))
        broken = ' class="broken"' if marker.fault else ""
        if name in labels:
            parts.append(f'<a{broken} href="#e-{escape(name)}" aria-label="evidence {label}">{label}</a>')
        else:
            parts.append(f"<span{broken}>{label}</span>")
    if not parts:
        parts = [f'<span class="broken">{escape(", ".join(marker.targets))}</span>']
    return f'<sup class="m">[{", ".join(parts)}]</sup>'


def _flag(sentence: CheckedSentence) -> str:
    """What stands behind a sentence, for eyes and for screen readers."""
    if sentence.state == "no_facts":
        return ""
    sign, word = FLAGS[sentence.state]
    told = ""
    if sentence.state == "partly":
        told = f'<span class="why">not in the evidence: {escape(", ".join(sentence.missing))}</span>'
    elif sentence.state != "supported":
        told = f'<span class="why">{word}</span>'
    title = escape("; ".join(sentence.faults) or word)
    hidden = "" if told else f'<span class="unseen">{word}</span>'
    return f'<span class="flag {sentence.state}" title="{title}">{sign}{hidden}{told}</span>'
