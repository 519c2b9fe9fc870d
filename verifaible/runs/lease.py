"""One process at a time writes a run to a place where no file can be locked.

Who holds the place makes ``.lease/0000000007.json``, the number after the last one, which only one can make,
and writes it anew every few seconds. Who wants the place watches: a holder whose file stays the same for so
many looks as a living one would have changed it has died, and the next number can be made. No clocks are
compared, and time in which the place itself is away counts for nobody.
"""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from threading import Event, Thread
from time import sleep
from typing import ClassVar

from pydantic import ValidationError

from verifaible.errors import RunError
from verifaible.runs.place import Address
from verifaible.schema.base import Record


class _Claim(Record):
    """What a holder writes.

    Attributes:
        holder: who, for people.
        token: nobody else's.
        beat: how often it was written.
        ended: the place is free.
    """

    holder: str
    token: str = ""
    beat: int = 0
    ended: bool = False


class Lease:
    """A place held by this process, within its context.

    Args:
        folder: the place.
    """

    #: Seconds between two signs of life, and how many of these a dead holder has missed.
    BEAT_S: ClassVar[float] = 4.0
    MISSED: ClassVar[int] = 5

    def __init__(self, folder: Address) -> None:
        self._folder = folder
        self._files = folder.files
        self._lock = (folder / ".lease").key
        self._number = 0
        self._claim = _Claim(
            holder=f"{platform.node() or 'a machine'}, process {os.getpid()}", token=os.urandom(8).hex()
        )
        self._ended = Event()
        self._beating = Thread(target=self._beat, name="lease", daemon=True)

    def __enter__(self) -> None:
        """Take the place.

        Raises:
            RunError: a living process holds it, or takes it at the same moment.
        """
        number, before = self._last()
        for _ in range(self.MISSED):
            if before is None or before.ended:
                break
            sleep(self.BEAT_S)
            now = self._last()
            if now != (number, before):
                raise self._refused(now[1] or before)
        self._number = number + 1
        if not self._files.create(self._at(self._number), self._said()):
            raise self._refused(self._last()[1])
        for earlier in self._numbers():
            if earlier < self._number:
                self._files.delete(self._at(earlier))
        self._beating.start()

    def __exit__(self, *_: object) -> None:
        """Let the place go, so that the next need not wait."""
        self._ended.set()
        self._beating.join()
        lost = self._files.lost.pop(self._key, None)
        self._claim = self._claim.model_copy(update={"ended": True})
        if lost is None:
            with suppress(RunError):  # away: the next one waits until it sees that nobody holds the place
                self._files.replace(self._at(self._number), self._said())

    @property
    def _key(self) -> str:
        return f"{self._folder.key}/".lstrip("/")

    def _beat(self) -> None:
        while not self._ended.wait(self.BEAT_S):
            with suppress(RunError):  # away, as it is for whoever watches
                number, claim = self._last()
                if claim is None or claim.token != self._claim.token:
                    who = claim.holder if claim else "somebody"
                    self._files.lost[self._key] = (
                        f"{self._folder} was out of reach for so long that {who} has taken it over. This "
                        "process writes nothing more there."
                    )
                    return
                self._claim = self._claim.model_copy(update={"beat": self._claim.beat + 1})
                self._files.replace(self._at(number), self._said())

    def _last(self) -> tuple[int, _Claim | None]:
        """The newest claim and its number; None where there is none."""
        number = max(self._numbers(), default=0)
        if not number:
            return 0, None
        try:
            return number, _Claim.model_validate_json(self._files.read(self._at(number)))
        except (FileNotFoundError, ValidationError):
            return number, _Claim(holder="somebody")

    def _numbers(self) -> list[int]:
        names = (name.removesuffix(".json") for name in self._files.names(self._lock))
        return [int(name) for name in names if name.isdecimal()]

    def _at(self, number: int) -> str:
        return f"{self._lock}/{number:010}.json"

    def _said(self) -> bytes:
        return self._claim.model_dump_json().encode()

    def _refused(self, claim: _Claim | None) -> RunError:
        who = f" ({claim.holder})" if claim else ""
        return RunError(
            f"Another process{who} is writing to {self._folder}. Wait for it to finish, or stop it."
        )
