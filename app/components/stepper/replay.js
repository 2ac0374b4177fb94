/**
 * A finished run shown as if it streamed: text and bars, cycle by cycle, with a button that pauses.
 * Where the run is there at several draft lengths, a slider chooses, and it begins again.
 *
 * For those who asked for less motion it stands still, whole. Streamlit calls the default export
 * again without cleaning up, so what lives between two calls is kept on parentElement.
 */

import { mount } from "./stepper.js";
import { tau } from "./run_words.js";

const CYCLE_MS = 420;

export default function replay({ data, parentElement }) {
  if (!parentElement.replay) parentElement.replay = begin(parentElement, data);
  return () => {
    parentElement.replay?.end();
    delete parentElement.replay;
  };
}

/** data: { runs: progress by draft length, k: the one to begin with }. */
function begin(parentElement, { runs, k: first }) {
  const find = (selector) => parentElement.querySelector(selector);
  const button = find("button"), slider = find("input"), says = find("output"), told = find(".told");
  const lengths = Object.keys(runs).map(Number).sort((a, b) => a - b);
  let k = first, whole = runs[k];
  const upTo = (n) => ({ ...whole, cycles: whole.cycles.slice(0, n) });
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let shown = still ? whole.cycles.length : 1;
  let timer = 0;
  const handle = mount(find(".place"), null, () => {}, { progress: upTo(shown), laws: false });

  const ended = () => shown >= whole.cycles.length;
  function label() {
    button.textContent = timer ? "Pause" : ended() ? "Play again" : "Play";
    says.textContent = String(k);
    const tokens = whole.cycles.reduce((sum, cycle) => sum + cycle.committed.length, 0);
    told.textContent = `At k = ${k}, ${tokens} tokens take ` +
      `${whole.cycles.length} passes of the target: ` +
      `${tau(whole.cycles).toFixed(2)} tokens a pass.`;
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
  Object.assign(slider, { min: lengths[0], max: lengths.at(-1), value: k });
  slider.closest("label").hidden = lengths.length < 2;
  // The bars of a chosen length are there whole: what a person compares by moving k is their heights.
  slider.oninput = () => {
    clearTimeout(timer);
    timer = 0;
    [k, whole] = [Number(slider.value), runs[slider.value]];
    shown = whole.cycles.length;
    handle.update({ progress: upTo(shown) });
    label();
  };
  if (still) label();
  else play();
  return { end: () => { clearTimeout(timer); handle.destroy(); } };
}
