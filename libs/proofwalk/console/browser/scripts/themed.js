// Controls that toolkits draw over native ones, and what markup leaves unsaid: which box stands for a hidden list of choices, which switch for a
// hidden check box, which links are tabs, what is folded. All of it is read from what is shown and what points at what, not from one toolkit's names.
const unseenNative = (el) => { const rect = el.getBoundingClientRect(), style = styleOf(el); return rect.width < 3 || rect.height < 3 || style.display === 'none' || style.visibility !== 'visible' || +style.opacity < FAINT || cutOff(style); };
// The hidden `select` behind a control, and the box that stands for it, by the control; of the latest look.
let themed = new WeakMap();
const chosenIn = (select) => norm([...select.selectedOptions].filter((option) => option.value !== '' || select.multiple).map((option) => option.textContent).join(', '));
function shows(stand, select) {
  const shown = textOf(stand).toLowerCase(), said = [...select.selectedOptions, select.options[0]].filter(Boolean).map((option) => norm(option.textContent).toLowerCase());
  return !!stand.querySelector('[role=combobox],[role=listbox],[aria-haspopup],input') || stand.matches('[role=combobox],[role=listbox],[aria-haspopup]') || said.some((words) => words && shown.startsWith(words)) || (!shown && select.selectedOptions.length === 0);
}
function findThemed() {
  themed = new WeakMap();
  const hidden = [...document.querySelectorAll('select')].slice(0, 500).filter(unseenNative);
  for (const select of hidden) {
    const around = select.parentElement;
    for (const stand of [select.nextElementSibling, select.previousElementSibling, around, around?.nextElementSibling]) {
      if (!stand || stand.matches('select,script,style,body,form,label,table,tr,td,ul,option') || !stand.checkVisibility({ visibilityProperty: true })) continue;
      const rect = stand.getBoundingClientRect();
      if (rect.width < 24 || rect.height < 12 || rect.height > 240 || stand.querySelectorAll('select').length > 1 || !shows(stand, select)) continue;
      const el = stand.matches('button,a,[role=combobox],[aria-haspopup]') ? stand : [...stand.querySelectorAll('[role=combobox],button[aria-haspopup],[aria-haspopup=listbox]')].find((node) => node.checkVisibility()) || stand;
      themed.set(el, { select, stand });
      break;
    }
  }
}
// The floating boxes of the lists that a control says it has open; of the latest look.
const opened = new Set();
function findOpened() {
  opened.clear();
  for (const owner of [...document.querySelectorAll('[aria-expanded=true]')].slice(0, 50)) {
    for (let node = [...byIds(owner, 'aria-controls'), ...byIds(owner, 'aria-owns')][0], i = 0; node && node !== document.body && i < 5 && !node.contains(owner); node = parentOf(node), i++) if (/^(absolute|fixed)$/.test(styleOf(node).position)) { opened.add(node); break; }
  }
}
// What is drawn for a check box, radio, switch or slider that itself cannot be seen and has no label of its own.
function drawnFor(el) {
  if (el.localName !== 'input' || !/^(checkbox|radio|range)$/.test(el.type) || !unseenNative(el)) return null;
  if (el.type === 'range') return thumbOf(el);
  for (const box of el.labels?.length ? [el.nextElementSibling] : [el.nextElementSibling, el.previousElementSibling, el.parentElement]) {
    if (!box || box.matches('label,td,tr,form,body') || !box.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const rect = box.getBoundingClientRect();
    if (rect.width >= 8 && rect.height >= 8 && rect.width <= 140 && rect.height <= 70) return box;
  }
  return null;
}
// The knob around a native slider that is hidden in it.
function thumbOf(el) {
  const rect = el.parentElement.getBoundingClientRect();
  return rect.width >= 8 && rect.height >= 8 && rect.width <= 60 && rect.height <= 60 ? el.parentElement : null;
}

// What a control points at in its own document, by whatever attribute says so.
function targetsOf(el) {
  const said = [el.getAttribute('aria-controls'), el.getAttribute('data-bs-target') || el.getAttribute('data-target'), /^#[\w-]/.test(el.getAttribute('href') || '') ? el.getAttribute('href') : ''];
  return said.filter(Boolean).flatMap((ids) => ids.split(/\s+/)).map((id) => el.getRootNode().getElementById?.(id.replace(/^#/, ''))).filter(Boolean);
}
const pointsAway = (el) => el.hasAttribute('aria-controls') || el.hasAttribute('data-bs-target') || el.hasAttribute('data-target') || el.getAttribute('href')?.[0] === '#';
// Links of one list that each show one of several panels beside each other, of which one is on show: tabs, whatever they are called.
const tabLists = new Map();
function isTabLink(el) {
  if (el.localName !== 'a' && el.localName !== 'button' || !pointsAway(el) || explicitRole(el) || el.closest('[role=tab]')) return false;
  const list = el.closest('ul,ol,nav,menu') || el.parentElement;
  if (!list || !targetsOf(el).length) return false;
  let tabs = tabLists.get(list);
  if (!tabs) {
    const links = [...list.querySelectorAll('a,button')].slice(0, 40).map((link) => [link, targetsOf(link)[0]]).filter(([, panel]) => panel && !list.contains(panel));
    const panels = new Set(links.map(([, panel]) => panel)), [first] = panels;
    const beside = panels.size > 1 && [...panels].every((panel) => panel.parentElement === first.parentElement);
    tabs = beside && [...panels].filter((panel) => panel.checkVisibility()).length === 1 ? new Set(links.map(([link]) => link)) : new Set();
    tabLists.set(list, tabs);
  }
  return tabs.has(el);
}
// Whether a control folds something away that is now hidden (`collapsed`) or on show (`expanded`), where it does not say so itself; else ''.
function foldOf(el) {
  if (FIELDS.has(explicitRole(el)) || /^(input|select|textarea)$/.test(el.localName)) return '';
  const kind = el.getAttribute('data-bs-toggle') || el.getAttribute('data-toggle');
  const below = el.nextElementSibling;
  if (kind === 'collapse') { const [part] = targetsOf(el); return part ? (part.checkVisibility() ? 'expanded' : 'collapsed') : ''; }
  if (/^(true|menu|listbox|tree)$/.test(el.getAttribute('aria-haspopup') || '') || kind === 'dropdown') return below && /menu|listbox/.test(`${explicitRole(below)} ${classOf(below)}`) && below.checkVisibility() ? 'expanded' : 'collapsed';
  // An entry of a nested list whose own list is hidden until it is pressed.
  const href = el.getAttribute('href');
  if (below && /^(ul|ol)$/.test(below.localName) && el.parentElement.localName === 'li' && below.querySelector('a,button,[role=menuitem],li[class*=item]') && (!href || /^(#|javascript:)/.test(href) || !below.checkVisibility())) return below.checkVisibility() && below.getBoundingClientRect().height > 2 ? 'expanded' : 'collapsed';
  return '';
}

// An arrow without words: a character for it, an icon called so, or a triangle that is drawn with borders.
const ARROWS = /^[▾▼▿⌄˅🔽⏷∨]$/u;
function isArrow(el) {
  const shown = textOf(el);
  if (ARROWS.test(shown)) return true;
  if (/[\p{L}\p{N}]/u.test(shown)) return false;
  if ([el, ...el.querySelectorAll('*')].slice(0, 8).some((node) => /(^|[-_ ])(caret|chevron-down|angle-down|arrow-down|arrow-drop-down|expand-more|down|dropdown-toggle(-split)?)($|[-_ ])/i.test(iconWords(node)))) return true;
  return [...el.querySelectorAll('*')].slice(0, 6).flatMap((node) => [[node, null], [node, '::after']]).concat([[el, '::after'], [el, '::before']]).some(([node, part]) => {
    const style = part ? getComputedStyle(node, part) : styleOf(node);
    if (part && style.content === 'none') return false;
    return parseFloat(style.width) < 2 && parseFloat(style.borderTopWidth) >= 3 && style.borderTopStyle !== 'none' && alphaOf(style.borderTopColor) > 0.1 && parseFloat(style.borderLeftWidth) >= 3 && alphaOf(style.borderLeftColor) < 0.1;
  });
}
// The button that an arrow stands directly beside, with which it makes one split button.
function splitFrom(el) {
  const box = el.getBoundingClientRect();
  for (const other of [el.previousElementSibling, el.parentElement?.previousElementSibling]) {
    const button = other?.matches('button,a,[role=button],input') ? other : other?.querySelector('button,a,[role=button],input[type=submit],input[type=button]');
    if (!button) continue;
    const rect = button.getBoundingClientRect();
    if (Math.abs(rect.right - box.left) < 6 && Math.abs(rect.top - box.top) < 6 && Math.abs(rect.height - box.height) < 6) return button;
  }
  return null;
}
// Words that are there for nobody's eyes but name a control: text that is cut off for readers of the screen alone.
function spokenName(el) {
  const words = [...el.querySelectorAll('*')].slice(0, 20).filter((node) => node.children.length === 0 && cutOff(styleOf(node))).map((node) => norm(node.textContent)).filter(Boolean).join(' ');
  return words.length < 80 ? words : '';
}
