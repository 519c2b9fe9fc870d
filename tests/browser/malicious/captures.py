"""Citations of hostile pages, made without a browser: whole, signed captures in a store."""

from __future__ import annotations

from tests.browser.malicious.attacks import QUOTE, Attack
from tests.unit.evidence import samples
from verifaible.evidence.capture import write_capture
from verifaible.schema.citation import Citation
from verifaible.schema.web import Headers, WebExchange, WebRequest, WebResponse
from verifaible.store.store import Store

ORIGIN = "https://hostile.example"


def add_hostile(store: Store, attack: Attack, run: str, load: str) -> Citation:
    """Put a citation of the attack's page into a store: its markup is also the text that was read."""
    markup = attack.markup(run, load).encode("utf-8", "replace")
    page = f"{ORIGIN}/{attack.name}"
    beside = markup.decode().replace(QUOTE, "")
    seen = samples.evidence(
        QUOTE, url=page, title=attack.title.replace("RUN", run), body=f"{beside}\n{QUOTE}\n{beside}"
    )
    seen.files["dom.html"] = markup
    seen.exchanges = [
        _exchange(page, "text/html", markup),
        *(
            _exchange(ORIGIN + path, kind, body.replace("RUN", run).replace("LOAD", load).encode())
            for path, (kind, body) in attack.files.items()
        ),
    ]
    path = store.scratch() / "capture.wacz"
    capture = write_capture(path, seen, captured_at=samples.NOW, signer=store.signer)
    draft = samples.draft_of(seen, capture, "<script>alert(1)</script>", QUOTE)
    return store.add(draft, capture=path, tiles=(samples.TILE,))


def _exchange(url: str, kind: str, body: bytes) -> WebExchange:
    headers: Headers = (("content-type", kind),)
    response = WebResponse(status=200, headers=headers, body=body)
    if kind == "redirect":
        response = WebResponse(status=302, headers=(("location", body.decode()),))
    return WebExchange(request=WebRequest(url=url), response=response, recorded_at=samples.NOW)
