"""The frames of Chinese clauses: a pattern of words, and the same in English.

In a pattern, `<class>` is a word of the class in `words`, `<▮>` a label, `<▮▮>` labels
that are listed, `<thing>` a thing in the document's own words, and `<said>` words that
ask for nothing. `$1`, `$2` … in the English are the slots in their order. Frames are
tried in order. A thing stays in Chinese, because the console and the prepared resources
have it so.
"""

from __future__ import annotations

from proofwalk.agent.reading.chinese.words import DONE

_SIDES = "(?:[左右][上下][方角]|[上下]方|[上下左右]侧|顶部|底部|中间|末尾)"
_PARTS = "(?:页面|列表|表格|对话框|弹窗|表单|面板|卡片|控制台|区域|详情页|抽屉)"
_DEFAULT = "(?:参数|配置|选项|设置|配置项|参数配置|字段|信息|项)?"

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
    (
        "在<▮>的?<place>(?:中|下|里|上|内)?的?<▮>的?<place>(?:中|下|里|上|内)?",
        "on the $1 $2, in the $3 $4",
    ),
    ("在?[^，。；：、▮在]{1,14}(?:页面|页|控制台)的?<bar>(?:中|上|里)?", "in the $1"),
    ("在[^，。；：、▮在]{0,10}搜索(?:框|栏)(?:中|里|内)?", "in the search box"),
    (
        "在[^，。；：、▮在]{1,12}的?<▮>(?:下拉列表|下拉框|下拉菜单|列表|输入框)(?:中|里|内)?",
        "in the $1 field",
    ),
    (
        "在(?:页面)?(?:右侧|左侧|中间)?(?:弹出|打开|展开|滑出|显示)的?(?:右侧|左侧)?(?:面板|抽屉|窗口|页面)(?:中|里|内)?",
        "in the dialog box that appears",
    ),
    (
        "在[^，。；：、▮在]{0,8}<▮>(?:所在行|对应)?的?(?:操作(?:列|栏)|操作)(?:中|下|里|内)?",
        "in the row of $1",
    ),
    ("在同一行的?操作(?:列|栏)(?:中|下|里|内)?", ""),
    ("在<thing>(?:所在行|对应)?的?操作(?:列|栏)(?:中|下|里|内)?", "in the row of the $1"),
    (
        "(?:根据|按照|按)<▮>(?:对话框|弹窗|面板|页面|窗口)(?:中|里|上)?的?提示",
        "in the $1 dialog box",
    ),
    ("在<▮>搜索(?:框|栏)(?:中|里|内)?", "in the search box"),
    ("在<▮>(?:步骤|向导|环节|步)(?:中|页面中|页面)?", "on the $1 page"),
    (
        "在<▮>(?:栏|列)(?:中|里|下|内)?，?<press><▮><control>?<opened>?",
        "click $3 $4 in the $1 column",
    ),
    ("在(?:弹出的?|展开的?)?下拉(?:菜单|列表|框|选项)(?:中|里)?", "in the drop-down list"),
    ("在(?:[^，。；▮在]{0,6}的)?(?:输入框|文本框)(?:中|里|内)?", ""),
    ("在<▮>(?:一栏|栏|项|选项|位置|框)(?:中|里|内)?", "in the $1 field"),
    (
        "在<thing>(?:所在行|对应|右侧|后面|后)的?<▮>(?:列|栏)(?:中|下|里|内)?",
        "in the $2 column of the $1",
    ),
    ("在(?:其|该行|对应|目标行|右侧|所在行)?的?操作(?:列|栏)(?:中|下|里|内)?", ""),
    ("在(?:该|当前|此)行(?:中|内|的右侧|右侧|末尾)?", ""),
    ("在?<▮>控制台的?<bar>(?:中|上|里)?", "in the $2 of the $1 console"),
    ("在?<bar>(?:中|上|里)?", "in the $1"),
    ("在<▮>的?<place>(?:中|下|里|上|内)?", "in the $1 $2"),
    ("在(?:弹出|打开|出现|显示)的?<▮>的?<place>(?:中|下|里|上|内)?", "in the $1 $2"),
    (
        "在(?:弹出的?|打开的?|出现的?|显示的?)?(?:二次|操作|风险|删除|安全)?(?:确认|提示|警告|验证|详情|编辑)?"
        "(?:对话框|弹窗|弹框|窗口|面板|提示框|确认框|弹出框|抽屉|浮层|气泡|气泡框)(?:中|里|内|上)?",
        "in the dialog box that appears",
    ),
    ("在<thing>的<▮>列(?:中|下)?", "in the $2 column of the $1"),
    ("在<▮>(?:中|里|下|处|后)", "in the $1 field"),
    ("在(?:[^，。；▮在]{0,8})列表(?:中|里)", "in the list"),
    ("在(?:列表|详情|当前|该)?页面(?:中|上)?", "on the page"),
    (f"在{_PARTS}的?{_SIDES}", "on the page"),
    ("在?(?:页面|控制台)?的?<corner>", "in the $1 corner of the page"),
    ("在?<bar><corner>(?:处)?的?", "in the $2 corner of the $1"),
    (f"在{_SIDES}", "on the page"),
)
LEADS: tuple[tuple[str, str], ...] = (
    ("依次", ""),
    ("为(?:了)?(?:防止|避免|确保|保证|便于|方便)<said>", ""),
    ("可以?(?:同时|一并)", ""),
    ("(?:退出|关闭)(?:该|此)?(?:对话框|面板|弹窗|窗口|抽屉)", ""),
    ("列表(?:中)?(?:会|将)?(?:只|仅)?显示<said>", ""),
    ("(?:<▮>|[^，。；▮]{1,12})可以?(?:根据需要|按需|自行)(?:填写|设置|选择|修改)", ""),
    ("可以?(?:选择|勾选|填写|添加|输入)(?:一个|一条|一或|多)[^，。；▮]{0,10}", ""),
    ("阅读(?!并)[^，。；▮]{2,12}", ""),
    (
        "(?!请|先|再|需|并|可|您|你|然后|在|把)[^，。；▮]{1,14}(?:将|会)(?:会|被|从|在|不再|自动|立即|开始|停止)[^，。；▮]{1,24}",
        "",
    ),
    ("(?:<prompted>)(?:操作)?", ""),
    (
        "(?:即可)?完成(?!以下|下列|如下|支付|付款|验证|认证|签名)(?:<matter>|[^，。；▮]{0,6}?"
        f"{DONE})(?:操作)?",
        "",
    ),
    ("即可<said>?", ""),
    ("(?:使|让)<said>生效", ""),
    ("(?:以便|用于|用来|以使|以保证|以确保|以便于)<said>", ""),
    ("(?:系统|页面|控制台|界面)?(?:会|将)?提示<said>(?:后|时)", ""),
    (f"[^，。；▮]{{0,10}}{DONE}(?:成功|完成|完毕)(?:后|之后|时)", ""),
    ("(?:请)?(?:仔细|认真)?(?:阅读|查看|了解)(?:并(?:同意|确认|了解|知晓))?<said>(?:后|之后)", ""),
    ("(?:请)?(?:仔细|认真)阅读(?:并(?:同意|确认|了解|知晓))?<said>", ""),
    (
        "(?:请)?(?:妥善保存|妥善保管|保存好|记录|记下|牢记)(?:所有|该|此)?<kind>(?:后，?|，?并|，?再)",
        "",
    ),
    ("(?:确认|核对|检查)<said>(?:无误|正确)(?:后|之后)?", ""),
    ("(?:请)?(?:妥善|及时)?(?:保存|保管|记录|记下)好?[^，。；▮]{0,16}?<secret>", ""),
    ("(?:请)?(?:稍等|等待)(?:片刻|一会儿?|几分钟|几秒|数秒|约?[\\d~～至-]+ ?(?:秒|分钟))", ""),
    ("<▮>(?:开关)?<on>(?:后|之后)", "turn on $1"),
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
    (
        "<press>[^，。；：、▮]{0,8}<▮>(?:对应|所在行)?的?操作(?:列|栏)(?:下|中|里)?的?<▮><control>?",
        "in the row of $2, click $3 $4",
    ),
    ("<press>(?!列表)[^，。；▮]{1,10}?(?: ?ID|名称|名字|名)<▮><opened>?", "click $2"),
    ("<press><▮>(?:后|右侧|旁|后面)的?<▮><control>?", "click $3 $4 next to $2"),
    ("<find>[^，。；▮]{0,6}(?:为|是|名为)<▮>的[^，。；▮]{1,10}", "find $2"),
    ("<▮>?(?:去掉|移除|取消)(?:已选的|已选中的|已选择的)<▮>", "clear $2"),
    ("<enter><name><▮>", "for $2, enter $3"),
    ("(?:设置|填写)(?:登录|新|初始)?密码", "enter the 密码"),
    ("在<▮>(?:中)?(?:再次|重新)<enter>(?:相同的|一致的|该|新)?<thing>", "for $1, enter the $3"),
    ("<▮>(?:列|会|将)?<becomes><▮>", "wait until the status $2 $3"),
    (
        "查看<▮>(?:列)?，?<becomes><▮>(?:后|时)?(?:，?(?:表示|说明)<said>)?",
        "wait until the status $2 $3",
    ),
    ("查看<▮>(?:列)?", "look at $1"),
    ("<becomes><▮>(?:后|时)，?(?:表示|说明|代表)<said>", "wait until the status $1 $2"),
    (
        "[^，。；▮]{0,12}<▮>?(?:默认(?:开启|关闭|启用))?，?(?:如无需要|如无特殊需求|建议|无特殊需求)，?保持(?:默认|不变)",
        "keep the default settings",
    ),
    (
        "(?:(?:使用|以|用)[^，。；▮]{1,14}(?:账号|账户|身份|用户|角色)，?)?<visit>[^，。；：▮]{0,20}控制台",
        "log on to the console",
    ),
    (
        "<press><▮><control>?，?(?:并)?(?:进入|跳转到|跳转至)<▮>的?<place>",
        "click $2 $3 to go to the $4 page",
    ),
    (
        "<press>(?:其|该行|对应的?|右侧|所在行的?)?操作(?:列|栏)(?:下|中|里)?的?<▮><control>?",
        "click $2 $3",
    ),
    ("<press>其<▮>(?:列|栏)(?:下|中|里)?的?<▮><control>?", "click $3 $4 in the $2 column"),
    (
        "<press><thing>(?:右侧|后面|后|旁边?|对应|所在行)的?<▮><control>?",
        "click $3 $4 next to the $2",
    ),
    (
        "<press><▮>(?:右侧|后面|后|旁边?|前)的?<picture>(?:图标|按钮)?",
        "click the $3 icon next to $2",
    ),
    (
        "<press><thing>(?:右侧|后面|后|旁边?|前)的?<picture>(?:图标|按钮)?",
        "click the $3 icon next to the $2",
    ),
    ("<press><picture>(?:图标|按钮)", "click the $2 icon"),
    ("<choose><▮><tab>", "click the $2 tab"),
    ("选择(?:<kind>的?)?地域，?(?:如|例如|比如)<▮>", "select the $2 region"),
    ("<choose>(?:对应的?)?<▮>为<▮>", "for $2, select $3"),
    ("为<▮><choose><▮>", "for $1, select $3"),
    ("为<▮><enter><▮><unit>?", "for $1, enter $3 $4"),
    (
        "在<▮>(?:和|及|与|、)<▮>(?:中|处|里|框中|文本框中|输入框中)?，?(?:分别|均)?(?:再次)?<enter><thing>",
        "for $1, enter the $4, for $2, enter the $4",
    ),
    (
        "按(?:下)?(?:键盘)?的?(?:回车|Enter|enter|Enter ?回车)键?(?:进行)?(?:搜索|查询|确认)?",
        "press Enter",
    ),
    ("(?:进行)?(?:搜索|查询|检索)<▮>", "search for $1"),
    ("<find>(?:名称为|名为)?<▮>(?:的<kind>)?", "find $2"),
    (
        "<tick><thing>(?:前面?|左侧|对应|名称前)的(?:复选框|单选框|单选按钮)",
        "select the check box next to the $2",
    ),
    (
        "<choose><thing>(?:前面?|左侧|对应|名称前)的(?:复选框|单选框|单选按钮)",
        "select the check box next to the $2",
    ),
    (
        "(?:<tick>|<choose>)<▮>(?:前面?|左侧|对应)的(?:复选框|单选框|单选按钮)",
        "select the $3 check box",
    ),
    ("<tick><▮▮>", "select $2"),
    ("<tick><thing>", "select the $2"),
    ("<enter><▮>(?:以|来|进行|后)?确认(?:<said>)?", "enter $2 to confirm"),
    ("(?:<enter>|<change>)<▮▮>", "enter $3"),
    (
        "(?:将|把)<▮>(?:开关|选项)?(?:打开|开启|启用|(?:切换|设置|置)为(?:开启|启用|打开)(?:状态)?)",
        "turn on $1",
    ),
    (
        "(?:将|把)<▮>(?:开关|选项)?(?:关闭|停用|(?:切换|设置|置)为(?:关闭|停用|禁用)(?:状态)?)",
        "turn off $1",
    ),
    ("(?:打开|开启)<▮>(?:右侧|后面?|旁边?)的?开关", "turn on $1"),
    ("关闭<▮>(?:右侧|后面?|旁边?)的?开关", "turn off $1"),
    (
        f"(?:保持|使用|采用)?(?:其他|其它|其余|剩余)的?{_DEFAULT}(?:均|都|全部)?(?:保持|使用|采用|选择)?(?:系统)?"
        "默认(?:值|设置|配置|选项)?(?:即可|不变)?",
        "keep the default settings",
    ),
    ("(?:将|把)<▮>的?(?:值)?<set> ?<num> ?<unit>?", "set $1 to $3 $4"),
    ("<▮><set> ?<num> ?<unit>?", "set $1 to $3 $4"),
    ("<▮><enter> ?<num> ?<unit>?", "for $1, enter $3 $4"),
    ("<▮><set><▮><unit>?", "for $1, enter $3 $4"),
    ("<▮><enter><thing>，?(?:例如|如|比如)<▮>", "for $1, enter the $3, for example, $4"),
    ("<enter><thing>，?(?:例如|如|比如)<▮>", "enter the $2, for example, $3"),
    ("(?:例如|比如)<▮>", "for example, $1"),
    ("<name><choose>(?:为)?<▮>", "for $1, select $3"),
    ("<name><enter>(?:为)?<▮><unit>?", "for $1, enter $3 $4"),
    ("<name><set><▮><unit>?", "set $1 to $3 $4"),
    ("<name><set> ?<num> ?<unit>?", "set $1 to $3 $4"),
    ("(?:将|把)<name><set><▮><unit>?", "set $1 to $3 $4"),
    ("(?:将|把)<name><set> ?<num> ?<unit>?", "set $1 to $3 $4"),
    ("<enter><name><▮>(?:和|及|与|、)<name><▮>", "for $2, enter $3, for $4, enter $5"),
    ("<enter><name>为<▮><unit>?", "for $2, enter $3 $4"),
    ("<change><name>为<▮><unit>?", "set $2 to $3 $4"),
    ("<choose><name>为<▮>", "for $2, select $3"),
    ("查看<said>", "view the settings"),
    ("<visit><▮>(?:管理)?控制台", "log on to the $2 console"),
    ("登录<▮>", "log on to the $1 console"),
    ("<press>操作列(?:下|中)?的?<▮><control>?", "click $2 $3"),
    ("<press><▮>列(?:下|中)?的?<▮><control>?", "click $3 $4 in the $2 column"),
    ("<press><thing>的?<▮>列(?:下|中)?的?<▮><control>?", "in the $3 column of the $2, click $4 $5"),
    ("<press><thing>的?操作列(?:下|中|里)?的?<▮><control>?", "click $3 next to the $2"),
    ("<press>(?:页面)?<side>的?<▮><control>?<opened>?", "click $3 $4 $2"),
    (
        f"<press>{_PARTS}?的?{_SIDES}的?<▮><control>?<opened>?",
        "click $2 $3",
    ),
    ("<press><bar>(?:中|上|里)?的?<▮>", "in the $2, choose $3"),
    ("<press><▮▮>", "click $2"),
    (
        "(?:将)?鼠标(?:指针)?(?:悬停|移动|移|悬浮)(?:到|至|在|于)<thing>(?:上方|上|处)",
        "hover over the $1",
    ),
    ("<go><▮><tab>", "click the $2 tab"),
    ("<go><▮>(?:页面|页)", "go to the $2 page"),
    ("<press><▮><control>?<opened>?", "click $2 $3"),
    ("<press>其(?: ?ID|名称|实例 ?ID)", "click its ID"),
    ("<press>列表(?:中|里)的?[^，。；▮]{1,8}?(?: ?ID|名称|名字)(?:链接)?<opened>?", "click its ID"),
    ("<press><thing>的 ?[^，。；▮的]{0,6}?(?:ID|名称|名字)<opened>?", "click the name of the $2"),
    ("<press><told><opened>?", "click the name of the $2"),
    (
        "<press>(?:目标|对应的?)?[^，。；▮]{1,8}?(?: ?ID|名称|名字)(?:链接)?<opened>?"
        "(?:，?(?:并)?进入<▮>的?<place>)?",
        "click its ID",
    ),
    ("展开<▮>(?:菜单|分组|区域|面板|选项|配置|项)?", "expand $1"),
    ("(?:从|通过|在)<bar>(?:中|里)?，?(?:进入|打开)<▮>(?:页面|页)?", "in the $1, choose $2"),
    ("(?:保持|将)?<▮>(?:为空|留空|可不填|可留空|不填)", "leave $1 empty"),
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
    ("从<▮>(?:下拉)?(?:列表|菜单|框|选项)(?:中|里)?<choose><▮>", "for $1, select $3"),
    ("从<▮>(?:下拉)?(?:列表|菜单|框|选项)(?:中|里)?<choose><thing>", "for $1, select the $3"),
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
    (
        "(?:完成)?(?:<change>|完善)?(?:以下|如下|下列)(?:<matter>)+",
        "configure the following parameters",
    ),
    (
        "(?:根据|按照|参考|参照|按)(?:下表|以下(?:说明|表格|信息|内容)|下表说明|下列说明|如下说明|如下表格)"
        "(?:，)?(?:中的说明)?(?:完成|进行)?<change>?(?:<matter>)+",
        "configure the following parameters",
    ),
    (
        "(?:根据|按照|按)(?:页面|界面)提示<change>(?:以下|如下|下列)?(?:<matter>)+",
        "configure the following parameters",
    ),
    ("(?:返回|前往|转到|进入|切换到|切换至)(?:到)?<▮>(?:列表)?", "go to the $1 page"),
    ("<▮>保持<▮>(?:不变)?", "keep $1 set to $2"),
    ("保持<kind>不变", "keep the settings as they are"),
)
"""Clauses that ask for an act, or say what will be seen."""
