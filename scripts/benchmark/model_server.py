"""A model that answers at once: ``python -m scripts.benchmark.model_server ROUNDS``, on a free port.

It calls a tool that does not exist until a conversation has so many results, then it answers. It prints its
port, and ends when its standard input does.
"""

from __future__ import annotations

import sys
from typing import Any

from scripts.responses_server import message, response, results_in, serve, tool_call


def main() -> None:
    """Serve until standard input ends."""
    rounds = int(sys.argv[1])

    def answer(asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        done = results_in(asked["input"])
        output = message("36 [@v:1]") if done >= rounds - 1 else tool_call(done, "no_such_tool", {})
        return 200, response(output, model="some/model")

    print(serve(answer).server_port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
