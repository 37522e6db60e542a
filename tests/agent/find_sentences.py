"""Sentences that look for a control before they use it, or say loosely what is done
with it (`test_grammar.described` says how to read them)."""

SENTENCES: list[tuple[str, list[str]]] = [
    ("Open the **Valves** tab and scroll down to **Reach**.", ["click Valves (tab)"]),
    ("Switch to the **Valves** view, and locate the **Reach** field.", ["navigate Valves"]),
    ("Locate **Reach**, and enter your pump's reach.", ["set Reach @field:Reach"]),
    ("Locate **Strict** and toggle it on.", ["check Strict"]),
    ("Locate **Strict** and toggle it off.", ["check Strict off"]),
    ("Locate the **Strict** option and disable it.", ["check Strict off"]),
    (
        "Locate and disable the **Strict** toggle and select **Save**.",
        ["check Strict off (toggle)", "set = Save"],
    ),
    (
        "Locate the **Strict** option, enable the toggle, and select **Save**.",
        ["check Strict", "set = Save"],
    ),
    ("Locate **Address**, and copy and save the provided URL.", ["copy Address"]),
    ("Copy and save the URL.", ["copy «the URL»"]),
    ("Click **Save** and copy the key value.", ["click Save", "copy «the key»"]),
    ("Make a note of the **Pump key** as you will need it later.", ["copy Pump key"]),
    ("Select **Drain**, and confirm.", ["set = Drain", "confirm «confirm the change»"]),
    ("Select **Save** to save the **Limits** settings.", ["set = Save"]),
    (
        "Name the pump and add a description, then select **Create**.",
        ["set name (words)", "set description (words)", "set = Create"],
    ),
    (
        "In the **General** section, provide details for your pump, including its depth.",
        ["configure (form) @section:General"],
    ),
    (
        "Enter your pump number and your mill number in the appropriate fields.",
        ["set pump number (words)", "set mill number (words)"],
    ),
    (
        "Complete the **Pump ID** field with the **PUMP KEY** value obtained in step 5.",
        ["set Pump ID = PUMP KEY @field:Pump ID"],
    ),
    (
        "Enter the **Pump URL** value you copied earlier into the **Mill URL** section.",
        ["set Mill URL = Pump URL @field:Mill URL"],
    ),
    ("Enter a title (such as `Otter`).", ["set title = Otter (words)"]),
    ("Enter a title (for example, `Otter`).", ["set title = Otter (words)"]),
    ("Click in the search box to find `otter`.", ["set Search = otter"]),
    ("Select the name of the pump to view.", ["open_row «the pump to view»"]),
    ("Select or create your pump.", ["set pump (words)"]),
    ("Create a new pump or select an existing one.", ["set pump (words)"]),
    ("In Console, navigate to **Pumps**.", ["navigate Pumps"]),
    ("On your Mill Dashboard, navigate to **Pumps** > **Old**.", ["navigate Pumps > Old"]),
    ("On the prompt, select **Drain**.", ["set = Drain @dialog:"]),
    (
        "Go to the **Valves** tab in your mill workspace and click **Make**.",
        ["click Valves (tab)", "click Make"],
    ),
    ("Click **Drain** and a dialog will prompt.", ["click Drain"]),
]
NOT_UNDERSTOOD: list[str] = [
    "Enter your credentials and drain the new pump.",
    "Enter your password and try the new pump.",
    "Locate **Strict** and lubricate it.",
    "Name the pump.",
    "Create a new pump.",
]
