"""Other names for labels, as a revision would give them."""

from __future__ import annotations

from collections.abc import Mapping

_SYNONYMS: Mapping[str, str] = {
    "Add": "Attach", "Address": "Endpoint", "Alias": "Nickname", "Associate": "Link", "Attach": "Mount", "Bind": "Associate",
    "Bucket": "Container", "Buckets": "Containers", "Change": "Switch", "Capacity": "Volume", "Create": "Build", "Cancel": "Revoke",
    "Delete": "Destroy", "Description": "Remarks", "Detach": "Unmount", "Details": "Information", "Disable": "Deactivate",
    "Disks": "Volumes", "Disk": "Volume", "Duration": "Term", "Edit": "Adjust", "Enable": "Activate", "Extend": "Prolong",
    "Instance": "Server", "Instances": "Servers", "Key": "Token", "Keys": "Tokens", "Listener": "Forwarder",
    "Manage": "Administer", "Modify": "Adjust", "Name": "Title", "New": "Target", "Password": "Passphrase",
    "Policy": "Ruleset", "Policies": "Rulesets", "Port": "Socket", "Priority": "Weight", "Project": "Workspace", "Projects": "Workspaces",
    "Protection": "Safeguard", "Record": "Entry", "Release": "Terminate", "Remark": "Comment", "Remove": "Discard",
    "Reset": "Reinitialize", "Resize": "Scale", "Resource": "Asset", "Restart": "Reboot", "Retention": "Keep", "Role": "Identity",
    "Roles": "Identities", "Rule": "Entry", "Rules": "Entries", "Settings": "Preferences", "Size": "Volume", "Snapshot": "Backup",
    "Snapshots": "Backups", "Start": "Power On", "Stop": "Shut Down", "Tags": "Labels", "Type": "Category", "Unbind": "Dissociate",
    "Update": "Revise", "User": "Member", "Users": "Members", "Version": "Release", "Whitelist": "Allowlist", "Zone": "Data Center",
    "Domain": "Site", "Domains": "Sites", "Group": "Collection", "Groups": "Collections", "Alert": "Alarm", "Configuration": "Setup",
    "Scaling": "Elasticity", "Backup": "Archive", "Backups": "Archives", "Access": "Entry", "Contact": "Recipient", "Contacts": "Recipients",
}  # fmt: skip


def new_name(label: str) -> str:
    """Another name as a revision would give it; empty where none is known."""
    words = label.split()
    for number, word in enumerate(words):
        if word in _SYNONYMS:
            return " ".join([*words[:number], _SYNONYMS[word], *words[number + 1 :]])
    return ""
