"""The suite of hidden text: the ways of hiding it, several spellings each, and pages that hide nothing.

In ``style`` and ``body`` the sign § stands for the words nobody sees (or, in an innocent case,
that everybody sees), and ¤ for a name that only this case uses, so that all cases can stand in
one page.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """One spelling: ``body`` under the rules of ``style``, with ``head`` in the page's head."""

    channel: str
    name: str
    body: str
    style: str = ""
    head: str = ""

    def filled(self, number: int) -> tuple[Case, str]:
        """The case with its own name and words put in, and these words."""
        words = f"quagga{number}z"

        def put(text: str) -> str:
            return text.replace("§", words).replace("¤", f"c{number}")

        return Case(self.channel, self.name, put(self.body), put(self.style), put(self.head)), words


def _inline(channel: str, tag: str, *styles: str) -> list[Case]:
    return [Case(channel, f"inline: {style}", f'<{tag} style="{style}">§</{tag}>') for style in styles]


def _ruled(channel: str, body: str, *styles: str) -> list[Case]:
    return [Case(channel, f"rule: {style}", body, style) for style in styles]


def tagged(text: str) -> str:
    """A text in Unicode tag characters."""
    return "".join(chr(0xE0000 + ord(each)) for each in text)


_P = '<p class="¤">§</p>'
_NESTED = '<div class="¤ box" id="i¤"><ul><li>shown</li></ul><p data-x="¤">§</p></div>'

HIDDEN: tuple[Case, ...] = (
    # display
    *_inline("display", "p", "display:none", "color:red;DISPLAY : None !important", "display:/* x */none;"),
    *_inline("display", "span", "display: none"),
    *_ruled(
        "display",
        _P,
        ".¤{display:none}",
        "p.¤ { display : none !important }",
        "html body .¤{display:none}",
        "@media screen{.¤{display:none}}",
        "@media (min-width: 600px) and (max-width: 4000px) {.¤{display:none}}",
        "@supports (display:grid) { .¤ {display:none} }",
        ".x,.y , .¤ , p.z{ color:red; display:none }",
        "@layer base { .¤ { display:none } }",
        ".¤{display:block} .¤{display:none}",
        ".¤{--d:none; display:var(--d)}",
        ".¤{display:var(--nothing-¤, none)}",
        '[class="¤"]{display:none}',
        "body:not(.no) > * .¤, body > .¤ {display:none}",
        ":root .¤{display:none}",
        ":is(p, div).¤{display:none}",
        "body{& .¤{display:none}}",
        "p:where(.¤){display:none} ",
    ),
    *_ruled(
        "display",
        _NESTED,
        "#i¤ p{display:none}",
        "div#i¤ > p{display:none}",
        ".¤.box ul + p{display:none}",
        ".¤ ul ~ p{display:none}",
        '#i¤ [data-x^="¤"]{display:none}',
        "#i¤ > :last-child{display:none}",
        "#i¤ > :nth-child(2){display:none}",
        "#i¤ > p:nth-of-type(odd){display:none}",
        ".¤{ & > p{display:none} }",
        ".¤{ p{display:none} }",
        "#i¤ > :not(ul){display:none}",
    ),
    Case(
        "display",
        "attribute loses to important",
        '<p class="¤" style="display:block">§</p>',
        ".¤{display:none!important}",
    ),
    Case(
        "display", "specific rule wins", '<p class="¤" id="i¤">§</p>', "#i¤{display:none} p.¤{display:block}"
    ),
    Case(
        "display",
        "in a table cell",
        '<table><tr><th>a</th><th>b</th></tr><tr><td>1<b class="¤">§</b></td><td>2</td></tr></table>',
        ".¤{display:none}",
    ),
    Case(
        "display",
        "a row",
        '<table><tr><th>a</th><th>b</th></tr><tr class="¤"><td>§</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>',
        ".¤{display:none}",
    ),
    Case("display", "a heading", '<h2 class="¤">§</h2>', ".¤{display:none}"),
    Case("display", "a link", '<a class="¤" href="/x">§</a>', ".¤{display:none}"),
    Case(
        "display",
        "an option of the outline",
        '<section class="¤"><h3>§</h3><p>§</p></section>',
        ".¤{display:none}",
    ),
    Case("display", "content-visibility", '<div style="content-visibility:hidden">§</div>'),
    # visibility
    *_inline("visibility", "p", "visibility:hidden", "visibility: collapse", "Visibility:HIDDEN!important"),
    *_ruled("visibility", _P, ".¤{visibility:hidden}", "@media all{.¤{visibility:hidden}}"),
    Case("visibility", "inherited", '<div class="¤"><div><p>§</p></div></div>', ".¤{visibility:hidden}"),
    Case(
        "visibility",
        "beside a visible child",
        '<div class="¤">§<b style="visibility:visible">shown</b></div>',
        ".¤{visibility:hidden}",
    ),
    # opacity
    *_inline(
        "opacity",
        "p",
        "opacity:0",
        "opacity: 0.0;",
        "opacity:.0",
        "opacity:0%",
        "opacity:0.01",
        "opacity:1e-3",
        "filter:opacity(0)",
    ),
    *_ruled(
        "opacity", _P, ".¤{opacity:0}", "p.¤{opacity:0.001 !important}", ".¤{opacity:var(--o¤)} :root{--o¤:0}"
    ),
    Case("opacity", "inside", '<div class="¤"><p style="opacity:1">§</p></div>', ".¤{opacity:0}"),
    # zero size
    *_inline(
        "zero size",
        "p",
        "font-size:0",
        "font-size:0px!important",
        "font-size: 0.0em",
        "font-size:1px",
        "font:0/0 a",
        "height:0;overflow:hidden",
        "width:0;overflow:hidden",
        "width:0;height:0;overflow:hidden",
        "max-height:0;overflow:hidden",
        "max-height:0px;overflow-y:hidden",
        "height:0;overflow:clip",
        "position:absolute;width:1px;height:1px;overflow:hidden",
        "transform:scale(0)",
        "transform:scaleX(0)",
        "scale:0",
        "zoom:0.01",
    ),
    *_ruled(
        "zero size",
        _P,
        ".¤{font-size:0}",
        ".¤{font-size:0.4px}",
        ".¤{height:0;overflow:hidden}",
        ".¤{overflow:hidden} p.¤{max-height:0}",
        ".¤{display:block;width:1px;height:1px;overflow:hidden;position:absolute}",
    ),
    Case("zero size", "inherited font", '<div class="¤"><span><b>§</b></span></div>', ".¤{font-size:0}"),
    # same colour
    *_inline(
        "same colour",
        "p",
        "color:transparent",
        "color:rgba(0,0,0,0)",
        "color:#0000",
        "color:white",
        "color:#fff",
        "color:#FFFFFF",
        "color:rgb(255,255,255)",
        "color:rgb(100% 100% 100% / 1)",
        "color:hsl(0,0%,100%)",
        "color:#fefefe",
        "color:red;background:red",
        "color:#f00;background-color:red",
        "color:black;background-color:#000",
        "-webkit-text-fill-color:transparent",
        "background:navy;color:#000080",
    ),
    *_ruled(
        "same colour",
        _P,
        ".¤{color:white}",
        ".¤{color:#fff;background:#fff}",
        ":root{--w¤:#fff} .¤{color:var(--w¤)}",
        ".¤{background:#123456;color:#123456}",
    ),
    Case(
        "same colour",
        "inherited background",
        '<div class="¤"><div><p class="k¤">§</p></div></div>',
        ".¤{background:#222} .k¤{color:#222}",
    ),
    Case("same colour", "inherited colour", '<div style="color:white"><p><b>§</b></p></div>'),
    Case("same colour", "font element", '<font color="white">§</font>'),
    Case(
        "same colour",
        "bgcolor",
        '<table bgcolor="#336699"><tr><td>a</td><td><font color="#336699">§</font></td></tr><tr><td>b</td><td>c</td></tr></table>',
    ),
    # off screen
    *_inline(
        "off screen",
        "p",
        "position:absolute;left:-9999px",
        "position:absolute; left: -999em",
        "position:fixed;top:-5000px",
        "position:absolute;right:10000px",
        "position:absolute;top:-200vh",
        "position:relative;left:-9999px",
        "text-indent:-9999px",
        "text-indent:-10000em;overflow:hidden",
        "margin-left:-9999px",
        "transform:translateX(-9999px)",
        "transform:translate(-9999px, 0)",
        "transform:translate3d(-10000px,0,0)",
        "translate:-9999px 0",
        "position:absolute;clip:rect(0 0 0 0)",
        "position:absolute;clip:rect(1px, 1px, 1px, 1px)",
        "position:absolute;clip:rect(0,0,0,0)",
        "clip-path:inset(100%)",
        "clip-path:inset(50%)",
        "clip-path:circle(0)",
        "clip-path:polygon(0 0,0 0,0 0,0 0)",
        "position:absolute;inset:-9999px auto auto -9999px",
    ),
    *_ruled(
        "off screen",
        _P,
        ".¤{position:absolute;left:-10000px;top:auto;width:1px;height:1px;overflow:hidden}",
        ".¤{text-indent:-9999px}",
        ".¤{position:absolute}.¤{left:-9999px}",
        ".¤{position:absolute!important;clip:rect(1px 1px 1px 1px);width:1px;height:1px;overflow:hidden}",
        ".¤{transform:translateX(-200vw)}",
    ),
    # hidden attribute
    Case("hidden attribute", "bare", "<p hidden>§</p>"),
    Case("hidden attribute", "with a value", '<div HIDDEN="hidden"><p>§</p></div>'),
    Case("hidden attribute", "until found", '<p hidden="until-found">§</p>'),
    Case("hidden attribute", "on a cell", "<table><tr><th>a<th>b<tr><td>1<td hidden>§<tr><td>2<td>3</table>"),
    Case("display", "a closed dialog", "<dialog>§</dialog>"),
    # aria-hidden
    Case("aria-hidden", "true", '<p aria-hidden="true">§</p>'),
    Case("aria-hidden", "upper case", '<p aria-hidden=" TRUE ">§</p>'),
    Case("aria-hidden", "inside", '<div aria-hidden="true"><span>§</span></div>'),
    Case("aria-hidden", "inline", 'a<i aria-hidden="true">§</i>'),
    # labels
    Case("aria-label", "of a link", '<a href="/x" aria-label="§">more</a>'),
    Case("aria-label", "of a button", '<button aria-label="§">ok</button>'),
    Case("aria-label", "of a region", '<section aria-label="§"><p>shown</p></section>'),
    Case("aria-label", "description", '<p aria-description="§">shown</p>'),
    Case(
        "aria-label",
        "placeholder",
        '<p aria-placeholder="§" aria-roledescription="§" aria-valuetext="§">shown</p>',
    ),
    Case(
        "aria-label", "of a table", '<table aria-label="§" summary="§"><tr><th>a<th>b<tr><td>1<td>2</table>'
    ),
    # alt
    Case("alt text", "of a picture", '<img src="/x.png" alt="§" width="9" height="9">'),
    Case("alt text", "of a linked picture", '<a href="/x"><img src="/x.png" alt="§"></a>'),
    Case(
        "alt text",
        "of an area",
        '<map name="m¤"><area href="/y" alt="§" shape="rect" coords="0,0,1,1"></map>',
    ),
    Case("alt text", "of an input", '<input type="image" src="/x.png" alt="§">'),
    Case(
        "alt text", "in a figure", '<figure><img src="/x.png" alt="§"><figcaption>shown</figcaption></figure>'
    ),
    Case("alt text", "in a cell", '<table><tr><th>a<th>b<tr><td>1<td><img src="/x.png" alt="§"></table>'),
    # comments
    Case("comment", "plain", "<!-- § -->"),
    Case("comment", "conditional", "<!--[if IE]><p>§</p><![endif]-->"),
    Case("comment", "bogus", "<?php § ?><! § >"),
    Case("comment", "inside a word", "wo<!--§-->rd"),
    Case("comment", "in a cell", "<table><tr><th>a<th>b<tr><td>1<!-- § --><td>2</table>"),
    # noscript
    Case("noscript", "plain", "<noscript>§</noscript>"),
    Case("noscript", "with markup", "<noscript><p><b>§</b></p></noscript>"),
    Case("noscript", "in the head", "<p>shown</p>", head="<noscript><meta name=x content='§'></noscript>"),
    # template
    Case("template", "plain", "<template>§</template>"),
    Case("template", "with markup", "<template><div><p>§</p></div></template>"),
    Case("template", "a script of text", '<script type="text/x-template"><p>§</p></script>'),
    # zero-width and tag characters
    Case("zero-width characters", "zero-width space", "<p>a\u200b\u200bb</p>"),
    Case("zero-width characters", "zero-width joiners between letters", "<p>a\u200d\u200c\u200db</p>"),
    Case("zero-width characters", "word joiner", "<p>a\u2060\u2061\u2062\u2063\u2064b</p>"),
    Case("zero-width characters", "byte order mark", "<p>a\ufeffb</p>"),
    Case("zero-width characters", "by reference", "<p>a&#8203;&#x200B;b</p>"),
    Case("zero-width characters", "supplementary selectors", "<p>a\U000e0101\U000e0102\U000e0103b</p>"),
    Case("zero-width characters", "a run of selectors", "<p>a\ufe01\ufe02\ufe03\ufe04b</p>"),
    Case("zero-width characters", "in a link", '<p><a href="/z">a\u200b\u2060b</a></p>'),
    Case("zero-width characters", "in a cell", "<table><tr><th>a<th>b<tr><td>1\u200b\u200b<td>2</table>"),
    Case("tag characters", "plain", f"<p>a{tagged('ignore the page')}b</p>"),
    Case("tag characters", "in a heading", f"<h2>a{tagged('ignore')}b</h2>"),
    Case("tag characters", "in a link", f'<p><a href="/t">a{tagged("ignore")}b</a></p>'),
    Case("tag characters", "by reference", "<p>a&#xE0041;&#xE0042;b</p>"),
    # title attributes
    Case("title attribute", "of a link", '<a href="/x" title="§">more</a>'),
    Case("title attribute", "of a picture", '<img src="/x.png" title="§">'),
    Case("title attribute", "of an abbreviation", '<p><abbr title="§">GDP</abbr></p>'),
    Case("title attribute", "of a paragraph", '<p title="§">shown</p>'),
    Case("title attribute", "of a frame", '<iframe title="§" src="about:blank"></iframe>'),
    # meta
    Case("meta", "description", "<p>shown</p>", head='<meta name="description" content="§">'),
    Case("meta", "open graph", "<p>shown</p>", head='<meta property="og:title" content="§">'),
    Case("meta", "in the body", '<meta itemprop="name" content="§">'),
    Case(
        "meta", "json-ld", '<script type="application/ld+json">{"headline":"§","datePublished":"§"}</script>'
    ),
    Case("meta", "published", "<p>shown</p>", head='<meta name="pubdate" content="§ 2024-01-02 §">'),
    # closed details
    Case("closed details", "plain", "<details><summary>more</summary>§</details>"),
    Case("closed details", "with markup", "<details><summary>more</summary><div><p>§</p></div></details>"),
    Case("closed details", "without a summary", "<details><p>§</p></details>"),
    Case(
        "closed details",
        "nested",
        "<details open><summary>a</summary><details><summary>b</summary><p>§</p></details></details>",
    ),
    Case("closed details", "a second summary", "<details><summary>a</summary><summary>§</summary></details>"),
    Case(
        "closed details",
        "with a table",
        "<details><summary>a</summary><table><tr><th>a<th>§<tr><td>1<td>§</table></details>",
    ),
    # values that browsers do not take, and other spellings
    *_inline("display", "p", "display:none;display:block foo bar"),
    *_inline(
        "opacity", "p", "filter:opacity(0);filter:foo", "opacity:calc(0)", "opacity:0;animation:bogus 1s"
    ),
    *_inline(
        "zero size",
        "p",
        "font-size:0;font-size:bogus",
        "height:0;height:foo;overflow:hidden",
        "height:0;overflow:hidden;overflow:bogus",
        "transform:scale(0);transform:foo",
        "font-size:calc(0px)",
        "block-size:0;overflow:hidden",
    ),
    *_inline(
        "same colour",
        "p",
        "color:white;color:rgb(1)",
        "color:white;color:foo(bar)",
        "color:white;text-shadow:foo",
        "color:white;text-shadow:0 0 0 transparent",
        "color:white;text-shadow:1px 1px 0 white",
        "color:white;-webkit-text-stroke:0",
        "color:white;background-image:foo",
        "color:white;background-image:url()",
        "color:white;background-clip:text",
    ),
    *_inline(
        "off screen",
        "p",
        "clip-path:inset(50%);clip-path:foo",
        "position:absolute;clip:rect(0 0 0 0);clip:foo",
        "position:absolute;position:foo;left:-9999px",
        "position:absolute;left:calc(-9999px)",
        "position:absolute;left:calc(10px - 9999px)",
        "position:absolute;left:-500%",
        "position:absolute;inset-inline-start:-9999px",
        "margin-inline-start:-9999px",
        "transform:translateX(-9999%)",
        "transform:matrix(1,0,0,1,-9999,0)",
    ),
    Case("same colour", "currentcolor", '<div style="color:white"><p style="color:currentColor">§</p></div>'),
    Case("same colour", "unset", '<div style="color:white"><p style="color:unset">§</p></div>'),
    Case("opacity", "a product", '<div style="opacity:.2"><p style="opacity:.2">§</p></div>'),
    Case("display", "a popover", "<div popover>§</div>"),
    *_ruled(
        "display",
        _P,
        ".¤{--Big:none;display:var(--Big)}",
        '.¤{content:"/*";display:none}',
        "p.¤:is(.¤, :bogus){display:none}",
        "p.¤:not(:hover){display:none}",
        "@media (400px <= width <= 4000px){.¤{display:none}}",
        "@media (min-resolution:1dppx){.¤{display:none}}",
        "@supports (not (-moz-appearance:none)){.¤{display:none}}",
    ),
    *_ruled(
        "display",
        _NESTED,
        "#i¤:has(> ul) > p{display:none}",
        "#i¤ ul:has(+ p) + p{display:none}",
        "#i¤ ul:has(~ p) ~ p{display:none}",
    ),
)


def _shown(name: str, body: str, style: str = "") -> Case:
    return Case("", name, body, style)


#: What a reader sees, though it looks like one of the above.
INNOCENT: tuple[Case, ...] = (
    *(
        _shown(f"inline: {style}", f'<p style="{style}">§</p>')
        for style in (
            "opacity:0.5",
            "opacity:.05",
            "opacity:1",
            "left:-9999px",
            "position:relative;left:-20px",
            "height:0",
            "max-height:0",
            "width:0;overflow:visible",
            "border-color:transparent;background-color:transparent",
            "max-width:100px;overflow:hidden",
            "background:black;color:white",
            "background-color:#000;color:#fff",
            "background-image:linear-gradient(navy,black);color:white",
            "background:url(/dark.png);color:white",
            "color:#eee;text-shadow:0 0 2px #000",
            "text-indent:2em",
            "text-indent:-2em;padding-left:2em",
            "margin-left:-10px",
            "transform:scale(0.9)",
            "transform:translateX(-20px)",
            "clip-path:inset(10%)",
            "display:none;display:block",
            "visibility:hidden;visibility:visible",
            "font-size:11px",
            "font-size:0.8em",
            "line-height:0",
            "overflow:hidden;height:40px",
            "display:contents",
            "color:#777",
            "-no-display:none",
            "background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent",
        )
    ),
    *(
        _shown(f"inline: {style}", f'<p style="{style}">§</p>')
        for style in (
            "background:oklch(20% 0 0);color:#fff",
            "background:light-dark(#000,#000);color:#fff",
            "height:0;min-height:40px;overflow:hidden",
            "opacity:0;display:contents",
            "margin:0 -9999rem;padding:0 9999rem",
            "position:relative;left:50%;margin-left:-1000px",
            "scale:-1 1",
            "width:calc(100% - 20px);overflow:hidden",
            "color:white;text-shadow:1px 1px 1px black",
            "display:none;display:inline-block",
            "font-size:clamp(1rem, 2vw, 3rem)",
        )
    ),
    _shown("flex", '<div style="display:flex"><p style="width:0;flex:1;overflow:hidden">§</p></div>'),
    _shown(
        "a cell that is cut with an ellipsis",
        '<div style="display:table;width:100%"><p style="max-width:0;display:table-cell;overflow:hidden">§</p></div>',
    ),
    *(
        _shown(f"font size {size}", f'<div style="font-size:0"><p style="{size}">§</p></div>')
        for size in (
            "font-size:clamp(1rem, 2vw, 3rem)",
            "font-size:max(12px, 1vw)",
            "font-size:initial",
            "font-size:5vmin",
            "font-size:xx-large",
            "font:bold medium serif",
        )
    ),
    *(
        _shown(f"rule: {style}", _P, style)
        for style in (
            ".¤,p:bogus{display:none}",
            ".¤:not(:bogus){display:none}",
            ".¤:bogus{display:none}",
            ".¤:has(> b){display:none}",
            "@supports (-moz-appearance:none){.¤{display:none}}",
            "@supports (display:bogus){.¤{display:none}}",
            "@supports not ((display:grid) and (gap:1px)){.¤{display:none}}",
            "@media (200px <= width <= 400px){.¤{display:none}}",
        )
    ),
    *(
        _shown(f"rule: {style}", _P, style)
        for style in (
            "@media print{.¤{display:none}}",
            "@media (max-width: 600px){.¤{display:none}}",
            "@media not screen{.¤{display:none}}",
            "@media (prefers-color-scheme: dark){.¤{display:none}}",
            ".¤:hover{display:none}",
            ".¤::before{display:none}",
            ".¤ .child{display:none}",
            ".other > .¤{display:none}",
            ".¤{display:none}.¤{display:block}",
            ".¤{display:none} p.¤{display:block}",
            ".¤{display:block!important}.¤{display:none}",
            "/* .¤{display:none} */",
            ".¤{content:'}.¤{display:none}'}",
            ".¤:not(p){display:none}",
            ".¤:empty{display:none}",
            ".¤:nth-child(99){display:none}",
            "div.¤{display:none}",
            ".¤x{display:none}",
            '[data-state="¤"]{display:none}',
            "@supports not (display:grid){.¤{display:none}}",
            ".js-off .¤{display:none}",
            "@keyframes k¤{from{opacity:0}to{opacity:1}}",
            ".¤{opacity:0;animation:k¤ 1s forwards}@keyframes k¤{to{opacity:1}}",
            ".¤{visibility:hidden;visibility:visible}",
            ".¤{disp lay:none; display none; color:green}",
            "@import url(data:text/css,); .¤{color:green}",
            "@font-face{font-family:x;src:url(x)} .¤{color:blue}",
        )
    ),
    _shown("white on a dark parent", '<div class="¤"><p>§</p></div>', ".¤{background:#003366;color:#fff}"),
    _shown(
        "white on a dark grandparent by rule",
        '<div class="¤"><div><span class="w¤">§</span></div></div>',
        ".¤{background:rgb(0 0 0)} .w¤{color:white}",
    ),
    _shown(
        "white on a dark table cell",
        '<table><tr><td bgcolor="#003366"><font color="white">§</font></td><td>a</td></tr><tr><td>b</td><td>c</td></tr></table>',
    ),
    _shown(
        "font-size 0 around inline blocks", '<div style="font-size:0"><p style="font-size:14px">§</p></div>'
    ),
    _shown("a visible child", '<div style="visibility:hidden"><p style="visibility:visible">§</p></div>'),
    _shown("a child of another colour", '<div style="color:white"><p style="color:#000">§</p></div>'),
    _shown("hidden overruled", '<p hidden style="display:block">§</p>'),
    _shown("dialog open", "<dialog open>§</dialog>"),
    _shown("details open", "<details open><summary>s</summary>§</details>"),
    _shown("summary of closed details", "<details><summary>§</summary>x</details>"),
    _shown("aria-hidden false", "<p aria-hidden=false>§</p>"),
    _shown(
        "a price with a twin for screen readers",
        '<p><span class="¤">§</span><span aria-hidden="true">§</span></p>',
        ".¤{position:absolute;clip:rect(0 0 0 0);width:1px;height:1px;overflow:hidden}",
    ),
    _shown("far below", '<div style="position:absolute;top:30000px">§</div>'),
    _shown("inline style of a colour name", '<p style="color:WhiteSmoke;background:#333">§</p>'),
    _shown("text after a hidden element", '<p><b style="display:none">x</b>§</p>'),
    _shown("a style element in the body", "<style>.a > {}</style><p>§</p>"),
    _shown("joiners of Persian", "<p>§ می\u200cخواهم</p>"),
    _shown("emoji with joiners", "<p>§ \U0001f468\u200d\U0001f469\u200d\U0001f467</p>"),
    _shown("a cut-off style", "<p style='display:none;color'></p><p>§</p>"),
    _shown(
        "a collapsed row that is open",
        '<table><tr><th>a<th>b<tr class="¤"><td>§<td>1</table>',
        ".¤{display:table-row}",
    ),
)

_TILE = "padding:8px;border:1px solid"
_CLAMP = "width:200px;overflow:hidden;display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical"

#: Markup in which pieces meet without a blank, and how a reader reads it: what the eye parts is parted, and
#: what it joins is joined.
BETWEEN: tuple[tuple[str, str], ...] = (
    ("un<b>believ</b>able 1<i>2</i>3", "unbelievable 123"),
    ("$<del>12</del><ins>15</ins>", "$~~12~~15"),
    ("<span style='text-decoration:line-through'>7</span>8", "~~7~~8"),
    ("<del> </del>9<s></s>0", "90"),
    ("<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> cup", "1/2 cup"),
    ("<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>", "(a+b)/2"),
    ("<math><msup><mi>x</mi><mn>2</mn></msup></math>", "x^2"),
    *(
        (f"<span style='{style}'>1</span><span style='{style}'>2</span>", "1 2")
        for style in (
            f"display:inline-block;{_TILE}",
            _TILE,
            "margin-right:6px",
            "display:inline-block;width:40px",
            "display:inline-flex;margin:0 4px",
            "float:left;margin-right:9px",
            "display:table-cell",
        )
    ),
    ("<span style='display:inline-block'>1</span><span style='display:inline-block'>2</span>", "12"),
    ("<b style='position:relative;left:40px'>2</b>1", "2 1"),
    ("<div style='display:flex'><b>1</b><b>2</b></div>", "1 2"),
    ("<div style='display:grid;grid-template-columns:1fr 1fr'><b>1</b><b>2</b></div>", "1 2"),
    ("<button>1</button><button>2</button>", "1 2"),
    ("1<img width=30 height=5>2", "1 2"),
    ("<div role=row><span role=cell>1</span><span role=cell>2</span></div>", "1 2"),
    ("<ul><li style='display:inline'>1</li><li style='display:inline'>2</li></ul>", "1 2"),
    (
        "<code style='padding:.2em .4em'>foo</code>s, <code style='padding:.2em .4em'>bar</code>, x",
        "foos, bar, x",
    ),
    ("<p><span style='float:left;font-size:3em;margin-right:6px'>O</span>nce upon</p>", "Once upon"),
    (
        "<style>.first::first-letter{float:left;font-size:3em}</style><p class=first>Once upon</p>",
        "Once upon",
    ),
    ("<p style='width:60px'>中<b>国</b>国<b>家</b>统<b>计</b>局<b>发</b>布</p>", "中国国家统计局发布"),
    (
        f"<div style='{_CLAMP}'>{'plain words and more ' * 2}{'quagga ' * 9}</div>",
        "plain words and more plain words and more…",
    ),
    (
        "<div style='width:100px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis'>Total 1,234,567,890,123 s</div>",
        "Total…",
    ),
    ("<dialog>quagga</dialog>a", "a"),
    ("a<iframe srcdoc='quagga' style='opacity:0'></iframe>b", "a b"),
    ("a<span style='opacity:0'><iframe srcdoc='quagga'></iframe></span>b", "a b"),
)
