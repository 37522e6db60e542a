// What a page does wrong; evaluated in it by accessibility.py.
() => {
  const contrast = () => {
  const channel = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const read = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = read(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const weak = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    if (!text || !element.checkVisibility() || element.closest("svg, option, .skip")) continue;
    const [a, b] = [light(read(getComputedStyle(element).color)), light(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) weak.push(`${text.slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return weak;
};
  const structure = () => {
  const wrong = [];
  const say = (condition, what) => { if (!condition) wrong.push(what); };
  const all = (selector) => [...document.querySelectorAll(selector)];
  say(all("h1").length === 1, "one h1");
  say(all("main").length === 1, "one main");
  say(document.documentElement.lang, "a language");
  say(document.title.trim(), "a title");
  for (const one of all("nav, form[role=search]")) say(one.ariaLabel, "a nav's name");
  for (const one of all("main section")) {
    say(one.ariaLabel || document.getElementById(one.getAttribute("aria-labelledby") || "") || one.classList.contains("card"), "a section's name");
  }
  for (const one of all("input:not([type=hidden]), select, textarea")) say(one.labels.length, `a label of ${one.name}`);
  for (const one of all("button, a")) say(one.textContent.trim() || one.ariaLabel, "a name of a control");
  for (const one of all("img")) say(one.hasAttribute("alt"), "alt of an image");
  for (const one of all("svg[role=img]")) say(one.querySelector("title") && one.querySelector("desc"), "title and desc of a chart");
  for (const one of all("th")) say(one.scope, "the scope of a heading cell");
  for (const one of all("[aria-describedby]")) {
    for (const id of one.getAttribute("aria-describedby").split(/ +/)) say(document.getElementById(id), `#${id}`);
  }
  const ids = all("[id]").map((one) => one.id);
  say(new Set(ids).size === ids.length, `ids once: ${ids.filter((id, at) => ids.indexOf(id) !== at)}`);
  const levels = all("h1, h2, h3").map((one) => Number(one.tagName[1]));
  levels.forEach((level, at) => say(at === 0 || level <= levels[at - 1] + 1, "headings in order"));
  say(document.documentElement.scrollWidth <= innerWidth, "nothing wider than the window");
  return wrong;
};
  return [...contrast(), ...structure()];
}
