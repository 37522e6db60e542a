"""What a person does in the console, in words of the screen. No locator here uses a
test id, because there are none."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Locator, Page, TimeoutError, expect

FORM_ROW = ".next-form-item"


class ConsolePage:
    """One tab of the console."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url

    async def open(self, path: str) -> None:
        await self.page.goto(self.url + path)

    async def sign_in(self, account: dict[str, Any], password: str | None = None) -> None:
        await self.page.get_by_label("Account ID").fill(account["account_id"])
        await self.page.get_by_label("Username").fill(account["user_name"])
        await self.page.get_by_label("Password").fill(password or account["password"])
        await self.button("Sign In").click()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def row_of(self, label: str) -> Locator:
        """The form row with this label."""
        named = self.page.locator("label", has_text=label)
        return self.page.locator(f"{FORM_ROW}:visible", has=named).first

    async def fill(self, label: str, text: str) -> None:
        await self.row_of(label).locator("input, textarea").first.fill(text)

    async def pick(self, label: str, option: str) -> None:
        """Open a select and take the option whose text contains `option`."""
        await self.row_of(label).locator(".next-select").click()
        await (
            self.page.locator(".next-select-menu:visible")
            .get_by_role("option")
            .filter(has_text=option)
            .first.click()
        )

    async def pick_path(self, label: str, *path: str, several: bool = False) -> None:
        """Choose along a cascader. Its overlay moves when a column opens, at times from
        under a press; like a user, press again then."""
        row, overlay = self.row_of(label), self.page.locator(".next-cascader:visible")
        last = overlay.locator("li", has_text=path[-1])
        for left in (2, 1, 0):
            if not await overlay.count():
                await row.locator(".next-select").click()
            try:
                for part in path[:-1]:
                    await overlay.get_by_text(part, exact=True).click(timeout=4000)
                await last.locator(
                    ".next-checkbox-wrapper" if several else ".next-menu-item-text"
                ).click(timeout=4000)
                await expect(row).to_contain_text(path[-1], timeout=4000)
                break
            except (AssertionError, TimeoutError):
                if not left:
                    raise
        if several:
            await self.page.keyboard.press("Escape")
        await expect(overlay).to_have_count(0)

    async def chosen(self, label: str) -> str:
        return (await self.row_of(label).locator(".next-select").inner_text()).strip()

    def table_row(self, text: str) -> Locator:
        return self.page.locator("tbody tr", has_text=text)

    async def more(self, text: str, action: str) -> Locator:
        """The entry of a table row's "⋮" menu."""
        await self.table_row(text).locator("i[tabindex='0']").click()
        return self.page.locator(".next-menu:visible").get_by_text(action, exact=True)

    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    async def see(self, text: str) -> None:
        await expect(self.page.get_by_text(text, exact=True).first).to_be_visible()

    async def rows(self, product: str, resource: str, **where: str) -> list[dict[str, Any]]:
        """What the backend holds, asked with this tab's session and without leaving a
        trace in the audit log."""
        query: dict[str, str | float | bool] = {
            f"where.{field}": value for field, value in where.items()
        }
        path = f"{self.url}/console/api/r/{product}/{resource}"
        reply = await self.page.request.get(path, params=query, headers={"x-console-poll": "1"})
        found: list[dict[str, Any]] = (await reply.json())["rows"]
        return found

    async def make(self, product: str, resource: str, values: dict[str, Any]) -> str:
        """A resource that the test needs and is not about."""
        reply = await self.page.request.post(
            f"{self.url}/console/api/r/{product}/{resource}", data=values
        )
        assert reply.ok, await reply.text()
        made: str = (await reply.json())["id"]
        return made

    async def submitted(self, label: str) -> None:
        await self.see(f"{label}: request submitted")
