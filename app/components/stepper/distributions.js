/**
 * p against q at one place, a row a token, and the residual beside it on the same rows.
 *
 * It is a chart and a table in one: every bar has its number beside it, so what is seen can be
 * read aloud too. The draw u is a pin at u * q(x) on the bar of q: the token is accepted where that
 * lies below p(x), which is u < p/q.
 */

import { el, rove, setAttr, setShown, setText } from "./dom.js";
import { lawsAt, lawsSentence, rowsAt, scaleFor, seenAt, titleAt } from "./distributions_model.js";
import { pieceNodes } from "./text.js";
import { number, quote } from "./run_words.js";

const MARKS = { drafted: "drafted", drawn: "◆ drawn", bonus: "◆ bonus" };
const TICKS = [0, 0.5, 1];
const GROW_MS = 420;

function makeDist() {
  const name = el("span", { class: "name" }), mark = el("span", { class: "mark" });
  const label = el("div", { role: "rowheader", class: "label" }, name, mark);
  const bar = (kind, ...inside) => {
    const fill = el("span", { class: "bar" }), value = el("span", { class: "value" });
    const track = el("span", { class: "track", "aria-hidden": "true" }, fill, ...inside);
    const cell = el("div", { role: "cell", class: `cell ${kind}` }, track, value);
    return { cell, fill, value };
  };
  const excess = el("span", { class: "excess" }), pin = el("span", { class: "drawn-u" });
  const p = bar("p", excess), q = bar("q", pin), r = bar("r");
  const node = el("div", { role: "row", class: "dist", tabindex: -1 }, label, p.cell, q.cell, r.cell);
  return { node, name, mark, p, q, r, excess, pin, data: null, key: null };
}

function plot(kind, words) {
  const ticks = TICKS.map(() => el("span"));
  const node = el("div", { class: `plot ${kind}`, "aria-hidden": "true" }, ...ticks.map((tick, i) => {
    const line = el("span", { class: "tick" }, tick);
    line.style.setProperty("--at", TICKS[i]);
    return line;
  }));
  return { node, ticks, head: el("div", { role: "columnheader", class: `head-${kind}` }, ...words) };
}

export function lawsView() {
  const title = el("div", { role: "heading", "aria-level": 2, class: "laws-title" });
  const pq = plot("pq", [el("span", { class: "key p" }), "p, target ",
    el("span", { class: "key q" }), "q, draft"]);
  const left = plot("left", [el("span", { class: "key r" }), el("span", {}, "residual")]);
  const leftWords = left.head.lastChild;
  // One header for two columns: p and q lie on one another.
  setAttr(pq.head, "aria-colspan", 2);
  const head = el("div", { role: "row", class: "dist-head" },
    el("div", { role: "columnheader", class: "head-token" }, "token"), pq.head, left.head);
  const table = el("div", { role: "table", class: "dists", "aria-label": "Distributions at this place" },
    pq.node, left.node, head);
  const eye = el("p", { class: "eye" }), note = el("p", { class: "laws-note" });
  const node = el("section", { class: "laws", "aria-label": "Distributions" }, title,
    el("div", { class: "picture" }, table), eye, note);
  const rows = [];
  let used = 0, before = "";

  node.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const here = rows.findIndex((row) => row.node.contains(event.target));
    if (!by || here < 0 || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const to = Math.min(Math.max(here + by, 0), used - 1);
    rove(rows.slice(0, used).map((row) => row.node), to);
    rows[to].node.focus({ preventScroll: true });
  });

  function need(count) {
    while (rows.length < count) {
      rows.push(makeDist());
      rows.at(-1).node.style.gridRow = rows.length + 1;   // under the head, on top of the axes
      table.append(rows.at(-1).node);
    }
    rows.forEach((row, i) => setAttr(row.node, "hidden", i < count ? null : ""));
    used = count;
  }

  function setBar({ cell, fill, value }, kind, x, end, shown) {
    const there = shown && x !== null && x !== undefined;
    const size = there ? Math.min(x / end, 1) : 0;
    fill.style.width = `${100 * size}%`;
    cell.style.setProperty("--end", size);
    setAttr(value, "data-zero", there && x === 0 ? "" : null);
    setText(value, there ? number(x) : "");
    setAttr(value, "title", there ? `${kind} = ${x}` : null);
  }

  function setName(row, piece, others) {
    const key = JSON.stringify([piece, others]);
    if (row.key === key) return;
    row.key = key;
    row.name.replaceChildren(...(piece === null
      ? [el("span", { class: "others" }, `other (${others.toLocaleString("en-US")})`)]
      : pieceNodes(piece)));
    setAttr(row.name, "title", piece === null ? null : quote(piece));
  }

  function showRow(row, data, place) {
    const { token, p, q, left: over, r } = data, { laws, pieces, seen, scales, x, end } = place;
    row.data = data;
    setName(row, token === null ? null : pieces[token], laws.others);
    const drafted = x && token === x.token, drawn = seen.drawn && end && token === end.token
      && (seen.rejected || !x);
    const mark = drawn ? (x ? "drawn" : "bonus") : drafted ? "drafted" : null;
    setText(row.mark, mark ? MARKS[mark] : "");
    setAttr(row.node, "data-mark", mark);
    setBar(row.p, "p", p, scales.pq, seen.p);
    setBar(row.q, "q", q, scales.pq, true);
    setBar(row.r, "residual", r, scales.r, seen.p);
    const beyond = seen.p && over > 0 && p > 0 && token !== null;
    row.excess.style.left = `${100 * Math.min((p - over) / scales.pq, 1)}%`;
    row.excess.style.width = beyond ? `${100 * Math.min(over / scales.pq, 1)}%` : 0;
    const pinned = drafted && seen.decided && x.u !== null;
    setShown(row.pin, pinned);
    row.pin.style.left = pinned ? `${100 * Math.min(x.u * q / scales.pq, 1)}%` : 0;
    // Numbers of p and q stand one under the other, beyond all marks.
    const beyondAll = Math.max(seen.p ? p : 0, q ?? 0) / scales.pq;
    for (const { cell } of [row.p, row.q]) cell.style.setProperty("--end", Math.min(beyondAll, 1));
    setAttr(row.pin, "title", pinned ? `u q(x) = ${x.u * q}` : null);
  }

  function showTicks({ ticks }, end) {
    ticks.forEach((tick, i) => setText(tick, end === null ? "" : String(end * TICKS[i])));
  }

  /** still: no motion, as while the run plays or a key is held. */
  function show(cursor, trace, still) {
    const cycle = trace.cycles[cursor.cycle], place = cursor.position;
    const laws = lawsAt(cycle, place), seen = seenAt(cursor, cycle);
    setText(title, titleAt(cycle, place));
    setText(note, lawsSentence(cursor, cycle, trace));
    setAttr(node, "data-empty", laws ? null : "");
    const both = laws ? laws.q.length > 0 : place < cycle.drafted.length;
    setAttr(node, "data-bonus", both ? null : "");
    setAttr(node, "data-residual", !seen.p || !both ? "none" : seen.rejected ? "drawn-from" : "idle");
    setText(leftWords, seen.rejected ? "residual" : seen.decided && both ? "residual, unused"
      : "residual");
    const data = laws ? rowsAt(laws) : [];
    need(data.length);
    const scales = { pq: scaleFor(data.flatMap((x) => [x.p, x.q])), r: scaleFor(data.map((x) => x.r)) };
    showTicks(pq, laws ? scales.pq : null);
    showTicks(left, laws && both && seen.p ? scales.r : null);
    const given = { laws, pieces: trace.pieces, seen, scales,
      x: cycle.drafted[place] ?? null, end: cycle.replacement };
    data.forEach((x, i) => showRow(rows[i], x, given));
    const marked = data.findIndex((_, i) => rows[i].node.dataset.mark);
    rove(rows.slice(0, used).map((row) => row.node), Math.max(marked, 0));
    const now = `${cursor.cycle} ${place} ${seen.rejected}`;
    if (seen.rejected && now !== before && !still) growFrom(rows.slice(0, used));
    before = now;
  }

  /** Mark the row of a token (undefined: of none), and say some numbers. */
  function look(token, words) {
    setText(eye, words);
    rows.forEach((row, i) => setAttr(row.node, "data-eye",
      i < used && token !== undefined && row.data.token === token ? "" : null));
  }

  /** Which row a pointer or the focus is on, as { token, p, q, r }; null for none. */
  function eyeAt(target) {
    return rows.find((row) => row.node.contains(target))?.data ?? null;
  }

  return { node, show, look, eyeAt };
}

/**
 * The residual grows out of p - q: each bar leaves the end of p's bar that lies beyond q, moves to
 * its own axis, and is stretched there until all of them together are 1. Nothing moves for those
 * who asked for less motion.
 */
function growFrom(rows) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  // All boxes are read before anything is changed, or each would lay the page out again.
  const boxes = rows.map(({ excess, r }) =>
    [excess.getBoundingClientRect(), r.fill.getBoundingClientRect()]);
  rows.forEach(({ r }, i) => {
    const [from, to] = boxes[i];
    if (from.width < 0.5 || to.width < 0.5) return;
    const start = `translate(${from.left - to.left}px, ${from.top - to.top}px) ` +
      `scale(${from.width / to.width}, ${from.height / to.height})`;
    r.fill.animate([{ transform: start, transformOrigin: "0 0" },
      { transform: "none", transformOrigin: "0 0" }], { duration: GROW_MS, easing: "ease-in-out" });
  });
}
