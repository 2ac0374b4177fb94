/**
 * Where one is and how to move: the buttons, the stages, play.
 */

import { el, setAttr, setShown, setText, svg } from "./dom.js";
import { STAGES, checkedCount, decidedAll, sameCursor, step } from "./model.js";

const ICONS = {
  first: "M3 3v10M13 3L6 8l7 5z", before: "M8 3L2 8l6 5zM14 3L8 8l6 5z", back: "M11 3L4 8l7 5z",
  play: "M5 2.5l8 5.5-8 5.5z", pause: "M4 3h3v10H4zM9 3h3v10H9z", forward: "M5 3l7 5-7 5z",
  after: "M8 3l6 5-6 5zM2 3l6 5-6 5z", last: "M13 3v10M3 3l7 5-7 5z",
};
const KEYS = [["← →", "step"], ["Shift + ← →", "cycle"], ["Home End", "first, last"],
  ["Space", "play"], ["P", "present"]];

function iconButton(name, label, onClick) {
  const path = svg("path", { d: ICONS[name] });
  const button = el("button", { type: "button", class: "icon", "aria-label": label, title: label },
    svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, path));
  button.addEventListener("click", onClick);
  return button;
}

/** act(name) is one of the moves' names; onStage(stage, position); onSpeed(factor). */
export function navView(act, onStage, onSpeed) {
  const label = el("span", { class: "where" });
  const button = Object.fromEntries([
    ["first", "first"], ["before", "previous cycle"], ["back", "back"], ["play", "play"],
    ["forward", "forward"], ["after", "next cycle"], ["last", "last"],
  ].map(([name, words]) => [name, iconButton(name, words, () => act(name))]));
  // What a phone's narrow bar has no room for, and what it makes large.
  for (const name of ["first", "last"]) button[name].classList.add("rare");
  for (const name of ["back", "forward"]) button[name].classList.add("main-move");
  const speed = el("select", { "aria-label": "speed" }, ...[0.5, 1, 2, 4].map((factor) =>
    el("option", { value: factor, selected: factor === 1 ? "" : null }, `${factor}x`)));
  speed.addEventListener("change", () => onSpeed(Number(speed.value)));

  const stages = el("div", { class: "stages", role: "group", "aria-label": "stages of the cycle" });
  const chip = Object.fromEntries(["draft", "verify", "replace"].map((stage) =>
    [stage, el("button", { type: "button", class: "stage" }, stage)]));
  const decide = el("span", { class: "decide" }, el("span", {}, "decide"));
  const numbers = [];
  stages.append(chip.draft, chip.verify, decide, chip.replace);
  for (const stage of ["draft", "verify", "replace"]) {
    chip[stage].addEventListener("click", () => onStage(stage, 0));
  }

  const node = el("div", { class: "nav" },
    el("div", { class: "moves" }, label, ...Object.values(button), speed),
    stages,
    el("p", { class: "keys" }, el("span", {}, "keys: "), ...KEYS.flatMap(([key, what]) =>
      [el("kbd", {}, key), ` ${what}  `])));

  /** One number for each drafted position, so that nothing moves from cycle to cycle. */
  function grow(k) {
    while (numbers.length < k) {
      const i = numbers.length;
      const one = el("button", { type: "button", class: "stage", "aria-label":
        `decide position ${i + 1}` }, String(i + 1));
      one.addEventListener("click", () => onStage("decide", i));
      numbers.push(one);
      decide.append(one);
    }
    numbers.forEach((one, i) => setAttr(one, "hidden", i < k ? null : ""));
    setAttr(decide, "hidden", k ? null : "");
  }

  function show(cursor, trace) {
    const cycle = trace.cycles[cursor.cycle];
    setText(label, `cycle ${cursor.cycle + 1} of ${trace.cycles.length}`);
    for (const stage of STAGES.filter((s) => s !== "decide")) {
      setAttr(chip[stage], "aria-current", stage === cursor.stage ? "step" : null);
    }
    const unread = decidedAll(cursor, cycle) ? checkedCount(cycle) : Infinity;
    numbers.forEach((one, i) => {
      const now = cursor.stage === "decide" && cursor.position === i;
      setAttr(one, "aria-current", now ? "step" : null);
      setAttr(one, "data-unchecked", i >= unread && i < cycle.drafted.length ? "" : null);
      setShown(one, i < cycle.drafted.length);
    });
    const atStart = sameCursor(step(cursor, trace, -1), cursor);
    const atEnd = sameCursor(step(cursor, trace, 1), cursor);
    for (const name of ["first", "back"]) setAttr(button[name], "aria-disabled", atStart || null);
    for (const name of ["last", "forward"]) setAttr(button[name], "aria-disabled", atEnd || null);
    setAttr(button.before, "aria-disabled", cursor.cycle === 0 || null);
    setAttr(button.after, "aria-disabled", cursor.cycle === trace.cycles.length - 1 || null);
  }

  function playing(on) {
    setAttr(button.play.querySelector("path"), "d", ICONS[on ? "pause" : "play"]);
    setAttr(button.play, "aria-label", on ? "pause" : "play");
    setAttr(button.play, "title", on ? "pause" : "play");
  }

  return { node, grow, show, playing };
}
