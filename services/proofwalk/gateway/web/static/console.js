// What script adds to pages that work without it: a page that goes on by itself, parts
// that are read again, and keys. Text from the gateway is HTML that its templates made.
"use strict";

document.documentElement.classList.add("script");

// Reads the page again and puts in place what has changed of the parts named data-part.
let reading = null;
let again = false;
async function refresh() {
  if (reading) { again = true; return reading; }
  reading = (async () => {
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
      if (answer.redirected) { location.reload(); return; }
      if (!answer.ok) return;
      take(await answer.text());
    } catch { /* the gateway is away; the next look may find it */ }
  })();
  await reading;
  reading = null;
  if (again) { again = false; await refresh(); }
}

// Puts in place what a page of the same parts has.
function take(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const old of document.querySelectorAll("[data-part][id]")) {
    const fresh = page.getElementById(old.id);
    if (fresh) replace(old, fresh);
  }
}

// Keeps open what was opened, and the focus where it was.
function replace(old, fresh) {
  const open = [...old.querySelectorAll("details")].map((one) => one.open);
  fresh.querySelectorAll("details").forEach((one, index) => { if (open[index]) one.open = true; });
  if (old.isEqualNode(fresh)) return;
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const href = focused && focused.getAttribute("href");
  const id = focused && focused.id;
  old.replaceWith(document.adoptNode(fresh));
  if (!focused) return;
  const next = id ? document.getElementById(id) : href && [...document.links].find((one) => one.getAttribute("href") === href);
  if (next) next.focus();
}

// Times are told in the zone that the browser is in, once it has said which.
function tellZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const cookie = `proofwalk-zone=${zone}`;
  if (!zone || document.cookie.split("; ").includes(cookie)) return;
  document.cookie = `${cookie}; path=/; max-age=31536000; samesite=lax`;
  if (document.querySelector("[data-zoned]")) refresh();
}

function every(seconds) {
  setInterval(() => { if (!document.hidden) refresh(); }, seconds * 1000);
}

// A history that grows by the events of its stream.
function watch(history) {
  const connection = document.getElementById("connection");
  const source = new EventSource(history.dataset.events);
  const say = (word) => { connection.textContent = connection.dataset[word]; };
  source.addEventListener("open", () => say("live"));
  source.addEventListener("error", () => say("lost"));
  source.addEventListener("entry", (event) => {
    const holder = document.createElement("template");
    holder.innerHTML = event.data;
    const line = holder.content.firstElementChild;
    if (!line || history.querySelector(`[data-sequence="${CSS.escape(line.dataset.sequence)}"]`)) return;
    const last = history.lastElementChild;
    const follows = !last || last.getBoundingClientRect().top < innerHeight;
    history.append(document.adoptNode(line));
    if (follows) line.scrollIntoView({ block: "nearest" });
    refresh();
  });
  source.addEventListener("end", () => { source.close(); say("over"); refresh(); });
}

// j and k go from row to row, Enter opens the one that has the focus, / goes to the filter.
function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const rows = [...document.querySelectorAll("[data-row]")];
  const at = rows.indexOf(document.activeElement);
  if (event.key === "j" && rows.length) rows[Math.min(at + 1, rows.length - 1)].focus();
  else if (event.key === "k" && rows.length) rows[Math.max(at - 1, 0)].focus();
  else if (event.key === "/" && document.querySelector(".filters select")) document.querySelector(".filters select").focus();
  else return;
  event.preventDefault();
}

document.addEventListener("keydown", keys);
tellZone();
const growing = document.querySelector("[data-events]");
if (growing) watch(growing);
if (document.body.dataset.refreshS) every(Number(document.body.dataset.refreshS));
