"""The console's JSON API: a signed-in browser's view of the same operations.

A list, a detail page, a create form and an action each name an operation in the product
file. The values of a form are encoded into that operation's parameters and dispatched,
so a click is the API call that it stands for, recorded as ConsoleOperation. What only a
form knows (terms to agree to, fields the form insists on) is checked here, before there
is any call. What a session sees of the product files is its view (`console_schema`);
what befalls it on the way is its journey (`journeys`): both come with the `Visitor`
that `console_sessions` finds for a request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from proofwalk.devcloud.console.console_sessions import ConsoleSessions, Visitor, caller, json_body
from proofwalk.devcloud.console.journeys import CAPTCHA_LENGTH, CaptchaRequired, Lapsed
from proofwalk.devcloud.engine.calls import Outcome
from proofwalk.devcloud.engine.operations import Cloud
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.state.geography import DEFAULT_REGION, GLOBAL, REGIONS
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.options import choices, source_values
from proofwalk.devcloud.engine.values.parameters import encode, naming, text
from proofwalk.devcloud.engine.values.templates import render
from proofwalk.devcloud.engine.values.validation import hidden
from proofwalk.devcloud.products.catalogue import Catalogue, Operation
from proofwalk.devcloud.products.schema.fields import FieldSpec, OptionSource
from proofwalk.devcloud.products.schema.operations import (
    OperationChoice,
    OperationSpec,
    OperationUse,
)
from proofwalk.devcloud.products.schema.resources import ResourceSpec

SOLUTION_HEADER = "x-captcha-solution"


class ConsoleApi:
    """Handlers under `/console/api`."""

    def __init__(self, cloud: Cloud, sessions: ConsoleSessions) -> None:
        self._cloud = cloud
        self._sessions = sessions

    def routes(self) -> list[Route]:
        """All of them."""
        table = [
            ("/sign-in", self._sessions.page, "GET"),
            ("/sign-in", self._sessions.sign_in, "POST"),
            ("/sign-in/renew", self._sessions.renew, "POST"),
            ("/sign-out", self._sessions.sign_out, "POST"),
            ("/session", self._sessions.session, "GET"),
            ("/captcha/{id}", self._captcha, "POST"),
            ("/schema", self._get_schema, "GET"),
            ("/options/{source}", self._options, "GET"),
            ("/r/{product}/{resource}", self._list, "GET"),
            ("/r/{product}/{resource}", self._create, "POST"),
            ("/r/{product}/{resource}/{id:path}", self._get, "GET"),
            ("/r/{product}/{resource}/{id:path}/{action}", self._act, "POST"),
        ]
        return [
            Route(f"/console/api{path}", self._answering(handler), methods=[method])
            for path, handler, method in table
        ]

    def _answering(self, handler: Any) -> Any:
        async def endpoint(request: Request) -> Response:
            try:
                try:
                    answer: Response = await handler(request)
                    return answer
                except Lapsed:
                    raise self._sessions.lapse(request) from None
            except CloudError as error:
                body: dict[str, Any] = {
                    "code": error.code,
                    "message": error.message,
                    "request_id": error.request_id,
                }
                if error.field is not None:
                    body["field"] = error.field
                if isinstance(error, CaptchaRequired):
                    body["captcha"] = {"id": error.challenge.id, "length": CAPTCHA_LENGTH}
                return JSONResponse(body, status_code=error.status)

        return endpoint

    async def _get_schema(self, request: Request) -> Response:
        visitor = self._sessions.visitor(request)
        return Response(
            visitor.view.served(visitor.journey.trouble.served(visitor.journey.name)),
            media_type="application/json",
        )

    async def _captcha(self, request: Request) -> Response:
        journey = self._sessions.visitor(request).journey
        body = await json_body(request)
        return JSONResponse(
            {"solution": journey.solve(request.path_params["id"], body.get("track"))}
        )

    async def _options(self, request: Request) -> Response:
        visitor = self._sessions.visitor(request)
        name = request.path_params["source"]
        await visitor.journey.load(f"options/{name}", in_form=True)
        self._cloud.furnish(visitor.session.account)
        self._cloud.settle()
        scope = self._cloud.scope(visitor.session.account)
        found = choices(visitor.view.catalogue, name, dict(request.query_params), scope)
        if found is None:
            raise CloudError("InvalidSource.NotFound", "There are no such options.", 404)
        return JSONResponse(self._sessions.labelled(visitor, name, found))

    async def _list(self, request: Request) -> Response:
        visitor, spec, kind, region = self._addressed(request)
        await visitor.journey.load(f"list/{kind}", poll=_is_poll(request))
        where = {
            k.removeprefix("where."): v
            for k, v in request.query_params.items()
            if k.startswith("where.")
        }
        operation = self._operation(kind, spec.list_.api)
        mapping = spec.api.parent or operation.spec.filters
        params = {
            **_regional(region),
            **encode({n: p for n, p in mapping.items() if n in where}, spec, where, {}),
        }
        self._dispatch(request, visitor, operation, params)
        found = self._cloud.world.select(
            visitor.session.account,
            kind,
            lambda r: r.region == region and all(_equals(r.value(n), v) for n, v in where.items()),
        )
        rows = [self._row(resource, spec) for resource in reversed(found)]
        return JSONResponse({"rows": rows, "total": len(rows)})

    async def _get(self, request: Request) -> Response:
        visitor, spec, kind, region = self._addressed(request)
        await visitor.journey.load(f"detail/{kind}", poll=_is_poll(request))
        resource_id = request.path_params["id"]
        self._cloud.settle()
        resource = self._cloud.world.find(visitor.session.account, resource_id, kind)
        use = (
            spec.detail.api
            if spec.detail is not None and spec.detail.api is not None
            else spec.list_.api
        )
        operation = self._operation(kind, use)
        if not spec.api.parent or operation.kind == "get":
            params = _regional(region)
            if operation.kind == "get":
                params.update(naming(spec, operation.spec, resource_id))
            elif "id" in operation.spec.filters:
                params[operation.spec.filters["id"].param] = resource_id
            self._dispatch(request, visitor, operation, params)
        if resource is None or resource.region != region:
            fault = spec.api.not_found
            raise CloudError(fault.code, fault.message.replace("{id}", resource_id), 404)
        return JSONResponse(self._row(resource, spec))

    async def _create(self, request: Request) -> Response:
        visitor, spec, kind, region = self._addressed(request)
        shown = visitor.view.catalogue.resources.get(kind)
        if spec.create is None or shown is None or shown.create is None:
            raise CloudError(
                "InvalidAction.NotFound", "There is no create form for this resource.", 404
            )
        values = await json_body(request)
        operation = self._operation(kind, spec.create.api, values)
        visitor.journey.submit(request.headers.get(SOLUTION_HEADER, ""))
        form = [name for step in shown.create.steps for name in step.fields]
        values = _settled_form([f for f in shown.fields if f.id in form], values)
        mapping = {**operation.spec.send, **operation.spec.params}
        params = {**_regional(region), **encode(mapping, spec, values, {})}
        shortage = self._shortage(visitor, kind, spec, values, region)
        params = {name: value for name, value in params.items() if value != ""}
        outcome = self._dispatch(request, visitor, operation, params, shortage=shortage)
        return JSONResponse({"id": outcome.resources[0].id})

    async def _act(self, request: Request) -> Response:
        visitor, spec, kind, region = self._addressed(request)
        resource_id, action_id = request.path_params["id"], request.path_params["action"]
        shown = visitor.view.catalogue.resources.get(kind)
        action = next((a for a in spec.actions if a.id == action_id), None)
        visible = (
            next((a for a in shown.actions if a.id == action_id), None)
            if shown is not None
            else None
        )
        if action is None or visible is None:
            raise CloudError(
                "InvalidAction.NotFound", f"There is no action {action_id} for this resource.", 404
            )
        values = await json_body(request)
        visitor.journey.submit(request.headers.get(SOLUTION_HEADER, ""))
        form = [f for f in (shown or spec).fields if f.id in visible.form]
        self._cloud.settle()
        resource = self._cloud.world.find(visitor.session.account, resource_id, kind)
        row = {**resource.fields, "id": resource.id} if resource is not None else {}
        operation = self._operation(kind, action.api, {**row, **values})
        values = _settled_form(form, {n: v for n, v in values.items() if n in visible.form}, row)
        values = {
            n: v for n, v in values.items() if v != "" or _may_be_empty(spec, n)
        } | action.values
        params = {
            **_regional(region),
            **encode(operation.spec.send, spec, row, row),
            **encode(operation.spec.params, spec, values, row),
        }
        if operation.kind != "hook":
            params.update(naming(spec, operation.spec, resource_id))
        self._dispatch(request, visitor, operation, params)
        return JSONResponse({})

    def _shortage(
        self,
        visitor: Visitor,
        kind: str,
        spec: ResourceSpec,
        values: Mapping[str, Any],
        region: str,
    ) -> CloudError | None:
        """What the session's trouble refuses this create with."""
        if visitor.journey.calm:
            return None
        return visitor.journey.shortage(
            kind,
            spec.api.quota,
            specified=any(self._has_choice(visitor, f, values, region) for f in spec.fields),
        )

    def _has_choice(
        self, visitor: Visitor, field: FieldSpec, values: Mapping[str, Any], region: str
    ) -> bool:
        """Whether the field is a specification (what is on offer hangs on other fields)
        and another value could be had."""
        if not isinstance(field.options, OptionSource) or values.get(field.id) in (None, "", []):
            return False
        source = self._cloud.catalogue.sources.get(field.options.source)
        if source is None or not source.rows or not source.where:
            return False
        asked = {**{name: values.get(name) for name in field.depends_on}, "region": region}
        scope = self._cloud.scope(visitor.session.account)
        return len(source_values(self._cloud.catalogue, field.options.source, asked, scope)) > 1

    def _dispatch(
        self,
        request: Request,
        visitor: Visitor,
        operation: Operation,
        params: Mapping[str, str],
        *,
        shortage: CloudError | None = None,
    ) -> Outcome:
        silent = request.method == "GET" and _is_poll(request)
        session = visitor.session
        who = caller(
            request, session.account, session.user_name, session.principal_id, "ConsoleOperation"
        )
        who = replace(
            who, silent=silent, shortage=shortage, lag_s=0.0 if silent else visitor.journey.lag_s()
        )
        return self._cloud.call(who, operation.product.api.version, operation.spec.op, params)

    def _addressed(self, request: Request) -> tuple[Visitor, ResourceSpec, str, str]:
        visitor = self._sessions.visitor(request)
        kind = f"{request.path_params['product']}.{request.path_params['resource']}"
        spec = self._cloud.catalogue.resources.get(kind)
        if spec is None:
            raise CloudError(
                "InvalidResourceType.NotFound", f"There is no resource type {kind}.", 404
            )
        if kind in self._cloud.catalogue.global_kinds:
            return visitor, spec, kind, GLOBAL
        region = request.query_params.get("region") or DEFAULT_REGION
        if region not in REGIONS:
            raise CloudError(
                "InvalidRegionId.NotFound",
                "The RegionId provided does not exist in our records.",
                404,
            )
        return visitor, spec, kind, region

    def _operation(
        self, kind: str, use: OperationUse, values: Mapping[str, Any] | None = None
    ) -> Operation:
        catalogue: Catalogue = self._cloud.catalogue
        product = catalogue.products[kind.split(".", 1)[0]]
        if isinstance(use, OperationChoice):
            name = use.ops.get(str((values or {}).get(use.by)), "")
            if not name:
                raise missing_parameter(use.by, field=use.by)
        else:
            name = use.op if isinstance(use, OperationSpec) else use
        return catalogue.operations[(product.api.version, name)]

    def _row(self, resource: Resource, spec: ResourceSpec) -> dict[str, Any]:
        scope = self._cloud.scope(resource.account).at(resource)
        computed = {
            f.id: render(f.api.value, scope) for f in spec.fields if f.api.value is not None
        }
        tags = [{"key": key, "value": value} for key, value in resource.tags.items()]
        tag_fields = {f.id: tags for f in spec.fields if f.type == "tags"}
        base = {
            "id": resource.id,
            "status": resource.status,
            "created": resource.created,
            "region": resource.region,
        }
        return {**resource.fields, **tag_fields, **computed, **base}


def _regional(region: str) -> dict[str, str]:
    return {"RegionId": region} if region != GLOBAL else {}


def _equals(have: Any, wanted: str) -> bool:
    return (
        wanted in map(str, have)
        if isinstance(have, list)
        else have is not None and text(have) == wanted
    )


def _may_be_empty(spec: ResourceSpec, name: str) -> bool:
    field = spec.field(name)
    return field is not None and field.widget in ("input", "textarea") and not field.required


def _settled_form(
    fields: list[FieldSpec], values: Mapping[str, Any], row: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The values that the form would send: defaults in, hidden fields out, required
    ones present.

    The form of an action starts from the `row`: there a field that is not sent keeps
    its value.
    """
    settled = dict(values)
    for field in fields:
        if row is None and field.id not in settled and field.default is not None:
            settled[field.id] = field.default
    for field in fields:
        if hidden(field, {**(row or {}), **settled}):
            settled.pop(field.id, None)
            continue
        value = settled.get(field.id, (row or {}).get(field.id))
        if field.required and (
            value in (None, "", []) or (field.widget == "checkbox" and value is False)
        ):
            raise missing_parameter(field.label, field=field.id)
        if field.api.equals is not None and settled.get(field.id) != settled.get(field.api.equals):
            raise CloudError(
                "InvalidParameter.Mismatch", f"{field.label} does not match.", field=field.id
            )
    return settled


def _is_poll(request: Request) -> bool:
    """A timer refresh of an open page."""
    return request.headers.get("x-console-poll") == "1"
