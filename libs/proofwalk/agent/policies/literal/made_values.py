"""Makes a value for a field that the document leaves to its reader.

The text that a window wants for a confirmation, a number where the field counts, a
plain word where any word will do, or where the console demands one and nothing about
the field asks for a form (an address, a path, a date). What nothing can be made for is
left, and the walk ends without blame. A made value is never among what was filled in
the document's name, so that a console which refuses it speaks of us and not of the
document.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from proofwalk.agent.page import regions
from proofwalk.agent.page.console_words import asked_to_confirm
from proofwalk.agent.page.page_fields import Field
from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.literal import fields
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.console.observation import State

WORD = "proofwalk-example"
"""Stands where any word will do, and says who made it."""
STRONG_WORD = "Proofwalk-Example-1"
"""Stands where a new password of the reader's choice is set. It is no secret."""
_DATED = {"date": "{day}", "datetime-local": "{day}T09:00", "time": "09:00"}
"""What fields of a date or a time take."""
_DATE_FORM = re.compile(r"\b(?:(?:y{4}|m{2}|d{2})([-/.])(?:m{2}|d{2})\1(?:y{4}|m{2}|d{2}))\b", re.I)
"""How a text field says that it takes a date: `YYYY/MM/DD`."""
_TIME_FORM = re.compile(r"\s+h{1,2}:mm(?P<seconds>:ss)?(?P<half>\s+(?:aa?|AM/PM))?", re.I)
"""What stands behind it where a time belongs to the date: `MM/DD/YYYY hh:mm aa`."""
_NAMED = re.compile(r"\b(?:name|id)\b|名称|标识", re.I)
_REMOVES = re.compile(r"(?:delete|remove|destroy|terminate|release)\b|删除|移除|释放|销毁", re.I)
_ENDS = re.compile(r"\b(?:to|end|ends|until|till|through|expir\w+)\b", re.I)
_A_DAY = timedelta(days=1)
_A_MONTH = timedelta(days=30)
"""How far ahead a date lies that the document leaves open."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_ANY_WORD = re.compile(
    r"\b(?:name|family|title|alias|description|remarks?|comment|notes?|purpose|reason|"
    r"explanation|justification|(?:secret|variable|header|tag|new) value)\b"
    r"|名称|姓名|标题|别名|描述|备注|说明|用途|原因|理由"
)
_NAMES_ANY = re.compile(
    r"(?:an?|the|your)(?: (?:new|unique|short|descriptive|meaningful))* "
    r"(?:name|title|description|comment|note|reason|text|message|sentence|explanation)\b"
    r"(?! (?:of|for|server)\b)"
    r"|(?:the )?(?:任意|任一|一段|自定义|便于识别|合适).{0,6}?"
    r"(?:文本|文字|内容|名称|描述|备注|说明|消息|字符)",
    re.I,
)
_NUMBERED = re.compile(r"\bnumber\b|编号|号码", re.I)
_FORMED = re.compile(
    r"\b(?:ip|cidr|mask|gateway|dns|e-?mail|mail|ur[il]|link|endpoint|domain|host(?:name)?"
    r"|server|address|path|folder|directory|file|date|time|day|month|year|zone|password|secret"
    r"|passphrase|pin|token|keys?|certificate|credential|phone|mobile|fax|zip|postal|ids?|arn"
    r"|uuid|mac|vlan|asn|version|expression|cron|schedule|json|yaml|xml|regex|pattern|query|script|code"
    r"|command|policy|region|prefix|colou?r)\b"
    r"|地址|网段|邮箱|域名|链接|路径|目录|文件|日期|时间|密码|密钥|证书|电话|手机|版本|表达式"
    r"|脚本|代码|命令|策略|地域|前缀",
    re.I,
)
"""Words of fields that take a form of their own."""
_PLAIN_INPUTS = ("", "text")


def made_for(scene: DocumentScene, found: Field, label: str, *, phrase: str = "") -> str:
    """Return a value for the field. Empty if none fits. `phrase`: what the document
    calls the value, `a name that is not in use yet`."""
    front = [run.text for run in regions.texts_in_front(scene.page)]
    for text in [found.first.placeholder, found.label, found.first.name, found.first.hint, *front]:
        asked = asked_to_confirm(text)
        if asked:
            return asked
    asks_name = _NAMED.search(f"{phrase} {label}") is not None
    if (
        scene.page.modal
        and scene.memory.row_value
        and (_says_to_confirm([phrase, *front]) or (asks_name and _removes(scene)))
    ):
        return scene.memory.row_value
    if is_number(found) or fields.COUNTED.search(normalise(label)):
        told = _NUMBER.search(f"{found.first.placeholder} {found.first.hint}")
        return told.group() if told else "1"
    day = scene.page.taken_at.date() + _A_MONTH + (_A_DAY if _ENDS.search(label) else timedelta())
    if found.first.input_type in _DATED:
        return _DATED[found.first.input_type].format(day=day)
    written = _DATE_FORM.search(f"{found.first.placeholder} {found.first.hint}")
    if written:
        return _in_form(day, written.group()) + _time_behind(written)
    if found.first.input_type == "password":
        return STRONG_WORD
    if _ANY_WORD.search(normalise(label)):
        return WORD
    if found.first.input_type in _PLAIN_INPUTS and _NAMES_ANY.match(phrase):
        return WORD
    return _demanded(found, label)


def _says_to_confirm(words: list[str]) -> bool:
    return re.search("confirm|确认", " ".join(words), re.I) is not None


def _removes(scene: DocumentScene) -> bool:
    """True if a button in front removes what was chosen."""
    buttons = regions.reachable(scene.page, scene.page.elements)
    return any(one.role == "button" and _REMOVES.match(one.name) for one in buttons)


def _in_form(day: date, form: str) -> str:
    """Return a day as a form tells it: `YYYY/MM/DD`, `dd.mm.yyyy`."""
    parts = {"y": f"{day:%Y}", "m": f"{day:%m}", "d": f"{day:%d}"}
    return re.sub(r"[a-z]+", lambda part: parts[part.group()[0].casefold()], form, flags=re.I)


def _time_behind(date_form: re.Match[str]) -> str:
    """Return nine o'clock as the form behind a date tells it; empty without one."""
    found = _TIME_FORM.match(date_form.string, date_form.end())
    if found is None:
        return ""
    return f" 09:00{':00' if found['seconds'] else ''}{' AM' if found['half'] else ''}"


def is_number(found: Field) -> bool:
    """True if the field takes a number."""
    return found.role == "spinbutton" or found.first.input_type == "number"


def _demanded(found: Field, label: str) -> str:
    """Return what a plain text field gets that has to be filled. Empty where it need
    not be, or takes a form that nobody told."""
    about = f"{label} {found.first.placeholder} {found.first.hint}"
    is_plain = found.first.input_type in _PLAIN_INPUTS and not _FORMED.search(about)
    if State.REQUIRED not in found.first.states or not is_plain:
        return ""
    return "1" if _NUMBERED.search(about) else WORD
