"""The frames of Chinese sentences that say something by themselves: hints, offers to
look, what is shown, what the console does.

They are written as those of clauses are (`frames`), and are tried before them. None has
a word of an act in the console (`words.UI_ACTS`) outside of its own pattern.
"""

from __future__ import annotations

from proofwalk.agent.reading.chinese.words import DONE

WHOLE: tuple[tuple[str, str], ...] = (
    (
        "(?:在<▮>(?:对话框|页面|弹窗|面板)(?:中|里|内)?，?)?(?:复制并)?(?:记录|记下|妥善保存|保存好)[^，。；▮]{2,40}",
        "note it down",
    ),
    ("如果<any>，(?:则)?(?:说明|表示|代表|意味着)<any>", "note that the text says so"),
    (
        "如果<said>，(?:您|你)?(?:也|还)?可以<said>(?:，(?:也|还)可以<said>)?",
        "note that the text says so",
    ),
    (
        "(?:不|未|没有)(?:指定|设置|填写|选择|开启|勾选)<said>时，<said>",
        "note that the text says so",
    ),
    (
        "(?:页面)?(?:右上角|左上角|顶部|上方|下方)?(?:会|将)?(?:弹出|出现|显示|提示)<▮>的?"
        "(?:通知|提示|消息|提示信息|字样)",
        "the system prompts $1",
    ),
    (
        "(?:[^，。；▮]{1,14}后，)?(?!等|请)[^，。；▮]{1,12}?"
        "(?:会|将)?(?:自动)?(?:被)?"
        "从[^，。；▮]{0,10}列表(?:中|里|内)?(?:被)?(?:移除|消失|删除|清除)",
        "the item disappears from the list",
    ),
    (
        "(?:[^，。；▮]{1,14}后，)?(?!请|先|再|需|并|可|您|你|然后|在|把)[^，。；▮]{1,14}"
        "(?:会|将)(?!.*，(?:再|请|然后|接着|随后|并请|不))<any>",
        "the system does so",
    ),
    (
        "[^，。；▮]{1,14}(?:为|是|应为|必须|只能|支持|由|至少|包含)[^。▮]*?"
        "(?:字符|字母|数字|位|之间|组成|格式)[^。▮]*",
        "note that the text says so",
    ),
    (
        "将[^，。▮]{1,14}更新到[^。▮]*(?:客户端|应用|代码|配置文件|程序|业务|系统)[^。▮]*",
        "note that the text says so",
    ),
    (
        "[^，。；▮]{0,20}可以(?:添加|创建|选择|设置|配置|绑定|填写|包含)(?:多|一|若干|任意)[^。▮]*",
        "note that the text says so",
    ),
    ("(?:该|此)?[^，。；▮]{0,10}状态(?:会|将)?<becomes>[^，。；▮]{1,8}", "the system does so"),
    (
        "如果为<▮>，(?:则)?(?:可以?|直接|请)*(?:执行|进行|进入|跳到)下一步(?:操作)?",
        "note that the text says so",
    ),
    (
        "(?:(?:更多|详细|具体)?(?:信息|操作|内容|步骤|说明)|详情|有关<said>)?，?(?:请)?(?:参见|参考|查看)<▮>(?:。)?",
        "for more information, see $2",
    ),
    (
        "(?:<said>，?)?(?:具体操作|操作步骤|详情|具体)?，?(?:请)?(?:参见|参考|参阅|查看)<▮>(?:(?:和|、|或)<▮>)*(?:章节|文档)?",
        "for more information, see $2",
    ),
    ("(?:说明|注意|提示|重要|警告)[：:，]?<said>", "note that the text says so"),
    (
        "(?!确认|确保|检查|等待|验证)<said>(?:无法|不可|不能|不会)<said>?(?:，(?:请)?(?:谨慎|慎重)(?:操作|使用|选择)?|，请确认后再操作)?",
        "note that the text says so",
    ),
    (
        "(?:请)?(?:妥善|及时)?(?:保存|保管|记录|记下)好?[^，。；▮]{0,16}?<secret>(?:，<said>)?",
        "note that the text says so",
    ),
    (f"[^，。；▮]{{0,14}}{DONE}(?:成功|完成|完毕)", "the system does so"),
    ("(?:请)?(?:稍等|等待)(?:(?!状态|消失|显示)[^，。；▮]){0,16}", "the system does so"),
    (
        "(?:如果|若)(?:您|你)?(?:已经?|之前已)<said>，(?:请|则)?(?:可以?|直接)?(?:跳过|忽略)(?:此|该|本|这一)?(?:步骤|操作|步)",
        "if you have done so, skip this step",
    ),
    (
        "(?:<said>，)?(?:(?:您|你)(?:还|也)?)?(?:可以?|即可|能)?(?:在<▮>(?:页面|页签|页|列表|面板|区域|列)?(?:中|上|下|里)?)?"
        "(?:，)?(?:可以?)?(?:查看|看到|查询|管理)<said>",
        "you can view it",
    ),
    ("(?:系统|页面|控制台)(?:会|将)?(?:提示|显示|弹出)<▮><control>?", "the system prompts $1"),
    (
        "(?:系统|页面|控制台)(?:会|将)?(?:自动)?(?:提示|显示|跳转|返回|开始|生成|创建)<said>",
        "the system does so",
    ),
)
"""Sentences that say something by themselves: hints, offers to look, what is shown."""
