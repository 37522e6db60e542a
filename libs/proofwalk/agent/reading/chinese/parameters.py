"""Rewrites what Chinese tables and bullets say of a field into the English that the
rules read. `本示例选择普通账号。` becomes `Select 普通账号.`

A description is divided into clauses. One of them tells the value: one of this document
(`本示例选择…`) before any other, else the one clause that begins with a verb of the
lexicon. The others only explain. A description with a clause that may ask for something
else has no English (None), so that its row ends as not understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from proofwalk.agent.reading.chinese.rewriting import is_chinese
from proofwalk.agent.reading.chinese.words import HEADERS, UI_ACTS, WORDS
from proofwalk.agent.reading.intents import Origin, Unread
from proofwalk.agent.reading.marks import begun
from proofwalk.procedures.model import Block

EXPLAINED = "The field is explained."


def _any(slot: str) -> str:
    return "|".join(sorted(WORDS[slot], key=len, reverse=True))


_HERE = r"(?:本(?:示例|例|文|教程|实践|步骤|操作)|此处|这里|示例)(?:中)?(?:以)?"
_OPENING = (
    rf"(?:{_any('as_needed')}|{_any('polite')}|建议|推荐|固定|统一|手动|单击后|"
    r"(?:从|在)(?:弹出的?)?下拉(?:列表|框|菜单)(?:中|里)?|[：:\s])*"
)
_VALUE = r"[：:]?\s*(?P<value>.+)"
_VERBS = (
    (re.compile(rf"{_OPENING}(?:{_any('choose')}|{_any('tick')})(?:为)?{_VALUE}"), "Select"),
    (re.compile(rf"{_OPENING}(?:{_any('enter')})(?:为)?{_VALUE}"), "Enter"),
    (re.compile(rf"{_OPENING}(?:{_any('set')}){_VALUE}"), "Enter"),
    (re.compile(rf"{_OPENING}(?:{_any('on')})(?:该|此)?(?:开关|选项|功能)?(?P<value>)"), "Turn on"),
    (
        re.compile(rf"{_OPENING}(?:{_any('off')})(?:该|此)?(?:开关|选项|功能)?(?P<value>)"),
        "Turn off",
    ),
    (re.compile(r"保持(?:开启|打开|启用|勾选|选中)(?:状态)?(?P<value>)"), "Turn on"),
    (re.compile(r"保持(?:关闭|停用|禁用)(?:状态)?(?P<value>)"), "Turn off"),
    (re.compile(r"(?P<value>)(?:建议)?(?:如无需要，?)?保持(?:不变|默认)"), "Keep the default"),
    (
        re.compile(
            rf"{_OPENING}(?:保持|使用|采用)(?:系统)?默认(?:值|设置|配置)?"
            r"(?:即可|不变)?(?:\s*[\w.-]+)?(?P<value>)"
        ),
        "Keep the default",
    ),
    (re.compile(r"(?P<value>)默认即可"), "Keep the default"),
    (
        re.compile(rf"(?:{_any('as_needed')})(?:进行)?(?:{_any('choose')}|设置|配置)(?P<value>)"),
        "Select a suitable value",
    ),
)
_EXAMPLE = re.compile(r"(?:例如|比如|示例|如)[：:]?\s*(?P<value>[^的]+)|以(?P<by>.+?)为例")
_SPECIFIC = re.compile(rf"{_HERE}")
_OPEN = re.compile(
    "合适|适合|所需|已|您|要|需要|目标|符合|满足|一个|任意|相应|对应|相关"
    r"|.*(?:的.+|类型|名称|方式|信息|描述|时间|日期|数量|个数|大小|地址|密码|内容|备注|说明|用途)$"
)
"""Values that are told in words, which leave them to the reader."""
_QUOTED = re.compile('[`“"「【](?P<value>[^`”"」】]+)[`”"」】]')
_HEADS = (
    (re.compile("默认|必填|必选|类型$|范围|是否"), "Default"),
    (re.compile("示例|样例|取值|填写|建议|推荐|值$"), "Example"),
    (re.compile("说明|描述|含义|备注|解释"), "Description"),
    (re.compile("参数|配置|名称|字段|选项|设置|属性"), "Parameter"),
)
"""Words of the heads of columns, the more telling first."""
_LISTED = re.compile("[和及与、]")
_CLAUSE_END = re.compile(r"[。；，]\s*|[,;]\s+|\.(?:\s+|$)")
_ASIDE = re.compile(r"^\s*(?:[（(](?:可选|选填)[）)]|(?:可选|选填)(?:[。；，：:]|$))\s*")
_OBLIGES = (
    "请(?!参见|参阅|参考|查看|谨慎)", "务必", "(?:需要?|必须|应)先", "^(?:打开|关闭|启用|停用)",
    "先(?:在|去|到|创建|开通|停止|绑定|授权|添加|完成)", "^(?:再|将|把)",
)  # fmt: skip
"""Words with which a description obliges its reader to do more than fill the field."""
_MAY_ASK = re.compile("|".join((*UI_ACTS, *_OBLIGES, *WORDS["set"])))
_ALTERNATIVE = re.compile(r"^(?:如果|若|如需|当|对于)")
_EXPLAINS = re.compile(
    r"^(?:是否|默认|支持|取值|可选值|单位|长度|范围|包括|包含|用于|表示|必填|选填|可选|名称|不超过|最多|最少|至少|如果|若|当)"
    rf"(?!.*(?:{'|'.join(UI_ACTS[:6])}))"
    r"|字符|字母|数字开头|开头|结尾|组成|取值范围|之间|不能|不可|无法|不支持|不会"
    rf"|^.{{0,10}}(?:{_any('on')}|{_any('off')}|{_any('tick')}|{_any('choose')}).{{0,10}}(?:后|时|表示)"
)
"""Clauses that explain, although a word of an act is in them."""


@dataclass(frozen=True, kw_only=True)
class _FieldValue:
    """A clause that tells a value: an act of the lexicon, or an example (`verb` is
    empty)."""

    verb: str
    value: str
    here: bool = False
    """True for a value of this document: `本示例…`."""


def in_english(text: str) -> str | None:
    """Return the description of a field in English; the text itself if it has no
    Chinese verb to read; None if it may ask for more than is read."""
    if not is_chinese(text):
        return text
    aside = _ASIDE.match(text)
    sentences = re.split(r"[。；]\s*", _ASIDE.sub("", text))
    kept = "。".join(one for one in sentences if not _ALTERNATIVE.match(one.strip()))
    clauses = [one.strip() for one in _CLAUSE_END.split(kept) if one.strip()]
    told = [_value_of(one) for one in clauses]
    if any(one is None and _asks(clause) for one, clause in zip(told, clauses, strict=True)):
        return None
    said = [one for one in told if one is not None]
    said = [one for one in said if one.here] or said
    acts, examples = [one for one in said if one.verb], [one for one in said if not one.verb]
    if len(acts) > 1 or len(examples) > 1:
        return None
    english = _written(acts, examples)
    return f"(Optional) {english}" if aside and english not in (None, EXPLAINED) else english


def _value_of(clause: str) -> _FieldValue | None:
    if clause and not is_chinese(clause):
        return _FieldValue(verb="Enter", value=clause)
    here = _SPECIFIC.match(clause) is not None
    bare = _SPECIFIC.sub("", clause, count=1).strip() if here else clause
    for pattern, verb in _VERBS:
        found = pattern.fullmatch(bare)
        if found and (here or not _EXPLAINS.search(bare)):
            return _FieldValue(verb=verb, value=found["value"].strip(), here=here)
    example = _EXAMPLE.fullmatch(clause)
    if example:
        return _FieldValue(verb="", value=(example["value"] or example["by"]).strip())
    return None


def _asks(clause: str) -> bool:
    return _MAY_ASK.search(clause) is not None and not _EXPLAINS.search(clause)


def _written(acts: list[_FieldValue], examples: list[_FieldValue]) -> str | None:
    """Return the English of at most one act and at most one example."""
    shown = f"for example, {examples[0].value}" if examples else ""
    if not acts:
        return f"{begun(shown)}." if shown else EXPLAINED
    (act,) = acts
    quoted = _QUOTED.fullmatch(act.value)
    if quoted:
        return f"{act.verb} {quoted['value']}."
    listed = _LISTED.search(act.value.partition("：")[0].partition(":")[0])
    value = re.split("[：:]", act.value)[0].strip() if is_chinese(act.value) else act.value
    if listed and act.verb == "Select":
        return None
    is_open = not act.here and (
        value != act.value
        or _OPEN.match(value) is not None
        or (act.verb == "Enter" and not re.search("[A-Za-z0-9]", value))
    )
    said = f"{act.verb} {'the ' if value and is_open else ''}{value}".strip()
    return f"{said}, {shown}." if shown and is_open else f"{said}."


def table_in_english(block: Block) -> tuple[Block, tuple[Unread, ...]]:
    """Return a table with its headers and descriptions in English, and its rows that
    were not understood."""
    if not block.rows or not any(is_chinese(cell) for row in block.rows for cell in row):
        return block, ()
    header = _heads(block.rows[0])
    rows: list[tuple[str, ...]] = [header]
    unread: list[Unread] = []
    for row in block.rows[1:]:
        said = [
            row[0],
            *(_cell(name, cell) for name, cell in zip(header[1:], row[1:], strict=False)),
        ]
        if None in said:
            text = " | ".join(cell for cell in row if cell)
            origin = Origin(file=block.span.file, line=block.span.line, sentence=text)
            unread.append(Unread(text=text, rest=text, origin=origin))
        rows.append(tuple(cell or "" for cell in said))
    return replace(block, rows=tuple(rows)), tuple(unread)


def _heads(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Return the heads of a table in English. Where none is of values, one that is not
    known is: what a table tells beside a description is seldom anything else."""
    heads = [_head(cell.strip(), cell) for cell in cells]
    unknown = [at for at, head in enumerate(heads) if at and is_chinese(head)]
    if unknown and not {"Value", "Example"} & set(heads):
        heads[unknown[-1]] = "Example"
    return tuple(heads)


def _head(told: str, cell: str) -> str:
    """Return the head of a column in English: by the lexicon, else by its last words
    (`本文示例`). Another head stays: its column is read by nobody."""
    if told in HEADERS or not is_chinese(told):
        return HEADERS.get(told, cell)
    return next((head for words, head in _HEADS if words.search(told)), cell)


def _cell(header: str, cell: str) -> str | None:
    """Return a cell in English. A value stays as the console has it."""
    if header in ("Value", "Example") and _value_of(cell.strip().rstrip("。；")) is None:
        return cell
    return in_english(cell)
