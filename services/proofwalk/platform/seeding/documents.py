"""The documents of the history: a procedure each, of four sub-steps. Pure.

The texts are written here for products of the embedded cloud; no document of a real
product is among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_ROWS = """
ecs|instance|Instances|Restart|Force Restart|RebootInstance
ecs|disk|Disks|Resize|Online Resizing|ResizeDisk
ecs|snapshot|Snapshots|Roll Back|Start After Rollback|ResetDisk
ecs|security group|Security Groups|Clone|Same Region|CreateSecurityGroup
ecs|image|Images|Copy|Encrypt the Copy|CopyImage
vpc|VPC|VPCs|Rename|Keep Tags|ModifyVpcAttribute
vpc|vSwitch|vSwitches|Rename|Keep Tags|ModifyVSwitchAttribute
vpc|route table|Route Tables|Bind|All vSwitches|AssociateRouteTable
vpc|NAT gateway|NAT Gateways|Upgrade|Pay by Usage|ModifyNatGatewaySpec
vpc|elastic IP address|Elastic IP Addresses|Unbind|Keep the Address|UnassociateEipAddress
rds|database instance|Instances|Restart|Now|RestartDBInstance
rds|backup|Backups|Restore|To a New Instance|CloneDBInstance
rds|database account|Accounts|Reset Password|Force Change|ResetAccountPassword
rds|whitelist|Data Security|Modify|Append|ModifySecurityIps
rds|read-only instance|Read-only Instances|Remove|Keep Backups|DeleteDBInstance
oss|bucket|Buckets|Make Private|Apply to Objects|PutBucketAcl
oss|lifecycle rule|Lifecycle|Disable|Keep the Rule|PutBucketLifecycle
oss|object|Files|Restore|Expedited|RestoreObject
oss|access log|Logging|Enable|Same Bucket|PutBucketLogging
oss|domain name|Domain Names|Unbind|Delete the Record|DeleteCname
slb|load balancer|Instances|Stop|Drain Connections|SetLoadBalancerStatus
slb|listener|Listeners|Edit|Keep Sessions|SetLoadBalancerTCPListenerAttribute
slb|backend server|Backend Servers|Remove|Drain Connections|RemoveBackendServers
slb|certificate|Certificates|Replace|All Listeners|SetServerCertificateName
slb|access control list|Access Control|Attach|Whitelist|SetLoadBalancerHTTPListenerAttribute
ram|user|Users|Disable Logon|Keep Access Keys|DeleteLoginProfile
ram|access key|Access Keys|Rotate|Disable the Old Key|UpdateAccessKey
ram|group|User Groups|Rename|Keep Policies|UpdateGroup
ram|policy|Policies|Set as Default|Latest Version|SetDefaultPolicyVersion
ram|role|Roles|Edit Trust|Same Account|UpdateRole
redis|cache instance|Instances|Restart|Flush Expired Keys|RestartInstance
redis|cache account|Accounts|Reset Password|Force Change|ResetAccountPassword
redis|cache backup|Backups|Restore|To a New Instance|RestoreInstance
redis|parameter|Parameters|Edit|Apply at Restart|ModifyInstanceConfig
redis|connection|Connections|Release|Keep the Port|ReleaseInstancePublicConnection
kms|key|Keys|Enable Rotation|Every 90 Days|UpdateRotationPolicy
kms|key alias|Aliases|Move|Keep the Old Alias|UpdateAlias
kms|secret|Secrets|Rotate|Immediately|RotateSecret
kms|key version|Key Versions|Create|Keep the Primary|CreateKeyVersion
kms|key policy|Key Policies|Restore Default|Keep Grants|SetKeyPolicy
"""


@dataclass(frozen=True, kw_only=True)
class SampleDocument:
    """A document with one procedure."""

    product: str
    thing: str
    menu: str
    button: str
    choice: str
    """What is selected in the dialog."""
    operation: str
    """What the cloud's log calls the procedure's effect."""

    @property
    def slug(self) -> str:
        return f"{self.button} {self.thing}".lower().replace(" ", "-")

    @property
    def title(self) -> str:
        return f"{self.button}: {self.thing}"

    @property
    def page(self) -> str:
        """Its path below the folder of documents."""
        return f"{self.product}/{self.slug}.md"

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each sub-step says, without its markup."""
        return (
            f"In the left-side navigation pane, click {self.menu}.",
            f"Find the {self.thing} and click {self.button} in the Actions column.",
            f"In the dialog, select {self.choice}.",
            "Click OK.",
        )

    @property
    def text(self) -> str:
        """The document as Markdown."""
        labels = ((self.menu,), (self.button, "Actions"), (self.choice,), ("OK",))
        lines = []
        for number, (sentence, marked) in enumerate(zip(self.sentences, labels, strict=True), 1):
            for label in marked:
                sentence = sentence.replace(label, f"**{label}**", 1)
            lines.append(f"{number}. {sentence}")
        return f"# {self.title}\n\n{_SAMPLE}\n\n## Procedure\n\n" + "\n".join(lines) + "\n"

    def line(self, substep: int) -> int:
        """Where a sub-step stands, sub-steps and lines counted from 1."""
        return self.text.split("## Procedure")[0].count("\n") + 2 + substep


_SAMPLE = "A sample document: it was written to show the console, and describes no real product."


def sample_documents() -> Sequence[SampleDocument]:
    """All of them, by product."""
    rows = (line.split("|") for line in _ROWS.strip().splitlines())
    return [
        SampleDocument(
            product=product, thing=thing, menu=menu, button=button, choice=choice, operation=call
        )
        for product, thing, menu, button, choice, call in rows
    ]
