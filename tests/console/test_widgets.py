"""Widgets that defeat clicking, built the way Ant Design and Element build them:
portalled, asynchronous, with read-only inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.console import actions as a
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.session.console_session import ConsoleSession
from tests.console.conftest import See, pick

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

CALENDAR = """
<style>.pop{position:absolute;top:80px;left:20px;z-index:1050;background:#fff;border:1px solid #999;padding:8px}
.pop td{cursor:pointer;padding:2px 6px}
.col{display:inline-block;height:160px;overflow:auto;vertical-align:top;padding:0;margin:0 4px}
.col li{list-style:none;cursor:pointer;padding:2px 8px}</style>
<label>Release on <input id=i EDITABLE placeholder="Select date"></label>
<script>
(() => {
  const TIMED = WITHTIME;
  let at = new Date(2026, 10, 1), pop = null, chosen = null, clock = [0, 0];
  const two = (n) => String(n).padStart(2, '0');
  const names = ['Jan','Feb','Mar','Apr','May','Jun','Jul','Aug','Sep','Oct','Nov','Dec'];
  const show = () => `${chosen.getFullYear()}-${two(chosen.getMonth() + 1)}-${two(chosen.getDate())}`
    + (TIMED ? ` ${two(clock[0])}:${two(clock[1])}` : '');
  const close = () => { pop?.remove(); pop = null; };
  function draw() {
    const first = new Date(at.getFullYear(), at.getMonth(), 1), start = new Date(first); start.setDate(1 - first.getDay());
    let rows = '';
    for (let w = 0; w < 6; w++) { rows += '<tr>'; for (let d = 0; d < 7; d++) { const day = new Date(start);
    day.setDate(start.getDate() + w * 7 + d);
      rows += `<td class="cell ${day.getMonth() === at.getMonth() ? 'in-view' : ''}
      ${day < new Date(2026, 9, 5) ? 'cell-disabled' : ''}" data-t="${day.getTime()}"><div>${day.getDate()}</div></td>`; } rows += '</tr>'; }
    const col = (n) => `<ul class=col>${Array.from({length: n}, (_, k) => `<li>${two(k)}</li>`).join('')}</ul>`;
    pop.innerHTML = `<div class=head><button class=head-super-prev-btn>«</button><button class=head-prev-btn>‹</button><span>
    ${names[at.getMonth()]}</span>
      <span>${at.getFullYear()}</span><button class=head-next-btn>›</button><button class=head-super-next-btn>»</button></div>
      <table><tbody>${rows}</tbody></table>` + (TIMED ? col(24) + col(60) + '<button class=ok>OK</button>' : '');
    const turn = (name, months) => pop.querySelector(name).onclick = () => { at = new Date(at.getFullYear(), at.getMonth() + months, 1);
    setTimeout(draw, 60); };
    turn('.head-super-prev-btn', -12); turn('.head-prev-btn', -1); turn('.head-next-btn', 1); turn('.head-super-next-btn', 12);
    pop.querySelectorAll('td').forEach((td) => td.onclick = () => { if (td.classList.contains('cell-disabled')) return;
    chosen = new Date(+td.dataset.t); if (!TIMED) { i.value = show(); close(); } });
    pop.querySelectorAll('.col').forEach((c, k) => c.querySelectorAll('li').forEach((li) => li.onclick = () => clock[k] = +li.textContent));
    const ok = pop.querySelector('.ok'); if (ok) ok.onclick = () => { i.value = show(); close(); };
  }
  i.onclick = () => { if (pop) return; pop = document.createElement('div'); pop.className = 'pop'; document.body.append(pop);
  setTimeout(draw, 80); };
  i.onkeydown = (e) => { if (e.key === 'Enter' && /^\\d{4}-\\d\\d-\\d\\d$/.test(i.value)) close(); };
})();
</script>"""


def calendar(*, editable: bool = False, timed: bool = False) -> str:
    return CALENDAR.replace("EDITABLE", "" if editable else "readonly").replace(
        "WITHTIME", "true" if timed else "false"
    )


async def set_date(session: ConsoleSession, value: str) -> ActionResult:
    return await session.perform(
        a.SetDate(id=pick(await session.observe(screenshot=False), "Release on").mark, value=value)
    )


async def value_of(session: ConsoleSession, name: str) -> str:
    return pick(await session.observe(screenshot=False), name).value


async def test_a_read_only_date_picker_is_walked_to_its_day(
    see: See, session: ConsoleSession
) -> None:
    await see(calendar())
    for wanted in ("2026-11-30", "2028-02-29", "2026-10-05"):
        result = await set_date(session, wanted)
        assert result.ok, result
        assert await value_of(session, "Release on") == wanted
    assert (await set_date(session, "2026-10-04")).code == "action.bad_value"


async def test_a_date_and_time_are_chosen_and_confirmed(see: See, session: ConsoleSession) -> None:
    await see(calendar(timed=True))
    result = await set_date(session, "2027-01-15 18:45")
    assert result.ok, result
    assert await value_of(session, "Release on") == "2027-01-15 18:45"


async def test_an_editable_picker_is_typed_into_and_type_reaches_a_read_only_one(
    see: See, session: ConsoleSession
) -> None:
    await see(calendar(editable=True))
    assert (await set_date(session, "2031-03-02")).ok
    assert await value_of(session, "Release on") == "2031-03-02"
    assert (await set_date(session, "soon")).code == "action.bad_value"
    page = await see(calendar())
    assert (await session.perform(a.Type(id=pick(page, "Release on").mark, text="2026-12-24"))).ok
    assert await value_of(session, "Release on") == "2026-12-24"


async def test_what_is_no_picker_is_refused(see: See, session: ConsoleSession) -> None:
    page = await see("<label>Name <input readonly></label><label>Day <input type=date></label>")
    assert (
        await session.perform(a.SetDate(id=pick(page, "Name").mark, value="2026-12-24"))
    ).code == "action.wrong_kind"
    assert (await session.perform(a.SetDate(id=pick(page, "Day").mark, value="2026-12-24"))).ok
    assert await value_of(session, "Day") == "2026-12-24"


def cascader(event: str) -> str:
    return f"""<style>.m{{position:absolute;z-index:1050;top:90px;background:#fff;border:1px solid #ccc;margin:0;padding:4px;width:150px}}
    .m li{{list-style:none;padding:4px;cursor:pointer}}</style>
    <label>Zone <input id=i role=combobox aria-expanded=false readonly></label><script>
    const tree = {{'Asia': {{'Hangzhou': {{'Zone H': 0, 'Zone I': 0}}, 'Tokyo': {{'Zone A': 0}}}}, 'Europe': {{'Frankfurt': {{'Zone A': 0}}}}}};
    let menus = [], last = [];
    const close = (from) => {{ menus.splice(from).forEach((m) => m.remove()); if (!menus.length) i.setAttribute('aria-expanded', 'false'); }};
    function open(level, branch, path) {{
      close(level);
      const ul = document.createElement('ul'); ul.className = 'm'; ul.setAttribute('role', 'menu'); ul.style.left = 20 + level * 160 + 'px';
      for (const [name, below] of Object.entries(branch)) {{
        const li = document.createElement('li'); li.setAttribute('role', 'menuitemcheckbox'); li.textContent = name;
        if (below) li.addEventListener('{event}', () => setTimeout(() => open(level + 1, below, [...path, name]), 90));
        else li.onclick = () => {{ last = path; i.value = [...path, name].join(' / '); close(0); }};
        if (below && '{event}' !== 'click') li.onclick = () => close(0);
        ul.append(li);
      }}
      menus.push(ul); document.body.append(ul);
    }}
    i.onclick = () => {{ i.setAttribute('aria-expanded', 'true'); open(0, tree, []);
      let branch = tree; last.forEach((name, k) => {{ branch = branch[name]; open(k + 1, branch, last.slice(0, k + 1)); }}); }};
    </script>"""


@pytest.mark.parametrize("event", ["click", "mouseenter"])
async def test_a_cascader_expands_by_click_or_by_hover(
    see: See, session: ConsoleSession, event: str
) -> None:
    page = await see(cascader(event))
    result = await session.perform(
        a.Select(id=pick(page, "Zone").mark, option="Asia / Hangzhou / Zone I")
    )
    assert result.ok, result
    assert await value_of(session, "Zone") == "Asia / Hangzhou / Zone I"
    again = await session.perform(
        a.Select(id=pick(page, "Zone").mark, option="Asia / Hangzhou / Zone H")
    )
    assert again.ok, again
    assert await value_of(session, "Zone") == "Asia / Hangzhou / Zone H"
    missing = await session.perform(a.Select(id=pick(page, "Zone").mark, option="Europe / Paris"))
    assert (missing.code, missing.options) == ("action.no_such_option", ("Frankfurt",))


async def test_the_options_are_told_and_the_list_is_closed(
    see: See, session: ConsoleSession
) -> None:
    page = await see(cascader("click") + "<label>Size <select><option>S<option>M</select></label>")
    told = await session.perform(a.ListOptions(id=pick(page, "Zone").mark))
    assert (told.ok, told.options) == (True, ("Asia", "Europe"))
    assert (await session.perform(a.ListOptions(id=pick(page, "Size").mark))).options == ("S", "M")


VIRTUAL = """<div id=v style="height:240px;width:400px;overflow:auto;position:relative"><div id=s style="height:9000px"></div></div>
<script>
  const pool = Array.from({length: 12}, () => { const r = document.createElement('div'); r.setAttribute('role', 'row');
  r.style.cssText = 'position:absolute;height:30px;left:0';
    const b = document.createElement('button'); b.textContent = 'Open'; const t = document.createElement('span');
    t.setAttribute('role', 'cell'); r.append(t, b); v.append(r); return r; });
  const draw = () => { const from = Math.min(Math.floor(v.scrollTop / 30), 288); pool.forEach((r, k) => { r.style.top = (from + k) * 30 + 'px';
  r.firstChild.textContent = 'item-' + (from + k) + ' ';
    r.lastChild.onclick = () => document.title = 'item ' + (from + k); }); };
  v.onscroll = () => setTimeout(draw, 40); draw();
</script>"""


async def test_a_row_of_a_virtual_table_is_found_or_given_up_on(
    see: See, session: ConsoleSession
) -> None:
    await see(VIRTUAL)
    found = await session.perform(a.FindRow(text="item-251"))
    assert found.ok, found
    assert "item-251" in found.message
    page = await session.observe(screenshot=False)
    box = next(run.box for run in page.texts if run.text.strip() == "item-251")
    button = min(
        (e for e in page.elements if e.name == "Open"),
        key=lambda e: abs(e.box.center[1] - box.center[1]),
    )
    assert (await session.perform(a.Click(id=button.mark))).ok
    assert (await session.look()).title == "item 251"
    back = await session.perform(a.FindRow(text="item-12", id=button.mark))
    assert back.ok, back
    assert (
        await session.perform(a.FindRow(text="item-9999", scrolls=5))
    ).code == "action.not_found"


async def test_a_typed_confirmation_is_typed_key_by_key_and_pressed(
    see: See, session: ConsoleSession
) -> None:
    page = await see("""<div role=dialog aria-label="Release instance"
        style="position:fixed;left:200px;top:100px;z-index:1500;background:#fff;width:500px;height:200px">
        <p>Enter "web-1" to confirm that it is released for ever.</p><input id=i aria-label=Confirmation onpaste="return false">
        <button>Cancel</button><button id=k disabled onclick="document.title='released'">Release</button></div>
        <script>let typed = ''; i.onkeydown = (e) => { typed += e.key; }; i.oninput = () => setTimeout(() =>
        k.disabled = !(i.value === 'web-1' && typed.endsWith('web-1')), 50)</script>""")
    mark = pick(page, "Confirmation").mark
    wrong = await session.perform(a.ConfirmTyped(id=mark, text="web-2", button="Release"))
    assert wrong.code == "action.no_effect"
    right = await session.perform(a.ConfirmTyped(id=mark))
    assert right.ok, right
    assert 'typed "web-1" and pressed button "Release"' in right.message
    assert (await session.look()).title == "released"


CAPTCHA = """<div role=dialog aria-label=Verification
style="position:fixed;left:200px;top:100px;z-index:1500;background:#fff;width:500px;height:200px">
<p>Drag the slider to the end.</p><div id=t style="width:340px;height:40px;background:#ddd;position:relative">
<div id=h role=slider tabindex=0 aria-label="Slide to verify"
style="position:absolute;left:0;top:0;width:40px;height:40px;background:#06c;touch-action:none"></div></div>
<p role=status id=o></p></div><script>
let from = null, track = [];
h.onpointerdown = (e) => { from = e.clientX; track = []; h.setPointerCapture(e.pointerId); };
h.onpointermove = (e) => { if (from === null) return; const x = Math.max(0, Math.min(300, e.clientX - from)); track.push([x, e.clientY]);
h.style.left = x + 'px'; };
h.onpointerup = () => { from = null; const steps = track.slice(1).map(([x], k) =>
x - track[k][0]), human = new Set(steps.map(Math.round)).size > 4 && new Set(track.map(([, y]) => Math.round(y))).size > 1;
  if (PASS && human && track.at(-1)[0] > 294) o.textContent = 'Verified'; else { h.style.left = '0px';
  o.textContent = 'Verification failed. Try again.'; } };
</script>"""


async def test_a_slider_captcha_is_solved_like_a_hand_does_or_reported(
    see: See, session: ConsoleSession
) -> None:
    await see(CAPTCHA.replace("PASS", "true"))
    solved = await session.perform(a.SolveSliderCaptcha())
    assert solved.ok, solved
    assert "solved" in solved.message
    await see(CAPTCHA.replace("PASS", "false"))
    failed = await session.perform(a.SolveSliderCaptcha())
    assert (failed.code, "Try again" in failed.message) == ("action.captcha_unsolved", True)
    await see("<p>Nothing</p>")
    assert (await session.perform(a.SolveSliderCaptcha())).code == "action.no_captcha"


async def test_files_reach_uploaders_of_every_kind(
    see: See, session: ConsoleSession, tmp_path: Path
) -> None:
    (tmp_path / "key.pem").write_text("data")
    page = await see(
        """<button id=b>Browse</button><div id=z tabindex=0 style="width:300px;height:80px;border:1px dashed;cursor:pointer">Drop here</div><script>
        b.onclick = () => { const f = document.createElement('input'); f.type = 'file'; f.onchange = () =>
        document.title = 'chosen ' + f.files[0].name; f.click(); };
        z.ondragover = (e) => e.preventDefault(); z.ondrop = (e) => { e.preventDefault();
        document.title = 'dropped ' + e.dataTransfer.files[0].name; };</script>"""
    )
    assert (await session.perform(a.Upload(id=pick(page, "Browse").mark, file="key.pem"))).ok
    assert (await session.look()).title == "chosen key.pem"
    assert (await session.perform(a.Upload(id=pick(page, "Drop here").mark, file="key.pem"))).ok
    assert (await session.look()).title == "dropped key.pem"
