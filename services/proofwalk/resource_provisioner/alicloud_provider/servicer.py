"""Plugin protocol 6 over the resource classes.

Three properties matter more than the rest. A resource whose creation began is in the
returned state as soon as it has an id, whatever failed afterwards: Terraform marks it
tainted and destroys it, and nothing is lost. `StopProvider` ends no call: it only
shortens waits, so that an interrupted apply still writes what it made. An exception is
a diagnostic, never a broken call, which Terraform would take for a crashed plugin and
after which it would know nothing of the resource.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence

import grpc

from proofwalk.api.tfplugin.v6 import tfplugin6_pb2 as pb
from proofwalk.api.tfplugin.v6 import tfplugin6_pb2_grpc as rpc
from proofwalk.resource_provisioner.alicloud_provider import schema
from proofwalk.resource_provisioner.alicloud_provider.configuration import connection_of
from proofwalk.resource_provisioner.alicloud_provider.lookups import (
    Images,
    InstanceTypes,
    Lookup,
    Zones,
)
from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi, Gone
from proofwalk.resource_provisioner.alicloud_provider.registry import RESOURCES
from proofwalk.resource_provisioner.alicloud_provider.resource import Problem, Resource, State
from proofwalk.resource_provisioner.alicloud_provider.values import UNKNOWN, decode, encode, known

LOOKUPS: Sequence[type[Lookup]] = (Zones, Images, InstanceTypes)
Context = grpc.ServicerContext


class NotConfigured(Exception):
    """A call that needs the cloud came before the provider's configuration."""


def _diagnostic(problem: Problem) -> pb.Diagnostic:
    message = pb.Diagnostic(
        severity=pb.Diagnostic.ERROR, summary=problem.summary, detail=problem.detail
    )
    if problem.path:
        message.attribute.CopyFrom(_path(problem.path))
    return message


def _path(names: Sequence[str]) -> pb.AttributePath:
    return pb.AttributePath(steps=[pb.AttributePath.Step(attribute_name=name) for name in names])


def _problem_of(error: Exception, what: str) -> Problem:
    if isinstance(error, ApiError):
        request = f"\nRequest id: {error.request_id}" if error.request_id else ""
        return Problem(
            summary=f"{error.action} failed: {error.code}", detail=f"{error.message}{request}"
        )
    if isinstance(error, Gone):
        return Problem(
            summary=f"{what}: the resource vanished",
            detail=f"{error} was deleted while it was waited for.",
        )
    if isinstance(error, NotConfigured):
        return Problem(summary="The provider is not configured", detail=str(error))
    return Problem(
        summary=f"{what}: {type(error).__name__}",
        detail=f"This is a defect of the provider: {error}",
    )


class Servicer(rpc.ProviderServicer):
    """Serves Terraform. One configuration per process."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self._resources = {kind.type_name: kind() for kind in RESOURCES}
        self._lookups = {kind.type_name: kind() for kind in LOOKUPS}
        self._cloud: CloudApi | None = None

    def _api(self) -> CloudApi:
        if self._cloud is None:
            raise NotConfigured("Terraform asked for a resource before ConfigureProvider.")
        return self._cloud

    def GetProviderSchema(
        self, request: pb.GetProviderSchema.Request, context: Context
    ) -> pb.GetProviderSchema.Response:
        return pb.GetProviderSchema.Response(
            provider=schema.schema_message(schema.PROVIDER),
            resource_schemas={
                name: schema.schema_message(kind.block) for name, kind in self._resources.items()
            },
            data_source_schemas={
                name: schema.schema_message(kind.block) for name, kind in self._lookups.items()
            },
            server_capabilities=pb.ServerCapabilities(
                plan_destroy=False, get_provider_schema_optional=True
            ),
        )

    def ValidateProviderConfig(
        self, request: pb.ValidateProviderConfig.Request, context: Context
    ) -> pb.ValidateProviderConfig.Response:
        return pb.ValidateProviderConfig.Response()

    def ValidateResourceConfig(
        self, request: pb.ValidateResourceConfig.Request, context: Context
    ) -> pb.ValidateResourceConfig.Response:
        problems = self._resources[request.type_name].validate(decode(request.config) or {})
        return pb.ValidateResourceConfig.Response(
            diagnostics=[_diagnostic(problem) for problem in problems]
        )

    def ValidateDataResourceConfig(
        self, request: pb.ValidateDataResourceConfig.Request, context: Context
    ) -> pb.ValidateDataResourceConfig.Response:
        return pb.ValidateDataResourceConfig.Response()

    def UpgradeResourceState(
        self, request: pb.UpgradeResourceState.Request, context: Context
    ) -> pb.UpgradeResourceState.Response:
        block = self._resources[request.type_name].block
        state = json.loads(request.raw_state.json or b"null")
        if state is not None:
            # A state written by another version may lack attributes or have more.
            state = block.empty() | {
                name: value for name, value in state.items() if name in set(block.names())
            }
        return pb.UpgradeResourceState.Response(upgraded_state=encode(state))

    def ConfigureProvider(
        self, request: pb.ConfigureProvider.Request, context: Context
    ) -> pb.ConfigureProvider.Response:
        connection, problems = connection_of(decode(request.config) or {}, self._environment)
        if connection is not None:
            stopping = self._cloud.stopping if self._cloud is not None else None
            self._cloud = CloudApi(connection)
            if stopping is not None and stopping.is_set():
                stopping.clear()
        return pb.ConfigureProvider.Response(
            diagnostics=[_diagnostic(problem) for problem in problems]
        )

    def ReadResource(
        self, request: pb.ReadResource.Request, context: Context
    ) -> pb.ReadResource.Response:
        current: State = decode(request.current_state)
        try:
            found = self._resources[request.type_name].read(self._api(), current)
        except Exception as error:
            problem = _problem_of(error, f"Reading {request.type_name} {current.get('id')}")
            return pb.ReadResource.Response(
                new_state=request.current_state, diagnostics=[_diagnostic(problem)]
            )
        return pb.ReadResource.Response(new_state=encode(found))

    def PlanResourceChange(
        self, request: pb.PlanResourceChange.Request, context: Context
    ) -> pb.PlanResourceChange.Response:
        prior, proposed, config = (
            decode(request.prior_state),
            decode(request.proposed_new_state),
            decode(request.config),
        )
        if proposed is None:
            return pb.PlanResourceChange.Response(planned_state=encode(None))
        plan = self._resources[request.type_name].plan(prior, proposed, config or {})
        return pb.PlanResourceChange.Response(
            planned_state=encode(plan.state),
            requires_replace=[_path([name]) for name in plan.replaced_by],
            # As the real provider, which is written with the plugin SDK 2, this one may
            # plan defaults for optional attributes.
            legacy_type_system=True,
        )

    def ApplyResourceChange(
        self, request: pb.ApplyResourceChange.Request, context: Context
    ) -> pb.ApplyResourceChange.Response:
        kind = self._resources[request.type_name]
        prior, planned = decode(request.prior_state), decode(request.planned_state)
        if prior is None:
            state, problem = self._create(kind, planned)
        elif planned is None:
            state, problem = self._delete(kind, prior)
        else:
            state, problem = self._update(kind, prior, planned)
        return pb.ApplyResourceChange.Response(
            new_state=encode(state),
            diagnostics=[_diagnostic(problem)] if problem else [],
            legacy_type_system=True,
        )

    def _create(self, kind: Resource, planned: State) -> tuple[State | None, Problem | None]:
        what = f"Creating {kind.type_name}"
        try:
            cloud = self._api()
            id_ = kind.create(cloud, planned)
        except Exception as error:
            return None, _problem_of(error, what)
        state = planned | {"id": id_}
        try:
            kind.settle(cloud, state)
            look = lambda: kind.read(cloud, state)  # noqa: E731
            found = cloud.wait(id_, look, lambda _: True, timeout_s=cloud.connection.absent_wait_s)
        except Exception as error:
            return known(state), _problem_of(error, what)
        return found, None

    def _update(
        self, kind: Resource, prior: State, planned: State
    ) -> tuple[State | None, Problem | None]:
        what = f"Updating {kind.type_name} {prior.get('id')}"
        changed = frozenset(
            name
            for name, value in planned.items()
            if value is not UNKNOWN and name != "timeouts" and prior.get(name) != value
        )
        try:
            cloud = self._api()
            kind.update(cloud, prior, planned, changed)
            found = kind.read(cloud, planned | {"id": prior["id"]})
        except Exception as error:
            return prior, _problem_of(error, what)
        return found, None

    def _delete(self, kind: Resource, prior: State) -> tuple[State | None, Problem | None]:
        try:
            kind.delete(self._api(), prior)
        except Exception as error:
            return prior, _problem_of(error, f"Deleting {kind.type_name} {prior.get('id')}")
        return None, None

    def ImportResourceState(
        self, request: pb.ImportResourceState.Request, context: Context
    ) -> pb.ImportResourceState.Response:
        kind = self._resources[request.type_name]
        try:
            found = kind.read(self._api(), kind.block.empty() | {"id": request.id})
        except Exception as error:
            return pb.ImportResourceState.Response(
                diagnostics=[_diagnostic(_problem_of(error, f"Importing {request.type_name}"))]
            )
        if found is None:
            problem = Problem(
                summary="Cannot import a resource that does not exist",
                detail=f"{request.type_name} {request.id}",
            )
            return pb.ImportResourceState.Response(diagnostics=[_diagnostic(problem)])
        imported = pb.ImportResourceState.ImportedResource(
            type_name=request.type_name, state=encode(found)
        )
        return pb.ImportResourceState.Response(imported_resources=[imported])

    def ReadDataSource(
        self, request: pb.ReadDataSource.Request, context: Context
    ) -> pb.ReadDataSource.Response:
        try:
            state = self._lookups[request.type_name].read(self._api(), decode(request.config) or {})
        except Exception as error:
            return pb.ReadDataSource.Response(
                diagnostics=[_diagnostic(_problem_of(error, f"Reading {request.type_name}"))]
            )
        return pb.ReadDataSource.Response(state=encode(state))

    def StopProvider(
        self, request: pb.StopProvider.Request, context: Context
    ) -> pb.StopProvider.Response:
        if self._cloud is not None:
            self._cloud.stopping.set()
        return pb.StopProvider.Response()
