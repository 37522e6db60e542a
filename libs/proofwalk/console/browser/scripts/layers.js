// What stands in front by sight alone: the veil that dims the page and the window over it, whatever roles and classes they have. A page tells of
// its windows by role, or by nothing at all; a person knows one because the rest is dimmed and cannot be pressed.
const covers = (rect) => rect.left <= 2 && rect.top <= 2 && rect.right >= innerWidth - 20 && rect.bottom >= innerHeight - 2;
const floats = (style) => style.position === 'fixed' || style.position === 'absolute' || (style.position !== 'static' && style.zIndex !== 'auto');
// Whether one looks through a layer with these styles and sees the page dimmed.
function dimming(style) {
  const alpha = alphaOf(style.backgroundColor) * +style.opacity;
  return (alpha > 0.05 && alpha < 0.97) || (alpha > 0 && style.backdropFilter && style.backdropFilter !== 'none');
}
// A layer over the whole view, of the element itself or drawn by it before or after its content.
function isVeil(el) {
  const style = styleOf(el);
  if (floats(style) && covers(el.getBoundingClientRect())) return !!dimming(style);
  if (!floats(style) && style.position === 'static') return false;
  return ['::before', '::after'].some((part) => {
    const drawn = getComputedStyle(el, part);
    return drawn.content !== 'none' && drawn.position === 'fixed' && parseFloat(drawn.width) >= innerWidth - 20 && parseFloat(drawn.height) >= innerHeight - 2 && dimming(drawn);
  });
}
function layered(x, y) {
  for (let node = document.elementFromPoint(x, y), i = 0; node && node !== document.documentElement && i < 60; node = parentOf(node), i++) if (floats(styleOf(node))) return true;
  return false;
}
function veilAt(x, y) {
  if (!layered(x, y)) return null;
  const host = document.elementFromPoint(x, y), inner = host && rootOf(host);
  for (const el of [...(inner ? inner.elementsFromPoint(x, y) : []), ...document.elementsFromPoint(x, y)].slice(0, 8)) {
    if (el === document.body || el === document.documentElement) return null;
    if (isVeil(el)) return el;
    if (paints(el) && covers(el.getBoundingClientRect())) return null;
  }
  return null;
}
// The box that a person sees over the veil, with all that is in it: the largest around `hit` that leaves some of the veil in view.
function boxOver(hit, veil) {
  const path = [];
  let last = -1, node = hit;
  for (; node && node !== document.body && node !== document.documentElement && !within(node, veil); node = parentOf(node)) { path.push(node); if (floats(styleOf(node))) last = path.length - 1; }
  // Beside its veil in one layer, a box needs no place of its own to lie over it.
  if (node === veil || last < 0 && node && node !== document.body && floats(styleOf(node))) last = path.length - 1;
  for (let i = last; i >= 0; i--) {
    const rect = path[i].getBoundingClientRect();
    if (rect.width >= 100 && rect.height >= 40 && !covers(rect)) return path[i];
  }
  return null;
}
const DIALOGS = '[role=dialog],[role=alertdialog],dialog[open],[aria-modal=true]';
const PRESSABLE = 'a,button,input:not([type=hidden]),select,textarea,[role=button],[role=link],[tabindex],[contenteditable]';
// The window over a dimmed page that has no role to say so; null when there is none, or when a role says it.
function frontWindow() {
  const near = 3, right = innerWidth - 4, low = innerHeight - 4;
  const veils = [[near, near], [right, low], [right, near], [near, low]].map(([x, y]) => veilAt(x, y)).filter(Boolean);
  if (veils.length < 2) return null;
  const veil = veils[0], votes = new Map();
  for (let y = 15; y < innerHeight; y += 30) for (let x = 30; x < innerWidth; x += 60) {
    const hit = deepHit(x, y);
    if (!hit || hit === veil) continue;
    const box = boxOver(hit, veil);
    if (box) votes.set(box, (votes.get(box) || 0) + 1);
  }
  for (const [box] of [...votes].sort((a, b) => b[1] - a[1])) {
    if (isAlert(box) || /^(tooltip|menu|listbox|status)$/.test(explicitRole(box))) continue;
    if (box.closest(DIALOGS) || [...box.querySelectorAll(DIALOGS)].some((inner) => inner.checkVisibility())) return null;
    if ([...box.querySelectorAll(PRESSABLE)].some((inner) => inner.checkVisibility())) return box;
  }
  return null;
}
// The words that a window without a heading begins with, if they are set off from the rest: bold, or larger.
function prominent(el) {
  const base = parseFloat(styleOf(el).fontSize), walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  for (let seen = 0; seen < 3 && walker.nextNode();) {
    const holder = walker.currentNode.parentElement, words = norm(walker.currentNode.data);
    if (!/\p{L}/u.test(words) || !holder.checkVisibility({ visibilityProperty: true })) continue;
    seen++;
    if (holder.closest('button,a,label,[role=button],[role=tab]') || words.length > 80) continue;
    const style = styleOf(holder);
    if (+style.fontWeight >= 600 || parseFloat(style.fontSize) > base * 1.1) return words;
  }
  return '';
}
