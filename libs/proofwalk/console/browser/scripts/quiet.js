// Tells when a document has come to rest: no request in flight, no short timer pending, no finite animation running, and no DOM change for a while.
// The while is short (SURE, and a frame drawn since) when all that may still come is known here, and IDLE when something was begun lately whose
// end nobody tells (`vaguely`: messages, frames, databases, sockets). Runs in the page's own world, before its scripts, in every frame; the only
// trace is one non-enumerable symbol. Requests that repeat on a timer, ticking nodes, messages without end and spinners that outlive a wait are noise.
// Images that style sheets name are not known of: an icon made of one may come after the page is called quiet.
(() => {
  const KEY = Symbol.for('proofwalk.quiet');
  if (globalThis[KEY]) return;
  const native = { setTimeout, clearTimeout, setInterval, fetch: globalThis.fetch, frame: requestAnimationFrame, unframe: cancelAnimationFrame, now: performance.now.bind(performance) };
  const SHORT = 500, IDLE = 50, SURE = 20, REACTION = 10, STREAK = 1500, PATIENCE = 2500;
  let inflight = 0, changed = native.now(), generation = 0, inTimer = 0, vague = -IDLE, streak = 0, awaited = 0, drawn = 0, drawing = false;
  const timers = new Set(), starts = new Map(), noisy = new WeakMap(), stuck = new WeakSet(), waiters = new Set();
  const wake = () => { for (const check of [...waiters]) check(); };
  // What observers of size and place do comes with the frame after a change, so the end of that frame is noted: a task after its callbacks.
  function draw() {
    if (drawing) return;
    drawing = true;
    native.frame.call(globalThis, () => { const at = native.now(); native.setTimeout.call(globalThis, () => { drawing = false; drawn = at; if (at < awaited) draw(); wake(); }, 0); });
  }
  const touch = () => { changed = awaited = native.now(); generation++; draw(); };
  // Something was begun that will come back at a time of its own. What is begun again and again without a pause is no work.
  const frames = new Set();
  function vaguely() {
    const now = native.now();
    if (now - vague > IDLE && !frames.size) streak = now;
    vague = now;
  }
  const unsure = (now) => (frames.size > 0 || now - vague < IDLE) && now - streak < STREAK;

  // A request is polling when a slow timer sent it before, or when it comes at an even pace.
  function polls(method, url) {
    let key;
    try { const u = new URL(url, location.href); for (const p of ['_', 't', 'ts', 'timestamp', 'nonce', '_t']) u.searchParams.delete(p); key = `${method} ${u.href}`; } catch { return false; }
    const times = starts.get(key) || [];
    const timed = inTimer > 0;
    times.push({ at: native.now(), timed });
    if (times.length > 4) times.shift();
    starts.set(key, times);
    if (starts.size > 500) starts.delete(starts.keys().next().value);
    if (timed && times.filter((x) => x.timed).length > 1) return true;
    if (times.length < 4) return false;
    const gaps = times.slice(1).map((x, i) => x.at - times[i].at);
    return Math.min(...gaps) > 300 && Math.max(...gaps) < 1.3 * Math.min(...gaps);
  }
  const nothing = () => {};
  const begin = (method, url) => (polls(method, url) ? nothing : underway());
  function underway() {
    inflight++;
    touch();
    let open = true;
    return () => { if (open) { open = false; inflight--; touch(); wake(); } };
  }

  const bodies = new WeakSet();
  globalThis.fetch = function fetch(input, init) {
    const end = begin(init?.method || input?.method || 'GET', String(input?.url || input));
    const promise = native.fetch.apply(this, arguments);
    promise.then((response) => {
      const streaming = /event-stream|ndjson/.test(response.headers.get('content-type') || '');
      if (end !== nothing && !streaming) bodies.add(response);
      if (streaming || !response.body) end(); else native.setTimeout.call(globalThis, end, 0);
    }, end);
    return promise;
  };
  for (const name of ['json', 'text', 'arrayBuffer', 'blob', 'formData', 'bytes']) {
    const read = Response.prototype[name];
    if (read) Response.prototype[name] = { [name]() {
      const promise = read.apply(this, arguments);
      if (bodies.delete(this)) { const end = underway(); promise.then(end, end); }
      return promise;
    } }[name];
  }
  const send = XMLHttpRequest.prototype.send, open = XMLHttpRequest.prototype.open, calls = new WeakMap();
  XMLHttpRequest.prototype.open = function (method, url) { calls.set(this, [method, url]); return open.apply(this, arguments); };
  XMLHttpRequest.prototype.send = function () {
    const end = begin(...(calls.get(this) || ['GET', '']));
    this.addEventListener('loadend', end, { once: true });
    return send.apply(this, arguments);
  };

  globalThis.setTimeout = function setTimeout(handler, delay, ...rest) {
    if (typeof handler !== 'function') return native.setTimeout.call(this, handler, delay, ...rest);
    const slow = delay >= SHORT, nested = inTimer > 1;
    const id = native.setTimeout.call(this, function () {
      timers.delete(id);
      inTimer = slow ? inTimer + 1 : inTimer + 0.5;
      try { return handler.apply(this, arguments); } finally { inTimer = slow ? inTimer - 1 : inTimer - 0.5; }
    }, delay, ...rest);
    if (delay > 0 && !slow && !nested && inTimer < 1) timers.add(id); else if (!slow) vaguely();
    return id;
  };
  globalThis.clearTimeout = function clearTimeout(id) { timers.delete(id); return native.clearTimeout.call(this, id); };
  globalThis.setInterval = function setInterval(handler, delay, ...rest) {
    if (typeof handler !== 'function') return native.setInterval.call(this, handler, delay, ...rest);
    return native.setInterval.call(this, function () {
      inTimer++;
      try { return handler.apply(this, arguments); } finally { inTimer--; }
    }, delay, ...rest);
  };

  // The starts of what comes back by itself: answers to messages, frames, databases, sockets.
  for (const [owner, name] of [
    [MessagePort, 'postMessage'], [globalThis.Worker, 'postMessage'], [globalThis.BroadcastChannel, 'postMessage'], [globalThis.WebSocket, 'send'],
    [globalThis.IDBDatabase, 'transaction'], [globalThis.IDBFactory, 'open'],
  ]) {
    const begun = owner?.prototype[name];
    if (begun) owner.prototype[name] = { [name]() { vaguely(); return begun.apply(this, arguments); } }[name];
  }
  // How long a frame that was asked for is in coming depends on how busy the machine is, so each is known until it has run.
  globalThis.requestAnimationFrame = function requestAnimationFrame(callback) {
    vaguely();
    const frame = native.frame.call(globalThis, (at) => { try { callback.call(globalThis, at); } finally { frames.delete(frame); } });
    frames.add(frame);
    return frame;
  };
  globalThis.cancelAnimationFrame = function cancelAnimationFrame(frame) { frames.delete(frame); return native.unframe.call(globalThis, frame); };
  for (const name of ['requestIdleCallback', 'postMessage']) {
    const begun = globalThis[name];
    if (begun) globalThis[name] = { [name]() { vaguely(); return begun.apply(this, arguments); } }[name];
  }

  // A node that keeps changing (a clock, a ticker, a JavaScript animation) is noise after ten changes within a second.
  function noise(record) {
    if (record.type === 'childList' && [...record.addedNodes, ...record.removedNodes].some((node) => node.nodeType === 1)) {
      if (![...record.addedNodes].every((node) => node.nodeType !== 1 || !node.children.length)) return false;
    }
    const now = native.now(), past = noisy.get(record.target) || { since: now, count: 0 };
    if (now - past.since > 1000) { past.since = now; past.count = Math.min(past.count, 10) >> 1; }
    past.count++;
    noisy.set(record.target, past);
    return past.count > 10;
  }
  // A script or style sheet that the page asks for by putting it into the document.
  function arriving(node) {
    const comes = node.localName === 'script' ? node.src && /^$|javascript|module/.test(node.type) : node.localName === 'link' && node.href && node.relList.contains('stylesheet');
    if (!comes || document.readyState !== 'complete') return;
    const end = underway();
    for (const name of ['load', 'error']) listen.call(node, name, end, { once: true });
    native.setTimeout.call(globalThis, end, PATIENCE);
  }
  const listen = EventTarget.prototype.addEventListener;
  const watch = { subtree: true, childList: true, attributes: true, characterData: true };
  const observer = new MutationObserver((records) => {
    let real = false;
    for (const record of records) { if (!noise(record)) real = true; for (const node of record.addedNodes) arriving(node); }
    if (real) touch(); else generation++;
  });
  observer.observe(document, watch);
  const attach = Element.prototype.attachShadow, closed = [];
  let roots = [];
  Element.prototype.attachShadow = function attachShadow(init) {
    const root = attach.call(this, init);
    observer.observe(root, watch);
    roots.push(new WeakRef(root));
    if (init?.mode === 'closed') closed.push(new WeakRef(root));
    return root;
  };

  // Which elements listen to presses themselves is known to nobody else: the isolated world has prototypes of its own. They are told to it by an
  // event with a name that only the two know, once each, when the page is at rest.
  const PRESSES = new Set(['click', 'dblclick', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart']);
  const known = new WeakSet(), dispatch = EventTarget.prototype.dispatchEvent;
  let untold = [];
  function hears(target) {
    if (!(target instanceof Element) || target === document.documentElement || target === document.body || known.has(target)) return;
    known.add(target);
    if (untold.length < 2000) untold.push(new WeakRef(target));
  }
  EventTarget.prototype.addEventListener = function addEventListener(type) { if (PRESSES.has(type)) hears(this); return listen.apply(this, arguments); };
  for (const prototype of [HTMLElement.prototype, SVGElement.prototype]) for (const name of ['onclick', 'onmousedown', 'onpointerdown']) {
    const own = Object.getOwnPropertyDescriptor(prototype, name);
    if (own?.set) Object.defineProperty(prototype, name, { ...own, set(handler) { if (handler) hears(this); own.set.call(this, handler); } });
  }
  function tell() {
    const later = [];
    for (const ref of untold) {
      const el = ref.deref();
      if (el?.isConnected) dispatch.call(el, new Event('proofwalk:call', { composed: true })); else if (el) later.push(ref);
    }
    untold = later;
  }

  function runs(animation) {
    if (animation.playState !== 'running' || !animation.effect?.getComputedTiming) return false;
    const timing = animation.effect.getComputedTiming();
    return Number.isFinite(timing.endTime) && timing.endTime < 5000 && timing.endTime > 0;
  }
  // The document tells nothing of what moves in its shadow roots.
  function animating() {
    if (!document.getAnimations) return false;
    if (document.getAnimations().some(runs)) return true;
    roots = roots.filter((ref) => ref.deref()).slice(-5000);
    return roots.some((ref) => { const root = ref.deref(); return root?.isConnected && root.getAnimations().some(runs); });
  }
  function spinners() {
    const found = [...document.querySelectorAll('[aria-busy=true],[class*=loading-icon],[class*=spinner],[class*=icon-loading],[class*=loading-indicator],[class*=loading-tip]')];
    return found.filter((node) => !stuck.has(node) && node.checkVisibility?.({ opacityProperty: true, visibilityProperty: true }) && node.getBoundingClientRect().width > 0);
  }
  function busy(now, started) {
    if (document.readyState !== 'complete' && now - started < 8000) return 'loading';
    if (inflight > 0) return 'request';
    if (timers.size > 0) return 'timer';
    if (now - changed < (drawn < awaited ? IDLE : SURE)) return 'change';
    if (unsure(now)) return 'message';
    if (animating()) return 'animation';
    const spinning = spinners(), images = [...document.images].filter((image) => !image.complete && image.loading !== 'lazy' && !stuck.has(image));
    if (spinning.length && now - started < PATIENCE) return 'spinner';
    if (images.length && now - started < PATIENCE) return 'image';
    for (const node of [...spinning, ...images]) stuck.add(node);
    return '';
  }
  // The trackers of this document and of every one of the same origin inside it; those of other origins answer for themselves.
  function trackers(w = globalThis, found = []) {
    for (let i = 0; i < Math.min(w.length, 50) && found.length < 200; i++) {
      try { if (w[i][KEY]) found.push(w[i][KEY]); } catch { /* another origin: only its own frames can be counted */ }
      trackers(w[i], found);
    }
    return found;
  }
  const calm = () => { awaited = native.now(); changed = Math.max(changed, awaited - SURE + REACTION); draw(); };
  // Resolves to `why it is still busy|closed shadow roots`, the first empty when all is at rest. Frames are asked anew each time, for they come and go.
  // `acted` leaves a page a moment to react to what was just done to it; without, one that is at rest is so at once.
  function wait(bound, acted) {
    const started = native.now(), known = new WeakSet();
    if (acted) calm();
    return new Promise((resolve) => {
      let timer = 0;
      const check = () => {
        native.clearTimeout.call(globalThis, timer);
        const now = native.now(), inner = trackers();
        for (const other of inner) if (acted && !known.has(other)) { known.add(other); other.calm(); }
        const own = busy(now, started);
        const why = own || inner.map((other) => other.busy(now - started)).find(Boolean) || '';
        if (!why || now - started > bound) {
          waiters.delete(check);
          for (const one of [api, ...inner]) one.tell();
          resolve(`${why}|${[api, ...inner].reduce((sum, other) => sum + other.closed().length, 0)}`);
          return;
        }
        const rest = now - changed < SURE ? SURE - (now - changed) : IDLE - Math.max(0, now - Math.max(changed, vague));
        timer = native.setTimeout.call(globalThis, check, /change|message/.test(own) ? Math.max(4, rest) : own === 'request' ? 40 : 12);
      };
      waiters.add(check);
      if (acted) timer = native.setTimeout.call(globalThis, check, 4); else check();
    });
  }
  // Resolves to true when `holds()` does, which is asked every few milliseconds; to false after `bound` ms.
  function until(holds, bound) {
    const end = native.now() + bound;
    return new Promise((resolve, fail) => {
      const check = () => {
        try { if (holds()) resolve(true); else if (native.now() > end) resolve(false); else native.setTimeout.call(globalThis, check, 5); } catch (error) { fail(error); }
      };
      check();
    });
  }
  // Resolves when nothing is known to be under way any more, and only the pause is left in which nothing may change.
  const near = (bound) => new Promise((resolve) => {
    const started = native.now();
    native.setTimeout.call(globalThis, () => resolve(until(() => /^(change|message)?$/.test(busy(native.now(), started)), bound)), 4);
  });
  // Closed shadow roots that the isolated world has not been given; `taking` counts them as given.
  const given = new WeakSet();
  function handOver(taking) {
    const fresh = closed.map((ref) => ref.deref()).filter((root) => root?.isConnected && !given.has(root));
    if (taking) for (const root of fresh) given.add(root);
    return fresh;
  }
  const api = { wait, until, near, calm, tell, busy: (elapsed) => { const now = native.now(); return busy(now, now - elapsed); }, generation: () => generation, closed: (taking) => handOver(taking) };
  Object.defineProperty(globalThis, KEY, { value: api, enumerable: false });
})();
