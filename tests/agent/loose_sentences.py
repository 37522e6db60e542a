"""Sentences that begin with a place which no form knows, or end with words that ask for
nothing (`test_grammar.described` says how to read them)."""

SENTENCES: list[tuple[str, list[str]]] = [
    (
        "In the **Guest** node of the diagram, click **Configure**.",
        ["mention Guest", "click Configure @section:Guest"],
    ),
    ("In your new pump, select the **Valves** tab.", ["click Valves (tab) @section:new pump"]),
    (
        "In the red **Change Depth** box, click **Change**.",
        ["mention Change Depth", "click Change @section:Change Depth"],
    ),
    ("In the **Save** popover, click **Drain**.", ["mention Save", "click Drain @dialog:Save"]),
    (
        "From the administrator **Pumps** page, click **Drain**.",
        ["mention Pumps", "click Drain @page:Pumps"],
    ),
    ("On the pump details page, click **Drain**.", ["click Drain @page:"]),
    ("On the top menu bar, go to **Plant > Pumps**.", ["navigate Plant > Pumps @top_bar:"]),
    ("In the workspace left navigation, select **Pumps**.", ["navigate Pumps @navigation:"]),
    (
        "On the **Overview** of your pump, click **Drain**.",
        ["mention Overview", "click Drain @section:Overview"],
    ),
    (
        "Below the **Start** action, click the **+** icon.",
        ["mention Start", "click + (icon) @section:Start"],
    ),
    ("Click **Save** and the pump is added.", ["click Save"]),
    ("Click **Pumps**, all pumps are listed.", ["click Pumps"]),
    ("Copy the **Pump key** and store it someplace.", ["copy Pump key"]),
    (
        "Enter a **Name**, optionally provide a **Note**, and click **Save**.",
        ["set Name", "click Save"],
    ),
    (
        "To drain it, select the pump you want to drain from the **Pumps** list under **Plant**.",
        ["select_row «the pump you want to drain» @section:Pumps"],
    ),
    ("For **Note**, add an optional note.", ["set Note @field:Note optional"]),
    (
        "In the **Kind** drop-down, make sure that **Local** is selected.",
        ["set Kind = Local @field:Kind"],
    ),
    ("Use the **Select** label to open the list.", ["click Select (button)"]),
    ("Toggle the **Strict** setting to turn the counter on.", ["check Strict"]),
    ("Press Enter or Tab to insert the value.", ["click Enter (key)"]),
    (
        "Select the pump or pumps that you want to drain.",
        ["select_row «the pump that you want to drain»"],
    ),
    (
        "Click the name of the pump that you want to view, edit, or drain.",
        ["open_row «the pump that you want to view»"],
    ),
    ("Select the **Logs** tab to open **Related logs**.", ["click Logs (tab)"]),
    (
        "In the space provided, enter a name and optional note for the pump.",
        ["set name (words) @section:space provided"],
    ),
    (
        "Click the **Rules** tab and fill out the following fields to specify what is let through:",
        ["click Rules (tab)", "configure"],
    ),
    ("In the dialog, make the following choices:", ["configure @dialog:"]),
    (
        "Enter `drain` next to **Name**, and `all` next to **Kind**.",
        ["set Name = drain @field:Name", "set Kind = all @field:Kind"],
    ),
    (
        "Click **Add valve** and select one or multiple steam valves from the list.",
        ["click Add valve", "set steam valves (words)"],
    ),
    (
        "Click **New pump**, give it a name, and confirm the default values.",
        ["click New pump", "set name (words)"],
    ),
    (
        "Use the edit button near the **Pump information** title in the console.",
        ["locate Pump information «Pump information»", "click edit (icon) «the edit icon»"],
    ),
    (
        "Click the edit button next to **Pump information**.",
        ["locate Pump information «Pump information»", "click edit (icon) «the edit icon»"],
    ),
    (
        "Use the **Count drops** flag to enable it, the same way you would when adding a pump.",
        ["check Count drops"],
    ),
    ("Enter a value, such as `7`, for **Depth**.", ["set Depth = 7"]),
    ("Enter a number for **Depth**, such as `7`.", ["set Depth = 7"]),
    (
        "Give the pump a name like `otter`, and click **Save**.",
        ["set name = otter (words)", "click Save"],
    ),
    ("In the top right menu, select **Security**.", ["set = Security @top_bar:"]),
    ("In the top right menu, select **China (Hangzhou)**.", ["region China (Hangzhou) @top_bar:"]),
    ("Go to the **Pumps** item under **Plant**.", ["navigate Plant > Pumps"]),
    (
        "Navigate to the **Jobs** section in the **Welcome** project.",
        ["navigate Welcome > Jobs (section)"],
    ),
    ("Click **Pumps** under **Plant**.", ["click Pumps @field:Plant"]),
    ("Once the filling of an instance is successful, go to **Pumps** again.", ["navigate Pumps"]),
    (
        "Provide the new pump a meaningful name (for example, `otter`).",
        ["set name = otter (words)"],
    ),
    ("In the **Acme Console**, select **Pumps**.", ["set = Pumps"]),
    ("Go to **Navigation menu > Plant > Pumps**.", ["navigate Plant > Pumps"]),
    ("Go to **Menu icon** > **Plant** > **Pumps**.", ["navigate Plant > Pumps"]),
    ("Click **Menu** > **Drain**.", ["click Menu > Drain"]),
    ("In the **Pumps** toolbar, choose **Save**.", ["set = Save @section:Pumps"]),
    ("Enter the time to live.", ["set time to live (words)"]),
    ("Select the pump you filled for the mill.", ["set pump (words)"]),
    ("Specify the valve to which the pump leads.", ["set valve (words)"]),
    ("The **Value** field appears if needed.", ["mention Value"]),
    ("The **Verified** label indicates the pumps that are from us.", ["mention Verified"]),
    (
        "If the filling is successful, the new pump will appear in the list.",
        ["expect_row «the new pump» conditional"],
    ),
    ("Only names of steam pumps appear in the list.", []),
    ("Go to the **Dashboard** and choose **Drain**.", ["navigate Dashboard", "set = Drain"]),
]

NOT_UNDERSTOOD = [
    "On the server, click **Drain**.",
    "On Windows, click **Drain**.",
    "In the first case, click **Drain**.",
    "In the Windows version, click **Drain**.",
    "In the **Zoneless** edition, click **Drain**.",
    "In your Plant dashboard, click **Drain**.",
    "Under no circumstances, click **Drain**.",
    "In the unlikely event of a leak, click **Drain**.",
    "In the free plan, click **Drain**.",
    "Within the allotted hour, click **Drain**.",
    "In the notification email, click **Drain**.",
    "In the number combo box, select **Nine**.",
    "Click **Save** and the pump must be drained.",
    "Copy the key and **Save** it.",
    "Toggle **Strict** to turn it on or off.",
    "Enter a name such as `otter` below **Depth**.",
    "Enter a value, for example `7`, for the **Depth** and the **Reach**.",
    "Select a remote pump and then drain the valves on the right to choose a key.",
    "Select the pump, and follow the path prefix.",
    "You must select this to receive news.",
]
