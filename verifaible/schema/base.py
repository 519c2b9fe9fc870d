"""What every record has in common."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

EvidenceType: TypeAlias = Literal["text", "table", "pdf", "video", "image"]


class Record(BaseModel):
    """A frozen record that refuses unknown fields; what checks one is built when the first is made."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
