"""What runs a program in the sandbox's own Python, which loads this file as it is; nothing else imports it.

A program's last expression, or what it calls ``result``, comes out.
"""

import ast
import json
import sys
from collections.abc import Callable
from decimal import Decimal, localcontext
from types import TracebackType

_NAME = "program"
#: The modules through which Pyodide's Python reaches JavaScript.
_BRIDGE = {"js", "pyodide_js", "pyodide", "_pyodide", "_pyodide_core", "micropip"}


def _without_bridge() -> None:
    """Take the modules of the bridge, what they hold, and what would find them again."""
    for finder in [each for each in sys.meta_path if not each.__module__.startswith("_frozen_importlib")]:
        sys.meta_path.remove(finder)
        if not isinstance(finder, type):
            vars(finder).clear()
    for name in [each for each in sys.modules if each.partition(".")[0] in _BRIDGE]:
        getattr(sys.modules.pop(name), "__dict__", {}).clear()


def run(code: str, inputs: str) -> str:
    """JSON with the result of a program, or with the error that ended it.

    Args:
        code: the program.
        inputs: JSON: decimal numbers, or lists of them, as text, by name.
    """
    _without_bridge()
    try:
        tree = ast.parse(code, _NAME)
        if tree.body and isinstance(last := tree.body[-1], ast.Expr):
            tree.body[-1] = ast.fix_missing_locations(
                ast.copy_location(ast.Assign([ast.Name("result", ast.Store())], last.value), last)
            )
        space: dict[str, object] = {"__name__": _NAME, "Decimal": Decimal}
        for name, value in json.loads(inputs).items():
            space[name] = [Decimal(each) for each in value] if isinstance(value, list) else Decimal(value)
        with localcontext(prec=50):
            exec(compile(tree, _NAME, "exec"), space)  # noqa: S102 - this is what the sandbox is for
        result = space.get("result")
        if isinstance(result, bool) or not isinstance(result, int | float | Decimal):
            return json.dumps({"error": f"The result is {type(result).__name__}, no number"})
        return json.dumps({"result": str(result)})
    except BaseException as error:
        line = getattr(error, "lineno", None) or _line(error.__traceback__)
        where = f" (line {line})" if line else ""
        return json.dumps({"error": f"{type(error).__name__}: {str(error)[:300]}{where}"})


def _line(at: TracebackType | None) -> int | None:
    """The line of the program that was being run."""
    found = None
    while at is not None:
        found = at.tb_lineno if at.tb_frame.f_code.co_filename == _NAME else found
        at = at.tb_next
    return found


#: What the worker gets of this file.
entry: Callable[[str, str], str] = run
entry  # noqa: B018 - the value of a file that JavaScript runs is its last expression
