"""The sentences of synthesised units, by language; `<…>` is filled in by `units`, and
what stands in double braces by the rendering of the task.

Each thing is said in several ways, of which a task's seed chooses one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from proofwalk.suites.synthesis.operations import Capability, Entry, Persona

Sentences: TypeAlias = Mapping[str, tuple[str, ...]]
"""Language -> ways to say it."""

OK: Mapping[str, str] = {"en": "OK", "zh": "确定"}
"""The button at the end of a form."""
AND: Mapping[str, str] = {"en": " and ", "zh": "，"}
OPEN: Sentences = {
    "en": (
        "Log on to the **{{ui('')}}** console. In the left-side navigation pane, choose"
        " **{{ui('menu/<menu>')}}**.",
        "In the left-side navigation pane of the **{{ui('')}}** console, choose"
        " **{{ui('menu/<menu>')}}**.",
    ),
    "zh": (
        "登录**{{ui('')}}**控制台，在左侧导航栏选择**{{ui('menu/<menu>')}}**。",
        "打开**{{ui('')}}**控制台，在左侧导航栏，选择**{{ui('menu/<menu>')}}**。",
    ),
}
PRESS: Sentences = {
    "en": (
        "Find {{ref.<role>}} and click **{{ui('<action>')}}** in the **Actions** column.",
        "Click **{{ui('<action>')}}** in the **Actions** column of {{ref.<role>}}.",
    ),
    "zh": (
        "找到{{ref.<role>}}，在**操作**列单击**{{ui('<action>')}}**。",
        "在列表中找到{{ref.<role>}}，单击**操作**列下的**{{ui('<action>')}}**。",
    ),
}
ENTER: Mapping[Entry, Sentences] = {
    Entry.TYPED: {
        "en": (
            "In the **{{ui('<field>')}}** field, enter `{{params.<name>}}`.",
            "Set **{{ui('<field>')}}** to `{{params.<name>}}`.",
        ),
        "zh": ("在**{{ui('<field>')}}**中输入 `{{params.<name>}}`。",),
    },
    Entry.CHOSEN: {
        "en": (
            "For **{{ui('<field>')}}**, select **{{params.<name>}}**.",
            "Select **{{params.<name>}}** as **{{ui('<field>')}}**.",
        ),
        "zh": ("**{{ui('<field>')}}**选择**{{params.<name>}}**。",),
    },
    Entry.SLID: {
        "en": ("Drag the **{{ui('<field>')}}** slider to `{{params.<name>}}`.",),
        "zh": ("拖动**{{ui('<field>')}}**滑块，设置为 `{{params.<name>}}`。",),
    },
}
SWITCH: Mapping[bool, Sentences] = {
    True: {
        "en": ("Turn the **{{ui('<field>')}}** switch on.",),
        "zh": ("打开**{{ui('<field>')}}**开关。",),
    },
    False: {
        "en": ("Turn the **{{ui('<field>')}}** switch off.",),
        "zh": ("关闭**{{ui('<field>')}}**开关。",),
    },
}
CONFIRM: Sentences = {
    "en": ("Click **<ok>**.", "Check what is shown and click **<ok>**."),
    "zh": ("单击**<ok>**。", "确认提示信息后，单击**<ok>**。"),
}
PRESS_CREATE: Sentences = {
    "en": (
        "Click **{{ui('<action>')}}**.",
        "Above the list, click **{{ui('<action>')}}**.",
    ),
    "zh": ("单击**{{ui('<action>')}}**。", "在列表页面，单击**{{ui('<action>')}}**。"),
}
CHOOSE_PARENT: Sentences = {
    "en": (
        "For **{{ui('<field>')}}**, select {{ref.<parent>}}.",
        "Select {{ref.<parent>}} as **{{ui('<field>')}}**.",
    ),
    "zh": ("**{{ui('<field>')}}**选择{{ref.<parent>}}。",),
}
NEXT: Sentences = {
    "en": ("Click **Next**.", "To continue, click **Next**."),
    "zh": ("单击**下一步**。", "完成配置后，单击**下一步**。"),
}
AGREE: Sentences = {
    "en": ("Select the check box next to **{{ui('<field>')}}**.",),
    "zh": ("选中**{{ui('<field>')}}**。",),
}
SUBMIT: Sentences = {
    "en": (
        "Click **{{ui('<action>/submit')}}**.",
        "Check the settings and click **{{ui('<action>/submit')}}**.",
    ),
    "zh": (
        "单击**{{ui('<action>/submit')}}**。",
        "确认信息后，单击**{{ui('<action>/submit')}}**。",
    ),
}
PARENTS: Sentences = {
    "en": ("the <noun> that you prepared", "the <noun> that is there already"),
    "zh": ("已准备好的<noun>", "已有的<noun>"),
}
GOAL_CREATE: Sentences = {
    "en": ("In the **{{ui('')}}** console, there is to be <one> as follows: <what>.",),
    "zh": ("在**{{ui('')}}**控制台中，创建一个<noun>，要求如下：<what>。",),
}
WHAT_PARENT: Sentences = {
    "en": ("**{{ui('<field>')}}** is {{ref.<parent>}}",),
    "zh": ("**{{ui('<field>')}}**为{{ref.<parent>}}",),
}
TYPE_NAME: Sentences = {
    "en": ("In the dialog box that appears, enter the name as prompted and click **<ok>**.",),
    "zh": ("在弹出的对话框中，按提示输入资源名称，单击**<ok>**。",),
}
REFS: Sentences = {
    "en": ("the <noun> that you want to manage", "the <noun> in question"),
    "zh": ("要操作的<noun>", "目标<noun>"),
}
GOAL: Sentences = {
    "en": ("In the **{{ui('')}}** console, have {{ref.<role>}} as follows: <what>.",),
    "zh": ("在**{{ui('')}}**控制台中，完成对{{ref.<role>}}的以下操作：<what>。",),
}
WHAT: Mapping[Entry, Sentences] = {
    Entry.TYPED: {
        "en": ("**{{ui('<field>')}}** is `{{params.<name>}}`",),
        "zh": ("**{{ui('<field>')}}**为 `{{params.<name>}}`",),
    },
    Entry.CHOSEN: {
        "en": ("**{{ui('<field>')}}** is **{{params.<name>}}**",),
        "zh": ("**{{ui('<field>')}}**为**{{params.<name>}}**",),
    },
    Entry.SLID: {
        "en": ("**{{ui('<field>')}}** is `{{params.<name>}}`",),
        "zh": ("**{{ui('<field>')}}**为 `{{params.<name>}}`",),
    },
}
WHAT_SWITCHED: Mapping[bool, Sentences] = {
    True: {"en": ("**{{ui('<field>')}}** is on",), "zh": ("**{{ui('<field>')}}**为开启",)},
    False: {"en": ("**{{ui('<field>')}}** is off",), "zh": ("**{{ui('<field>')}}**为关闭",)},
}
ASK: Sentences = {
    "en": (
        "In the **{{ui('')}}** console, look up **{{ui('<action>')}}** of {{ref.<role>}}, and"
        " answer with it as `<name>`. Change nothing.",
        "Find out what the **{{ui('')}}** console shows as **{{ui('<action>')}}** of"
        " {{ref.<role>}}. Answer with `<name>`, and leave everything as it is.",
    ),
    "zh": (
        "在**{{ui('')}}**控制台中，查看{{ref.<role>}}的**{{ui('<action>')}}**，以 `<name>`"
        " 作为字段名作答，不做任何更改。",
    ),
}
LOOK_UP: Mapping[str, str] = {"en": "Look up {label} of {one}", "zh": "查看{noun}的{label}"}
DONE: Sentences = {
    "en": ("**{{ui('<action>')}}** has been carried out on it",),
    "zh": ("已执行**{{ui('<action>')}}**",),
}
WHY: Mapping[Persona, Mapping[Capability, Sentences]] = {
    Persona.OPERATOR: {
        Capability.LOOK: {
            "en": ("Before you act on <one>, know how it stands.",),
            "zh": ("操作<noun>之前，请先了解其当前情况。",),
        },
        Capability.CREATE: {
            "en": ("Before the next rollout, <one> has to be there.",),
            "zh": ("在下一次发布之前，需要准备好<noun>。",),
        },
        Capability.CHANGE: {
            "en": ("Keep the settings of <one> in line with how it is run today.",),
            "zh": ("请让<noun>的配置与当前的运行方式保持一致。",),
        },
        Capability.SWITCH: {
            "en": ("During maintenance, the person on duty may have to act on <one>.",),
            "zh": ("在维护期间，值班人员可能需要处理<noun>。",),
        },
        Capability.REMOVE: {
            "en": ("After a service has moved, its <noun> only takes up room in the list.",),
            "zh": ("业务迁移后，原来的<noun>只会占用列表空间。",),
        },
    },
    Persona.AUDITOR: {
        Capability.LOOK: {
            "en": ("A review notes down how every <noun> is set up, and touches none.",),
            "zh": ("检查时只记录每个<noun>的配置，不做改动。",),
        },
        Capability.CREATE: {
            "en": ("For the review, set up <one> of its own, so that nothing else is touched.",),
            "zh": ("为了便于检查，请单独创建<noun>，避免影响其他资源。",),
        },
        Capability.CHANGE: {
            "en": ("An audit asks that every <noun> is set up as the policy has it.",),
            "zh": ("审计要求每个<noun>都按规范设置。",),
        },
        Capability.SWITCH: {
            "en": ("If a review finds <one> in the wrong state, set it right the same day.",),
            "zh": ("如果检查发现<noun>的状态不正确，请在当天处理。",),
        },
        Capability.REMOVE: {
            "en": ("<One> that nobody answers for is to be removed after a review.",),
            "zh": ("检查后，无人负责的<noun>应当清理。",),
        },
    },
    Persona.OWNER: {
        Capability.LOOK: {
            "en": ("Whoever is asked about <one> has to tell how it is set up.",),
            "zh": ("被问及<noun>时，负责人应能说明其配置。",),
        },
        Capability.CREATE: {
            "en": ("A new service begins with <one> that you own.",),
            "zh": ("新业务从创建自己的<noun>开始。",),
        },
        Capability.CHANGE: {
            "en": ("As the owner of <one> you can change it without asking anybody.",),
            "zh": ("作为<noun>的负责人，您可以自行修改。",),
        },
        Capability.SWITCH: {
            "en": ("Whoever owns <one> decides when it is in use.",),
            "zh": ("<noun>何时使用由负责人决定。",),
        },
        Capability.REMOVE: {
            "en": ("What you do not need costs attention: remove <one> that is out of use.",),
            "zh": ("请及时清理不再需要的<noun>，避免分散精力。",),
        },
    },
}
