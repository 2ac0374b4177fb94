/**
 * The presenter's one dialog: keys, the code, the questions, the plan, the end.
 *
 *   makeOverlay(dialog) -> { open(title, body, options), choices(title, list), close, name }
 *
 * A list of choices is taken by its number or by a click; Escape closes, as in any dialog.
 */

import { el, setText } from "./stepper/dom.js";

export function makeOverlay(dialog) {
  const title = dialog.querySelector("h2"), body = dialog.querySelector("div");
  let name = null, numbered = [];

  function open(which, words, ...nodes) {
    if (dialog.open && name === which) return close();
    name = which;
    numbered = [];
    dialog.dataset.name = which;
    setText(title, words);
    body.replaceChildren(...nodes);
    if (!dialog.open) dialog.showModal();
  }

  /** list: [{ words, note, act }] */
  function choices(which, words, list) {
    const buttons = list.map(({ words: text, note, act }, i) => {
      const button = el("button", { type: "button" }, el("kbd", {}, i < 9 ? String(i + 1) : ""),
        el("span", {}, text), el("small", {}, note ?? ""));
      button.addEventListener("click", () => { close(); act(); });
      return button;
    });
    const wasOpen = dialog.open && name === which;
    open(which, words, el("div", { class: "menu" }, ...buttons));
    if (wasOpen) return;
    numbered = buttons;
    buttons[0].focus();
  }

  function close() {
    dialog.close();
  }

  // The event comes late: by then another overlay may be open.
  dialog.addEventListener("close", () => { if (!dialog.open) [name, numbered] = [null, []]; });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });
  dialog.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return event.stopPropagation();
    const at = numbered.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to !== undefined && numbered[to]) {
      event.preventDefault();
      numbered[to].focus();
    }
    const chosen = /^[1-9]$/.test(event.key) && numbered[Number(event.key) - 1];
    if (chosen) {
      event.preventDefault();
      chosen.click();
    }
    event.stopPropagation();   // the stepper behind it has keys of its own
  });

  return { open, choices, close, name: () => (dialog.open ? name : null) };
}
