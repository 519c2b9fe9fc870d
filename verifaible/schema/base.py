"""What every record has in common."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

EvidenceType: TypeAlias = Literal["text", "table", "pdf", "video", "image"]

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
#: Text that files and requests can hold: half a surrogate pair, which JSON can name, becomes U+FFFD.
StorableText: TypeAlias = Annotated[str, AfterValidator(lambda text: _SURROGATE.sub("\ufffd", text))]


#: A SHA-256 in hexadecimal.
Sha256: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Record(BaseModel):
    """A frozen record that refuses unknown fields; what checks one is built when the first is made."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
