"""Ways in which a page tries to make a browser reach a host, and ways to write one: the suite ``egress``.

In a page ``{v}`` is the host with its port, and ``{s}`` the site that serves the pages; its ``/to/STATUS/URL``
redirects, ``/refresh/URL`` sends a Refresh header, ``/js/...`` and ``/css/...`` send scripts and sheets that use
the URL. In the forms of a host ``{p}`` is the port.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.kit import suites


@dataclass(frozen=True)
class Attack:
    """One way.

    ``works`` says whether Chromium takes that way to a host that is allowed; None where that differs
    between the whole browser and the headless shell.
    """

    name: str
    html: str
    works: bool | None

    def page(self, host: str, site: str) -> str:
        return self.html.replace("{v}", host).replace("{s}", site)


_ROWS = suites.load("egress")
ATTACKS = tuple(
    Attack(row.id, row.input["page"], row.expect["reached_where_allowed"])
    for row in _ROWS
    if row.kind != "form"
)
#: Ways to write a host of this machine. What names resolve to is in the test.
FORMS: dict[str, str] = {row.input["name"]: row.input["url"] for row in _ROWS if row.kind == "form"}
