"""Chinese sentences are read through the English that says the same; what the lexicon
does not account for is not understood."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.policies.literal.grammar import read_sentence
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.chinese import frames, remarks, words
from proofwalk.agent.reading.chinese.parameters import in_english as description_in_english
from proofwalk.agent.reading.chinese.rewriting import compiled, in_english
from proofwalk.agent.reading.intents import IntentKind
from proofwalk.agent.reading.marks import Folded, fold
from proofwalk.procedures.model import Block, BlockKind, SourceSpan
from tests.agent.chinese_sentences import ASK_FOR_NOTHING, NOT_UNDERSTOOD, SENTENCES
from tests.agent.documents import inlines, procedure, run, sentence
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeForm
from tests.agent.test_grammar import described

FRAMES = (*frames.OPENINGS, *frames.PLACES, *frames.LEADS, *frames.ACTS, *remarks.WHOLE)
SPAN = SourceSpan(file="doc.md", line=2, end_line=5)


@pytest.mark.parametrize(("text", "expected"), SENTENCES, ids=[text for text, _ in SENTENCES])
def test_sentences(text: str, expected: list[str]) -> None:
    reading = read_sentence(sentence(text))
    assert not reading.not_understood
    assert [described(intent) for intent in reading.intents] == expected
    assert all(intent.origin.sentence == sentence(text).text for intent in reading.intents)


@pytest.mark.parametrize("text", ASK_FOR_NOTHING)
def test_prose_is_kept_in_its_own_words(text: str) -> None:
    reading = read_sentence(sentence(text))
    assert not reading.not_understood
    assert all(intent.kind is IntentKind.MENTION for intent in reading.intents)
    assert [one.text for one in reading.prose] == [sentence(text).text]


@pytest.mark.parametrize("text", ASK_FOR_NOTHING)
def test_no_act_is_passed_over_behind_prose(text: str) -> None:
    reading = read_sentence(sentence(f"{text[:-1]}并选中复选框。"))
    acts = {intent.kind for intent in reading.intents} - {IntentKind.MENTION}
    assert reading.not_understood or acts == {IntentKind.SELECT_ROW}


@pytest.mark.parametrize("text", NOT_UNDERSTOOD)
def test_one_word_too_many_and_nothing_is_done(text: str) -> None:
    reading = read_sentence(sentence(text))
    assert not reading.intents
    assert [one.text for one in reading.not_understood] == [sentence(text).text]


@pytest.mark.parametrize("text", [text for text, _ in SENTENCES])
@pytest.mark.parametrize(
    ("before", "behind"), [("喝茶，", ""), ("", "，再启动它"), ("", "，不单击它")]
)
def test_no_word_is_passed_over(text: str, before: str, behind: str) -> None:
    """A clause before or behind what is read, of words that are in no row."""
    reading = read_sentence(sentence(f"{before}{text[:-1]}{behind}。"))
    assert reading.not_understood
    assert not reading.intents


@given(st.text(alphabet=st.characters(max_codepoint=0x2FFF)))
def test_text_without_chinese_is_not_touched(text: str) -> None:
    folded = Folded(text=text, labels=())
    assert in_english(folded) is folded


def test_chinese_labels_leave_english_as_it_is() -> None:
    folded = fold(inlines("In the **操作** column, click **删除**."))
    assert in_english(folded) is folded


@given(st.text(alphabet="单击选择在输入将的后并，。列ab 找到状态为"))
def test_any_text_is_rewritten_or_not_at_all(text: str) -> None:
    """The rewriting is total; what it returns begins with a capital and ends with a
    stop."""
    english = in_english(Folded(text=text, labels=()))
    if english is not None and english.text != text:
        assert re.fullmatch(r"[A-Z].*\.", english.text)


@pytest.mark.parametrize("frame", FRAMES, ids=[pattern for pattern, _ in FRAMES])
def test_each_frame_uses_slots_that_it_has(frame: tuple[str, str]) -> None:
    pattern, english = frame
    ready = compiled(frame)
    assert ready.pattern.groups == len(ready.slots), pattern
    assert all(int(number) <= len(ready.slots) for number in re.findall(r"\$(\d)", english))


@pytest.mark.parametrize("slot", sorted(words.WORDS))
def test_each_class_of_words_is_in_a_frame(slot: str) -> None:
    assert any(f"<{slot}>" in pattern for pattern, _ in FRAMES)


@pytest.mark.parametrize(
    ("verb", "kind"),
    [
        *((word, IntentKind.CLICK) for word in words.WORDS["press"]),
        *((word, IntentKind.SET) for word in words.WORDS["choose"]),
        *((word, IntentKind.CHECK) for word in words.WORDS["tick"]),
        *((word, IntentKind.CHECK) for word in words.WORDS["untick"]),
        *((word, IntentKind.CHECK) for word in words.WORDS["on"]),
        *((word, IntentKind.CHECK) for word in words.WORDS["off"]),
    ],
)
def test_each_verb_is_reached(verb: str, kind: IntentKind) -> None:
    [intent] = read_sentence(sentence(f"{verb}**名称**。")).intents
    assert intent.kind is kind


@pytest.mark.parametrize("noun", words.WORDS["place"])
def test_each_place_is_reached(noun: str) -> None:
    reading = read_sentence(sentence(f"在**甲**{noun}中，单击**乙**。"))
    assert [intent.kind for intent in reading.intents] == [IntentKind.CLICK]
    assert [scope.label for scope in reading.intents[0].scopes] == ["甲"]


@pytest.mark.parametrize("end", words.NO_THINGS)
def test_what_is_no_thing_of_a_list_is_not_looked_for(end: str) -> None:
    assert read_sentence(sentence(f"找到蓝色的{end}。")).not_understood


@pytest.mark.parametrize(
    ("said", "english"),
    [
        ("选择普通账号。", "Select 普通账号."),
        ("本示例输入 web-3。", "Enter web-3."),
        ("选择已创建的专有网络。", "Select the 已创建的专有网络."),
        ("保持默认值。", "Keep the default."),
        ("开启该功能。", "Turn on."),
        ("数据库的名称。", "The field is explained."),
        ("选择地域。请先创建实例。", None),
        ("单击创建，然后选择它。", None),
        ("Select **x**.", "Select **x**."),
        ("自定义实例名称，例如 orders。", "Enter the 实例名称, for example, orders."),
        ("长度为 3~64 个字符，必须以字母开头。本示例输入 orders。", "Enter orders."),
        ("选择实例的规格。本示例选择标准版。", "Select 标准版."),
        ("选择消息类型：普通消息、顺序消息。本例选择顺序消息。", "Select 顺序消息."),
        ("消息保留时间，单位为小时，取值范围为 1~72。此处设置为 48。", "Enter 48."),
        ("选择需要监控的实例，本例选择 orders。", "Select orders."),
        ("是否开启公网访问。默认关闭。", "The field is explained."),
        ("（可选）填写描述信息。", "(Optional) Enter the 描述信息."),
        ("在下拉列表中选择目标实例。", "Select the 目标实例."),
        ("固定填写 `*`。", "Enter *."),
        ("以 orders 为例。", "For example, orders."),
        ("根据实际需求选择。", "Select a suitable value."),
        ("选择顺序消息，创建后不可修改。", "Select 顺序消息."),
        ("勾选短信和邮件。", None),
        ("选择短信，再选择邮件。", None),
        ("选择顺序投递。如果没有要求，可以选择并发投递。", "Select 顺序投递."),
        ("保持开启，系统将提前一天通知您。", "Turn on."),
        ("05:00。结束时间必须晚于开始时间。", "Enter 05:00."),
        ("不同版本有差异，详情请参见产品系列。", "The field is explained."),
        ("输入名称。请先创建水泵。", None),
    ],
)
def test_descriptions_of_fields(said: str, english: str | None) -> None:
    assert description_in_english(said) == english


def test_a_table_gives_its_fields_values() -> None:
    table = Block(
        kind=BlockKind.TABLE,
        span=SPAN,
        rows=(
            ("配置项", "说明"),
            ("账号", "输入 app。"),
            ("类型", "选择普通账号。"),
            ("备注", "可以不填。"),
        ),
    )
    steps = procedure(("配置以下参数。", table))
    reading = read_substep(steps.substeps[0])
    fields = [(one.label, one.value) for one in reading.intents if one.kind is IntentKind.SET]
    assert fields == [("账号", "app"), ("类型", "普通账号")]
    assert not reading.not_understood


@pytest.mark.parametrize("head", ["本文示例", "示例值", "取值", "备选"])
def test_a_column_of_values_is_known_by_its_head(head: str) -> None:
    table = Block(
        kind=BlockKind.TABLE,
        span=SPAN,
        rows=(
            ("参数", "说明", head),
            ("名称", "自定义，以字母开头。", "`app`"),
            ("容量", "保持默认值即可，后续可以扩容。", "100"),
            ("类型", "有差异，详情请参见产品系列。", "专业版"),
            ("公网", "默认关闭。", "关闭"),
        ),
    )
    reading = read_substep(procedure(("配置以下参数。", table)).substeps[0])
    assert not reading.not_understood
    fields = [(one.label, one.value) for one in reading.intents if one.kind is IntentKind.SET]
    assert fields == [("名称", "app"), ("容量", "100"), ("类型", "专业版")]
    off = [one.label for one in reading.intents if one.kind is IntentKind.CHECK and not one.checked]
    assert off == ["公网"]


def test_a_row_that_asks_for_more_is_not_understood() -> None:
    table = Block(
        kind=BlockKind.TABLE, span=SPAN, rows=(("参数", "说明"), ("网络", "单击创建，再绑定。"))
    )
    reading = read_substep(procedure(("配置以下参数。", table)).substeps[0])
    assert [one.text for one in reading.not_understood] == ["网络 | 单击创建，再绑定。"]


async def test_a_chinese_document_is_walked() -> None:
    form = FakeForm(title="停止实例", submit="确定")
    rows = [FakeRow(id="i-1", name="a"), FakeRow(id="i-2", name="b")]
    console = FakeConsole(rows=rows, forms={"Stop": lambda: form})
    walked = await run(
        console,
        "登录[ECS console](https://ecs.example.com)。",
        "在左侧导航栏选择**Instances & Images** > **Instances**。",
        "找到要停止的实例，在**Actions**列单击**Stop**。",
        "在弹出的对话框中，单击**确定**。",
        binds={"要停止的实例": "b"},
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances", "Stop b", "submit 停止实例"]


async def test_a_sentence_that_is_not_understood_blames_nothing() -> None:
    console = FakeConsole(toolbar=["创建实例"])
    walked = await run(console, "单击**创建实例**，喝茶。")
    assert isinstance(walked.ending, Unachievable)
    assert "I do not understand “单击创建实例，喝茶。”" in walked.ending.reason
    assert walked.finding is None
    assert console.log == []
