"""Sentences about what a reader wishes for, and clicks with the right button
(`test_grammar.described` says how to read them)."""

SENTENCES: list[tuple[str, list[str]]] = [
    ("Update pump details as desired.", ["configure (form) optional"]),
    ("Reconfigure your pump as desired.", ["configure (form) optional"]),
    ("Configure settings as desired.", ["configure (form) optional"]),
    ("Fill in Pump details as desired.", ["configure (form) optional"]),
    ("Configure your pump item's values as desired:", ["configure (form) optional"]),
    ("Toggle **Drain** and **Fill** as desired.", ["configure (form) optional"]),
    (
        "Set your **Replace** option and enter an email to receive notes if desired.",
        ["set Replace", "set email (words)"],
    ),
    (
        "Scroll down to the **Pipes** section and make any other changes as desired.",
        ["mention Pipes"],
    ),
    ("Click on the desired Pump to open the Pump Page.", ["open_row «the Pump you want»"]),
    ("Select the desired Pump to open the Pump Page.", ["open_row «the Pump you want»"]),
    ("Enter one or more addresses, separated by a comma and a space.", ["set addresses (words)"]),
    ("Type your message into the input box.", ["set message (words)"]),
    (
        "Right-click the pump and select **Rename Pump**.",
        ["open_context_menu «the pump»", "set = Rename Pump"],
    ),
    (
        "Right-click on the pump you wish to rename and select **Rename Pump**.",
        ["open_context_menu «the pump you wish to rename»", "set = Rename Pump"],
    ),
    ("Right-click **Otter**, then click **Drain**.", ["open_context_menu Otter", "click Drain"]),
    (
        "Choose the **Otter** pump, and right click to select **Drain**.",
        ["set = Otter", "open_context_menu «it»", "click Drain"],
    ),
    ("Update the Folder name as desired.", ["set Folder name (words)"]),
    (
        "From the **Pump store**, right-click on the pump you wish to fill and select **Fill**.",
        [
            "open_context_menu «the pump you wish to fill» @page:Pump store",
            "set = Fill @page:Pump store",
        ],
    ),
    ("Choose a [pump](/kinds) that drains from the sidebar.", ["set pump (words)"]),
]
