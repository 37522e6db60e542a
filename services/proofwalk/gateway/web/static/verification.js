// What script adds to the page of a walk: steps change in place and keep their addresses,
// keys go through them, and a walk that goes on is read again (`refresh` of console.js).
"use strict";

(() => {
  const LOOK_EVERY_MS = 2000;
  const replay = () => document.querySelector("[data-replay]");
  if (!replay()) return;
  const all = (selector) => [...replay().querySelectorAll(selector)];
  const shots = () => all("[data-step]");
  const shown = () => shots().find((one) => !one.hidden);

  function light(shot) {
    for (const one of all("[data-of]")) {
      const lit = one.dataset.of === shot.dataset.substep;
      one.classList.toggle("lit", lit);
      if (lit) one.setAttribute("aria-current", "step"); else one.removeAttribute("aria-current");
    }
    for (const one of all(".source .lit")) one.classList.remove("lit");
    const line = document.getElementById(`line-${shot.dataset.line}`);
    if (line) line.classList.add("lit");
    for (const sentence of all(".lit")) scrollWithin(sentence);
  }

  // Within its own list alone: the page stays where its reader has it.
  function scrollWithin(one) {
    const list = one.parentElement;
    if (list.scrollHeight > list.clientHeight) list.scrollTop = one.offsetTop - list.offsetTop - list.clientHeight / 3;
    if (list.scrollWidth > list.clientWidth) list.scrollLeft = one.offsetLeft - list.offsetLeft - list.clientWidth / 3;
  }

  // The address names the step; without one, a walk that goes on shows its newest.
  function remember(number, follows) {
    const address = new URL(location.href);
    if (follows) address.searchParams.delete("step"); else address.searchParams.set("step", number);
    history.replaceState(null, "", address);
  }

  function show(number) {
    const every = shots();
    const chosen = every.find((one) => one.dataset.step === String(number));
    if (!chosen) return;
    for (const one of every) one.hidden = one !== chosen;
    for (const frame of all(".film a")) {
      if (frame.dataset.go === chosen.dataset.step) { frame.setAttribute("aria-current", "true"); scrollWithin(frame.parentElement); }
      else frame.removeAttribute("aria-current");
    }
    light(chosen);
    remember(chosen.dataset.step, "open" in replay().dataset && chosen === every.at(-1));
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-go]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    show(link.dataset.go);
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target.closest("input, select, textarea, summary, .source")) return;
    const every = shots();
    const at = every.indexOf(shown());
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: every.length - 1 }[event.key];
    if (next === undefined || !every[next]) return;
    event.preventDefault();
    show(every[next].dataset.step);
    const frame = document.activeElement.closest(".film") && all(".film a").find((one) => one.hasAttribute("aria-current"));
    if (frame) frame.focus({ preventScroll: true });
  });

  setInterval(() => {
    if (!document.hidden && "open" in replay().dataset) refresh();
  }, LOOK_EVERY_MS);
  const first = shown();
  if (first) { light(first); for (const one of all(".film [aria-current]")) scrollWithin(one.parentElement); }
})();
