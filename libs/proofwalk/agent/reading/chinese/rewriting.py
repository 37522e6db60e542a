"""Rewrites a Chinese sentence into the English that says the same, for the rules of
the grammar.

The sentence is divided into clauses by the frames of the lexicon (`frames`, `words`),
the first that fits at each place, with a step back where the rest would not fit. The
frames have to cover all of the sentence: one character that no frame accounts for, and
there is no rewriting, so that the sentence ends as not understood. Only a thing in
the document's own words (`the 要停止的实例`) stays as it is. Labels stay the
characters that they are folded into. A text without Chinese outside of its labels is
not touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from proofwalk.agent.reading.chinese.frames import ACTS, LEADS, OPENINGS, PLACES
from proofwalk.agent.reading.chinese.remarks import WHOLE
from proofwalk.agent.reading.chinese.words import DUTIES, NO_THINGS, UI_ACTS, WORDS
from proofwalk.agent.reading.intents import Intent, IntentKind, Origin, Reading, Unread
from proofwalk.agent.reading.marks import FIRST, LABEL, LAST, Folded, Label, begun
from proofwalk.procedures.model import InlineRole

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_OPTIONAL = re.compile(r"\W*可选")
_SENTENCE = re.compile(r"[。！？；]|\.(?=\s|$)")
_ON_A_PAGE = re.compile(rf"在\s*(?P<page>{LABEL})\s*(?:页面|页|菜单)(?:中|上|下|里)?[，,]?\s*")
_BRACKETED = re.compile(rf"[【「『“]\s*({LABEL})\s*[】」』”]")
_NEAR_A_LABEL = re.compile(rf"\s*({LABEL})\s*[：:]?\s*")
_NEAR_A_STOP = re.compile(r"\s*([，、。；：！？])\s*")
_ASIDE = re.compile(rf"（(?!可选|必选|必填|选填)(?:(?!{'|'.join(UI_ACTS)})[^（）])*）")
"""What stands in brackets and asks for nothing: `（位于资源管理菜单下）`."""
_SHOWN_LAST = re.compile(
    rf"[，,](?:系统|页面)?(?:会|将)?(?:自动)?(?:弹出|显示|打开)(?P<what>{LABEL})"
    r"(?:的)?(?:对话框|窗口|弹窗|面板|抽屉|提示框)$"
)
"""`单击▮，弹出▮对话框`: what is seen after the act."""
_SEPARATOR = re.compile(r"[，,、\s]*")
_AFTER = re.compile(r"(?:(?:完成)?(?:之)?后)?[，,、\s]*")
_ENDED = re.compile("[，,、并然]|后(?:[，,、]|$)|$")
"""What ends a thing in the document's own words, so that no word falls off its end."""
_REPEATABLE = re.compile("select|enter|for|set|turn|drag")
"""Acts that change nothing if they were done before: `选择▮后，` asks for the act in
any case. `单击▮后，` may speak of a click that is behind."""
_ACT_BEHIND = re.compile(f"(?:(?<!合)并|再|然后|后)(?:{'|'.join(UI_ACTS)})")
"""An act behind other words: `阅读提示并选中复选框`."""
_ASKS_NOTHING = re.compile("note |the system does")
"""How the English of a remark begins."""
_L = LABEL[1:-1]
_ANY = rf"[^，。；：、！？,;:()（）{_L}]"
_ACT_INSIDE = rf"(?!{'|'.join(UI_ACTS)}|(?<!合)并(?!发)|然后|或|如果)"
_THING = rf"(?:{_ACT_INSIDE}{_ANY}){{1,40}}?"
_ENDS_A_THING = "".join(f"(?<!{word})" for word in NO_THINGS)
_NO_NAME = (
    "不|勿|请|无需|无须|建议|可以|再|先|需要|您|你|已|若|如|则|将|把|从|在|为|并|或|和|与|及"
    "|其[他它余]|所有|是否"
)
"""Beginnings of what is no name of a field."""
_OPENS = "(?:页面|页|详情|面板|抽屉|向导|对话框)"
_SLOTS = {
    "▮": f"({LABEL})",
    "▮▮": rf"({LABEL}(?:(?:和|及|与|、|以及){LABEL})+)",
    "thing": rf"({_THING}{_ENDS_A_THING}(?:(?<!的){LABEL})?)",
    "told": rf"((?=目标|[^，。；{_L}]*的|要|需要){_THING}{_ENDS_A_THING})",
    "kind": rf"((?:{_ACT_INSIDE}(?!的){_ANY}){{1,12}}?)",
    "fit": rf"(合适|适合|适当|所需|相应|对应|满足{_ANY}{{1,12}}?)",
    "opened": rf"(，?(?:并)?(?:进入|打开|跳转[到至]){_ANY}{{0,12}}?{_OPENS})",
    "num": r"(\d[\d,.]*)",
    "name": rf"((?!{_NO_NAME})(?:{_ACT_INSIDE}[\u4e00-\u9fffA-Za-z0-9 ]){{2,14}}?(?<!的))",
    "any": rf"((?:(?!{'|'.join(UI_ACTS)})[^。；])+)",
    "said": rf"((?:(?!{'|'.join((*UI_ACTS, *DUTIES))})[^。；{_L}])+)",
}
"""Patterns of the slots that are no class of words."""
_UNMARKED = re.compile(r"⟦([^⟦⟧]*)⟧")
_KIND_AND_NAME = re.compile(rf"(.)(?={LABEL})")
_SLOT = re.compile(r"<([a-z_]+|▮+)>")
_NUMBER = re.compile(r"\$(\d)")
_LISTED = re.compile("和|及|与|、|以及")


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A frame that is ready to match."""

    pattern: re.Pattern[str]
    slots: tuple[str, ...]
    english: str

    def hides_an_act(self, found: re.Match[str]) -> bool:
        """True if a frame that asks for nothing would take an act for a part of it."""
        asks = bool(self.english) and not _ASKS_NOTHING.match(self.english)
        return not asks and _ACT_BEHIND.search(found.group()) is not None

    def english_of(self, found: re.Match[str]) -> str:
        """Return the English of a match."""
        texts = [_said_of(slot, found.group(at + 1) or "") for at, slot in enumerate(self.slots)]
        return " ".join(_NUMBER.sub(lambda n: texts[int(n[1]) - 1], self.english).split())


def compiled(frame: tuple[str, str]) -> Frame:
    """Make a row of the lexicon ready to match."""
    pattern, english = frame
    slots = tuple(_SLOT.findall(pattern))
    return Frame(
        pattern=re.compile(_SLOT.sub(lambda slot: _pattern_of(slot[1]), pattern).replace("▮", _L)),
        slots=slots,
        english=english,
    )


def _pattern_of(slot: str) -> str:
    if slot in _SLOTS:
        return _SLOTS[slot]
    words = sorted(WORDS[slot], key=len, reverse=True)
    return f"({'|'.join(re.escape(word) for word in words)})"


def _said_of(slot: str, text: str) -> str:
    if slot == "name":
        return f"⟦{text.strip()}⟧"
    if slot == "▮▮":
        *first, last = _LISTED.split(text)
        return f"{', '.join(first)} and {last}"
    return WORDS[slot][text] if text and slot in WORDS else _KIND_AND_NAME.sub(r"\1 ", text).strip()


_CLAUSES = tuple(compiled(frame) for frame in (*PLACES, *LEADS, *ACTS))
_OPENINGS = tuple(compiled(frame) for frame in OPENINGS)
_WHOLE = tuple(compiled(frame) for frame in WHOLE)


def is_chinese(text: str) -> bool:
    """True if a folded text has Chinese outside of its labels."""
    return _HAN.search(text) is not None


def said_in_chinese(text: str, label: str) -> bool:
    """True if a text has the label, or the half of it that ends it: the noun of
    `目标实例规格` is `实例规格`. Chinese has no spaces between words."""
    least = max(2, (len(label) + 1) // 2)
    return any(label[at:] in text for at in range(len(label) - least + 1))


def in_english(folded: Folded) -> Folded | None:
    """Return the text with its Chinese sentences in English; the text itself if it has
    none; None if a part of it is in no frame."""
    if not is_chinese(folded.text):
        return folded
    text = _on_paths(folded)
    text = _NEAR_A_STOP.sub(r"\1", _NEAR_A_LABEL.sub(r"\1", _BRACKETED.sub(r"\1", text)))
    sentences: list[str] = []
    for sentence in filter(None, (one.strip() for one in _SENTENCE.split(text))):
        english = _sentence(sentence)
        if english is None:
            return None
        sentences.append(english)
    return _with_names(replace(folded, text=" ".join(sentences)))


def _on_paths(folded: Folded) -> str:
    """Say that a page is gone to where a path leads to it: `在资源 > 主题页面`."""

    def gone_to(found: re.Match[str]) -> str:
        is_path = len(folded.label(found["page"]).parts) > 1
        return f"进入{found['page']}页面，" if is_path else found.group()

    return _ON_A_PAGE.sub(gone_to, folded.text)


def _with_names(english: Folded) -> Folded:
    """Fold the names of fields that have no markup (`消息类型选择▮`), as the rules of
    English want them. `through_english` says of them again that they have none."""
    labels = list(english.labels)

    def fold(found: re.Match[str]) -> str:
        labels.append(Label(parts=(found[1],), role=InlineRole.TEXT))
        return chr(FIRST + len(labels) - 1)

    text = _UNMARKED.sub(fold, english.text)
    return Folded(text=text, labels=tuple(labels)) if len(labels) <= LAST - FIRST else english


def _sentence(text: str) -> str | None:
    text = _ASIDE.sub("", text).rstrip("：: ")
    for frame in _WHOLE:
        found = frame.pattern.fullmatch(text)
        if found and not frame.hides_an_act(found):
            return _written(frame.english_of(found))
    shown = _SHOWN_LAST.search(text)
    if shown:
        before = _sentence(text[: shown.start()])
        return None if before is None else f"{before} The {shown['what']} dialog box appears."
    opening, at = _opening(text)
    pieces = _divided(text, at, set())
    if pieces is None or not any(pieces):
        return None
    return _written(opening + _joined([piece for piece in pieces if piece]))


def _opening(text: str) -> tuple[str, int]:
    """Return the English of the condition that opens a sentence, and its end."""
    for frame in _OPENINGS:
        found = frame.pattern.match(text)
        if found:
            return f"{frame.english_of(found)} ", found.end()
    return "", 0


def _divided(text: str, at: int, dead: set[int]) -> list[str] | None:
    """Return the English of the clauses from `at` on, in the first way that covers the
    text; None without one. `dead`: places from which there is none, as found so far."""
    if at == len(text):
        return []
    if at in dead:
        return None
    for frame in _CLAUSES:
        found = frame.pattern.match(text, at)
        for end in _ends(frame, text, at) if found else ():
            if frame.slots[-1:] == ("thing",) and not _ENDED.match(text, end.end()):
                continue
            if frame.hides_an_act(end):
                continue
            said = frame.english_of(end)
            begins = (_AFTER if _REPEATABLE.match(said) else _SEPARATOR).match(text, end.end())
            rest = _divided(text, begins.end() if begins else end.end(), dead)
            if rest is not None:
                return [said, *rest]
    dead.add(at)
    return None


def _ends(frame: Frame, text: str, at: int) -> Iterator[re.Match[str]]:
    """Match the frame as long as possible first, then to each earlier end."""
    seen: set[int] = set()
    for end in range(len(text), at, -1):
        found = frame.pattern.fullmatch(text, at, end)
        if found and end not in seen:
            seen.add(end)
            yield found


def _joined(pieces: list[str]) -> str:
    """Join clauses by commas; a connective and a remark's opening take none."""
    said = ", ".join(pieces)
    said = re.sub(r"\bthen, (?:then, )*", "then ", said)
    said = said.replace("Optional:, ", "Optional: ")
    return said.replace(", to save", " to save").removesuffix(", then")


def _written(said: str) -> str:
    return f"{begun(said)}."


def through_english(folded: Folded, origin: Origin, read: Callable[[Folded], Reading]) -> Reading:
    """Read a text with the rules of English. What the reading says of a Chinese text's
    sentences is said in the document's words."""
    english = in_english(folded)
    if english is None:
        return no_reading(folded, origin)
    reading = read(english)
    if english is folded:
        return reading
    text = folded.plain(folded.text)
    unmarked = {label.text for label in english.labels[len(folded.labels) :]}
    return replace(
        reading,
        intents=tuple(_unmarked(one, unmarked) for one in reading.intents),
        not_understood=tuple(replace(one, text=text, rest=text) for one in reading.not_understood),
        prose=tuple(replace(one, text=text) for one in reading.prose),
    )


def _unmarked(intent: Intent, names: set[str]) -> Intent:
    """Say of a field that its name has no markup."""
    words = tuple(word for word in intent.words if word not in names)
    is_words = intent.kind is IntentKind.SET and intent.label in names
    return replace(intent, words=words, noun="words" if is_words else intent.noun)


def no_reading(folded: Folded, origin: Origin) -> Reading:
    """Return that nothing of a text was understood, for a part of it is in no frame."""
    text = folded.plain(folded.text)
    return Reading(
        intents=(),
        unplaced=tuple(label.text for label in folded.labels_in(folded.text)),
        not_understood=(
            Unread(
                text=text,
                rest=text,
                optional=_OPTIONAL.match(folded.text) is not None,
                origin=origin,
            ),
        ),
    )
