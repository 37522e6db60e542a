"""The procedures of RabbitMQ's documentation, done by a person's script.

Each function does one procedure of `procedures.yaml` in the management UI, from its
start page. The forms are folded under headings which are no buttons; labels stand in
table cells before their fields; deletions ask by the browser's own `confirm`.
"""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Dialog, Locator, Page

from benchmarks.field.scripts import Given, Walk


async def sign_in(page: Page, given: Given) -> None:
    await page.fill("input[name=username]", given.login["user"])
    await page.fill("input[name=password]", given.login["password"])
    await page.click("input[type=submit][value=Login]")
    await page.get_by_role("heading", name="Overview").first.wait_for()


async def _admin(page: Page, item: str) -> None:
    await page.locator("#menu").get_by_role("link", name="Admin", exact=True).click()
    await page.locator("#rhs").get_by_role("link", name=item, exact=True).click()


async def _unfolded(page: Page, heading: str, action: str) -> Locator:
    """The form under a heading that folds."""
    await page.locator("h2", has_text=heading).first.click()
    form = page.locator(f"form[action='{action}'][method=put]").first
    await form.locator("input[type=submit]").wait_for()
    return form


async def _pairs(form: Locator, pairs: Mapping[str, str | int]) -> None:
    """Keys and values; the form grows a line when a key is let go in the last one."""
    for line, (key, value) in enumerate(pairs.items()):
        await form.locator("input[name$='_mfkey']").nth(line).fill(key)
        await form.locator("input[name$='_mfvalue']").nth(line).fill(str(value))
        await form.locator("input[name$='_mfvalue']").nth(line).press("End")
        if isinstance(value, int):
            await form.locator("select[name$='_mftype']").nth(line).select_option("number")


async def _press(page: Page, form: Locator, button: str) -> None:
    """Press the button, and wait for what the console says of it."""
    async with page.expect_response(lambda answer: answer.request.method == "PUT") as asked:
        await form.locator(f"input[type=submit][value='{button}']").click()
    answer = await asked.value
    assert answer.ok, f"{button}: {answer.status} {await answer.text()}"


async def _agree(dialog: Dialog) -> None:
    await dialog.accept()


async def _policy(
    page: Page,
    name: str,
    pattern: str,
    apply_to: str,
    pairs: Mapping[str, str | int],
    vhost: str = "",
) -> None:
    await _admin(page, "Policies")
    form = await _unfolded(page, "Add / update a policy", "#/policies")
    if vhost:
        await form.locator("select[name=vhost]").select_option(vhost)
    await form.locator("input[name=name]").fill(name)
    await form.locator("input[name=pattern]").fill(pattern)
    await form.locator("select[name='apply-to']").select_option(label=apply_to)
    await _pairs(form, pairs)
    await _press(page, form, "Add / update policy")


async def policy_federated_exchanges(page: Page, given: Given) -> None:
    await _policy(
        page, "federate-me", r"^federated\.", "Exchanges", {"federation-upstream-set": "all"}
    )


async def policy_two_features(page: Page, given: Given) -> None:
    await _policy(
        page,
        "ttl-fed",
        r"^tf\.",
        "Queues",
        {"federation-upstream-set": "all", "ha-mode": "exactly", "ha-params": 2},
    )


async def operator_policy_expiry(page: Page, given: Given) -> None:
    await _admin(page, "Policies")
    form = await _unfolded(page, "Add / update an operator policy", "#/operator_policies")
    await form.locator("input[name=name]").fill("transient-queue-ttl")
    await form.locator("input[name=pattern]").fill(r"^amq\.")
    await form.locator("select[name='apply-to']").select_option(label="Queues")
    await _pairs(form, {"expires": 1800000})
    await _press(page, form, "Add / update operator policy")


async def federation_upstream(page: Page, given: Given) -> None:
    await _admin(page, "Federation Upstreams")
    form = await _unfolded(page, "Add a new upstream", "#/fed-parameters")
    await form.locator("input[name=name]").fill("my-upstream")
    await form.locator("input[name=uri]").fill("amqp://target.hostname")
    await form.locator("input[name=expires]").fill("36000000")
    await _press(page, form, "Add upstream")


async def federation_policy(page: Page, given: Given) -> None:
    await _policy(page, "federate-me", r"^amq\.", "Exchanges", {"federation-upstream-set": "all"})


async def federation_applied(page: Page, given: Given) -> None:
    await page.locator("#menu").get_by_role("link", name="Exchanges", exact=True).click()
    row = page.get_by_role("row").filter(has_text="amq.fanout").filter(has_text="shop")
    await row.get_by_text("federate-me").wait_for()
    await _admin(page, "Federation Status")
    await page.locator("h2", has_text="Running Links").wait_for()
    await page.locator("#main").get_by_text("running", exact=True).first.wait_for()


async def federation_status(page: Page, given: Given) -> None:
    await _admin(page, "Federation Status")
    await page.locator("h2", has_text="Running Links").wait_for()


async def _delete_policy(page: Page, name: str) -> None:
    page.on("dialog", _agree)
    await _admin(page, "Policies")
    await page.locator("#main").get_by_role("link", name=name, exact=True).click()
    await page.locator("h2", has_text="Delete this policy").click()
    await page.locator("input[value='Delete this policy']").click()
    await page.get_by_role("heading", name="Policies", exact=True).wait_for()


async def federated_queue_stop(page: Page, given: Given) -> None:
    await _delete_policy(page, "queue-federation")


async def federated_exchange_stop(page: Page, given: Given) -> None:
    await _delete_policy(page, "exchange-federation")


async def shovel_add(page: Page, given: Given) -> None:
    await _admin(page, "Shovel Management")
    form = await _unfolded(page, "Add a new shovel", "#/shovel-parameters")
    await form.locator("input[name=name]").fill("my-shovel")
    await form.locator("input[name='amqp091-src-queue']").fill("source-queue")
    await form.locator("input[name='amqp091-dest-queue']").fill("target-queue")
    await _press(page, form, "Add shovel")


async def shovel_status(page: Page, given: Given) -> None:
    await _admin(page, "Shovel Status")
    row = page.get_by_role("row").filter(has_text="my-shovel")
    await row.get_by_text("running").wait_for()


async def shovel_restart(page: Page, given: Given) -> None:
    page.on("dialog", _agree)
    await _admin(page, "Shovel Status")
    row = page.get_by_role("row").filter(has_text="my-shovel")
    async with page.expect_response("**/restart"):
        await row.locator("input[value=Restart]").click()


async def dlx_policy(page: Page, given: Given) -> None:
    await _policy(page, "DLX", ".*", "Queues", {"dead-letter-exchange": "my-dlx"})


async def dlx_policy_routing_key(page: Page, given: Given) -> None:
    keys = {"dead-letter-exchange": "my-dlx", "dead-letter-routing-key": "expired"}
    await _policy(page, "DLX", ".*", "Queues", keys, vhost="shop")


async def _queue(page: Page, name: str, arguments: Mapping[str, str | int]) -> None:
    await page.locator("#menu").get_by_role("link", name="Queues", exact=True).click()
    form = await _unfolded(page, "Add a new queue", "#/queues")
    await form.locator("input[name=name]").fill(name)
    await _pairs(form, arguments)
    await _press(page, form, "Add queue")


async def dlx_queue_argument(page: Page, given: Given) -> None:
    await _queue(page, "myqueue", {"x-dead-letter-exchange": "some.exchange.name"})


async def dlx_queue_routing_key(page: Page, given: Given) -> None:
    await _queue(
        page,
        "myqueue",
        {
            "x-dead-letter-exchange": "some.exchange.name",
            "x-dead-letter-routing-key": "some-routing-key",
        },
    )


async def ttl_policy(page: Page, given: Given) -> None:
    await _policy(page, "TTL", ".*", "Queues", {"message-ttl": 60000})


async def queue_expiry_policy(page: Page, given: Given) -> None:
    await _policy(page, "expiry", ".*", "Queues", {"expires": 1800000})


async def max_length_policy(page: Page, given: Given) -> None:
    await _policy(page, "my-pol", "^one-meg$", "Queues", {"max-length-bytes": 1048576})


async def overflow_policy(page: Page, given: Given) -> None:
    keys = {"max-length": 2, "overflow": "reject-publish"}
    await _policy(page, "my-pol", "^two-messages$", "Queues", keys)


async def max_length_argument(page: Page, given: Given) -> None:
    await _queue(page, "myqueue", {"x-max-length": 10})


async def queue_limits_view(page: Page, given: Given) -> None:
    await page.locator("#menu").get_by_role("link", name="Queues", exact=True).click()
    row = page.get_by_role("row").filter(has_text="limited.cq.1")
    await row.get_by_role("link", name="limited", exact=True).click()
    await page.locator("#main").get_by_text("max-length:").wait_for()


async def _limit(page: Page, limit: str, value: int) -> None:
    await _admin(page, "Limits")
    form = page.locator("form[action='#/limits'][method=put]")
    await form.locator("select[name=vhost]").select_option("vhost_name")
    await form.locator("select[name=name]").select_option(limit)
    await form.locator("input[name=value]").fill(str(value))
    async with page.expect_response("**/vhost-limits/vhost_name/*"):
        await form.locator("input[type=submit]").click()


async def connection_limit(page: Page, given: Given) -> None:
    await _limit(page, "max-connections", 256)


async def connections_off(page: Page, given: Given) -> None:
    await _limit(page, "max-connections", 0)


async def connection_limit_lift(page: Page, given: Given) -> None:
    await _limit(page, "max-connections", -1)


async def queue_limit(page: Page, given: Given) -> None:
    await _limit(page, "max-queues", 1024)


async def queue_limit_lift(page: Page, given: Given) -> None:
    await _limit(page, "max-queues", -1)


async def user_revoke(page: Page, given: Given) -> None:
    page.on("dialog", _agree)
    await _admin(page, "Users")
    await page.locator("#main").get_by_role("link", name="leaver", exact=True).click()
    await page.locator("h2", has_text="Delete this user").click()
    await page.locator("form[action='#/users'] input[value=Delete]").click()
    await page.get_by_role("heading", name="Users", exact=True).wait_for()


async def statistics_reset(page: Page, given: Given) -> None:
    page.on("dialog", _agree)
    async with page.expect_response("**/api/reset/*"):
        await page.locator("input[value='This node']").click()


WALKS: Mapping[str, Walk] = {
    one.__name__.replace("_", "-"): one
    for one in (
        policy_federated_exchanges,
        policy_two_features,
        operator_policy_expiry,
        federation_upstream,
        federation_policy,
        federation_applied,
        federation_status,
        federated_queue_stop,
        federated_exchange_stop,
        shovel_add,
        shovel_status,
        shovel_restart,
        dlx_policy,
        dlx_policy_routing_key,
        dlx_queue_argument,
        dlx_queue_routing_key,
        ttl_policy,
        queue_expiry_policy,
        max_length_policy,
        overflow_policy,
        max_length_argument,
        queue_limits_view,
        connection_limit,
        connections_off,
        connection_limit_lift,
        queue_limit,
        queue_limit_lift,
        user_revoke,
        statistics_reset,
    )
}
