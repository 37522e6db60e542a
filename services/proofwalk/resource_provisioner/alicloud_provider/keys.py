"""Keys, aliases and secrets of Key Management Service.

A key cannot be deleted, only scheduled for deletion: one that waits for its deletion
counts as gone, as does a secret.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Resource,
    State,
    given,
    tag_params,
    tags_of,
    update_tags,
)

_SHORTEST_WAIT_DAYS = 7
_DEFAULT_RECOVERY_DAYS = 30


class Key(Resource):
    """`alicloud_kms_key`."""

    type_name = "alicloud_kms_key"
    replaced_by = frozenset(
        {"key_spec", "key_usage", "origin", "protection_level", "dkms_instance_id"}
    )
    aliases = {  # noqa: RUF012
        "key_state": "status",
        "deletion_window_in_days": "pending_window_in_days",
    }
    follows = {"is_enabled": frozenset({"status", "key_state"})}  # noqa: RUF012
    choices = {  # noqa: RUF012
        "status": ("Enabled", "Disabled"),
        "key_usage": ("ENCRYPT/DECRYPT", "SIGN/VERIFY"),
        "automatic_rotation": ("Enabled", "Disabled"),
        "deletion_protection": ("Enabled", "Disabled"),
        "protection_level": ("SOFTWARE", "HSM"),
    }

    def create(self, cloud: CloudApi, planned: State) -> str:
        rotated = given(planned, "automatic_rotation") == "Enabled"
        answer = cloud.write(
            "kms",
            "CreateKey",
            Description=given(planned, "description"),
            KeySpec=given(planned, "key_spec"),
            KeyUsage=given(planned, "key_usage"),
            Origin=given(planned, "origin"),
            ProtectionLevel=given(planned, "protection_level"),
            EnableAutomaticRotation=True if rotated else None,
            RotationInterval=given(planned, "rotation_interval") if rotated else None,
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["KeyMetadata"]["KeyId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        if given(state, "deletion_protection") == "Enabled":
            self._protect(cloud, state, on=True)
        if given(state, "status") == "Disabled":
            cloud.write("kms", "DisableKey", KeyId=state["id"])

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        answer = cloud.find("kms", "DescribeKey", KeyId=id_)
        row = answer["KeyMetadata"] if answer is not None else None
        return row if row is not None and row.get("KeyState") != "PendingDeletion" else None

    def _protect(self, cloud: CloudApi, state: State, *, on: bool) -> None:
        row = self._look(cloud, state["id"])
        if row is None:
            return
        cloud.write(
            "kms",
            "SetDeletionProtection",
            ProtectedResourceArn=row["Arn"],
            EnableDeletionProtection=on,
            DeletionProtectionDescription=(
                given(state, "deletion_protection_description") if on else None
            ),
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        tags = cloud.read("kms", "ListTagResources", ResourceType="key", ResourceId=[state["id"]])
        rows = (tags.get("TagResources") or {}).get("TagResource") or []
        return self.merged(
            state,
            {
                "arn": row.get("Arn"),
                "automatic_rotation": row.get("AutomaticRotation"),
                "creation_date": row.get("CreationDate"),
                "creator": row.get("Creator"),
                "delete_date": row.get("DeleteDate"),
                "deletion_protection": row.get("DeletionProtection"),
                "deletion_protection_description": row.get("DeletionProtectionDescription") or None,
                "description": row.get("Description") or None,
                "dkms_instance_id": row.get("DKMSInstanceId"),
                "is_enabled": row.get("KeyState") == "Enabled",
                "key_spec": row.get("KeySpec"),
                "key_usage": row.get("KeyUsage"),
                "last_rotation_date": row.get("LastRotationDate"),
                "material_expire_time": row.get("MaterialExpireTime"),
                "next_rotation_date": row.get("NextRotationDate"),
                "origin": row.get("Origin"),
                "primary_key_version": row.get("PrimaryKeyVersion"),
                "status": row.get("KeyState"),
                "tags": tags_of({"Tags": {"Tag": rows}}),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        key = prior["id"]
        if changed & {"status", "key_state"} and planned.get("status") == "Enabled":
            cloud.write("kms", "EnableKey", KeyId=key)
        if "description" in changed:
            cloud.write(
                "kms",
                "UpdateKeyDescription",
                KeyId=key,
                Description=given(planned, "description") or "",
            )
        if changed & {"automatic_rotation", "rotation_interval"}:
            on = planned.get("automatic_rotation") == "Enabled"
            interval = given(planned, "rotation_interval") if on else None
            cloud.write(
                "kms",
                "UpdateRotationPolicy",
                KeyId=key,
                EnableAutomaticRotation=on,
                RotationInterval=interval,
            )
        if changed & {"deletion_protection", "deletion_protection_description"}:
            self._protect(
                cloud, {**planned, "id": key}, on=planned.get("deletion_protection") == "Enabled"
            )
        if "tags" in changed:
            update_tags(cloud, "kms", "key", key, prior, planned)
        if changed & {"status", "key_state"} and planned.get("status") == "Disabled":
            cloud.write("kms", "DisableKey", KeyId=key)

    def delete(self, cloud: CloudApi, state: State) -> None:
        row = self._look(cloud, state["id"])
        if row is None:
            return
        if row.get("DeletionProtection") == "Enabled":
            # Whoever destroys wants it gone; the waiting period is what protects from
            # mistakes.
            self._protect(cloud, state, on=False)
        days = given(state, "pending_window_in_days") or _SHORTEST_WAIT_DAYS
        cloud.remove("kms", "ScheduleKeyDeletion", KeyId=state["id"], PendingWindowInDays=days)


class Alias(Resource):
    """`alicloud_kms_alias`; its id is its name."""

    type_name = "alicloud_kms_alias"
    replaced_by = frozenset({"alias_name"})

    def create(self, cloud: CloudApi, planned: State) -> str:
        cloud.write("kms", "CreateAlias", AliasName=planned["alias_name"], KeyId=planned["key_id"])
        return str(planned["alias_name"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        answer = cloud.read("kms", "ListAliases", AliasName=state["id"], PageSize=100)
        rows = (answer.get("Aliases") or {}).get("Alias") or []
        row = next((one for one in rows if one.get("AliasName") == state["id"]), None)
        if row is None:
            return None
        return self.merged(state, {"alias_name": row.get("AliasName"), "key_id": row.get("KeyId")})

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        cloud.write("kms", "UpdateAlias", AliasName=prior["id"], KeyId=planned["key_id"])

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("kms", "DeleteAlias", AliasName=state["id"])


class Secret(Resource):
    """`alicloud_kms_secret`; its id is its name. The value is not read back: who may
    describe a secret may not read it."""

    type_name = "alicloud_kms_secret"
    replaced_by = frozenset(
        {"secret_name", "encryption_key_id", "dkms_instance_id", "secret_type", "extended_config"}
    )
    defaults = {"secret_data_type": "text"}  # noqa: RUF012 -- declared ClassVar by the base
    choices = {"secret_data_type": ("text", "binary")}  # noqa: RUF012
    follows = {"version_stages": frozenset({"version_id"})}  # noqa: RUF012

    def create(self, cloud: CloudApi, planned: State) -> str:
        rotated = given(planned, "enable_automatic_rotation")
        cloud.write(
            "kms",
            "CreateSecret",
            SecretName=planned["secret_name"],
            SecretData=planned["secret_data"],
            VersionId=planned["version_id"],
            SecretDataType=given(planned, "secret_data_type"),
            SecretType=given(planned, "secret_type"),
            EncryptionKeyId=given(planned, "encryption_key_id"),
            Description=given(planned, "description"),
            EnableAutomaticRotation=rotated,
            RotationInterval=given(planned, "rotation_interval") if rotated else None,
            Tag=tag_params(planned.get("tags")),
        )
        return str(planned["secret_name"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = cloud.find("kms", "DescribeSecret", SecretName=state["id"])
        if row is None or row.get("PlannedDeleteTime"):
            return None
        answer = cloud.read("kms", "ListSecretVersionIds", SecretName=state["id"], PageSize=100)
        versions = (answer.get("VersionIds") or {}).get("VersionId") or []
        stages = {
            one["VersionId"]: (one.get("VersionStages") or {}).get("VersionStage") or []
            for one in versions
        }
        current = next((name for name, held in stages.items() if "ACSCurrent" in held), None)
        return self.merged(
            state,
            {
                "arn": row.get("Arn"),
                "create_time": row.get("CreateTime"),
                "description": row.get("Description") or None,
                "encryption_key_id": row.get("EncryptionKeyId") or None,
                "planned_delete_time": row.get("PlannedDeleteTime"),
                "secret_name": row.get("SecretName"),
                "secret_type": row.get("SecretType"),
                "version_id": current,
                "version_stages": stages.get(str(current), []),
                "tags": tags_of(row),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        name = prior["id"]
        if "description" in changed:
            cloud.write(
                "kms",
                "UpdateSecret",
                SecretName=name,
                Description=given(planned, "description") or "",
            )
        if changed & {"secret_data", "version_id"}:
            version = planned["version_id"]
            cloud.write(
                "kms",
                "PutSecretValue",
                SecretName=name,
                SecretData=planned["secret_data"],
                VersionId=version,
            )
        if changed & {"enable_automatic_rotation", "rotation_interval"}:
            on = bool(given(planned, "enable_automatic_rotation"))
            interval = given(planned, "rotation_interval") if on else None
            cloud.write(
                "kms",
                "UpdateSecretRotationPolicy",
                SecretName=name,
                EnableAutomaticRotation=on,
                RotationInterval=interval,
            )
        if "tags" in changed:
            update_tags(cloud, "kms", "secret", name, prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        if given(state, "force_delete_without_recovery"):
            cloud.remove(
                "kms", "DeleteSecret", SecretName=state["id"], ForceDeleteWithoutRecovery=True
            )
            return
        days = given(state, "recovery_window_in_days") or _DEFAULT_RECOVERY_DAYS
        if cloud.find("kms", "DescribeSecret", SecretName=state["id"]) is not None:
            cloud.remove("kms", "DeleteSecret", SecretName=state["id"], RecoveryWindowInDays=days)


RESOURCES: Sequence[type[Resource]] = (Key, Alias, Secret)
