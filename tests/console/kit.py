"""Pieces of pages built the way the console kit builds them: span comboboxes with
portalled lists, div switches, ⋮ menus."""

from __future__ import annotations

import json

SELECT_SCRIPT = """
<style>
.next-select{display:inline-block;border:1px solid #888;width:300px;height:30px;position:relative;font-size:0}
.next-select em{font-style:normal;font-size:14px}
.next-search{display:inline-block;width:1px;overflow:hidden;opacity:0}
.next-search input{width:1px;border:0;padding:0}
.next-overlay{position:absolute;z-index:1001;background:#fff;border:1px solid #ccc}
.next-overlay li{list-style:none;padding:4px 12px;cursor:pointer}
</style>
<script>
function kitSelect(host, options, delay, {search=false, url=''}={}) {
  const box = document.querySelector(host);
  const input = box.querySelector('input'), shown = box.querySelector('em');
  let list = null;
  const close = () => { if (list) list.style.display = 'none'; list = null; input.setAttribute('aria-expanded', 'false'); };
  const fill = (items) => {
    list.innerHTML = items.length ? '' : '<div>No data</div>';
    for (const item of items) {
      const li = document.createElement('li');
      li.setAttribute('role', 'option'); li.textContent = item;
      li.onclick = () => { shown.textContent = item; input.value = ''; close(); box.dispatchEvent(new CustomEvent('chosen', {detail: item})); };
      list.append(li);
    }
  };
  box.addEventListener('click', (event) => {
    if (list) { if (event.target !== input) close(); return; }
    input.setAttribute('aria-expanded', 'true'); input.focus();
    list = document.createElement('ul');
    list.className = 'next-overlay'; list.setAttribute('role', 'listbox');
    const rect = box.getBoundingClientRect();
    list.style.left = rect.left + scrollX + 'px'; list.style.top = rect.bottom + scrollY + 'px';
    document.body.append(list);
    list.innerHTML = '<div>Loading...</div>';
    if (url) fetch(url).then(() => list && fill(options)); else if (delay) setTimeout(() => list && fill(options), delay); else fill(options);
  });
  input.addEventListener('keydown', (event) => { if (event.key === 'Escape') close(); });
  if (search) input.addEventListener('input', () => { if (list) fill(options.filter((o) => o.toLowerCase().includes(input.value.toLowerCase()))); });
}
</script>
"""


def select(
    identity: str,
    label: str,
    options: list[str],
    *,
    delay: int = 0,
    search: bool = False,
    url: str = "",
    value: str = "",
) -> str:
    """A form row with a span combobox; its list is appended to the body when it opens
    and only hidden when it closes."""
    readonly = "" if search else "readonly"
    wide = "style='width:200px;opacity:1'" if search else ""
    more = json.dumps({"search": search, "url": url})
    return f"""
<div role=row class=next-form-item style="margin:8px 0"><div role=gridcell style="display:inline-block;width:160px"><label>{label}</label></div>
<div role=gridcell style="display:inline-block"><span class=next-select id={identity}><span><em title="{value}">{value}</em>
<span class=next-search {wide}><input {wide} role=combobox aria-label=select aria-expanded=false {readonly}></span></span></span></div></div>
<script>kitSelect('#{identity}', {json.dumps(options)}, {delay}, {more})</script>"""


SWITCH = """
<div role=row style="margin:8px 0"><div role=gridcell style="display:inline-block;width:160px"><label>Auto-renewal</label></div>
<div role=gridcell style="display:inline-block"><div role=switch aria-checked=false tabindex=0
style="width:44px;height:24px;background:#ccc;cursor:pointer"
 onclick="this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')"></div></div></div>"""

SLIDER = """
<div role=row style="margin:8px 0"><div role=gridcell style="display:inline-block;width:160px"><label>Bandwidth</label></div>
<div role=gridcell style="display:inline-block"><div id=track style="width:300px;height:8px;background:#ddd;position:relative">
<div id=knob role=slider tabindex=0 aria-valuemin=0 aria-valuemax=100 aria-valuenow=0
 style="position:absolute;left:-8px;top:-4px;width:16px;height:16px;background:#06c"></div></div></div></div>
<script>
(() => {
  const knob = document.getElementById('knob'), track = document.getElementById('track');
  const set = (v) => { v = Math.max(0, Math.min(100, Math.round(v))); knob.setAttribute('aria-valuenow', v); knob.style.left = v * 3 - 8 + 'px'; };
  KEYS
  track.addEventListener('mousedown', (down) => {
    const move = (e) => set((e.clientX - track.getBoundingClientRect().left) / 3);
    const up = () => { removeEventListener('mousemove', move); removeEventListener('mouseup', up); };
    addEventListener('mousemove', move); addEventListener('mouseup', up); down.preventDefault();
  });
})();
</script>"""
SLIDER_KEYS = """knob.addEventListener('keydown', (e) => {
    const d = {ArrowRight: 1, ArrowLeft: -1}[e.key]; if (d) set(+knob.getAttribute('aria-valuenow') + d); });"""


def slider(*, keys: bool) -> str:
    """A div slider, with or without keyboard support."""
    return SLIDER.replace("KEYS", SLIDER_KEYS if keys else "")


def table(rows: list[tuple[str, str]]) -> str:
    """A table with an ID link without href, a status, disabled and enabled actions, and
    ⋮."""
    body = "".join(
        f"""<tr><td><a style="cursor:pointer">{identity}</a></td><td>{status}</td><td>
<button disabled>Start</button> <button>Stop</button> <i tabindex=0 class="next-icon next-icon-ellipsis"
style="display:inline-block;width:16px;height:16px"></i></td></tr>"""
        for identity, status in rows
    )
    return (
        "<table border=1><thead><tr><th>Instance"
        f" ID</th><th>Status</th><th>Actions</th></tr></thead><tbody>{body}</tbody></table>"
    )
