"""The frames of Chinese clauses: a pattern of words, and the same in English.

In a pattern, `<class>` is a word of the class in `words`, `<▮>` a label, `<▮▮>` labels
that are listed, `<thing>` a thing in the document's own words, and `<said>` words that
ask for nothing. `$1`, `$2` … in the English are the slots in their order. Frames are
tried in order. A thing stays in Chinese, because the console and the prepared resources
have it so.
"""

from __future__ import annotations

OPENINGS: tuple[tuple[str, str], ...] = (
    (
        "如果(?:弹出|出现|显示|打开)(?:了)?<▮>(?:对话框|窗口|弹窗)，(?:则)?",
        "if the $1 dialog box appears,",
    ),
    (
        "(?:如需|如果需要|若需|若需要|如果(?:您|你)?(?:需要|想要|想|希望))<said>，(?:则)?",
        "if you want to do so,",
    ),
    ("(?:如果(?!您|你)|若(?!您|你))<said>，(?:则)?", "if it is so,"),
)
"""Conditions, which open a sentence."""
PLACES: tuple[tuple[str, str], ...] = (
    ("在?<▮>控制台的?<bar>(?:中|上|里)?", "in the $2 of the $1 console"),
    ("在?<bar>(?:中|上|里)?", "in the $1"),
    ("在<▮>的?<place>(?:中|下|里|上|内)?", "in the $1 $2"),
    ("在(?:弹出|打开|出现|显示)的?<▮>的?<place>(?:中|下|里|上|内)?", "in the $1 $2"),
    (
        "在(?:弹出的?|打开的?|出现的?|显示的?)?(?:确认|提示)?(?:对话框|弹窗|窗口|面板)(?:中|里|内)?",
        "in the dialog box that appears",
    ),
    ("在<thing>的<▮>列(?:中|下)?", "in the $2 column of the $1"),
    ("在<▮>(?:中|里|下|处|后)", "in the $1 field"),
    ("在(?:[^，。；▮在]{0,8})列表(?:中|里)", "in the list"),
    ("在(?:列表|详情|当前|该)?页面(?:中|上)?", "on the page"),
    ("在(?:页面|列表|表格|对话框|表单|面板)的?(?:上方|下方|顶部|底部|左侧|右侧)", "on the page"),
    ("在?(?:页面|控制台)?的?<corner>", "in the $1 corner of the page"),
    ("在?<bar><corner>(?:处)?的?", "in the $2 corner of the $1"),
)
LEADS: tuple[tuple[str, str], ...] = (
    ("（可选）|可选[：:，]|\\(可选\\)", "Optional:"),
    ("<then>", "then"),
    ("<polite>", ""),
    ("<as_needed>", ""),
    ("(?:以)?(?:保存|应用)(?:设置|配置|修改|更改)", "to save the settings"),
    ("(?:根据|按照)(?:您的)?(?:数据量|访问量|负载|(?:业务|实际|自身)(?:量|需求|需要|情况)?)", ""),
    ("(?:确认|核对|检查)(?:<matter>)+(?:无误|正确)?(?:后|之后)?", ""),
    ("(?:确认|核对|检查)(?:无误|正确)?(?:后|之后)", ""),
    ("(?:完成|设置|配置)(?:<matter>)?(?:完成)?(?:后|之后)", ""),
    ("阅读(?:并(?:同意|确认|了解))?(?:<matter>)(?:后)?", ""),
)
"""Words before an act, or behind it, that ask for nothing more than the act."""
ACTS: tuple[tuple[str, str], ...] = (
    ("<visit><▮>(?:管理)?控制台", "log on to the $2 console"),
    ("登录<▮>", "log on to the $1 console"),
    ("<press>操作列(?:下|中)?的?<▮><control>?", "click $2 $3"),
    ("<press><▮>列(?:下|中)?的?<▮><control>?", "click $3 $4 in the $2 column"),
    ("<press><thing>的?<▮>列(?:下|中)?的?<▮><control>?", "in the $3 column of the $2, click $4 $5"),
    ("<press><thing>的?操作列(?:下|中|里)?的?<▮><control>?", "click $3 next to the $2"),
    ("<press>(?:页面)?<side>的?<▮><control>?", "click $3 $4 $2"),
    ("<press><bar>(?:中|上|里)?的?<▮>", "in the $2, choose $3"),
    ("<go><▮><tab>", "click the $2 tab"),
    ("<go><▮>(?:页面|页)", "go to the $2 page"),
    ("<press><▮><control>?", "click $2 $3"),
    ("<press>其(?: ?ID|名称|实例 ?ID)", "click its ID"),
    ("<press><thing>的 ?[^，。；▮的]{0,6}?(?:ID|名称|名字)<opened>?", "click the name of the $2"),
    ("<press><told><opened>?", "click the name of the $2"),
    ("<find><thing>", "find the $2"),
    ("阅读并(?:选中|勾选|同意|接受)<▮>(?:复选框)?", "select the $1 check box"),
    ("<tick>复选框", "select the check box"),
    ("<choose>复选框", "select the check box"),
    ("<tick>(?:复选框)?<▮>(?:复选框)?", "select the $2 check box"),
    ("<choose><▮>复选框", "select the $2 check box"),
    ("<untick><▮>(?:复选框)?", "clear $2"),
    ("选择(?:<kind>的?)?地域", "select a region"),
    ("选择<▮>地域", "select the $1 region"),
    ("刷新(?:页面|列表|当前页面)", "refresh the page"),
    (
        "(?:将)?鼠标(?:指针)?(?:悬停|移动|移|悬浮)(?:到|至|在|于)<▮>(?:上|上方|处)?<control>?",
        "hover over $1",
    ),
    ("上传<▮>", "upload $1"),
    ("保持默认(?:值|配置|设置)?", "keep the default"),
    ("<▮>(?:保持|使用)默认(?:值|配置|设置)?", "keep $1 as it is"),
    ("<▮>(?:增加)?<choose><▮▮>", "select $3 for $1"),
    ("<▮>(?:增加)?<choose>(?:为)?<▮>", "for $1, select $3"),
    ("<▮><tick><▮▮>", "select $3 for $1"),
    ("<▮><choose><kind><▮>", "for $1, select $4"),
    ("<▮><choose><thing>", "for $1, select the $3"),
    ("从<▮>(?:下拉)?(?:列表|菜单)(?:中|里)?<choose><▮>", "for $1, select $3"),
    ("从<▮>(?:下拉)?(?:列表|菜单)(?:中|里)?<choose><thing>", "for $1, select the $3"),
    ("<▮><enter><▮><unit>?", "for $1, enter $3 $4"),
    ("<▮>(?:设置为|设为)<▮><unit>?", "for $1, enter $2 $3"),
    ("<▮><enter><thing>", "for $1, enter the $3"),
    ("<choose><fit>的?<▮>", "select a suitable $3"),
    ("<choose><fit>的?<thing>", "select a suitable $3"),
    ("(?:增加)?<choose><▮▮>", "select $2"),
    ("(?:增加)?<choose><▮>", "select $2"),
    ("<choose><kind><▮>", "select $3"),
    ("<choose><thing>", "select the $2"),
    ("<enter><fit>的?<▮>", "enter a suitable $3"),
    ("<enter><thing>以确认<matter>", "enter the $2"),
    ("<enter><thing>", "enter the $2"),
    ("<enter><▮><unit>?", "enter $2 $3"),
    ("<add><▮>", "add $2"),
    ("(?:将|把)<▮>(?:的值)?<set><▮><unit>?", "set $1 to $3 $4"),
    ("<change><▮>为<▮><unit>?", "set $2 to $3 $4"),
    ("拖动<▮>滑块，?(?:并)?(?:将其)?<set><▮><unit>?", "drag the $1 slider to $3 $4"),
    ("拖动<▮>滑块，?(?:并)?选择<thing>", "drag the $1 slider to a capacity that suits you"),
    ("<on><▮>(?:开关|选项|功能)?", "turn on $2"),
    ("<off><▮>(?:开关|选项|功能)?", "turn off $2"),
    (
        "(?:等待)?<thing>从(?:该|此)?列表(?:中|里)?消失",
        "wait until the $1 disappears from the list",
    ),
    ("(?:确认|等待)?列表(?:中|里)?不再显示<thing>", "wait until the $1 disappears from the list"),
    ("等待<thing>?状态<becomes><▮>", "wait until the status $2 $3"),
    ("<sure><thing>?状态(?:已)?<becomes><▮>", "make sure that the status $3 $4"),
    (
        "<thing>?状态<becomes><▮>(?:后，?(?:操作|设置|配置)(?:已)?完成)?",
        "wait until the status $2 $3",
    ),
    ("<change>(?:以下|如下|下列)<matter>", "configure the following parameters"),
    (
        "(?:根据|按照|参考)(?:下表|以下说明|下表说明)<change><matter>",
        "configure the following parameters",
    ),
    ("<▮>保持<▮>(?:不变)?", "keep $1 set to $2"),
    ("保持<kind>不变", "keep the settings as they are"),
)
"""Clauses that ask for an act, or say what will be seen."""
WHOLE: tuple[tuple[str, str], ...] = (
    (
        "(?:(?:更多|详细|具体)?(?:信息|操作|内容|步骤|说明)|详情|有关<said>)?，?(?:请)?(?:参见|参考|查看)<▮>(?:。)?",
        "for more information, see $2",
    ),
    ("(?:说明|注意|提示|重要|警告)[：:，]?<said>", "note that the text says so"),
    ("(?:您|你)?(?:还|也)?可以(?:在<said>)?查看<said>", "you can view it"),
    ("(?:系统|页面|控制台)(?:会|将)?(?:提示|显示|弹出)<▮><control>?", "the system prompts $1"),
    (
        "(?:系统|页面|控制台)(?:会|将)?(?:自动)?(?:提示|显示|跳转|返回|开始|生成|创建)<said>",
        "the system does so",
    ),
)
"""Sentences that say something by themselves: hints, offers to look, what is shown."""
