"""Sentences as the guides of large clouds have them, what they ask for, and neighbours
that stay unread (`test_grammar.described` says how to read them)."""

SENTENCES: list[tuple[str, list[str]]] = [
    (
        "Open the mill console at [https://mill.example.com/](https://mill.example.com/).",
        ["log_on mill"],
    ),
    (
        "Log in to the portal at https://mill.example.com/ and click **Pumps**.",
        ["log_on", "click Pumps"],
    ),
    ("In the left navigator, choose **Pumps**.", ["navigate Pumps @navigation:"]),
    ("Click **Add valve** again for each additional valve to add.", ["click Add valve"]),
    ("For each valve that you want to add, click **Add valve**.", ["click Add valve"]),
    ("Click **Add**, and then repeat the previous steps for each further valve.", ["click Add"]),
    ("Change the pressure and the depth as needed, and then click **Save**.", ["click Save"]),
    (
        "Change the **Pressure** as needed, and then click **Save**.",
        ["set Pressure", "click Save"],
    ),
    ("Make any necessary changes, and then choose **Next**.", ["set = Next"]),
    ("Select the pump `otter`, and make a note of its ID.", ["set = otter"]),
    ("Click **Details** and review the settings of the pump.", ["click Details"]),
    ("Click **Add valve** and do the following:", ["click Add valve"]),
    (
        "(Steam pumps only) For **Pressure**, enter the pressure that the pump holds, in bar/s.",
        ["set Pressure @field:Pressure conditional"],
    ),
    ("(Old console) Click **Drain**.", ["click Drain conditional"]),
    ("From the **Kind** list, select a kind.", ["set Kind @field:Kind"]),
    ("For **Strict**, turn the toggle on to count drops.", ["check Strict"]),
    ("For **Strict**, turn the toggle off.", ["check Strict off"]),
    ("In the filter field, enter `otter`.", ["set Search = otter @field:Search"]),
    ("Select one or more of your pumps.", ["set pumps (words)"]),
    ("Expand **More**, and scroll down to **Valves**.", ["click More (unfolded)"]),
    ("From the mill console dashboard, click **Start pump**.", ["click Start pump"]),
    ("For information about the mill, choose **Details**.", ["set = Details"]),
    ("Enter a key and an optional value.", ["set key (words)"]),
    (
        "Click **Add tag** and enter the tag key and value.",
        ["click Add tag", "set tag key (words)", "set tag value (words)"],
    ),
    (
        "Enter a tag key and value pair.",
        ["set tag key (words)", "set tag value (words)"],
    ),
    (
        "Complete the required fields to make a pump, and then click **Make**.",
        ["configure (form)", "click Make"],
    ),
    (
        "Select a pump (for example, **otter**), and then click **Drain**.",
        ["set pump = otter (words)", "click Drain"],
    ),
    (
        "In the navigation pane, choose **Pumps**, and then select the pump.",
        ["navigate Pumps @navigation:", "set pump (words)"],
    ),
    (
        "It can take a few minutes for the pump to enter the **Idle** state.",
        ["expect_status Idle"],
    ),
]
REMARKS: list[str] = [
    "To add more valves, repeat this step until you have added all of them.",
    "Depending on the size of the mill, it can take up to 20 minutes before the pump is ready.",
    "You receive an email message with the subject line Pump made.",
    "By default, we send notifications for any change.",
    "For steam pumps, valid values are **Slow** and **Fast**.",
    "If the pump has no lid, the range is 1 to 100 years.",
    "You must enter the time in the `hh:mm` format.",
    "The time must be entered in the hh:mm format.",
    "When the pump is **Idle**, it is ready to use.",
    "When the lid is open, you can set limits for the valves.",
    "The following valves are automatically created and attached to the pump:",
    "In the details pane, review the **Depth** field.",
    "On the **Pipes** tab, make note of the values for **Depth** and **Reach**.",
    "Ensure that you're using the account of the mill.",
    "In the **Change pump** dialog box, do the following:",
    "Do one of the following, depending on the kind of the pump:",
    "Regardless of the depth that you set, the pump is always checked.",
    "As you enter characters, a list of matching pumps appears.",
]
NOT_UNDERSTOOD: list[str] = [
    "Go to https://mill.example.com/pumps.",
    "Open the notes at [https://mill.example.com/](https://mill.example.com/).",
    "For each valve, click **Drain**.",
    "Repeat this step for each pump.",
    "(click twice) Click **Drain**.",
    "Alternatively, click **Drain**.",
    "You receive an email message, so click **Confirm** in it.",
    "It takes a few minutes, then click **Drain**.",
    "Ensure that you drain the **Otter** pump.",
]
