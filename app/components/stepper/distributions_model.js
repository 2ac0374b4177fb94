/**
 * The distributions of one place: its rows, its scales, and what is said of it. Pure.
 *
 * p is the target's, q the draft's, and the residual max(0, p - q), normalized. A place is a
 * position of a cycle: a drafted one, or k for the bonus.
 */

import { decidedAll } from "./model.js";
import { number, quote } from "./run_words.js";

const SCALES = [0.1, 0.2, 0.5, 1];

/** The laws kept at a place; null where nothing was decided. Also read from a whole trace. */
export function lawsAt(cycle, place) {
  const x = place < cycle.drafted.length ? cycle.drafted[place] : cycle.replacement;
  if (!x) return null;
  if (x.laws) return x.laws;
  const { table } = x;
  return table ? { ...table, rest: [table.tail_p, table.tail_q, table.tail_left],
    others: table.tail_count, overlap: x.overlap ?? null } : null;
}

/**
 * One row a token and one for the rest, as { token, p, q, left, r }; token is null for the rest.
 * `left` is max(0, p - q), r the residual; q, left and r are null where there is no q.
 */
export function rowsAt(laws) {
  const drafted = laws.q.length > 0;
  const mass = laws.left.reduce((sum, x) => sum + x, 0) + laws.rest[2];
  const row = (token, p, q, left) => ({ token, p, q: drafted ? q : null,
    left: drafted ? left : null, r: drafted ? (mass > 0 ? left / mass : 0) : null });
  return [...laws.tokens.map((token, i) => row(token, laws.p[i], laws.q[i], laws.left[i])),
    row(null, ...laws.rest)];
}

/** The most rows that a place of this run has, so that rows keep their height from place to place. */
export function mostRows(cycles) {
  const counts = cycles.flatMap((cycle) => [...cycle.drafted.keys(), cycle.drafted.length]
    .map((place) => lawsAt(cycle, place)?.tokens.length ?? 0));
  return Math.max(0, ...counts) + 1;   // and the rest
}

/** The end of an axis that holds all values: the same few ends, so that little jumps. */
export const scaleFor = (values) =>
  SCALES.find((end) => values.every((x) => x === null || x <= end)) ?? 1;

/** What may be seen of a place at a stage: the rest has not happened yet. */
export function seenAt(cursor, cycle) {
  const x = cycle.drafted[cursor.position];
  const decided = cursor.stage === "decide" || cursor.stage === "replace";
  const rejected = decided && x?.verdict === "rejected";
  return { p: cursor.stage !== "draft", decided: decided && Boolean(x), rejected,
    drawn: cursor.stage === "replace" && Boolean(cycle.replacement) };
}

export const titleAt = (cycle, place) =>
  `${place >= cycle.drafted.length ? "p at the bonus position" : "p against q, and the residual"}` +
  `: token ${cycle.start + place + 1}, cycle ${cycle.index + 1}`;

/** What to see in the picture, from its numbers. */
export function lawsSentence(cursor, cycle, trace) {
  const place = cursor.position, { pieces } = trace;
  const end = cycle.replacement;
  if (place >= cycle.drafted.length) {
    if (!end) return "The text ended inside the draft, so no further token was needed.";
    return "All drafts were accepted, so the target’s own distribution gives one more token: " +
      `${quote(pieces[end.token])}, drawn from p, where it has probability ${number(end.p)}.`;
  }
  const x = cycle.drafted[place], name = quote(pieces[x.token]);
  const laws = lawsAt(cycle, place);
  if (!laws && cycle.until) {
    return "The distributions of this place are shown when the cycle has ended.";
  }
  if (!laws) {
    return decidedAll(cursor, cycle)
      ? `${name} was drafted after a rejection. The prefix it continues was thrown away, so there ` +
        "is nothing here to compare."
      : "Nothing was decided at this place, so its distributions are not kept.";
  }
  if (cursor.stage === "draft") {
    return `${name} was drawn from q, the draft’s distribution, where it has probability ` +
      `${number(x.q)}. p is not known yet.`;
  }
  const all = trace.vocab_size ? `all ${trace.vocab_size.toLocaleString("en-US")} tokens`
    : "all tokens";
  const overlap = laws.overlap === null ? "" : `The two distributions overlap by ` +
    `${laws.overlap.toFixed(2)}: the sum over ${all} of the smaller of p and q, which is the ` +
    "chance that a draft is accepted here.";
  if (cursor.stage === "verify") return overlap;
  if (x.verdict === "accepted") {
    return `${overlap} ${name} has ` + (x.p >= x.q ? "p ≥ q, so it was sure to be kept."
      : "p < q; the draw u was below p/q, so it was kept.");
  }
  const drawn = cursor.stage === "replace" && end
    ? ` ${quote(pieces[end.token])} was drawn instead, from what the target wanted beyond q.` : "";
  return `${overlap} ${name} was rejected.${drawn}`;
}

/**
 * The numbers of one token, in a line: “·the”: p 0.31, q 0.52, min(1, p/q) 0.60, u 0.33.
 *
 * What is null has not been seen yet, or does not exist.
 */
function numbersOf(name, { p = null, q = null, u = null, r = null }) {
  const ratio = p !== null && q ? Math.min(1, p / q) : null;
  const parts = [["p", p], ["q", q], ["min(1, p/q)", ratio], ["u", u], ["residual", r]]
    .filter(([, value]) => value !== null && value !== undefined);
  return `${name}: ${parts.map(([what, value]) => `${what} ${number(value)}`).join(", ")}`;
}

/**
 * What is looked at: { token, rows, chart, words }.
 *
 * found  a row of the chart { token, p, q, r }, a row of the table { position, token }, a token of
 *        the text { cycle, offset, token }, or null: then it is the token that one stands on
 * rows   the positions of the table's rows that are this token (k for the last)
 * chart  whether the chart shows its place
 */
export function lookedAt(found, cursor, trace) {
  const cycle = trace.cycles[cursor.cycle], k = cycle.drafted.length, seen = seenAt(cursor, cycle);
  const here = cursor.stage === "replace" && cycle.replacement ? k : cursor.position;
  if (found && found.p !== undefined) {
    const x = seen.decided && found.token === cycle.drafted[cursor.position].token
      ? cycle.drafted[cursor.position] : null;
    const name = found.token === null ? "all other tokens" : quote(trace.pieces[found.token]);
    return { token: found.token, rows: [...new Set([cursor.position, here])], chart: true,
      words: numbersOf(name, { ...found, p: seen.p ? found.p : null, r: seen.p ? found.r : null,
        u: x?.u ?? null }) };
  }
  const index = found?.cycle ?? cursor.cycle, of = trace.cycles[index];
  const position = found ? found.position ?? (found.offset < of.n_accepted ? found.offset
    : of.drafted.length) : here;
  const token = position < of.drafted.length ? of.drafted[position].token : of.replacement?.token;
  if (token === undefined) return { token, rows: [], chart: false, words: "" };
  const ends = position >= of.drafted.length, same = index === cursor.cycle;
  const place = ends ? of.n_accepted : position;
  const name = (found?.cycle === undefined ? "" : `token ${of.start + place + 1}, `) +
    quote(trace.pieces[token]);
  return { token, rows: same ? [position] : [], chart: same && place === cursor.position,
    words: numbersOf(name, known(of, position, same || found?.cycle === undefined ? seen : null)) };
}

/** The numbers of a position that have been seen; all of them in a cycle that is committed. */
function known(cycle, position, seen) {
  const x = cycle.drafted[position], end = cycle.replacement;
  if (x) {
    const decided = x.verdict !== "unchecked" && (!seen || seen.decided);
    return { q: x.q, p: !seen || seen.p ? x.p : null, u: decided ? x.u : null };
  }
  const laws = lawsAt(cycle, cycle.n_accepted);
  const row = laws && rowsAt(laws).find((one) => one.token === end.token);
  return { p: end.p, q: row?.q ?? null, r: end.bonus ? null : end.r };
}
