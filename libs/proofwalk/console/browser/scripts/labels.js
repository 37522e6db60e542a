// What a field is called: its own label, the words before it, or the nearest by sight. Pure reading; nothing is written into the page.
// Runs in an isolated world, together with dom.js, as one function body; see `console.worlds`.
// The words next to a box or dot: its wrapping or `for` label, else the text that follows it.
function choiceText(el) {
  const label = el.labels?.[0] || el.closest('label');
  if (label) { const words = textOf(label); if (words) return words; }
  const shown = textOf(el);
  if (shown) return shown;
  for (let node = el; node; node = node.parentElement) {
    const next = node.nextSibling;
    if (/^(td|th)$/.test(node.localName) || /^(gridcell|cell|columnheader)$/.test(explicitRole(node))) return node.localName === 'th' || node.closest('thead') ? 'Select all' : 'Select';
    if (next) return next.nodeType === 3 ? norm(next.data) : next.querySelector?.(CONTROL) ? '' : textOf(next);
    if (node.parentElement && hasSeveral(node.parentElement, CONTROL)) return '';
  }
  return '';
}

// Whether more than one of a part's nodes fits. A part of more nodes than one control has counts as one of several: each of its fields asks.
function hasSeveral(part, selector) {
  const walker = (part.ownerDocument || part).createTreeWalker(part, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(), fitting = 0, read = 0; node; node = walker.nextNode()) if ((node.matches(selector) && ++fitting > 1) || ++read > 600) return true;
  return false;
}
const apart = (node, el) => node !== el && !node.contains(el) && !el.contains(node);
// The label as people see it: `for`, wrapping or referenced label, else the sentence before it in its row, else nearest by sight.
function labelOf(el, role, widget) {
  const behind = themed.get(el);
  for (const label of behind?.select.labels || []) { const words = label.contains(el) ? ownLabelWords(label) : textOf(label); if (words) return cleanLabel(words); }
  const referenced = behind ? '' : byIds(el, 'aria-labelledby').filter((node) => apart(node, el)).map((node) => spokenBy(node, role)).join(' ').trim();
  if (referenced) return cleanLabel(referenced);
  if (role !== 'checkbox' && role !== 'radio') {
    for (const label of el.labels || []) {
      const words = label.contains(el) ? ownLabelWords(label) : spokenBy(label, role);
      if (words) return cleanLabel(words);
    }
  }
  const aria = attr(el, 'aria-label') || (behind ? attr(behind.select, 'aria-label') || attr(behind.select, 'title') : '');
  if (aria && !GENERIC.test(aria)) return cleanLabel(aria);
  const host = rootNodeOf.call(el).host, told = host instanceof Element ? attr(host, 'aria-label') : '';
  if (told && !GENERIC.test(told)) return cleanLabel(told);
  if (role === 'textbox' && !attr(el, 'placeholder') && searchesBy(el)) return 'Search';
  let node = behind ? behind.stand : widget;
  // Under the title of a part, a field that says itself what it takes is called so.
  const hinted = isHinted(widget);
  for (let depth = 0; depth < 8 && node; depth++) {
    const parent = parentOf(node);
    if (!parent || /^(form|body|dialog|table|tbody|tr|main)$/.test(parent.localName) || /^(dialog|grid|table|menu|listbox|tablist)$/.test(explicitRole(parent)) && !/form/.test(classOf(parent))) break;
    for (let prev = node.previousSibling, i = 0; prev && i < 60; prev = prev.previousSibling, i++) {
      if (prev.nodeType === 3) { const words = norm(prev.data); if (/[\p{L}\p{N}]/u.test(words) && words.length < 120) return cleanLabel(words); continue; }
      if (prev.nodeType !== 1 || (prev === behind?.select)) continue;
      if (prev.matches(CONTROL) || prev.querySelector(CONTROL) || rootOf(prev)?.querySelector(CONTROL)) { if (/^(radio|checkbox)$/.test(role) && ![prev, ...prev.querySelectorAll(CONTROL), ...(rootOf(prev)?.querySelectorAll(CONTROL) ?? [])].some((c) => c.matches(CONTROL) && !/^(radio|checkbox)$/.test(c.type) && !/^(radio|checkbox)$/.test(explicitRole(c)))) continue; return nearestLabel(widget); }
      if (hinted && /^h[1-6]$/.test(prev.localName)) continue;
      if (prev.localName === 'label' && prev.control && prev.control !== el) continue;
      const words = !isDrawn(prev) ? '' : textOf(prev);
      if (words && words.length < 120 && /[\p{L}\p{N}]/u.test(words) && !TELLS.test(words)) return cleanLabel(words);
    }
    node = parent;
  }
  return nearestLabel(widget);
}
// A sentence of several words that ends tells something, and names no field.
const TELLS = /^(?:\S+ ){3,}\S*[^\s.][.。]$/;
// A box whose only name is the glass drawn beside it.
function searchesBy(el) {
  for (let node = parentOf(el), depth = 0; node && depth < 2 && !hasSeveral(node, FILLABLE); node = parentOf(node), depth++)
    if ([...node.querySelectorAll('i,svg,span')].slice(0, 8).some((icon) => /(^|[-_ ])(search|magnify\w*|magnifier)($|[-_ ])/i.test(iconWords(icon)))) return true;
  return false;
}
const cleanLabel = (words) => words.replace(/^\*\s*|\s*[*:：]+$/g, '').trim().slice(0, 120);
const ownLabelWords = (label) => slotsIn(label) ? textOf(label) : norm([...label.childNodes].filter((node) => node.nodeType === 3 || (node.nodeType === 1 && !node.matches(CONTROL) && !node.querySelector(CONTROL))).map((node) => node.textContent).join(' '));

const isHinted = (widget) => widget.matches('[placeholder]:not([placeholder=""])') || !!widget.querySelector('[placeholder]:not([placeholder=""])');
let seenTexts = [], seenFields = [];
// Words that are pressed name themselves, and nothing beside them.
const PRESSED = 'button,a[href],[role=tab],[role=button],[role=menuitem],[role=link],[role=option]';
function nearestLabel(widget) {
  const box = widget.getBoundingClientRect(), hinted = isHinted(widget);
  let best = '', distance = Infinity;
  for (const run of seenTexts) {
    if (run.text.length > 80 || hinted && run.role === 'heading' || TELLS.test(run.text) || run.el.closest(PRESSED) || run.role === 'cell' || run.role === 'alert' || run.el.contains(widget)) continue;
    const left = run.x + run.w <= box.left + 4 && Math.abs(run.y + run.h / 2 - (box.top + box.height / 2)) < Math.max(14, box.height / 2);
    const above = run.y + run.h <= box.top + 4 && Math.abs(run.x - box.left) < 24;
    const gap = left ? box.left - run.x - run.w : above ? (box.top - run.y - run.h) * 2 : Infinity;
    if (gap < distance && gap < (left ? 320 : 90) && !(left && seenFields.some((f) => f.right <= box.left + 4 && f.left >= run.x + run.w - 4 && f.top < box.bottom && f.bottom > box.top))) { distance = gap; best = run.text; }
  }
  return cleanLabel(best);
}

