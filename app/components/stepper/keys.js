/**
 * Which key means what, and whose it is.
 */

/** Where keys are someone else's: something is typed there, or it has its own use for arrows. */
const TAKEN = "input, textarea, select, [contenteditable]:not([contenteditable=false]), " +
  "[role=textbox], [role=combobox], [role=slider], [role=spinbutton], [role=listbox], " +
  "[role=option], [role=radio], [role=tab], [role=menuitem], [role=tree], [role=grid], video, audio";
const PRESSED = "button, a[href], summary, [role=button], [role=checkbox], [role=switch]";

const MOVES = { ArrowRight: "forward", ArrowLeft: "back", PageDown: "after", PageUp: "before",
  Home: "first", End: "last", " ": "play", Escape: "leave" };

/** A move, "play", "present" or "leave"; null for a key that is not the stepper's.
 *
 * listening  whether keys that are pressed outside of `root` are meant for it
 */
export function keyFor(event, root, listening) {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return null;
  const target = event.composedPath()[0], inside = root.contains(target);
  if (!inside && !listening()) return null;
  const taken = target.closest?.(TAKEN);
  const ours = taken && inside && !["INPUT", "SELECT", "TEXTAREA"].includes(taken.tagName);
  if (taken && !ours) return null;
  if (event.key === " " && target.closest?.(PRESSED)) return null;
  if (event.key.toLowerCase() === "p") return "present";
  if (event.shiftKey) return { ArrowRight: "after", ArrowLeft: "before" }[event.key] ?? null;
  return MOVES[event.key] ?? null;
}
