"""Numbers out of JSON by their JSON Pointers (RFC 6901), in all their digits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Final, TypeAlias

from verifaible.errors import BadArguments

#: Places in a list; no list has more than 18 digits of them.
_INDEX: Final = re.compile(r"[0-9]{1,18}")
#: What a JSON text holds, its numbers as :class:`~decimal.Decimal`.
Data: TypeAlias = "Decimal | bool | str | list[Data] | dict[str, Data] | None"


def read_data(text: str) -> Data:
    """The data of a JSON text.

    Raises:
        BadArguments: it is none.
    """
    try:
        data: Data = json.loads(text.removeprefix("\ufeff"), parse_int=Decimal, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:  # 1e9999999999999999999 is too large
        raise BadArguments(
            "This source is no JSON, so nothing in it has a JSON Pointer. Point into another source."
        ) from error
    return data


def values_at(data: object, pointer: str) -> tuple[Decimal, ...]:
    """The numbers that a pointer leads to; a part ``*`` means each element of a list, in order.

    A text that is nothing but a number (``"84210.5"``; ``"0x1a"`` as in JSON-RPC) is that number.

    Raises:
        BadArguments: it leads to nothing, or to what is no number.
    """
    if pointer and not pointer.startswith("/"):
        raise BadArguments(f"{pointer!r} is no JSON Pointer. It begins with /, as in /prices/0/1.")
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    return tuple(_number(each, pointer) for each in _reached(data, parts, pointer))


def _reached(data: object, parts: list[str], pointer: str) -> Iterator[object]:
    if not parts:
        yield data
        return
    part, rest = parts[0], parts[1:]
    if isinstance(data, dict) and part in data:
        yield from _reached(data[part], rest, pointer)
    elif isinstance(data, list) and part == "*":
        for each in data:
            yield from _reached(each, rest, pointer)
    elif isinstance(data, list) and _INDEX.fullmatch(part) and int(part) < len(data):
        yield from _reached(data[int(part)], rest, pointer)
    else:
        raise BadArguments(f"The source has nothing at {pointer} ({part!r} is not there). Check the pointer.")


def _number(value: object, pointer: str) -> Decimal:
    if isinstance(value, Decimal):
        return value
    if isinstance(value, str):
        try:
            number = Decimal(int(value, 16)) if value[:2].lower() == "0x" else Decimal(value)
        except (InvalidOperation, ValueError):
            number = Decimal("NaN")
        if number.is_finite():
            return number
    raise BadArguments(f"The source has no number at {pointer}. Point to a number.")
