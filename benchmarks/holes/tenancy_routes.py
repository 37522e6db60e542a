"""Every route of the gateway's application, by kind and in its forms, and the keys that
it is asked under. `tenancy` asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.holes import askers

ID = "{verification_id}"
PLACES: Mapping[str, str] = {
    ID: "ver",
    "{finding_id}": "fnd",
    "{collection_id}": "col",
    "{inspection_id}": "insp",
}
"""Places in paths, and how the ids of what stands there begin."""
ADDRESS = "{address}"
PICTURE = b"a picture"
"""Of the one step of every verification that is finished."""
KEYS = {**askers.KEYS, "malformed": "Basic cHdfd2Vi"}
"""Authorization headers by who sends them."""
OWNERS = ("web", "ci", "")


@dataclass(frozen=True, kw_only=True)
class Form:
    """One way of asking a route."""

    query: str = ""
    headers: Mapping[str, str] | None = None
    live: bool = False
    """About a verification that is worked on, instead of a finished one."""
    fields: Mapping[str, str] | None = None
    """Of a form; places in them are filled as those of the path are."""


ROUTES: Mapping[tuple[str, str], tuple[str, Sequence[Form]]] = {
    ("GET", "/openapi.json"): ("public", [Form()]),
    ("HEAD", "/openapi.json"): ("public", [Form()]),
    ("GET", "/livez"): ("public", [Form()]),
    ("GET", "/readyz"): ("public", [Form()]),
    ("GET", "/v1/targets"): ("shared", [Form()]),
    ("GET", "/v1/verifications"): ("listing", [Form(), Form(query="?limit=1")]),
    ("POST", "/v1/verifications"): ("creation", [Form()]),
    ("GET", f"/v1/verifications/{ID}"): ("owned", [Form(), Form(live=True)]),
    ("POST", f"/v1/verifications/{ID}:cancel"): ("owned", [Form(), Form(live=True)]),
    ("GET", f"/v1/verifications/{ID}/findings"): ("owned", [Form()]),
    ("GET", f"/v1/verifications/{ID}/events"): (
        "owned",
        [
            Form(headers={"Accept": "application/json"}),
            Form(headers={"Accept": "text/event-stream"}),
            Form(query="?after=1", headers={"Accept": "text/event-stream", "Last-Event-ID": "1"}),
        ],
    ),
    ("GET", f"/v1/verifications/{ID}/report"): ("owned", [Form()]),
    ("GET", f"/v1/verifications/{ID}/steps"): ("owned", [Form()]),
    ("GET", f"/v1/verifications/{ID}/pictures/{ADDRESS}"): ("owned", [Form()]),
    ("GET", f"/v1/verifications/{ID}/script"): ("owned", [Form()]),
    ("GET", f"/v1/verifications/{ID}/trajectory"): (
        "owned",
        [Form(), Form(query="?episode=1"), Form(query="?images=true")],
    ),
    ("GET", f"/v1/verifications/{ID}/trace"): ("owned", [Form(), Form(query="?episode=7")]),
    ("GET", f"/v1/verifications/{ID}/har"): ("owned", [Form()]),
    ("GET", "/"): ("door", [Form(headers={"Accept": "text/html"})]),
    ("GET", "/console/static/{name}"): ("door", [Form()]),
    ("GET", "/console/sign-in"): ("door", [Form()]),
    ("POST", "/console/sign-in"): ("door", [Form()]),
    # Without a provider both lead to the sign-in page.
    ("GET", "/console/sign-in/oidc"): ("door", [Form(), Form(query="?next=/console/submit")]),
    ("GET", "/console/sign-in/oidc/callback"): ("door", [Form(), Form(query="?code=c&state=s")]),
    ("POST", "/console/sign-out"): ("door", [Form()]),
    ("POST", "/console/preferences"): ("door", [Form()]),
    ("GET", "/console"): ("overview", [Form()]),
    ("GET", "/console/verifications"): ("overview", [Form()]),
    ("GET", "/console/submit"): ("door", [Form()]),
    ("POST", "/console/submit"): ("made", [Form()]),
    ("GET", f"/console/verifications/{ID}"): ("owned", [Form(), Form(live=True)]),
    ("POST", f"/console/verifications/{ID}/cancel"): ("owned", [Form(), Form(live=True)]),
    ("GET", f"/console/verifications/{ID}/events"): (
        "owned",
        [Form(headers={"Accept": "text/event-stream"}), Form(query="?after=1")],
    ),
    ("GET", f"/console/verifications/{ID}/report"): ("owned", [Form()]),
    ("GET", f"/console/verifications/{ID}/walk"): ("owned", [Form(), Form(live=True)]),
    ("GET", f"/console/verifications/{ID}/compare"): ("owned", [Form()]),
    ("GET", f"/console/verifications/{ID}/pictures/{ADDRESS}"): ("owned", [Form()]),
    ("GET", f"/console/verifications/{ID}/json"): ("owned", [Form()]),
    ("GET", f"/console/verifications/{ID}/trajectory"): ("owned", [Form()]),
    ("GET", f"/console/verifications/{ID}/trace"): ("owned", [Form()]),
    ("GET", f"/console/verifications/{ID}/har"): ("owned", [Form()]),
    ("GET", "/console/findings"): ("overview", [Form(), Form(query="?state=all&text=stop")]),
    ("POST", "/console/findings"): (
        "bulk",
        [Form(fields={"act": "comment", "words": "hm", "chosen": "{finding_id}:0"})],
    ),
    ("GET", "/console/findings/{finding_id}"): ("owned", [Form()]),
    ("POST", "/console/findings/{finding_id}"): (
        "owned",
        [Form(fields={"act": "comment", "words": "hm"})],
    ),
    ("GET", "/console/inspections"): ("overview", [Form()]),
    ("GET", "/console/inspections/{collection_id}"): ("owned", [Form()]),
    ("GET", "/console/inspections/{collection_id}/history"): ("owned", [Form()]),
    ("GET", "/console/inspections/{collection_id}/runs/{inspection_id}"): ("owned", [Form()]),
    ("POST", "/console/inspections/{collection_id}/runs/{inspection_id}/cancel"): (
        "owned",
        [Form()],
    ),
    # Each is paused: nothing begins.
    ("POST", "/console/inspections/{collection_id}/start"): ("owned", [Form()]),
    ("POST", "/console/inspections/{collection_id}/resume"): ("owned", [Form()]),
    ("POST", "/console/inspections/{collection_id}/pause"): ("owned", [Form()]),
    ("GET", "/console/records"): ("operators", [Form()]),
    ("GET", "/console/records/{record_id}"): ("operators", [Form()]),
    ("POST", "/console/records/{record_id}/test"): (
        "operators",
        [Form(fields={"version": "1"})],
    ),
    ("GET", "/console/fleet"): ("operators", [Form()]),
    ("GET", "/console/learning"): ("operators", [Form()]),
    ("GET", "/console/learning/{run_id}"): ("operators", [Form()]),
}
"""What each route is, and its forms. `owned`: about what has one owner; `bulk`: the
console's form that answers for each of several; `shared`: the
same for every good key; `public`: for all; `door`: the console's, for whoever is not
signed in too; `overview`: a page of the console that names what a key sees; `made`: its
form that makes a verification; `operators`: a page for operators alone, or
a form of it."""
