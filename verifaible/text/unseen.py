"""Characters that nobody sees, and that only a machine would read."""

from __future__ import annotations

import re
from typing import Final

#: Characters that show nothing, wherever they stand: format characters, bidirectional controls, fillers of
#: Hangul, and Unicode tags.
_ALWAYS: Final = (
    "\u00ad\u034f\u115f\u1160\u180e\u200b\u202a-\u202e\u2060-\u206f\u3164\uffa0\ufeff"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
#: The same, and what means something between some letters: joiners (not next to plain ASCII), a mark of
#: direction, a variation selector. Of several in a row all but the first go.
_UNSEEN: Final = re.compile(
    f"[{_ALWAYS}]"
    "|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]+"
    "|(?<=[\u200e\u200f])[\u200e\u200f]+"
    "|(?<=[\x00-\x7f\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?=[\x00-\x7f\u200c\u200d])"
)
#: Characters of an address that its reader would not see.
UNSEEN_IN_ADDRESS: Final = re.compile(f"[{_ALWAYS}\u200c-\u200f\u2028\u2029\ufe00-\ufe0f]")


def without_unseen(text: str) -> tuple[str, int]:
    """A text without the characters that nobody sees, and how many there were."""
    if text.isascii():
        return text, 0
    found = _UNSEEN.findall(text)
    return (_UNSEEN.sub("", text), sum(map(len, found))) if found else (text, 0)
