"""Right answers of simple MiniWoB++ tasks, as JavaScript that reads goal and page: a
list of `[kind, path, text]`.

They exist to have rewarded episodes among those that are compared; no policy sees them.
"""

from __future__ import annotations

HELPERS = """
const path = (e) => { const parts = [];
  for (; e && e !== document.body; e = e.parentElement) parts.unshift(`*:nth-child(${[...e.parentElement.children].indexOf(e) + 1})`);
  return 'body > ' + parts.join(' > '); };
const all = (css) => [...document.querySelectorAll('#wrap ' + css + ', .ui-dialog ' + css)];
const text = (e) => e.textContent.trim();
const click = (e) => ['click', path(e), ''], type = (e, words) => ['type', path(e), words];
const submit = () => click(all('button').find((e) => /submit|login/i.test(text(e))));
const quoted = typeof goal === 'string' ? [...goal.matchAll(/"([^"]*)"/g)].map((found) => found[1]) : [];
const boxes = () => goal.replace(/^Select (words similar to )?/, '').replace(/ and click.*/, '').split(', ')
  .map((word) => all('label').find((e) => text(e) === word)).filter(Boolean).map((e) => click(e.querySelector('input')));
"""

_BUTTON = "return [click(all('button').find((e) => text(e) === quoted[0]))];"
_TEXT = "return [type(all('input[type=text]')[0], quoted[0]), submit()];"
_BOXES = "return [...boxes(), submit()];"

ANSWERS = {
    "click-test": "return [click(all('button')[0])];",
    "click-test-2": "return [click(all('button').find((e) => text(e) === 'ONE'))];",
    "click-test-transfer": "return [click(all('button').find((e) => text(e) === 'ONE'))];",
    "click-button": _BUTTON,
    "click-button-sequence": (
        "return ['ONE', 'TWO'].map((name) => click(all('button').find((e) => text(e) === name)));"
    ),
    "click-link": "return [click(all('.alink').find((e) => text(e) === quoted[0]))];",
    "click-checkboxes": _BOXES,
    "click-checkboxes-transfer": _BOXES,
    "click-checkboxes-large": _BOXES,
    "click-option": (
        """const word = goal.match(/^Select (.*) and click/)[1];
      return [click(all('label').find((e) => text(e) === word).querySelector('input')), submit()];"""
    ),
    "click-dialog": "return [click(document.querySelector('.ui-dialog-titlebar-close'))];",
    "click-dialog-2": (
        """return [click(quoted[0].toLowerCase() === 'x' ? document.querySelector('.ui-dialog-titlebar-close')
      : [...document.querySelectorAll('.ui-dialog-buttonset button')].find((e) => text(e) === quoted[0]))];"""
    ),
    "click-tab": "return [click(all('a').find((e) => text(e) === goal.match(/Tab #\\d/)[0]))];",
    "choose-list": (
        """const word = goal.match(/^Select (.*) from the list/)[1];
      return [['select', path(all('select')[0]), word], submit()];"""
    ),
    "enter-text": _TEXT,
    "enter-text-2": (
        """const word = /upper/.test(goal) ? quoted[0].toUpperCase() : quoted[0].toLowerCase();
      return [type(all('input[type=text]')[0], word), submit()];"""
    ),
    "enter-password": "return [...all('input').map((e) => type(e, quoted[0])), submit()];",
    "login-user": (
        "return [...all('input').slice(0, 2).map((e, n) => type(e, quoted[n])), submit()];"
    ),
    "focus-text": "return [click(all('input')[0])];",
    "focus-text-2": (
        "return [click(all('input')[parseInt(goal.match(/(\\d)(st|nd|rd|th)/)[1]) - 1])];"
    ),
    "read-table": (
        """const word = goal.match(/^Enter the value of (.*) into/)[1];
      const row = all('tr').find((e) => text(e.children[0]) === word);
      return [type(all('input')[0], text(row.children[1])), submit()];"""
    ),
    "simple-arithmetic": (
        """const sum = text(document.querySelector('#math-problem')).match(/(\\d+)\\s*([x+-])\\s*(\\d+)/);
      const [a, b] = [+sum[1], +sum[3]], value = sum[2] === 'x' ? a * b : sum[2] === '+' ? a + b : a - b;
      return [type(all('input')[0], String(value)), submit()];"""
    ),
}
