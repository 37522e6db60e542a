"""What exists in an account, by Resource Center, and its deletion, product by product.

One look is one search over all products and regions, with the account's own key. It
tells type, id, name, region, tags and the time of making, and no state and no values;
it knows the types that Resource Center serves, as late as Resource Center does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from alibabacloud_resourcecenter20221201.client import Client
from alibabacloud_resourcecenter20221201.models import (
    SearchResourcesRequest,
    SearchResourcesResponseBodyResources,
)
from alibabacloud_tea_openapi.client import Client as GeneralClient
from alibabacloud_tea_openapi.utils_models import OpenApiRequest
from darabonba.runtime import RuntimeOptions

from proofwalk.cloud.alicloud.openapi import VERSIONS, means_absent, means_conflict
from proofwalk.cloud.alicloud.resource_types import Deletion, named
from proofwalk.cloud.ports import CloudAccount, ResourceRef
from proofwalk.cloud.sdk_calls import (
    REFUSED_WITH,
    Endpoint,
    SdkCalls,
    bad_answer,
    means_denied,
    rpc_params,
)
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status

PAGE = 100
MAX_PAGES = 100
_EVERYWHERE = "global"
"""As which region Resource Center shows what has none."""


class ResourceCenterInventory:
    """`Inventory`. `close()` ends its threads."""

    def __init__(
        self, *, endpoint_of: Callable[[str, str], Endpoint], region: str, clock: Clock
    ) -> None:
        self._endpoint_of = endpoint_of
        self._region = region
        self._clock = clock
        self._calls = SdkCalls(
            service="ResourceCenter",
            action="resourcecenter:SearchResources",
            endpoint=endpoint_of("resourcecenter", region),
            clock=clock,
        )
        self._deletions: dict[tuple[str, str], SdkCalls] = {}

    def close(self) -> None:
        """Take no more calls."""
        for calls in (self._calls, *self._deletions.values()):
            calls.close()

    async def list(self, account: CloudAccount) -> Sequence[ResourceRef]:
        """Return every resource that Resource Center shows."""
        client = Client(self._calls.config(account))
        give_up = self._calls.deadline()
        listed: list[ResourceRef] = []
        token: str | None = None
        for _ in range(MAX_PAGES):
            request = SearchResourcesRequest(max_results=PAGE, next_token=token)
            response = await self._calls.call(
                lambda asked=request: client.search_resources(asked),  # type: ignore[misc]
                give_up,
            )
            listed += [_reference(row) for row in response.body.resources or ()]
            token = response.body.next_token or None
            if token is None:
                return sorted(listed)
        raise bad_answer("SearchResources")

    async def delete(self, account: CloudAccount, resource: ResourceRef) -> None:
        """Delete a resource by its product's operation. Raises `cloud.unsupported` for
        a type that none deletes, `cloud.conflict` while something depends on it."""
        deletion = named(resource.attributes.get("api_type", "")).deletion
        if deletion is None:
            raise ProofwalkError(
                "cloud.unsupported",
                f"{resource.product} {resource.type} {resource.id} cannot be deleted by one"
                " operation of the cloud's API",
                status=Status.UNIMPLEMENTED,
                hint="delete it at the console, or by Terraform where Terraform made it",
            )
        region = resource.region or self._region
        calls = self._calls_to(deletion.product, region)
        client = GeneralClient(calls.config(account))
        given = json.dumps([resource.id]) if deletion.in_array else resource.id
        query = {**deletion.more, "RegionId": region, deletion.parameter: given}
        params = rpc_params(deletion.action, VERSIONS[deletion.product])
        request = OpenApiRequest(query=query)
        try:
            await calls.call(
                lambda: client.call_api(params, request, RuntimeOptions()), calls.deadline()
            )
        except ProofwalkError as error:
            told = _refusal(error, deletion, resource)
            if told is not None:
                raise told from error

    def _calls_to(self, product: str, region: str) -> SdkCalls:
        if (product, region) not in self._deletions:
            self._deletions[product, region] = SdkCalls(
                service=product,
                action="what it deletes with",
                endpoint=self._endpoint_of(product, region),
                clock=self._clock,
                threads=2,
            )
        return self._deletions[product, region]


def _refusal(
    error: ProofwalkError, deletion: Deletion, resource: ResourceRef
) -> ProofwalkError | None:
    """What to raise for a refused deletion; None if there is nothing to delete."""
    code = str(error.details.get(REFUSED_WITH, ""))
    # KMS says that something is not there as `Forbidden.AliasNotFound`.
    if means_absent(code) and not code.startswith("InvalidAccessKeyId"):
        return None
    if means_denied(code):
        return error
    if means_conflict(code):
        return ProofwalkError(
            "cloud.conflict",
            f"{deletion.action} of {resource.id}: {code}",
            status=Status.ABORTED,
            retryable=True,
        )
    return error


def _reference(row: SearchResourcesResponseBodyResources) -> ResourceRef:
    api_type = str(row.resource_type or "")
    kind = named(api_type)
    return ResourceRef(
        product=kind.product,
        type=kind.type,
        id=str(row.resource_id or ""),
        region="" if row.region_id == _EVERYWHERE else str(row.region_id or ""),
        name=str(row.resource_name or ""),
        tags={str(tag.key): str(tag.value or "") for tag in row.tags or ()},
        attributes={"created": str(row.create_time or ""), "api_type": api_type},
    )
