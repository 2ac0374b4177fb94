/**
 * A question: its choices, and how many took each.
 *
 *   questionView({ onChoose }) -> { node, show(question, look) }
 *
 * question  { round, text, choices: [{ key, text }], open, rounds: [{ round, histogram }], correct,
 *             why }; a histogram is { key: count }, or null while it is not shown
 * look      { mine: key or null, given: { round: key }, choosing: whether choices can be taken }
 *
 * Every choice has room for its bars from the start, so nothing moves when counts come in. A count
 * is a number and a bar, the right answer a word and a frame: color says nothing by itself.
 */

import { el, setAttr, setText } from "./stepper/dom.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

export const letter = (i) => LETTERS[i] ?? String(i + 1);

/** How many answered in a round. */
export const total = (histogram) =>
  Object.values(histogram ?? {}).reduce((sum, n) => sum + n, 0);

/** One choice's part of a round, in words. */
export function share(histogram, key) {
  const n = histogram[key] ?? 0, all = total(histogram);
  return { n, all, percent: all ? Math.round((100 * n) / all) : 0 };
}

const roundName = (i, count) => (count < 2 ? "" : i === 0 ? "first" : count === 2 ? "again"
  : `round ${i + 1}`);

function makeChoice(i, onChoose) {
  const words = el("span", { class: "words" }), note = el("span", { class: "note" });
  const button = el("button", { type: "button", class: "choice" },
    el("span", { class: "letter", "aria-hidden": "true" }, letter(i)), words, note);
  const results = el("div", { class: "results" });
  const node = el("li", {}, button, results);
  button.addEventListener("click", () => onChoose(i));
  return { node, button, words, note, results, lines: [] };
}

function line(results) {
  const name = el("span", { class: "name" }), fill = el("span", { class: "fill" });
  const count = el("span", { class: "count" });
  const node = el("div", { class: "result" }, name,
    el("span", { class: "track", "aria-hidden": "true" }, fill), count);
  results.append(node);
  return { node, name, fill, count };
}

export function questionView({ onChoose = () => {} } = {}) {
  const text = el("h2", { class: "ask" });
  const list = el("ol", { class: "choices" });
  const why = el("p", { class: "why" });
  const node = el("section", { class: "question", "aria-label": "Question", hidden: "" },
    text, list, why);
  const pool = [];
  let shown = null;

  function choose(i) {
    if (shown?.look.choosing) onChoose(shown.question.choices[i].key);
  }

  function showChoice(item, choice, { correct, rounds }, { mine, choosing, given }) {
    const right = correct === choice.key;
    setText(item.words, choice.text);
    const said = [mine === choice.key ? "your answer" : "", right ? "right" : ""].filter(Boolean);
    setText(item.note, said.join(", "));
    setAttr(item.button, "aria-disabled", choosing ? null : "true");
    setAttr(item.button, "aria-pressed", mine === choice.key ? "true" : choosing ? "false" : null);
    setAttr(item.node, "data-mine", mine === choice.key ? "" : null);
    setAttr(item.node, "data-right", right ? "" : null);
    setAttr(item.node, "data-wrong", correct && !right ? "" : null);
    while (item.lines.length < rounds.length) item.lines.push(line(item.results));
    item.lines.forEach((one, i) => {
      const histogram = rounds[i]?.histogram ?? null;
      setAttr(one.node, "hidden", i < rounds.length ? null : "");
      setAttr(one.node, "data-empty", histogram ? null : "");
      setAttr(one.node, "data-last", i === rounds.length - 1 ? "" : null);
      if (i >= rounds.length) return;
      const { n, percent } = histogram ? share(histogram, choice.key) : { n: 0, percent: 0 };
      const chosenThen = given[rounds[i].round] === choice.key && rounds.length > 1 ? " (you)" : "";
      setText(one.name, roundName(i, rounds.length));
      setText(one.count, histogram ? `${n} (${percent}%)${chosenThen}` : "");
      one.fill.style.width = `${percent}%`;
    });
  }

  function show(question, look = {}) {
    setAttr(node, "hidden", question ? null : "");
    shown = question ? { question, look: { mine: null, given: {}, choosing: false, ...look } } : null;
    if (!question) return;
    const { choices } = question;
    setText(text, question.text);
    while (pool.length < choices.length) pool.push(makeChoice(pool.length, choose));
    if (list.childElementCount !== choices.length) {
      list.replaceChildren(...pool.slice(0, choices.length).map((item) => item.node));
    }
    list.style.setProperty("--count", choices.length);
    setAttr(list, "data-many", choices.length > 6 ? "" : null);
    setAttr(list, "data-rounds", question.rounds.length);
    choices.forEach((choice, i) => showChoice(pool[i], choice, question, shown.look));
    setText(why, question.why ?? "");
    setAttr(node, "data-state", question.correct ? "revealed" : question.open ? "open" : "closed");
  }

  return { node, show };
}
