// What the hands need of one element: where to click it, and setters for the controls that no pointer can drive.
function describe(el) {
  if (!el) return 'nothing';
  for (let node = el; node && node !== document.body; node = parentOf(node)) {
    const style = styleOf(node), kind = containerKind(node, style), words = kind ? titleOf(node) || textOf(node).slice(0, 60) : '';
    if (words) return `${kind} "${words}"`;
  }
  const words = textOf(el).slice(0, 60);
  return words ? `"${words}"` : `a ${el.localName}${el.parentElement === document.body ? ' over the page' : ''}`;
}
function facts(id, el) {
  const role = roleOf(el, styleOf(el), false) || explicitRole(el) || el.localName;
  const widget = widgetOf(el);
  return { found: true, role, tag: el.localName, type: el.localName === 'input' ? el.type : '', value: valueOf(el, role, widget), states: statesOf(el, role), editable: !el.readOnly && (el.localName === 'textarea' || el.localName === 'input' || el.isContentEditable),
    controls: attr(el, 'aria-controls') || attr(el, 'aria-owns'), min: el.min || attr(el, 'aria-valuemin'), max: el.max || attr(el, 'aria-valuemax'), now: el.localName === 'input' ? el.value : attr(el, 'aria-valuenow'), step: el.step || '' };
}
// The widget that a pointer is to reach for `el`: its own box, or what stands in for a hidden check box: the box that is drawn beside it and
// that a look tells, else its label. A press on a label is followed by a second click, on the box, which some toolkits take for another one.
function targetOf(el) {
  const drawn = el.closest('label') ? null : drawnFor(el);
  if (drawn) return drawn;
  if (isMark(el)) {
    const label = el.closest('label') || el.labels?.[0];
    const own = el.getBoundingClientRect();
    if (label && (own.width < 4 || styleOf(el).opacity === '0' || styleOf(el).clip !== 'auto' || !el.checkVisibility())) return label;
  }
  return drawnFor(el) || widgetOf(el);
}
// What tells that a node still is what it was: its name, and the words of its table row. Null where a look alone can tell.
function signs(el, role) {
  const named = !FIELDS.has(role) || el.labels?.length || el.hasAttribute('aria-label') || el.hasAttribute('aria-labelledby');
  let row = el;
  while (row && !(row.localName === 'tr' || explicitRole(row) === 'row')) row = parentOf(row);
  const explicit = explicitRole(el);
  return { name: named ? nameOf(el, role, FIELDS.has(role) ? labelOf(el, role, widgetOf(el)) : '') : null, row: row ? textOf(row) : '', explicit: WIDGETS.has(explicit) ? explicit : '' };
}
function locate(id, { reveal = true, arm = false, role = '' }) {
  styles.clear();
  const el = deref(id);
  if (!el) return JSON.stringify({ found: false });
  const widget = targetOf(el);
  const measure = () => { let rect = widget.getBoundingClientRect(); if (rect.width < 3 || rect.height < 3) rect = [...widget.querySelectorAll('*')].map((n) => n.getBoundingClientRect()).find((r) => r.width > 3 && r.height > 3) || rect; return rect; };
  let rect = measure(), point = rect.width >= 1 ? pointFor(rect, el, widget) : null;
  if (!point && reveal) {
    widget.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    rect = measure();
    point = pointFor(rect, el, widget);
  }
  if (arm && point) watchFor(el, widget);
  const middle = [rect.left + rect.width / 2, rect.top + rect.height / 2];
  const inside = middle[0] >= 0 && middle[1] >= 0 && middle[0] < innerWidth && middle[1] < innerHeight;
  return JSON.stringify({ ...facts(id, el), ...signs(el, role), box: [rect.left, rect.top, rect.width, rect.height], point, shown: el.checkVisibility() || widget !== el, inside, by: point ? '' : describe(deepHit(...middle)) });
}

// The press guard. `locate` arms it with the marked element; a press that lands elsewhere is stopped before the page can see it, so that
// what came under the pointer after the hit test is never clicked. It listens from the document's first moment on, before the page's scripts.
const PRESSES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
const GUARD_MS = 3000;
let watched = null;
function watchFor(el, widget) { watched = { el, widget, until: performance.now() + GUARD_MS, answer: null, tell: null }; }
function onPress(event) {
  if (!watched || !event.isTrusted || performance.now() > watched.until) return;
  if (!watched.answer && event.type === 'pointerdown') {
    const { el, widget } = watched, target = event.composedPath()[0];
    styles.clear();
    const onMark = (target.nodeType === 1 && reaches(target, el, widget)) || reaches(deepHit(event.clientX, event.clientY), el, widget);
    watched.answer = { pressed: true, wrong: onMark ? '' : describe(target.nodeType === 1 ? target : null) };
    watched.tell?.(JSON.stringify(watched.answer));
  }
  if (watched.answer?.wrong) { event.stopImmediatePropagation(); event.preventDefault(); }
}
for (const name of PRESSES) addEventListener(name, onPress, { capture: true, passive: false });
// Where the press landed; waits for it.
function landed() {
  if (!watched) return JSON.stringify({ pressed: false, wrong: '' });
  if (watched.answer) return JSON.stringify(watched.answer);
  return new Promise((resolve) => { watched.tell = resolve; setTimeout(() => resolve(JSON.stringify({ pressed: false, wrong: '' })), GUARD_MS); });
}

// What lies at a point: the innermost thing to interact with, or the words there; for a frame's element, that it is one.
function at(x, y) {
  watched = null;
  styles.clear();
  const hit = deepHit(x, y);
  if (!hit) return JSON.stringify({ found: false });
  if (hit.localName === 'iframe' || hit.localName === 'frame') return JSON.stringify({ found: true, frame: true, id: 0, role: '', name: 'a frame' });
  for (let node = hit; node && node !== document.documentElement && node !== document.body; node = parentOf(node)) {
    const outer = parentOf(node), role = roleOf(node, styleOf(node), !!outer && styleOf(outer).cursor === 'pointer');
    if (role) return JSON.stringify({ found: true, id: idOf(node), role, name: nameOf(node, role, FIELDS.has(role) ? labelOf(node, role, widgetOf(node)) : ''), type: node.type || '' });
  }
  return JSON.stringify({ found: true, id: 0, role: '', name: hit === document.body || hit === document.documentElement ? 'the page' : describe(hit) });
}
// The element with the keyboard focus, in this document.
function focused() {
  let el = document.activeElement;
  for (let inner = el; inner; inner = rootOf(inner)?.activeElement) el = inner;
  if (!el || el === document.body || /^i?frame$/.test(el.localName) || !document.hasFocus()) return JSON.stringify({ found: false });
  const role = roleOf(el, styleOf(el), false) || el.localName;
  return JSON.stringify({ found: true, id: idOf(el), role, name: nameOf(el, role, FIELDS.has(role) ? labelOf(el, role, widgetOf(el)) : ''), type: el.localName === 'input' ? el.type : '', editable: !el.readOnly && (el.localName === 'textarea' || el.localName === 'input' || el.isContentEditable) });
}
function textWithin(id) { const el = deref(id); return JSON.stringify({ text: el ? (el.innerText ?? el.textContent ?? '') : null }); }
function links(id) {
  const root = id ? deref(id) : document;
  const all = root ? [...root.querySelectorAll('a[href]')] : [];
  return JSON.stringify(all.filter((a) => a.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && textOf(a)).map((a) => [textOf(a).slice(0, 120), a.href]));
}

// Resolves when nothing has scrolled for two frames.
function rested() {
  const places = () => scrollables().map((el) => `${el.scrollLeft},${el.scrollTop}`).join(';');
  return new Promise((resolve) => {
    let last = places(), calm = 0;
    const end = performance.now() + 800;
    const check = () => { const now = places(); calm = now === last ? calm + 1 : 0; last = now; if (calm > 3 || performance.now() > end) resolve(last); else requestAnimationFrame(check); };
    requestAnimationFrame(check);
  });
}
const scrollsItself = (el) => /auto|scroll|overlay/.test(getComputedStyle(el).overflowY) && el.scrollHeight > el.clientHeight + 4 && el.clientHeight > 20;
function scrollables() {
  const found = [];
  const search = (root) => { for (const el of root.querySelectorAll('*')) { if (el.scrollHeight > el.clientHeight + 4 && scrollsItself(el) && el.checkVisibility()) found.push(el); const inner = rootOf(el); if (inner) search(inner); } };
  search(document);
  if (document.scrollingElement) found.push(document.scrollingElement);
  return found;
}
// Containers that may hold more rows than they show, the likeliest first: of `id` its own, else those that a pointer reaches.
function rowContainers(id) {
  let el = id ? deref(id) : null;
  if (el) {
    for (let node = el; node; node = parentOf(node)) if (scrollsItself(node)) return JSON.stringify([idOf(node)]);
    const inside = [...el.querySelectorAll('*')].filter(scrollsItself);
    if (inside.length) return JSON.stringify(inside.map(idOf));
  }
  const rows = (node) => node.querySelectorAll('tr,[role=row],[role=option],li,[class*=row],[class*=item]').length > 2;
  const seen = scrollables().filter((node) => {
    if (node === document.scrollingElement) return node.scrollHeight > innerHeight + 4;
    const box = node.getBoundingClientRect();
    const hit = deepHit(Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1), Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1));
    return hit && within(node, hit);
  });
  const worth = (node) => (node === document.scrollingElement ? 0 : rows(node) ? 2 : 1);
  return JSON.stringify(seen.sort((a, b) => worth(b) - worth(a) || b.scrollHeight - a.scrollHeight).slice(0, 4).map(idOf));
}
// One step of the search for a text in a container: there already, else scrolled on by most of a page (`step` 0: back to its start).
function seek(id, text, step) {
  styles.clear();
  const box = deref(id);
  if (!box) return JSON.stringify({ gone: true });
  const want = norm(text).toLowerCase();
  // Down to the innermost element that shows the words.
  const find = (el) => {
    if (!norm(el.textContent).toLowerCase().includes(want) || !el.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return null;
    for (const child of (rootOf(el) || el).children) { const inner = find(child); if (inner) return inner; }
    return textOf(el).toLowerCase().includes(want) && el.getBoundingClientRect().height > 0 ? el : null;
  };
  const best = find(box);
  if (best) {
    best.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const row = best.closest('tr,[role=row],[role=option],li') || best;
    return JSON.stringify({ found: true, row: textOf(row).slice(0, 200) });
  }
  const before = box.scrollTop;
  if (step === 0) box.scrollTop = 0; else box.scrollBy({ top: step * 0.8 * box.clientHeight, behavior: 'instant' });
  return JSON.stringify({ found: false, moved: box.scrollTop !== before, top: box.scrollTop });
}
function control(id, what, argument) {
  styles.clear();
  const el = deref(id);
  if (!el) return JSON.stringify({ found: false });
  const fire = (...names) => { for (const name of names) el.dispatchEvent(new Event(name, { bubbles: true, composed: true })); };
  let done = true, track = null;
  switch (what) {
    case 'facts': break;
    case 'blur': el.blur(); break;
    case 'focus': el.focus({ preventScroll: true }); break;
    case 'empty':
      el.focus({ preventScroll: true });
      if (el.select) el.select(); else getSelection().selectAllChildren(el);
      break;
    case 'value': el.value = argument; fire('input', 'change'); done = String(el.value) === String(argument); break;
    case 'option': {
      const want = norm(argument);
      const option = [...el.options].find((o) => norm(o.textContent) === want) || [...el.options].find((o) => norm(o.textContent).toLowerCase() === want.toLowerCase());
      done = !!option && !option.disabled;
      if (done) { option.selected = true; fire('input', 'change'); }
      break;
    }
    case 'scroll': {
      let node = el;
      while (node && !(/auto|scroll/.test(styleOf(node).overflowY + styleOf(node).overflowX) && (node.scrollHeight > node.clientHeight || node.scrollWidth > node.clientWidth))) node = parentOf(node);
      const target = node || document.scrollingElement, before = [target.scrollLeft, target.scrollTop];
      target.scrollBy({ left: argument[0], top: argument[1], behavior: 'instant' });
      done = before[0] !== target.scrollLeft || before[1] !== target.scrollTop;
      break;
    }
    case 'track': {
      for (let node = el, i = 0; node && i < 4; node = node.parentElement, i++) {
        const box = node.getBoundingClientRect();
        if (box.width > 60 && box.width > box.height * 3) { track = [box.left, box.top, box.width, box.height]; break; }
      }
      break;
    }
    case 'drop': {
      const bytes = Uint8Array.from(atob(argument.data), (c) => c.charCodeAt(0)), transfer = new DataTransfer();
      transfer.items.add(new File([bytes], argument.name, { type: argument.mime }));
      let taken = false;
      for (const name of ['dragenter', 'dragover', 'drop']) taken = !el.dispatchEvent(new DragEvent(name, { bubbles: true, composed: true, cancelable: true, dataTransfer: transfer })) || taken;
      done = taken;
      break;
    }
    case 'file': {
      const bytes = Uint8Array.from(atob(argument.data), (c) => c.charCodeAt(0)), transfer = new DataTransfer();
      let input = el;
      for (let node = el, i = 0; node && i < 4 && !(input.localName === 'input' && input.type === 'file'); node = node.parentElement, i++) input = node.querySelector('input[type=file]') || input;
      if (input.type !== 'file') { done = false; break; }
      transfer.items.add(new File([bytes], argument.name, { type: argument.mime }));
      input.files = transfer.files;
      input.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      input.dispatchEvent(new Event('change', { bubbles: true, composed: true }));
      break;
    }
  }
  return JSON.stringify({ done, track, options: el.localName === 'select' ? [...el.options].map((o) => norm(o.textContent)) : [], ...facts(id, el) });
}
function scrollPage(dx, dy) {
  let target = document.scrollingElement;
  if (target.scrollHeight <= innerHeight + 1) for (let node = deepHit(innerWidth / 2, innerHeight / 2); node; node = parentOf(node)) if (/auto|scroll/.test(getComputedStyle(node).overflowY) && node.scrollHeight > node.clientHeight + 1) { target = node; break; }
  const before = [target.scrollLeft, target.scrollTop];
  target.scrollBy({ left: dx, top: dy, behavior: 'instant' });
  return before[0] !== target.scrollLeft || before[1] !== target.scrollTop;
}
// For each point of a child frame's element: whether that frame is what a pointer there would reach.
function frameHits(spots) {
  return JSON.stringify(spots.map(([x, y]) => { const hit = deepHit(x, y); return !!hit && (hit.localName === 'iframe' || hit.localName === 'frame'); }));
}
// Resolves when the document changes, or after `ms`.
function changed(ms) {
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => finish(true));
    const timer = setTimeout(() => finish(false), ms);
    function finish(value) { observer.disconnect(); clearTimeout(timer); resolve(value); }
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}

// An open calendar as a person reads it: months with their days, arrows, columns of hours and minutes, and the button that confirms.
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
function yearMonth(words) {
  const low = words.toLowerCase();
  const year = low.match(/(?:19|20|21)\d\d/)?.[0];
  if (!year) return null;
  const named = MONTHS.findIndex((name) => new RegExp(`(^|[^a-z])${name}[a-z]*`).test(low));
  if (named >= 0) return [+year, named + 1];
  const number = low.match(/(?:19|20|21)\d\d\s*[年/.-]\s*(\d{1,2})/)?.[1] || low.match(/(\d{1,2})\s*月/)?.[1] || low.match(/(\d{1,2})\s*[/.-]\s*(?:19|20|21)\d\d/)?.[1];
  return number && +number >= 1 && +number <= 12 ? [+year, +number] : null;
}
function wordsOutside(scope, without) {
  const walker = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) => {
    if (node.nodeType === 3) return NodeFilter.FILTER_ACCEPT;
    if (without.has(node) || node.localName === 'style' || node.localName === 'script' || !isDrawn(node)) return NodeFilter.FILTER_REJECT;
    return node.localName === 'select' || node.localName === 'input' ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP;
  });
  let words = '';
  while (walker.nextNode() && words.length < 300) {
    const node = walker.currentNode;
    if (node.nodeType === 3) { if (node.parentElement.localName !== 'option') words += ` ${node.data}`; }
    else if (node.localName === 'select') words += ` ${node.selectedOptions[0]?.textContent ?? ''}`;
  }
  return norm(words);
}
function arrowOf(node) {
  const classes = [node, ...node.querySelectorAll('*')].slice(0, 5).map(classOf).join(' ').split(/\s+/).map((name) => name.replace(/^next-(icon-)?/, '')).join(' ');
  const words = `${classes} ${attr(node, 'aria-label')} ${attr(node, 'title')} ${textOf(node).slice(0, 20)}`.toLowerCase();
  const back = /prev|left|‹|«|<|上/.test(words), on = /next|right|forward|›|»|>|下/.test(words);
  if (back === on) return null;
  return { back, year: /year|double|super|d-arrow|«|»|<<|>>|年/.test(words) };
}
function calendar() {
  styles.clear();
  const cells = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) => (/^\s*\d{1,2}\s*$/.test(node.data) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP));
  while (walker.nextNode()) {
    let cell = walker.currentNode.parentElement;
    while (cell?.parentElement && norm(cell.parentElement.textContent) === norm(cell.textContent)) cell = cell.parentElement;
    if (cell && cell.localName !== 'option' && cell.checkVisibility() && cell.getBoundingClientRect().width > 3 && cells.at(-1) !== cell) cells.push(cell);
  }
  const counts = new Map(), up = (cell) => { const chain = []; for (let n = cell.parentElement, i = 0; n && n !== document.body && i < 6; n = n.parentElement, i++) chain.push(n); return chain; };
  for (const cell of cells) for (const n of up(cell)) counts.set(n, (counts.get(n) || 0) + 1);
  const grids = new Map(), columns = new Map();
  for (const cell of cells) {
    const grid = up(cell).find((n) => counts.get(n) >= 28), column = up(cell).find((n) => counts.get(n) >= 2 && (/^(ul|ol)$/.test(n.localName) || explicitRole(n) === 'listbox' || /column|spinner/.test(classOf(n))));
    if (column) columns.set(column, [...(columns.get(column) || []), cell]);
    else if (grid) grids.set(grid, [...(grids.get(grid) || []), cell]);
  }
  const skip = new Set([...grids.keys(), ...columns.keys()]);
  const value = (cell) => +norm(cell.textContent);
  const months = [];
  for (const [grid, all] of grids) {
    let head = null, scope = grid;
    for (let i = 0; i < 6 && !head && scope.parentElement && scope !== document.body; i++) { scope = scope.parentElement; head = yearMonth(wordsOutside(scope, skip)); }
    const first = all.findIndex((cell) => value(cell) === 1);
    if (!head || first < 0) continue;
    let last = all.findIndex((cell, i) => i > first && value(cell) === 1);
    if (last < 0) last = all.length;
    const off = (cell, grid) => { for (let n = cell; n && n !== grid; n = n.parentElement) if (/(^|[-_ ])disabled($|[ ])/.test(classOf(n)) || n.getAttribute('aria-disabled') === 'true' || n.disabled) return true; return !!cell.querySelector('[aria-disabled=true],:disabled'); };
    months.push({ year: head[0], month: head[1], scope, grid, days: all.slice(first, last).map((cell) => ({ id: idOf(cell), day: value(cell), off: off(cell, grid) })) });
  }
  const arrows = [], confirms = [];
  const seen = new Set();
  for (const { scope, grid } of months) {
    let area = scope;
    for (let i = 0; i < 5 && area && area !== document.body; i++, area = area.parentElement) {
      for (const node of area.querySelectorAll('button,a,[role=button],i,span,th,div[class*=btn],div[class*=arrow]')) {
        if (seen.has(node) || grid.contains(node) || [...seen].some((other) => other.contains(node) || node.contains(other))) continue;
        const box = node.getBoundingClientRect();
        if (box.width < 4 || box.width > 70 || box.height > 70 || !node.checkVisibility({ visibilityProperty: true }) || /\d/.test(textOf(node))) continue;
        const arrow = arrowOf(node);
        if (arrow) { seen.add(node); arrows.push({ id: idOf(node), ...arrow }); }
      }
      if (arrows.length) break;
    }
  }
  for (const root of [...months.map((m) => m.scope), ...columns.keys()]) {
    for (let area = root, i = 0; area && area !== document.body && i < 8 && !confirms.length; area = area.parentElement, i++) {
      for (const node of area.querySelectorAll('button,a,[role=button]')) if (/^(ok|confirm|apply|done|set|select|确定|确认|完成|确 定)$/i.test(textOf(node)) && node.checkVisibility()) confirms.push(idOf(node));
    }
  }
  const times = [...columns].filter(([, all]) => all.some((cell) => value(cell) === 0)).sort((a, b) => a[0].getBoundingClientRect().left - b[0].getBoundingClientRect().left);
  return JSON.stringify({ months: months.map(({ year, month, days }) => ({ year, month, days })), arrows, confirm: confirms[0] || 0, times: times.map(([, all]) => all.map((cell) => ({ id: idOf(cell), value: value(cell) }))), twelve: columns.size > 0 && !times.length });
}
function adoptClosed(root) { closedRoots.set(root.host, root); }
const hands = { locate, control, scrollPage, frameHits, changed, adoptClosed, landed, at, focused, textWithin, links, rested, rowContainers, seek, calendar };
