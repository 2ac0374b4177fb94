/**
 * The stepper as a Streamlit component (components v2).
 *
 * Streamlit calls the default export again for new data or a new theme, without cleaning up, so
 * what lives between two calls is kept on parentElement. What it returns is called when the
 * component leaves the page.
 */

import { sameCursor } from "./model.js";
import { mount } from "./stepper.js";

const REST_MS = 400;   // a move is told when the person rests: a rerun must not come between two keys
const QUIET_MS = 60;

export default function stepper({ data, parentElement, setStateValue }) {
  let kept = parentElement.stepper;
  if (!kept) {
    kept = parentElement.stepper = { jump: data.jump, present: data.present, data };
    mountInto(parentElement, kept, data);
  }
  kept.setStateValue = setStateValue;
  const jumped = data.jump !== kept.jump;
  const told = data.present !== kept.present;
  Object.assign(kept, { data, jump: data.jump, present: data.present });
  // Only a counter that moved is an order: an older cursor that comes back is an echo.
  kept.handle.update({ trace: data.trace, progress: data.progress,
    cursor: jumped ? data.cursor : undefined, present: told ? data.present : undefined });
  if (jumped || data.follow !== false) kept.report();
  return () => {
    clearTimeout(kept.timer);
    kept.handle.destroy();
    delete parentElement.stepper;
  };
}

function mountInto(parentElement, kept, data) {
  kept.reported = null;
  // Nobody hears of it while nothing on the server follows.
  kept.report = () => {
    clearTimeout(kept.timer);
    if (kept.data?.follow !== false) kept.timer = setTimeout(send, REST_MS);
  };
  function send() {
    const cursor = kept.handle.cursor();
    const value = cursor && { ...cursor, jump: kept.jump };
    if (!value || (sameCursor(value, kept.reported) && value.jump === kept.reported.jump)) return;
    kept.reported = value;
    kept.setStateValue("cursor", value);
  }
  kept.handle = mount(parentElement, data.trace, () => kept.report(), {
    address: data.address, screen: data.screen, cursor: data.cursor, progress: data.progress,
    present: data.present,
    onPresent: (on) => {
      clearTimeout(kept.presentTimer);
      kept.presentTimer = setTimeout(() => kept.setStateValue("present", on), QUIET_MS);
    },
  });
}
