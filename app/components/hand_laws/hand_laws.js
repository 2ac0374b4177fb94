/**
 * p and q as paired bars that can be dragged, and the residual under them.
 *
 * Each bar is a slider: its top follows the pointer or the keys, and the other bars of the same law
 * are scaled so that it sums to 1. Streamlit calls the default export again without cleaning up, so
 * what lives between two calls is kept on parentElement, and listeners are attached once.
 */

const QUIET_MS = 180;          // a drag is reported when it rests
const SNAP = 0.02 + 1e-9;      // laws that come as near as this become equal: a hand cannot be exact
const EPSILON = 1e-12;
const KEYS = { ArrowUp: 0.01, ArrowRight: 0.01, ArrowDown: -0.01, ArrowLeft: -0.01, PageUp: 0.1,
  PageDown: -0.1, Home: -1, End: 1 };
const LAWS = [["p", "p, target"], ["q", "q, draft"]];

/* Heights in pixels, from the top of the drawing. */
const TOP = 26, UPPER = 190, NAMES = 18, BETWEEN = 64, LOWER = 84, BOTTOM = 6;
const FLOOR = TOP + UPPER;
const LOWER_TOP = FLOOR + BETWEEN, LOWER_FLOOR = LOWER_TOP + LOWER;
const HEIGHT = LOWER_FLOOR + BOTTOM;
const LEFT = 30, GRIP = 5, HIT = 34;

// ---- the arithmetic ---------------------------------------------------------------------------

/** The law with entry `i` at `value`, the others scaled to share the rest as they did. */
export function moved(law, i, value) {
  const others = law.reduce((sum, x, j) => (j === i ? sum : sum + x), 0);
  const rest = 1 - value;
  return law.map((x, j) => {
    if (j === i) return value;
    return others > EPSILON ? (x / others) * rest : rest / (law.length - 1);
  });
}

export const overlapOf = (p, q) => p.reduce((sum, x, i) => sum + Math.min(x, q[i]), 0);

/** max(0, p - q) scaled to sum to 1; null where p and q are the same. */
export function residualOf(p, q) {
  const left = p.map((x, i) => Math.max(0, x - q[i]));
  const mass = left.reduce((sum, x) => sum + x, 0);
  return mass < 1e-9 ? null : left.map((x) => x / mass);
}

const distance = (p, q) => p.reduce((sum, x, i) => sum + Math.abs(x - q[i]), 0) / 2;

// ---- the elements -----------------------------------------------------------------------------

function make(space, tag, attributes, children) {
  const node = document.createElementNS(`http://www.w3.org/${space}`, tag);
  change(node, attributes);
  node.append(...children);
  return node;
}
const el = (tag, attributes = {}, ...children) => make("1999/xhtml", tag, attributes, children);
const svg = (tag, attributes = {}, ...children) => make("2000/svg", tag, attributes, children);

function change(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
  }
}

function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// ---- the component ----------------------------------------------------------------------------

export default function handLaws({ data, parentElement, setStateValue }) {
  parentElement.handLaws ??= begin(parentElement);
  const kept = parentElement.handLaws;
  kept.tell(setStateValue);
  kept.update(data);
  return () => {
    kept.end();
    delete parentElement.handLaws;
  };
}

function begin(parentElement) {
  let given = "";              // the data as they came: equal ones are not drawn again
  let start = null;            // the laws to go back to
  let laws = null;             // the laws as they are drawn
  let base = null;             // {which, i, law}: what the others of a law are scaled from
  let drag = null;             // {pointer, which, i, offset}
  let columns = [];
  let setStateValue = () => {};
  let timer = 0, reported = "";

  const overlap = el("span", { class: "overlap" });
  const reset = el("button", { type: "button" }, "Reset");
  const chart = svg("svg", { class: "chart", height: HEIGHT, role: "group",
    "aria-label": "Two distributions to draw, and their residual" });
  const root = el("div", { class: "hand-laws" },
    el("div", { class: "head" },
      ...LAWS.map(([which, name]) => el("span", { class: `key ${which}` }, name)),
      el("span", { class: "key r" }, "what p has above q"),
      el("span", { class: "end" }, overlap, reset)),
    chart,
    el("p", { class: "hint" }, "Drag the top of a bar, or use the arrow keys: the others of its " +
      "distribution make room. Nearly equal distributions snap together."));

  // ---- what does not depend on the laws -------------------------------------------------
  function build(names) {
    const stripes = svg("pattern", { id: "stripes", width: 6, height: 6,
      patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("rect", { class: "stripe", width: 3, height: 6 }),
      svg("rect", { class: "gap", x: 3, width: 1, height: 6 }));
    const lines = [[TOP, FLOOR], [LOWER_TOP, LOWER_FLOOR]].flatMap(([top, floor]) =>
      [0, 0.5, 1].map((value) => {
        const y = floor - value * (floor - top);
        return svg("g", { class: value ? "grid" : "grid floor" },
          svg("line", { x1: LEFT, y1: y, y2: y }),
          svg("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, String(value)));
      }));
    columns = names.map((name, i) => ({
      name,
      label: svg("text", { class: "name", y: FLOOR + NAMES, "text-anchor": "middle" }),
      left: svg("rect", { class: "left" }),
      above: svg("rect", { class: "above", fill: "url(#stripes)" }),
      number: svg("text", { class: "number", "text-anchor": "middle", "aria-hidden": true }),
      ...Object.fromEntries(LAWS.map(([which]) => [which, buildBar(which, name, i)])),
    }));
    const all = (...parts) => columns.flatMap((c) => parts.map((part) => part(c)));
    chart.replaceChildren(
      svg("defs", {}, stripes), ...lines,
      svg("text", { class: "title", x: LEFT, y: LOWER_TOP - 16 },
        "residual: what p has above q, scaled to sum to 1"),
      svg("g", { class: "residual", role: "img" }, ...all((c) => c.left, (c) => c.number)),
      ...all((c) => c.p.fill, (c) => c.q.fill, (c) => c.above, (c) => c.label),
      ...all((c) => c.p.slider, (c) => c.q.slider),
      svg("text", { class: "none", y: LOWER_TOP + LOWER / 2 + 4, "text-anchor": "middle" },
        "p and q are the same: nothing is left over"));
  }

  function buildBar(which, name, i) {
    const parts = {
      fill: svg("rect", { class: `bar ${which}` }),
      hit: svg("rect", { class: "hit", height: HIT }),
      ring: svg("rect", { class: "ring", height: GRIP + 8, rx: 5 }),
      grip: svg("rect", { class: "grip", height: GRIP, rx: GRIP / 2 }),
      number: svg("text", { class: "number", "text-anchor": "middle", "aria-hidden": true }),
    };
    const slider = svg("g", { class: "slider", role: "slider", tabindex: 0,
      "aria-label": `${which}(${name})`, "aria-orientation": "vertical", "aria-valuemin": 0,
      "aria-valuemax": 1, "data-law": which, "data-index": i },
      parts.hit, parts.ring, parts.grip, parts.number);
    return { ...parts, slider };
  }

  // ---- what does ------------------------------------------------------------------------
  function draw() {
    const width = Math.max(chart.clientWidth, 200);
    const slot = (width - LEFT) / columns.length;
    const bar = Math.min(46, Math.max(14, slot * 0.42));
    const residual = residualOf(laws.p, laws.q);
    const shared = overlapOf(laws.p, laws.q).toFixed(2);
    for (const line of chart.querySelectorAll("line")) change(line, { x2: width });
    change(chart.querySelector(".none"),
      { x: LEFT + (width - LEFT) / 2, visibility: residual ? "hidden" : "visible" });
    columns.forEach((column, i) => {
      const middle = LEFT + slot * (i + 0.5);
      write(column.label, shorten(column.name, slot));
      change(column.label, { x: middle });
      LAWS.forEach(([which], side) =>
        place(column[which], { middle, slot, bar, side, value: laws[which][i], shared }));
      const low = Math.min(laws.p[i], laws.q[i]);
      change(column.above, { x: middle - bar - 1, width: bar, y: FLOOR - laws.p[i] * UPPER,
        height: (laws.p[i] - low) * UPPER });
      const left = residual ? residual[i] : 0;
      change(column.left, { x: middle - bar / 2, width: bar, y: LOWER_FLOOR - left * LOWER,
        height: left * LOWER });
      write(column.number, left > 0 ? left.toFixed(2) : "");
      change(column.number, { x: middle, y: LOWER_FLOOR - left * LOWER - 5 });
    });
    write(overlap, `overlap ${shared}`);
    const words = residual && columns.flatMap((c, i) =>
      (residual[i] > 0.0005 ? [`${c.name} ${residual[i].toFixed(2)}`] : []));
    change(chart.querySelector(".residual"),
      { "aria-label": words ? `The residual: ${words.join(", ")}` : "Nothing is left over" });
  }

  function place(parts, { middle, slot, bar, side, value, shared }) {
    const x = side ? middle + 1 : middle - bar - 1, y = FLOOR - value * UPPER;
    change(parts.fill, { x, y, width: bar, height: value * UPPER });
    const reach = Math.min(slot / 2, bar + 12);   // the areas to touch meet in the middle of a pair
    change(parts.hit, { x: side ? middle : middle - reach, width: reach, y: y - HIT / 2 });
    change(parts.grip, { x: x + 1, y: y - GRIP / 2, width: bar - 2 });
    change(parts.ring, { x: x - 2, y: y - GRIP / 2 - 4, width: bar + 4 });
    change(parts.number, { x: x + bar / 2, y: y - 11 });
    write(parts.number, value.toFixed(2));
    change(parts.slider, { "aria-valuenow": value.toFixed(2),
      "aria-valuetext": `${value.toFixed(2)}, overlap ${shared}` });
  }

  /** As much of a token's name as its column holds. */
  function shorten(name, slot) {
    const most = Math.max(2, Math.floor(slot / 8));
    return name.length > most ? `${name.slice(0, most - 1)}…` : name;
  }

  // ---- changes --------------------------------------------------------------------------
  function set(which, i, value) {
    const to = Math.min(Math.max(Math.round(value * 100) / 100, 0), 1);
    const other = laws[which === "p" ? "q" : "p"];
    const before = distance(laws[which], other);
    // A bar pushed to 1 and back finds the others as they were.
    if (base?.which !== which || base.i !== i) base = { which, i, law: laws[which] };
    let law = moved(base.law, i, to);
    const after = distance(law, other);
    if (after < SNAP && (after < before || (drag && before === 0))) {
      law = [...other];
      base = null;
    }
    laws = { ...laws, [which]: law };
    draw();
    report();
  }

  function report() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const said = JSON.stringify(laws);
      if (said === reported) return;
      reported = said;
      setStateValue("laws", laws);
    }, QUIET_MS);
  }

  const sliderOf = (event) => event.target.closest("[role=slider]");
  const barOf = (slider) => ({ which: slider.dataset.law, i: Number(slider.dataset.index) });
  const heightOf = (event) => (FLOOR + chart.getBoundingClientRect().top - event.clientY) / UPPER;

  chart.addEventListener("pointerdown", (event) => {
    const slider = sliderOf(event);
    if (!slider || drag || event.button !== 0) return;
    event.preventDefault();    // no text is selected, nothing else takes the focus
    slider.focus({ preventScroll: true });
    slider.setPointerCapture(event.pointerId);
    const { which, i } = barOf(slider);
    drag = { pointer: event.pointerId, which, i, offset: laws[which][i] - heightOf(event) };
    change(root, { "data-dragging": "" });
  });
  // What touch-action asks for, also where a browser does not heed it on a shape.
  chart.addEventListener("touchstart", (event) => {
    if (sliderOf(event)) event.preventDefault();
  }, { passive: false });
  chart.addEventListener("pointermove", (event) => {
    if (drag?.pointer === event.pointerId) set(drag.which, drag.i, heightOf(event) + drag.offset);
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
    chart.addEventListener(name, (event) => {
      if (drag?.pointer !== event.pointerId) return;
      drag = null;
      root.removeAttribute("data-dragging");
    });
  }
  chart.addEventListener("keydown", (event) => {
    const slider = sliderOf(event), step = KEYS[event.key];
    if (!slider || step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const { which, i } = barOf(slider);
    set(which, i, laws[which][i] + step);
  });
  reset.addEventListener("click", () => {
    laws = start;
    base = null;
    draw();
    report();
  });
  const observer = new ResizeObserver(() => laws && draw());
  observer.observe(chart);
  parentElement.append(root);

  return {
    tell: (setter) => { setStateValue = setter; },
    update(data) {
      const text = JSON.stringify(data);
      if (text === given) return;
      given = text;
      laws = start = { p: [...data.p], q: [...data.q] };
      base = drag = null;
      reported = JSON.stringify(laws);
      build(data.names);
      draw();
    },
    end() {
      clearTimeout(timer);
      observer.disconnect();
      root.remove();
    },
  };
}
