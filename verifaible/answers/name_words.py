"""The words by which names are told from other words, in the languages that are read."""

from __future__ import annotations

from typing import Final

from verifaible.text.lists import in_order, words_of

#: Stand before a name and are not part of it.
ADDRESSES: Final = words_of(
    """
    mr mrs ms miss dr prof professor governor gov president chair chairman chairwoman chairperson
    secretary minister senator sen rep judge justice sir lord ceo cfo director commissioner
    chancellor premier herr frau präsident präsidentin kanzler kanzlerin minister ministerin
    bundeskanzler professorin m mm mme mlle monsieur madame président présidente ministre docteur
    """
)
#: Capitalised wherever they stand, and no names: days, months, pronouns.
NOT_NAMES: Final = words_of(
    """
    i i'm i've monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec sie ihnen
    ihr ihre ihrer ihrem ihren montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz
    mai juni juli oktober dezember q1 q2 q3 q4 h1 h2 fy yoy qoq mom bp bps ok n/a
    """
)
#: Words that begin sentences and are no part of the name behind them.
FIRST_WORDS: Final = words_of(
    """
    the a an this that these those it its it's he she they we you his her their our your my there here what
    which who when where why how if in on at by for from to of with as and but or so yet nor not no yes after
    before since until while although though because during under over between among against about above below
    near according however moreover furthermore also thus therefore hence then now today finally first second
    third next last both each every all some any many most several few such other another more less only even
    still just once both either neither let's that's there's what's today's per via like unlike despite within
    without through across real total core average annual monthly quarterly headline overall new net gross
    global domestic former current see call note source sources answer summary result results table figure der
    die das den dem des ein eine einer eines einem einen dies diese dieser dieses im in am an auf aus bei beim
    bis durch für gegen mit nach ohne seit um unter von vom vor zu zum zur zwischen über laut gemäß und oder
    aber doch denn als wenn weil da dass ob wie wo wer was welche er es sie wir ihr ich man so auch nur noch
    schon damit dabei danach davor dort hier heute jedoch außerdem insgesamt etwa rund trotz während wegen
    kein keine alle viele einige mehr beide jede jeder jedes rufen quelle le la les l un une des du de d ce
    cet cette ces il elle ils elles on nous vous je tu son sa ses leur leurs en au aux à dans par pour avec
    sans sous sur vers chez entre depuis pendant avant après selon d'après et ou mais donc or ni car que qui
    quoi dont où si comme quand lorsque puisque ainsi aussi cependant toutefois enfin puis alors ensuite tous
    toutes tout toute plus moins rien aucun aucune appelez voir
    """
)
#: Small words inside a name.
CONNECTORS: Final = {
    "en": words_of("of de la du van von der the & for") - {"the", "for"},
    "fr": words_of("de du des la d & en l'") - {"des", "en"},
    "de": words_of("von van"),
}
#: Frequent words by which a language is known; those of several languages are left out.
LANGUAGE_WORDS: Final = {
    "en": words_of(
        """
        the of and is are was were to for with by at from that this it its which has had have be
        been not as or but more than
        """
    ),
    "de": words_of(
        """
        der die das den dem des und ist sind nicht von vom zum zur für mit auf bei wird wurde werden ein eine
        einer eines im am betrug beträgt lag liegt nach über laut sich als auch es war herr frau
        """
    ),
    "fr": words_of(
        """
        le la les du au aux est sont une un dans pour avec par sur selon qui que ce cette il elle et
        en des ne pas était a été mme
        """
    ),
}

#: Longest first: the name ends with the longest that fits.
ZH_SUFFIXES: Final = in_order(
    """
    股份有限公司 有限责任公司 集团有限公司 有限公司 集团公司 公司 集团 银行 交易所 委员会 总局 监管局
    统计局 管理局 协会 学会 大学 研究院 研究所 研究中心 法院 检察院 医院 基金会 出版社 日报 电视台
    自治区 自治州 办公厅 总署 局 省 市 县
    """
)
ZH_MINISTRIES: Final = in_order(
    """
    工业和信息化部 工信部 人力资源和社会保障部 人社部 住房和城乡建设部 住建部 科学技术部 科技部 财政部 商务部
    外交部 教育部 公安部 国家安全部 民政部 司法部 自然资源部 生态环境部 交通运输部 水利部 农业农村部
    文化和旅游部 国防部 证监会 银保监会 发改委 国资委 卫健委 国务院 外汇局 国家发展改革委 金融监管总局
    """
)
#: Never a part of a name that ends as above; 为 stands in 华为, 和 in 和记.
ZH_BREAKS: Final = in_order(
    """
    根据 按照 其中 此外 截至 目前 今年 去年 昨日 今日 同期 我国 当地 来自 的 与 及 在 由 对 从 到
    (?<!华)为 是 于 被 将 了 并 或 据 按 经 让 使 把 称 说 以 而 其 该 本 此 各 每 某 和(?!记|平|谐)
    (?<=[一二两三四五六七八九十几数多])[家个位名] 有(?!限|色|研) 向(?!阳) 全(?!国) 等
    """
)
ZH_GENERIC: Final = in_order(
    """
    城市 超市 上市 股市 楼市 都市 直辖市 地级市 省市 县市 格局 布局 结局 僵局 全局 大局 当局 邮局
    上市公司 子公司 母公司 分公司 控股公司 股份公司 中央银行 商业银行 投资银行 政策性银行 人民法院 郊县
    """
)
ZH_TITLES: Final = in_order(
    """
    先生 女士 主席 总理 总统 首相 部长 行长 局长 省长 市长 县长 主任 教授 博士 总裁 董事长 总经理 院长
    会长 校长 秘书长 委员长 书记 发言人 记者
    """
)
SURNAMES: Final = (
    *("欧阳", "司马", "上官", "诸葛", "东方", "皇甫", "尉迟", "公孙", "慕容", "令狐"),
    *"王李张刘陈杨黄赵周吴徐孙朱马胡郭林何高梁郑罗宋谢唐韩曹许邓萧冯曾程蔡彭潘袁于董余苏叶吕魏蒋田杜丁沈姜范江傅钟"
    "卢汪戴崔任陆廖姚方金邱夏谭韦贾邹石熊孟秦阎薛侯雷白龙段郝孔邵史毛常万顾赖武康贺严尹钱施牛洪龚易习温胡尚肖",
)
#: Characters that begin the verb or the word behind a name of two characters.
VERB_BEGINNINGS: Final = frozenset(
    "出表指说称认在对向于和与及的是为会主宣介参发强到访将也就已曾担当被率签作做提要回接应同前等从今昨日上"
)

JA_OFFICES: Final = words_of(
    """
    財務 総務 外務 法務 経済産業 国土交通 厚生労働 文部科学
    農林水産 防衛 環境 内閣総理 総理 副 前 元 現 新 同 両 各 代表取締役 取締役 名誉 副総 都 道 府 県
    """
)
JA_GENERIC: Final = in_order(
    """
    首都 政府 都市 各省 各県 各市 同省 同県 同市 同庁 同府 中央銀行 関係省庁 省庁 官庁 反省 帰省 幕府
    朝市 古都 大都市
    """
)
