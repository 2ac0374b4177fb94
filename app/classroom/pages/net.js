/**
 * A page's line to its class: one stream of events, with polling where streams do not get through.
 *
 *   follow({ base, since, onState, on, onStatus, onGone }) -> { refresh, close }
 *
 * base      "/class/abcdef" for a student, "/class/abcdef/teacher" for the presenter
 * since     () => what the page shows, so that a poll can be answered by "nothing new"
 * onState   gets each state as it comes
 * on        { name: (data) => ... } for the smaller events
 * onStatus  "live", "polling" or "reconnecting"
 * onGone    gets the HTTP status when the server says that there is nothing to follow any more
 *
 * A laptop that slept, a phone that changed its network and a proxy that swallows streams all look
 * alike: silence. Whatever ends it, the page asks for the present state and goes on from there.
 */

const SILENCE_MS = 25_000;      // the server says something every ten seconds
const BLOCKED_MS = 6_000;       // an open stream that has said nothing at all
const TICK_MS = 2_000;
const POLL_MS = 1_500, SLOWEST_MS = 10_000;
const STREAM_AGAIN_MS = 60_000;
const TRIES = 3;                // of a stream that has worked; the browser makes one every 3 s

/** fetch with JSON in and out: { status, data }. Throws only when no answer came. */
export async function ask(path, options = {}) {
  const { body, ...rest } = options;
  const response = await fetch(path, {
    cache: "no-store", credentials: "same-origin", ...rest,
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { Accept: "application/json", ...rest.headers,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
  });
  const text = response.status === 204 ? "" : await response.text();
  let data = null;
  try { data = text ? JSON.parse(text) : null; } catch { /* an error page of a proxy */ }
  return { status: response.status, data };
}

/** How long to wait before try number n (from 0): doubling, never all pages at once. */
export const backOff = (n) =>
  Math.min(500 * 2 ** n, SLOWEST_MS) * (0.7 + 0.6 * Math.random());

export const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

export function follow({ base, since, onState, on = {}, onStatus, onGone }) {
  let source = null, heard = Date.now(), opened = 0, anything = false, closed = false;
  let polling = false, failures = 0, ticked = Date.now(), streamAfter = 0, timer = 0;
  let triesLeft = 1;              // one, until a stream has said something

  function hear(state) {
    heard = Date.now();
    anything = true;
    failures = 0;
    onStatus(polling ? "polling" : "live");
    if (state) onState(state);
  }

  function gone(status) {
    close();
    onGone(status);
  }

  // ---- the stream -----------------------------------------------------------------------
  function stream() {
    source?.close();
    [polling, anything, opened, heard] = [false, false, 0, Date.now()];
    const mine = source = new EventSource(`${base}/events`);
    mine.addEventListener("open", () => { opened = Date.now(); });
    const takes = { ping: () => hear(null), state: hear };
    for (const [name, take] of Object.entries(on)) {
      takes[name] = (data) => { hear(null); take(data); };
    }
    for (const [name, take] of Object.entries(takes)) {
      mine.addEventListener(name, (event) => {
        triesLeft = TRIES;
        take(event.data ? JSON.parse(event.data) : null);
      });
    }
    mine.addEventListener("error", () => {
      if (mine !== source || closed) return;
      onStatus("reconnecting");
      triesLeft -= 1;
      // Refused, or never getting through: ask why, and poll meanwhile.
      if (mine.readyState === EventSource.CLOSED || triesLeft < 1) poll();
    });
  }

  // ---- polling --------------------------------------------------------------------------
  async function poll() {
    source?.close();
    source = null;
    if (polling || closed) return;
    polling = true;
    streamAfter = Date.now() + STREAM_AGAIN_MS;
    while (polling && !closed) {
      await once();
      if (polling && Date.now() > streamAfter) return stream();
      await pause(failures ? backOff(failures) : POLL_MS * (0.8 + 0.4 * Math.random()));
    }
  }

  /** Ask once for what is new -> whether an answer came. */
  async function once() {
    try {
      const { status, data } = await ask(`${base}/state?since=${encodeURIComponent(since() ?? -1)}`);
      if (closed) return false;
      if ([401, 403, 404, 410].includes(status)) { gone(status); return false; }
      if (status >= 400) throw new Error(String(status));
      hear(data);
      return true;
    } catch {
      failures += 1;
      if (!closed) onStatus("reconnecting");
      return false;
    }
  }

  // ---- noticing silence -----------------------------------------------------------------
  function tick() {
    const now = Date.now();
    const slept = now - ticked > 5 * TICK_MS;
    ticked = now;
    if (polling) return;
    if (opened && !anything && now - opened > BLOCKED_MS) poll();
    else if (slept || now - heard > SILENCE_MS) refresh();
  }

  /** The page is back: begin again, and ask at once rather than wait for the stream. */
  function refresh() {
    if (closed) return;
    if (!polling) {
      onStatus("reconnecting");
      stream();
    }
    once();
  }

  const back = () => { if (document.visibilityState === "visible") refresh(); };
  const away = () => { if (!closed) onStatus("reconnecting"); };
  document.addEventListener("visibilitychange", back);
  window.addEventListener("online", refresh);
  window.addEventListener("offline", away);
  window.addEventListener("pageshow", (event) => { if (event.persisted) refresh(); });
  timer = setInterval(tick, TICK_MS);
  stream();

  function close() {
    closed = true;
    polling = false;
    clearInterval(timer);
    source?.close();
    document.removeEventListener("visibilitychange", back);
    window.removeEventListener("online", refresh);
    window.removeEventListener("offline", away);
  }

  return { refresh, close };
}
