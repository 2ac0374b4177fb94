/**
 * The presenter's keys, the same deeds as buttons, and the overlays that explain them.
 *
 * Clickers send PageDown and PageUp; Space and Enter stay with a button that has the focus.
 */

import { base, codeHere } from "./address.js";
import { el, setAttr, setText } from "./stepper/dom.js";

const KEYS = [
  ["→", "step on, and show it to the class", "forward", ["ArrowRight", "PageDown", " "]],
  ["←", "step back; what was shown stays shown", "back", ["ArrowLeft", "PageUp"]],
  ["Shift →", "to the end of the cycle, then to the next", "cycle", ["Shift+ArrowRight"]],
  ["Shift ←", "to the beginning of the cycle, then to the one before", "before", ["Shift+ArrowLeft"]],
  ["End", "to the furthest place that was shown", "furthest", ["End"]],
  ["U", "after stepping back: hide again what comes later", "hideAgain", ["u"]],
  ["A", "ask the class", "ask", ["a"]],
  ["Enter", "close the question, then reveal it, then go on", "main", ["Enter"]],
  ["Z", "ask the same again, after a talk", "again", ["z"]],
  ["R", "reveal the answer", "reveal", ["r"]],
  ["H", "hide or show the counts while a question is open", "counts", ["h"]],
  ["[ ]", "the part of the plan before, or after", "nextItem", ["]"]],
  ["I", "the plan: go to any part", "plan", ["i"]],
  ["N", "notes, in small type", "notes", ["n"]],
  ["C", "the code and its picture, large", "code", ["c"]],
  ["F", "full screen", "full", ["f"]],
  ["D", "dark or light", "theme", ["d"]],
  ["E", "end the class", "end", ["e"]],
  ["?", "these keys", "help", ["?"]],
];
const DEED = new Map([...KEYS.flatMap(([, , deed, keys]) => keys.map((key) => [key, deed])),
  ["[", "previousItem"]]);
const BUTTONS = [["back", "←", "Back"], ["forward", "→", "Step"], ["main", "", "Ask"],
  ["again", "", "Ask again"], ["notes", "", "Notes"], ["code", "", "Code"], ["plan", "", "Plan"],
  ["help", "?", "Keys"]];

/** deeds: what each name does; keysOff() says when nothing can be done yet. */
export function makeControls({ deeds, overlay, keysOff }) {
  const all = { ...deeds, help };
  const bar = document.getElementById("controls");
  const button = Object.fromEntries(BUTTONS.map(([name, sign, words]) => {
    const one = el("button", { type: "button", "aria-label": words, title: words, class: name }, sign || words);
    one.addEventListener("click", (event) => {
      if (event.detail) one.blur();   // a click with the mouse leaves the keys to the page
      act(name);
    });
    bar.append(one);
    return [name, one];
  }));

  function act(name) {
    if (name === "help" || !keysOff()) all[name]();
  }

  function help() {
    overlay.open("help", "Keys", el("dl", { class: "keys" }, ...KEYS.flatMap(([key, words]) =>
      [el("dt", {}, ...key.split(" ").map((one) => el("kbd", {}, one))), el("dd", {}, words)])));
  }

  function showCode({ code, join_url: url }) {
    const address = url ?? `${location.origin}${base}`;
    overlay.open("code", "Join the class",
      el("div", { class: "code" },
        el("img", { src: `${base}/qr.svg`, alt: "QR code of the class's address", width: 330, height: 330 }),
        el("div", {}, el("p", { class: "address" }, address.replace(/^https?:\/\//, "")),
          el("p", { class: "letters" }, (code ?? codeHere).toUpperCase()),
          el("p", {}, `or at ${new URL(address).host}/class, with this code`))));
  }

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const name = `${event.shiftKey && event.key.startsWith("Arrow") ? "Shift+" : ""}` +
      `${event.key.length === 1 ? event.key.toLowerCase() : event.key}`;
    const deed = DEED.get(name);
    const pressed = event.target.closest?.("button, a[href]");
    if (pressed && (event.key === "Enter" || event.key === " ")) return;
    const shown = overlay.name();
    if (shown) {
      // The key that opened an overlay closes it; everything else is the overlay's own.
      if (deed === shown) { event.preventDefault(); overlay.close(); }
      return;
    }
    if (!deed && name !== "p" && name !== "Home" && name !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();   // the stepper has keys too, and here they would step by themselves
    if (deed && !(event.repeat && !["forward", "back"].includes(deed))) act(deed);
  }, { capture: true });

  function draw({ question, revealed, ended }) {
    const words = !question ? "Ask" : question.open ? "Close" : revealed ? "Go on" : "Reveal";
    setText(button.main, words);
    setAttr(button.main, "aria-label", words);
    setAttr(button.main, "title", question ? `${words} (Enter)` : "Ask (A)");
    setAttr(button.again, "data-hidden", question && !question.open && !revealed ? null : "");
    for (const name of ["main", "again"]) setAttr(button[name], "disabled", ended ? "" : null);
  }

  return { draw, showCode };
}
