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
function locate(id, reveal) {
  styles.clear();
  const el = deref(id);
  if (!el) return JSON.stringify({ found: false });
  let widget = widgetOf(el);
  if (el.localName === 'input' && /^(checkbox|radio)$/.test(el.type)) {
    const label = el.closest('label') || el.labels?.[0];
    const own = el.getBoundingClientRect();
    if (label && (own.width < 4 || styleOf(el).opacity === '0' || styleOf(el).clip !== 'auto' || !el.checkVisibility())) widget = label;
  }
  const measure = () => { let rect = widget.getBoundingClientRect(); if (rect.width < 3 || rect.height < 3) rect = [...widget.querySelectorAll('*')].map((n) => n.getBoundingClientRect()).find((r) => r.width > 3 && r.height > 3) || rect; return rect; };
  let rect = measure(), point = rect.width >= 1 ? pointFor(rect, el, widget) : null;
  if (!point && reveal) {
    widget.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    rect = measure();
    point = pointFor(rect, el, widget);
  }
  const middle = [rect.left + rect.width / 2, rect.top + rect.height / 2];
  const inside = middle[0] >= 0 && middle[1] >= 0 && middle[0] < innerWidth && middle[1] < innerHeight;
  return JSON.stringify({ ...facts(id, el), box: [rect.left, rect.top, rect.width, rect.height], point, shown: el.checkVisibility() || widget !== el, inside, by: point ? '' : describe(deepHit(...middle)) });
}
function control(id, what, argument) {
  styles.clear();
  const el = deref(id);
  if (!el) return JSON.stringify({ found: false });
  const fire = (...names) => { for (const name of names) el.dispatchEvent(new Event(name, { bubbles: true, composed: true })); };
  let done = true, track = null;
  switch (what) {
    case 'facts': break;
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
function adoptClosed(root) { closedRoots.set(root.host, root); }
return { look, locate, control, scrollPage, frameHits, changed, adoptClosed };
