"""Chinese sentences as vendors write them, and the intents that they are read as."""

from __future__ import annotations

SENTENCES: list[tuple[str, list[str]]] = [
    (
        "登录**云服务器 ECS**控制台，在左侧导航栏选择**实例与镜像** > **实例**。",
        ["log_on 云服务器 ECS", "navigate 实例与镜像 > 实例 @navigation:"],
    ),
    (
        "在**专有网络 VPC**控制台的左侧导航栏，选择**交换机**。",
        ["log_on 专有网络 VPC conditional", "navigate 交换机 @page:专有网络 VPC @navigation:"],
    ),
    ("进入**存储桶列表**页面。", ["navigate 存储桶列表"]),
    ("切换到**监控**页签。", ["click 监控 (tab)"]),
    ("点击【创建】按钮。", ["click 创建 (button)"]),
    ("单击“下一步”。", ["click 下一步"]),
    (
        "找到目标实例，在**操作**列单击**释放**。",
        ["locate «the 目标实例»", "click 释放 @column:操作"],
    ),
    (
        "在实例列表中找到要停止的实例，单击**操作**列下的**停止**。",
        ["locate «the 要停止的实例»", "click 停止 @column:操作"],
    ),
    (
        "单击要扩容的云盘**操作**列中的 **⋮** 图标，选择**扩容**。",
        ["locate «the 要扩容的云盘»", "click ⋮ (icon) @column:操作", "click 扩容 @column:操作"],
    ),
    ("单击待备份实例的 ID，进入详情页。", ["open_row «the 待备份实例»"]),
    ("单击用户 `li.4`的登录名称，进入用户详情页面。", ["open_row li.4 «the 用户 li.4»"]),
    (
        "单击存放数据的存储空间，进入**文件**页签。",
        ["open_row «the 存放数据的存储空间»", "click 文件 (tab)"],
    ),
    ("在**名称**中输入 `web-3`。", ["set 名称 = web-3 @field:名称"]),
    ("**名称：**填写`web-3`。", ["set 名称 = web-3 @field:名称"]),
    (
        "**计费方式**选择**按量付费**，**时长**输入 `3`，单击**下一步**。",
        ["set 计费方式 = 按量付费 @field:计费方式", "set 时长 = 3 @field:时长", "click 下一步"],
    ),
    ("在**可用区**下拉列表中，选择**可用区 H**。", ["set 可用区 = 可用区 H @field:可用区"]),
    ("将**超时时间**调整为 `30` 秒。", ["set 超时时间 = 30"]),
    ("拖动**权重**滑块，设置为 `10`。", ["set 权重 = 10"]),
    ("**专有网络**选择已创建的专有网络。", ["set 专有网络 @field:专有网络"]),
    ("**方法**选中**GET**和**PUT**。", ["set 方法 = GET", "set 方法 = PUT"]),
    ("打开**自动续费**开关，并关闭**公网访问**。", ["check 自动续费", "check 公网访问 off"]),
    ("勾选**服务协议**，取消勾选**自动备份**。", ["check 服务协议", "check 自动备份 off"]),
    ("（可选）在**描述**中输入 `x`。", ["set 描述 = x @field:描述 optional"]),
    (
        "如果弹出**提示**对话框，单击**确定**。",
        ["mention 提示 conditional", "click 确定 conditional"],
    ),
    ("确认配置无误后，单击**确定**，保存设置。", ["click 确定"]),
    ("在弹出的对话框中，单击**确定**。", ["click 确定 @dialog:"]),
    ("在顶部菜单栏，选择**华东1（杭州）**地域。", ["region 华东1（杭州） @top_bar:"]),
    ("将鼠标悬停在**更多**上，单击**删除**。", ["hover 更多", "click 删除"]),
    ("等待实例状态变为**运行中**。", ["expect_status 运行中"]),
    ("确认记录状态为**已暂停**。", ["expect_status 已暂停"]),
]

ASK_FOR_NOTHING = (
    "系统提示创建成功。",
    "您可以查看实例的运行情况。",
    "说明：删除后无法恢复。",
    "更多信息，请参见[创建实例](x.html)。",
)

NOT_UNDERSTOOD = (
    "单击**确定**并确认。",
    "单击蓝色按钮。",
    "双击**实例**。",
    "单击**确定**，喝茶。",
    "说明：请先停止实例。",
    "说明：单击**停止**。",
    "找到目标实例并单击停止。",
    "单击**停止**或**删除**。",
    "请妥善保管密码。",
    "如果您的账号欠费，单击**充值**。",
    "**インスタンス**をクリックします。",
)
"""Each has a word that the lexicon does not have, or asks for more than is read."""
