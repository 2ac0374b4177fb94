/**
 * One cycle as rows: a row for each drafted position, and one for the token that ends the cycle.
 * What a stage has not come to yet is not on the page. The sentence of a stage, `line`, is placed by
 * the stepper.
 */

import { el, setAttr, setShown, setText } from "./dom.js";
import { decidedAll } from "./model.js";
import { pieceNodes } from "./text.js";
import { ending, equals, merged, number, quote, sentence, verdict } from "./run_words.js";

const COLUMNS = [["place", "#"], ["token", "token"], ["q", "q"], ["p", "p"],
  ["a", "min(1, p/q)"], ["u", "u on [0, 1]"], ["verdict", "verdict"]];

function makeRow(onSelect) {
  const cell = Object.fromEntries(COLUMNS.map(([name]) => [name,
    el("div", { role: "cell", class: name, "data-name": name })]));
  const button = el("button", { type: "button", class: "chip" });
  const fill = el("span", { class: "zone" }), tick = el("span", { class: "pin" });
  const meter = el("span", { class: "meter", "aria-hidden": "true" }, fill, tick);
  const u = el("span", { class: "number" });
  cell.token.append(button);
  cell.u.append(meter, u);
  const node = el("div", { role: "row", class: "row" }, ...Object.values(cell));
  node.addEventListener("click", onSelect);
  return { node, cell, button, meter, fill, tick, u, token: null };
}

function setNumber(cell, value) {
  setText(cell, value === null ? "" : number(value));
  setAttr(cell, "title", value === null ? null : `${cell.dataset.name} = ${value}`);
}

/** onRow(position) for a drafted row, onEnd() for the last. */
export function rowsView(onRow, onEnd) {
  const before = el("p", { class: "before" });
  const head = el("div", { role: "row", class: "head" }, ...COLUMNS.map(([name, words]) =>
    el("div", { role: "columnheader", class: name }, words)));
  const table = el("div", { role: "table", class: "rows", "aria-label": "The cycle, by position" },
    head);
  const line = el("p", { class: "sentence", "aria-live": "polite" });
  const node = el("div", { class: "cycle" }, before, table);
  const rows = [];
  let shown = [];   // the rows that are on the page: { row, token }
  const last = makeRow(() => onEnd());
  last.node.classList.add("last");
  table.append(last.node);

  function grow(k) {
    while (rows.length < k) {
      const i = rows.length;
      rows.push(makeRow(() => onRow(i)));
      table.insertBefore(rows[i].node, last.node);
    }
  }

  function setToken(row, piece, whole) {
    const key = JSON.stringify([piece, whole]);
    if (row.token === key) return;
    row.token = key;
    row.button.replaceChildren(...(piece === null ? [] : pieceNodes(piece)));
    setAttr(row.button, "title", piece === null ? null
      : quote(piece) + (whole === null ? "" : `, with its neighbors ${quote(whole)}`));
  }

  function showDrafted(row, x, seen, pieces, whole) {
    setShown(row.node, true);
    setAttr(row.node, "hidden", null);
    setText(row.cell.place, String(x.index + 1));
    setToken(row, pieces[x.token], whole);
    setNumber(row.cell.q, x.q);
    setNumber(row.cell.p, seen.verified ? x.p : null);
    const read = seen.decided && x.verdict !== "unchecked";
    setNumber(row.cell.a, read ? x.a : null);
    setShown(row.meter, read);
    setText(row.u, read ? `u ${number(x.u)}` : "");
    setAttr(row.u, "title", read ? `u = ${x.u}` : null);
    row.fill.style.width = `${read ? 100 * x.a : 0}%`;
    row.tick.style.left = `${read ? 100 * x.u : 0}%`;
    setText(row.cell.verdict, seen.decided ? verdict(x, seen.afterRejection) : "");
    setAttr(row.cell.verdict, "title", row.cell.verdict.textContent || null);
    setAttr(row.node, "data-verdict", seen.decided ? x.verdict : null);
    setAttr(row.node, "data-selected", seen.selected ? "" : null);
    setAttr(row.button, "aria-current", seen.selected ? "true" : null);
    setAttr(row.button, "aria-disabled", read || !seen.decided ? null : "true");
  }

  function showLast(cycle, cursor, pieces) {
    const end = cursor.stage === "replace" ? cycle.replacement : null;
    const done = cursor.stage === "replace", k = cycle.drafted.length;
    setAttr(last.node, "data-verdict", !end ? null : end.bonus ? "bonus" : "replacement");
    setAttr(last.node, "data-selected", done ? "" : null);
    setShown(last.node, cursor.stage !== "draft");
    setText(last.cell.place, end ? String(end.index + 1) : "");
    setToken(last, end ? pieces[end.token] : null, null);
    setShown(last.button, Boolean(end));
    setAttr(last.button, "class", `chip ${end ? end.bonus ? "bonus" : "replacement" : ""}`);
    setAttr(last.button, "aria-current", done ? "true" : null);
    setNumber(last.cell.p, end ? end.p : null);
    setShown(last.meter, false);
    setAttr(last.cell.verdict, "title", end ? `drawn with probability ${end.r}` : null);
    setText(last.cell.verdict, done
      ? ending(cycle) + (end && !end.bonus && k ? `, at r ${equals(number(end.r))}` : "")
      : k === 0 ? "the target's own row of p"
        : decidedAll(cursor, cycle) ? "" : `row ${k + 1} of p: used only if all ${k} are accepted`);
  }

  function show(cursor, trace, textBefore) {
    const cycle = trace.cycles[cursor.cycle], { pieces } = trace;
    const place = { draft: -1, verify: -1, decide: cursor.position, replace: Infinity }[cursor.stage];
    const whole = merged(cycle.drafted.map((x) => pieces[x.token]));
    const afterRejection = cycle.drafted.some((x) => x.verdict === "rejected");
    const over = decidedAll(cursor, cycle);
    setText(before, textBefore);
    rows.forEach((row, i) => {
      const x = cycle.drafted[i];
      if (!x) { setAttr(row.node, "hidden", ""); return; }
      showDrafted(row, x, {
        verified: cursor.stage !== "draft", afterRejection,
        decided: i <= place && (x.verdict !== "unchecked") || (over && x.verdict === "unchecked"),
        selected: cursor.stage !== "replace" && i === cursor.position,
      }, pieces, whole[i]);
    });
    showLast(cycle, cursor, pieces);
    const end = cursor.stage === "replace" ? cycle.replacement : null;
    shown = cycle.drafted.map((x, i) => ({ row: rows[i], token: x.token }));
    if (end) shown.push({ row: last, token: end.token });
    setText(line, sentence(cursor, cycle, pieces));
  }

  /** Which row a pointer or the focus is on, as { position, token }; or null. */
  function eyeAt(target) {
    const position = shown.findIndex(({ row }) => row.node.contains(target));
    return position < 0 ? null : { position, token: shown[position].token };
  }

  /** Mark those of the rows at these positions that are this token; the last row comes after k. */
  function look(token, positions) {
    for (const row of [...rows, last]) setAttr(row.node, "data-eye", null);
    for (const i of positions) {
      if (shown[i] && shown[i].token === token) setAttr(shown[i].row.node, "data-eye", "");
    }
  }

  const say = (words) => setText(line, words);
  const quiet = (on) => setAttr(line, "aria-live", on ? "off" : "polite");
  return { node, line, grow, show, say, quiet, eyeAt, look };
}
