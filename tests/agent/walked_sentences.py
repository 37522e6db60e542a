"""Sentences like those that the walks of real consoles stand on: a form that takes one
away loses walks there, which no test of this repository makes
(`test_grammar.described` says how to read them)."""

SENTENCES: list[tuple[str, list[str]]] = [
    ("Click **Empty** in the top left of the table heading to add a new pump.", ["click Empty"]),
    (
        "Enter the **Name** and **Note** and next to **Valves**, select the appropriate valves.",
        ["set Name", "set Note", "set Valves @field:Valves"],
    ),
    ("Confirm with **Empty pump**.", ["click Empty pump"]),
    (
        "Select the drop-down box next to **Fill** and select **Drain** from the list to drain it.",
        ["click Fill (arrow) «the arrow next to Fill»", "set = Drain"],
    ),
    (
        "Activate the **Yes, drain it** check box and confirm with **Drain pump**.",
        ["check Yes, drain it (check box)", "click Drain pump"],
    ),
    (
        "To drain a pump, select the pump in the table row.",
        ["select_row «the pump in the table row»"],
    ),
    (
        "Click the drop-down arrow next to the **Fill** button and click **Drain**.",
        ["click Fill (arrow) «the arrow next to the Fill»", "click Drain"],
    ),
    (
        "To view its valves, click its row in the table and then the **Valves** tab:",
        ["select_row «its row»", "click Valves"],
    ),
    (
        "Enter the pump's name, select the owner, and set the reach.",
        ["set pump's name (words)", "set owner (words)", "set reach (words)"],
    ),
    (
        "Select and highlight a pump, then click **Fill** in the top left of the table heading.",
        ["select_row «the row of a pump»", "click Fill"],
    ),
    (
        "Click the drop-down button next to **Fill** and select **Drain** from the list.",
        ["click Fill (arrow) «the arrow next to Fill»", "set = Drain"],
    ),
    ("Click **Plant** > **Pumps** to view a list of pumps.", ["click Plant > Pumps"]),
    (
        "Click the drop-down arrow next to a pump name in the **Pump** column to view its limits.",
        [
            "locate «a pump name» @column:Pump",
            "click drop-down arrow (arrow) «the drop-down arrow next to a pump name» @column:Pump",
        ],
    ),
    (
        "Click the drop-down arrow next to a limit in the **Name** column to view its unit.",
        [
            "locate «a limit» @column:Name",
            "click drop-down arrow (arrow) «the drop-down arrow next to a limit» @column:Name",
        ],
    ),
    (
        "Select **Limits** from the **Settings** drop-down menu in the table heading.",
        ["set Settings = Limits @field:Settings"],
    ),
    (
        "Click to select a pump name in the **Pump** column.",
        ["open_row «a pump name» @column:Pump"],
    ),
    ("When selected, click **Blink** to find the pump that it runs on.", ["click Blink"]),
    (
        "Edit them by clicking the **Fill** button in the top left of the table heading.",
        ["click Fill (button)"],
    ),
    ("Confirm changes with **Save**.", ["click Save"]),
    ("Populate the **Name** field", ["set Name"]),
    ("Look for the **Pumps** option and click on it", ["click Pumps (option)"]),
    ("Make a selection from the **Owner** drop-down menu selector", ["set Owner"]),
    ("Select **Steam** for **Kind** from the drop-down selector", ["set Kind = Steam"]),
    (
        "Go to **Valves** and look for the row with the valve you are interested in, such as `v-1`",
        ["navigate Valves", "locate v-1 «the valve you are interested in»"],
    ),
    (
        "Click on the edit button for the valve (a pencil icon)",
        ["locate «the valve»", "click edit (button)"],
    ),
    (
        "Search for the pump you are interested in (`otter` in this example) and click on the link",
        ["locate otter «the pump you are interested in (otter in this example)»", "open_row «it»"],
    ),
    ("Under the **PUMP KINDS** section, select **Kinds**", ["set = Kinds @section:PUMP KINDS"]),
    (
        "Click on the **Add kind** button and enter a **Name**",
        ["click Add kind (button)", "set Name"],
    ),
    ("Click the blue **+ Add pump**.", ["click + Add pump"]),
    ("Enter a rate in litres.", ["set rate (words)"]),
    (
        "(Optional) Click the **Valve** tab to assign a valve that feeds the pump.",
        ["click Valve (tab) optional"],
    ),
    ("Click **Fill** or **Fill and add another** to save.", ["click Fill"]),
    (
        "To enable the pump in a plant, use the main plant toggle to enable the pump in the plant.",
        ["check «the main plant toggle»"],
    ),
    (
        "Go to a pump, and select the plant where you want to fill it.",
        ["open_row (thing) «a pump»", "select_row «the plant where you want to fill it»"],
    ),
    (
        "In the **Enabled in plants** section, toggle the plant you want to enable.",
        ["check «the plant you want to enable» @section:Enabled in plants"],
    ),
    (
        "Under **Actions**, select **Clone** for the plant you want to clone.",
        ["locate «the plant you want to clone» @field:Actions", "click Clone @field:Actions"],
    ),
    (
        "Go to **Plant > Pump kinds** and edit the pump kind you'd like to change.",
        [
            "navigate Plant > Pump kinds",
            "locate «the pump kind you want to change»",
            "click edit (icon) «the edit icon»",
        ],
    ),
    (
        "Find the pump you want to revive and click **Revive pump**.",
        ["locate «the pump you want to revive»", "click Revive pump"],
    ),
    (
        "Select a valve kind, and enter a new value for the valve or select an existing one.",
        ["set valve kind (words)", "set value (words)"],
    ),
    ("Enter a **Pump name** and optionally a note.", ["set Pump name"]),
    ("Confirm that **Used in** shows 0 plants and 0 mills.", []),
    ("Enter the pump name to confirm.", ["set pump name (words)"]),
    (
        "In **Legal depth**, enter a depth you want the pump to support and click **Add**.",
        ["set Legal depth @field:Legal depth", "click Add"],
    ),
    (
        "In **Settings > Users > Roles**, select the user you want to assign the role to.",
        [
            "navigate Settings > Users > Roles",
            "select_row «the user you want to assign the role to»",
        ],
    ),
    ("For **Role**, select the role you want the user to have.", ["set Role @field:Role"]),
    (
        "Give the role a name and note and select all valves you want to assign to the role.",
        ["set name (words)", "set note (words)", "set valves (words)"],
    ),
    (
        "Enter a value that the pump should reach, such as `nine`, and click **Add values**.",
        ["set value = nine (words)", "click Add values"],
    ),
    ("Locate the pump of interest in the table", ["locate «the pump of interest in the table»"]),
    ("Click **Restart** and wait for the next UI refresh", ["click Restart", "wait"]),
]
