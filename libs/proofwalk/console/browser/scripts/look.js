// One pass over a document, its shadow trees included: what is visible, what can be acted on, which words stand around it.
// Identities live in a WeakMap of the isolated world, so the same element keeps its number and the page sees nothing.
const ids = new WeakMap();
const refs = new Map();
let lastId = 0;

function idOf(el) {
  let id = ids.get(el);
  if (!id) { id = ++lastId; ids.set(el, id); refs.set(id, new WeakRef(el)); if (refs.size % 2000 === 0) for (const [k, ref] of refs) if (!ref.deref()) refs.delete(k); }
  return id;
}
function deref(id) { const el = refs.get(id)?.deref(); return el?.isConnected ? el : null; }

function deepHit(x, y) {
  let hit = document.elementFromPoint(x, y);
  while (hit) { const root = rootOf(hit); const inner = root?.elementFromPoint(x, y); if (!inner || inner === hit) break; hit = inner; }
  return hit;
}

// Whether a pointer at this point reaches the element: it, a part of it, its label, or the wrapper that stands in for it.
function reaches(hit, el, widget) {
  if (!hit) return false;
  if (within(widget, hit) || within(el, hit)) return true;
  const label = hit.closest?.('label');
  if (label && (label.control === el || label.contains(el))) return true;
  if (!within(hit, widget)) return false;
  const box = widget.getBoundingClientRect(), outer = hit.getBoundingClientRect();
  let depth = 0;
  for (let node = widget; node && node !== hit; node = parentOf(node)) depth++;
  const inert = el.matches(':disabled,[aria-disabled=true]') || styleOf(el).pointerEvents === 'none' || styleOf(el).opacity === '0';
  return depth <= 3 && outer.width * outer.height <= (inert ? 6 : 3) * Math.max(box.width * box.height, 64);
}
function* points(rect, el) {
  const area = { l: Math.max(rect.left, 0), t: Math.max(rect.top, 0), r: Math.min(rect.right, innerWidth), b: Math.min(rect.bottom, innerHeight) };
  const w = area.r - area.l, h = area.b - area.t;
  // The middle of a link that runs over several lines may lie between them.
  if (h > 24 && styleOf(el).display === 'inline') for (const line of el.getClientRects()) if (line.width > 1) yield [line.left + line.width / 2, line.top + line.height / 2];
  yield [area.l + w / 2, area.t + h / 2];
  for (const line of el.getClientRects()) if (line.width > 1 && line.left < innerWidth && line.top < innerHeight) { yield [line.left + line.width / 2, line.top + line.height / 2]; break; }
  for (const [fx, fy] of [[0.2, 0.5], [0.8, 0.5], [0.5, 0.2], [0.5, 0.8], [0.06, 0.5]]) yield [area.l + w * fx, area.t + h * fy];
}
function pointFor(rect, el, widget) {
  for (const [x, y] of points(rect, widget)) if (x >= 0 && y >= 0 && x < innerWidth && y < innerHeight && reaches(deepHit(x, y), el, widget)) return [x, y];
  return null;
}

const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading],[class*=dialog-header],[class*=drawer-header],[class*=modal-title],[class*=dialog-title],[class*=drawer-title],legend';
function titleOf(el) {
  const labelled = byIds(el, 'aria-labelledby').map(textOf).join(' ').trim();
  if (labelled) return labelled.slice(0, 120);
  const heading = [...el.querySelectorAll(HEADINGS)].find((node) => textOf(node));
  if (heading) return textOf(heading).slice(0, 120);
  const aria = attr(el, 'aria-label');
  if (aria && !GENERIC.test(aria)) return aria;
  if (el.id) {
    const owner = document.querySelector(`[aria-controls~="${CSS.escape(el.id)}"],[aria-owns~="${CSS.escape(el.id)}"]`);
    if (owner) { const role = roleOf(owner, styleOf(owner), false); return (labelOf(owner, role, widgetOf(owner)) && FIELDS.has(role) ? labelOf(owner, role, widgetOf(owner)) : nameOf(owner, role, '')).slice(0, 120); }
  }
  const bold = el.querySelector('b,strong');
  return (bold && textOf(el).startsWith(textOf(bold)) ? textOf(bold) : el === front ? prominent(el) : '').slice(0, 120);
}
// The window that is one by sight alone, of the latest look.
let front = null;

// A bar along a whole edge of the view is a part of the page, however high it is stacked.
const fixture = (rect) => (rect.width >= innerWidth - 20 && (rect.top <= 2 || rect.bottom >= innerHeight - 2)) || (rect.height >= 0.85 * innerHeight && (rect.left <= 2 || rect.right >= innerWidth - 20) && rect.bottom >= innerHeight - 2);
// Dialogs, drawers, menus and floating boxes: kind, and whether it stands above the page.
function containerKind(el, style) {
  const role = explicitRole(el);
  if (el === front || role === 'dialog' || role === 'alertdialog' || (el.localName === 'dialog' && el.open) || el.getAttribute('aria-modal') === 'true') return 'dialog';
  if (role === 'tooltip') return el.querySelector('button,[role=button],input') ? 'popup' : 'tooltip';
  const floats = style.position === 'fixed' || style.position === 'absolute';
  if (role === 'menu' || role === 'listbox') { for (let n = el, i = 0; n && i < 5; n = parentOf(n), i++) { const s = styleOf(n); if ((s.position === 'fixed' || s.position === 'absolute') && +s.zIndex >= 100) return 'menu'; } return ''; }
  if (floats && (+style.zIndex >= (el.localName === 'ul' ? 1 : 1000) || opened.has(el))) {
    const rect = el.getBoundingClientRect();
    if (rect.width > 40 && rect.height > (el.localName === 'ul' ? 12 : 20) && rect.width * rect.height < 0.9 * innerWidth * innerHeight && !fixture(rect)) return 'popup';
  }
  return '';
}
const isAlert = (el) => { const role = explicitRole(el); return role === 'alert' || role === 'status' || role === 'log' || /(^| )(next-message|next-notification|toast|notification|ant-message|ant-notification)(-notice)?( |$)/.test(classOf(el)); };

function tableOf(el) {
  const role = explicitRole(el);
  return (el.localName === 'table' || /^(table|grid|treegrid)$/.test(role)) && el.localName !== 'form' && !/form/.test(classOf(el)) ? el : null;
}
function tableInfo(look, row) {
  let info = look.rows.get(row);
  if (info) return info;
  const drawn = drawnPart(row) === 'row';
  const cells = drawn ? drawnParts(row, 'gridcell') : [...row.children].filter((cell) => /^(td|th)$/.test(cell.localName) || /cell|header/.test(explicitRole(cell)));
  const table = drawn ? null : row.closest('table,[role=table],[role=grid],[role=treegrid]');
  let heads = drawn ? drawnHeads(look, row) : look.heads.get(table);
  if (!heads && table) {
    for (let node = table, i = 0; node && i < 6; node = node.parentElement, i++) {
      const found = [...node.querySelectorAll('th,[role=columnheader]')];
      if (found.length) { heads = found.map((th) => ({ th, rect: th.getBoundingClientRect(), text: textOf(th) })); break; }
    }
    look.heads.set(table, heads || []);
  }
  const words = cells.filter((cell) => !(cell.querySelector('button,[role=button],a[role]') && !/[\p{L}\p{N}]/u.test(textOf(cell)))).map(textOf).filter(Boolean);
  if (row.localName === 'a') words.push(textOf(row));
  info = { text: words.join(' | ').slice(0, MAX_TEXT), heads: heads || [] };
  look.rows.set(row, info);
  return info;
}
// The heads above a drawn row, kept for all that it passes on its way up to them.
function drawnHeads(look, row) {
  const passed = [];
  let heads = null;
  for (let node = parentOf(row); node && passed.length < 10 && !heads; node = parentOf(node)) {
    heads = look.heads.get(node);
    if (heads) break;
    passed.push(node);
    const found = node.querySelector('[class*=header]') ? drawnParts(node, 'columnheader') : [];
    if (found.length) heads = found.map((th) => ({ th, rect: th.getBoundingClientRect(), text: textOf(th) }));
  }
  if (heads) for (const node of passed) look.heads.set(node, heads);
  return heads || [];
}
function columnAt(info, rect) {
  const x = rect.left + rect.width / 2;
  const head = info.heads.find((h) => x >= h.rect.left && x <= h.rect.right && h.rect.width > 0);
  return head ? head.text.slice(0, 80) : '';
}

const inlineish = (el) => { const d = styleOf(el).display; return d.startsWith('inline') || d === 'contents' || d === 'none'; };

// Bounds of one look, in view and out of it each; what is beyond them is left out. A person's page has a tenth of it.
const MOST = { elements: 5000, texts: 10000, floats: 2000, containers: 500, alerts: 200, drawings: 500, stacked: 100000 };
const FAR_SCREENS = 20;
const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'head', 'option']);
const PLAIN = new Set(['td', 'th', 'span', 'p', 'div', 'b', 'i', 'em', 'strong', 'small', 'dt', 'dd']);

// All of a tree, in document order; with a stack of its own, since a page may nest deeper than the engine's allows.
function visit(look, start, context) {
  const left = [start, context];
  while (left.length) {
    const ctx = left.pop(), el = left.pop();
    try { enter(look, el, ctx, left); } catch (error) {
      // A form whose fields hide its properties cannot be read; what it holds can.
      if (el.localName !== 'form' && typeof el.localName === 'string') throw error;
      for (let child = lastChildOf.call(el); child; child = previousOf.call(child)) left.push(child, ctx);
    }
  }
}
function enter(look, el, ctx, left) {
  const tag = el.localName;
  if (UNSEEN.has(tag)) return;
  const style = styleOf(el);
  if (style.display === 'none') { look.hide(el, 'not displayed'); return; }
  const rect = el.getBoundingClientRect();
  if (look.narrow && !look.holders.has(el) && beyond(el, rect)) { look.pruned = true; return; }
  look.visited?.add(el);
  const leaf = !el.firstElementChild;
  if (style.contentVisibility === 'hidden') { look.hide(el, 'not displayed'); return; }
  let { clip } = ctx;
  if (+style.opacity < FAINT && tag !== 'input' && !el.getAnimations?.().length) { look.hide(el, 'transparent'); slit(look, el, ctx); return; }
  if (cutOff(style)) {
    const label = pressedFor(el, ctx), thumb = label || el.type !== 'range' ? null : drawnFor(el);
    if (thumb && addElement(look, el, inputRole(el), ctx, thumb)) look.drawn.add(thumb);
    else if (label) { addElement(look, el, markRole(el), ctx, label); look.drawn.add(label); if (el.localName === 'button') look.switched.add(label); } else look.hide(el, 'cut off');
    return;
  }
  const shown = style.visibility === 'visible';
  if (leaf && shown && look.telling && ctx.words && faint(el)) look.hide(el, faint(el));
  if (!shown && leaf) look.hide(el, 'invisible');
  const { position } = style;
  if (position !== 'static' && (position !== 'relative' || style.zIndex !== 'auto')) {
    if (position === 'fixed') clip = look.screen;
    else if (position === 'absolute') clip = ctx.anchor;
    if (rect.bottom > 0 && rect.right > 0 && rect.top < innerHeight && rect.left < innerWidth && look.floats.length < MOST.floats) look.floats.push({ el, rect });
  }
  if (leaf && shown && rect.width > 1 && rect.height > 1 && PLAIN.has(tag) && !el.attributes.role && !el.attributes.tabindex && !el.attributes.contenteditable && !rootOf(el) && !look.entries.has(el) && !listeners.has(el)) {
    const { cursor } = style;
    if ((ctx.pointer || cursor !== 'pointer' && cursor !== 'grab' && cursor !== 'not-allowed') && (position === 'static' || position === 'relative') && !isAlert(el)) {
      if (!ctx.words) addText(look, el, style, rect, clip === ctx.clip ? ctx : { ...ctx, clip });
      return;
    }
  }
  const kid = { ...ctx, clip };
  const { overflow } = style;
  // What has no box of its own (`display: contents`) hides nothing, whatever its overflow says.
  if (overflow !== 'visible' && style.display !== 'contents') {
    if (tag !== 'body' && tag !== 'html' && tag !== 'input') {
      const scrolls = /auto|scroll/.test(overflow) && (el.scrollHeight > el.clientHeight + 1 || el.scrollWidth > el.clientWidth + 1);
      kid.clip = { l: Math.max(clip.l, rect.left), t: Math.max(clip.t, rect.top), r: Math.min(clip.r, rect.right), b: Math.min(clip.b, rect.bottom), scrolls: scrolls || (clip.scrolls && rect.top >= clip.t - 1e5), hard: !scrolls };
      if (rect.width <= 1 || rect.height <= 1) { look.hide(el, 'too small'); slit(look, el, ctx); return; }
    }
  }
  // What is positioned absolutely is cut by its containing block and what is around that, not by a box that scrolls in between.
  if (position !== 'static' || style.transform !== 'none') kid.anchor = kid.clip;
  const kind = shown ? containerKind(el, style) : '';
  if (kind && look.containers.length < MOST.containers) {
    const container = { el, kind, title: null, rect, parent: ctx.container, seq: look.containers.length };
    look.containers.push(container);
    if (!(kind === 'popup' && isAlert(el))) kid.container = container;
  }
  // A status in a row is the thing's own, and no message.
  if (shown && isAlert(el) && !(ctx.row && explicitRole(el) === 'status')) { kid.alert = true; if (look.alerts.length < MOST.alerts) look.alerts.push({ el, rect }); }
  if (kind === 'tooltip') kid.tooltip = true;
  if (kind === 'popup' || kind === 'menu') kid.list = tag === 'ul' || !!el.querySelector('[role=listbox],ul') && !el.querySelector('table');
  if (ctx.boxed && (kind || position === 'absolute' && rect.height > 40)) kid.boxed = kid.words = false;
  if (tag === 'tr' || explicitRole(el) === 'row') {
    if ((kid.table && !kid.alert && !/form/.test(classOf(el))) || drawnRow(el)) kid.row = el;
  } else if (tableOf(el)) { kid.table = el; kid.row = null; }
  if ((/^(radiogroup|tablist|group|menu|listbox)$/.test(explicitRole(el)) && !drawsGroup(el, ctx)) || tag === 'fieldset' || headOf(el)) kid.group = el;

  // An entry of a tree or a side menu that holds its sub-entries is clicked on its head, and its sub-entries are entries of their own.
  const entry = shown && !ctx.inside && look.entries.get(el);
  const plain = ctx.labelled && /^(span|div|i|em)$/.test(tag) && !el.hasAttribute('role');
  let widgetRole = entry || (shown && !ctx.inside && !kid.boxed && !plain ? roleOf(el, style, ctx.pointer) : '');
  // What can be pressed in an open list, and says nothing of itself, is a choice. The days of a calendar are none.
  if (widgetRole === 'button' && kid.list && /^(li|div|span)$/.test(tag) && !explicitRole(el) && !/^\d{0,2}$/.test(textOf(el))) widgetRole = 'option';
  if (!entry && /^(option|menuitem)$/.test(widgetRole) && el.querySelector(':scope > ul, :scope > [role=menu], :scope > [role=listbox]')) {
    const head = [...el.children].find((child) => child.localName !== 'ul' && !/^(menu|listbox)$/.test(explicitRole(child)));
    if (head) { look.entries.set(head, widgetRole); widgetRole = ''; }
  }
  if (tag === 'input' && shown && !ctx.inside && !el.closest('label')) { const drawn = drawnFor(el); if (drawn) { addElement(look, el, widgetRole || inputRole(el), kid, drawn); look.drawn.add(drawn); return; } }
  if (look.drawn.has(el)) widgetRole = '';
  if (tag === 'label' && !ctx.inside && shown && el.control && !el.control.checkVisibility()) addElement(look, el.control, inputRole(el.control), kid, el);
  if (widgetRole) {
    const added = addElement(look, el, widgetRole, kid, null);
    if (added && /^(button|link|option|menuitem|tab|checkbox|radio|switch|slider|textbox|combobox|spinbutton)$/.test(widgetRole)) kid.words = true;
    if (widgetRole === 'combobox' && tag !== 'input') kid.boxed = kid.words = true;
    if (entry) kid.inside = kid.words = true;
    else if (widgetRole === 'menuitem' || widgetRole === 'treeitem' || widgetRole === 'tab') kid.words = !el.querySelector('ul,[role=menu],[role=group]');
    // A link that holds controls of its own, outside of a menu, is a row of a list.
    if (tag === 'a' && !kid.row && !kid.inside && el.querySelector('[role=button][tabindex]') && !el.closest('nav,aside,li,[role=navigation],[role=menu],[role=tree]')) kid.row = el;
    if (widgetRole === 'button' || widgetRole === 'link' || widgetRole === 'option' || tag === 'button') kid.inside = !el.querySelector(CONTROL + ',a[href],[role=button][tabindex]');
  }
  kid.pointer = style.cursor === 'pointer' || style.cursor === 'grab' || style.cursor === 'not-allowed';
  if (tag === 'iframe' || tag === 'frame') { if (shown && rect.width > 4 && rect.height > 4) look.frames.push({ el, x: rect.left + el.clientLeft, y: rect.top + el.clientTop, w: el.clientWidth, h: el.clientHeight }); return; }
  if (tag === 'svg' && shown) written(look, el);
  if ((tag === 'svg' && !drawings.has(el)) || tag === 'input' || tag === 'textarea' || tag === 'select' || tag === 'canvas' || tag === 'video') return;
  if (tag === 'label' && (/^(checkbox|radio)$/.test(el.control?.type) || look.switched.has(el))) kid.words = kid.labelled = true;
  if (shown && !kid.words) kid.words = addText(look, el, style, rect, kid);

  const root = rootOf(el);
  if (root) watch(root);
  const slotted = !root && tag === 'slot' ? el.assignedElements?.() || [] : [];
  if (slotted.length) { for (let i = slotted.length - 1; i >= 0; i--) left.push(slotted[i], kid); return; }
  for (let child = (root || el).lastElementChild; child; child = child.previousElementSibling) left.push(child, kid);
}

// Words of a drawing. They are no texts of a look, and a picture shows them.
function written(look, svg) {
  for (const words of svg.getElementsByTagName('text')) { if (look.drawings.length >= MOST.drawings) return; look.drawings.push(norm(words.textContent).slice(0, MAX_TEXT)); }
}

// In a narrow look, what lies beyond the viewport and lets nothing of itself hang into it is passed over with all that it holds.
function beyond(el, rect) {
  if (rect.bottom > 0 && rect.right > 0 && rect.top < innerHeight && rect.left < innerWidth) return false;
  if (rect.width < 1 || rect.height < 1 || el === document.body) return false;
  return el.scrollHeight <= el.offsetHeight + 1 && el.scrollWidth <= el.offsetWidth + 1;
}
// What was passed over and still shows somewhere, such as a floating child of a row below the fold: found by asking a grid of points, which is
// dense along the edges, where things float.
function strays(look, top) {
  const spots = [];
  for (let row = 0; row < 8; row++) for (let column = 0; column < 12; column++) spots.push([(column + 0.5) * innerWidth / 12, (row + 0.5) * innerHeight / 8]);
  const edge = 12;
  for (let x = 20; x < innerWidth; x += 40) spots.push([x, edge], [x, innerHeight - edge]);
  for (let y = 20; y < innerHeight; y += 40) spots.push([edge, y], [innerWidth - edge, y]);
  for (const [x, y] of spots) {
    let stray = null;
    for (let el = document.elementFromPoint(x, y); el && !look.visited.has(el); el = parentOf(el)) { stray = el; look.holders.add(el); }
    if (stray && stray !== document.documentElement) visit(look, stray, top);
  }
}

// The label that people press for a box or dot which is cut out of sight, as button groups draw them.
function pressedFor(el, ctx) {
  const label = isMark(el) && !ctx.inside ? el.labels?.[0] : null;
  if (!label || !label.checkVisibility()) return null;
  const { width, height } = label.getBoundingClientRect();
  return width > 4 && height > 4 ? label : null;
}
// A select that shows its value hides its input in a slit without width or colour: the widget around it is what people use.
function slit(look, el, ctx) {
  const input = el.querySelector('input[role=combobox]');
  if (input && !ctx.inside) addElement(look, input, 'combobox', ctx, null);
}

// Adds the text that `el` itself shows; true when the words of its descendants are thereby taken.
function addText(look, el, style, rect, ctx) {
  const role = explicitRole(el);
  const isCell = ctx.row && ctx.row !== el && (el.localName === 'td' || el.localName === 'th' || /^(cell|gridcell|columnheader|rowheader)$/.test(role)) && !el.querySelector(FORMISH);
  let words = '', whole = false, box = rect;
  const alone = el.firstChild && !el.firstChild.nextSibling && el.firstChild.nodeType === 3;
  if (isCell) {
    words = textOf(el);
    whole = true;
    if (!alone && words && words === norm([...el.querySelectorAll('button,[role=button],a[href]')].map(textOf).join(' '))) return false;
  } else {
    let direct = '';
    if (alone) direct = el.firstChild.data;
    else for (const node of el.childNodes) if (node.nodeType === 3) direct += node.data;
    direct = norm(direct);
    if (!direct) return false;
    whole = alone || [...el.children].every(inlineish) && !el.querySelector('input,select,textarea,table,ul,[role=combobox]');
    words = whole ? textOf(el) : direct;
    const range = document.createRange();
    const first = alone ? el.firstChild : [...el.childNodes].find((node) => node.nodeType === 3 && norm(node.data));
    if (whole) range.selectNodeContents(el); else range.selectNode(first);
    box = range.getBoundingClientRect();
  }
  if (!words) return whole;
  if (box.width < 1 || box.height < 1) { look.hide(el, 'too small'); return whole; }
  const why = unreadable(el, style, box);
  if (why) { look.hide(el, why); return whole; }
  const { clip } = ctx;
  const cx = Math.max(clip.l, box.left), cy = Math.max(clip.t, box.top), cr = Math.min(clip.r, box.right), cb = Math.min(clip.b, box.bottom);
  const off = cr - cx < 2 || cb - cy < 2;
  if (off && (box.bottom + scrollY < 0 || box.right + scrollX < 0 || box.left > FAR_SCREENS * innerWidth)) { look.hide(el, 'outside the page'); return whole; }
  if (off && (look.narrow || clip.hard && !clip.scrolls)) return whole;
  if (++look[off ? 'farTexts' : 'nearTexts'] > MOST.texts) return whole;
  const head = el.localName === 'th' || role === 'columnheader';
  const kind = isCell ? (head ? 'columnheader' : 'cell') : ctx.tooltip ? 'tooltip' : ctx.alert ? 'alert' : /^h[1-6]$/.test(el.localName) || role === 'heading' ? 'heading' : el.localName === 'label' ? 'label' : role === 'status' ? 'status' : '';
  if (off && ctx.alert) return whole;
  const run = { el, text: words, x: box.left, y: box.top, w: box.width, h: box.height, role: kind, ctx, off };
  look.texts.push(run);
  if (!off) seenTexts.push(run);
  return whole;
}
// Why a person could not read a text that is laid out and in nobody's shadow; empty when one can.
function unreadable(el, style, box) {
  return box.height < 4 && parseFloat(style.fontSize) < 4 ? 'too small' : inkless(el, style);
}
const FORMISH = 'input:not([type=checkbox]):not([type=radio]),select,textarea,[role=combobox]';

function addElement(look, el, role, ctx, stand) {
  let widget = stand || widgetOf(el);
  if ((role === 'checkbox' || role === 'radio') && !stand) {
    const label = el.localName === 'input' && (el.closest('label') || el.labels?.[0]);
    const own = el.getBoundingClientRect();
    if (label && (own.width < 4 || styleOf(el).opacity === '0' || styleOf(el).clip !== 'auto')) widget = label;
  }
  let rect = widget.getBoundingClientRect();
  if (rect.width < 3 || rect.height < 3) {
    const inner = [...widget.querySelectorAll('*')].map((node) => node.getBoundingClientRect()).find((r) => r.width > 3 && r.height > 3);
    if (!inner) return false;
    rect = inner;
  }
  const { clip } = ctx;
  const l = Math.max(clip.l, rect.left), t = Math.max(clip.t, rect.top), r = Math.min(clip.r, rect.right), b = Math.min(clip.b, rect.bottom);
  let off = r - l < 2 || b - t < 2;
  if (off) {
    if (look.narrow || (clip.hard && !clip.scrolls) || rect.bottom + scrollY <= 0 || rect.right + scrollX <= 0 || (clip === look.screen && ctx.clip.fixed)) return false;
  } else if (look.near >= MOST.elements || !pointFor({ left: l, top: t, right: r, bottom: b, width: r - l, height: b - t }, el, widget)) return false;
  if (++look[off ? 'far' : 'near'] > MOST.elements) return false;
  look.elements.push({ el, role, widget, rect, ctx, off });
  return true;
}

function stackTop(look) {
  let top = null;
  for (const c of look.containers) {
    if (c.kind !== 'dialog' && c.kind !== 'popup') continue;
    const { left, top: y, width, height } = c.el.getBoundingClientRect();
    const spots = [[0.5, 0.5], [0.5, 0.05], [0.1, 0.5], [0.9, 0.9]].map(([fx, fy]) => [left + width * fx, y + height * fy]).filter(([px, py]) => px >= 0 && py >= 0 && px < innerWidth && py < innerHeight);
    if (!spots.some(([px, py]) => within(c.el, deepHit(px, py) || document.documentElement))) continue;
    const blocks = c.el === front || c.el.matches(':modal') || [[3, 3], [innerWidth - 4, innerHeight - 4], [3, innerHeight - 4], [innerWidth - 4, 3]].every(([px, py]) => {
      const hit = deepHit(px, py);
      if (!hit || within(c.el, hit)) return !!hit;
      for (let n = hit; n && n !== document.body; n = parentOf(n)) if (styleOf(n).position === 'fixed' || styleOf(n).position === 'absolute' && +styleOf(n).zIndex > 0) { const box = n.getBoundingClientRect(); if (box.width * box.height > 0.5 * innerWidth * innerHeight) return true; }
      return false;
    });
    if (c.el === front) return c;
    if (blocks && c.kind === 'dialog' || blocks && !top) top = c;
  }
  return top;
}

function covered(run, floats) {
  // Without anything that floats over it, a text has nothing to lie under.
  if (!floats.some(({ el, rect }) => rect.left < run.x + run.w && rect.right > run.x && rect.top < run.y + run.h && rect.bottom > run.y && !within(el, run.el))) return false;
  const x = Math.min(Math.max(run.x + run.w / 2, 1), innerWidth - 1), y = Math.min(Math.max(run.y + run.h / 2, 1), innerHeight - 1);
  const first = deepHit(x, y);
  if (first && (within(run.el, first) || within(first, run.el))) return false;
  if (first && paints(first)) return true;
  // Where thousands lie over each other, asking for all of them costs more than a look may.
  if ((floats.asked ?? 0) > MOST.stacked) return true;
  const stack = document.elementsFromPoint(x, y);
  floats.asked = (floats.asked ?? 0) + stack.length;
  for (const hit of stack.slice(0, 8)) {
    if (within(run.el, hit) || within(hit, run.el)) return false;
    if (paints(hit)) return true;
  }
  return false;
}
// Whether one cannot read through an element: a mask that dims the page behind a dialog, or an empty layer that only takes clicks, hides nothing.
function paints(el) {
  const style = styleOf(el);
  if (/^(img|canvas|iframe|video|input|select|textarea)$/.test(el.localName)) return +style.opacity > 0.5;
  return +style.opacity > 0.5 && (style.backgroundImage !== 'none' || alphaOf(style.backgroundColor) > 0.85 || [...el.childNodes].some((node) => node.nodeType === 3 && norm(node.data)));
}

// A menu item that is only a frame around one button of the same name: the button is what reacts, the item is what it means.
function foldItems(look) {
  const folded = new Set(), buttons = look.elements.filter((e) => /^(button|link)$/.test(e.role));
  for (const item of look.elements) {
    if (!/^(menuitem|option|treeitem|tab)$/.test(item.role) || !item.el.firstElementChild) continue;
    const inner = buttons.filter((e) => item.el.contains(e.el));
    if (inner.length !== 1 || textOf(inner[0].el) !== textOf(item.el) || !textOf(item.el)) continue;
    inner[0].role = item.role;
    folded.add(item);
  }
  look.elements = look.elements.filter((e) => !folded.has(e));
}

// A group without a name, inside of one that has it, is the way in which a toolkit draws the outer one.
const drawsGroup = (el, ctx) => explicitRole(el) === 'group' && ctx.group && explicitRole(ctx.group) === 'radiogroup' && !attr(el, 'aria-label') && !el.hasAttribute('aria-labelledby');
const radiosName = (group) => cleanLabel(byIds(group, 'aria-labelledby').map(textOf).join(' ').trim()) || labelOf(group, 'radiogroup', group);
// The entry of a side menu, accordion or tree that these sub-entries open under.
function headOf(el) {
  if (!/^(ul|ol)$/.test(el.localName) && !/^(group|menu|listbox)$/.test(explicitRole(el))) return null;
  const head = el.previousElementSibling;
  if (!head || /^(ul|ol)$/.test(head.localName)) return null;
  const opens = head.hasAttribute('aria-expanded') || head.querySelector(':scope > [aria-expanded]') || foldOf(head) || (head.firstElementChild && foldOf(head.firstElementChild));
  const around = el.parentElement || parentOf(el);
  return opens || (around && /^(option|menuitem|treeitem)$/.test(explicitRole(around))) ? head : null;
}
// One document's look. `narrow` leaves out what has to be scrolled into view; `hidden` also tells texts that nobody sees.
function look({ narrow = false, hidden = false } = {}) {
  styles.clear();
  seenTexts = [];
  front = frontWindow();
  tabLists.clear();
  findThemed();
  findOpened();
  const screen = { l: 0, t: 0, r: innerWidth, b: innerHeight, scrolls: false, hard: false };
  const state = { screen, elements: [], texts: [], containers: [], alerts: [], frames: [], floats: [], drawings: [], narrow, telling: hidden, near: 0, far: 0, nearTexts: 0, farTexts: 0, pruned: false, visited: narrow ? new Set() : null, holders: new Set(), drawn: new Set(), switched: new Set(), rows: new Map(), heads: new Map(), entries: new Map() };
  const page = { ...screen, scrolls: true };
  const top = { clip: page, anchor: page, container: null, row: null, table: null, group: null, inside: false, words: false, pointer: false, labelled: false, alert: false, tooltip: false };
  const unseen = [];
  state.hide = hidden ? (el, why) => { const text = norm(el.textContent).slice(0, 300); if (text && unseen.length < 200) unseen.push({ text, why }); } : () => {};
  const body = bodyOf.call(document);
  if (body) visit(state, body, top);
  if (state.pruned) strays(state, top);
  const boxes = state.elements.filter((e) => e.role === 'combobox' && e.widget !== e.el).map((e) => e.widget);
  const visibleTexts = state.texts.filter((run) => (run.off || !covered(run, state.floats)) && !boxes.some((box) => box.contains(run.el)));
  seenTexts = visibleTexts.filter((run) => !run.off);
  seenFields = state.elements.filter((e) => FIELDS.has(e.role) && !e.off).map((e) => e.rect);
  const modal = stackTop(state);
  const title = (c) => {
    const untitled = [];
    let found = '';
    for (; c && !found; c = c.parent) { if (c.title === null) { found = titleOf(c.el); untitled.push(c); } else found = c.title; }
    for (const one of untitled.reverse()) found = one.title = found || one.kind;
    return found;
  };
  const round = (v) => Math.round(v * 10) / 10;
  const place = (ctx, rect) => { const info = ctx.row ? tableInfo(state, ctx.row) : null; return info ? [info.text, columnAt(info, rect)] : ['', '']; };
  const arrow = (e) => e.role === 'button' && boxes.some((box) => box !== e.el && box.contains(e.el)) && !/\p{L}/u.test(textOf(e.el)) && !/close|clear|delete/i.test(e.el.innerHTML + classOf(e.el));
  foldItems(state);
  const elements = state.elements.filter((e) => !arrow(e)).map(({ el, role, widget, rect, ctx, off }) => {
    let label = FIELDS.has(role) || el.type === 'file' ? labelOf(el, role, widget) : '';
    const name = nameOf(el, role, label);
    if (!label && !/\p{L}/u.test(name) && !ctx.row && role !== 'cell') label = nearestLabel(widget);
    const [row, column] = place(ctx, rect);
    const hints = [attr(el, 'title'), attr(widget, 'title'), ...byIds(el, 'aria-describedby').map(textOf)].filter((words) => words && words !== name);
    const groupName = !ctx.group ? '' : role === 'radio' || explicitRole(ctx.group) === 'radiogroup' ? radiosName(ctx.group) : attr(ctx.group, 'aria-label') || textOf(ctx.group.querySelector?.('legend')) || textOf(headOf(ctx.group)) || '';
    return { id: idOf(el), role, tag: el.localName, name, value: valueOf(el, role, widget), placeholder: attr(el, 'placeholder') || (role === 'combobox' ? hintIn(widget) : ''), type: el.localName === 'input' ? el.type : '', listed: el.localName === 'select' && (el.multiple || el.size > 1) ? textOf(el) : '',
      states: statesOf(el, role), box: [round(rect.left), round(rect.top), round(rect.width), round(rect.height)], label, hint: [...new Set(hints)].join('; ').slice(0, 300), container: title(ctx.container), row, column,
      group: role === 'radio' && !groupName ? label : groupName, off, modal: !!modal && !!ctx.container && within(modal.el, ctx.container.el) };
  });
  const texts = visibleTexts.map((run) => {
    const [row, column] = run.ctx.row && run.ctx.row !== run.el ? place(run.ctx, { left: run.x, width: run.w }) : ['', ''];
    return { text: run.text, box: [round(run.x), round(run.y), round(run.w), round(run.h)], role: run.role, container: title(run.ctx.container), row: run.role === 'cell' ? row : '', column: run.role === 'cell' ? column : '', off: run.off };
  });
  const alerts = state.alerts.filter(({ el }) => !state.alerts.some((other) => other.el !== el && el.contains(other.el) && textOf(other.el))).filter(({ rect }) => rect.bottom > 0 && rect.right > 0 && rect.top < innerHeight && rect.left < innerWidth && rect.width > 2).map(({ el }) => textOf(el)).filter(Boolean);
  const doc = document.scrollingElement || document.documentElement || { scrollWidth: innerWidth, scrollHeight: innerHeight };
  return { frames: state.frames, report: { url: location.href.slice(0, 2 * MAX_TEXT), title: document.title.slice(0, MAX_TEXT), elements, texts, alerts, drawn: state.drawings, unseen, modal: modal ? title(modal) || 'dialog' : '', viewport: [innerWidth, innerHeight], scroll: [scrollX, scrollY, doc.scrollWidth, doc.scrollHeight] } };
}
