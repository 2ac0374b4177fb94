/**
 * Committed tokens per cycle: one bar a cycle, n accepted and the token that ended it.
 */

import { el, rove, roveTo, setAttr, setText, svg } from "./dom.js";
import { barWords, barsSummary, tau } from "./run_words.js";

const TOP = 10, FOOT = 24, SIDE = 74, WIDEST = 34;

/** onCycle(index) is called when a bar is chosen. */
export function barsView(onCycle) {
  const note = el("p", { class: "visually-hidden" });
  const readout = el("p", { class: "readout" });
  const ceiling = svg("line", { class: "ceiling" }), mean = svg("line", { class: "mean" });
  const floor = svg("line", { class: "floor" });
  const ceilingWords = svg("text", { class: "label" }), meanWords = svg("text", { class: "label" });
  const here = svg("path", { class: "here" });
  const bars = svg("g", { role: "listbox", "aria-label": "Committed tokens per cycle",
    "aria-orientation": "horizontal" });
  const ticks = svg("g", { "aria-hidden": "true" });
  const chart = svg("svg", { class: "bars" }, floor, bars, ticks, here,
    svg("g", { "aria-hidden": "true" }, ceiling, mean, ceilingWords, meanWords));
  const figures = el("p", { class: "figures" });
  const node = el("div", { class: "barsview" },
    el("p", { class: "caption" }, "committed tokens per cycle"), readout, figures, chart, note);
  const pool = [];   // one group a cycle: { node, hit, accepted, ending, mark }
  let cycles = [], k = 0, current = -1, width = 0, height = 0;

  const indexOf = (target) => pool.findIndex((bar) => bar.node.contains(target));
  const say = (i) => setText(readout, cycles[i] ? barWords(cycles[i], i) : " ");
  bars.addEventListener("click", (event) => onCycle(indexOf(event.target)));
  bars.addEventListener("pointerover", (event) => say(indexOf(event.target)));
  bars.addEventListener("pointerout", () => say(current));
  bars.addEventListener("keydown", (event) => {
    const to = event.shiftKey || event.altKey || event.ctrlKey || event.metaKey ? null
      : roveTo(event.key, indexOf(event.target), cycles.length);
    if (to === null) return;
    event.preventDefault();
    onCycle(to);
    pool[to].node.focus({ preventScroll: true });
  });

  function makeBar() {
    const parts = { hit: svg("rect", { class: "hit" }), accepted: svg("rect", { class: "accepted" }),
      ending: svg("rect"), mark: svg("path", { class: "diamond" }) };
    return { node: svg("g", { role: "option", tabindex: -1 }, ...Object.values(parts)), ...parts };
  }

  /** Bars keep their width while a run streams, until they no longer fit side by side. */
  function layout() {
    const step = Math.min(WIDEST, Math.max(width - SIDE, 0) / Math.max(cycles.length, 1));
    const unit = (height - TOP - FOOT) / (k + 1);
    const base = height - FOOT, gap = Math.min(step * 0.2, 4), thick = step - gap;
    const box = (rect, x, from, to) => {
      setAttr(rect, "x", x.toFixed(2)); setAttr(rect, "width", thick.toFixed(2));
      setAttr(rect, "y", (base - to * unit).toFixed(2));
      setAttr(rect, "height", Math.max((to - from) * unit - (from ? 1.5 : 0), 0).toFixed(2));
    };
    cycles.forEach((cycle, i) => {
      const bar = pool[i], n = cycle.committed.length, kept = Math.min(cycle.n_accepted, n);
      const x = i * step + gap / 2, bonus = cycle.bonus && n > kept;
      box(bar.hit, x, 0, k + 1);
      box(bar.accepted, x, 0, kept);
      box(bar.ending, x, kept, n);
      setAttr(bar.ending, "class", bonus ? "bonus" : "replacement");
      const r = Math.min(thick / 2, unit / 3, 4), y = base - (n - 0.5) * unit;
      setAttr(bar.mark, "d", bonus
        ? `M${x + thick / 2} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z` : "");
      setAttr(bar.node, "aria-label", barWords(cycle, i));
    });
    const line = (node, y) => {
      setAttr(node, "x1", 0); setAttr(node, "x2", width - SIDE + 4);
      setAttr(node, "y1", y); setAttr(node, "y2", y);
    };
    const words = (node, y, text) => {
      setAttr(node, "x", width - SIDE + 8); setAttr(node, "y", y + 4); setText(node, text);
    };
    const top = base - (k + 1) * unit;
    const whole = cycles.filter((cycle) => cycle.whole);   // a class may see a cycle in part
    const average = whole.length ? base - tau(whole) * unit : base;
    line(floor, base); line(ceiling, top); line(mean, average);
    setAttr(mean, "visibility", whole.length ? "visible" : "hidden");
    words(ceilingWords, top, `k+1 = ${k + 1}`);
    words(meanWords, Math.max(average, top + 14), whole.length ? `tau ${tau(whole).toFixed(2)}` : "");
    const every = [1, 2, 5, 10, 20, 50].find((n) => n * step >= 24) ?? 50;
    ticks.replaceChildren(...cycles.map((_, i) => i + 1)
      .filter((n) => n === 1 || n % every === 0).filter((n) => n === 1 || (n - 1) * step > 16)
      .map((n) => svg("text", { class: "tick", x: (n - 0.5) * step, y: height - 3 }, String(n))));
    point(step, base);
  }

  function point(step, base) {
    setAttr(here, "d", current < 0 ? ""
      : `M${(current + 0.5) * step} ${base + 1}l4 6h-8z`);
  }

  /** alpha: the run's mean overlap, where it is known. */
  function update(list, draftLength, alpha = null) {
    cycles = list;
    k = draftLength;
    setText(figures, alpha === null ? "" : `tau ${tau(cycles).toFixed(2)} of ${k + 1}  ` +
      `alpha ${alpha.toFixed(2)}`);
    while (pool.length < cycles.length) pool.push(makeBar());
    if (bars.childElementCount !== cycles.length) {
      bars.replaceChildren(...pool.slice(0, cycles.length).map((bar) => bar.node));
    }
    setText(note, barsSummary(cycles, k));
    if (width) layout();
  }

  function resize(toWidth, toHeight) {
    if (toWidth === width && toHeight === height) return;
    [width, height] = [toWidth, toHeight];
    setAttr(chart, "viewBox", `0 0 ${width} ${height}`);
    layout();
  }

  function show(cursor) {
    current = cursor ? cursor.cycle : -1;
    cycles.forEach((_, i) => setAttr(pool[i].node, "aria-selected", i === current));
    rove(pool.slice(0, cycles.length).map((bar) => bar.node), Math.max(current, 0));
    say(cursor ? current : cycles.length - 1);
    if (width) point(Math.min(WIDEST, (width - SIDE) / Math.max(cycles.length, 1)), height - FOOT);
  }

  return { node, chart, update, show, resize };
}
