/**
 * The stepper as a Streamlit component (components v2).
 *
 * Streamlit calls the default export again for new data or a new theme, without cleaning up, so
 * what lives between two calls is kept on parentElement. What it returns is called when the
 * component leaves the page.
 */

import { sameCursor } from "./model.js";
import { mount } from "./stepper.js";

const QUIET_MS = 60;

export default function stepper({ data, parentElement, setStateValue }) {
  let kept = parentElement.stepper;
  if (!kept) {
    kept = parentElement.stepper = { jump: data.jump, present: data.present, data: null };
    mountInto(parentElement, kept, data);
  }
  kept.setStateValue = setStateValue;
  const jumped = data.jump !== kept.jump;
  const told = data.present !== kept.present;
  Object.assign(kept, { data, jump: data.jump, present: data.present });
  // Only a counter that moved is an order: an older cursor that comes back is an echo.
  kept.handle.update({ trace: data.trace, progress: data.progress,
    cursor: jumped ? data.cursor : undefined, present: told ? data.present : undefined });
  if (jumped) kept.report();
  return () => {
    clearTimeout(kept.timer);
    kept.handle.destroy();
    delete parentElement.stepper;
  };
}

function mountInto(parentElement, kept, data) {
  kept.reported = null;
  kept.movedAt = -Infinity;
  // The first move is told at once; a held key is told when it rests.
  kept.report = () => {
    clearTimeout(kept.timer);
    const now = performance.now();
    kept.timer = setTimeout(send, now - kept.movedAt > 4 * QUIET_MS ? 0 : QUIET_MS);
    kept.movedAt = now;
  };
  function send() {
    const cursor = kept.handle.cursor();
    const value = cursor && { ...cursor, jump: kept.jump };
    if (!value || (sameCursor(value, kept.reported) && value.jump === kept.reported.jump)) return;
    kept.reported = value;
    kept.setStateValue("cursor", value);
  }
  kept.handle = mount(parentElement, data.trace, () => kept.report(), {
    address: data.address, cursor: data.cursor, progress: data.progress, present: data.present,
    onPresent: (on) => {
      clearTimeout(kept.presentTimer);
      kept.presentTimer = setTimeout(() => kept.setStateValue("present", on), QUIET_MS);
    },
  });
}
