"""What is drawn beside the box that it belongs to."""

from __future__ import annotations

import pytest

from tests.console.conftest import See, names

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_flyout_is_not_cut_by_the_menu_that_scrolls(see: See) -> None:
    page = await see(
        """<nav style="position:fixed;left:0;top:0;width:200px;height:100%">
        <ul style="overflow:hidden auto;height:200px;margin:0"><li><button>Organization</button>
        <div style="position:absolute;left:200px;top:0;width:200px;height:300px"><p>Tenancy</p>
        <a href="/tenants/" style="position:absolute;top:250px">Tenants</a></div></ul></nav>
        <div style="position:relative;overflow:hidden;width:300px;height:50px;margin-left:500px">
        <a href="/cut/" style="position:absolute;top:80px">Cut</a></div>"""
    )
    assert names(page) == ["Organization", "Tenants"]
    assert "Tenancy" in [run.text for run in page.texts]
