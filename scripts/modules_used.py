"""How many modules of the package have a function executed while it does one thing.

Run: ``python -m scripts.modules_used``. Each thing is done twice and the second time, which is warm, counts.
Bodies of modules and classes, which run on import, do not. Works offline, in a store of its own.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import FrameType

import verifaible
from verifaible import Verifaible
from verifaible.config import Settings

_PACKAGE = str(Path(verifaible.__file__).parent)
_REPOSITORY = Path(__file__).parent.parent
_PAGE = "https://www.stats.gov.cn/xxgk/jd/sjjd2020/202601/t20260119_1962338.html"
_QUOTE = "全国人口总量为140489万人"

_used: set[str] = set()


def _called(frame: FrameType, event: str, _: object) -> None:
    code = frame.f_code
    if event == "call" and code.co_flags & inspect.CO_OPTIMIZED and code.co_filename.startswith(_PACKAGE):
        _used.add(code.co_filename)


async def _measure(folder: Path) -> list[tuple[str, int, int, int]]:
    settings = Settings(home=_REPOSITORY, store=str(folder / "store"))
    text = f"{_QUOTE} ([bureau]({_PAGE})).".encode()
    async with Verifaible(settings, web="offline") as v:
        things: dict[str, Callable[[], Awaitable[object]]] = {
            "cite": lambda: v.cite(_PAGE, quote=_QUOTE),
            "a trial with the oracle agent": lambda: v.bench(
                "oracle", ids=("cn_text_001",), output=folder / "runs"
            ),
            "a judged claim": lambda: v.check("a text", data=text),
        }
        rows = []
        for name, do in things.items():
            await do()
            _used.clear()
            await do()
            rows.append(_row(name))
    return rows


def _row(name: str) -> tuple[str, int, int, int]:
    lines = sum(len(Path(each).read_text(encoding="utf-8").splitlines()) for each in _used)
    folders = {Path(each).relative_to(_PACKAGE).parts[0] for each in _used}
    return name, len(_used), len(folders), lines


def main() -> None:
    """Print a table of what each thing uses."""
    # Before any thread is started: a thread has the profile function that was set when it began.
    threading.setprofile(_called)
    sys.setprofile(_called)
    with tempfile.TemporaryDirectory() as folder:
        rows = asyncio.run(_measure(Path(folder)))
    sys.setprofile(None)
    print("| one warm … | modules used | folders | lines of these modules |")
    print("| --- | ---: | ---: | ---: |")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |")
    print(f"\nThe package has {sum(1 for _ in Path(_PACKAGE).rglob('*.py'))} modules.")


if __name__ == "__main__":
    main()
