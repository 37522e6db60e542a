"""Tells from a sentence's words whether it asks a reader to act, and whether at a
console.

A sentence *asks* if it begins with a verb in its base form. What may stand before the
verb: words of order (`Then`, `Finally,`), a place, a condition or a goal up to its
comma (`On the **Queues** tab,`, `To add a queue,`), and without a comma a place before
a gesture (`In the menu bar click …`). A *gesture* is what a hand does at a console:
`click`, `select`, `open`; an act with a named control is a *handling*. Other verbs
(`add`, `configure`) ask as well, but so does advice, so `unnumbered` wants gestures
beside them.

The verbs are rows of `_GESTURES` and `_ACTS`. A word that is not among them never makes
a sentence an instruction, because here a wrong yes turns prose into steps.
"""

from __future__ import annotations

import re
from enum import IntEnum

_GESTURES = (
    "click|collapse|confirm|deselect|double[- ]click|drag|enter|expand|go (?:back )?to|hit|hover|"
    "input|log (?:in|on|into|onto|to)|navigate|open|paste|pick|press|push|refresh|reload|"
    "right[- ]click|scroll|search for|select|sign (?:in|on|into)|submit|switch to|tap|tick|toggle|"
    "turn (?:on|off)|type|uncheck|unfold|untick|upload"
)
_ACTS = (
    "accept|access|activate|adapt|add|adjust|agree|allow|apply|approve|archive|assign|associate|"
    "attach|authorize|browse|bind|build|cancel|change|check|choose|clear|clone|close|complete|"
    "compose|configure|connect|continue|copy|create|customi[sz]e|deactivate|declare|define|delete|"
    "deny|deploy|describe|detach|disable|disconnect|discard|download|drop|duplicate|edit|enable|"
    "ensure|execute|export|extend|fill|find|finish|generate|give|grant|group|hide|identify|import|"
    "include|increase|insert|inspect|install|invite|issue|join|keep|launch|leave|limit|link|list|"
    "load|locate|lock|manage|map|mark|merge|modify|move|name|order|override|perform|place|"
    "prepare|proceed|provide|publish|purge|put|reboot|reduce|register|release|remove|rename|repeat|"
    "replace|reset|resize|restart|restore|resume|retry|return|review|revoke|rotate|run|save|"
    "schedule|search|send|set|show|skip|sort|specify|start|stop|store|supply|suspend|test|"
    "trigger|unassign|unlink|unlock|update|upgrade|use|validate|verify|view|visit|wait|write|"
    "make sure"
)
_CONTROLS = (
    r"button|box(?:es)?|check ?box(?:es)?|column|drop[- ]?down|field|grid|icon|link|list|"
    r"list ?box(?:es)?|menu|option|pane|panel|radio|row|selector|slider|switch(?:es)?|tab|"
    r"table|toggle|toolbar|tree"
)
_HANDLED = re.compile(
    r"(?:use(?! an?\b| the following\b)|set|adjust|provide|specify|choose|find|locate|check|"
    rf"clear|activate|deactivate|enable|disable|mark|change|switch|turn|move|fill|store)\b[^.:;]{{1,100}}?\b(?:{_CONTROLS})s?\b",
    re.I,
)
_ABOUT = re.compile(
    r"(?:use|access)\b[^.:;]{1,80}?\b(?:dialog|wizard|window|page|functionality|feature|tool|"
    r"utility)s?\b|check out\b|make (?!sure)|find out\b",
    re.I,
)
"""What begins like an act and says what something is for, or points elsewhere."""
_GESTURES_ZH = (
    "单击|点击|双击|右击|右键|点选|选择|选中|勾选|取消勾选|打开|关闭|进入|前往|访问|登录|输入|填写|"
    "填入|粘贴|拖动|展开|收起|切换|搜索|查找|找到|上传|刷新|保存|提交|确认|指定"
)
_ACTS_ZH = (
    "添加|新增|新建|创建|删除|移除|修改|编辑|设置|配置|启用|禁用|停用|开启|启动|停止|重启|绑定|解绑|"
    "等待|确保|检查|查看|复制|下载|导入|导出|完成|返回"
)
_ORDER = re.compile(
    r"(?:(?:(?:and\s+)?then|next|now|again|please|also|optionally|additionally|alternatively|"
    r"first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|lastly|afterwards|after that|simply|just|"
    r"\(?optional\)?|step\s+\d{1,3})\s*[,.:–—]?\s+|\(?\d{1,3}[.)]\s+)",
    re.I,
)
_CLAUSE = re.compile(
    r"(?!for (?:example|instance|more|details)\b)"
    r"(?P<word>to|in order to|in|on|at|from|under|within|inside|for|with|when|if|once|after|as soon"
    r" as|before|via|using|by|while|depending on)\b[^,;:]{1,160}?,\s+",
    re.I,
)
_PLACE = re.compile(
    rf"(?:in|on|at|from|under|within|inside)\b[^,;:.]{{1,80}}?\s(?=(?:{_GESTURES})\b)", re.I
)
_BEFORE_ZH = re.compile(
    r"(?:(?:请|再|然后|接着|最后|首先|并)+|(?:在|从|如果|若|当)[^。；]{1,60}?[，,中后时上]{1,2})\s*"
)
_VERB = re.compile(rf"(?:(?P<gesture>{_GESTURES})|(?P<act>{_ACTS}))(?![\w'’/-])", re.I)
_VERB_ZH = re.compile(rf"(?:(?P<gesture>{_GESTURES_ZH})|(?P<act>{_ACTS_ZH}))")
_NAMED = re.compile(r"\s*(?:[:=]|[-–—]+\s|\)|$|[.!]?\s*$|,|\|)")
"""What follows the verb when it is a name: `Delete: removes the object`, `Copy`."""
_TOLD = re.compile(
    r"\s+(?:[\w-]+\s+){0,2}?(?:is|are|was|were|be|been|will|can|cannot|may|must|should|has|have|had|"
    r"does|do|allows?|shows?|contains?|consists?|refers?|provides?|means|of|and|or)\b",
    re.I,
)
"""A finite verb close behind: `Access control lists are …`; the word was a noun."""
_IS = re.compile(r"\s+[\w-]+\s+(?:is|are|was|were|has|have|can|will)\b", re.I)
_NOUNS_TOO = re.compile(
    r"access|change|check|copy|display|download|drop|export|filter|group|import|input|issue|limit|"
    r"link|list|load|log|map|mark|name|note|order|place|release|search|set|sort|start|store|switch|"
    r"tap|test|type|update|upgrade|use|view",
    re.I,
)
_ARTICLE = re.compile(
    r"\s+(?:the|an?|your|its|this|that|these|those|each|every|all|any|one|to|on|in|into|for|from|"
    r"as|up|out|off|down|at|with|by|it|them|whether|which|how|[\"“‘'`(<\d])",
    re.I,
)
MAX_READ = 600
"""Most characters of a sentence that are read: its verb stands in front."""


class Asking(IntEnum):
    """What a sentence asks for, the surer at a console the higher."""

    NOTHING = 0
    ACT = 1
    HANDLING = 2
    """An act with a named control: `Use the **Name** field to …`."""
    GESTURE = 3


def asking(text: str) -> Asking:
    """Return what a sentence asks of its reader."""
    rest = _head(text)
    found = _VERB.match(rest)
    if found is None:
        zh = _VERB_ZH.match(_BEFORE_ZH.sub("", rest, count=1))
        if zh is None:
            return Asking.NOTHING
        return Asking.GESTURE if zh["gesture"] else Asking.ACT
    after = rest[found.end() :]
    if _NAMED.match(after) and not (found["gesture"] and rest[:1].isupper() and "." in after[:1]):
        return Asking.NOTHING
    told = _TOLD if _NOUNS_TOO.fullmatch(found[0]) else _IS
    if not _ARTICLE.match(after) and told.match(after):
        return Asking.NOTHING
    if _ABOUT.match(rest):
        return Asking.NOTHING
    if found["gesture"]:
        return Asking.GESTURE
    return Asking.HANDLING if _HANDLED.match(rest) else Asking.ACT


_SECOND = re.compile(rf"\b(?:and|then)\s+(?:then\s+)?(?:{_GESTURES})(?![\w'’/-])", re.I)


def asks_twice(text: str) -> bool:
    """Return True if a sentence that asks for a gesture asks for a second one: `Click
    **Queues** and select …`."""
    return _SECOND.search(text[:MAX_READ]) is not None


_FURTHER = re.compile(rf"\b(?:and|then)\s+(?:then\s+)?(?:{_GESTURES}|{_ACTS})(?![\w'’/-])", re.I)


def goes_on(text: str) -> bool:
    """Return True if a sentence that asks for a gesture asks for something more: `Go to
    **Queues** and edit the queue`."""
    return _FURTHER.search(text[:MAX_READ]) is not None


_SHOWING = re.compile(
    r"\bto (?:view|see|display|show|reveal|list|browse|inspect|monitor|open|get|access)\b", re.I
)


def shows(text: str) -> bool:
    """Return True if a sentence that asks for a gesture says what will be seen: `Click
    **Queues** to view a list of them`."""
    return _SHOWING.search(text[:MAX_READ]) is not None


_DOING = re.compile(r"\W*(?:\d[\d.]*\s+)?(?!using\b|understanding\b)[a-z]{2,}ing\s+\S", re.I)


def is_task(heading: str) -> bool:
    """Return True if a heading says what is done under it: `Add a queue`, `Adding
    queues`."""
    return asking(heading) is not Asking.NOTHING or _DOING.match(heading) is not None


_GOAL = re.compile(
    r"^\W{0,3}(?:(?:if|when) you (?:want|need|wish) to|in order to|to)\s+(?!(?:the|an?|learn|get"
    r" (?:more|help)|see more|read more|find out)\b)[a-z]",
    re.I,
)


def has_goal(text: str) -> bool:
    """Return True if a sentence begins with its goal: `To add a queue, …`."""
    return _GOAL.match(text) is not None


def _head(text: str) -> str:
    """Return the sentence from its first word on that may be the verb."""
    rest = text[:MAX_READ].lstrip(" \t*_(\"“'‘•·-–—")
    for _ in range(4):
        found = _ORDER.match(rest) or _CLAUSE.match(rest)
        if found is None:
            break
        rest = rest[found.end() :]
    place = _PLACE.match(rest)
    return rest[place.end() :] if place else rest
