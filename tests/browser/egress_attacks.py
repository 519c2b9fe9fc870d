"""Ways in which a page tries to make a browser reach a host: each a page with ``{v}`` for host:port.

In templates of HTML, ``{v}`` is the host with its port. ``{s}`` is the site that serves the pages; its
``/to/STATUS/URL`` redirects, ``/refresh/URL`` sends a Refresh header, ``/js/...`` and ``/css/...`` send
scripts and sheets that use the URL.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    """One way.

    ``works`` says whether Chromium takes that way to a host that is allowed; None where that differs
    between the whole browser and the headless shell.
    """

    name: str
    html: str
    works: bool | None = True


def _script(name: str, code: str, works: bool | None = True) -> Attack:
    return Attack(name, f"<body><script>{code}</script>", works)


SUBRESOURCES = (
    Attack("img", '<img src="http://{v}/">'),
    Attack("img srcset", '<img srcset="http://{v}/ 1x, http://{v}/2 2x">'),
    Attack("picture", '<picture><source srcset="http://{v}/"><img src="data:,"></picture>'),
    Attack("input image", '<input type="image" src="http://{v}/">'),
    Attack("script", '<script src="http://{v}/"></script>'),
    Attack("module", '<script type="module" src="http://{v}/"></script>'),
    Attack("import", '<script type="module">import("http://{v}/")</script>'),
    Attack("sheet", '<link rel="stylesheet" href="http://{v}/">'),
    Attack("css url", '<div style="background: url(http://{v}/)">text</div>'),
    Attack("css import", '<style>@import "http://{v}/";</style>'),
    Attack(
        "font",
        '<style>@font-face {{ font-family: f; src: url("http://{v}/") }} p {{ font-family: f }}</style><p>text',
    ),
    Attack(
        "css content",
        '<style>p {{ content: url("http://{v}/") }} p::before {{ content: url("http://{v}/2") }}</style><p>x',
    ),
    Attack("iframe", '<iframe src="http://{v}/"></iframe>'),
    Attack("iframe srcdoc", """<iframe srcdoc='<img src="http://{v}/">'></iframe>"""),
    Attack("frame", '<frameset><frame src="http://{v}/"></frameset>'),
    Attack("object", '<object data="http://{v}/"></object>'),
    Attack("embed", '<embed src="http://{v}/" type="text/html">'),
    Attack("video", '<video src="http://{v}/" autoplay muted></video>'),
    Attack("audio", '<audio src="http://{v}/" autoplay></audio>'),
    Attack("poster", '<video poster="http://{v}/"></video>'),
    Attack("track", '<video crossorigin><track default kind="captions" src="http://{v}/"></video>'),
    Attack("svg image", '<svg><image href="http://{v}/"/></svg>'),
    Attack("svg use", '<svg><use href="http://{v}/a.svg#x"/></svg>', works=False),
    Attack("svg filter", '<svg><filter id="f"><feImage href="http://{v}/"/></filter></svg>'),
    Attack("preload", '<link rel="preload" as="image" href="http://{v}/">'),
    Attack("modulepreload", '<link rel="modulepreload" href="http://{v}/">'),
    Attack("prefetch", '<link rel="prefetch" href="http://{v}/">'),
    Attack("prerender", '<link rel="prerender" href="http://{v}/">', works=False),
    Attack("preconnect", '<link rel="preconnect" href="http://{v}/">', works=False),
    Attack("dns-prefetch", '<link rel="dns-prefetch" href="http://{v}/">', works=False),
    Attack("manifest", '<link rel="manifest" href="http://{v}/">', works=False),
    Attack("favicon", '<link rel="icon" href="http://{v}/">', works=None),
    Attack("base", '<base href="http://{v}/"><img src="x.png">'),
    Attack(
        "speculation rules",
        '<script type="speculationrules">{{"prefetch": [{{"source": "list", "urls": ["http://{v}/"],'
        ' "eagerness": "immediate"}}]}}</script>',
        works=False,
    ),
)

SCRIPTS = (
    _script("fetch", 'fetch("http://{v}/")'),
    _script("fetch no-cors", 'fetch("http://{v}/", {{mode: "no-cors", keepalive: true}})'),
    _script("fetch https", 'fetch("https://{v}/", {{mode: "no-cors"}})'),
    _script(
        "fetch of a redirect", 'fetch("http://{s}/to/307/http://{v}/", {{mode: "no-cors", method: "POST"}})'
    ),
    _script("XMLHttpRequest", 'const x = new XMLHttpRequest(); x.open("GET", "http://{v}/"); x.send()'),
    _script(
        "synchronous XMLHttpRequest",
        'const x = new XMLHttpRequest(); x.open("GET", "http://{v}/", false); try {{ x.send() }} catch {{ }}',
    ),
    _script("EventSource", 'new EventSource("http://{v}/")'),
    _script("WebSocket", 'new WebSocket("ws://{v}/")'),
    _script("WebSocket over TLS", 'new WebSocket("wss://{v}/")'),
    _script("sendBeacon", 'navigator.sendBeacon("http://{v}/", "x")'),
    _script(
        "ping",
        'const a = document.createElement("a"); a.href = "#"; a.ping = "http://{v}/"; document.body.append(a); a.click()',
        works=None,
    ),
    _script("new Image", 'new Image().src = "http://{v}/"'),
    _script("worker fetch", 'new Worker(URL.createObjectURL(new Blob([`fetch("http://{v}/")`])))'),
    _script("worker socket", 'new Worker(URL.createObjectURL(new Blob([`new WebSocket("ws://{v}/")`])))'),
    _script(
        "worker importScripts", 'new Worker(URL.createObjectURL(new Blob([`importScripts("http://{v}/")`])))'
    ),
    _script("worker from there", 'try {{ new Worker("http://{v}/") }} catch {{ }}', works=False),
    _script(
        "worker in a worker",
        "new Worker(URL.createObjectURL(new Blob([`new Worker(URL.createObjectURL(new Blob([\"fetch('http://{v}/')\"])))`])))",
    ),
    _script("shared worker", 'try {{ new SharedWorker("/js/fetch/http://{v}/") }} catch {{ }}'),
    Attack(
        "shared worker of a fresh frame",
        "<body><script>const f = document.createElement('iframe'); document.body.append(f);"
        "try {{ new f.contentWindow.SharedWorker('/js/fetch/http://{v}/') }} catch {{ }}</script>",
    ),
    _script(
        "service worker",
        'try {{ navigator.serviceWorker.register("/js/fetch/http://{v}/") }} catch {{ }}',
        works=False,
    ),
    _script("worklet", 'CSS.paintWorklet?.addModule("http://{v}/")', works=False),
    _script(
        "audio worklet",
        'new OfflineAudioContext(1, 1, 8000).audioWorklet?.addModule("http://{v}/")',
        works=False,
    ),
    _script(
        "WebTransport",
        'try {{ new WebTransport("https://{v}/").ready.catch(() => {{ }}) }} catch {{ }}',
        works=False,
    ),
    _script(
        "WebRTC over STUN",
        'const c = new RTCPeerConnection({{iceServers: [{{urls: "stun:{v}"}}]}}); c.createDataChannel("x");'
        "c.createOffer().then((o) => c.setLocalDescription(o))",
        works=False,
    ),
    _script(
        "WebRTC over TURN and TCP",
        'const c = new RTCPeerConnection({{iceServers: [{{urls: "turn:{v}?transport=tcp", username: "u", credential: "p"}}]}});'
        'c.createDataChannel("x"); c.createOffer().then((o) => c.setLocalDescription(o))',
    ),
    Attack(
        "WebRTC of a fresh frame",
        "<body><script>const f = document.createElement('iframe'); document.body.append(f);"
        'const c = new f.contentWindow.RTCPeerConnection({{iceServers: [{{urls: "stun:{v}"}}]}}); c.createDataChannel("x");'
        "c.createOffer().then((o) => c.setLocalDescription(o))</script>",
        works=False,
    ),
    _script(
        "import map",
        'const m = document.createElement("script"); m.type = "importmap"; m.textContent = `{{"imports": {{"x": "http://{v}/"}}}}`; document.body.append(m); import("x").catch(() => {{ }})',
    ),
    _script("WebAssembly", 'WebAssembly.instantiateStreaming(fetch("http://{v}/")).catch(() => {{ }})'),
    _script("FontFace", 'new FontFace("x", "url(http://{v}/)").load().catch(() => {{ }})'),
    _script(
        "CSP report",
        'fetch("/csp/http://{v}/").then(() => {{ const f = document.createElement("iframe"); f.src = "/csp/http://{v}/"; document.body.append(f) }})',
    ),
)

NAVIGATIONS = (
    *(
        Attack(f"redirect {status}", f'<iframe src="/to/{status}/http://{{v}}/"></iframe>')
        for status in (301, 302, 303, 307, 308)
    ),
    Attack("redirected img", '<img src="/to/302/http://{v}/">'),
    Attack("redirected twice", '<img src="/to/302/http://{s}/to/301/http://{v}/">'),
    Attack("redirected sheet", '<link rel="stylesheet" href="/to/302/http://{v}/">'),
    Attack("redirected script", '<script src="/to/302/http://{v}/"></script>'),
    Attack("redirect in a worker", '<body><script>new Worker("/js/fetch//to/302/http://{v}/")</script>'),
    Attack("meta refresh", '<meta http-equiv="refresh" content="0; url=http://{v}/">'),
    Attack("Refresh header", '<iframe src="/refresh/http://{v}/"></iframe>'),
    _script("location", 'location = "http://{v}/"'),
    _script("location.replace", 'location.replace("http://{v}/")'),
    _script("navigation.navigate", 'navigation.navigate("http://{v}/")'),
    _script(
        "frame location",
        'const f = document.createElement("iframe"); document.body.append(f); f.contentWindow.location = "http://{v}/"',
    ),
    _script("pop-up", 'open("http://{v}/")'),
    _script("pop-up without opener", 'open("http://{v}/", "_blank", "noopener")'),
    # Playwright holds back what the first, empty document of a pop-up asks for.
    _script("pop-up that is written", 'open("").document.write(\'<img src="http://{v}/">\')', works=False),
    _script("pop-up by redirect", 'open("/to/302/http://{v}/")'),
    _script(
        "link",
        'const a = document.createElement("a"); a.href = "http://{v}/"; document.body.append(a); a.click()',
    ),
    _script(
        "download",
        'const a = document.createElement("a"); a.href = "http://{v}/"; a.download = "x"; document.body.append(a); a.click()',
    ),
    _script(
        "download by redirect",
        'const a = document.createElement("a"); a.href = "/to/302/http://{v}/"; a.download = "x"; document.body.append(a); a.click()',
    ),
    Attack(
        "form",
        '<form action="http://{v}/"><input name="a" value="b"></form><script>document.forms[0].submit()</script>',
    ),
    Attack(
        "posted form",
        '<form method="post" action="http://{v}/" target="_blank"><input name="a" value="b"></form>'
        "<script>document.forms[0].submit()</script>",
    ),
    Attack(
        "posted form redirected",
        '<form method="post" action="/to/307/http://{v}/"><input name="a" value="b"></form>'
        "<script>document.forms[0].submit()</script>",
    ),
    Attack("svg document", "<iframe src='/svg/http://{v}/'></iframe>"),
    Attack("PDF action", "<iframe src='/pdf/http://{v}/'></iframe>", works=False),
    Attack("data frame", "<iframe src='data:text/html,<img src=http://{v}/>'></iframe>"),
    _script(
        "blob frame",
        'const f = document.createElement("iframe"); f.src = URL.createObjectURL(new Blob([`<img src="http://{v}/">`], {{type: "text/html"}})); document.body.append(f)',
    ),
    _script(
        "javascript frame",
        'const f = document.createElement("iframe"); f.src = "javascript:location=\'http://{v}/\'"; document.body.append(f)',
    ),
    Attack("Link header", "<iframe src='/link/http://{v}/'></iframe>"),
    Attack(
        "sandboxed frame",
        """<iframe sandbox="allow-scripts" srcdoc='<script>fetch("http://{v}/")</script>'></iframe>""",
    ),
)

ATTACKS = (*SUBRESOURCES, *SCRIPTS, *NAVIGATIONS)

#: Ways to write a host of this machine; ``{p}`` is the port. What names resolve to is in the test.
FORMS = {
    "plain": "http://127.0.0.1:{p}/",
    "decimal": "http://2130706433:{p}/",
    "octal": "http://0177.0.0.1:{p}/",
    "long octal": "http://00000000177.0.0.1:{p}/",
    "hexadecimal": "http://0x7f000001:{p}/",
    "hexadecimal parts": "http://0x7f.0x0.0x0.0x1:{p}/",
    "two parts": "http://127.1:{p}/",
    "three parts": "http://127.0.1:{p}/",
    "another loopback address": "http://127.0.0.2:{p}/",
    "zero": "http://0:{p}/",
    "all interfaces": "http://0.0.0.0:{p}/",
    "trailing dot": "http://127.0.0.1.:{p}/",
    "IPv6": "http://[::1]:{p}/",
    "IPv6 in full": "http://[0000:0000:0000:0000:0000:0000:0000:0001]:{p}/",
    "IPv6 any": "http://[::]:{p}/",
    "IPv4-mapped": "http://[::ffff:127.0.0.1]:{p}/",
    "IPv4-mapped in hex": "http://[::ffff:7f00:1]:{p}/",
    "IPv4-compatible": "http://[::127.0.0.1]:{p}/",
    "IPv4-translated": "http://[::ffff:0:127.0.0.1]:{p}/",
    "NAT64": "http://[64:ff9b::7f00:1]:{p}/",
    "local NAT64": "http://[64:ff9b:1::7f00:1]:{p}/",
    "6to4": "http://[2002:7f00:1::1]:{p}/",
    "Teredo": "http://[2001:0:808:808::80ff:fffe]:{p}/",
    "ISATAP": "http://[2001:470::5efe:7f00:1]:{p}/",
    "site-local": "http://[fec0::1]:{p}/",
    "localhost": "http://localhost:{p}/",
    "LOCALHOST": "http://LOCALHOST:{p}/",
    "localhost with a dot": "http://localhost.:{p}/",
    "below localhost": "http://a.b.localhost:{p}/",
    "full-width digits": "http://\uff11\uff12\uff17.\uff10.\uff10.\uff11:{p}/",
    "ideographic stops": "http://127\u30020\u30020\u30021:{p}/",
    "circled digits": "http://\u2460\u2461\u2466.0.0.1:{p}/",
    "escaped digits": "http://%31%32%37.0.0.1:{p}/",
    "soft hyphen": "http://127.0.0\u00ad.1:{p}/",
    "word joiner": "http://local\u2060host:{p}/",
    "tab": "http://127.0.\t0.1:{p}/",
    "line break": "ht\ntp://127.0.0.1:{p}/",
    "spaces before": "  http://127.0.0.1:{p}/",
    "backslashes": "http:\\\\127.0.0.1:{p}\\",
    "one slash": "http:/127.0.0.1:{p}/",
    "many slashes": "http://///127.0.0.1:{p}/",
    "user name": "http://site.example@127.0.0.1:{p}/",
    "user name and password": "http://site.example:80@127.0.0.1:{p}/",
    "backslash before at": "http://site.example\\@127.0.0.1:{p}/",
    "hash before at": "http://127.0.0.1:{p}#@site.example/",
    "resolves to this machine": "http://inside.example:{p}/",
    "resolves to this machine, too": "http://mixed.example:{p}/",
    "resolves to IPv4-mapped": "http://mapped.example:{p}/",
    "in capitals, with a dot": "http://INSIDE.example.:{p}/",
    "single label": "http://intranet:{p}/",
    "cloud metadata": "http://metadata.google.internal:{p}/",
}
