"""Patterns by which sentences are cut into parts: what may part them, and what stands beside a cut."""

from __future__ import annotations

import re

from verifaible.judge.claims.words import DISCOURSE, DISCOURSE_HAN

PROTECTED = re.compile(
    r"\((?:[^()]|\([^()]*\))*\)|（[^（）]*）|\[[^\[\]]*\]|“[^“”]*”|「[^「」]*」|『[^『』]*』|《[^《》]*》"
    r"|«[^«»]*»|(?<!\w)\"[^\"]*\"(?!\w)"
)
SEPARATOR = re.compile(
    r"[ \t]*(?:；|;(?!\w))[ \t]*(?:(?:and|but|while|whereas|yet)[ \t]+)?"
    r"|[ \t]+[-–—][ \t]*(?:and|but|while|whereas|yet|though)[ \t]+|—(?:and|but|while|whereas)[ \t]+"
    r"|[ \t]*[,，][ \t]*(?:(?:and|but|while|whereas|although|though|yet|or|plus|with)[ \t]+)?"
    r"|(?<=\S)[ \t]+(?!and[ \t]+an?[ \t]+(?:half|quarter|third)\b(?![ \t]+of\b))"
    r"(?:and|but|while|whereas|with)[ \t]+"
    r"|、|(?<=[\u3400-\u9fff）\d%])(?:和|与|及|以及)(?=\S)",
    re.IGNORECASE,
)
CONJUNCTION = re.compile(r"(?:and|but|while|whereas|although|though|yet|or|with|plus)\b", re.IGNORECASE)
LEADS = re.compile(
    rf"\s*(?:(?:{DISCOURSE})\s*[,:，：]\s*|(?:{DISCOURSE_HAN})\s*[,，:：]\s*"
    r"|(?:and|but|so|yet|or)\s+(?=\w)|(?:但是|但|而|同时|并且|并|且|然而|不过)(?=[^\W_]))",
    re.IGNORECASE,
)
#: What the author adds of his own to what he states.
OWN_VIEW = re.compile(
    r"(?:which|that)?\s*\b(?:i|we)\s+(?:think|believe|consider|regard|view|see|expect)\b"
    r"|(?:in|to)\s+(?:my|our)\s+(?:view|opinion|mind|judge?ment)\b|(?:在)?(?:我|我们)(?:认为|觉得|看来)",
    re.IGNORECASE,
)
CONCESSION = re.compile(r"\s*(?:(?:while|whereas|although|though)\s+|虽然|尽管)(?=\S)", re.IGNORECASE)
BETWEEN = re.compile(r"\b(?:between|both)\b((?:(?!\bbetween\b|\bboth\b).)*)\Z", re.IGNORECASE)
LABEL = re.compile(r"\s*[^:：.。!?？,，;；]{1,60}[:：](?=\s|[^\x00-\x7f])\s*")
THAT = re.compile(r"that\b", re.IGNORECASE)
REPORTS = re.compile(r"\b(?:that|said|says|reported|reports)\b", re.IGNORECASE)
DEPENDENT = re.compile(r"(?:which|who|whose|where|when|if|because|as|since|to|so)\b", re.IGNORECASE)
#: Begins a Chinese clause that has a subject of its own; others have that of the clause before them.
OTHERS_HAN = re.compile(
    r"\s*(?:而|但是|但|然而|不过|同时)?\s*(?:[A-Z]|比特币|以太坊|币安|欧易|莱特币|狗狗币|瑞波|泰达|贝莱德|富达|灰度|高盛|摩根|花旗|渣打|美联储"
    r"|证监会|美国|英国|韩国|日本|德国|法国|印度|新加坡|香港|欧盟|加拿大)"
)
