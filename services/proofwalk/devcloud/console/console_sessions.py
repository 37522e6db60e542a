"""Signing in to the console, and who a request comes from.

A session may be bound to a scenario at sign-in. One that lapsed (`journeys.Lapsed`) is
offered to be taken up again with one press, as consoles do for an account that was
signed in a moment ago; that is a sign-in of its own in the audit log.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from proofwalk.devcloud.console.console_schema import ConsoleSchema, View
from proofwalk.devcloud.console.journeys import Journey, Journeys
from proofwalk.devcloud.console.scenarios import Scenario, Scenarios
from proofwalk.devcloud.console.translations import CONSOLE
from proofwalk.devcloud.engine.audit import Entry, request_id
from proofwalk.devcloud.engine.calls import Caller, EventType
from proofwalk.devcloud.engine.operations import Cloud
from proofwalk.devcloud.engine.state.accounts import Accounts, Session
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.state.geography import DEFAULT_REGION
from proofwalk.devcloud.engine.values.options import fixed_values
from proofwalk.kernel.errors import ProofwalkError

COOKIE = "devcloud_session"
SIGN_IN_DEADLINE_S = 10.0
MAX_BODY = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Visitor:
    """A signed-in browser, what it sees and what it has been through."""

    session: Session
    scenario: Scenario | None
    view: View
    journey: Journey


class ConsoleSessions:
    """Handlers of sign-in and sign-out, and `visitor` for all others."""

    def __init__(
        self, cloud: Cloud, accounts: Accounts, schema: ConsoleSchema, scenarios: Scenarios
    ) -> None:
        self._cloud = cloud
        self._accounts = accounts
        self._schema = schema
        self._scenarios = scenarios
        self._journeys = Journeys(cloud.ids)

    def visitor(self, request: Request) -> Visitor:
        """Who asks, or `ConsoleNeedLogin`."""
        session = self._accounts.session(request.cookies.get(COOKIE, ""))
        if session is None:
            raise CloudError("ConsoleNeedLogin", "You must sign in.", 401)
        scenario = self._scenarios.find(session.scenario)
        try:
            view = self._schema.view(scenario)
        except ProofwalkError as error:
            # the product files changed under a stored scenario
            raise CloudError(
                "Scenario.Invalid",
                f"The scenario {session.scenario} does not fit: {error.message}",
                409,
            ) from error
        return Visitor(
            session=session,
            scenario=scenario,
            view=view,
            journey=self._journeys.of(session, scenario),
        )

    def labelled(
        self, visitor: Visitor, source: str, found: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Choices of a source with their labels in the visitor's language. Names that
        people gave to resources are left alone."""
        catalogue, texts, language = (
            visitor.view.catalogue,
            self._schema.translations,
            visitor.view.language,
        )
        product = next(
            (p.id for p in catalogue.products.values() if source in p.api.sources), CONSOLE
        )
        if source not in catalogue.sources:
            return texts.choices(language, product, found)  # regions and zones
        fixed = fixed_values(catalogue, source)
        return [
            texts.choices(language, product, [choice])[0] if choice["value"] in fixed else choice
            for choice in found
        ]

    def lapse(self, request: Request) -> CloudError:
        """End the session so that it can be taken up again."""
        self._accounts.lapse(request.cookies.get(COOKIE, ""))
        return CloudError("ConsoleNeedLogin", "Your session has expired. Sign in again.", 401)

    def _asked(self, scenario_id: str) -> Scenario | None:
        """The scenario that a browser names; `Scenario.NotFound` if there is none of
        that id."""
        found = self._scenarios.find(scenario_id or None)
        if scenario_id and found is None:
            raise CloudError(
                "Scenario.NotFound",
                f"There is no scenario {scenario_id}. Open the console with an existing one.",
                404,
            )
        return found

    async def page(self, request: Request) -> Response:
        """What the sign-in page needs before anybody is signed in: language, words, and
        the session that lapsed."""
        lapsed = self._accounts.lapsed(request.cookies.get(COOKIE, ""))
        scenario = self._asked(request.query_params.get("scenario", ""))
        if scenario is None and lapsed is not None:
            scenario = self._scenarios.find(lapsed.scenario)
        if lapsed is not None and scenario is not None and lapsed.scenario != scenario.id:
            lapsed = None
        language = scenario.language if scenario is not None else "en"
        return JSONResponse(
            {
                "language": language,
                "words": self._schema.translations.words(language),
                "lapsed": (
                    {"account_id": lapsed.account, "user_name": lapsed.user_name}
                    if lapsed is not None
                    else None
                ),
            }
        )

    async def sign_in(self, request: Request) -> Response:
        """With account, user and password, and a scenario or none."""
        form = await json_body(request)
        account_id, user, password, named = (
            str(form.get(name) or "") for name in ("account", "user", "password", "scenario")
        )
        scenario = self._asked(named)
        async with asyncio.timeout(SIGN_IN_DEADLINE_S):
            good = await asyncio.to_thread(
                self._accounts.check_password, account_id, user, password
            )
        error = (
            None
            if good
            else CloudError(
                "SignIn.Failed", "The account, user name or password is incorrect.", 401
            )
        )
        account = self._accounts.find(account_id)
        known = account.user(user) if account is not None else None
        if account is not None:
            self._record(
                request, account_id, user, known.principal_id if known is not None else "", error
            )
        if error is not None:
            raise error
        lapsed = self._accounts.lapsed(request.cookies.get(COOKIE, ""))
        again = lapsed is not None and (lapsed.account, lapsed.user_name) == (account_id, user)
        if (
            again
            and lapsed is not None
            and lapsed.scenario == (scenario.id if scenario is not None else lapsed.scenario)
        ):
            return self._entered(
                self._accounts.renew(request.cookies.get(COOKIE, "")), account_id, user
            )
        token = self._accounts.open_session(
            account_id, user, scenario=scenario.id if scenario is not None else None
        )
        return self._entered(token, account_id, user)

    async def renew(self, request: Request) -> Response:
        """Take up the session that lapsed in this browser."""
        token = request.cookies.get(COOKIE, "")
        lapsed = self._accounts.lapsed(token)
        if lapsed is None:
            raise CloudError("ConsoleNeedLogin", "You must sign in.", 401)
        self._record(request, lapsed.account, lapsed.user_name, lapsed.principal_id, None)
        return self._entered(self._accounts.renew(token), lapsed.account, lapsed.user_name)

    def _entered(self, token: str, account_id: str, user: str) -> Response:
        answer = JSONResponse({"account_id": account_id, "user_name": user})
        answer.set_cookie(COOKIE, token, httponly=True, samesite="lax", path="/")
        return answer

    def _record(
        self, request: Request, account: str, user: str, principal: str, error: CloudError | None
    ) -> None:
        name = request_id(self._cloud.ids)
        if error is not None:
            error.request_id = name
        entry = Entry(
            caller=caller(request, account, user, principal, "ConsoleSignin"),
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

    async def sign_out(self, request: Request) -> Response:
        """End the session."""
        self._accounts.close_session(request.cookies.get(COOKIE, ""))
        answer = JSONResponse({})
        answer.delete_cookie(COOKIE, path="/")
        return answer

    async def session(self, request: Request) -> Response:
        """Who is signed in, and in which scenario."""
        session = self.visitor(request).session
        return JSONResponse(
            {
                "account_id": session.account,
                "user_name": session.user_name,
                "region": DEFAULT_REGION,
                "scenario": session.scenario,
            }
        )


def caller(
    request: Request, account: str, user: str, principal: str, event_type: EventType
) -> Caller:
    """Who asks, with what the audit log says of where from."""
    return Caller(
        account=account,
        user_name=user,
        principal_id=principal,
        event_type=event_type,
        source_ip=request.client.host if request.client is not None else "",
        user_agent=request.headers.get("user-agent", ""),
        host=request.headers.get("host", ""),
    )


async def json_body(request: Request) -> dict[str, Any]:
    """The JSON object that was sent; an empty body is an empty object."""
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
