"""The attacks: markup of a hostile page, one vector each.

``RUN`` stands for a script that reports to the trap (no quotes and no spaces, to fit everywhere), ``LOAD`` for an
address at the trap. ``fires`` says that the vector works in an unprotected page: the control proves it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.kit.suites import Row, load


@dataclass(frozen=True, slots=True)
class Attack:
    """One hostile page.

    Attributes:
        name: a word.
        body: what its body holds, besides the cited words.
        head: what its head holds.
        around: attributes of its body.
        click: it needs a click on the element with ``data-poke``.
        fires: whether an unprotected browser falls for it.
        files: what the capture holds of the web, by address: media type and content.
        title: the title of the citation.
    """

    name: str
    body: str = ""
    head: str = ""
    around: str = ""
    click: bool = False
    fires: bool = True
    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    title: str = "A page"

    def markup(self, run: str, load: str) -> str:
        """The page, with the trap in it."""
        page = (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8">{self.head}</head>'
            f'<body {self.around}><p id="told">Before it. {QUOTE} And after it.</p>{self.body}</body></html>'
        )
        root, _, name = load.rpartition("/")
        page = page.replace("RUN", run).replace("LOAD", load)
        return page.replace("ROOT", root).replace("NAME", name).replace("NETLOC", load.partition("//")[2])


QUOTE = "The rate was 5.33% in February."


def _attack(row: Row) -> Attack:
    given = dict(row.input)
    files = {address: (kind, content) for address, (kind, content) in given.pop("files", {}).items()}
    return Attack(row.id, fires=row.expect["fires"], files=files, **given)


_NAMES = ("script", "mutation", "request", "captured", "overlay")
KINDS = tuple(tuple(map(_attack, load("hostile_pages", kind=name))) for name in _NAMES)
ATTACKS = tuple(attack for kind in KINDS for attack in kind)
