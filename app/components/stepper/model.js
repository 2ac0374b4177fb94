/**
 * Where one is in a run: the cursor, its moves, and its form in the page's address. Pure.
 *
 * A cursor is {cycle, stage, position}, counted from 0. `position` is the index within the cycle
 * of the drafted position looked at: the one being decided in "decide", the place that the
 * replacement fills in "replace" (k for a bonus), the selected row in "draft" and "verify".
 */

export const STAGES = ["draft", "verify", "decide", "replace"];

const within = (value, low, high) => Math.min(Math.max(Math.trunc(value) || 0, low), high);

/** How many drafted positions the rule looked at: all up to the first rejection. */
export const checkedCount = (cycle) =>
  cycle.drafted.filter((x) => x.verdict !== "unchecked").length;

/** The place the replacement fills; without one, the accepted token that ended the text. */
export const replacePosition = (cycle) =>
  cycle.replacement ? cycle.n_accepted : Math.max(cycle.n_accepted - 1, 0);

/** Whether a stop lies after the last one of its cycle that may be seen: see `stops`. */
const isBeyond = (stage, position, until) => Boolean(until) &&
  (STAGES.indexOf(stage) > STAGES.indexOf(until.stage) ||
    (stage === "decide" && until.stage === "decide" && position > until.position));

/** The nearest cursor that exists in the trace; null in a trace without cycles. */
export function clamp(cursor, trace) {
  if (trace.cycles.length === 0) return null;
  const cycle = within(cursor.cycle, 0, trace.cycles.length - 1);
  const { drafted, until } = trace.cycles[cycle];
  const checked = checkedCount(trace.cycles[cycle]);
  let stage = STAGES.includes(cursor.stage) ? cursor.stage : "draft";
  if (isBeyond(stage, cursor.position, until)) return { cycle, ...until };
  if (stage === "decide" && checked === 0) stage = "verify";
  if (stage === "replace") return { cycle, stage, position: replacePosition(trace.cycles[cycle]) };
  const last = stage === "decide" ? checked - 1 : Math.max(drafted.length - 1, 0);
  return { cycle, stage, position: within(cursor.position, 0, last) };
}

export const sameCursor = (a, b) =>
  a === b || Boolean(a && b && STAGES.includes(a.stage) && a.cycle === b.cycle &&
    a.stage === b.stage && a.position === b.position);

export const firstCursor = () => ({ cycle: 0, stage: "draft", position: 0 });
export const lastCursor = (trace) => clamp({ cycle: Infinity, stage: "replace" }, trace);

/**
 * The stops of one cycle, in order, as [stage, position].
 *
 * A cycle that is shown to a class only in part ends `until` {stage, position}: what comes later
 * is not in the data (null), and there is no stop for it.
 */
export function stops(cycle) {
  const decided = Array.from({ length: checkedCount(cycle) }, (_, i) => ["decide", i]);
  return [["draft", 0], ["verify", 0], ...decided, ["replace", replacePosition(cycle)]]
    .filter(([stage, position]) => !isBeyond(stage, position, cycle.until));
}

/** Whether the cursor has come to the last verdict of its cycle. */
export const decidedAll = (cursor, cycle) => cursor.stage === "replace" ||
  (cursor.stage === "decide" && cursor.position === checkedCount(cycle) - 1);

/** One stop forward (by = 1) or back (by = -1), across cycles; the same cursor at either end. */
export function step(cursor, trace, by) {
  const list = stops(trace.cycles[cursor.cycle]);
  const here = list.findIndex(([stage, position]) =>
    stage === cursor.stage && (stage !== "decide" || position === cursor.position));
  const next = list[here + by];
  if (next) {
    const selecting = ["draft", "verify"].includes(next[0]) && cursor.stage !== "decide";
    const position = selecting ? cursor.position : next[1];
    return clamp({ cycle: cursor.cycle, stage: next[0], position }, trace);
  }
  const cycle = cursor.cycle + by;
  if (cycle < 0 || cycle >= trace.cycles.length) return cursor;
  return clamp({ cycle, stage: by > 0 ? "draft" : "replace", position: 0 }, trace);
}

/** Another cycle, at the same stage. */
export const toCycle = (cursor, trace, cycle) =>
  clamp({ cycle, stage: cursor.stage, position: 0 }, trace);

/** The stop at which the token at `offset` of a cycle's committed tokens was decided. */
export const toToken = (trace, cycle, offset) =>
  clamp({ cycle, stage: offset < trace.cycles[cycle].n_accepted ? "decide" : "replace",
    position: offset }, trace);

/** Which committed token of the cycle a cursor stands on; -1 for none of them. */
export function committedOffset(cursor, cycle) {
  const on = cursor.stage === "decide" || cursor.stage === "replace";
  const standing = cursor.stage === "replace" || cursor.position < cycle.n_accepted;
  return on && standing && cursor.position < cycle.committed.length ? cursor.position : -1;
}

/** What a run and a stream have in common: enough for the text and the bars. */
export const slim = (cycle) => ({
  n_accepted: cycle.n_accepted,
  bonus: cycle.replacement ? cycle.replacement.bonus : Boolean(cycle.bonus),
  committed: cycle.committed,
  cut: cycle.cut || null,
  whole: !cycle.until,
});

/** How the token at `offset` of a cycle's committed tokens came to be. */
export const kindOf = (cycle, offset) =>
  offset < cycle.n_accepted ? "accepted" : cycle.bonus ? "bonus" : "replacement";

/** The draft length of a run: as set, or as seen where the settings are not at hand. */
export const draftLength = (trace) => Math.max(
  trace.settings?.k ?? 0, ...trace.cycles.map((cycle) => cycle.drafted.length), 0);

/** The cursor in a query such as "?cycle=5&stage=decide&position=2" (from 1); null if none. */
export function readAddress(search) {
  const query = new URLSearchParams(search);
  const cycle = Number.parseInt(query.get("cycle"), 10);
  if (!(cycle >= 1)) return null;
  const position = Number.parseInt(query.get("position"), 10);
  return { cycle: cycle - 1, stage: query.get("stage") ?? "draft",
    position: position >= 1 ? position - 1 : 0 };
}

/** The query with the cursor in it, every other parameter as it was. */
export function writeAddress(search, cursor) {
  const query = new URLSearchParams(search);
  query.set("cycle", cursor.cycle + 1);
  query.set("stage", cursor.stage);
  query.set("position", cursor.position + 1);
  return `?${query}`;
}
