"""A bucket's access control list as a resource of its own."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State


class BucketAcl(Resource):
    """`alicloud_oss_bucket_acl`; its id is the bucket's name. Without it a bucket is
    private."""

    type_name = "alicloud_oss_bucket_acl"
    replaced_by = frozenset({"bucket"})
    choices = {"acl": ("private", "public-read", "public-read-write")}  # noqa: RUF012 -- declared ClassVar by the base

    def create(self, cloud: CloudApi, planned: State) -> str:
        cloud.write("oss", "PutBucketAcl", BucketName=planned["bucket"], Acl=planned["acl"])
        return str(planned["bucket"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = cloud.find("oss", "GetBucketAcl", BucketName=state["id"])
        if row is None:
            return None
        return self.merged(
            state, {"bucket": state["id"], "acl": (row.get("AccessControlList") or {}).get("Grant")}
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        cloud.write("oss", "PutBucketAcl", BucketName=prior["id"], Acl=planned["acl"])

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("oss", "PutBucketAcl", BucketName=state["id"], Acl="private")


RESOURCES: Sequence[type[Resource]] = (BucketAcl,)
