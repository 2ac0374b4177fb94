/**
 * A student's answers: sent until the server says that they are stored, and never twice.
 */

import { ask, backOff, pause } from "./net.js";

/** onChange() is called when something is to be drawn again. */
export function makeVotes(base, onChange) {
  let mine = {};             // round -> key, as the server has acknowledged
  let problem = "", underway = null;
  let asked = null;          // the question as it stands now

  function know(answers, question) {
    if (answers) mine = { ...mine, ...answers };
    if (question?.round !== asked?.round) problem = "";
    asked = question ?? null;
  }

  /** Send one answer, and go on trying while the question is open. */
  async function vote({ round }, key) {
    if (underway !== null || mine[round]) return;
    underway = round;
    problem = "";
    onChange();
    for (let n = 0; underway === round; n += 1) {
      const done = await once(round, key);
      if (done || asked?.round !== round || !asked.open) break;
      onChange();
      await pause(backOff(n));
    }
    underway = null;
    onChange();
  }

  /** One try -> whether there is an answer to it, whatever it is. */
  async function once(round, key) {
    let status, data;
    try {
      ({ status, data } = await ask(`${base}/vote`, { body: { round, answer: key } }));
    } catch {
      problem = "Not sent: no connection. Trying again ...";
      return false;
    }
    if (data?.my_answers) mine = { ...mine, ...data.my_answers };
    if (status === 200) {
      mine = { ...mine, [round]: mine[round] ?? key };
      problem = "";
      return true;
    }
    if (mine[round]) { problem = ""; return true; }   // it had arrived; the word of it was lost
    problem = data?.error ?? "Your answer was not taken.";
    const later = status === 429 || status >= 500;
    if (later) problem += " Trying again ...";
    return !later;
  }

  return { know, vote, given: () => mine, sending: () => underway !== null,
    problem: () => problem };
}
