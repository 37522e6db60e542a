// What a person sees of one element: role, name, value, states, label. Pure reading; nothing is written into the page.
// Runs in an isolated world, together with look.js and act.js, as one function body; see `console.worlds`.
const MAX_TEXT = 2000;
const WIDGETS = new Set(['button', 'link', 'textbox', 'searchbox', 'combobox', 'option', 'menuitem', 'menuitemcheckbox', 'menuitemradio',
  'tab', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton', 'treeitem']);
const FIELDS = new Set(['textbox', 'combobox', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton']);
const CONTROL = 'input:not([type=hidden]),select,textarea,button,[role=combobox],[role=switch],[role=slider],[role=checkbox],[role=radio],[contenteditable=""],[contenteditable=true]';
const FILLABLE = CONTROL.replace('button,', '');
const GENERIC = /^(select|input|combobox|button|icon|textbox|search|please select|number ?picker)$/i;
const closedRoots = new WeakMap();
const styles = new Map();

// Characters without a shape go: they carry words that nobody sees (Unicode tags, variation selectors), or turn the reading direction around.
const norm = (s) => (s || '').replace(/[\s\u00a0\u200b\ufeff]+/g, ' ').replace(/[\x00-\x1f\x7f-\x9f\u00ad\u200e\u200f\u202a-\u202e\u2060-\u206f\ue000-\uf8ff]|\udb40[\udc00-\uddef]/g, '').trim();
// The words that an element shows. Most hold one text and nothing else, for which `innerText` would lay the page out for nothing.
// What was read is kept with the element's style, and forgotten with it.
const shownTexts = new WeakMap();
function textOf(el) {
  if (!el) return '';
  if (el.nodeType !== 1) return norm(el.textContent).slice(0, MAX_TEXT);
  const style = styleOf(el);
  let text = shownTexts.get(style);
  if (text === undefined) {
    const first = el.firstChild;
    if (!first) text = '';
    else if (first.nodeType === 3 && !first.nextSibling && style.visibility === 'visible' && style.display !== 'none' && style.textTransform === 'none') text = norm(first.data.slice(0, 4 * MAX_TEXT)).slice(0, MAX_TEXT);
    else if (slotsIn(el)) text = norm(slottedText(el)).slice(0, MAX_TEXT);
    else text = norm(partlyFaint(el) ? readable(el) : el.innerText ?? el.textContent).slice(0, MAX_TEXT);
    shownTexts.set(style, text);
  }
  return text;
}
// Words in a slot are those that are slotted into it, which are no descendants.
const slotsIn = (el) => rootNodeOf.call(el) !== document && (el.localName === 'slot' || !!el.querySelector('slot'));
function slottedText(el, depth = 0) {
  if (el.nodeType === 3) return el.data;
  if (el.nodeType !== 1 || depth > 30 || /^(style|script|template|noscript)$/.test(el.localName)) return '';
  const style = styleOf(el);
  if (style.display === 'none' || style.visibility !== 'visible' || faint(el)) return '';
  const assigned = el.localName === 'slot' ? el.assignedNodes({ flatten: true }) : [];
  const nodes = assigned.length ? assigned : rootOf(el)?.childNodes ?? el.childNodes;
  return [...nodes].slice(0, 500).map((node) => slottedText(node, depth + 1)).join(style.display.startsWith('inline') ? '' : ' ');
}
const attr = (el, name) => norm((el.getAttribute(name) || '').slice(0, MAX_TEXT));
const classOf = (el) => (typeof el.className === 'string' ? el.className : el.getAttribute('class') || '');
// A table that is drawn with elements or classes of its own, and says no roles: ngx-datatable, SlickGrid, react-table.
const DRAWN = /(?:^|[ _-])(?:datatable|data-table|slick|grid|rt)-(?:body-)?(row|tr|cell|td|header-cell|header-column|th)(?=$| )/;
const DRAWN_ROLES = { row: 'row', tr: 'row', cell: 'gridcell', td: 'gridcell', 'header-cell': 'columnheader', 'header-column': 'columnheader', th: 'columnheader' };
const drawnWords = new Map();
function drawnPart(el) {
  const tag = el.localName;
  if (tag !== 'div' && tag !== 'span' && !tag.includes('-')) return '';
  const words = `${tag} ${classOf(el)}`;
  let part = drawnWords.get(words);
  if (part === undefined) {
    part = DRAWN_ROLES[DRAWN.exec(words)?.[1]] || '';
    if (drawnWords.size > 5000) drawnWords.clear();
    drawnWords.set(words, part);
  }
  return part;
}
const drawnParts = (el, role) => [...el.querySelectorAll('*')].filter((node) => drawnPart(node) === role);
const drawnRow = (el) => drawnPart(el) === 'row' && drawnParts(el, 'gridcell').length > 1;
// A row of a drawn table that is chosen says so by its class alone.
const inChosenRow = (el) => { for (let node = parentOf(el), i = 0; node && i < 4; node = parentOf(node), i++) if (drawnPart(node) === 'row') return /(^| )(active|selected)($| )/.test(classOf(node)); return false; };
const explicitRole = (el) => (el.getAttribute('role') || '').trim().split(/\s+/)[0] || drawnPart(el);
const rootOf = (el) => el.shadowRoot || closedRoots.get(el) || null;
// A form has its fields for properties, whatever their names (`<input name=parentElement>`), and the document its forms and images.
const reader = (of, name) => Object.getOwnPropertyDescriptor(of, name).get;
const slotOf = reader(Element.prototype, 'assignedSlot'), parentElementOf = reader(Node.prototype, 'parentElement'), rootNodeOf = Node.prototype.getRootNode;
const lastChildOf = reader(Element.prototype, 'lastElementChild'), previousOf = reader(Element.prototype, 'previousElementSibling'), bodyOf = reader(Document.prototype, 'body');
const parentOf = (el) => slotOf.call(el) || parentElementOf.call(el) || (rootNodeOf.call(el).host ?? null);
const byIds = (el, name) => (el.getAttribute(name) || '').slice(0, MAX_TEXT).split(/\s+/).filter(Boolean).slice(0, 20).map((id) => el.getRootNode().getElementById?.(id)).filter(Boolean);

function styleOf(el) {
  let style = styles.get(el);
  if (!style) { style = getComputedStyle(el); styles.set(el, style); }
  return style;
}

// What is laid out, and yet nobody can read. Answers are kept with the element's style, as texts are.
const FAINT = 0.1;
const faints = new WeakMap(), backdrops = new WeakMap(), contrasts = new Map();
function faint(el) {
  const style = styleOf(el);
  let why = faints.get(style);
  if (why === undefined) {
    why = veil(el, style) || (parseFloat(style.fontSize) < 3 ? 'too small' : inkless(el, style));
    faints.set(style, why);
  }
  return why;
}
// What hides an element with all that is in it. Size and colour are a text's own: an element inside may set them anew.
const veil = (el, style) => (+style.opacity < FAINT && !el.getAnimations?.().length ? 'transparent' : cutOff(style) ? 'cut off' : '');
const cutOff = (style) => (style.clipPath !== 'none' && /^(inset\((?:[5-9]\d|100)(?:\.\d+)?%|circle\(0(?:px|%)? )/.test(style.clipPath)) || (style.position === 'absolute' && /^rect\(0px, 0px, 0px, 0px\)$/.test(style.clip));
// How much of a computed colour hides what is behind it, 0 to 1.
function alphaOf(color) {
  if (color.startsWith('rgb(')) return 1;
  const given = /^rgba\(.*, ([\d.]+)\)$/.exec(color) || /\/ ([\d.]+)\)$/.exec(color);
  return given ? +given[1] : color === 'transparent' ? 0 : 1;
}
function inkless(el, style) {
  const color = style.webkitTextFillColor;
  if (alphaOf(color) < FAINT) return 'transparent';
  return alike(color, backdropOf(el)) ? 'the colour of its background' : '';
}
function alike(one, other) {
  if (one === other || !other) return one === other;
  const pair = `${one}/${other}`;
  let same = contrasts.get(pair);
  if (same === undefined) {
    const [a, b] = [one, other].map((color) => color.match(/[\d.]+/g).map(Number));
    same = /^rgb/.test(one) && /^rgb\(/.test(other) && [0, 1, 2].every((i) => Math.abs(a[i] - b[i]) < 6);
    if (contrasts.size > 500) contrasts.clear();
    contrasts.set(pair, same);
  }
  return same;
}
// The colour behind an element's text; empty when it is a picture, or another document's.
function backdropOf(el) {
  const through = [];
  let color;
  for (let node = el; color === undefined; node = parentOf(node)) {
    if (!node) { color = window === top ? 'rgb(255, 255, 255)' : ''; break; }
    const style = styleOf(node);
    color = backdrops.get(style);
    if (color !== undefined) break;
    through.push(style);
    if (style.backgroundImage !== 'none') color = ''; else if (style.backgroundColor !== 'rgba(0, 0, 0, 0)') color = style.backgroundColor;
  }
  for (const style of through) backdrops.set(style, color);
  return color;
}
// Whether some of an element's words are there for nobody: then its text is put together from the others.
function partlyFaint(el) {
  const inner = el.getElementsByTagName('*');
  for (let i = 0; i < inner.length && i < 1000; i++) if (inner[i].firstChild && faint(inner[i])) return true;
  return false;
}
function readable(el) {
  const unread = (node) => (node.nodeType === 1 ? styleOf(node).display === 'none' || veil(node, styleOf(node)) : faint(node.parentElement) || styleOf(node.parentElement).visibility !== 'visible');
  const walker = document.createTreeWalker(el, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => (unread(node) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
  let words = '';
  while (walker.nextNode() && words.length < 4 * MAX_TEXT) {
    const node = walker.currentNode;
    if (node.nodeType === 3) words += node.data; else if (!styleOf(node).display.startsWith('inline')) words += ' ';
  }
  return words;
}

function within(outer, inner) {
  for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
  return false;
}

// What is turned on and off by a press on its label: a box or dot, or a button that is a switch.
const isMark = (el) => el?.localName === 'input' ? /^(checkbox|radio)$/.test(el.type) : el?.localName === 'button' && /^(switch|checkbox|radio)$/.test(explicitRole(el)) && el.labels?.length > 0;
const markRole = (el) => el.localName === 'input' ? inputRole(el) : explicitRole(el);
function inputRole(el) {
  switch (el.type) {
    case 'checkbox': return 'checkbox';
    case 'radio': return 'radio';
    case 'range': return 'slider';
    case 'number': return 'spinbutton';
    case 'button': case 'submit': case 'reset': case 'image': case 'file': case 'color': return 'button';
    case 'hidden': return '';
    default: return el.list ? 'combobox' : 'textbox';
  }
}

// A text field that cannot be typed into and is pressed like a list of choices. A date is chosen otherwise.
const picks = (el, style) => el.readOnly && style.cursor === 'pointer' && inputRole(el) === 'textbox' && el.type !== 'password' && !/date|time|日期|时间/i.test(`${el.placeholder} ${classOf(el)} ${el.parentElement ? classOf(el.parentElement) : ''}`);

// A button that drops a list of choices, and is labelled as a field is.
const choosesFromList = (el) => { const popup = el.getAttribute('aria-haspopup'); return popup === 'listbox' || (popup === 'dialog' && el.labels?.length > 0 && el.hasAttribute('aria-expanded')); };

// Elements that listen to presses themselves, as the page's own world has told (`quiet.js`), and the drawings that hold such.
const listeners = new WeakSet(), drawings = new WeakSet();
addEventListener('proofwalk:call', (event) => {
  const el = event.composedPath()[0];
  if (!(el instanceof Element)) return;
  listeners.add(el);
  for (let svg = el.ownerSVGElement; svg; svg = svg.ownerSVGElement) drawings.add(svg);
}, true);
// A listener on something that holds much is there for its children (delegation); on little it is what a person presses.
const listens = (el) => listeners.has(el) && (el.ownerSVGElement || el.getElementsByTagName('*').length <= 3);

// The role of an interactive element, or '' when it is none. `pointer` tells that its parent already shows the hand.
// Toolkits listen on every tag, for whoever may want to hear of it; one that can be pressed shows a hand.
const IS_TAG = /(^|[ -])(tag|badge)( |$)/;
// What holds controls and is none itself, whether or not it listens to what is pressed in it.
const HOLDERS = /^(dialog|alertdialog|menu|menubar|listbox|tablist|tabpanel|radiogroup|tree|document|main|application)$/;
// A box that a toolkit keeps for the form's own sake: nobody sees it, and no key reaches it.
const isKept = (el, style) => el.tabIndex < 0 && style.opacity === '0' && el.getAttribute('aria-hidden') === 'true' && inputRole(el) === 'textbox';
// The input of a drawn select in which one may also search: it has no role, but its box is a select by its class, and shows an arrow.
function isOfSelect(el) {
  if (el.type !== 'text') return false;
  for (let node = el.parentElement, depth = 0; node && depth < 5; node = node.parentElement, depth++) if ([...node.classList].some((name) => /^[a-z]+-select(?:-input)?$/.test(name))) return !!node.querySelector('svg[class*=arrow],[class*=caret],[class*=arrow],[class*=chevron]');
  return false;
}
// A row that is pressed as a whole, and is not told as one control, is pressed on its first words.
function opensRow(el) {
  const row = el.localName === 'td' ? el.parentElement : null;
  const hand = row && styleOf(row).cursor === 'pointer';
  if (!row || hand && !deepControl(row) || !hand && !listeners.has(row)) return false;
  return [...row.children].find((cell) => cell.localName === 'td' && textOf(cell) && !deepControl(cell)) === el;
}
function roleOf(el, style, pointer) {
  const explicit = explicitRole(el);
  if (themed.has(el)) return 'combobox';
  if (WIDGETS.has(explicit)) return explicit === 'searchbox' ? 'textbox' : explicit;
  if (isTabLink(el)) return 'tab';
  switch (el.localName) {
    case 'button': return choosesFromList(el) ? 'combobox' : 'button';
    case 'summary': return 'button';
    case 'input': return isKept(el, style) ? '' : picks(el, style) || isOfSelect(el) ? 'combobox' : inputRole(el);
    case 'select': return 'combobox';
    case 'textarea': return 'textbox';
    case 'option': case 'label': case 'body': case 'html': return '';
    case 'a': if (el.hasAttribute('href') || style.cursor === 'pointer' || el.hasAttribute('tabindex')) return 'link';
  }
  if (el.hasAttribute('contenteditable') && el.isContentEditable && !el.parentElement?.isContentEditable) return 'textbox';
  if (el.localName === 'iframe' || el.localName === 'ul' || HOLDERS.test(explicit)) return '';
  const pressed = listens(el);
  if (!pressed && (el.localName === 'svg' || el.ownerSVGElement)) return '';
  const hand = !pointer && (style.cursor === 'pointer' || style.cursor === 'grab' || style.cursor === 'not-allowed');
  const opens = !hand && opensRow(el);
  const tabbable = el.hasAttribute('tabindex') && el.tabIndex >= 0 && !/^(dialog|alertdialog|menu|listbox|tablist|tabpanel|grid|table|row|gridcell|document|main|region|tree|tooltip|application)$/.test(explicit);
  if (!hand && !opens && !tabbable && (!pressed || IS_TAG.test(classOf(el)))) return '';
  const rect = el.getBoundingClientRect();
  if (rect.width * rect.height > 0.4 * innerWidth * innerHeight || deepControl(el) || rootOf(el)?.querySelector(HELD) || slotsControl(el) || partOfWidget(el)) return '';
  if (el.localName === 'td' || explicit === 'gridcell') return 'cell';
  if (el.localName === 'a') return 'link';
  return isDrawnSwitch(el, rect) ? 'switch' : 'button';
}
// A switch without a role, as TDesign draws it: by its class, its size, and that it holds no words of a button.
const isDrawnSwitch = (el, rect) => [...el.classList].some((name) => /^(?:[a-z]+-)?switch$/.test(name)) && rect.width >= 20 && rect.width <= 120 && rect.height >= 10 && rect.height <= 44 && textOf(el).length <= 6;
const isTurnedOn = (el) => !el.hasAttribute('role') && [...el.classList].some((name) => /(?:^|-)(?:is-)?(?:checked|on|active)$/.test(name));

const HELD = 'a,button,input:not([type=hidden]),select,textarea,[role=option],[role=menuitem],[role=tab],[role=switch],[role=slider],[role=combobox],[tabindex="0"]';
const deepControl = (el) => el.querySelector(HELD);
// What is slotted into an element is in it for whoever looks: the trigger and the entries of a menu that is drawn in a shadow root.
const holds = (el) => el.matches(HELD) || !!deepControl(el) || !!rootOf(el)?.querySelector(HELD) || [...el.children].some((child) => child.localName.includes('-') && rootOf(child)?.querySelector(HELD));
const slotsControl = (el) => [...(el.localName === 'slot' ? [el] : []), ...el.querySelectorAll('slot')].slice(0, 8).some((slot) => slot.assignedElements({ flatten: true }).slice(0, 20).some(holds));
// A part of what a toolkit draws inside of one control.
const partOfWidget = (el) => { const host = rootNodeOf.call(el).host; return host instanceof Element && WIDGETS.has(explicitRole(host)); };

// A combobox's input is a slit in the box that people see: the whole box is the widget.
function widgetOf(el) {
  if (explicitRole(el) !== 'combobox' || el.localName !== 'input') return el;
  let widget = el;
  for (let i = 0; i < 6; i++) {
    const parent = widget.parentElement;
    if (!parent || /^(td|th|label|form|body|li|header|nav|aside|main|section)$/.test(parent.localName) || /form-item/.test(classOf(parent)) || /^(gridcell|row|cell|dialog)$/.test(explicitRole(parent))) break;
    const rect = parent.getBoundingClientRect();
    if (rect.height > Math.max(60, widget.getBoundingClientRect().height * 1.6) || hasSeveral(parent, FILLABLE)) break;
    widget = parent;
  }
  return widget;
}

// Whether it, or what is in it, is drawn: an element of `display: contents` has no box of its own, and shows what it holds.
const isDrawn = (el) => el.checkVisibility?.() !== false || (styleOf(el).display === 'contents' && (!el.parentElement || isDrawn(el.parentElement)));

// What tells an icon's name: classes, references, and the attributes that sets of icons keep it in.
const ICON_ATTRIBUTES = ['data-icon', 'data-mat-icon-name', 'data-testid', 'icontype', 'nztype', 'shape', 'name', 'type', 'href', 'xlink:href', 'src'];
const iconWords = (node) => [classOf(node), ...ICON_ATTRIBUTES.map((name) => (node.getAttribute(name) || '').slice(0, 200))].join(' ');
const ICON_NOISE = /^(only|first|last|left|right|alone|wrapper|remote|xs|sm|lg|small|medium|large|xl|xxs|xxl|xxxl|inherit|size|btn|button|fw|spin|pulse|svg|inline|stack|regular|solid|default|\d+x?)$/i;
function iconName(el) {
  const icon = [el, ...el.querySelectorAll('i,svg,span,use,img,[data-icon],[class*=icon]')].slice(0, 8);
  for (const node of icon) {
    const words = iconWords(node);
    if (/ellipsis|more\b|more[-_]?vert|more[-_]?horiz|kebab|overflow|three-?dots/i.test(words.replace(/MoreVert|MoreHoriz/g, 'more-vert'))) return 'More';
    if (/(^|[ _-])(close|cross|times|xmark)((-|_)?(icon|btn|button|x|circle|outlined?|filled))?($| )|delete-filling|btn-close/i.test(words) && !/(switcher|toggle|expand|collapse|caret|arrow|folder)[\w-]*_?-?close/i.test(words)) return 'Close';
    for (const found of words.matchAll(/(?:icon-|(?:^| )(?:fa|bi|mdi|ti|ri|pi|las|ion|glyphicon|codicon|octicon)-)([a-z][a-z0-9-]{1,})/gi)) if (!ICON_NOISE.test(found[1])) return found[1].replace(/-/g, ' ').trim();
    const kept = node.getAttribute('data-icon') || node.getAttribute('data-mat-icon-name') || '';
    if (/^[a-z][\w-]{1,40}$/i.test(kept) && !ICON_NOISE.test(kept) && !/^(up|down|caret|angle)\b/i.test(kept)) return kept.replace(/[-_]+/g, ' ').toLowerCase();
    const named = node === el ? null : /(?:^| |\/|#)([A-Za-z][\w-]{2,40}?)(?:Icon|\.svg|\.png|\.gif)(?:$|[ ?#])/.exec(words) || (/^(use|cds-icon|clr-icon|mat-icon|anticon)$/.test(node.localName) ? /[#\s]([a-z][\w-]{2,40})(?=\s|$)/i.exec(words) : null);
    if (named && !ICON_NOISE.test(named[1])) return named[1].replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[-_]/g, ' ').toLowerCase();
  }
  return '';
}

function ownText(el) {
  if (/^(treeitem|menuitem|option|tab)$/.test(explicitRole(el)) || el.localName === 'li') {
    const first = (el.innerText ?? '').split('\n').map(norm).filter(Boolean);
    if (explicitRole(el) === 'treeitem' || el.querySelector('[role=menu],ul')) return first[0] || '';
    return norm(first.join(' '));
  }
  return textOf(el);
}

// The name of a picture button may stand on the element that is drawn around it alone.
function wrapperName(el) {
  const outer = el.parentElement;
  if (!outer || outer.childElementCount !== 1 || norm(outer.textContent)) return '';
  return attr(outer, 'aria-label') || attr(outer, 'title');
}

// The words of a label without the state that a switch shows in it: `Protection No` is *Protection*.
function spokenBy(label, role) {
  const words = textOf(label);
  if (role !== 'switch') return words;
  const shown = [...label.querySelectorAll('[aria-hidden=true]')].map(textOf).find((one) => one && words.length > one.length && words.endsWith(one));
  return shown ? norm(words.slice(0, -shown.length)) : words;
}
function nameOf(el, role, label) {
  const labelled = themed.has(el) ? '' : byIds(el, 'aria-labelledby').filter((node) => apart(node, el)).map((node) => spokenBy(node, role)).join(' ').trim();
  if (labelled) return labelled.slice(0, 160);
  const aria = attr(el, 'aria-label');
  if (role === 'radio' || role === 'checkbox') return (choiceText(el) || aria || label).slice(0, 160);
  if (FIELDS.has(role)) return (label || (GENERIC.test(aria) ? '' : aria) || attr(el, 'placeholder') || attr(el, 'title') || (role === 'combobox' ? hintIn(widgetOf(el)) : '')).slice(0, 160);
  if (el.localName === 'input') return norm(el.value) || aria || attr(el, 'title') || (el.type === 'submit' ? 'Submit' : el.type === 'file' ? label || 'Choose file' : '');
  const shown = ownText(el);
  if (shown && /[\p{L}\p{N}]/u.test(shown)) return shown.slice(0, 160);
  if (splitFrom(el) && isArrow(el)) return '▾';
  const icon = iconName(el);
  if (aria && !/[\u4e00-\u9fff]/.test(aria) && !GENERIC.test(aria)) return aria;
  if (icon === 'Close' || /^关闭$/.test(aria) || /^[×✕✖]$/.test(shown)) return 'Close';
  if (icon === 'More' || /^(⋮|…|\.\.\.|⋯)$/.test(shown)) return 'More';
  const image = el.querySelector('img[alt],svg title');
  const inner = el.querySelector('[title],[aria-label]');
  return ((image && norm(image.getAttribute('alt') || image.textContent)) || attr(el, 'title') || aria || wrapperName(el) || icon || spokenName(el) || (isArrow(el) && '▾') || (inner && (attr(inner, 'title') || attr(inner, 'aria-label'))) || shown || looksOf(el)).slice(0, 160);
}

// What is left to call a thing that is pressed and has no words: its shape and colour.
function looksOf(el) {
  if (!listens(el)) return '';
  const style = styleOf(el);
  if (el.ownerSVGElement) return [el.localName, style.fill === 'none' ? style.stroke : style.fill].join(', ');
  // Its own colour alone: one that a style sheet gives may change under the pointer.
  return !el.style.backgroundColor || style.backgroundColor === 'rgba(0, 0, 0, 0)' ? '' : `box, ${style.backgroundColor}`;
}

function valueOf(el, role, widget) {
  if (themed.has(el)) return chosenIn(themed.get(el).select);
  if (el.localName === 'select') return norm([...el.selectedOptions].map((option) => option.textContent).join(', '));
  if (role === 'checkbox' || role === 'radio' || role === 'switch') return '';
  if (el.localName === 'input' || el.localName === 'textarea') {
    if (el.type === 'password') return el.value.length ? '••••' : '';
    if (el.type === 'file') return [...el.files].map((file) => file.name).join(', ');
    if (role === 'button') return '';
    if (el.value) return el.value.slice(0, MAX_TEXT);
    if (widget !== el) { const shown = textOf(widget); return shown === el.placeholder || hintIn(widget) ? '' : shown; }
    return '';
  }
  if (role === 'slider' || role === 'spinbutton') return attr(el, 'aria-valuetext') || attr(el, 'aria-valuenow');
  if (role === 'combobox') return hintIn(el) ? '' : textOf(el);
  if (role === 'textbox') return textOf(el);
  return '';
}

// The words that a drawn list of choices shows while nothing is chosen.
function hintIn(widget) {
  const hint = [...widget.querySelectorAll('[class*=placeholder]')].find((node) => textOf(node) && (!/selected/.test(classOf(node)) || /transparent/.test(classOf(node))));
  return hint && textOf(hint) === textOf(widget) ? textOf(hint) : '';
}

function statesOf(el, role) {
  const states = [];
  const aria = (name) => el.getAttribute(`aria-${name}`);
  const classes = classOf(el);
  if (el.matches(':disabled') || aria('disabled') === 'true' || el.closest('[aria-disabled=true]') || (role !== 'textbox' && /(^|[-_ ])disabled($|[ ])/.test(classes)) || (el.localName === 'a' && el.hasAttribute('disabled') && el.getAttribute('disabled') !== 'false') || (role === 'cell' && styleOf(el).cursor === 'not-allowed') || (role === 'button' && el.localName !== 'button' && styleOf(el).cursor === 'not-allowed')) states.push('disabled');
  const checked = el.checked ?? undefined;
  if (/^(checkbox|radio|switch)$/.test(role) && checked !== undefined ? checked : (aria('checked') ?? (/^(checkbox|switch)$/.test(role) ? aria('pressed') : '')) === 'true' || (role === 'switch' && isTurnedOn(el))) states.push('checked');
  if (aria('selected') === 'true' || (aria('current') && aria('current') !== 'false') || ((role === 'option' || role === 'menuitem' || role === 'tab' || role === 'cell') && /(^|[-_ ])(selected|(?<!sort-)active)($| )/.test(classes) && !/focus/.test(classes)) || (role === 'cell' && inChosenRow(el)) || (role === 'tab' && isTabLink(el) && targetsOf(el)[0]?.checkVisibility())) states.push('selected');
  if (aria('expanded') === 'true' || (el.localName === 'summary' && el.parentElement.open)) states.push('expanded');
  else if (aria('expanded') === 'false' || el.localName === 'summary') states.push('collapsed');
  else { const fold = foldOf(el); if (fold) states.push(fold); }
  if (el.required || aria('required') === 'true' || (FIELDS.has(role) && role !== 'radio' && el.closest('[role=row],[class$=form-item],[class*="form-item "],.form-group,.form-row')?.querySelector('label[required],[class*=required]'))) states.push('required');
  if (el.readOnly && role === 'textbox') states.push('readonly');
  if (aria('invalid') === 'true') states.push('invalid');
  if (aria('pressed') === 'true') states.push('pressed');
  if (el === document.activeElement || el.getRootNode().activeElement === el) states.push('focused');
  return states;
}
