"""What checking a text found: its claims, each with verdict and evidence, and its sources."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias, get_args

from verifaible.schema.analyst import Claim
from verifaible.schema.base import Record
from verifaible.schema.verdict import Derivation, Passage

#: ``supported``: a source that the claim cites says so. ``calculated``: it follows from operands in the
#: sources. ``contradicted``: the source says otherwise. ``altered``: words given as a quotation are not the
#: source's. ``not_in_source``: the source was read whole and does not have it. ``unreadable``: no cited
#: source could be read. ``no_source``: the text names none. ``undecided``: read, not decided.
#: ``not_checkable``: an opinion, a recommendation, a question.
#: In the order in which they are shown.
ClaimVerdict: TypeAlias = Literal[
    "contradicted",
    "altered",
    "not_in_source",
    "unreadable",
    "undecided",
    "supported",
    "calculated",
    "no_source",
    "not_checkable",
]
CLAIM_VERDICTS: tuple[ClaimVerdict, ...] = get_args(ClaimVerdict)
#: ``read``: opened and sealed. ``gone``: the server says that it is not there (404, 410, a soft 404).
#: ``made_up``: its host does not exist, or the address cannot be one. ``blocked``, ``paywall``, ``login``:
#: the site answered with something else than its content. ``error``: none of these; it may be tried again.
SourceState: TypeAlias = Literal["read", "gone", "made_up", "blocked", "paywall", "login", "error"]
#: Who decided: the rules, a local model, or the judge model that was named.
Decider: TypeAlias = Literal["rules", "nli", "judge", ""]


class CheckedSource(Record):
    """A source that the text names.

    Attributes:
        id: what claims call it; for links the address.
        label: the words or the number by which the text refers to it.
        url: its address, or the path of a file.
        title: its title, once it was read.
        state: what came of opening it.
        said: what the site or the system said, where it could not be read; one sentence.
        status: the HTTP status; 0 where there was none.
        capture: SHA-256 of the sealed capture of it; empty where nothing was sealed.
        file: the file in the capture whose words were read, UTF-8; offsets count code points.
        opened_at: when its capture was made.
    """

    id: str
    label: str = ""
    url: str
    title: str = ""
    state: SourceState
    said: str = ""
    status: int = 0
    capture: str = ""
    file: str = ""
    opened_at: datetime | None = None


class Nearest(Record):
    """The passage that comes nearest to a claim nobody decided: for a person to look at."""

    passage: Passage
    #: Share of the claim's words, names and numbers that stand in it, 0 to 1.
    share: float


class CheckedClaim(Record):
    """A claim of the text with what was found.

    Attributes:
        claim: where it stands in the text (``start`` and ``end`` count code points) and what it cites.
        verdict: see :data:`ClaimVerdict`.
        reason: one sentence for people.
        passages: where its sources say so, or otherwise.
        sentences: for each passage the whole sentence or the row around it, as the source has it.
        said: what a source says instead, in its own words.
        derivation: the calculation and its operands, of ``calculated`` and of a wrong calculation.
        citations: ids of the citations of the store that hold the evidence.
        nearest: of ``undecided`` and ``not_in_source``.
        by: who decided.
    """

    claim: Claim
    verdict: ClaimVerdict
    reason: str
    passages: tuple[Passage, ...] = ()
    sentences: tuple[str, ...] = ()
    said: str = ""
    derivation: Derivation | None = None
    citations: tuple[str, ...] = ()
    nearest: Nearest | None = None
    by: Decider = ""


class Checked(Record):
    """A whole text, checked.

    Attributes:
        name: what was given: a path, an address, ``-``.
        sha256: of the bytes that were given.
        title: the text's own title; empty where it has none.
        text: what offsets of claims count in: the text as Markdown, or as it was given.
        claims: in the order of the text.
        sources: in the order in which the text names them.
        judge: the model that decided what the rules left open; empty: none was asked.
        checked_at: when.
        version: of verifaible.
        faults: what of the input could not be used, a sentence each.
    """

    name: str
    sha256: str
    title: str = ""
    text: str
    claims: tuple[CheckedClaim, ...]
    sources: tuple[CheckedSource, ...]
    judge: str = ""
    checked_at: datetime
    version: str
    faults: tuple[str, ...] = ()

    def count(self, *verdicts: ClaimVerdict) -> int:
        """How many claims have one of these verdicts."""
        return sum(each.verdict in verdicts for each in self.claims)

    @property
    def compared(self) -> int:
        """Claims that were compared with a source and decided: what coverage counts."""
        return self.count("supported", "calculated", "contradicted", "altered", "not_in_source")

    @property
    def checkable(self) -> int:
        """Claims that state something a source could hold."""
        return len(self.claims) - self.count("not_checkable")
