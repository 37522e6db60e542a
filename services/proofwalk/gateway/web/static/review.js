// What script adds to the review of findings: decisions in one key, sent without leaving
// the queue. The forms are the page's own, and so is the answer (`take` of console.js).
"use strict";

(() => {
  const rows = () => [...document.querySelectorAll("[data-row]")];
  const boxOf = (link) => link.closest("tr").querySelector("input[name=chosen]");
  let current = null;

  // The row that keys are about: the one with the focus, or that had it last.
  function row() {
    const every = rows();
    return every.includes(document.activeElement) ? document.activeElement : every[Math.min(current ?? 0, every.length - 1)];
  }

  document.addEventListener("focusin", () => {
    const at = rows().indexOf(document.activeElement);
    if (at >= 0) current = at;
  });

  // Without a chosen row, a decision is about the current one.
  function chooseOne(form) {
    if (!form || form.querySelector("input[name=chosen]:checked") || !row()) return;
    boxOf(row()).checked = true;
  }

  async function send(form, button) {
    const fields = new URLSearchParams(new FormData(form));
    fields.set(button.name, button.value);
    for (const one of form.querySelectorAll("button")) one.disabled = true;
    try {
      const answer = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "text/html" }, credentials: "same-origin" });
      if (answer.redirected) { location.reload(); return; }
      take(await answer.text());
      const next = rows()[Math.min(current ?? 0, rows().length - 1)];
      if (next) next.focus();
    } catch {
      const outcome = document.getElementById("outcome");
      outcome.textContent = outcome.dataset.lost;
    } finally {
      for (const one of form.querySelectorAll("button")) one.disabled = false;
    }
  }

  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-decisions]") || !event.submitter) return;
    event.preventDefault();
    chooseOne(event.target);
    send(event.target, event.submitter);
  });

  const acts = {
    x() { if (row() && boxOf(row())) { boxOf(row()).checked = !boxOf(row()).checked; row().focus(); } },
    "?"() { const keys = document.querySelector("[data-keys]"); keys.open = !keys.open; },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input:not([type=checkbox]), select, textarea")) return;
    const control = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (acts[event.key] && document.querySelector("[data-keys]")) acts[event.key]();
    else if (control && control.matches("button")) control.click();
    else if (control) { chooseOne(control.closest("[data-decisions]")); control.focus(); }
    else return;
    event.preventDefault();
  });
})();
