// Everything that a document knows about the documents inside it, and whether anything has changed since the last look.
// Frames of the same origin share this isolated world's objects, so the outermost document looks for all of them in one call; a frame of
// another site is only placed here and is looked at on its own (`console.worlds`).
const NAMES = { key: '' };
function inner(frame) {
  try { return frame.contentDocument ? frame.contentWindow.__proofwalk : null; } catch { return null; }
}
// One report for this document and for each of the same origin inside it: `[{key, x, y, look, reached}]`, this one first.
function report(options) {
  const own = look(options), reports = [{ key: NAMES.key, x: 0, y: 0, look: own.report, reached: null }];
  for (const frame of own.frames) {
    const other = inner(frame.el);
    if (!other || !other.key()) continue;
    for (const found of other.report(options)) {
      const x = frame.x + found.x, y = frame.y + found.y;
      const inside = (e) => { const cx = x + e.box[0] + e.box[2] / 2, cy = y + e.box[1] + e.box[3] / 2; return within(frame.el, deepHit(cx, cy) || document.documentElement); };
      const reached = found.look.elements.filter((e) => (!found.reached || found.reached.includes(e.id)) && inside(e)).map((e) => e.id);
      reports.push({ key: found.key, x, y, look: found.look, reached });
    }
  }
  return reports;
}
// Keys of all documents of this origin inside this one, shown or not: those that `report` leaves out are not on show.
function known() {
  const keys = [];
  for (let i = 0; i < Math.min(window.length, 100); i++) try { const other = window[i].__proofwalk; if (other?.key()) keys.push(other.key(), ...other.known()); } catch { /* another origin */ }
  return keys;
}
const observe = (options) => JSON.stringify({ reports: report(options || {}), known: known() });

// A stamp that is equal for two moments only if nothing that a look reads has changed between them; empty when that cannot be told,
// because something moves without leaving a trace (an animation, a canvas, a video).
let changes = 0;
const observed = new WeakSet();
const mutations = new MutationObserver(() => { changes++; });
function watch(root) {
  if (observed.has(root)) return;
  observed.add(root);
  mutations.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
}
watch(document);
for (const name of ['input', 'change', 'focusin', 'focusout', 'scroll', 'resize', 'toggle', 'load', 'error', 'transitionend', 'animationend', 'selectionchange', 'fullscreenchange', 'visibilitychange'])
  addEventListener(name, () => { changes++; }, { capture: true, passive: true });
function stamp() {
  if (document.getAnimations().some((animation) => animation.playState === 'running') || document.querySelector('canvas,video,embed,object')) return '';
  let hash = 0;
  const add = (words) => { for (let i = 0; i < words.length; i++) hash = (Math.imul(hash, 31) + words.charCodeAt(i)) | 0; };
  for (const el of document.querySelectorAll('input,select,textarea')) { if (el.type === 'checkbox' || el.type === 'radio') { hash = (Math.imul(hash, 31) + (el.checked ? 1 : 2)) | 0; } else { add(el.value); hash++; } }
  // What a style sheet shows under the pointer appears without any change to the document.
  const under = document.querySelectorAll(':hover'), last = under[under.length - 1];
  const parts = [NAMES.key, changes, hash, last ? idOf(last) : 0, scrollX, scrollY, innerWidth, innerHeight, document.title];
  for (let i = 0; i < Math.min(window.length, 100); i++) {
    let other;
    try { other = window[i].__proofwalk; } catch { continue; }
    const part = other ? other.stamp() : '';
    if (!part) return '';
    parts.push(part);
  }
  return parts.join('|');
}
// Resolves when nothing has changed for a moment; false after `ms`. It stands in for the tracker of a page that has broken its own world.
function still(ms) {
  return new Promise((resolve) => {
    const end = performance.now() + ms;
    let last = changes;
    const check = () => { const calm = changes === last; last = changes; if (calm || performance.now() > end) resolve(calm); else setTimeout(check, 100); };
    setTimeout(check, 100);
  });
}
return { ...hands, still, observe, report, known, stamp, key: () => NAMES.key, name: (key) => { NAMES.key = key; } };
