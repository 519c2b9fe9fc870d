"""A source that was read: its words, and the way from a place in them to what can be cited."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from verifaible.evidence.make.whole import Opened
from verifaible.evidence.observing.material import PageMaterial, PdfMaterial, page_from_files
from verifaible.evidence.observing.readable import READ, Readable, readable
from verifaible.evidence.store.store import Store
from verifaible.schema.analyst import Source
from verifaible.schema.checked import CheckedSource
from verifaible.schema.citation import AnchorRequest
from verifaible.schema.judged import Passage
from verifaible.text.sentences import sentence_span

#: So much before a value of JSON tells it from equal ones.
_BEFORE = 40


@dataclass(frozen=True)
class ReadSource:
    """A source with its words.

    Attributes:
        source: as the rules know it.
        text: the words of its file, in which offsets count.
        state: what came of opening it.
        opened: how it was sealed; None of a file that was given and of a citation of the store.
    """

    source: Source
    text: str
    state: CheckedSource
    opened: Opened | None
    store: Store

    @property
    def whole(self) -> bool:
        """Whether all of it was read: only then can anybody say what is not in it."""
        return self.opened.incomplete == "" if self.opened is not None else self.source.kind != "citation"

    def passage(self, start: int, end: int) -> Passage:
        """A place as evidence."""
        return Passage.of(self.source, self.text, start, end)

    def around(self, passage: Passage) -> str:
        """The sentence or the row that a passage stands in, as the source has it."""
        if passage.pointer:
            return f"{passage.pointer}: {passage.quote}"
        low = self.text.rfind("\n", 0, passage.start) + 1
        high = self.text.find("\n", passage.end)
        high = len(self.text) if high < 0 else high
        if "|" not in self.text[low:high] and "\t" not in self.text[low:high]:
            low, high = sentence_span(self.text, passage.start, passage.end)
        return " ".join(self.text[low:high].split())

    def request(self, passage: Passage) -> AnchorRequest | None:
        """What to cite for a passage; None where a citation of it cannot be made."""
        if self.opened is None or self._material is None:
            return None
        if self.source.file == READ:
            return self._material.request(passage.start, passage.end)
        before = self.text[max(0, passage.start - _BEFORE) : passage.start].strip()
        quote = passage.quote.strip().strip('"')
        return AnchorRequest(quote=quote, near=before.rpartition("\n")[2].strip(' ,{["')) if quote else None

    @cached_property
    def _material(self) -> Readable | None:
        with self.store.open_sealed(self.source.capture) as reader:
            names = set(reader.names())
            if "evidence/page.json" in names:
                files = {
                    name: reader.read(f"evidence/{name}") for name in ("text.txt", "page.json", "table.json")
                }
                material: PageMaterial | PdfMaterial = page_from_files(files)
            elif "evidence/pages.json" in names:
                material = PdfMaterial.model_validate_json(reader.read("evidence/pages.json"))
            else:
                return None
        return readable(material)
