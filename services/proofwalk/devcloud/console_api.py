"""The console's JSON API: a signed-in browser's view of the same operations.

A list, a detail page, a create form and an action each name an operation in the product file. The values of a form
are encoded into that operation's parameters and dispatched, so a click is the API call that it stands for, recorded
as ConsoleOperation. What only a form knows (terms to agree to, fields the form insists on) is checked here, before
there is any call.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from proofwalk.devcloud.accounts import Accounts, Session
from proofwalk.devcloud.audit import Entry, request_id
from proofwalk.devcloud.calls import Caller
from proofwalk.devcloud.catalogue import Catalogue, Operation
from proofwalk.devcloud.console_schema import ConsoleSchema
from proofwalk.devcloud.faults import CloudError, missing_parameter
from proofwalk.devcloud.geography import DEFAULT_REGION, GLOBAL, REGIONS
from proofwalk.devcloud.operations import Cloud
from proofwalk.devcloud.options import choices
from proofwalk.devcloud.parameters import encode, naming, text
from proofwalk.devcloud.schema import FieldSpec, OperationSpec, OperationUse, ResourceSpec
from proofwalk.devcloud.templates import render
from proofwalk.devcloud.validation import hidden
from proofwalk.devcloud.world import Resource

COOKIE = "devcloud_session"
SIGN_IN_DEADLINE_S = 10.0
MAX_BODY = 1 << 20


class ConsoleApi:
    """Handlers under `/console/api`."""

    def __init__(self, cloud: Cloud, accounts: Accounts, schema: ConsoleSchema) -> None:
        self._cloud = cloud
        self._accounts = accounts
        self._schema = schema

    def routes(self) -> list[Route]:
        """All of them."""
        table = [
            ("/sign-in", self._sign_in, "POST"),
            ("/sign-out", self._sign_out, "POST"),
            ("/session", self._session, "GET"),
            ("/schema", self._get_schema, "GET"),
            ("/options/{source}", self._options, "GET"),
            ("/r/{product}/{resource}", self._list, "GET"),
            ("/r/{product}/{resource}", self._create, "POST"),
            ("/r/{product}/{resource}/{id}", self._get, "GET"),
            ("/r/{product}/{resource}/{id}/{action}", self._act, "POST"),
        ]
        return [Route(f"/console/api{path}", self._answering(handler), methods=[method]) for path, handler, method in table]

    def _answering(self, handler: Any) -> Any:
        async def endpoint(request: Request) -> Response:
            try:
                answer: Response = await handler(request)
                return answer
            except CloudError as error:
                body = {"code": error.code, "message": error.message, "request_id": error.request_id}
                if error.field is not None:
                    body["field"] = error.field
                return JSONResponse(body, status_code=error.status)

        return endpoint

    async def _sign_in(self, request: Request) -> Response:
        form = await _body(request)
        account_id, user, password = (str(form.get(name) or "") for name in ("account", "user", "password"))
        async with asyncio.timeout(SIGN_IN_DEADLINE_S):
            good = await asyncio.to_thread(self._accounts.check_password, account_id, user, password)
        error = None if good else CloudError("SignIn.Failed", "The account, user name or password is incorrect.", 401)
        account = self._accounts.find(account_id)
        known = account.user(user) if account is not None else None
        if account is not None:
            self._record_sign_in(request, account_id, user, known.principal_id if known is not None else "", error)
        if error is not None:
            raise error
        token = self._accounts.open_session(account_id, user)
        answer = JSONResponse({"account_id": account_id, "user_name": user})
        answer.set_cookie(COOKIE, token, httponly=True, samesite="lax", path="/")
        return answer

    def _record_sign_in(self, request: Request, account: str, user: str, principal: str, error: CloudError | None) -> None:
        name = request_id(self._cloud.ids)
        if error is not None:
            error.request_id = name
        entry = Entry(
            caller=self._caller(request, account, user, principal, sign_in=True),
            name="ConsoleSignin",
            service="AasCustomer",
            version="2015-12-30",
            reads=False,
            region=DEFAULT_REGION,
            request_id=name,
            params={},
            answer={},
            error=error,
            additional={"loginAccount": f"{user}@{account}", "isMFAChecked": "false"},
            source="signin.aliyun.com",
        )
        with self._cloud.store.transaction():
            self._cloud.audit.record(entry, self._cloud.clock.now())

    async def _sign_out(self, request: Request) -> Response:
        self._accounts.close_session(request.cookies.get(COOKIE, ""))
        answer = JSONResponse({})
        answer.delete_cookie(COOKIE, path="/")
        return answer

    async def _session(self, request: Request) -> Response:
        session = self._signed_in(request)
        return JSONResponse({"account_id": session.account, "user_name": session.user_name, "region": DEFAULT_REGION})

    async def _get_schema(self, request: Request) -> Response:
        self._signed_in(request)
        return Response(self._schema.served(), media_type="application/json")

    async def _options(self, request: Request) -> Response:
        session = self._signed_in(request)
        self._cloud.settle()
        asked = dict(request.query_params)
        found = choices(self._cloud.catalogue, request.path_params["source"], asked, self._cloud.scope(session.account))
        if found is None:
            raise CloudError("InvalidSource.NotFound", "There are no such options.", 404)
        return JSONResponse(found)

    async def _list(self, request: Request) -> Response:
        session, spec, kind, region = self._addressed(request)
        where = {k.removeprefix("where."): v for k, v in request.query_params.items() if k.startswith("where.")}
        operation = self._operation(kind, spec.list_.api)
        mapping = spec.api.parent or operation.spec.filters
        params = {**_regional(region), **encode({n: p for n, p in mapping.items() if n in where}, spec, where, {})}
        self._dispatch(request, session, operation, params)
        found = self._cloud.world.select(
            session.account, kind, lambda r: r.region == region and all(_equals(r.value(n), v) for n, v in where.items())
        )
        rows = [self._row(resource, spec) for resource in reversed(found)]
        return JSONResponse({"rows": rows, "total": len(rows)})

    async def _get(self, request: Request) -> Response:
        session, spec, kind, region = self._addressed(request)
        resource_id = request.path_params["id"]
        self._cloud.settle()
        resource = self._cloud.world.find(session.account, resource_id, kind)
        use = spec.detail.api if spec.detail is not None and spec.detail.api is not None else spec.list_.api
        operation = self._operation(kind, use)
        if not spec.api.parent or operation.kind == "get":
            params = _regional(region)
            if operation.kind == "get":
                params.update(naming(spec, operation.spec, resource_id))
            elif "id" in operation.spec.filters:
                params[operation.spec.filters["id"].param] = resource_id
            self._dispatch(request, session, operation, params)
        if resource is None or resource.region != region:
            fault = spec.api.not_found
            raise CloudError(fault.code, fault.message.replace("{id}", resource_id), 404)
        return JSONResponse(self._row(resource, spec))

    async def _create(self, request: Request) -> Response:
        session, spec, kind, region = self._addressed(request)
        shown = self._schema.catalogue.resources.get(kind)
        if spec.create is None or shown is None or shown.create is None:
            raise CloudError("InvalidAction.NotFound", "There is no create form for this resource.", 404)
        operation = self._operation(kind, spec.create.api)
        values = await _body(request)
        form = [name for step in shown.create.steps for name in step.fields]
        values = _settled_form([f for f in shown.fields if f.id in form], values)
        mapping = {**operation.spec.send, **operation.spec.params}
        params = {**_regional(region), **encode(mapping, spec, values, {})}
        outcome = self._dispatch(request, session, operation, {k: v for k, v in params.items() if v != ""})
        return JSONResponse({"id": outcome.resources[0].id})

    async def _act(self, request: Request) -> Response:
        session, spec, kind, region = self._addressed(request)
        resource_id, action_id = request.path_params["id"], request.path_params["action"]
        shown = self._schema.catalogue.resources.get(kind)
        action = next((a for a in spec.actions if a.id == action_id), None)
        visible = next((a for a in shown.actions if a.id == action_id), None) if shown is not None else None
        if action is None or visible is None:
            raise CloudError("InvalidAction.NotFound", f"There is no action {action_id} for this resource.", 404)
        operation = self._operation(kind, action.api)
        values = await _body(request)
        form = [f for f in spec.fields if f.id in visible.form]
        self._cloud.settle()
        resource = self._cloud.world.find(session.account, resource_id, kind)
        row = {**resource.fields, "id": resource.id} if resource is not None else {}
        values = _settled_form(form, {n: v for n, v in values.items() if n in visible.form}, row)
        values = {n: v for n, v in values.items() if v != "" or _may_be_empty(spec, n)}
        params = {
            **_regional(region),
            **encode(operation.spec.send, spec, row, row),
            **encode(operation.spec.params, spec, values, row),
        }
        if operation.kind != "hook":
            params.update(naming(spec, operation.spec, resource_id))
        self._dispatch(request, session, operation, params)
        return JSONResponse({})

    def _dispatch(self, request: Request, session: Session, operation: Operation, params: Mapping[str, str]) -> Any:
        caller = self._caller(request, session.account, session.user_name, session.principal_id)
        return self._cloud.call(caller, operation.product.api.version, operation.spec.op, params)

    def _caller(self, request: Request, account: str, user: str, principal: str, *, sign_in: bool = False) -> Caller:
        return Caller(
            account=account,
            user_name=user,
            principal_id=principal,
            event_type="ConsoleSignin" if sign_in else "ConsoleOperation",
            source_ip=request.client.host if request.client is not None else "",
            user_agent=request.headers.get("user-agent", ""),
            host=request.headers.get("host", ""),
            silent=request.method == "GET" and request.headers.get("x-console-poll") == "1",
        )

    def _signed_in(self, request: Request) -> Session:
        session = self._accounts.session(request.cookies.get(COOKIE, ""))
        if session is None:
            raise CloudError("ConsoleNeedLogin", "You must sign in.", 401)
        return session

    def _addressed(self, request: Request) -> tuple[Session, ResourceSpec, str, str]:
        session = self._signed_in(request)
        kind = f"{request.path_params['product']}.{request.path_params['resource']}"
        spec = self._cloud.catalogue.resources.get(kind)
        if spec is None:
            raise CloudError("InvalidResourceType.NotFound", f"There is no resource type {kind}.", 404)
        if kind in self._cloud.catalogue.global_kinds:
            return session, spec, kind, GLOBAL
        region = request.query_params.get("region") or DEFAULT_REGION
        if region not in REGIONS:
            raise CloudError("InvalidRegionId.NotFound", "The RegionId provided does not exist in our records.", 404)
        return session, spec, kind, region

    def _operation(self, kind: str, use: OperationUse) -> Operation:
        catalogue: Catalogue = self._cloud.catalogue
        product = catalogue.products[kind.split(".", 1)[0]]
        name = use.op if isinstance(use, OperationSpec) else use
        return catalogue.operations[(product.api.version, name)]

    def _row(self, resource: Resource, spec: ResourceSpec) -> dict[str, Any]:
        scope = self._cloud.scope(resource.account).at(resource)
        computed = {f.id: render(f.api.value, scope) for f in spec.fields if f.api.value is not None}
        tags = [{"key": key, "value": value} for key, value in resource.tags.items()]
        tag_fields = {f.id: tags for f in spec.fields if f.type == "tags"}
        base = {"id": resource.id, "status": resource.status, "created": resource.created, "region": resource.region}
        return {**resource.fields, **tag_fields, **computed, **base}


def _regional(region: str) -> dict[str, str]:
    return {"RegionId": region} if region != GLOBAL else {}


def _equals(have: Any, wanted: str) -> bool:
    return wanted in map(str, have) if isinstance(have, list) else have is not None and text(have) == wanted


def _may_be_empty(spec: ResourceSpec, name: str) -> bool:
    field = spec.field(name)
    return field is not None and field.widget in ("input", "textarea") and not field.required


def _settled_form(fields: list[FieldSpec], values: Mapping[str, Any], row: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The values that the form would send: defaults in, hidden fields out, required ones present.

    The form of an action starts from the `row`: there a field that is not sent keeps its value.
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
        if field.required and (value in (None, "", []) or (field.widget == "checkbox" and value is False)):
            raise missing_parameter(field.label, field=field.id)
        if field.api.equals is not None and settled.get(field.id) != settled.get(field.api.equals):
            raise CloudError("InvalidParameter.Mismatch", f"{field.label} does not match.", field=field.id)
    return settled


async def _body(request: Request) -> dict[str, Any]:
    raw = await request.body()
    if len(raw) > MAX_BODY:
        raise CloudError("RequestEntityTooLarge", "The request body is too large.", 413)
    try:
        values = json.loads(raw or b"{}")
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise CloudError("InvalidRequestBody", "The request body is not a JSON object.", 400)
    return values
