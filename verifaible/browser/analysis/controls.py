"""What can be operated on a page: the records that ``frame_controls`` reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

ControlKind: TypeAlias = Literal["field", "select", "button", "clickable", "link"]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a ``select``."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Control:
    """Something to operate.

    ``selector`` finds it and nothing else in its frame, as steps look; ``text`` and ``label`` can be seen,
    ``unseen_name`` stands in the code only, where there is neither; ``in_menu``: it stands in the navigation,
    header or footer; ``handler`` is what using it does, as far as the mark-up says; ``address`` where a link
    leads. ``node`` is its element in the frame's tree.
    """

    kind: ControlKind
    selector: str
    node: int = -1
    text: str = ""
    label: str = ""
    type: str = ""
    value: str = ""
    readonly: bool = False
    disabled: bool = False
    in_menu: bool = False
    handler: str = ""
    options: tuple[Option, ...] = ()
    unseen_name: str = ""
    address: str = ""
    frame_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """A link to a document such as a PDF; ``selector`` finds the link."""

    url: str
    text: str
    selector: str = ""


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog that is shown, with its text."""

    selector: str
    text: str


@dataclass(slots=True)
class Pagination:
    """Links or buttons that turn pages: the container's selector, their texts, what leads on."""

    selector: str
    items: list[str] = field(default_factory=list)
    next: str = ""


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of a form that can be seen; ``options`` is how many a ``select`` has."""

    name: str
    label: str
    type: str
    required: bool
    selector: str
    options: int


@dataclass(frozen=True, slots=True)
class Form:
    """A form that is shown: where it sends what, its fields, and the names of those not seen."""

    selector: str
    action: str
    method: str
    fields: tuple[FormField, ...]
    hidden: tuple[str, ...]
    submit: str
    frame_path: tuple[str, ...] = ()


@dataclass(slots=True)
class Controls:
    """All that can be operated; ``links`` is how many there are, ``unlisted`` what is not described.

    ``tables`` are the selectors of the Document's tables, by their index.
    """

    elements: list[Control] = field(default_factory=list)
    files: list[LinkedFile] = field(default_factory=list)
    pagination: list[Pagination] = field(default_factory=list)
    dialogs: list[Dialog] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)
    tables: dict[int, str] = field(default_factory=dict)
    links: int = 0
    unlisted: int = 0
