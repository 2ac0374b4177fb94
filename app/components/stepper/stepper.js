/**
 * The stepper: watch one run of speculative decoding, cycle by cycle, forward and back.
 *
 *   mount(element, trace, onMove, options) -> { update, goto, cursor, destroy }
 *
 * element   where it is drawn (an element or a shadow root); its styles are in stepper.css
 * trace     a run as JSON, packed (components/run_payload.py) or as a trace, whole or without its
 *           tables; or null
 * onMove    called with (cursor, { byPerson }) after each move
 * options   address: keep cycle, stage and position in the page's query (default false)
 *           cursor: where to start; progress: a run that still streams
 *           present: large type; onPresent(on): called when a key toggles it
 *           screen: the page is about this run, so all of it is fitted into one window, and on a
 *           phone the moves stay under the thumb (default false)
 *           laws: whether there is room for distributions (default: if the run has some, or streams)
 *
 * update({ trace, progress, cursor, present }) changes what is given and leaves the rest; equal
 * data is not drawn again. `progress` is { cycles: [{ n_accepted, bonus, committed }], k, length,
 * pieces }: while it is there, text and bars follow the stream, and nothing can be stepped.
 *
 * Plain modules, no build step. Data flows one way: a move makes a cursor, and every view shows
 * that cursor. Views keep their elements and touch only what changed.
 */

import { barsView } from "./bars.js";
import { lawsView } from "./distributions.js";
import { lookedAt, mostRows } from "./distributions_model.js";
import { el, setAttr } from "./dom.js";
import { keyFor } from "./keys.js";
import { layOut } from "./layout.js";
import { clamp, draftLength, firstCursor, lastCursor, readAddress, sameCursor, slim, step, toCycle,
  toToken, writeAddress } from "./model.js";
import { navView } from "./nav.js";
import { rowsView } from "./rows.js";
import { inline, plural } from "./run_words.js";
import { legend, textView } from "./text.js";
import { unpack } from "./unpack.js";

const PLAY_MS = 1000;
const HELD_MS = 250;        // steps that follow each other faster are not animated
const BEFORE = 14;          // tokens of the text before a cycle that are shown with it

/** A packed run has a digest; others are compared whole. */
const same = (a, b) => a === b || (a?.digest && b?.digest ? a.digest === b.digest
  : JSON.stringify(a) === JSON.stringify(b));

let active = null;   // of several steppers on a page, the one last touched has the keys

export function mount(element, trace = null, onMove = () => {}, options = {}) {
  const state = { trace: null, progress: null, cursor: null, present: false, speed: 1,
    timer: 0, movedAt: -Infinity, rows: 0 };
  const page = location.pathname;
  let wanted = (options.address && readAddress(location.search)) || options.cursor || null;

  // ---- the views ------------------------------------------------------------------------
  const text = textView((cycle, offset) => canStep() && go(toToken(state.trace, cycle, offset)));
  const bars = barsView((cycle) => canStep() && go(toCycle(state.cursor, state.trace, cycle)));
  const nav = navView(act, (stage, position) => go({ ...state.cursor, stage, position }),
    (factor) => { state.speed = factor; });
  const rows = rowsView(selectRow, () => go({ ...state.cursor, stage: "replace" }));
  const laws = lawsView();
  const empty = el("p", { class: "empty" }, "No run yet.");
  const side = el("div", { class: "side" }, legend(), text.node, bars.node, nav.node, rows.node);
  const main = el("div", { class: "main" }, side, rows.line, laws.node);
  const root = el("div", { class: "stepper", role: "group",
    "aria-label": "Stepper: one run, cycle by cycle" }, empty, main);
  element.append(root);

  const canStep = () => Boolean(state.trace && state.cursor && !state.progress);

  // ---- moves ----------------------------------------------------------------------------
  function go(cursor, { byPerson = true, keepPlaying = false } = {}) {
    if (!canStep()) return;
    if (!keepPlaying) play(false);
    const next = clamp(cursor, state.trace);
    if (sameCursor(next, state.cursor)) return;
    const now = performance.now();
    const still = now - state.movedAt < HELD_MS || Boolean(state.timer);
    [state.cursor, state.movedAt] = [next, now];
    show(still);
    onMove({ ...next }, { byPerson });
  }

  function act(name) {
    if (!canStep()) return;
    const { cursor, trace: run } = state;
    if (name === "play") play(!state.timer);
    else go({
      first: () => firstCursor(), last: () => lastCursor(run),
      back: () => step(cursor, run, -1), forward: () => step(cursor, run, 1),
      before: () => toCycle(cursor, run, cursor.cycle - 1),
      after: () => toCycle(cursor, run, cursor.cycle + 1),
    }[name]());
  }

  /** A row is looked at where it was decided, once the verdicts have begun. */
  function selectRow(position) {
    if (!canStep()) return;
    const { stage, cycle } = state.cursor;
    if (stage === "draft" || stage === "verify") go({ ...state.cursor, position });
    else if (state.trace.cycles[cycle].drafted[position].verdict !== "unchecked") {
      go({ cycle, stage: "decide", position });
    }
  }

  function play(on) {
    clearTimeout(state.timer);
    state.timer = 0;
    if (on && sameCursor(step(state.cursor, state.trace, 1), state.cursor)) go(firstCursor());
    if (on) state.timer = setTimeout(tick, PLAY_MS / state.speed);
    nav.playing(on);
    rows.quiet(on);   // a screen reader is not made to read against the clock
  }

  function tick() {
    go(step(state.cursor, state.trace, 1), { keepPlaying: true });
    const ended = sameCursor(step(state.cursor, state.trace, 1), state.cursor);
    if (ended) play(false);
    else state.timer = setTimeout(tick, PLAY_MS / state.speed);
  }

  function present(on, byPerson) {
    state.present = on;
    setAttr(root, "data-present", on ? "" : null);
    resize();
    if (byPerson) options.onPresent?.(on);
  }

  // ---- drawing --------------------------------------------------------------------------
  function show(still = true) {
    const cursor = canStep() ? state.cursor : null;
    const cycle = cursor && state.trace.cycles[cursor.cycle];
    text.show(cursor, cycle);
    bars.show(cursor);
    if (!cursor) return;
    nav.show(cursor, state.trace);
    rows.show(cursor, state.trace, textBefore(cycle.start));
    laws.show(cursor, state.trace, still);
    look(null);
    writeCursor();
  }

  /** What a pointer or the focus is on, or else where one stands: the same token everywhere. */
  function look(target) {
    if (!canStep()) return;
    const found = target && (laws.eyeAt(target) ?? rows.eyeAt(target) ?? text.eyeAt(target));
    const seen = lookedAt(found, state.cursor, state.trace);
    rows.look(seen.token, seen.rows);
    laws.look(seen.chart ? seen.token : undefined, seen.words);
  }

  /** The end of what had been committed before a cycle, in one line. */
  function textBefore(start) {
    if (start === 0) return "after the prompt";
    const pieces = state.tokens.slice(Math.max(start - BEFORE, 0), start)
      .map((token) => state.trace.pieces[token]);
    return `after ${start > BEFORE ? "…" : ""}${inline(pieces)}`;
  }

  /** Everything, after new data. */
  function draw() {
    const { trace: run, progress } = state;
    const source = progress ?? run;
    const some = Boolean(progress || (run && run.cycles.length));
    setAttr(empty, "hidden", some || null);
    setAttr(main, "hidden", some ? null : "");
    if (!some) return;
    const k = progress ? progress.k : draftLength(run);
    const cycles = source.cycles.map(slim);
    state.tokens = cycles.flatMap((cycle) => cycle.committed);
    text.update(cycles, source.pieces);
    bars.update(cycles, k, progress ? null : run.alpha ?? null);
    nav.grow(k);
    rows.grow(k);
    state.rows = k;
    const places = progress ? 0 : mostRows(run.cycles);
    const none = options.laws === false
      || (options.laws !== true && !progress && places === 1);
    setAttr(root, "data-nolaws", none ? "" : null);
    if (places > 1) root.style.setProperty("--places", places);
    root.style.setProperty("--rows", k + 1);   // heights are kept free for the longest cycle
    setAttr(root, "data-streaming", progress ? "" : null);
    for (const view of [nav, rows, laws]) view.node.inert = Boolean(progress);
    if (progress) {
      rows.say(`The run streams: ${state.tokens.length} of at most ` +
        `${plural(progress.length, "token")}. Its cycles can be stepped through when it ends.`);
    }
    show();
    resize();
  }

  function resize() {
    const given = { k: state.rows, screen: Boolean(options.screen), present: state.present };
    if (layOut(root, given)) bars.resize(bars.node.clientWidth, bars.chart.clientHeight || 120);
  }

  /** `color-scheme` is inherited; where the page leaves it open, the system decides. */
  const system = matchMedia("(prefers-color-scheme: dark)");
  function theme() {
    const scheme = getComputedStyle(root).colorScheme;
    const dark = scheme === "dark" || (scheme !== "light" && system.matches);
    setAttr(root, "data-theme", dark ? "dark" : "light");
  }

  // ---- new data -------------------------------------------------------------------------
  function update(given) {
    const before = state.cursor;
    let changed = false;
    for (const name of ["trace", "progress"]) {
      if (given[name] === undefined || same(given[name], state[name])) continue;
      state[name] = name === "trace" ? unpack(given[name]) : given[name];
      changed = true;
    }
    if (changed && state.timer) play(false);
    if (given.cursor) wanted = given.cursor;
    if (state.trace && (changed || wanted)) {
      // A cursor from the address, or asked for while a run streams, waits for its trace.
      state.cursor = clamp(wanted ?? state.cursor ?? firstCursor(), state.trace);
      wanted = null;
    }
    if (given.present !== undefined) present(given.present, false);
    theme();
    if (changed) draw();
    else if (!sameCursor(before, state.cursor)) show();
    writeCursor();
    requestAnimationFrame(resize);   // what stands above may have changed its height with it
    if (canStep() && !sameCursor(before, state.cursor)) {
      onMove({ ...state.cursor }, { byPerson: false });
    }
  }

  // ---- the address ----------------------------------------------------------------------
  // While one component makes way for the next, two are on the page and may stand elsewhere: each
  // write is an event that both hear, and answering each other they would never end.
  function writeCursor() {
    if (!options.address || !canStep() || location.pathname !== page || globalThis.writingCursor) {
      return;
    }
    const search = writeAddress(location.search, state.cursor);
    if (search === location.search) return;
    globalThis.writingCursor = true;
    try {
      history.replaceState(history.state, "", location.pathname + search + location.hash);
    } finally {
      globalThis.writingCursor = false;
    }
  }

  // ---- keys -----------------------------------------------------------------------------
  function onKey(event) {
    active ??= root;
    const name = keyFor(event, root, () => active === root && onScreen());
    if (name === "leave") {
      if (state.present) present(false, true);
    } else if (name === "present") present(!state.present, true);
    else if (name && canStep()) {
      event.preventDefault();
      act(name);
    }
  }

  function onScreen() {
    const box = root.getBoundingClientRect();
    return box.height > 0 && box.bottom > 0 && box.top < innerHeight;
  }

  const touch = () => { active = root; };
  for (const kind of ["pointerover", "focusin"]) {
    root.addEventListener(kind, (event) => look(event.target));
  }
  root.addEventListener("pointerleave", () => look(null));
  const observer = new ResizeObserver(resize);
  const scheme = () => theme();
  active ??= root;
  root.addEventListener("pointerdown", touch);
  root.addEventListener("focusin", touch);
  document.addEventListener("keydown", onKey);
  system.addEventListener("change", scheme);
  // The page around it may write the query without our parameters: put them back.
  globalThis.navigation?.addEventListener("currententrychange", writeCursor);
  addEventListener("resize", resize);
  observer.observe(root);

  function destroy() {
    clearTimeout(state.timer);
    document.removeEventListener("keydown", onKey);
    system.removeEventListener("change", scheme);
    globalThis.navigation?.removeEventListener("currententrychange", writeCursor);
    removeEventListener("resize", resize);
    observer.disconnect();
    if (active === root) active = null;
    root.remove();
  }

  theme();
  update({ trace, progress: options.progress ?? null, present: Boolean(options.present) });
  return { update, goto: (cursor) => go(cursor, { byPerson: false }),
    cursor: () => state.cursor && { ...state.cursor }, destroy };
}
