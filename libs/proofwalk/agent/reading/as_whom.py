"""Who a document says signs in: the sentences that say so, and the roles they name.

A sentence speaks of the reader's own account in few frames: *sign in as …*, *As an
administrator, …* at its beginning, *You need the … role*, *Only … can*, 以…身份. What
stands in a frame counts only if it consists of a listed role's spelling (several,
joined by *or*) and words such as *a user with the … role*: "a read-only admin" names no
admin. Sentences that give somebody else a role, that say *if*, or that say *not* are
none. Only the role's names choose, and they are the target owner's: nothing that a
document says becomes anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from proofwalk.procedures.model import Procedure, Sentence

_SIGN_IN = r"(?:sign(?:ed|ing)?|log(?:ged|ging)?)[- ]?(?:back )?(?:in|on|into|onto)"
_ENTERS = (
    rf"\b{_SIGN_IN}\b[^.;:!?。；]{{0,80}}?\bas\b",
    rf"\b{_SIGN_IN}\b[^.;:!?。；]{{0,80}}?\b(?:with|using)\b",
    r"\bswitch (?:back )?to\b",
    r"(?<![可所])以",
    r"(?:使用|用)(?=[^。；，]{1,30}(?:登录|登陆))",
)
_IS = (
    r"^(?:as|being)\b(?= an?\b| the\b)",
    r"^(?:open|access|connect to|go to|visit)\b[^.;:!?]{0,80}?\bas\b(?= an?\b| the\b)",
    r"\byou(?:'ll| will)? (?:must|need to|have to|should|are required to) be\b",
    r"\byou(?: must| will| should|'ll)?(?: also)? (?:have|need|require)\b",
    r"^(?:this|these|the following|to \w+)\b[^.;:!?]{0,60}?\brequires?\b",
    r"^requires?\b",
    r"^(?:only )?(?:users|members|people|accounts|those)(?= (?:with|who have|that have)\b)",
    r"^only\b",
    r"(?:需要|必须|须|请确保您?|您|你|^)(?:已经?)?(?:具有|拥有|具备|是|为)",
    r"^(?:只有|仅)",
)
_NOT = re.compile(
    r"\b(?:not|never|without|instead of|rather than|other than|if|unless|whether|can|could|may|"
    r"lets?|allows?|so that|they|assign|grant|give|add|invite|the user)\b|n't\b|"
    r"不|无需|如果|若|授予|添加|分配|设置|设为|允许|让",
    re.I,
)
"""Before a frame, in its sentence: it is another's role, or nobody's."""
_LEAD = (
    r"(?:\s*(?:(?:an?|the|your|any|one|user|users|someone|anyone|account|member|members|people|"
    r"those|that|who|has|have|having|is|with|at least|role|roles|of)\b|"
    r"一个|某个|具有|拥有|具备|用户|账号))*"
)
_TRAIL = (
    r"(?:\s*(?:(?:users?|accounts?|roles?|permissions?|rights|privileges|access|level|members?)\b|"
    r"的|身份|角色|账号|账户|帐号|帐户|用户|权限))*"
)
_END = re.compile(
    r"\s*(?:$|[.,;:()!?。，；：、）]|(?:of|in|on|to|for|at|from|via|using|through|by|before|"
    r"after|when|then|so|that|who|and|or|can|may|must|should|with)\b|"
    r"登录|登陆|进入|打开|访问|可以|才|能|操作|完成|执行)",
    re.I,
)
_JOIN = re.compile(r"\s*(?:(?:,|/)\s*(?:(?:or|and)\b)?|(?:or|and)\b|或者?|和|及|、)", re.I)
_OUT = re.compile(r"\b(?:sign|log)[- ]?(?:out|off)\b|退出登录|注销|登出", re.I)
_SAID = re.compile(r"\s*([^.,;:()!?。，；：]{1,60})")
_PLAIN = re.compile(
    r"\s*(?:described|usual|shown|explained|follows|above|before|normal|prompted|needed|"
    r"(?:your )?root email)\b",
    re.I,
)


@dataclass(frozen=True, kw_only=True)
class RoleMention:
    """A sentence that says as whom one signs in."""

    roles: tuple[str, ...]
    """Names of the roles that it allows; none if it names somebody who is not
    listed."""
    words: str
    """The words that stand for the account."""
    sentence: Sentence
    within: bool
    """Whether it is part of a sub-step, and signs in there."""
    signed_out: bool
    """Whether the procedure has signed out before."""


def role_mentions(
    procedure: Procedure, spellings: Iterable[tuple[str, Iterable[str]]]
) -> Sequence[RoleMention]:
    """Return who signs in, by the introduction and the sub-steps, in the order of the
    text. `spellings`: the names of roles, each with what documents call it."""
    reader = _Reader({word.casefold(): name for name, words in spellings for word in words})
    found = [
        mention
        for sentence in procedure.introduction
        for mention in reader.mentions(sentence, within=False, signed_out=False)
    ]
    signed_out = False
    for substep in procedure.substeps:
        for sentence in substep.sentences:
            out = _OUT.search(sentence.text)
            found += reader.mentions(
                sentence, within=True, signed_out=signed_out, out_at=out.end() if out else None
            )
            signed_out = signed_out or out is not None
    return found


class _Reader:
    """Reads sentences for the roles of one target."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names
        longest = sorted(names, key=len, reverse=True)
        words = "|".join(r"\s+".join(map(re.escape, one.split())) for one in longest) or r"(?!)"
        self._role = re.compile(
            rf"{_LEAD}\s*[\"'“‘`*]*(?<![a-z0-9_-])(?P<name>{words})(?:(?<=[a-z])s)?"
            rf"(?![a-z0-9_-])[\"'”’`*]*{_TRAIL}",
            re.I,
        )

    def mentions(
        self, sentence: Sentence, *, within: bool, signed_out: bool, out_at: int | None = None
    ) -> Iterator[RoleMention]:
        """At most one: the first frame in which somebody is named."""
        for frame, enters in _FRAMES:
            met = frame.search(sentence.text)
            if met is None or _NOT.search(sentence.text[: met.start()]):
                continue
            roles = self._named(sentence.text, met.end())
            phrase = _SAID.match(sentence.text, met.end())
            unlisted = frame is _FRAMES[0][0] and not _PLAIN.match(sentence.text, met.end())
            if not phrase or not (roles or unlisted):
                continue
            yield RoleMention(
                roles=roles,
                words=phrase[1].strip(),
                sentence=sentence,
                within=within and enters,
                signed_out=signed_out or (out_at is not None and out_at <= met.start()),
            )
            return

    def _named(self, text: str, at: int) -> tuple[str, ...]:
        """The roles from here on, if there is nothing else in the words."""
        names: dict[str, None] = {}
        met = self._role.match(text, at)
        while met is not None:
            names[self._names[" ".join(met["name"].casefold().split())]] = None
            at = met.end()
            join = _JOIN.match(text, at)
            met = self._role.match(text, join.end()) if join else None
        return tuple(names) if names and _END.match(text, at) else ()


_FRAMES = [
    *((re.compile(frame, re.I), True) for frame in _ENTERS),
    *((re.compile(frame, re.I), False) for frame in _IS),
]
