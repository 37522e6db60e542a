"""Sentences about where and with whose account one works, how one chooses and what is
added to an act, and the intents that they ask for (`test_grammar.described` says how to
read them)."""

SENTENCES: list[tuple[str, list[str]]] = [
    (
        "Use the drop-down to choose the mill you built, for example, **Otter**.",
        ["set mill = Otter (words)"],
    ),
    ("Under **Pace**, use the drop-down list to choose **Slow**.", ["set Pace = Slow @field:Pace"]),
    ("For **Place**, use the dropdown box to select a basin you dug.", ["set Place @field:Place"]),
    (
        "Next, select the pumps or mills you want to drain using the drop-down.",
        ["set pumps (words)"],
    ),
    (
        "Select a mill using the dropdown menu, and click **Save**.",
        ["set mill (words)", "click Save"],
    ),
    ("Choose the pump you just created.", ["set pump (words)"]),
    ("On the **Sorts** tab, choose up to five valves.", ["set valves (words) @tab:Sorts"]),
    ("Click or tap **Drain**.", ["click Drain"]),
    ("Under **Pump kind** choose whether the pump runs by night.", ["set Pump kind"]),
    ("From **Pace** select either **Slow** or **Fast**.", ["set Pace = Slow @field:Pace"]),
    (
        "In Pump Works, on the navigation menu, choose **Mills**, **Valves**.",
        ["log_on Pump Works", "navigate Mills > Valves @navigation:"],
    ),
    (
        "In Pumpdesk, on the **Mills** page, click **Drain**.",
        ["log_on Pumpdesk", "click Drain @page:Mills"],
    ),
    (
        "On the Pump Works navigation menu, choose **Mills**, and then choose the **Valves** tab.",
        ["navigate Mills @navigation:", "click Valves (tab)"],
    ),
    (
        "Log in to the Pumps console with an account that is assigned the **Millers** profile, "
        "or that has **Drain** permission.",
        ["log_on Pumps"],
    ),
    ("Log in with an account that has rights for **Pumps**, **Valves - Edit**.", ["log_on"]),
    ("Log in with an admin account and click **Pumps**.", ["log_on", "click Pumps"]),
    (
        "Log on to the mill with the miller user and in the list select **Drain**.",
        ["log_on", "set = Drain"],
    ),
    (
        "Sign in to Pumps at https://pumps.example.com/home, with an account that may drain.",
        ["log_on"],
    ),
    (
        "Log in to your Pumps instance (https://your mill.example.com/) as an Admin user.",
        ["log_on"],
    ),
    ("Scroll down the page and click **Drain**.", ["click Drain"]),
    (
        "Select **Settings** from the menu, then scroll down to **Drains**.",
        ["set = Settings"],
    ),
    (
        "Go to the row that has the pump you want to drain, and choose the **Drain** icon.",
        ["locate «the pump you want to drain»", "click Drain (icon)"],
    ),
    (
        "Find the pump you want to drain then select **Access** at the end of the row.",
        ["locate «the pump you want to drain»", "set = Access"],
    ),
    (
        "Locate the pump you want to move then click **Move** to its right.",
        ["locate «the pump you want to move»", "click Move"],
    ),
    (
        "Select **Access** on the same row as the pump you want to drain.",
        ["locate «the pump you want to drain»", "click Access"],
    ),
    ("Enter the URL to your pump file in the provided field.", ["set URL (words)"]),
    (
        "Give your pump a name and paste your API key into the box.",
        ["set name (words)", "set API key (words)"],
    ),
    ("To enable and configure drains, from the menu select **Mills**.", ["set = Mills"]),
    ("Toggle **Strict** on then click **Save**.", ["check Strict", "click Save"]),
    ("Toggle **Strict** on if you want to drain the mill.", ["check Strict conditional"]),
    ("To show it to all, for **Show to all**, move the toggle to **On**.", ["check Show to all"]),
    (
        "In the **Mill** section, specify the depth, as shown in the following image.",
        ["set depth (words) @section:Mill"],
    ),
    (
        "Tick the **Own** check box then select the new kind, using the table below as a guide.",
        ["check Own (check box)", "set new kind (words)"],
    ),
    (
        "Complete the required information, using the sections below as a guide.",
        ["configure (form)"],
    ),
    ("Enter the mill name and URL (both mandatory).", ["set mill name (words)", "set URL (words)"]),
    ("When the message appears, if you're sure, click **Drain**.", ["click Drain"]),
    (
        "Choose the gear icon, update the mill settings as needed, and choose **Apply**.",
        ["click gear (icon) «the gear icon»", "set = Apply"],
    ),
    ("Make your changes and click **Save**.", ["click Save"]),
    ("Review the details of the **Otter** pump, and then click **Create**.", ["click Create"]),
    ("Click **Choose file** then browse to and select the mill file.", ["upload Choose file"]),
    ("Select **Upload** then select the mill file from your computer.", ["upload Upload"]),
    ("Select any pump to go to its page.", ["open_row (thing) «a pump»"]),
]
REMARKS: list[str] = [
    "We'll notify you about the pump.",
    "We currently support two kinds of mills.",
    "You're still connected to the mill.",
    "By enabling quiet hours, your millers can sleep.",
    "It's case sensitive.",
    "This makes the mill available to use with other pumps.",
    "This is required to drain the mill.",
    "Contact your mill administrator for help.",
    "If that doesn't work, contact Mill Support.",
    "If you have no key for the mill yet you'll be asked to make one.",
    "To plan a repair, Pumpdesk must have a picture of all the pumps.",
    "Make sure you have enough free water for this.",
    "Ensure that your pump is securely connected to the mill.",
    "Make the required changes to the mill.",
    "Make any changes you need here.",
    "In this example we'll build a mill.",
]
NOT_UNDERSTOOD: list[str] = [
    "On the **Pumps** page, under **Runs**, for **Report**, choose whether it runs "
    "**Daily** or **Weekly**.",
    "Use the drop-down to either choose another pump, or set it to **Slow**.",
    "Use the drop-down menu to view the pumps.",
    "In the Otter, choose **Drain**.",
    "Move the toggle to **Off**.",
    "Make sure you have selected the pump.",
    "We will now drain the pump.",
    "It's now time to drain the pump.",
    "Contact your miller to get a key.",
    "Make the required changes to the mill, making sure you enter a new name.",
]
"""Neighbours of these, which ask for something that no form reads."""
