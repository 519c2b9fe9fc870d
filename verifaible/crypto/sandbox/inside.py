"""What runs a program in the sandbox's own Python, which is given this text as its command.

A program's last expression, or what it calls ``result``, comes out.
"""

import ast
import json
import os
import sys
from decimal import Decimal, localcontext
from types import TracebackType

_NAME = "program"


def run(code: str, inputs: dict[str, str | list[str]]) -> dict[str, str]:
    """The result of a program, or the error that ended it.

    Args:
        code: the program.
        inputs: decimal numbers, or lists of them, as text, by name.
    """
    try:
        tree = ast.parse(code, _NAME)
        if tree.body and isinstance(last := tree.body[-1], ast.Expr):
            tree.body[-1] = ast.fix_missing_locations(
                ast.copy_location(ast.Assign([ast.Name("result", ast.Store())], last.value), last)
            )
        space: dict[str, object] = {"__name__": _NAME, "Decimal": Decimal}
        for name, value in inputs.items():
            space[name] = [Decimal(each) for each in value] if isinstance(value, list) else Decimal(value)
        with localcontext(prec=50):
            exec(compile(tree, _NAME, "exec"), space)  # noqa: S102 - this is what the sandbox is for
        result = space.get("result")
        if isinstance(result, bool) or not isinstance(result, int | float | Decimal):
            return {"error": f"The result is {type(result).__name__}, no number"}
        return {"result": str(result)}
    except BaseException as error:
        line = getattr(error, "lineno", None) or _line(error.__traceback__)
        where = f" (line {line})" if line else ""
        return {"error": f"{type(error).__name__}: {str(error)[:300]}{where}"}


def _line(at: TracebackType | None) -> int | None:
    """The line of the program that was being run."""
    found = None
    while at is not None:
        found = at.tb_lineno if at.tb_frame.f_code.co_filename == _NAME else found
        at = at.tb_next
    return found


if __name__ == "__main__":
    sys.stderr = sys.stdout  # the other output is for the result
    said = json.dumps(run(**json.load(sys.stdin))).encode()
    sys.stdout.flush()
    os.write(2, said)
