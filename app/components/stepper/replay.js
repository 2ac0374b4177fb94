/**
 * A finished run shown as if it streamed: text and bars, cycle by cycle, with a button that pauses.
 *
 * For those who asked for less motion it stands still, whole. Streamlit calls the default export
 * again without cleaning up, so what lives between two calls is kept on parentElement.
 */

import { mount } from "./stepper.js";

const CYCLE_MS = 420;

export default function replay({ data, parentElement }) {
  if (!parentElement.replay) parentElement.replay = begin(parentElement, data.progress);
  return () => {
    parentElement.replay?.end();
    delete parentElement.replay;
  };
}

function begin(parentElement, whole) {
  const place = parentElement.querySelector(".place");
  const button = parentElement.querySelector("button");
  const upTo = (n) => ({ ...whole, cycles: whole.cycles.slice(0, n) });
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let shown = still ? whole.cycles.length : 1;
  let timer = 0;
  const handle = mount(place, null, () => {}, { progress: upTo(shown), laws: false });

  const ended = () => shown >= whole.cycles.length;
  function label() {
    button.textContent = timer ? "Pause" : ended() ? "Play again" : "Play";
  }
  function tick() {
    shown += 1;
    handle.update({ progress: upTo(shown) });
    timer = ended() ? 0 : setTimeout(tick, CYCLE_MS);
    label();
  }
  function play() {
    timer = setTimeout(tick, CYCLE_MS);
    label();
  }
  button.onclick = () => {
    if (timer) {
      clearTimeout(timer);
      timer = 0;
      label();
      return;
    }
    if (ended()) shown = 0;
    play();
  };
  if (still) label();
  else play();
  return { end: () => { clearTimeout(timer); handle.destroy(); } };
}
