"""Texts of documents, pages, models, targets and visitors in every place where a page
shows them: they stay texts."""

from __future__ import annotations

from collections import deque

from selectolax.lexbor import LexborHTMLParser

from benchmarks.holes.tenancy_browser import Browser
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.kernel.errors import invalid
from tests.gateway.conftest import Gateway
from tests.gateway.web.html import attribute

ATTACKS = (
    "<script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "' onfocus=alert(1) autofocus x='",
    "</textarea><img src=x onerror=alert(1)>",
    "</title><base href=//evil.example>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "{count.__class__} %s",
    "<!--",
    "\n\ndata: <script>alert(1)</script>\n\n",
    "\u202e<b>&lt;&amp;\ufeff",
)
_TAGS = """
html head meta title link script body a header img nav ul ol li div form input span button small
main section h1 h2 p dl dt dd table thead tbody tr th td time svg desc defs pattern rect circle
line text g details summary meter progress select option textarea label fieldset legend code b
-text -comment
"""
OWN_TAGS = frozenset(_TAGS.split())


def check(page: str, place: str, *, tags: frozenset[str] = OWN_TAGS) -> None:
    """A page has the console's own tags and addresses, and no script but its files."""
    tree = LexborHTMLParser(page)
    for node in tree.css("*"):
        assert node.tag in tags, (place, node.html)
        for name, text in node.attributes.items():
            assert not name.startswith(("on", "style")), (place, node.html)
            if name in ("href", "src", "action"):
                assert (text or "").startswith(("/console", "#")), (place, node.html)
    scripts = tree.css("script")
    assert scripts, place
    assert all(one.attributes.get("src") and not one.text() for one in scripts), place
    assert not tree.css("style, base, iframe, object, embed"), place


async def test_a_text_from_outside_stays_a_text(gateway: Gateway, operator: Browser) -> None:
    for attack in ATTACKS:
        await _attacked(gateway, operator, attack)
        gateway.rollout.events.clear()


async def _attacked(gateway: Gateway, operator: Browser, attack: str) -> None:
    rollout = gateway.rollout
    for name, state in (("ver_1", "running"), ("ver_2", "finished")):
        made = gateway.has(
            name, title=attack, document=attack, target=attack, principal=attack, state=state
        )
        made.verdict.reason = attack
    facts = {"substep": 1, "thought": attack, "action": attack, "result": attack, "url": attack}
    rollout.tell("procedure_read", title=attack, substeps=[{"number": 1, "text": attack}])
    rollout.tell("step_taken", step=1, ok=False, **facts)
    rollout.tell(attack, **{attack: [attack], "other": {attack: attack}})
    rollout.summary.documents.add(document=attack, verdicts=1, defects=1)
    rollout.targets.append(pb.Target(id=attack, title=attack))
    rollout.finished.set()
    for path in ("/console", "/console/verifications", "/console/submit"):
        page = await operator.ask("GET", path)
        assert page.status_code == 200
        check(page.text, path)
    for name in ("ver_1", "ver_2"):
        check((await operator.ask("GET", f"/console/verifications/{name}")).text, name)
    for query in ("status", "target", "page_token"):
        page = await operator.client.get("/console/verifications", params={query: attack})
        check(page.text, query)
    page = await operator.client.get("/console/sign-in", params={"next": attack})
    assert page.headers["location"] == "/console"

    stream = await operator.ask(
        "GET", "/console/verifications/ver_1/events", headers={"Accept": "text/event-stream"}
    )
    kinds = [line for line in stream.text.splitlines() if line.startswith("event:")]
    assert kinds == ["event: entry"] * 3 + ["event: end"], "no text makes an event of its own"
    lines = [line.removeprefix("data: ") for line in stream.text.splitlines() if "data: " in line]
    assert "<script" not in "\n".join(lines)

    rollout.errors["CreateVerification"] = deque([invalid("document.empty", attack, hint=attack)])
    names = ("document.url", "document.name", "target", "policy", "procedure_id", "meta", "region")
    once = (await operator.ask("GET", "/console/submit")).text
    token = attribute(once, "input[name=once]", "value")
    fields = dict.fromkeys(names, attack) | {"once": token}
    page = await operator.ask("POST", "/console/submit", fields=fields)
    assert page.status_code >= 400
    check(page.text, "submit")
