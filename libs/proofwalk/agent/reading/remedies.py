"""What would lift the reason for which a control is greyed out.

Consoles tell it in few frames: *Stop the pump before you release it*, *Turn its lock
off first*, *Only a stopped pump without a lock can be …*, *The pump must be stopped*,
*is still attached*, 请先停止…. A remedy is one of a closed table of acts that can be
taken back (stop, start, turn off, detach), or that gives up what a thing can be given
anew: a key pair, an endpoint. Nothing that a page says becomes anything else: a frame
that asks to delete something, or for what a person has to do elsewhere, gives no
remedy. Which control does it, and on what, says `policies.literal.preconditions`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from proofwalk.agent.reading.chinese.rewriting import is_chinese


class Act(StrEnum):
    """What is done to a thing before something else can be done to it."""

    TURN_OFF = "turn off"
    TURN_ON = "turn on"
    STOP = "stop"
    START = "start"
    DETACH = "detach"
    RESTORE = "restore"
    GIVE_UP = "give up"
    """Take away what the thing is not to have: its key pair, its endpoint."""

    @property
    def verbs(self) -> str:
        """A pattern of the verbs that say it."""
        return _DID.get(self, "(?!)")


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """An act, and the words for what it is done to: `deletion protection`."""

    act: Act
    thing: str = ""


_DID = {
    Act.TURN_OFF: r"disable|deactivate|turn off|switch off|关闭|禁用|停用",
    Act.TURN_ON: r"enable|activate|turn on|switch on|开启|启用",
    Act.STOP: r"stop|shut down|power off|pause|suspend|停止|暂停|关机",
    Act.START: r"start|power on|resume|launch|启动",
    Act.DETACH: (
        r"detach|disassociate|dissociate|unbind|unmount|disconnect|unlink|unassign|release from"
        r"|解绑|卸载|分离|解除关联|取消关联"
    ),
    Act.RESTORE: r"restore|unarchive|rehydrate|thaw|解冻|恢复",
}
_STATES = {
    Act.TURN_OFF: (
        r"disabled|deactivated|switched off|turned off|unprotected|unlocked|已?禁用|已?停用"
    ),
    Act.TURN_ON: r"enabled|activated|switched on|turned on|已?启用",
    Act.STOP: r"stopped|shut down|powered off|paused|suspended|已?停止|已?关机",
    Act.START: r"running|started|powered on|resumed|运行中",
    Act.DETACH: (
        r"detached|disassociated|dissociated|unbound|unattached|unassigned|unmounted|disconnected"
        r"|available|未绑定|可用|待挂载"
    ),
    Act.RESTORE: r"restored|已?解冻",
}
"""Of what state a thing has to be, told by what brings it there."""
_HELD = {
    Act.TURN_OFF: r"enabled|active|switched on|turned on|on|protected|locked",
    Act.TURN_ON: r"disabled|inactive|switched off|turned off|off",
    Act.STOP: r"running|started|in progress",
    Act.START: r"stopped|paused|suspended",
    Act.DETACH: r"attached|bound|associated|mounted|connected|linked|assigned|in use",
    Act.RESTORE: r"archived|frozen",
}
"""Of what state a thing is and must not be, told by what ends it."""
_BEFORE = re.compile(
    r",?\s*\b(?:before|in order to|so that|to be able to|prior to|and (?:then )?try again)\b.*$"
    r"|\s*\bfirst\b.*$",
    re.I | re.S,
)
"""What an imperative is for, behind it."""
_LEAD = re.compile(
    r"^(?:please|you (?:must|need to|have to|should)|first,?|to [^,]{3,80}, |[^，。]{1,30}前，?)\s*"
    r"|^请?(?:您)?(?:必须)?先?",
    re.I,
)
_JOINED = re.compile(r",?\s+(?:and|then)\s+|,\s+", re.I)
_JOINED_ZH = re.compile(r"，?并(?:且)?|，?再.*$")
_TURNED = re.compile(
    r"^(?:turn|switch) (?P<thing>(?:the |its |their )?\S.{0,80}?) (?P<way>on|off)$", re.I
)
_ONLY = re.compile(
    r"^(?:only|仅支持|只有|仅)\s*(?P<wanted>.{1,160}?)\s*(?:can|may|could)\s+(?:be\b|not\b|have\b)?"
    r"|^(?:only|仅支持|只有|仅)(?P<zh>.{1,80}?)(?:可以|才能|支持|$)",
    re.I,
)
_WITHOUT = re.compile(
    r"\bwithout (?:an? |any )?(?P<thing>[\w -]{2,60}?)(?= that\b| which\b| who\b|[.,;]|$)"
    r"|未(?:开启|启用|绑定|关联)(?P<zh>[^，、的且或]{2,20})",
    re.I,
)
_MUST = re.compile(
    r"^(?P<thing>.{2,80}?) (?:must|has to|have to|needs to|need to|should) (?:first )?be"
    r" (?P<state>[\w ]{2,30}?)(?= before\b| first\b| to\b| in order\b|[.,;]|$)",
    re.I,
)
_IS = re.compile(
    r"^(?:(?:cannot|can't|can not|unable to) [^.:;]{3,60}?"
    r"(?:[:;,] | because | since | while | if ))?"
    r"(?P<thing>(?:the |this |its )?[\w '-]{2,60}?) (?:is|are) (?:still |currently )?"
    r"(?P<state>[\w ]{2,20}?)(?: to\b.*| by\b.*| for\b.*)?[.,;]?$",
    re.I,
)
_REFUSED = re.compile(
    r"^(?:an? |the )?(?P<state>[\w-]{3,20}) (?P<thing>[\w -]{2,40}?) (?:cannot|can't|can not) be\b"
    r"|^(?:cannot|can't|can not) [\w]+ (?:an? |the )?"
    r"(?P<state_2>[\w-]{3,20}) (?P<thing_2>[\w -]{2,40})",
    re.I,
)
_DETERMINER = re.compile(r"^(?:the|its|their|this|your|an?|all|any)\s+", re.I)
_SETTING = re.compile(r"\b(?:protection|lock|guard|access|termination|mode)\b|保护|锁", re.I)
"""What is set rather than had: it is turned off, not given up."""
_NONE = re.compile(
    r"^(?:wait|please wait)\b|^(?:请)?等待|\bbeing \w+ed\b|正在|\balready\b|已经", re.I
)
"""What passes by itself, and what is as the document's act would have it."""
_MOST = 200
"""Characters of a reason that are read; longer text explains and tells no way."""


def act_of(label: str) -> Act | None:
    """Return the act that a control's label begins with."""
    return next(
        (act for act, verbs in _DID.items() if re.match(rf"(?:{verbs})(?!\w)", label, re.I)), None
    )


def is_setting(remedy: Remedy) -> bool:
    """Whether what is turned on or off is a setting of the thing, and not the thing."""
    return remedy.act in (Act.TURN_ON, Act.TURN_OFF) and _SETTING.search(remedy.thing) is not None


def remedies(reason: str) -> tuple[Remedy, ...]:
    """Return what would lift a reason, in its order; nothing if it tells no way that is
    known."""
    if len(reason) > _MOST:
        return ()
    found = [
        remedy
        for sentence in re.split(r"(?<=[.;!。；])\s*", reason.strip())
        for remedy in _of_sentence(sentence.strip().rstrip(".;!。；"))
    ]
    return tuple(dict.fromkeys(found))


def _of_sentence(sentence: str) -> Iterator[Remedy]:
    if not sentence or _NONE.search(sentence):
        return
    only = _ONLY.search(sentence)
    if only is not None:
        yield from _of_state(only["wanted"] or only["zh"] or "")
        return
    for frame, states in ((_MUST, _STATES), (_IS, _HELD), (_REFUSED, _HELD)):
        told = frame.search(sentence)
        if told is None:
            continue
        named = told.groupdict()
        state = named.get("state") or named.get("state_2") or ""
        thing = named.get("thing") or named.get("thing_2") or ""
        act = _act(states, state)
        if act is not None:
            yield Remedy(act=act, thing=_bare(thing))
            return
    yield from _imperatives(sentence)


def _imperatives(sentence: str) -> Iterator[Remedy]:
    """The imperatives of a sentence."""
    said = _LEAD.sub("", _LEAD.sub("", sentence))
    pieces = _JOINED_ZH.split(said) if is_chinese(said) else _JOINED.split(_BEFORE.sub("", said))
    for piece in pieces:
        remedy = _imperative(piece.strip(" ，,"))
        if remedy is not None:
            yield remedy


def _imperative(piece: str) -> Remedy | None:
    turned = _TURNED.match(piece)
    if turned is not None:
        act = Act.TURN_OFF if turned["way"].casefold() == "off" else Act.TURN_ON
        return Remedy(act=act, thing=_bare(turned["thing"]))
    for act, verbs in _DID.items():
        said = re.match(rf"(?:{verbs})(?=\s|[\u4e00-\u9fff]|$)\s*(?P<thing>.*)$", piece, re.I)
        if said is not None:
            return Remedy(act=act, thing=_bare(said["thing"]))
    return None


def _of_state(words: str) -> Iterator[Remedy]:
    """What brings a thing into the state that these words describe."""
    for lacking in _WITHOUT.finditer(words):
        thing = _bare((lacking["thing"] or lacking["zh"] or "").strip())
        act = Act.TURN_OFF if _SETTING.search(thing) else Act.GIVE_UP
        yield Remedy(act=act, thing=thing)
    rest = _WITHOUT.sub("", words)
    for act, states in _STATES.items():
        if re.search(rf"(?<![\w-])(?:{states})(?![\w-])", rest, re.I):
            yield Remedy(act=act)


def _act(states: dict[Act, str], state: str) -> Act | None:
    return next((act for act, said in states.items() if re.fullmatch(said, state, re.I)), None)


def _bare(thing: str) -> str:
    """The thing without its article and its owner: `its release protection`, `the
    deletion protection of the key`."""
    thing = _DETERMINER.sub("", thing.strip(" ，,."))
    head = re.split(r"\s+(?:of|for|on|from|to which|that|which)\s+", thing, maxsplit=1)[0]
    return re.sub(r"^.*(?:其|的)(?=.{2,})", "", head).strip()
