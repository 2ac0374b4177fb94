/**
 * The runs of a class, as far as they have been revealed, put together from what comes.
 *
 * Each state carries the cycle the class has come to. Earlier ones are known already, or are
 * fetched once: a page that joins late, slept, or missed a step.
 */

import { ask } from "./net.js";

/** runs.at(state) -> the run of the state's item up to what is revealed; null if it cannot be had. */
export function makeRuns(base) {
  const known = new Map();   // item -> { settings, cycles, pieces }

  function extended(run, { index, cycle, pieces }) {
    if (!run || run.cycles.length < index) return null;
    const before = run.cycles.slice(0, index);
    if (before.some((one) => one.until)) return null;
    return { ...run, cycles: [...before, cycle], pieces: { ...run.pieces, ...pieces } };
  }

  async function fetched(item) {
    try {
      const { status, data } = await ask(`${base}/run?item=${item}`, { cache: "no-cache" });
      return status === 200 ? data : null;
    } catch {
      return null;
    }
  }

  async function at(state) {
    if (!state.step) return null;
    const { item } = state.place;
    let run = extended(known.get(item), state.step);
    if (!run) {
      const whole = await fetched(item);
      // What was fetched may be newer than the state that asked for it: then it is shown as it is.
      run = whole && (extended(whole, state.step) ?? whole);
    }
    if (run) known.set(item, run);
    return run;
  }

  return { at };
}
