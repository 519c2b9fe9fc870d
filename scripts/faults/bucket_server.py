"""An S3 server that can be taken away: it prints its port, then obeys ``away`` and ``back``, a line each.

What is in it stays: it is kept by this process, whether anybody can connect or not.
"""

from __future__ import annotations

import logging
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from werkzeug.serving import make_server


def main() -> None:
    """Serve until standard input ends."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    served = DomainDispatcherApplication(create_backend_app)
    away = threading.Event()

    def application(environment: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if away.is_set():  # of a connection that was there before
            environment["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
            return []
        answer: Iterable[bytes] = served(environment, start)
        return answer

    def serving(port: int) -> Any:
        server = make_server("127.0.0.1", port, application, threaded=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    server = serving(0)
    port = server.server_port
    print(port, flush=True)
    for line in sys.stdin:
        if line.strip() == "away":
            away.set()
            server.shutdown()
            server.server_close()
        else:
            away.clear()
            server = serving(port)
        print("done", flush=True)


if __name__ == "__main__":
    main()
