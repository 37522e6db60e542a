"""Words by which an exploration chooses what to press, in English and Chinese.

The words that are never pressed are the first fence of an exploration that changes
nothing: a control whose name begins with one, or has one after an *and*, is left alone,
whatever else speaks for it. *Create and start* does something, *Create launch template*
opens something. In the name of a place (a link, a menu entry, a tab) an *and* joins
nouns, so that only the beginning counts; `PLACES` begin so and are places all the same.
A button is pressed only if its name begins with a word that opens something. No word is
in both lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

NEVER_ENGLISH = (
    "abort accept activate allocate allow apply approve archive assign associate attach authorize"
    " ban bind block bulk-delete buy cancel-order change-owner charge clear clone close-account"
    " commit confirm connect copy deactivate delete deny deploy deregister destroy detach disable"
    " disassociate discard disconnect dismiss drop empty enable erase execute exit failover finish"
    " flush force grant impersonate install invalidate invite invoke kill launch leave lock log-off"
    " log-out logoff logout ok order pause pay permanently place-order publish purchase purge quit"
    " reactivate reboot rebuild recover recycle redeploy regenerate reinstall reject release remove"
    " renew replace request reset resize restart restore resume retry revoke roll-back rollback"
    " rotate run save schedule send shut-down shutdown sign-off sign-out signoff signout simulate"
    " start stop submit subscribe suspend swap switch switch-role sync synchronize terminate test"
    " transfer trigger truncate unbind undeploy undo uninstall unlock unsubscribe update upgrade"
    " upload wipe yes"
)
NEVER_CHINESE = (
    "删除 移除 释放 销毁 清空 清除 清理 终止 停止 停用 启用 禁用 启动 重启"
    " 重置 重装 确定 确认 保存 提交 应用 发送 执行 运行 发布 部署 回滚 恢复"
    " 还原 升级 降级 变配 续费 购买 支付 付款 下单 充值 退款 退订 订购 激活"
    " 吊销 撤销 轮转 解绑 绑定 解除 挂载 卸载 授权 同意 拒绝 批准 锁定 解锁"
    " 切换 同步 上传 注销 退出 登出 踢出 强制 立即 重试 触发 迁移 转移 完成"
    " 开通 关闭账号 关停 冻结"
)
NEVER_SETTINGS = (
    "english",
    "中文",
    "简体中文",
    "繁體中文",
    "日本語",
    "language",
    "语言",
    "dark mode",
)
"""Whole names of what changes how the console looks to its user."""
PLACES = frozenset(
    {
        "backups",
        "deployments",
        "launch templates",
        "order management",
        "orders",
        "release notes",
        "start page",
        "tests",
        "updates",
        "部署集",
        "启动模板",
        "发布说明",
        "恢复点",
        "应用",
        "应用管理",
        "应用分组",
        "应用中心",
        "运行状况",
        "授权管理",
        "续费管理",
        "迁移任务",
    }
)
OPENING_ENGLISH = (
    "add change configure configuration create customize define details edit import manage modify"
    " more new preferences register rename set settings show view"
)
OPENING_CHINESE = (
    "创建 新建 添加 新增 编辑 修改 更改 配置 设置 管理 查看 详情 更多 导入 注册 重命名 自定义 增加"
)
CLOSING = frozenset(
    {"cancel", "close", "back", "dismiss", "not now", "取消", "关闭", "返回", "暂不", "×", "x"}
)
SEARCHING = re.compile(r"search|filter|find|query|keyword|搜索|筛选|查询|查找|关键[字词]", re.I)
"""In what a field says that it searches and fills in no form."""
ROW_ACTIONS = frozenset({"action", "actions", "operation", "operations", "操作"})
"""Headers of the column that holds what can be done with a row."""
MORE = frozenset({"more", "actions", "action", "operations", "…", "...", "⋮", "更多", "操作"})
"""Names of the button whose menu holds what can be done, and no places."""
_AND = re.compile(r"[\s,;]+(?:and|then|or)\s+|\s*[&,+/、，和或]\s*|并且?|然后|后")


class Lexicon:
    """What a name says about a press. `never` adds words of the caller's own."""

    def __init__(self, never: Iterable[str] = ()) -> None:
        own = tuple(word.casefold().strip() for word in never if word.strip())
        self._never = _words((*NEVER_ENGLISH.split(), *own))
        self._never_chinese = re.compile("|".join(map(re.escape, (*NEVER_CHINESE.split(), *own))))
        self._opening = _words(OPENING_ENGLISH.split())
        self._opening_chinese = re.compile("|".join(map(re.escape, OPENING_CHINESE.split())))

    def forbids(self, name: str, *, place: bool = False) -> bool:
        """Return True if what has this name is never pressed. `place`: it is a link, a
        menu entry or a tab."""
        name = _plain(name)
        if name in NEVER_SETTINGS:
            return True
        if not place:
            return any(map(self._begins, filter(None, _AND.split(name))))
        return name not in PLACES and self._begins(name)

    def _begins(self, name: str) -> bool:
        return bool(self._never.match(name) or self._never_chinese.match(name))

    def opens(self, name: str) -> bool:
        """Return True if a button of this name mostly opens something."""
        name = _plain(name)
        return bool(
            self._opening.match(name) or self._opening_chinese.match(name) or name.startswith("+")
        )

    @staticmethod
    def closes(name: str) -> bool:
        """Return True if a button of this name leaves a dialog as it is."""
        return _plain(name) in CLOSING


def _plain(name: str) -> str:
    return " ".join(name.casefold().split()).strip(" .…>›")


def _words(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern of whole words; a hyphen in a word stands for a hyphen, a space or
    nothing."""
    forms = "|".join(re.escape(word).replace(r"\-", "[- ]?") for word in words)
    return re.compile(rf"(?<![\w])(?:{forms})(?![\w])")
