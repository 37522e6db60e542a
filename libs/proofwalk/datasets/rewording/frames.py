"""Ways to say what a clause of a procedure asks for.

A frame is a clause with gaps and the ways in which the same can be asked. `<a>` is one
run of text with a role of its own (a label in bold, a value in code, a link), `<a+>` a
path of such runs, `<a*>` words, `<a~>` words that begin with `the`; `<a_>` is the same
gap in another branch. Every way has every gap once, so that no label or value is lost,
and asks for no more and no less. The first frame that has a clause from its beginning
to its end is taken.

The ways are ours: written for this file, from none of the documents that anything is
measured on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Frames: TypeAlias = Sequence[tuple[str, tuple[str, ...]]]

_ENGLISH: Frames = (
    (
        "log on to the <console> console",
        (
            "sign in, and bring up the console of <console>",
            "start by signing in to <console>",
            "you begin in the <console> console; sign in to it",
            "make your way to the <console> console with your account",
        ),
    ),
    (
        "in the (?:left-side )?navigation pane(?: on the left)?, (?:choose|click) <path+>",
        (
            "the menu on the left leads to <path>; go there",
            "use the menu at the left-hand side to get to <path>",
            "head for <path>, which the menu on the left has",
            "bring up <path> by way of the left menu",
        ),
    ),
    (
        "in the (?:left-side )?navigation pane(?: on the left)? of the <console> console,"
        " (?:choose|click) <path+>",
        (
            "in <console>, the menu on the left leads to <path>; go there",
            "from the left menu of <console>, bring up <path>",
            "<console> lists <path> in its menu on the left: that is where to go",
        ),
    ),
    (
        "(?:in|open) the <console> console(?:,| and|, and)(?: then)? (?:choose|click|go to) <path+>"
        "(?: (?:in|from) the (?:left-side )?navigation pane(?: on the left)?)?",
        (
            "<console> has <path> in its menu on the left; go there",
            "once in <console>, make your way to <path>",
            "within the console of <console>, <path> is the place to be",
        ),
    ),
    (
        "(?:open|in) the <console> console(?:,| and)? go to the <page> page",
        ("in <console>, bring up <page>", "the page to be on is <page>, in <console>"),
    ),
    (
        "in the <column> column of <what*>, (?:click|choose) <action+>",
        (
            "the row of <what> has <action> under <column>; use it",
            "for <what>, use <action>, to be found under <column>",
            "go along the row of <what> to <column>, and there to <action>",
        ),
    ),
    (
        "(?:click|choose) <action+> in the <column> column of <what*>",
        (
            "<what> has <action> in its row, under <column>; use that",
            "under <column>, where <what> is listed, use <action>",
        ),
    ),
    (
        "(?:find|locate) <what*>(?:,| and|, and) (?:click|choose) <action+> in the <column> column",
        (
            "look <what> up in the list; under <column> of its row, use <action>",
            "<what> is in the list, and its row has <action> under <column>: use that",
            "go to the row of <what>, and take <action> from <column>",
        ),
    ),
    (
        "(?:in the list, )?click the ID of <what*>",
        ("open <what> by its ID", "the ID of <what> is a link; follow it"),
    ),
    (
        "(?:find|locate) <what*> and click its (?P<which>ID|name)",
        (
            "look up <what> and follow the link of its <which>",
            "<what> is in the list; its <which> opens it",
        ),
    ),
    (
        "click the <tab> tab",
        (
            "change over to <tab>, one of the tabs",
            "bring the <tab> tab to the front",
            "of the tabs, <tab> is the one to open",
        ),
    ),
    (
        "on the <tab> tab, click <action+>",
        (
            "the <tab> tab has <action>; use it",
            "with the <tab> tab in front, use <action>",
        ),
    ),
    (
        "in the <field> field, enter <value>",
        (
            "<value> is what goes into <field>",
            "fill in <field> with <value>",
            "give <value> as the <field>",
            "have <value> in <field>",
        ),
    ),
    (
        "enter <value> in the <field> field",
        (
            "the <field> is to be <value>; fill that in",
            "write <value> where it says <field>",
            "fill <field> in as <value>",
        ),
    ),
    (
        "enter <value> (?:for|as)(?: the)? <field>",
        (
            "the <field> is to be <value>; fill that in",
            "write <value> where it says <field>",
            "give <value> for <field>",
        ),
    ),
    (
        "(?:select|choose) <value> from the <list> (?:drop-down )?list",
        (
            "<list> offers <value>; take it",
            "have <list> say <value>",
            "of what <list> offers, take <value>",
        ),
    ),
    (
        "from the <list> (?:drop-down )?list, (?:select|choose) <value>",
        (
            "the <list> to take is <value>",
            "let <list> be <value>",
            "pick <value>, which <list> has among its choices",
        ),
    ),
    (
        "(?:select|choose) <value> (?:for|as)(?: the)? <field>",
        (
            "of the choices of <field>, <value> is the right one",
            "let <field> be <value>",
            "pick <value> where <field> is asked for",
        ),
    ),
    (
        "for <field>, (?:select|choose) <value>",
        ("let <field> be <value>", "of the choices of <field>, pick <value>"),
    ),
    (
        "from the <list> (?:drop-down )?list, (?:select|choose) <what~>",
        ("the <list> to take is <what>", "<list> offers <what>; take that"),
    ),
    (
        "(?:select|choose) <what~> from the <list> (?:drop-down )?list",
        ("<list> offers <what>; take that", "let <list> be <what>"),
    ),
    (
        "(?:select|choose) <what~> (?:for|as) <field>",
        ("<field> is to be <what>", "of the choices of <field>, take <what>"),
    ),
    (
        "click <what~> in the list",
        ("the list has <what>; open it there", "open <what> from the list"),
    ),
    (
        "find <what~> and click it to open the <tab> tab",
        (
            "the list has <what>; open it there, and <tab> comes up",
            "open <what> from the list, which brings up the <tab> tab",
        ),
    ),
    (
        "(?:set|change) <field> to <value>",
        (
            "<field> has to be <value>",
            "see to it that <field> says <value>",
            "let <field> be <value>",
            "<value> is the value that <field> gets",
        ),
    ),
    (
        "turn on (?:the )?<switch>(?: switch)?|turn the <switch_> switch on|switch <switch__> on",
        (
            "<switch> has to be on",
            "see to it that <switch> is on",
            "make <switch> active",
        ),
    ),
    (
        "turn off (?:the )?<switch>(?: switch)?|turn the <switch_> switch off|switch <switch__> off",
        ("<switch> has to be off", "see to it that <switch> is off", "make <switch> inactive"),
    ),
    (
        "select the <box> check ?box",
        ("tick <box>", "put a tick at <box>", "<box> wants a tick"),
    ),
    (
        "in the (?:dialog box|message|dialog) that appears, (?:click|choose) <action>",
        (
            "answer what comes up with <action>",
            "a window comes up; close it with <action>",
            "what then comes up is to be answered with <action>",
        ),
    ),
    (
        "in the (?:dialog box|message|dialog) that appears, turn on <switch>",
        ("a window comes up, in which <switch> has to be on",),
    ),
    (
        "in the (?:dialog box|message|dialog) that appears, turn off <switch>",
        ("a window comes up, in which <switch> has to be off",),
    ),
    (
        "confirm the operation by clicking <action>|click <action_> to confirm(?: the operation)?",
        ("agree by way of <action>", "give your consent: <action>"),
    ),
    (
        "(?:read the message|check the settings|after you check the settings,|check what is shown)"
        "(?: and)? click <action>",
        (
            "look everything over, then use <action>",
            "is everything as it should be? then <action> is next",
        ),
    ),
    (
        "(?:to (?:continue|finish|save the settings|save the rule)|after you complete the settings"
        "|after that|then),? click <action>"
        "|click <action_> to save the (?:settings|rule)",
        ("go on with <action>", "next comes <action>", "<action> is what comes next"),
    ),
    (
        "(?P<place>above the list(?: of [^,;]+)?|in the upper part of the (?:page|list)"
        "|on the page that appears), click <action>",
        ("<place>, there is <action>; use it", "<place>, use <action>"),
    ),
    (
        "wait until the status of <what*> changes to <state>",
        (
            "go on no sooner than <what> is <state>",
            "<what> becomes <state> after a while; wait for that",
        ),
    ),
    (
        "(?:click|choose) <action>",
        ("press <action>", "use <action>", "go for <action>", "<action> is what to press"),
    ),
)
_CHINESE: Frames = (
    (
        "登录<console>控制台",
        ("先进入<console>的控制台", "使用您的账号打开<console>控制台"),
    ),
    (
        "在(?:左侧)?导航栏(?:中)?，?(?:选择|单击|点击)<path+>",
        ("通过左侧菜单进入<path>", "左侧菜单中有<path>，请打开它"),
    ),
    (
        "(?:登录|打开)<console>控制台，(?:在)?左侧导航栏，?(?:选择|单击|点击)<path+>",
        (
            "进入<console>控制台后，通过左侧菜单前往<path>",
            "<console>控制台的左侧菜单中有<path>，请打开它",
        ),
    ),
    (
        "找到<what*>，(?:在|单击|点击)<column>列(?:下的|单击|点击|中的)<action>",
        ("<what>所在行的<column>中有<action>，请使用它", "对<what>执行<column>中的<action>"),
    ),
    (
        "在<field>(?:中|文本框中|框中)?(?:输入|填写)<value>",
        ("<field>填<value>", "将<value>写入<field>", "<field>的内容为<value>"),
    ),
    (
        "<field>选择<value>|将<field_>设置为<value_>",
        ("<field>应为<value>", "在<field>的选项中取<value>"),
    ),
    ("打开<switch>开关", ("让<switch>处于开启状态", "启用<switch>")),
    ("关闭<switch>开关", ("让<switch>处于关闭状态", "停用<switch>")),
    (
        "在(?:弹出的)?(?:对话框|提示框)中，?(?:单击|点击)<action>",
        ("用<action>回应弹出的窗口", "弹窗出现后，以<action>确认"),
    ),
    (
        "(?:确认.{0,8}后，)?(?:单击|点击)<action>",
        ("按下<action>", "使用<action>", "接下来是<action>"),
    ),
)
FRAMES: Mapping[str, Frames] = {"en": _ENGLISH, "zh": _CHINESE}
"""By language."""
