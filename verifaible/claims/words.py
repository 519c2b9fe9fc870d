"""The words by which claims are told apart: verbs, connectors, hedges, judgements, names of the field.

All lists are lower case. They were put together for the answers of analysts of crypto markets in English and
Chinese, and hold general words of reporting; a word that is missing makes two claims one, or a claim of a
neighbouring kind, never a lost claim.
"""

from __future__ import annotations

from typing import Final

from verifaible.text.lists import words_of

AUXILIARIES: Final = words_of(
    """
    is are was were has have had will would can could may might must should does do did isn't aren't wasn't
    weren't hasn't haven't hadn't won't can't cannot couldn't doesn't don't didn't it's that's there's
    remains stays becomes looks seems appears feels
    """
)
#: Past forms that do not end in -ed.
PAST: Final = words_of(
    """
    rose fell grew held lost stood sat broke rebounded shrank began led left built ran bought sold sued
    paid lent said saw showed cost spent drew became went came brought took made gave got set put kept
    meant chose hit cut won beat fed slid sank swung withdrew hid spun stole drove wrote told found
    """
)


#: Begin a clause that says no more than when, why or on which condition.
SUBORDINATORS: Final = words_of(
    """
    if when once unless until because since as given despite after before assuming provided should with
    without due owing for by in on at according based from under over during through across among
    """
)
CONTRASTS: Final = words_of("while whereas although though")
#: Between what is said and who says it.
RELATIVES: Final = words_of("that which who whom whose where when if because as since until unless than to")
#: No word of a name or a common noun.
SMALL_WORDS: Final = words_of(
    """
    a an the this that these those its their his her our your my and or but nor of in on at by for with from
    to as into onto over under than about after before between during through until up down it they we you
    he she i not around near against toward towards no more most less very also then so if when while which
    who whose where because however too only both all each every some any such like including namely
    according due per via within without
    """
)
DETERMINERS: Final = words_of(
    "the a an this that these those its their his her our your my each every some any no "
    "of in on at by for with"
)
DISCOURSE: Final = (
    "in summary|in short|in conclusion|to summarise|to summarize|overall|however|moreover|furthermore|"
    "additionally|in addition|meanwhile|also|therefore|thus|hence|consequently|notably|importantly|"
    "on the other hand|by contrast|in contrast|that said|nevertheless|nonetheless|finally|lastly|"
    "in particular|as a result"
)
DISCOURSE_HAN: Final = (
    "总体来看|总体而言|总的来说|总之|综上所述|综上|整体来看|整体而言|此外|另外|同时|然而|不过|但是|因此|所以|值得注意的是|"
    "需要注意的是|具体来看|具体而言|一方面|另一方面|与此同时|简而言之|换言之"
)

#: Who may be the source of a forecast without being named.
FORECASTERS: Final = words_of(
    """
    analyses analyst analysts enthusiasts expert experts forecast forecasts forecaster forecasters
    economist economists strategist strategists model models trader traders bank banks survey surveys
    estimates consensus projections observers researchers
    """
)
FORESEE: Final = words_of(
    """
    see sees saw expect expects expected predict predicts predicted project projects projected forecast
    forecasts forecasted estimate estimates estimated anticipate anticipates anticipated target targets call
    calls point points set sets put puts assume assumes imply implies suggest suggests give gives model models
    """
)
#: What is only possible, or still to come.
HEDGES: Final = words_of(
    """
    may might could would likely probably possibly perhaps potentially
    upside downside presumably should realistically plausible
    """
)
#: Judgements that no source can hold as a fact.
JUDGEMENTS: Final = words_of(
    """
    bullish bearish optimistic pessimistic strong weak solid modest attractive healthy promising mixed
    balanced constructive favourable favorable risky safe cheap expensive undervalued overvalued
    compelling robust fragile impressive disappointing crucial important key significant notable
    realistic conservative aggressive cautious volatile uncertain good bad better best worst great ideal
    suitable resilient speculative exciting explosive
    """
)
#: Begin a sentence that tells the reader to do something.
IMPERATIVES: Final = words_of(
    """
    consider track monitor watch use set diversify avoid focus keep wait check remember note always
    never do don't review follow start stay limit size buy sell hold accumulate look take make be please
    share provide tell ask let see read visit compare think treat expect position positioning allocate
    allocating consult verify research ensure prioritise prioritize plan prepare feel choose hedge scale
    """
)
DISCLAIMERS: Final = (
    r"(?:not|n't|no|never)\b[^.]{0,30}\b(?:financial|investment|trading|legal|tax)\s+advice|\bDYOR\b"
    r"|do\s+your\s+own\s+(?:research|due diligence)|past\s+performance|for\s+informational\s+purposes"
    r"|不构成|投资有风险|入市需谨慎|仅供参考|自行(?:研究|判断|承担)"
)
OFFERS: Final = (
    r"\b(?:let me know|would you like|do you (?:want|mean)|feel free|happy to"
    r"|i(?:['’](?:ll|d)| will| can| could| would)"
    r"|if you(?:'|’)?(?:d| would)? (?:like|want)|you can|you could|you may"
    r"|in (?:my|our) (?:view|opinion)|(?:to|for) me|we (?:recommend|think|believe)"
    r"|i (?:recommend|suggest|think|believe))\b"
    r"|((?:我(?:们)?|个人)(?:认为|觉得)|在我(?:们)?看来|我可以|我能|我会|您(?:还)?(?:想|需要|希望)|你(?:还)?(?:想|需要|希望)|如(?:果|需)您|欢迎|请(?:您|问|提供|告诉|注意))"
)
ADVICE: Final = (
    r"\b(?:investors?|traders?|holders?|you|we|one|users?|buyers?|sellers?)"
    r"\s+(?:should|ought|must|need to|may want)\b"
    r"|\b(?:is|are)\s+(?:recommended|advisable|advised|prudent|worth (?:watching|considering|monitoring))\b"
    r"|\bstop[- ‑]loss(?:es)?\b"
    r"|建议|应(?:当|该)?(?:关注|控制|谨慎|避免|考虑|注意|设置)|可(?:以)?考虑|宜|不宜|务必|切勿|需谨慎|止损"
)
HEDGES_HAN: Final = (
    r"可能|有望|或将|或会|预计|预期|料将|大概率|或许|也许|恐|倾向于|将会|有潜力|看(?:涨|跌|好|淡)至"
)
ATTRIBUTED_HAN: Final = (
    r"据|根据|按照|(?:分析师|专家|机构|市场|银行|交易员|研究员|模型|[A-Za-z][\w.]*|高盛|花旗|渣打|摩根\w{0,3})"
    r"(?:普遍|均|则)?(?:预计|预测|预期|认为|估计|指出|称|表示|看到|目标)"
)
CONDITIONS_HAN: Final = (
    r"\s*(?:若|如果|如|一旦|假如|倘若|只要|除非|当|随着|由于|因为|鉴于|"
    r"在|于|自|截至|截止|据|根据|按照|按|对于|对|从|通过|为了|作为)"
)
VERBS_HAN: Final = (
    r"上涨|下跌|上升|下降|增长|减少|增加|涨|跌|升|降|为|达|是|有|报|占|超过|突破|跌破|支持|采用|推出|上线|完成|融资|获得|发布|宣布|"
    r"成立|创立|创始|收购|合作|批准|通过|拒绝|起诉|暂停|恢复|使用|允许|提供|运行|销毁|质押|锁定|解锁|释放|流入|流出|持有|控制|管理|"
    r"发行|回购|投资|领投|投票|升级|迁移|部署|看涨|看跌|看好|认为|预计|表示|指出|显示|处于|维持|保持|位于|属于|由|需要|会|能|并存|加剧|"
    r"出现|形成|触及|收于|报收|转为|来自|远高于|远低于|高于|低于|走强|走弱|回落|反弹|企稳|震荡|收紧|放缓|加快|拥有|包括|包含|收取|支付|结算|验证|执行"
)
#: Acronyms and words that name no one.
NOT_ENTITIES: Final = words_of(
    """
    crypto cryptocurrency altcoin altcoins web3 markets rsi macd sma ema tvl defi nft nfts etf etfs ai
    l1 l2 l2s dao dex dexs cex usd eur api fdv apy apr kyc aml q1 q2 q3 q4 ath atl oi roi lst lsts rwa
    rwas evm zk pos pow tps yoy mom qoq ytd p/e p/s p/b hodl fomo fud dyor p2p amm otc ico ido cpi gdp
    layer option step phase scenario note tip risk tokenomics metric value bull bear supply market price
    volume support resistance consensus h1 h2 cefi gamefi depin tradfi ui ux uuid sdk mixed rising
    approx actionable short-term long-term near-term medium-term key ma ii iii iv
    """
)
#: What is counted by a spelled or small number without being measured.
COUNTED_POINTS: Final = words_of(
    """
    factor factors reason reasons option options scenario scenarios way ways step steps point points
    thing things question questions key main major category categories theme themes driver drivers risk
    risks type types
    """
)
#: A number before one of these says over which time something is measured.
PARAMETER_OF: Final = (
    r"sma|ema|ma|moving|volume|change|high|low|range|average|rsi|trend|rolling|lookback|chart|chg|vol|"
    r"交易量|成交量|成交额|涨跌|均线|跌|涨|变化"
)
