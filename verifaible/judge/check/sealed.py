"""Checking a text whose sources are sealed already: nothing is opened, and no citation is made."""

from __future__ import annotations

import asyncio
import hashlib

from verifaible.evidence.sources import SourceTexts
from verifaible.judge.check.given import Given
from verifaible.judge.check.judges import Judges
from verifaible.judge.check.named import Named
from verifaible.judge.check.quotations import ReadSource
from verifaible.judge.check.run import Work
from verifaible.judge.claims import claims_of
from verifaible.schema.analyst import AnalystAnswer
from verifaible.schema.checked import CheckedClaim, CheckedSource
from verifaible.store.store import Store


async def check_sealed(
    answer: AnalystAnswer, store: Store, *, judges: Judges | None = None
) -> tuple[CheckedClaim, ...]:
    """The claims of a text with their verdicts, as ``verifaible check`` gives them.

    Args:
        answer: the text, with all sources that it may cite; those that it cites are read.
        store: where they are sealed.
        judges: makes who decides what the rules leave open; None: nobody.

    Raises:
        StoreError: a source cannot be read, or was changed.
    """
    claims = await asyncio.to_thread(claims_of, answer)
    cited = {name for claim in claims for name in claim.cites}
    texts = SourceTexts(store)
    read: dict[str, ReadSource] = {}
    for source in answer.sources:
        if source.id in cited:
            text = await asyncio.to_thread(texts.text, source)
            state = CheckedSource(
                id=source.id,
                url=source.url,
                title=source.title,
                state="read",
                capture=source.capture,
                file=source.file,
            )
            read[source.id] = ReadSource(source, text, state, None, store)
    given = Given("-", hashlib.sha256(answer.answer.encode("utf-8", "replace")).hexdigest(), answer.answer)
    work = Work(
        given,
        Named(answer, {}),
        claims,
        {name: each.state for name, each in read.items()},
        read,
        judges(answer) if judges is not None else None,
    )
    return tuple(await work.decided(lambda *_: None))
