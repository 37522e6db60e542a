"""Names of controls that may change something when they are pressed.

A walk that looks for where a document begins presses none of them. English ones are
known by their first word, a verb that does not only show; Chinese ones by a list.
"""

from __future__ import annotations

import re

from proofwalk.agent.reading.english.word_forms import WordForm, forms_of

_CHANGES = re.compile(
    r"(?:create|add|new|delete|remove|edit|save|submit|confirm|apply|update|enable|disable|"
    r"activate|deactivate|start|stop|restart|reset|purge|upload|import|restore|revoke|archive|"
    r"move|copy|clone|rename|register|install|ok|yes)\b"
    r"|(?:立即|批量|一键|新)?(?:创建|新建|添加|新增|删除|移除|编辑|修改|保存|提交|确[定认]|应用|更新|启用|停用|开启|关闭|"
    r"启动|停止|重启|重置|清空|上传|导入|恢复|撤销|释放|移动|复制|克隆|重命名|注册|安装|购买|支付|绑定|解绑|授权|"
    r"升级|变更|续费|发布|下线|禁用|是$)",
    re.I,
)
_SHOWS = re.compile(
    r"view|show|see|open|manage|browse|go|access|expand|home|back|search|filter|"
    r"gear|cog|wheel|bell|network|log|report",
    re.I,
)
"""First words of controls that only show, though they are verbs too."""


def changes(name: str) -> bool:
    """True for a name that begins with an act which changes something."""
    return _CHANGES.match(name) is not None


def may_do(name: str) -> bool:
    """True for the name of a control that may change something: also another verb."""
    return changes(name) or _acts(name)


def _acts(name: str) -> bool:
    """True for the name of a button that may do something: `Invite Members`."""
    first = re.match(r"[A-Za-z]+", name)
    if first is None or _SHOWS.fullmatch(first.group()):
        return False
    return WordForm.BASE in forms_of(first.group())
