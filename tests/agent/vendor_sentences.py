"""Sentences as vendors write them, and the intents that they ask for
(`test_grammar.described` says how to read them)."""

SENTENCES: list[tuple[str, list[str]]] = [
    ("Log on to the [ECS console](https://ecs.console.aliyun.com).", ["log_on ECS"]),
    ("Log on to the **VPC console**.", ["log_on VPC"]),
    ("Sign in to the ApsaraDB RDS console.", ["log_on ApsaraDB RDS"]),
    (
        "In the left-side navigation pane, choose **Instances & Images** > **Instances**.",
        ["navigate Instances & Images > Instances @navigation:"],
    ),
    (
        "In the left-side navigation pane, choose **Instances & Images > Instances**.",
        ["navigate Instances & Images > Instances @navigation:"],
    ),
    ("In the left-side navigation pane, click **VPCs**.", ["navigate VPCs @navigation:"]),
    (
        "In the top navigation bar, select the region where your instance resides.",
        ["region @top_bar:"],
    ),
    (
        "In the top navigation bar, select **China (Hangzhou)**.",
        ["region China (Hangzhou) @top_bar:"],
    ),
    ("In the upper-left corner of the page, select a region.", ["region @corner:"]),
    (
        "On the **Instances** page, click **Create Instance**.",
        ["click Create Instance @page:Instances"],
    ),
    (
        (
            "On the **Instances** page, find the instance that you want to stop and click **Stop**"
            " in the **Actions** column."
        ),
        [
            "locate «the instance that you want to stop» @page:Instances",
            "click Stop @column:Actions @page:Instances",
        ],
    ),
    (
        (
            "Find the instance that you want to release and choose **⋮** > **Release** in the"
            " **Actions** column."
        ),
        ["locate «the instance that you want to release»", "click Release @column:Actions @menu:⋮"],
    ),
    (
        "In the **Actions** column of the instance that you want to restart, click **Restart**.",
        ["locate «the instance that you want to restart»", "click Restart @column:Actions"],
    ),
    (
        "Find the `web-01` instance and click its ID.",
        ["locate web-01 «the web-01 instance»", "open_row «its ID»"],
    ),
    ("Find the VPC and click the ID of the VPC.", ["locate «the VPC»", "open_row «the VPC»"]),
    (
        "Click the ID of the instance that you want to manage.",
        ["open_row «the instance that you want to manage»"],
    ),
    ("Click the name of the security group.", ["open_row «the security group»"]),
    ("Click the instance ID.", ["open_row «the instance ID»"]),
    ("On the instance details page, click the **Disks** tab.", ["click Disks (tab) @page:"]),
    (
        "In the **Instance Name** field, enter `web-01`.",
        ["set Instance Name = web-01 @field:Instance Name"],
    ),
    (
        "In the **Instance Name** field, enter a name, for example `web-01`.",
        ["set Instance Name = web-01 @field:Instance Name"],
    ),
    (
        "Enter `web-01` in the **Instance Name** field.",
        ["set Instance Name = web-01 @field:Instance Name"],
    ),
    ("Enter a name for the VPC, such as `my-vpc`.", ["set name = my-vpc (words)"]),
    (
        "Enter **my-vpc** in the **Name** field and `10.0.0.0/8` in the **IPv4 CIDR Block** field.",
        [
            "set Name = my-vpc @field:Name",
            "set IPv4 CIDR Block = 10.0.0.0/8 @field:IPv4 CIDR Block",
        ],
    ),
    ("Set **Name** to `my-vpc`.", ["set Name = my-vpc"]),
    (
        "Set the **Billing Method** parameter to **Pay-As-You-Go**.",
        ["set Billing Method = Pay-As-You-Go"],
    ),
    (
        (
            "Set **Name** to `vpc-1`, set **IPv4 CIDR Block** to `192.168.0.0/16`, and then click"
            " **OK**."
        ),
        ["set Name = vpc-1", "set IPv4 CIDR Block = 192.168.0.0/16", "click OK"],
    ),
    ("Select **Pay-As-You-Go** for **Billing Method**.", ["set Billing Method = Pay-As-You-Go"]),
    (
        "For **Billing Method**, select **Pay-As-You-Go**.",
        ["set Billing Method = Pay-As-You-Go @field:Billing Method"],
    ),
    (
        "Select **China (Hangzhou)** from the **Region** drop-down list.",
        ["set Region = China (Hangzhou) @field:Region"],
    ),
    ("Select a zone from the **Zone** drop-down list.", ["set Zone @field:Zone"]),
    ("Select a zone.", ["set zone (words)"]),
    ("Select **Hangzhou Zone H**.", ["set = Hangzhou Zone H"]),
    (
        "From the **Zone** drop-down list, select **Hangzhou Zone H**, and then click **Next**.",
        ["set Zone = Hangzhou Zone H @field:Zone", "click Next"],
    ),
    (
        "Select the **I have read and agree to the Terms of Service** check box.",
        ["check I have read and agree to the Terms of Service"],
    ),
    ("Select **Force Stop**.", ["set = Force Stop"]),
    ("Clear the **Force Stop** check box.", ["check Force Stop off (check box)"]),
    ("Turn on **Auto-renewal**.", ["check Auto-renewal"]),
    ("Turn on the **Release Protection** switch.", ["check Release Protection (switch)"]),
    ("Turn off the **Auto-renewal** switch.", ["check Auto-renewal off (switch)"]),
    (
        "In the **Create VPC** dialog box, configure the following parameters and click **OK**.",
        ["configure @dialog:Create VPC", "click OK @dialog:Create VPC"],
    ),
    (
        (
            "In the **Create VPC** panel, configure the parameters and click **OK**. The following"
            " table describes the parameters."
        ),
        ["configure @dialog:Create VPC", "click OK @dialog:Create VPC"],
    ),
    ("In the dialog box that appears, click **OK**.", ["click OK @dialog:"]),
    (
        "In the **Stop Instance** dialog box, select **Force Stop** and click **OK**.",
        ["set = Force Stop @dialog:Stop Instance", "click OK @dialog:Stop Instance"],
    ),
    ("In the message that appears, click **OK**.", ["click OK @dialog:"]),
    (
        "Click **Stop**, and in the dialog box that appears, click **OK**.",
        ["click Stop", "click OK @dialog:"],
    ),
    ("The **Status** of the instance changes to **Stopped**.", ["expect_status Status > Stopped"]),
    (
        "The status of the instance changes from **Starting** to **Running**.",
        ["expect_status Starting > Running"],
    ),
    ("The instance enters the **Running** state.", ["expect_status Running"]),
    ("Wait until the status of the instance changes to **Running**.", ["expect_status Running"]),
    (
        "After you click **OK**, the instance enters the **Stopped** state.",
        ["expect_status OK > Stopped"],
    ),
    ("The VPC is displayed in the VPC list.", ["expect_row «The VPC»"]),
    ("The message **Request submitted** appears.", ["expect_text Request submitted"]),
    ("A message appears, which indicates that the request is submitted.", []),
    (
        "(Optional) In the **Description** field, enter `test`.",
        ["set Description = test @field:Description optional"],
    ),
    (
        "If the **Confirm** dialog box appears, click **OK**.",
        ["mention Confirm conditional", "click OK conditional"],
    ),
    (
        "Optionally, enter a description in the **Description** field.",
        ["set Description @field:Description optional"],
    ),
    ("You can view the created VPC on the **VPCs** page.", ["mention VPCs"]),
    ("To create a VPC, click **Create VPC**.", ["click Create VPC"]),
    ("Click **Next: Network**.", ["click Next: Network"]),
    ("Click **Create VPC** in the upper-left corner.", ["click Create VPC @corner:"]),
    (
        "In the **Basic Configurations** step, select **Pay-As-You-Go** as the **Billing Method**.",
        ["set Billing Method = Pay-As-You-Go @section:Basic Configurations"],
    ),
    (
        "In the **Network** section, select the VPC and vSwitch that you created.",
        ["set VPC (words) @section:Network", "set vSwitch (words) @section:Network"],
    ),
    (
        "Select the instance and click **Stop** below the list.",
        ["set instance (words)", "click Stop"],
    ),
    (
        "Select the check box next to the instance and click **Restart**.",
        ["select_row «the check box next to the instance»", "click Restart"],
    ),
    (
        (
            "Click **Add Rule**, set **Protocol** to **TCP**, set **Port Range** to `80/80`, and"
            " click **OK**."
        ),
        ["click Add Rule", "set Protocol = TCP", "set Port Range = 80/80", "click OK"],
    ),
    ("Move the pointer over the ⋮ icon and click **Release**.", ["hover ⋮", "click Release"]),
    (
        "Click the **⋮** icon in the **Actions** column and select **Release**.",
        ["click ⋮ (icon) @column:Actions", "set = Release"],
    ),
    ("Choose **More** > **Instance Status** > **Stop**.", ["click More > Instance Status > Stop"]),
    ("Click Create Instance.", ["click Create Instance"]),
    ("Go to the **Instances** page.", ["navigate Instances"]),
    ("Open the **Security Groups** page.", ["navigate Security Groups"]),
    (
        "Return to the **Instances** page and check that the status is **Running**.",
        ["navigate Instances", "expect_status Running"],
    ),
    ("Switch to the **Monitoring** tab.", ["click Monitoring (tab)"]),
    ("Expand **Advanced Settings**.", ["click Advanced Settings (unfolded)"]),
    (
        "In the **Whitelist** field, enter the IP address `192.168.0.1`.",
        ["set Whitelist = 192.168.0.1 @field:Whitelist"],
    ),
    ("Change the value of **max_connections** to `500`.", ["set max_connections = 500"]),
    (
        "Change **Instance Name** to `db-02` and click **OK**.",
        ["set Instance Name = db-02", "click OK"],
    ),
    ("Confirm the configurations and click **Create Order**.", ["click Create Order"]),
    ("Check the configurations and click **Create Instance**.", ["click Create Instance"]),
    (
        "Type the instance name to confirm and click **OK**.",
        ["set instance name (words)", "click OK"],
    ),
    (
        "Enter the instance name `web-01` to confirm the operation.",
        ["set the instance name = web-01 (words)"],
    ),
    ("Click **OK** to stop the instance.", ["click OK"]),
    ('Click "Create VPC".', ["click Create VPC"]),
    (
        "In the confirmation dialog, click **OK** and wait until the instance is released.",
        ["click OK @dialog:", "wait @dialog:"],
    ),
    ("Upload `key.pem` in the **Key File** field.", ["upload Key File = key.pem @field:Key File"]),
    ("Refresh the page.", ["refresh"]),
    ("Press **Enter**.", ["click Enter (key)"]),
    ("Specify the **Data Disk Size** in GiB, for example, `40`.", ["set Data Disk Size = 40"]),
    ("Drag the **Storage Capacity** slider to `100`.", ["set Storage Capacity = 100"]),
    ("Under **Networking**, choose **VPCs**.", ["set Networking = VPCs @field:Networking"]),
    (
        "Next to the instance, click **More** and then click **Release**.",
        ["locate «the instance»", "click More", "click Release"],
    ),
    ("The **Create Instance** page appears.", ["expect_text Create Instance"]),
    ("Click **Create** or **Add**.", ["click Create"]),
    ("Select **Stop** from the **⋮** menu.", ["click Stop @menu:⋮ @menu:⋮"]),
    ("The instance can be stopped only in the **Running** state.", ["mention Running"]),
    ("Click **Save** and then click **Close**.", ["click Save", "click Close"]),
    (
        (
            "On the **Auto-renewal** tab, turn on the **Enable Auto-renewal** switch, set **Renewal"
            " Period** to **1 Month**, and click **OK**."
        ),
        [
            "check Enable Auto-renewal (switch) @tab:Auto-renewal",
            "set Renewal Period = 1 Month @tab:Auto-renewal",
            "click OK @tab:Auto-renewal",
        ],
    ),
    (
        (
            "In the **Networking** step, select the VPC, vSwitch, and security group that you"
            " created, and click **Next**."
        ),
        [
            "set VPC (words) @section:Networking",
            "set vSwitch (words) @section:Networking",
            "set security group (words) @section:Networking",
            "click Next @section:Networking",
        ],
    ),
    (
        "Find the security group to which you want to add the rule and click its ID.",
        ["locate «the security group to which you want to add the rule»", "open_row «its ID»"],
    ),
    (
        "Select the check box next to **Terms of Service** and click **Create Instance**.",
        ["check Terms of Service", "click Create Instance"],
    ),
    ("Drag the **Peak Bandwidth** slider to assign a public IP address.", ["set Peak Bandwidth"]),
    (
        (
            "In the left-side navigation pane, click **Instances**, and select **China (Hangzhou)**"
            " in the top navigation bar."
        ),
        ["navigate Instances @navigation:", "region China (Hangzhou) @top_bar: @navigation:"],
    ),
    (
        (
            "Find the stopped instance, click the **⋮** icon in the **Actions** column, and then"
            " select **Release**."
        ),
        ["locate «the stopped instance»", "click ⋮ (icon) @column:Actions", "set = Release"],
    ),
    (
        (
            "In the **Release Instance** dialog box, enter the name of the instance to confirm the"
            " release and click **OK**."
        ),
        ["set name (words) @dialog:Release Instance", "click OK @dialog:Release Instance"],
    ),
    (
        "Keep the default value of **Storage Capacity** and click **Next**.",
        ["mention Storage Capacity", "click Next"],
    ),
    (
        "The disk is displayed on the **Disks** page and enters the **Available** state.",
        ["expect_status Disks > Available"],
    ),
    ("Unless the instance is stopped, click **Stop**.", ["click Stop conditional"]),
    ("You can click **Export** to export the list.", ["click Export optional"]),
    (
        "If you want to use an existing VPC, click **Select VPC**.",
        ["mention Select VPC conditional"],
    ),
    ("If a message appears, click **OK**.", ["click OK conditional"]),
    (
        "Set **Contact Name** to `rosa-71` and **Description** to `Security officer`.",
        ["set Contact Name = rosa-71", "set Description = Security officer"],
    ),
    (
        (
            "Set **Monitoring Type** to **HTTP(S)**, **Task Name** to `probe`, and **Monitored"
            " Address** to `https://a.example.net`. Click **Next**."
        ),
        [
            "set Monitoring Type = HTTP(S)",
            "set Task Name = probe",
            "set Monitored Address = https://a.example.net",
            "click Next",
        ],
    ),
    (
        "Enter `mail80` for **Hostname** and `mx1.example.net` for **Record Value**.",
        ["set Hostname = mail80", "set Record Value = mx1.example.net"],
    ),
    (
        (
            "Select **Elastic Compute Service** for **Cloud Service** and the ECS instance that you"
            " want to add for **Instance**, and click **OK**."
        ),
        ["set Cloud Service = Elastic Compute Service", "set Instance", "click OK"],
    ),
    (
        (
            "Choose `2027-03-20 01:00:00` as the **Start Time** and `2027-03-20 05:00:00` as the"
            " **End Time**, and click **Next**."
        ),
        [
            "set Start Time = 2027-03-20 01:00:00",
            "set End Time = 2027-03-20 05:00:00",
            "click Next",
        ],
    ),
    (
        "Set **Service Category** and **Cloud Service** to **Elastic Compute Service**.",
        [
            "set Service Category = Elastic Compute Service",
            "set Cloud Service = Elastic Compute Service",
        ],
    ),
    (
        (
            "For **Password** and **Confirm Password**, enter the initial password"
            " `Change_me_4096`. Click **OK**."
        ),
        [
            "set Password = Change_me_4096 @field:Password",
            "set Confirm Password = Change_me_4096 @field:Confirm Password",
            "click OK",
        ],
    ),
    (
        "For **Allowed Methods**, select **GET** and **POST**.",
        [
            "set Allowed Methods = GET @field:Allowed Methods",
            "set Allowed Methods = POST @field:Allowed Methods",
        ],
    ),
    (
        "Add `10.23.12.59` and `10.23.13.59` to **Machines**, and click **OK**.",
        ["set Machines = 10.23.12.59 (entry)", "set Machines = 10.23.13.59 (entry)", "click OK"],
    ),
    (
        "Click **Add Tag** and enter `owner` as the tag key and `mobile` as the tag value.",
        ["click Add Tag", "set Tag Key = owner", "set Tag Value = mobile"],
    ),
    (
        "Add a tag whose key is `owner` and whose value is `platform`.",
        ["set Tag Key = owner", "set Tag Value = platform"],
    ),
    (
        "Turn the **Weekly Report Subscription** switch on. Click **OK**.",
        ["check Weekly Report Subscription (switch)", "click OK"],
    ),
    (
        (
            "Switch **Automatic Rotation** on. Set **Rotation Period** to **90 Days** and click"
            " **Next**."
        ),
        ["check Automatic Rotation", "set Rotation Period = 90 Days", "click Next"],
    ),
    (
        "Keep **Set as Default Version** turned on, and click **OK**.",
        ["check Set as Default Version", "click OK"],
    ),
    (
        "Leave **Bucket ACL** set to **Private**, and then click **Next**.",
        ["expect_value Bucket ACL = Private", "click Next"],
    ),
    (
        (
            "Make sure that **Billing Method** is set to **Pay-As-You-Go**, which is the default"
            " value."
        ),
        ["expect_value Billing Method = Pay-As-You-Go"],
    ),
    (
        "Confirm the operation by clicking **OK**.",
        ["click OK"],
    ),
    (
        "Skip the further settings with **Next** and click **OK**.",
        ["click Next", "click OK"],
    ),
    (
        "With **Generic Secrets** selected, click **Next**.",
        ["set = Generic Secrets", "click Next"],
    ),
    (
        "In the **Actions** column of **AliyunECSFullAccess**, click **Revoke Permission**.",
        ["locate AliyunECSFullAccess «AliyunECSFullAccess»", "click Revoke Permission"],
    ),
    (
        "If necessary, change **TTL** to a value that suits your business, and click **OK**.",
        ["mention TTL conditional", "click OK"],
    ),
    (
        (
            "In the **Alibaba Cloud DNS** console, choose **Public Zone** > **Groups** in the"
            " left-side navigation pane."
        ),
        [
            "log_on Alibaba Cloud DNS conditional",
            "navigate Public Zone > Groups @navigation: @page:Alibaba Cloud DNS",
        ],
    ),
    (
        "Read and accept the **Terms of Service**, and then click **Buy Now**.",
        ["check Terms of Service", "click Buy Now"],
    ),
    (
        "Set **Whitelist Name** to `staging_73` and add `192.168.7.0/24` to **IP Addresses**.",
        ["set Whitelist Name = staging_73", "set IP Addresses = 192.168.7.0/24 (entry)"],
    ),
    (
        "Under **Machines**, add `10.23.12.39` and `10.23.13.39`. Click **OK**.",
        [
            "set Machines = 10.23.12.39 (entry) @field:Machines",
            "set Machines = 10.23.13.39 (entry) @field:Machines",
            "click OK",
        ],
    ),
    (
        "Open the Logstore that you want to search by clicking it in the list.",
        ["open_row «the Logstore that you want to search»"],
    ),
    (
        "Find the domain name of the record and click it to open the **Record Settings** tab.",
        ["locate «the domain name of the record»", "open_row «it»"],
    ),
    (
        "In the **Actions** column of the group that is no longer needed, click **Delete**.",
        ["locate «the group that is no longer needed»", "click Delete @column:Actions"],
    ),
    (
        (
            "In the row of the bucket that holds the confidential data, choose **Configure"
            " Encryption**."
        ),
        ["locate «the bucket that holds the confidential data»", "set = Configure Encryption"],
    ),
    (
        "Choose **Create Key Version** in the row of the signing key that you want to renew.",
        ["locate «the signing key that you want to renew»", "click Create Key Version"],
    ),
    (
        "Select **GET** and **PUT** as **Allowed Methods**.",
        ["set Allowed Methods = GET", "set Allowed Methods = PUT"],
    ),
    (
        "Select the project that collects the logs as **Project**.",
        ["set Project"],
    ),
    (
        "For **Key**, select the key that applications should find by a name.",
        ["set Key @field:Key"],
    ),
    (
        "Refresh the list until the disk is in the **Available** state.",
        ["refresh", "expect_status Available"],
    ),
    (
        "Click **Upload File** next to **User Data** and upload `setup.sh`.",
        ["click Upload File @field:User Data", "upload = setup.sh"],
    ),
    (
        "In the **Key Management Service** console, go to **Resource** > **Secrets**.",
        [
            "log_on Key Management Service conditional",
            "navigate Resource > Secrets @page:Key Management Service",
        ],
    ),
    ("Agree to the **Notice**.", ["check Notice"]),
    ("Upload an object.", []),
    (
        "Select the **Notice** check box, enter the ID of the key, and click **OK**.",
        ["check Notice", "set ID (words)", "click OK"],
    ),
    (
        "Choose **Delete** for the secret that you want to delete.",
        ["locate «the secret that you want to delete»", "click Delete"],
    ),
    (
        "Choose **Mute** for the alert rule `error-rate-24`.",
        ["locate error-rate-24 «the alert rule error-rate-24»", "click Mute"],
    ),
    (
        "Add a tag with the key **team** and the value **finance**, and click **OK**.",
        ["set Tag Key = team", "set Tag Value = finance", "click OK"],
    ),
    (
        "Make sure that **Set as Default Version** is turned on and click **OK**.",
        ["check Set as Default Version", "click OK"],
    ),
    (
        "In the dialog box that appears, enter the policy name, and then click **OK**.",
        ["set policy name (words) @dialog:", "click OK @dialog:"],
    ),
    (
        "Click the user to which the policy is to be attached to open its details page.",
        ["open_row «the user to which the policy is to be attached to open its details page»"],
    ),
    (
        (
            "Enter `New-Passw0rd2` in the **Password** field and once more in the **Confirm"
            " Password** field. Then, click **OK**."
        ),
        [
            "set Password = New-Passw0rd2 @field:Password",
            "set Confirm Password = New-Passw0rd2 @field:Confirm Password",
            "click OK",
        ],
    ),
    (
        (
            "Type `Change_me` in the **Password** box, and then type it again in the **Confirm"
            " password** box."
        ),
        [
            "set Password = Change_me @field:Password",
            "set Confirm password = Change_me @field:Confirm password",
        ],
    ),
    (
        (
            "Enter `Change_me` in **Password** and re-enter the password in **Confirm Password**,"
            " and then click **OK**."
        ),
        [
            "set Password = Change_me @field:Password",
            "set Confirm Password = Change_me @field:Confirm Password",
            "click OK",
        ],
    ),
    (
        "Enter `Change_me` in the **Password** and **Confirm Password** fields.",
        ["set Password = Change_me", "set Confirm Password = Change_me"],
    ),
    (
        "Enter `web` in the **Name** field and enter the description in the **Description** field.",
        ["set Name = web @field:Name", "set Description @field:Description"],
    ),
    (
        "Click the user for which you want to create an AccessKey pair to open its details page.",
        [
            "open_row «the user for which you want to create an AccessKey pair to open its details"
            " page»"
        ],
    ),
    (
        "Click the ECS instance that you want to stop.",
        ["open_row «the ECS instance that you want to stop»"],
    ),
    ("Click the button that says Create VPC.", ["click Create VPC"]),
    (
        "Click the user of your application to open its details page.",
        ["open_row «the user of your application to open its details page»"],
    ),
]
