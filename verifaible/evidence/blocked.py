# ruff: noqa: E501 - an alternative of a pattern is easier to read unbroken
"""Recognising pages that are not the content: nothing of them may become evidence."""

from __future__ import annotations

import re
from dataclasses import dataclass

from verifaible.errors import PageBlocked
from verifaible.evidence.material import LoadState, Material

HALF_LOADED = "a half-loaded page"
#: Of what a page says that is no content, so much goes with the refusal, in code points.
_SHOWN = 500

#: Above this many characters a page has content of its own beside any banner.
#: Calibrated on the replicas (shortest content page: 380 characters) and common block pages.
_SHORT = 1_200
#: Beside a sign that content may hold too, a block page says no more than this many characters.
#: Calibrated on scripts/accuracy: the innocent pages say more beside such a sign.
_BESIDE = 40
#: A page that asks for JavaScript says no more than this.
_ONE_NOTICE = 160
#: A line of this length that ends as a sentence does is content, and so are two lines with figures.
_SENTENCE = 40
_FIGURES = 2
#: A picture of so many square pixels (a tenth of the screen) is content too.
_PICTURE = 115_000
#: Such signs are this part of a label; in a line that says something about them they are less.
_LABEL = 0.4


@dataclass(frozen=True, slots=True)
class _Sign:
    """What one kind of block page says.

    ``certain`` addresses the visitor as content does not. ``possible`` stands in content too:
    it counts only where the page says next to nothing else.
    """

    name: str
    certain: re.Pattern[str]
    possible: re.Pattern[str]


def _sign(name: str, certain: str, possible: str) -> _Sign:
    return _Sign(name, re.compile(certain, re.IGNORECASE), re.compile(possible, re.IGNORECASE))


_YOU_ARE = r"you(?:['’]?re| are)"
_LOG_IN = r"(?:sign(?:ing)?|log(?:ging)?)[ -]?in"
_SIGNS: tuple[_Sign, ...] = (
    _sign(
        "a captcha or bot check",
        rf"(?:verify(?:ing)?|confirm|prove|check(?:ing)?) (?:that )?{_YOU_ARE} (?:a |not a )?(?:human|real person|robot|bot)"
        rf"|(?:sure|that) {_YOU_ARE} not a (?:ro)?bot|made us think (?:that )?you|automated (?:access|requests|queries)|不是机器人|words? shown in the (?:picture|image)|you have been blocked"
        r"|unusual (?:traffic|activity) from your|press (?:&|and) hold|checking (?:your browser|if the site connection)"
        r"|(?:enable|turn on) (?:javascript and cookies|cookies and javascript)|security of your connection before"
        r"|(?:complete|solve|enter) the (?:captcha|security check|characters|puzzle)|pardon our interruption"
        r"|请(?:先|您)?(?:完成|通过|进行)(?:下方|以下|安全|人机|滑动)*验证|(?:拖动|滑动).{0,8}滑块|按(?:顺序|住滑块)|请输入.{0,6}验证码"
        r"|(?:访问|操作)?行为(?:存在)?异常|(?:您|你)的(?:请求|访问|IP).{0,12}(?:已被|被).{0,8}(?:拦截|阻断|封禁|限制)|正在.{0,8}浏览器.{0,6}(?:检查|检测)"
        r"|(?:点击|完成).{0,8}(?:拼图|图中的文字)",
        r"captcha|(?:ro)?bot (?:check|detection)|are you (?:a )?(?:robot|human)|not a robot|just a moment"
        r"|attention required|security (?:check|verification)|ray id|安全验证|人机验证|滑动验证|验证码|访问验证|安全检查",
    ),
    _sign(
        "a login page",
        rf"{_LOG_IN} (?:or (?:sign|log|join|register)\S*(?: up| in)? )?to (?:continue|view|see|read|access|proceed|your account)"
        rf"|(?:must|need to|have to) (?:be logged in|be signed in|log in|sign in|register)\b.{{0,20}}(?:to|before|first)"
        rf"|need an account to|仅(?:对|限)(?:注册|登录|认证)(?:用户|会员)|session has (?:expired|timed out)|please (?:log|sign) in (?:again|to|first)|(?:for|to|available to) (?:registered )?members only"
        r"|forgot(?:ten)? (?:your |my )?password\??\s*(?:\n|$)|(?:请先|请重新|需要)登[录陆]|登[录陆](?:之?后|即可|才能|以)(?:可|方可|才能|再)?(?:查看|阅读|可见|继续|访问|浏览)"
        r"|(?:您|你)?(?:尚未|还未|还没有?|没有)登[录陆]|登[录陆](?:状态)?(?:已|超时|失效|过期)|忘记密码|扫码登[录陆]",
        rf"{_LOG_IN}|log on|login|password|user ?name|e-?mail(?: address)?|create an account|remember me|keep me signed in"
        r"|continue with \w+|用户名|手机号|学号|工号|登[录陆]|注册|密码|账号",
    ),
    _sign(
        "a paywall",
        r"(?:subscribe|subscription|sign up|register|pay).{0,40}(?:to (?:continue|keep) reading|to read|for (?:unlimited|full) access|to unlock)"
        r"|to (?:continue|keep) reading|to read the (?:full|whole|rest)|(?:you['’]?ve|you have|you) (?:reached|used|read|hit).{0,30}free (?:articles|stories)"
        r"|(?:article|content|story) is (?:only )?(?:for|available to|reserved for|exclusive to) (?:our )?(?:paying )?(?:subscribers|members)"
        r"|(?:already|not yet) a subscriber\?|unlock this (?:article|story)|no (?:more )?free (?:articles|stories)"
        r"|(?:付费|会员|订阅|开通).{0,12}(?:后|即可|才能|可).{0,6}(?:阅读|查看|解锁|继续)|(?:需|须|要)(?:付费|订阅|购买).{0,4}(?:阅读|查看)"
        r"|(?:本文|文章|全文|内容)(?:为|是|属于)?.{0,4}(?:付费|会员专享|订阅)(?:内容|文章|可见)?|免费.{0,8}(?:已|用)(?:用)?(?:完|尽)"
        r"|试读(?:已)?结束|购买后.{0,4}(?:阅读|查看)",
        r"subscribe|subscriber|premium content|paywall|choose your plan|立即订阅|开通会员|付费内容",
    ),
    _sign(
        "a consent page",
        r"before you (?:continue|proceed)(?: to|:|$|\n)|同意并(?:继续|进入)|继续(?:使用|访问|浏览)?之?前，请|asks for your consent|and our (?:\d[\d,.]* )?(?:advertising )?partners"
        r"|you must be (?:at least )?\d\d|(?:are|i am) (?:over|at least) (?:18|21)\b|(?:请确认|未满|年满).{0,6}(?:18|十八)周?岁.{0,20}(?:进入|离开|访问)",
        r"cookies?\b|your privacy|consent|accept all|reject all|i agree|manage options|隐私|全部接受|全部拒绝|管理设置|是否同意",
    ),
    _sign(
        "an error page",
        r"(?:page|content|article|item|file|link|url|product|listing|post|document|address)s? (?:that )?you(?:['’]?re| are| were|['’]?ve| have)?(?: looking for| requested| tried| followed| clicked)"
        r"|(?:that|this|the) (?:page|content|article|post|product|item|listing|file|video) (?:can['’]?t|can ?not|could ?n['’]?t|could not|was not|is no longer|is(?: not|n['’]t)|has been|does(?: not|n['’]t)) "
        r"(?:currently |be )?(?:found|available|exist|removed|deleted|shown|displayed)(?=[^\n]{0,60}(?:$|\n|\.))|nothing (?:was )?found (?:at|here)"
        r"|(?:you )?(?:don['’]?t|do not) have (?:permission|access|authori[sz]ation)|not available in your (?:country|region|area)"
        r"|(?:something|an error|this) (?:went wrong|has occurred|occurred|happened)\W.{0,40}(?:try|reload|refresh)|please try again (?:later|in)"
        r"|application error:|exception has occurred|(?:this )?site can['’]?t be reached|this page is missing|server (?:encountered|is (?:too busy|temporarily)|did ?n['’]t respond)|(?:您|你)(?:要|所|请求)?(?:访问|查找|浏览|请求)的(?:页面|内容|文章|网页|资源)"
        r"|(?:页面|网页|文章|内容|链接|帖子|商品|资源).{0,4}(?:不存在|已?被.{0,4}删除|已失效|已下[架线]|走丢)(?:或|了|$|\n|，请)|(?:^|\n)\W*(?:抱歉|对不起)?\W*(?:页面|网页|文章|内容)(?:已)?不存在|找不到(?:该|您|你|此|相关)?.{0,6}(?:页面|网页|文件)"
        r"|(?:加载|连接|读取|请求)失败(?:$|\n|[，,。！]?.{0,4}(?:重试|刷新|稍后))|服务(?:器)?.{0,4}不可用|(?:您|你)(?:查看|浏览)的.{0,6}已(?:下架|失效|删除)|(?:内容|文章)已被.{0,6}(?:删除|屏蔽)|(?:没有|无)权限?(?:访问|查看)|(?:系统|服务器|网络)(?:繁忙|异常|错误|内部错误|开小差)[，,。！!]?.{0,4}(?:请|稍后)",
        r"\b(?:40[0134]|410|451|50[0-4])\b|not found|can(?:['’]t|not) be found|does ?n[o'’]t exist|access denied|forbidden|bad gateway|gateway time-?out|service unavailable"
        r"|internal server error|something went wrong|no longer available|page (?:was |could )?(?:not|n't)|is(?: not|n['’]t) available|oops|出错|错误|不存在|失败|已删除|无法访问|下架",
    ),
    _sign(
        "a maintenance page",
        r"(?:be|come|check) back (?:soon|later|shortly)|(?:site|service|system|page)s? (?:is|are) (?:currently |temporarily )?(?:down|offline|unavailable|undergoing|under (?:maintenance|construction))"
        r"|(?:系统|网站|平台|服务)(?:正在|正)?.{0,4}(?:升级|维护)(?:中|，)|暂停(?:访问|服务)|(?:site|service|page) will be (?:available|back|online)|(?:网站|系统|页面).{0,4}改版中|带来(?:的)?不便.{0,4}(?:敬请)?(?:谅解|见谅)",
        r"(?:scheduled |under )maintenance|under construction|temporarily unavailable|coming soon|维护中|升级维护|敬请期待|建设中",
    ),
    _sign(
        "a rate limit",
        r"(?:you have|you['’]?ve|you are|you['’]?re) (?:sent|made|sending|making|been rate).{0,30}(?:requests|too (?:many|quickly|fast)|limited)"
        r"|going too fast|try again in \d+ (?:second|minute|hour)|(?:访问|操作|请求|刷新)(?:次数)?(?:过于|太|过)(?:频繁|快|多).{0,4}(?:，|,|。|请|$|\n)|(?:访问|请求|查询)次数.{0,4}(?:超|达到|用完).{0,12}(?:请|再|$)",
        r"(?:访问|在线)?人数过多|排队等[候待]|too many requests|rate limit|\b429\b|过于频繁|slow down|频率限制",
    ),
)  # fmt: skip
#: Nothing but this: the content has not been loaded.
_NOT_LOADED = re.compile(
    r"(?:please wait|loading|(?:one|just a) (?:moment|second|sec)|wait a moment|initiali[sz]ing|redirecting|加载中|正在加载|正在跳转|请稍[候后等]|页面跳转中)"
    r"[\s.…,，。!！\w]{0,40}",
    re.IGNORECASE,
)
_WHAT = r"(?:(?:the |your |more |page |market |search |live )?(?:page|content|contents|data|table|chart|results?|report|document|file|list|items|comments|prices|image|map|view|application|app))"
_PLEASE = r"(?:[,.]? ?please (?:wait|be patient)|[,.]? ?this (?:may|can|will) take[ \w]{0,30})?"
#: A line that only says that something is on its way.
_LOADING_LINE = re.compile(
    rf"(?:(?:still |now |we are |we['’]re )?(?:loading|fetching|retrieving|preparing|getting|initiali[sz]ing)(?: {_WHAT}(?: data)?)?{_PLEASE}"
    r"|(?:loading|fetching|retrieving|preparing|getting|initiali[sz]ing)(?: [a-z]+){0,4}(?: \d{1,3} ?%)?(?= ?(?:…|\.\.))"
    rf"|{_WHAT}(?: is| are)(?: still| now| being)? (?:loading|loaded|prepared|fetched){_PLEASE}"
    r"|(?:please |just )?(?:wait|hold on|one moment|a moment)(?: please)?(?: while [\w ,'’]{1,50}| a moment)?"
    r"|(?:数据|页面|内容|图表|列表|表格|行情|资源|信息|结果)?(?:正在|努力|拼命|玩命)?(?:加载|载入|读取|获取|查询)(?:数据|内容|页面)?中(?:[，,]?请?(?:您)?(?:稍[候后等]|耐心等[待候]))?"
    r"|(?:数据|页面|内容|图表|列表|表格)?(?:正在|努力|拼命|玩命)(?:为您)?(?:加载|载入|读取|获取|查询)(?:数据|内容|页面|列表)?(?:[，,]?请?(?:您)?(?:稍[候后等]|耐心等[待候]))?"
    r"|请(?:您)?(?:稍[候后等]|耐心等[待候]))[\s.…。!！]*",
    re.IGNORECASE,
)
#: What stands at the foot of every page, and the counts of pagers.
_BOILERPLATE = re.compile(
    r"©|\(c\)|copyright|all rights reserved|版权所有|备案|ICP[备证]|公网安备|\b(?:tel|fax|phone)\b|电话|传真|邮编|page \d+ of \d+|共 ?\d+ ?[页条]|第 ?\d+ ?页",
    re.IGNORECASE,
)
_NEEDS_SCRIPT = re.compile(
    r"(?:(?:enable|requires?|turn on|activate|without|support).{0,20}(?:javascript|java script)"
    r"|javascript.{0,30}(?:disabled|required|enable|turned off)"
    r"|(?:启用|开启|禁用|支持).{0,8}javascript|javascript.{0,10}(?:启用|禁用|开启))",
    re.IGNORECASE,
)


def why_blocked(material: Material) -> str:
    """What the page is instead of content, or an empty string where it is content."""
    document = material.document
    text = document.text.strip()
    if (not text or _NOT_LOADED.fullmatch(text)) and not document.images:
        return "an empty page"
    if _is_half_loaded(material, text):
        return HALF_LOADED
    if len(text) > _SHORT:
        return ""
    return _sign_of(f"{material.title}\n{text}", text)


def _sign_of(shown: str, text: str) -> str:
    """The kind of block page that a short text, shown below its title, is the text of."""
    for sign in _SIGNS:
        if sign.certain.search(shown):
            return sign.name
    if _NEEDS_SCRIPT.search(text) and _length(text) <= _ONE_NOTICE:
        return "an empty page"
    for sign in _SIGNS:
        labelled = any(_is_label(sign.possible, line) for line in shown.splitlines() if line.strip())
        if labelled and _beside(sign.possible, text) <= _BESIDE:
            return sign.name
    return ""


def _is_half_loaded(material: Material, text: str) -> bool:
    """Whether the page broke off, or what it shows beside its frame is no more than signs of loading."""
    state = material.load_state
    if state.cut:
        return True
    if not _says_something(text):
        return any(_LOADING_LINE.fullmatch(line.strip()) for line in text.splitlines()) or _looks_unfinished(
            state
        )
    document = material.document
    frames = (block.text for block in document.blocks if block.frame > 0)
    content = "\n".join((state.main_text, *frames))
    pictures = any(each.complete and each.box.width * each.box.height >= _PICTURE for each in document.images)
    return _looks_unfinished(state) and not pictures and not _says_something(content)


def _looks_unfinished(state: LoadState) -> bool:
    said = any(_LOADING_LINE.fullmatch(line.strip()) for line in state.main_text.splitlines())
    return bool(state.busy) or said or bool(state.failed and state.empty)


def _says_something(text: str) -> bool:
    """Whether a text holds a sentence, or figures, beside what every page has at its foot."""
    figures = 0
    for line in (line.strip() for line in text.splitlines()):
        if not line or _LOADING_LINE.fullmatch(line) or _BOILERPLATE.search(line):
            continue
        if re.search(r"[.!?;:。！？；：]", line) and _length(line) >= _SENTENCE:
            return True
        figures += bool(re.search(r"\d", line))
        if figures >= _FIGURES:  # a long table is not read to its end
            return True
    return False


def _beside(pattern: re.Pattern[str], text: str) -> int:
    """The length of what the page says beside labels that are hardly more than the pattern."""
    return sum(_length(line) for line in text.splitlines() if not _is_label(pattern, line))


def _is_label(pattern: re.Pattern[str], line: str) -> bool:
    return sum(_length(match.group()) for match in pattern.finditer(line)) >= _LABEL * max(_length(line), 1)


def _length(text: str) -> int:
    """Letters of a text; an East Asian one says as much as two and a half."""
    return sum(5 if char >= "\u2e80" else 2 for char in text if not char.isspace()) // 2


def is_unready(material: Material) -> bool:
    """Whether the page may still become content if it is given time."""
    return not material.load_state.cut and why_blocked(material) in (HALF_LOADED, "an empty page")


def refuse_blocked(material: Material) -> None:
    """Raise if the page is not content.

    Raises:
        PageBlocked: names what the page is instead.
    """
    reason = why_blocked(material)
    if reason:
        raise PageBlocked(
            f"{material.url} shows {reason}, not the content, so it cannot be evidence. Use another source, "
            "or action steps that lead past it.",
            kind=reason,
            shown=f"{material.title} {material.document.text}"[:_SHOWN],
        )
