"""What of a captured page may stand in a frame: a list of what is allowed, everything else is left out.

Nothing here can run, load or lead anywhere; see :mod:`verifaible.evidence.framed.framed`.
"""

from __future__ import annotations

import re

from verifaible.text.lists import words_of

#: Elements that are written as they are.
ELEMENTS = words_of(
    "a abbr acronym address article aside b bdi bdo big blockquote br button caption center cite code col "
    "colgroup data dd del details dfn dialog dir div dl dt em fieldset figcaption figure font footer form h1 "
    "h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd label legend li main map mark menu meter nav nobr "
    "ol optgroup option output p picture pre progress q rb rp rt rtc ruby s samp search section select slot "
    "small span strike strong sub summary sup table tbody td textarea tfoot th thead time tr tt u ul var wbr"
)
#: Elements of drawings (SVG) that only draw.
DRAWN = words_of(
    "svg g path rect circle ellipse line polyline polygon text tspan textpath defs symbol use lineargradient "
    "radialgradient stop clippath mask pattern marker title desc switch filter fegaussianblur feoffset "
    "feblend fecolormatrix fecomposite feflood femerge femergenode femorphology fedropshadow "
    "fecomponenttransfer fefunca fefuncb fefuncg fefuncr"
)
#: Elements of formulas (MathML Core) that only show.
FORMULAS = words_of(
    "math mi mn mo ms mtext mspace mrow mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup "
    "munder mover munderover mmultiscripts mprescripts mtable mtr mtd semantics"
)
#: Elements that go with everything in them.
DROPPED = words_of(
    "script style link meta base title template noscript noembed noframes param source track datalist "
    "annotation annotation-xml foreignobject animate animatemotion animatetransform animatecolor set discard "
    "mpath image feimage handler listener area head metadata basefont bgsound keygen"
)
#: Elements in whose place a note stands, with what it says.
NOTED = {
    "iframe": "A frame of the page, which is not shown here",
    "frame": "A frame of the page, which is not shown here",
    "frameset": "Frames of the page, which are not shown here",
    "fencedframe": "A frame of the page, which is not shown here",
    "portal": "A frame of the page, which is not shown here",
    "object": "Embedded content, which is not shown here",
    "embed": "Embedded content, which is not shown here",
    "applet": "Embedded content, which is not shown here",
    "video": "A video, which is not shown here",
    "audio": "A recording, which is not played here",
    "canvas": "A drawing made by a script, which is not shown here",
}
#: Elements that browsers read in a way of their own, and what they are written as.
RENAMED = {"xmp": "pre", "listing": "pre", "plaintext": "pre", "marquee": "span", "image": "img"}
VOID = words_of("br col hr img input wbr")

_GLOBAL = words_of(
    "class dir lang title role hidden datetime align valign width height bgcolor color face size border "
    "cellpadding cellspacing colspan rowspan scope headers span start reversed value open checked selected "
    "multiple rows cols placeholder label alt nowrap noshade clear compact hspace vspace frame rules summary "
    "abbr min max low high optimum wrap cite-type type id"
)
_DRAWING = words_of(
    "viewbox preserveaspectratio d x y x1 x2 y1 y2 cx cy r rx ry fx fy points transform fill fill-opacity "
    "fill-rule stroke stroke-width stroke-linecap stroke-linejoin stroke-dasharray stroke-dashoffset "
    "stroke-opacity stroke-miterlimit opacity offset stop-color stop-opacity gradientunits gradienttransform "
    "spreadmethod patternunits patterncontentunits patterntransform clippathunits clip-path clip-rule mask "
    "maskunits maskcontentunits markerwidth markerheight markerunits refx refy orient marker-start "
    "marker-mid marker-end dx dy rotate textlength lengthadjust text-anchor dominant-baseline "
    "alignment-baseline baseline-shift font-size font-family font-weight font-style letter-spacing "
    "word-spacing text-decoration visibility display overflow vector-effect shape-rendering text-rendering "
    "color-interpolation-filters filter filterunits primitiveunits stddeviation in in2 result mode operator "
    "k1 k2 k3 k4 flood-color flood-opacity radius tablevalues slope intercept amplitude exponent values "
    "pathlength paint-order xmlns version"
)
_MATHS = words_of(
    "mathvariant displaystyle scriptlevel linethickness stretchy symmetric fence separator lspace rspace "
    "minsize maxsize largeop movablelimits accent accentunder columnalign rowalign columnspacing rowspacing "
    "depth voffset mathcolor mathbackground mathsize display"
)
_PREFIXED = re.compile(r"(?:data|aria)-[a-z0-9_.-]{1,80}\Z")
#: Names of elements that pages define for themselves: a style sheet may name them.
_OWN = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+\Z")
#: Names of that form that stand for something else (HTML, "valid custom element name").
_NOT_OWN = words_of(
    "annotation-xml color-profile font-face font-face-src font-face-uri font-face-format font-face-name "
    "missing-glyph"
)
#: Types of fields that only show something.
FIELDS = words_of("checkbox radio text search range number date time month week color email tel url")
#: What the page must not name: the marks are ours.
RESERVED = "verifaible"
#: The longest value of an attribute that is written; ``data-`` attributes may hold whole files.
LONGEST_VALUE = 20_000


def is_own_element(tag: str) -> bool:
    """Whether a name is one that a page may give to an element of its own."""
    return _OWN.match(tag) is not None and tag not in _NOT_OWN and not tag.startswith(RESERVED)


def is_allowed(name: str) -> bool:
    """Whether an attribute is written, its value being text; those that hold addresses or styles are not."""
    if name in _GLOBAL or name in _DRAWING or name in _MATHS:
        return True
    return _PREFIXED.match(name) is not None and not name.startswith(f"data-{RESERVED}")
