"""An answer as one HTML file: each sentence with its state, each marker a link to the evidence below it.

The page loads nothing and runs nothing: one style sheet named by its hash, pictures in the file, no script.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from markupsafe import Markup

from verifaible.answers.check import CheckedAnswer, CheckedMarker, CheckedSentence, State
from verifaible.answers.markers import body_of
from verifaible.answers.words import FLAGS, summary
from verifaible.errors import StoreError
from verifaible.evidence.bundle import utc
from verifaible.evidence.report import SIGNS, EvidenceView, language_of, render, view_of
from verifaible.evidence.verdict import SAYS
from verifaible.reporting.markdown import Span, marked_html
from verifaible.reporting.pages import read_style, templates_of
from verifaible.schema.citation import Citation
from verifaible.store.store import Store
from verifaible.text.markers import is_number

#: Its own templates, and the pieces that all pages about evidence share.
_PACKAGES = ("verifaible.answers", "verifaible.evidence")
STATES: tuple[State, ...] = ("supported", "partly", "unsupported", "broken", "no_facts")


@dataclass(frozen=True, slots=True)
class Card:
    """The evidence of one citation as the page shows it.

    ``view`` is None where the capture cannot be read; ``fault`` says why the citation does not count.
    """

    label: str
    citation: Citation
    view: EvidenceView | None
    fault: str = ""

    @property
    def name(self) -> str:
        """What links on the page lead to."""
        return f"e-{self.citation.id}"


def answer_page(checked: CheckedAnswer, citations: Mapping[str, Citation], store: Store) -> str:
    """The page of a checked answer.

    Args:
        checked: the answer.
        citations: those that its markers lead to, by id.
        store: which has their captures and pictures.
    """
    cards = tuple(_card(checked, citations[name], store) for name in checked.citations if name in citations)
    return render(
        "answer.html",
        css=read_style(_PACKAGES[0], "answer.css"),
        packages=_PACKAGES,
        checked=checked,
        language=language_of(checked.answer),
        question_language=language_of(checked.question),
        body=Markup(answer_html(checked, {card.citation.id: card.label for card in cards})),  # noqa: S704
        summary=summary(checked),
        flags=FLAGS,
        states=STATES,
        cards=[(card, Markup(_card_html(card))) for card in cards],  # noqa: S704 - from our template
    )


def _card(checked: CheckedAnswer, citation: Citation, store: Store) -> Card:
    faults = [m.fault for m in checked.markers if citation.id in m.citations and citation.id in m.fault]
    fault = next(iter(faults), "")
    try:
        with store.open_capture(citation) as reader:
            view = view_of(citation, reader, store.pictures(citation), store.checks(citation.id))
    except (StoreError, ValueError) as error:
        return Card(_label(checked, citation.id), citation, None, fault or str(error))
    return Card(_label(checked, citation.id), citation, view, fault)


def _label(checked: CheckedAnswer, citation_id: str) -> str:
    """What the answer calls a citation: its number there, else the beginning of its id."""
    for marker in checked.markers:
        for target, name in zip(marker.targets, marker.citations, strict=False):
            if name == citation_id and is_number(target) and len(marker.targets) == len(marker.citations):
                return target
    return citation_id[:8]


def _card_html(card: Card) -> str:
    return (
        templates_of(*_PACKAGES)
        .get_template("card.html")
        .render(
            card=card,
            c=card.citation,
            v=card.view,
            utc=utc,
            headlines=SAYS,
            signs=SIGNS,
            claim_language=language_of(card.citation.claim),
        )
    )


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
