// Tells when a document has come to rest: no request in flight, no short timer pending, no finite animation running, no DOM
// change for `idle` ms. Runs in the page's own world, before its scripts, in every frame; the only trace is one
// non-enumerable symbol. Requests that repeat on a timer, ticking nodes and spinners that outlive a wait are noise.
(() => {
  const KEY = Symbol.for('proofwalk.quiet');
  if (globalThis[KEY]) return;
  const native = { setTimeout, clearTimeout, setInterval, fetch: globalThis.fetch, now: performance.now.bind(performance) };
  const SHORT = 500, IDLE = 50;
  let inflight = 0, changed = native.now(), generation = 0, inTimer = 0;
  const timers = new Set(), starts = new Map(), noisy = new WeakMap(), stuck = new WeakSet(), waiters = new Set();
  const touch = () => { changed = native.now(); generation++; };

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
  function begin(method, url) {
    if (polls(method, url)) return () => {};
    inflight++;
    touch();
    let open = true;
    return () => { if (open) { open = false; inflight--; touch(); } };
  }

  globalThis.fetch = function fetch(input, init) {
    const end = begin(init?.method || input?.method || 'GET', String(input?.url || input));
    const promise = native.fetch.apply(this, arguments);
    promise.then((response) => {
      const streaming = /event-stream|ndjson/.test(response.headers.get('content-type') || '');
      if (streaming || !response.body) end(); else native.setTimeout.call(globalThis, end, 0);
    }, end);
    return promise;
  };
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
    if (delay > 0 && !slow && !nested && inTimer < 1) timers.add(id);
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
  const watch = { subtree: true, childList: true, attributes: true, characterData: true };
  const observer = new MutationObserver((records) => {
    let real = false;
    for (const record of records) if (!noise(record)) real = true;
    if (real) touch(); else generation++;
  });
  observer.observe(document, watch);
  const attach = Element.prototype.attachShadow, closed = [];
  Element.prototype.attachShadow = function attachShadow(init) {
    const root = attach.call(this, init);
    observer.observe(root, watch);
    if (init?.mode === 'closed') closed.push(new WeakRef(root));
    return root;
  };

  function animating() {
    if (!document.getAnimations) return false;
    return document.getAnimations().some((animation) => {
      if (animation.playState !== 'running' || !animation.effect?.getComputedTiming) return false;
      const timing = animation.effect.getComputedTiming();
      return Number.isFinite(timing.endTime) && timing.endTime < 5000 && timing.endTime > 0;
    });
  }
  function spinners() {
    const found = [...document.querySelectorAll('[aria-busy=true],[class*=loading-icon],[class*=spinner],[class*=icon-loading],[class*=loading-indicator],[class*=loading-tip]')];
    return found.filter((node) => !stuck.has(node) && node.checkVisibility?.({ opacityProperty: true, visibilityProperty: true }) && node.getBoundingClientRect().width > 0);
  }
  function busy(now, started) {
    if (document.readyState !== 'complete' && now - started < 8000) return 'loading';
    if (inflight > 0) return 'request';
    if (timers.size > 0) return 'timer';
    if (now - changed < IDLE) return 'change';
    if (animating()) return 'animation';
    const spinning = spinners();
    if (spinning.length && now - started < 2500) return 'spinner';
    for (const node of spinning) stuck.add(node);
    return '';
  }
  function wait(bound) {
    const started = native.now();
    changed = Math.max(changed, started - IDLE + 10);
    return new Promise((resolve) => {
      const check = () => {
        const now = native.now(), why = busy(now, started);
        if (!why) return resolve('');
        if (now - started > bound) return resolve(why);
        native.setTimeout.call(globalThis, check, why === 'change' ? Math.max(4, IDLE - (now - changed)) : 12);
      };
      native.setTimeout.call(globalThis, check, 4);
    });
  }
  const api = { wait, generation: () => generation, closed: () => closed.map((ref) => ref.deref()).filter((root) => root?.isConnected) };
  Object.defineProperty(globalThis, KEY, { value: api, enumerable: false });
})();
