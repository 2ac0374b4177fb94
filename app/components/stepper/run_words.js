/**
 * What is said about a run: numbers, tokens and verdicts as text. Pure.
 */

const SPECIAL = /^(<\|[^\n]+\|>|<\/?s>|<(unk|pad|bos|eos|mask)>|<\/?(start|end)_of_\w+>)$/;
// Characters that are invisible, reorder their neighbors, or say "something was lost here".
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\uFFFD]|(?! )\p{Zs}/u;
const PARTS = new RegExp(`(\\r?\\n| |\\t|${HIDDEN.source})`, "u");

/** Two or three significant digits: 0.25, 0.031, 4.2e-4. Never "1" for what is below 1. */
export function number(x, digits = 2) {
  if (x === 0 || x === 1) return String(x);
  if (x < 0.001) return x.toExponential(digits - 1).replace(/\.0+e/, "e");
  const text = x >= 0.1 ? x.toFixed(digits) : x.toPrecision(digits);
  if (x > 1 || Number(text) !== 1) return text;
  return digits < 4 ? number(x, digits + 1) : `>${(1 - 10 ** -digits).toFixed(digits)}`;
}

/** "= 0.25", but "> 0.9999" for what cannot be told from 1 in four digits. */
export const equals = (text) => text.startsWith(">") ? `> ${text.slice(1)}` : `= ${text}`;

/** Two numbers with as many digits as it takes to tell them apart. */
export function apart(x, y) {
  let digits = 2;
  while (x !== y && digits < 7 && number(x, digits) === number(y, digits)) digits += 1;
  return [number(x, digits), number(y, digits)];
}

export const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

const hex = (bytes) =>
  bytes.map((b) => b.toString(16).toUpperCase().padStart(2, "0")).join(" ");

const codePoint = (character) =>
  `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/**
 * A token's piece as [kind, text] segments, nothing in it invisible.
 * Kinds: text, space, newline, code (bytes, control characters), special (a named token).
 */
export function segments(piece) {
  if (Array.isArray(piece)) return [["code", hex(piece)]];
  if (piece === undefined || piece === "") return [["code", "empty"]];
  if (SPECIAL.test(piece)) return [["special", piece]];
  return piece.split(PARTS).filter(Boolean).map((part) => {
    if (part === " ") return ["space", "·"];
    if (part === "\t") return ["space", "⇥"];
    if (part.endsWith("\n")) return ["newline", "↵"];
    if (HIDDEN.test(part) && [...part].length === 1) return ["code", codePoint(part)];
    return ["text", /^\p{M}/u.test(part) ? `◌${part}` : part];
  });
}

/** A token inside a sentence: “·the”. */
export const quote = (piece) => `“${segments(piece).map(([, text]) => text).join("")}”`;

/**
 * For tokens that are not whole characters: the characters that a run of them makes together.
 * One entry a token, null where there is none.
 */
export function merged(pieces) {
  const whole = pieces.map(() => null);
  let from = 0, bytes = [];
  pieces.forEach((piece, i) => {
    if (!Array.isArray(piece)) { bytes = []; return; }
    if (bytes.length === 0) from = i;
    bytes.push(...piece);
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(bytes));
      whole.fill(text, from, i + 1);
      bytes = [];
    } catch { /* not whole characters yet */ }
  });
  return whole;
}

/** Several tokens in one line of text. */
export function inline(pieces) {
  const whole = merged(pieces);
  return pieces.map((piece, i) => {
    const again = whole[i] !== null && Array.isArray(pieces[i - 1]) && whole[i - 1] === whole[i];
    return again ? "" : segments(whole[i] ?? piece).map(([, text]) => text).join("");
  }).join("");
}

/** Why a drafted token stands or falls, from its numbers. */
export function verdict(x, afterRejection) {
  if (x.verdict === "unchecked") {
    return `unchecked: drafted after ${afterRejection ? "a rejection" : "the end of the text"}, ` +
      "thrown away unread";
  }
  // A rule that is broken on purpose may compare something else, or not keep to its comparison.
  const ratio = Math.abs(x.a - Math.min(1, x.p / x.q)) < 1e-6;
  if (x.a >= 1) {
    const why = ratio ? "p ≥ q" : "a = 1";
    return x.verdict === "accepted" ? `${why}: accepted whatever u is` : `${why}, and yet rejected`;
  }
  const below = x.u < x.a;
  const [u, a] = apart(x.u, x.a);
  const kept = below === (x.verdict === "accepted");
  return `u ${equals(u)} ${below ? "<" : "≥"} ${ratio ? "p/q" : "a"} ${equals(a)}` +
    `${kept ? ":" : ", and yet"} ${x.verdict}`;
}

/** The end of a cycle: where its last token came from, or why there is none. */
export function ending(cycle) {
  const end = cycle.replacement;
  if (!end) return "no replacement: the accepted token ends the text";
  const lost = cycle.committed.length > cycle.n_accepted ? ""
    : "; beyond the length limit, not committed";
  if (cycle.drafted.length === 0) return `nothing drafted: a plain token from p${lost}`;
  if (end.bonus) {
    return `all ${cycle.drafted.length} accepted: one more token from p, for nothing${lost}`;
  }
  return `drawn from the residual max(0, p − q)${lost}`;
}

const cutWords = (cycle) =>
  cycle.cut === "length" ? " The length limit cut the rest."
    : cycle.cut === "end" ? " The text ends here." : "";

/** The one sentence that says what to see at a cursor. */
export function sentence(cursor, cycle, pieces) {
  const k = cycle.drafted.length;
  const x = cycle.drafted[cursor.position];
  if (cursor.stage === "draft") {
    return k === 0 ? "Nothing is drafted in this cycle: the target writes one token by itself."
      : `The draft model proposes ${plural(k, "token")}, one after the other, ` +
        "each drawn from its own distribution q.";
  }
  if (cursor.stage === "verify") {
    return `One target pass gives ${k ? `k + 1 = ${k + 1} rows` : "one row"} of p` +
      (k ? ": one at each drafted position, and one for the token after them." : ".");
  }
  if (cursor.stage === "decide") {
    const what = `Position ${cursor.position + 1}: ${verdict(x)}.`;
    if (x.verdict === "accepted") {
      const stands = cursor.position < cycle.committed.length;
      return `${what} ${quote(pieces[x.token])} ` +
        (stands ? "stands." : "would stand, but is beyond the length limit.");
    }
    const unread = k - cursor.position - 1;
    return `${what} ${quote(pieces[x.token])} is thrown away` +
      (unread ? `, and with it the ${unread > 1 ? `${unread} tokens` : "token"} drafted after it.` : ".");
  }
  const token = cycle.replacement && quote(pieces[cycle.replacement.token]);
  const how = !cycle.replacement ? "The accepted token ends the text, so none follows it."
    : k === 0 ? `The target's own token: ${token}.`
      : cycle.replacement.bonus ? `All ${k} drafts stand, and p's last row adds ${token}.`
        : `In place of the rejected token the target takes ${token}, ` +
          "from what the draft under-supplied.";
  return `${how} The cycle commits ${plural(cycle.committed.length, "token")}.${cutWords(cycle)}`;
}

/** One bar in words. */
export function barWords(cycle, index) {
  if (cycle.whole === false) return `cycle ${index + 1}: not all of it has been shown`;
  const kept = Math.min(cycle.n_accepted, cycle.committed.length);
  const end = cycle.committed.length > kept
    ? cycle.bonus ? " + bonus" : " + replacement" : "";
  const cut = cycle.cut === "length" ? ", cut by the length limit"
    : cycle.cut === "end" ? ", ends the text" : "";
  return `cycle ${index + 1}: ${kept} accepted${end} = ` +
    `${plural(cycle.committed.length, "token")}${cut}`;
}

export const tau = (cycles) =>
  cycles.reduce((sum, cycle) => sum + cycle.committed.length, 0) / cycles.length;

/** The bars as one sentence, for those who do not see them. */
export function barsSummary(list, k) {
  const cycles = list.filter((cycle) => cycle.whole);
  if (cycles.length === 0) return "No cycle yet.";
  const total = cycles.reduce((sum, cycle) => sum + cycle.committed.length, 0);
  const bonuses = cycles.filter((c) => c.bonus && c.committed.length > c.n_accepted).length;
  const cut = cycles.findIndex((cycle) => cycle.cut);
  return `${plural(cycles.length, "cycle")} committed ${plural(total, "token")}: ` +
    `tau is ${tau(cycles).toFixed(2)} a cycle, of at most ${k + 1}. ` +
    `${plural(bonuses, "cycle")} ended with a bonus.` +
    (cut >= 0 ? ` Cycle ${cut + 1} was cut by the ` +
      `${cycles[cut].cut === "end" ? "end of the text" : "length limit"}.` : "");
}
