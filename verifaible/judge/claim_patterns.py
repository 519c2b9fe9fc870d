"""Patterns by which sentences are cut into parts: what may part them, and what stands beside a cut."""

from __future__ import annotations

import re
from typing import Final

from verifaible.answers.name_words import words_of
from verifaible.judge.claim_words import DISCOURSE, DISCOURSE_HAN

HAN = re.compile(r"[\u3400-\u9fff]")
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
LED_BY = re.compile(r"(?:led|driven|followed|supported|helped|hurt|dragged|offset) by\b", re.IGNORECASE)
CHANGE = re.compile(
    r"(?:an?|the)\s+(?:\w+\s+)?[\d.,]+\s?(?:%|percent|bps?|x|-fold)?\s*(?:\w+\s+){0,2}?"
    r"(?:increase|decrease|rise|drop|gain|decline|jump|fall|surge|slide|growth|premium|discount|change|loss)"
    r"\b",
    re.IGNORECASE,
)
#: ``61% below its peak``: a value that is told of what it is compared with.
COMPARED = re.compile(
    r"(?:(?:about|roughly|nearly|almost|some|over)\s+)?[\d.,]+\s?(?:%|percent|bps?|[x×])\s+"
    r"(?:(?:below|under|above|off|over|higher|lower|down|up|more|less|shy)\b)",
    re.IGNORECASE,
)
#: Over which time a change is told, behind its value.
SPAN = re.compile(
    r"\s*(?:(?:day|week|month|quarter|year)[- ](?:on|over)[- ](?:day|week|month|quarter|year)"
    r"|[dwmqy]o[dwmqy]|[dwmqy]/[dwmqy]|year[- ]to[- ]date|ytd)\b",
    re.IGNORECASE,
)
#: The word behind a number that says what is counted.
COUNTED = re.compile(r"\s?([^\W\d_][^\W_]*)\b(?![-’'])")
TIMES: Final = words_of(
    """
    hour hours day days week weeks month months quarter quarters year years minute minutes second seconds
    h d w m y times percent points bps
    """
)
WITH_VALUE = re.compile(
    r"(?:an?|its|the|their|average|total|about)?\s*(?:[\w/.’'-]+\s+){1,7}?"
    r"(?:of|at|to|near|around|above|below|from)\s",
    re.IGNORECASE,
)
FUNCTION_WORDS = re.compile(
    r"(?:about|roughly|approximately|nearly|almost|around|over|under|more than|less than|up to"
    r"|at (?:most|least)|only|just|or"
    r"|at|to|"
    r"in|by|on|of|for|from|as|a|an|the|and|some|another|circa|ca|约|近|超|超过|逾|达|至|到|\W)+",
    re.IGNORECASE,
)
PREPOSITION = re.compile(
    r"\s*(of|to|for|in|from|on|by|at|per|goes|went|are|is|was|were)\s+[^\W\d]", re.IGNORECASE
)
BETWEEN = re.compile(r"\b(?:between|both)\b((?:(?!\bbetween\b|\bboth\b).)*)\Z", re.IGNORECASE)
LABEL = re.compile(r"\s*[^:：.。!?？,，;；]{1,60}[:：](?=\s|[^\x00-\x7f])\s*")
THAT = re.compile(r"that\b", re.IGNORECASE)
REPORTS = re.compile(r"\b(?:that|said|says|reported|reports)\b", re.IGNORECASE)
DEPENDENT = re.compile(r"(?:which|who|whose|where|when|if|because|as|since|to|so)\b", re.IGNORECASE)
