/**
 * The text, token by token: one chip for each committed token, told apart by color and shape.
 */

import { el, keepInView, rove, roveTo, setAttr } from "./dom.js";
import { committedOffset, kindOf } from "./model.js";
import { merged, quote, segments } from "./run_words.js";

const KIND_WORDS = {
  accepted: "accepted draft", replacement: "replacement, from the residual",
  bonus: "bonus, all drafts accepted",
};

/** A token's piece as spans; a line break inside the piece is a line break on screen. */
export function pieceNodes(piece) {
  const parts = segments(piece);
  return parts.map(([kind, text], i) => {
    const breaks = kind === "newline" && i < parts.length - 1 ? "\n" : "";
    return el("span", { class: `seg ${kind}` }, text + breaks);
  });
}

export function legend() {
  const item = (kind, words) =>
    el("span", {}, el("span", { class: `chip ${kind}`, "aria-hidden": "true" }, "abc"), ` ${words}`);
  return el("p", { class: "legend" }, item("accepted", "accepted draft"),
    item("replacement", "replacement"), item("bonus", "bonus"));
}

/** onToken(cycle, offset) is called when a token is chosen. */
export function textView(onToken) {
  const box = el("div", { class: "tokens", role: "listbox", "aria-orientation": "horizontal",
    "aria-label": "Committed text, token by token" });
  let cycles = [];   // one signature a cycle: what its chips were made from
  let chips = [];    // [{ node, cycle, offset, kind }]
  let marked = -1;

  const chipAt = (node) => chips.findIndex((chip) => chip.node.contains(node));
  const choose = (i) => chips[i] && onToken(chips[i].cycle, chips[i].offset);
  box.addEventListener("click", (event) => {
    const i = chipAt(event.target);
    if (i < 0) return;
    choose(i);
    chips[i].node.focus({ preventScroll: true });
  });
  box.addEventListener("keydown", (event) => {
    const to = event.shiftKey || event.altKey || event.ctrlKey || event.metaKey ? null
      : roveTo(event.key, chipAt(event.target), chips.length);
    if (to === null) return;
    event.preventDefault();
    choose(to);
    chips[to]?.node.focus({ preventScroll: true });
  });

  function append(cycle, index, pieces) {
    cycle.committed.forEach((token, offset) => {
      const kind = kindOf(cycle, offset);
      const piece = pieces[token];
      const node = el("span", { class: `chip ${kind}`, role: "option", "aria-selected": "false",
        tabindex: -1 }, ...pieceNodes(piece));
      chips.push({ node, cycle: index, offset, kind, token });
      box.append(node, el(typeof piece === "string" && piece.endsWith("\n") ? "br" : "wbr"));
    });
  }

  /** Draw from the first cycle that differs on; what is there already is not touched. */
  function update(list, pieces) {
    const signatures = list.map((c) =>
      JSON.stringify([c.n_accepted, c.bonus, c.committed.map((t) => [t, pieces[t]])]));
    let same = 0;
    while (same < cycles.length && cycles[same] === signatures[same]) same += 1;
    if (same === cycles.length && same === list.length) return;
    const following = box.scrollHeight - box.scrollTop - box.clientHeight < 30;
    for (const { node } of chips.filter((chip) => chip.cycle >= same)) {
      node.nextSibling.remove();
      node.remove();
    }
    chips = chips.filter((chip) => chip.cycle < same);
    list.slice(same).forEach((cycle, i) => append(cycle, same + i, pieces));
    cycles = signatures;
    marked = -1;
    const together = merged(chips.map((chip) => pieces[chip.token]));
    chips.forEach(({ node, kind, cycle, token }, i) => {
      const whole = together[i] === null ? "" : `, with its neighbors ${quote(together[i])}`;
      setAttr(node, "aria-label", `token ${i + 1}, ${quote(pieces[token])}${whole}: ` +
        `${KIND_WORDS[kind]}, cycle ${cycle + 1}`);
      setAttr(node, "title", node.getAttribute("aria-label"));
    });
    rove(chips.map((chip) => chip.node), 0);
    if (following) box.scrollTop = box.scrollHeight;
  }

  /** Mark the cursor's cycle and token; without a cursor (a stream) all tokens look alike. */
  function show(cursor, cycle) {
    const offset = cursor ? committedOffset(cursor, cycle) : -1;
    let here = -1, first = -1;
    chips.forEach((chip, i) => {
      const when = !cursor || chip.cycle < cursor.cycle ? null
        : chip.cycle === cursor.cycle ? "now" : "later";
      if (when === "now" && first < 0) first = i;
      if (when === "now" && chip.offset === offset) here = i;
      setAttr(chip.node, "data-when", when);
    });
    const stop = here >= 0 ? here : Math.max(first, 0);
    if (marked >= 0 && chips[marked]) setAttr(chips[marked].node, "aria-selected", "false");
    if (here >= 0) setAttr(chips[here].node, "aria-selected", "true");
    marked = here;
    rove(chips.map((chip) => chip.node), stop);
    if (cursor && chips[stop]) keepInView(box, chips[stop].node);
  }

  /** Which committed token a pointer or the focus is on, as { cycle, offset, token }; or null. */
  function eyeAt(target) {
    const chip = chips[chipAt(target)];
    return chip ? { cycle: chip.cycle, offset: chip.offset, token: chip.token } : null;
  }

  return { node: box, update, show, eyeAt };
}
