"""The Chinese words of the lexicon, by class, each with the English that the rules
read.

A class is a slot of the frames (`frames`): a new verb or noun is a row here. The
longest word of a class wins.
"""

from __future__ import annotations

WORDS: dict[str, dict[str, str]] = {
    "press": {"单击": "click", "点击": "click", "点按": "click", "按下": "press"},
    "choose": {"选择": "select", "选中": "select", "选取": "select"},
    "tick": {"勾选": "select"},
    "untick": {"取消勾选": "clear", "取消选中": "clear", "取消选择": "clear", "清除": "clear"},
    "enter": {
        "输入": "enter",
        "填写": "enter",
        "填入": "enter",
        "键入": "enter",
        "粘贴": "enter",
        "自定义": "enter",
    },
    "add": {"添加": "add", "新增": "add", "增加": "add"},
    "on": {"打开": "turn on", "开启": "turn on", "启用": "turn on"},
    "off": {"关闭": "turn off", "停用": "turn off"},
    "find": {"找到": "find", "定位到": "find", "定位": "find", "查找": "find"},
    "visit": {
        "登录到": "log on to",
        "登录": "log on to",
        "进入": "log on to",
        "打开": "log on to",
        "访问": "log on to",
        "前往": "log on to",
    },
    "go": {
        "进入": "go to",
        "打开": "go to",
        "切换到": "go to",
        "切换至": "go to",
        "转到": "go to",
        "返回": "return to",
        "前往": "go to",
    },
    "becomes": {
        "恢复为": "changes to",
        "变为": "changes to",
        "变成": "changes to",
        "更新为": "changes to",
        "显示为": "is",
        "转为": "changes to",
        "为": "is",
    },
    "sure": {"确认": "make sure that", "确保": "make sure that", "检查": "make sure that"},
    "control": {
        "按钮": "button",
        "图标": "icon",
        "链接": "link",
        "页签": "tab",
        "标签页": "tab",
        "选项卡": "tab",
        "菜单": "menu",
        "卡片": "card",
    },
    "tab": {"页签": "tab", "标签页": "tab", "选项卡": "tab"},
    "place": {
        "列": "column",
        "页签": "tab",
        "标签页": "tab",
        "选项卡": "tab",
        "页面": "page",
        "页": "page",
        "对话框": "dialog box",
        "弹窗": "dialog box",
        "窗口": "dialog box",
        "面板": "panel",
        "抽屉": "panel",
        "区域": "section",
        "下拉列表": "drop-down list",
        "下拉框": "drop-down list",
        "下拉菜单": "drop-down list",
        "下拉选项": "drop-down list",
        "步骤": "page",
        "弹框": "dialog box",
        "提示框": "dialog box",
        "确认框": "dialog box",
        "卡片": "section",
        "模块": "section",
        "文本框": "field",
        "输入框": "field",
        "字段": "field",
        "参数": "field",
    },
    "bar": {
        "左侧导航栏": "left-side navigation pane",
        "左侧的导航栏": "left-side navigation pane",
        "左侧菜单栏": "left-side navigation pane",
        "左侧菜单": "left-side navigation pane",
        "导航栏": "navigation pane",
        "顶部导航栏": "top navigation bar",
        "顶部菜单栏": "top navigation bar",
    },
    "corner": {
        "左上角": "upper-left",
        "右上角": "upper-right",
        "左下角": "lower-left",
        "右下角": "lower-right",
    },
    "side": {
        "右侧": "on the right",
        "左侧": "on the left",
        "右上角": "in the upper-right corner",
        "左上角": "in the upper-left corner",
        "底部": "at the bottom of the page",
        "顶部": "at the top of the page",
        "右下角": "in the lower-right corner",
    },
    "unit": {
        "毫秒": "ms",
        "秒": "seconds",
        "分钟": "minutes",
        "小时": "hours",
        "天": "days",
        "个": "items",
        "ms": "ms",
        "GiB": "GiB",
        "GB": "GB",
        "MB": "MB",
        "Mbps": "Mbps",
        "%": "%",
        "次": "items",
        "条": "items",
        "台": "items",
        "年": "years",
        "个月": "months",
    },
    "then": {
        "然后": "then",
        "接着": "then",
        "随后": "then",
        "再": "then",
        "并且": "then",
        "并": "then",
        "最后": "then",
        "之后": "then",
        "同时": "then",
    },
    "polite": {"请": "", "您需要": "", "继续": "", "直接": ""},
    "prompted": {
        f"{how}{where}{what}": ""
        for how in ("根据", "按照", "按")
        for where in ("", "页面", "界面", "控制台", "系统", "向导")
        for what in ("提示", "引导", "指引")
    },
    "secret": {
        word: ""
        for word in (
            "密钥",
            "密码",
            "口令",
            "Secret",
            "Token",
            "令牌",
            "证书",
            "凭证",
            "私钥",
            "Key",
        )
    },
    "picture": {
        "编辑": "edit",
        "修改": "edit",
        "铅笔": "edit",
        "删除": "delete",
        "刷新": "refresh",
        "搜索": "search",
        "放大镜": "search",
        "设置": "settings",
        "齿轮": "settings",
        "更多": "more",
        "复制": "copy",
        "下载": "download",
        "添加": "add",
        "加号": "plus",
        "关闭": "close",
    },
    "as_needed": {
        "根据业务需要": "",
        "根据业务需求": "",
        "根据实际需要": "",
        "根据实际需求": "",
        "根据实际业务需求": "",
        "根据业务情况": "",
        "根据实际情况": "",
        "根据需要": "",
        "按需": "",
        "本示例": "",
        "本示例中": "",
        "本例": "",
        "本例中": "",
        "本文": "",
        "此处": "",
        "这里": "",
        "分别": "",
        "均": "",
    },
    "set": {
        "设置为": "to",
        "设置成": "to",
        "修改为": "to",
        "调整为": "to",
        "更改为": "to",
        "变更为": "to",
        "改为": "to",
        "设为": "to",
        "切换为": "to",
        "切换成": "to",
    },
    "change": {"设置": "set", "修改": "set", "更改": "set", "配置": "set", "填写": "set"},
    "matter": {
        word: "it"
        for word in (
            "配置",
            "信息",
            "提示信息",
            "提示",
            "订单",
            "设置",
            "规则",
            "参数",
            "内容",
            "以上",
            "配置项",
            "协议",
            "操作",
            "删除",
            "释放",
            "所有",
            "相关",
            "基本",
            "高级",
            "选项",
            "参数配置",
            "参数信息",
            "配置信息",
            "基本信息",
            "相关配置",
            "页面信息",
        )
    },
}
"""Words that an empty text stands for ask for nothing by themselves."""

DONE = (
    "(?:创建|新建|修改|更新|删除|添加|新增|保存|提交|绑定|解绑|操作|设置|配置|测试|校验|验证|连接|购买|"
    "导入|导出|上传|下载|启用|停用|释放|重启|启动|停止|编辑|开通|发布|授权|升级|变更|复制|重置|审批|迁移|扩容)"
)
"""What an act that is finished was: `创建成功后`."""

NO_THINGS = (
    "按钮", "图标", "链接", "页签", "标签页", "选项卡", "选项", "复选框", "单选框",
    "单选按钮", "开关", "文件", "箭头", "菜单", "对话框", "弹窗", "窗口", "页面",
    "列表", "控制台", "导航栏", "面板", "操作", "步骤", "向导", "滑块", "文本框",
    "输入框", "下拉框", "表格", "区域", "列", "行", "其", "它", "它们", "该", "此",
    "后", "时",
)  # fmt: skip
"""Ends of a phrase that is no thing of a list or a form."""

UI_ACTS = (
    "单击", "点击", "双击", "点按", "按下", "选择", "选中", "勾选", "取消", "输入",
    "填写", "填入", "键入", "拖动", "拖拽", "上传", "(?<!免密)(?<!单点)登录(?!名|账|密码)", "悬停",
    "刷新",
)  # fmt: skip
"""Words in a description or a remark that may ask for an act of their own, as
patterns: `免密登录` and `登录名称` are nouns."""

DUTIES = ("请", "必须", "需要", "务必", "打开", "关闭", "启用", "先", "再", "将")
"""Words in a remark that may oblige the reader."""

HEADERS = {
    "参数": "Parameter",
    "参数名称": "Parameter",
    "配置项": "Parameter",
    "名称": "Parameter",
    "说明": "Description",
    "描述": "Description",
    "参数说明": "Description",
    "备注": "Description",
    "取值": "Value",
    "取值样例": "Example",
    "值": "Value",
    "示例": "Example",
    "示例值": "Example",
}
"""Headers of tables of parameters."""
