/**
 * Places in a class's run: which come when, what they are called, and what may be seen of a run up
 * to one of them. Pure.
 *
 * A place is { item, cycle, stage, position }: a cursor of the stepper, in one item of the plan.
 */

import { STAGES, clamp, replacePosition, step, stops } from "./stepper/model.js";

export const firstPlace = (item) => ({ item, cycle: 0, stage: "draft", position: 0 });

/** Where the selected row is in "draft" and "verify" is no part of how far a class has come. */
const rank = ({ cycle, stage, position }) =>
  [cycle, STAGES.indexOf(stage), stage === "decide" ? position : 0];

/** Negative when a comes before b, 0 when they show the same, positive when it comes after. */
export function compare(a, b) {
  const [x, y] = [rank(a), rank(b)];
  const i = x.findIndex((value, at) => value !== y[at]);
  return i < 0 ? 0 : x[i] - y[i];
}

export const furthest = (a, b) => (!b || (a && compare(a, b) > 0) ? a : b);

/** One stop on or back; the same place at either end. */
export const move = (place, run, by) =>
  ({ item: place.item, ...step(clamp(place, run), run, by) });

export const placeAt = (item, cursor, run) => ({ item, ...clamp(cursor, run) });

export const lastOfCycle = (item, cycle, run) => placeAt(item, { cycle, stage: "replace" }, run);

/** A place in words, counted from 1 as people do. */
export function placeWords({ cycle, stage, position }) {
  const what = stage === "decide" ? `position ${position + 1} decided`
    : { draft: "drafted", verify: "verified", replace: "ended" }[stage];
  return `cycle ${cycle + 1}, ${what}`;
}

/**
 * A cycle with everything after `until` taken out, as the server cuts it for the students: the
 * projector shows what they see.
 */
export function cutCycle(cycle, until) {
  if (until.stage === "replace") return cycle;
  const list = stops(cycle);
  const last = list.filter(([stage]) => stage === "decide").length - 1;
  const decided = until.stage === "decide" ? until.position : -1;
  const over = decided >= last && until.stage === "decide";
  const drafted = cycle.drafted.map((x, i) => {
    const seen = i <= decided, unread = over && x.verdict === "unchecked";
    return { ...x, laws: null, p: until.stage === "draft" ? null : x.p, a: seen ? x.a : null,
      u: seen ? x.u : null, verdict: seen || unread ? x.verdict : null };
  });
  const n = drafted.filter((x) => x.verdict === "accepted").length;
  return { ...cycle, drafted, n_accepted: n, committed: cycle.committed.slice(0, n),
    replacement: null, cut: null, until: { stage: until.stage, position: until.position } };
}

/** A run up to a place. */
export function cutRun(run, place) {
  const cycles = run.cycles.slice(0, place.cycle + 1);
  const last = cycles.length - 1;
  return { ...run, cycles: [...cycles.slice(0, last), cutCycle(cycles[last], place)] };
}

/** The questions about a run that can be asked where the class stands, nearest first. */
export function askable(run, revealed) {
  const cycle = run.cycles[revealed.cycle];
  if (!cycle) return [];
  if (revealed.stage === "replace") {   // the class then goes on to the drafts of the next one
    return run.cycles[revealed.cycle + 1] ? [{ kind: "count", cycle: revealed.cycle + 1 }] : [];
  }
  const about = { cycle: revealed.cycle };
  const found = [];
  const decisions = stops(cycle).filter(([stage]) => stage === "decide").length;
  const next = revealed.stage === "decide" ? revealed.position + 1 : 0;
  if (next < decisions) found.push({ kind: "verdict", ...about, position: next });
  if (next < decisions || decisions === 0) found.push({ kind: "count", ...about });
  const at = replacePosition(cycle);
  const rejected = cycle.replacement && !cycle.replacement.bonus;
  if (next >= decisions && rejected) found.push({ kind: "replacement", ...about, position: at });
  return found;
}

export function askWords({ kind, cycle, position }) {
  return {
    verdict: `Is position ${position + 1} of cycle ${cycle + 1} accepted or rejected?`,
    count: `How many tokens will cycle ${cycle + 1} commit?`,
    replacement: `Which token replaces the rejected one in cycle ${cycle + 1}?`,
  }[kind];
}

/** The stop that shows the answer of a question; null for a question about no run. */
export function answerPlace({ kind, cycle, position }, item, run) {
  if (kind === "verdict") return placeAt(item, { cycle, stage: "decide", position }, run);
  if (kind === "count") return placeAt(item, { cycle, stage: "decide", position: Infinity }, run);
  return kind === "replacement" ? lastOfCycle(item, cycle, run) : null;
}
