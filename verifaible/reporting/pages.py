"""Self-contained pages: no script, no request, everything that is not ours escaped."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def render(template: str, *, css: str, packages: tuple[str, ...], **values: object) -> str:
    """A page from ``templates/<template>``, which puts ``head`` into its ``<head>``.

    The page may load nothing: its only style sheet stands in it and is named by its hash, pictures
    are data: URLs (:func:`data_url`), and there is no script.

    Args:
        template: name of the file; in it, everything is escaped unless a function of ours made it.
        css: rules of this page alone, after those that all pages share.
        packages: whose templates they are.
        values: what the template shows.
    """
    head = page_head(read_style("verifaible.reporting", "page.css") + css)
    return templates_of(*packages).get_template(template).render(head=head, **values)


def page_head(style: str, *, pictures: bool = True, indexed: bool = True) -> Markup:
    """What stands in the ``<head>`` of a page that loads nothing.

    Args:
        style: its only style sheet.
        pictures: whether it has any.
        indexed: whether search engines may list it.
    """
    from markupsafe import Markup

    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; {'img-src data:; ' if pictures else ''}style-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )
    robots = Markup("") if indexed else Markup('<meta name="robots" content="noindex">\n')
    return Markup(
        '<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n{}<style>{}</style>'
    ).format(policy, robots, Markup(style))  # noqa: S704 - our own file, and a policy of our own making


def data_url(data: bytes, media_type: str = "image/png") -> str:
    """A picture as an address that holds it."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


def is_link(address: str) -> bool:
    """Whether an address may be made a link: a web page, never a script."""
    return address.lower().startswith(("http://", "https://"))


def read_style(package: str, name: str) -> str:
    """A style sheet among the templates of one of our packages."""
    return (files(package) / "templates" / name).read_text(encoding="utf-8")


@cache
def templates_of(*packages: str) -> Environment:
    """The templates of our packages, looked for in this order, and of this one.

    Everything is escaped, and a value that is missing is an error.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(each) for each in (*packages, __package__)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["link"] = is_link
    return environment
